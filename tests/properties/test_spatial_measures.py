"""What each measure of space says, against matrices; swapping a and b; and the places where formulas break."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from cardan.spatial import angle, bearing, component, dot, length, rotation, rotation_component, tilt, x, y, z
from catalog import TURN
from scenes import SPACE

AXES = "xyz"
seeds = pytest.mark.parametrize("seed", range(6))
ends = pytest.mark.parametrize("ends", [("a", "b"), ("b", "ground"), ("ground", "a")], ids=str)


def _frame(marker, q):
    """The point of a marker and, as columns, its axes in the world, by SciPy's rotations (scalar last)."""
    k = SPACE.system.number[id(marker.body)]
    pose = q[7 * k : 7 * k + 7]
    body = Rotation.from_quat(np.roll(pose[3:], -1))
    own = Rotation.from_quat(np.roll(marker.orientation, -1))
    return pose[:3] + body.apply(marker.place), (body * own).as_matrix()


def _z(q, v, *measures):
    return SPACE.table(list(measures)).evaluate(q, v)[0]


def _same_turn(one, two):
    return math.remainder(one - two, TURN) == pytest.approx(0.0, abs=1e-12)


@ends
@seeds
def test_values(ends, seed):
    a, b = (SPACE.markers[end] for end in ends)
    q, v = SPACE.state(seed)
    (P, A), (Q, B) = _frame(a, q), _frame(b, q)
    d, R = A.T @ (Q - P), A.T @ B  # b as seen in the axes of a
    assert _z(q, v, x(b), y(b), z(b))[:, 0] == pytest.approx(Q, abs=1e-14)
    assert _z(q, v, length(a, b))[0, 0] == pytest.approx(np.linalg.norm(d), abs=1e-14)
    assert _z(q, v, *(component(a, b, axis) for axis in AXES))[:, 0] == pytest.approx(d, abs=1e-14)
    assert _same_turn(_z(q, v, bearing(a, b))[0, 0], math.atan2(d[1], d[0]))
    theta = Rotation.from_matrix(R).as_rotvec()
    assert _z(q, v, *(rotation_component(a, b, axis) for axis in AXES))[:, 0] == pytest.approx(theta, abs=1e-12)
    for i, j in product(range(3), range(3)):
        assert _z(q, v, dot(a, b, AXES[i], AXES[j]))[0, 0] == pytest.approx(R[i, j], abs=1e-14)
        assert _z(q, v, tilt(a, b, AXES[i], AXES[j]))[0, 0] == pytest.approx(math.asin(R[i, j]), abs=1e-12)
    for (about, zero), of in product(permutations(range(3), 2), range(3)):
        quarter = np.cross(np.eye(3)[about], np.eye(3)[zero])  # a right-handed quarter turn on from zero
        expected = math.atan2(quarter @ R[:, of], R[zero, of])
        assert _same_turn(_z(q, v, angle(a, b, AXES[about], AXES[zero], AXES[of]))[0, 0], expected)


@ends
@seeds
def test_swapping_a_and_b(ends, seed):
    """Value, rate and bias: lengths, cosines and tilts do not care; the rotation vector points the other way."""
    a, b = (SPACE.markers[end] for end in ends)
    q, v = SPACE.state(seed)
    pairs = [(length(a, b), length(b, a), 1.0)]
    for i, j in product(AXES, AXES):
        pairs += [(dot(a, b, i, j), dot(b, a, j, i), 1.0), (tilt(a, b, i, j), tilt(b, a, j, i), 1.0)]
    pairs += [(rotation_component(a, b, i), rotation_component(b, a, i), -1.0) for i in AXES]
    for one, two, sign in pairs:
        there, back = _z(q, v, one)[0], _z(q, v, two)[0]
        assert there == pytest.approx(sign * back, abs=1e-12, rel=1e-11)


def _state_with_turn(theta, seed):
    """A state in which the axes of marker b are those of a, turned by the rotation vector theta."""
    q, v = SPACE.state(seed)
    a, b = SPACE.markers["a"], SPACE.markers["b"]
    i, j = (7 * SPACE.system.number[id(m.body)] + 3 for m in (a, b))
    of_a = rotation.multiply(q[i : i + 4], np.array(a.orientation))
    of_b = rotation.multiply(of_a, rotation.from_rotation_vector(theta))
    q[j : j + 4] = rotation.multiply(of_b, rotation.inverse(np.array(b.orientation)))
    return q, v


