"""Rotations from three angles, from points and from directions.

Tolerances: results are a few operations on numbers of size one, so a few units of 2.2e-16; 1e-14 unless stated.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from cardan import ModelError
from cardan.spatial import rotation
from folding import folded
from rotations import ALL, CLOSE, random, same

FIXED = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] != s[2]]
SEQUENCES = FIXED + [sequence.upper() for sequence in FIXED]


# Three angles


@folded("sequence", SEQUENCES)
def test_angles_and_back(sequence: str) -> None:
    values = rotation.angles(ALL, sequence)
    same(rotation.from_angles(sequence, values), ALL, 3e-14)  # LOCKED of the module: 1e-14 of b/2 may be left out
    low, high = (0, math.pi) if sequence[0] == sequence[2] else (-math.pi / 2, math.pi / 2)
    assert ((values[:, 1] >= low) & (values[:, 1] <= high)).all()
    assert (np.abs(values) <= math.pi).all()


@folded("sequence", SEQUENCES)
def test_angles_are_those_of_scipy(sequence: str) -> None:
    p = random(5)
    theirs = Rotation.from_quat(np.roll(p, -1, axis=1)).as_euler(sequence)
    assert_allclose(rotation.angles(p, sequence), theirs, rtol=0, atol=1e-12)  # the nearest to lock-up loses two digits
    values = np.random.default_rng(6).uniform(-3, 3, size=(50, 3))
    same(rotation.from_angles(sequence, values), np.roll(Rotation.from_euler(sequence, values).as_quat(), 1, axis=1))


@folded("sequence", SEQUENCES)
@pytest.mark.parametrize("end", [0, 1])
def test_gimbal_lock_sets_the_third_angle_to_zero(sequence: str, end: int) -> None:
    middle = end * math.pi if sequence[0] == sequence[2] else (end - 0.5) * math.pi
    outer = np.random.default_rng(7).uniform(-3, 3, size=(50, 2))
    p = rotation.from_angles(sequence, np.stack([outer[:, 0], np.full(50, middle), outer[:, 1]], axis=1))
    values = rotation.angles(p, sequence)
    assert_allclose(values[:, 1], middle, rtol=0, atol=2e-14)
    assert_allclose(values[:, 2], 0.0, rtol=0, atol=CLOSE)
    same(rotation.from_angles(sequence, values), p, 3e-14)


@folded("sequence", SEQUENCES)
@pytest.mark.parametrize("off", [1e-13, 1e-10, 1e-7, 1e-4])
def test_near_gimbal_lock_the_rotation_is_exact(sequence: str, off: float) -> None:
    """However near, the angles reproduce the rotation: only their own values lose digits there."""
    ends = (off, math.pi - off) if sequence[0] == sequence[2] else (off - math.pi / 2, math.pi / 2 - off)
    for middle in ends:
        p = rotation.from_angles(sequence, (0.7, middle, -2.1))
        values = rotation.angles(p, sequence)
        same(rotation.from_angles(sequence, values), p)
        assert_allclose(values, (0.7, middle, -2.1), rtol=0, atol=1e-15 / off + CLOSE)


@folded("sequence", ["", "zx", "ZXx", "ZZX", "XYY", "abc", "zxzx", 3, None])
def test_no_sequence(sequence: object) -> None:
    with pytest.raises(ModelError, match=r"three of 'XYZ' \(moving axes\) or of 'xyz'"):
        rotation.from_angles(sequence, (0, 0, 0))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no axis twice"):
        rotation.angles((1, 0, 0, 0), sequence)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [(1, 2), (1, 2, np.nan), "abc", [[1, 2, 3], [1, 2]]])
def test_no_angles(values: object) -> None:
    with pytest.raises(ModelError, match="3 numbers|finite"):
        rotation.from_angles("ZXZ", values)  # type: ignore[arg-type]


# Points and directions


def test_points_of_a_rotated_frame() -> None:
    """Q and R at any distance, R with any part along PQ, all moved away: the frame is that of the rotation."""
    P = np.array([3.0, -4.0, 5.0])
    for p in ALL[::7]:
        x, y, z = rotation.matrix(p).T
        same(rotation.from_points(P, P + 0.2 * z, P + 3 * x - 0.7 * z), p, 1e-13)  # P is 40 times PQ
        same(rotation.from_points(P, P + 0.2 * x, P + 3 * y + 5 * x, axes="xy"), p, 1e-13)


def test_axes_of_a_rotated_frame() -> None:
    for p in ALL[::7]:
        x, y, z = rotation.matrix(p).T
        same(rotation.from_axes(x=2 * x, y=y, z=3 * z), p)
        same(rotation.from_axes(z=z, x=x + 0.3 * z), p)
        same(rotation.from_axes(z=z, y=y - 5 * z), p)
        same(rotation.from_axes(x=x, y=y + 2 * x), p)
        same(rotation.from_axes(x=x + z, z=z), p)


@pytest.mark.parametrize("name", ["x", "y", "z"])
def test_one_direction_is_exact_and_the_rest_is_near(name: str) -> None:
    """The axis is the direction; the one chosen lies in the plane of the direction and of the frame's own axis."""
    column = "xyz".index(name)
    second = 0 if name == "z" else 2
    spare = {"x": 1, "y": 0, "z": 1}[name]
    assert rotation.from_axes(**{name: np.eye(3)[column]}).tolist() == [1, 0, 0, 0]
    for direction in np.concatenate([rotation.matrix(random(8))[:, :, 0], np.eye(3), -np.eye(3)]):
        A = rotation.matrix(rotation.from_axes(**{name: 5 * direction}))
        assert_allclose(A[:, column], direction, rtol=0, atol=CLOSE)
        source = np.eye(3)[spare if abs(direction[second]) > 0.99 else second]
        assert A[:, second] @ source > 0.1
        assert abs(np.linalg.det([A[:, second], direction, source])) < CLOSE


