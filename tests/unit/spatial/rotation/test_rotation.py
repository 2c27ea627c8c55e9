"""Rotations: matrices and axes, identities of Euler parameters, rates against complex steps, what users may state.

Tolerances: results are a few operations on numbers of size one, so a few units of 2.2e-16; 1e-14 unless stated.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from cardan import ModelError
from cardan.spatial import rotation
from folding import folded
from rotations import ALL, AXES, CLOSE, random, same

STEP = 1e-30  # of complex steps: no subtraction, so it may be as small as one likes
SMALL = [1e-200, 1e-12, 1e-6, 1e-3, 0.1, 1.0, 1.999, 2.001, 3.0, 6.0]  # |theta|, on both sides of the series' end at 2
MATRIX = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])


# Matrices


def test_matrix_is_that_of_scipy() -> None:
    assert_allclose(rotation.matrix(ALL), Rotation.from_quat(np.roll(ALL, -1, axis=1)).as_matrix(), rtol=0, atol=CLOSE)


def test_matrix_and_back() -> None:
    back = rotation.from_matrix(rotation.matrix(ALL))
    same(back, ALL)
    assert (back[:, 0] >= 0).all()


@pytest.mark.parametrize("axis", AXES)
def test_half_turn_has_its_first_component_positive(axis: tuple[float, ...]) -> None:
    u = np.array(axis) / np.linalg.norm(axis)
    p = rotation.from_matrix(2 * np.outer(u, u) - np.eye(3))
    assert p[0] == 0.0
    assert p[np.argmax(np.abs(p) > 0.1)] > 0
    same(p, np.array([0.0, *u]))


def test_rounded_matrix_becomes_the_nearest_rotation() -> None:
    """Against the projection by singular values; the second step of the iteration leaves (1e-6)^4."""
    noisy = rotation.matrix(random(2)) + 1e-7 * np.random.default_rng(3).normal(size=(200, 3, 3))
    u, _, vt = np.linalg.svd(noisy)
    assert_allclose(rotation.matrix(rotation.from_matrix(noisy)), u @ vt, rtol=0, atol=CLOSE)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (np.eye(2), r"must be a 3 x 3 matrix, got an array of shape \(2, 2\)"),
        ([[1, 2], [3]], "must be a 3 x 3 matrix, got list"),
        (np.diag([1.0, 1.0, np.nan]), "must be finite"),
        (np.diag([1.0, 1.0, 1.01]), r"perpendicular to each other, but A\^T A differs from the unit matrix by 0.02"),
        (np.diag([1.0, 1.0, -1.0]), "left-handed"),
    ],
)
def test_no_rotation_matrix(given: object, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        rotation.from_matrix(given)


# Axis and angle, rotation vector


def test_axis_angle_and_back() -> None:
    axis, angle = rotation.axis_angle(ALL)
    assert ((angle >= 0) & (angle <= math.pi)).all()
    assert_allclose(np.linalg.norm(axis, axis=1), 1.0, rtol=0, atol=CLOSE)
    same(rotation.from_axis_angle(axis, angle), ALL)


@pytest.mark.parametrize("turn", [1e-300, 1e-200, 1e-20, 1e-10, 1e-3, 3.0])
def test_rotation_vector_keeps_every_digit(turn: float) -> None:
    theta = turn * np.array([2.0, -3.0, 6.0]) / 7.0
    p = rotation.from_rotation_vector(theta)
    assert_allclose(rotation.rotation_vector(p), theta, rtol=CLOSE, atol=0)
    assert_allclose(rotation.rotation_vector(-p), theta, rtol=CLOSE, atol=0)


def test_rotation_vector_is_that_of_scipy() -> None:
    p = random(4)
    assert_allclose(rotation.rotation_vector(p), Rotation.from_quat(np.roll(p, -1, axis=1)).as_rotvec(), atol=CLOSE)
    same(rotation.from_rotation_vector(rotation.rotation_vector(ALL)), ALL)


def test_rotation_vector_is_the_logarithm_of_the_matrix() -> None:
    theta = np.array([0.3, -1.2, 0.5])
    assert_allclose(rotation.matrix(rotation.from_rotation_vector(theta)), expm(rotation.skew(theta)), atol=CLOSE)


def test_axis_of_no_turn_is_z() -> None:
    axis, angle = rotation.axis_angle((1, 0, 0, 0))
    assert axis.tolist() == [0, 0, 1] and angle == 0


@pytest.mark.parametrize(
    ("axis", "angle", "says"),
    [
        ((0, 0, 0), 1.0, "zero vector"),
        ((1, 0, np.inf), 1.0, "finite"),
        ((1, 0, 0), np.nan, "finite"),
        ((1, 0), 1, "3 n"),
    ],
)
def test_no_axis(axis: tuple[float, ...], angle: float, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        rotation.from_axis_angle(axis, angle)


# Identities and rates


def test_identities_of_the_rate_matrices() -> None:
    """Haug 9.3.20 to 9.3.32, with p' perpendicular to p; all of size |p'| or less."""
    p = ALL
    drift = np.random.default_rng(9).normal(size=p.shape)
    rate = drift - np.sum(p * drift, axis=1, keepdims=True) * p
    e, g, de, dg = rotation.E(p), rotation.G(p), rotation.E(rate), rotation.G(rate)
    transposed = [np.swapaxes(m, 1, 2) for m in (e, g, de, dg)]
    et, gt, _, dgt = transposed
    outside = np.eye(4) - p[:, :, None] * p[:, None, :]

    def times(m: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.einsum("nij,nj->ni", m, v)

    for left, right in (
        (times(e, p), 0.0),
        (times(g, p), 0.0),
        (e @ et, np.broadcast_to(np.eye(3), (len(p), 3, 3))),
        (g @ gt, np.broadcast_to(np.eye(3), (len(p), 3, 3))),
        (et @ e, outside),
        (gt @ g, outside),
        (e @ gt, rotation.matrix(p)),
        (times(e, rate), -times(de, p)),
        (times(g, rate), -times(dg, p)),
        (e @ dgt, de @ gt),
        (rotation.skew(times(g, rate)), g @ dgt),
    ):
        assert_allclose(left, right, rtol=0, atol=CLOSE)


def test_rates_are_those_of_the_matrix() -> None:
    """A' = A ~omega' = ~omega A (9.2.40), A' by a complex step along p'."""
    p = random(10)
    omega_b = np.random.default_rng(11).normal(size=(200, 3))
    rate = rotation.rates(p, omega_b)
    A, A_rate = rotation.matrix(p), rotation.matrix(p + 1j * STEP * rate).imag / STEP
    assert_allclose(A_rate, A @ rotation.skew(omega_b), rtol=0, atol=CLOSE)
    assert_allclose(A_rate, rotation.skew(rotation.angular_velocity(p, rate)) @ A, rtol=0, atol=CLOSE)
    assert_allclose(rotation.angular_velocity_b(p, rate), omega_b, rtol=0, atol=CLOSE)
    assert_allclose(rotation.angular_velocity(p, rate), rotation.rotate(p, omega_b), rtol=0, atol=CLOSE)


def test_second_rates_are_the_rates_of_the_rates() -> None:
    p, omega_b, alpha_b = random(12), *np.random.default_rng(13).normal(size=(2, 200, 3))
    ahead = rotation.rates(p + 1j * STEP * rotation.rates(p, omega_b), omega_b + 1j * STEP * alpha_b)
    assert_allclose(rotation.second_rates(p, omega_b, alpha_b), ahead.imag / STEP, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("size", SMALL)
def test_tangent_is_the_angular_velocity(size: float) -> None:
    """omega' = 2 G p' with p' by a complex step through the exponential."""
    theta, rate = size * np.array([2.0, -3.0, 6.0]) / 7.0, np.array([0.3, 1.1, -0.7])
    p = rotation.from_rotation_vector(theta + 1j * STEP * rate)
    omega_b = rotation.angular_velocity_b(p.real, p.imag / STEP)
    assert_allclose(rotation.tangent(theta) @ rate, omega_b, rtol=0, atol=CLOSE)
    assert_allclose(rotation.tangent_inverse(theta) @ rotation.tangent(theta), np.eye(3), rtol=0, atol=1e-13)