TURNS = [0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.1, 1.5, 2.5, 3.1, math.pi - 0.01]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.6, 0.0, 0.8), (0.36, -0.48, 0.8)], ids=str)
def test_rotation_vector_from_none_to_half_a_turn(axis, turn):
    """Differences on a step h = 1e-4 at which half a turn is still out of reach, extrapolated: h^4 and 1e-16/h; the
    derivatives of theta grow with no more than powers of 1/sin(theta/2) of one, but its direction turns as 1/theta
    where theta is small, and is smooth all the same."""
    theta = turn * np.array(axis)
    q, v = _state_with_turn(theta, 3)
    a, b = SPACE.markers["a"], SPACE.markers["b"]
    table = SPACE.table([rotation_component(a, b, k) for k in AXES])
    found, jac = table.evaluate(q, v)
    assert found[:, 0] == pytest.approx(theta, abs=1e-14 + 1e-15 * turn)
    h, still = 1e-4, 0.0 * v

    def along(s, level):
        return table.evaluate(SPACE.stepped(q, s * v), v, None)[0][:, level]

    for level, tolerance in ((0, 1e-10), (1, 1e-8)):
        coarse, fine = ((along(s, level) - along(-s, level)) / (2.0 * s) for s in (h, 0.5 * h))
        size = 1.0 + np.abs(found[:, level + 1]).max()
        assert np.abs((4.0 * fine - coarse) / 3.0 - found[:, level + 1]).max() / size < tolerance
    assert jac @ v == pytest.approx(found[:, 1], abs=1e-12)
    assert (jac @ still == 0.0).all()


@pytest.mark.parametrize("turn", [0.0, 1e-9])
def test_aligned_axes_turn_with_the_relative_angular_velocity(turn):
    """At theta = 0 the rotation vector's rate is the relative angular velocity in the common axes."""
    q, v = _state_with_turn(np.array([turn, 0.0, 0.0]), 1)
    a, b = SPACE.markers["a"], SPACE.markers["b"]
    _, B = _frame(b, q)
    omega = []
    for marker in (a, b):
        k = SPACE.system.number[id(marker.body)]
        omega.append(rotation.rotate(q[7 * k + 3 : 7 * k + 7], v[6 * k + 3 : 6 * k + 6]))
    rate = _z(q, v, *(rotation_component(a, b, k) for k in AXES))[:, 1]
    assert rate == pytest.approx(B.T @ (omega[1] - omega[0]), abs=1e-8)


def test_tilt_beside_its_pole():
    """1e-3 rad from the pole the slope of the arcsine is 1000: values have 1e-13, rates 1e-10 (1e-16 / 1e-6), their
    differences over h = 1e-3 s 1e-7 of the two terms of the bias, about 10, that nearly cancel."""
    q, v = _state_with_turn(np.array([0.0, math.pi / 2 - 1e-3, 0.0]), 2)  # z of b nearly along x of a
    table = SPACE.table([tilt(SPACE.markers["a"], SPACE.markers["b"], "x", "z")])
    v = 0.1 * v
    found, _ = table.evaluate(q, v)
    h = 1e-3
    for level, tolerance in ((0, 1e-8), (1, 1e-6)):
        near, far = (
            [table.evaluate(SPACE.stepped(q, side * s * v), v)[0][0, level] for side in (1.0, -1.0)]
            for s in (0.5 * h, h)
        )
        fine, coarse = (near[0] - near[1]) / h, (far[0] - far[1]) / (2.0 * h)
        assert (4.0 * fine - coarse) / 3.0 == pytest.approx(found[0, level + 1], abs=tolerance)


def test_angle_counts_turns_from_its_reference():
    """Ten turns about any axis in steps of a third of a turn."""
    for axis in np.eye(3):
        q, v = SPACE.system.start.copy(), SPACE.system.speeds()
        about = AXES[int(np.argmax(axis))]
        zero, of = (k for k in AXES if k != about)
        sign = {"xyz": 1.0, "yxz": -1.0, "zxy": 1.0}[about + zero + of]
        ground, body = SPACE.model.ground.at(), SPACE.model["a"].at()
        table = SPACE.table([angle(ground, body, about, zero, of)])
        previous, turns = 0.5 * sign * math.pi, np.arange(0.0, 10.0 * TURN, TURN / 3.0)
        for turned in turns:
            q[10:14] = rotation.from_axis_angle(axis, turned)
            previous = table.evaluate(q, v, [previous])[0][0, 0]
            assert previous == pytest.approx(turned + 0.5 * sign * math.pi, abs=1e-12)