def test_two_points_choose_as_directions_do() -> None:
    P, Q = np.array([1.0, 2, 3]), np.array([2.0, 4, 9])
    assert rotation.from_points(P, Q, None).tolist() == rotation.from_axes(z=Q - P).tolist()
    assert rotation.from_points(P, Q, axes="xy").tolist() == rotation.from_axes(x=Q - P).tolist()


def test_no_direction_is_no_rotation() -> None:
    assert rotation.from_axes().tolist() == [1, 0, 0, 0]


def test_points_of_tiny_and_huge_frames() -> None:
    for size in (1e-200, 1e-9, 1e9, 1e200):
        p = rotation.from_points((0, 0, 0), (size, 0, 0), (0, size, 0))
        assert_allclose(p, [0.5, 0.5, 0.5, 0.5], rtol=0, atol=CLOSE)


@folded(
    ("points", "says"),
    [
        (((1, 2, 3), (1, 2, 3), (0, 0, 0)), r"P and Q of the frame coincide at \(1, 2, 3\).* z axis"),
        (((1, 2, 3), (1, 2, 3 + 1e-9), None), "P and Q of the frame coincide"),
        (((1, 2, 3), (0, 0, 0), (1, 2, 3)), "P and R of the frame coincide.* x axis"),
        (((0, 0, 0), (1, 1, 1), (-2, -2, -2)), r"R of the frame, \(-2, -2, -2\), is on the line PQ"),
        (((0, 0, 0), (1, 1), (1, 0, 0)), "Q of the frame must be 3 numbers"),
        (((0, 0, 0), (1, 0, 0), (1, 0, math.nan)), "R of the frame must be finite"),
        (((0, 0, 0), (1, 0, 0), (0, 1, 0), "xz"), "axes of the frame must be 'zx'"),
    ],
)
def test_no_points(points: tuple, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        rotation.from_points(*points)


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        ({"z": (0, 0, 0)}, "the z axis of the frame must be a direction, got a zero vector"),
        ({"x": (1, 0)}, "the x axis of the frame must be 3 numbers"),
        ({"x": (1, 2, 3), "y": (-2, -4, -6)}, "the x and y axes of the frame are parallel"),
        ({"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, -1)}, "left-handed"),
        ({"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 1e-3, 1)}, "not perpendicular, a cosine between them is 0.001"),
    ],
)
def test_no_axes(axes: dict, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        rotation.from_axes(**axes)