@pytest.mark.parametrize("size", SMALL)
def test_tangent_rate_is_the_rate_of_the_tangent(size: float) -> None:
    theta, rate = size * np.array([2.0, -3.0, 6.0]) / 7.0, np.array([0.3, 1.1, -0.7])
    ahead = rotation.tangent(theta + 1j * STEP * rate)
    assert_allclose(rotation.tangent_rate(theta, rate), ahead.imag / STEP, rtol=0, atol=CLOSE)


def test_tangent_at_tiny_angles_has_its_limit() -> None:
    theta = np.array([1e-9, 2e-9, -2e-9])
    s = rotation.skew(theta)
    assert_allclose(rotation.tangent(theta) - np.eye(3), -s / 2 + s @ s / 6, rtol=0, atol=1e-16)
    assert_allclose(rotation.tangent_inverse(theta) - np.eye(3), s / 2 + s @ s / 12, rtol=0, atol=1e-16)


# Products


def test_products_are_products_of_matrices() -> None:
    p, q = ALL, ALL[::-1]
    v = np.random.default_rng(14).normal(size=(len(p), 3))
    A, B = rotation.matrix(p), rotation.matrix(q)
    assert_allclose(rotation.matrix(rotation.multiply(p, q)), A @ B, rtol=0, atol=CLOSE)
    assert_allclose(rotation.matrix(rotation.inverse(p)), np.swapaxes(A, 1, 2), rtol=0, atol=CLOSE)
    assert_allclose(rotation.rotate(p, v), (A @ v[:, :, None])[:, :, 0], rtol=0, atol=CLOSE)
    same(rotation.multiply(p, rotation.inverse(p)), np.broadcast_to([1.0, 0, 0, 0], p.shape))


def test_skew_is_the_vector_product() -> None:
    a, b = np.random.default_rng(15).normal(size=(2, 50, 3))
    assert_allclose(np.einsum("nij,nj->ni", rotation.skew(a), b), np.cross(a, b), rtol=0, atol=CLOSE)


def test_continuous_follows_two_turns() -> None:
    """Two full turns bring p back to itself, one to -p; signs lost on the way are found again."""
    half = np.linspace(0, 2 * math.pi, 101)
    p = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    flipped = p * np.random.default_rng(16).choice([-1.0, 1.0], size=(101, 1))
    flipped[0] = p[0]
    assert_allclose(rotation.continuous(flipped), p, rtol=0, atol=0)
    pair = np.stack([flipped, p], axis=1)
    assert_allclose(rotation.continuous(pair), np.stack([p, p], axis=1), rtol=0, atol=0)


def test_stacks_are_their_members() -> None:
    """Any leading axes; the numbers are those of single calls, to the last digits that vectorized sines differ in."""
    p = random(17, 6).reshape(2, 3, 4)
    v = np.random.default_rng(18).normal(size=(2, 3, 3))
    rate = rotation.rates(p, v)
    calls = [
        (rotation.matrix, (p,)),
        (lambda q: rotation.from_matrix(rotation.matrix(q)), (p,)),
        (lambda q: rotation.axis_angle(q)[0], (p,)),
        (lambda q: rotation.from_axis_angle(*rotation.axis_angle(q)), (p,)),
        (rotation.rotation_vector, (p,)),
        (rotation.from_rotation_vector, (v,)),
        (lambda q: rotation.angles(q, "ZYX"), (p,)),
        (lambda a: rotation.from_angles("zyz", a), (v,)),
        (rotation.E, (p,)),
        (rotation.G, (p,)),
        (rotation.skew, (v,)),
        (rotation.rates, (p, v)),
        (rotation.second_rates, (p, v, 2 * v)),
        (rotation.angular_velocity, (p, rate)),
        (rotation.angular_velocity_b, (p, rate)),
        (rotation.multiply, (p, rate)),
        (rotation.inverse, (p,)),
        (rotation.rotate, (p, v)),
        (rotation.tangent, (v,)),
        (rotation.tangent_inverse, (v,)),
        (rotation.tangent_rate, (v, 2 * v)),
        (lambda q: rotation.from_scipy(rotation.to_scipy(q)), (p.reshape(6, 4),)),
    ]
    for function, arguments in calls:
        whole = function(*arguments)
        for index in np.ndindex(arguments[0].shape[:-1]):
            assert_allclose(whole[index], function(*(a[index] for a in arguments)), rtol=0, atol=CLOSE)


@pytest.mark.parametrize("given", [(1, 0, 0), "abcd", None, (True, False, False, False), [[1, 0, 0, 0], [1]]])
def test_no_euler_parameters(given: object) -> None:
    with pytest.raises(ModelError, match="Euler parameters must be 4 numbers"):
        rotation.matrix(given)  # type: ignore[arg-type]


# What a user may state


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, (1, 0, 0, 0)),
        ((0, 0, 0, -1), (0, 0, 0, -1)),
        ((0.71, 0.71, 0, 0), (math.sqrt(0.5), math.sqrt(0.5), 0, 0)),
        (np.array([0.6, 0, 0]), (0.8, 0.6, 0, 0)),
        ((0.0, 1.004, 0.0), (0, 0, 1, 0)),
        (MATRIX, (0.5, 0.5, 0.5, 0.5)),
        (MATRIX.astype(int).tolist(), (0.5, 0.5, 0.5, 0.5)),
        (Rotation.from_rotvec([0, 0, math.pi / 2]), (math.sqrt(0.5), 0, 0, math.sqrt(0.5))),
    ],
)
def test_stated_orientation(given: object, expected: tuple[float, ...]) -> None:
    p = rotation.euler_parameters(given)
    assert isinstance(p, tuple) and all(type(value) is float for value in p)
    assert_allclose(p, expected, rtol=0, atol=CLOSE)


@folded(
    ("given", "says"),
    [
        ((0, 0, 0, 0), "the Euler parameters of the arm are all zero"),
        ((1, 1, 0, 0), "must have the norm 1, not 1.414"),
        ((1e200, 1e200, 0), "must have a norm of at most 1"),
        ((0.8, 0.8, 0), r"e1, e2, e3 of the arm, \(0.8, 0.8, 0.0\), must have a norm of at most 1, not 1.131"),
        ((1, 0, 0, math.nan), "the arm must be finite"),
        ((1, 0, 0, "0"), "the arm must be 4 numbers"),
        (2 * MATRIX, "the arm must have unit columns"),
        (-MATRIX, "the arm is left-handed"),
        (Rotation.from_rotvec([[0, 0, 1], [0, 1, 0]]), "the arm must be one rotation, got a stack of 2"),
        (
            0.5,
            r"four Euler parameters, three of them \(e1, e2, e3\), a 3 x 3 matrix or a scipy Rotation, got float 0.5",
        ),
        ("ZXZ", "the arm must be four Euler parameters"),
        ((1, 2), "the arm must be four Euler parameters"),
        ([[1, 0, 0], [0, 1]], "the arm must be four Euler parameters"),
        (np.eye(4), "the arm must be four Euler parameters"),
    ],
)
def test_no_orientation(given: object, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        rotation.euler_parameters(given, "the arm")


def test_scipy_and_back() -> None:
    same(rotation.from_scipy(rotation.to_scipy(ALL)), ALL)
    with pytest.raises(ModelError, match="must be a scipy.spatial.transform.Rotation, got tuple"):
        rotation.from_scipy((1, 0, 0, 0))  # type: ignore[arg-type]


def test_scipy_is_loaded_by_need() -> None:
    script = (
        "import sys; from cardan.spatial.rotation import euler_parameters, from_axes; "
        "euler_parameters(from_axes(z=(1, 0, 0))); print('scipy.spatial.transform' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=_environment())
    assert run.stdout.strip() == "False", run.stderr


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
