"""Calls for one state agree with those for many, and with closed forms of the terms; wrong states are still named."""

from __future__ import annotations

import numpy as np
import pytest

from cardan import ModelError, joint_space, planar
from cardan.analysis.joint.single_calls import MAX_KEPT_MARKERS
from cardan.spatial import Body, Cylindrical, Model, Revolute, Spherical, Spring, Translational, length


def _mixed(forced: bool) -> Model:
    """Joints of every kind: a ball, a hinge, a guide, a cylinder with two coordinates, and a body that floats."""
    model = Model("mixed", gravity=(1.0, -2.0, -9.81))
    bodies = []
    for k in range(5):
        body = Body(mass=1.0 + k, inertia=(0.2, 0.3, 0.4), center=(0.1, 0.2, -0.1), position=(k, 0.2 * k, 0.0))
        bodies.append(model.add(body, name=f"b{k}"))
    model.add(Spherical(model.ground.at(), bodies[0].at()), name="ball")
    hinge = model.add(Revolute(bodies[0].at(1, 0.2, 0, z=(1, 1, 0)), bodies[1].at(z=(1, 1, 0))), name="hinge")
    model.add(Translational(bodies[1].at(1, 0.2, 0), bodies[2].at()), name="guide")
    model.add(Cylindrical(bodies[2].at(1, 0.2, 0, z=(0, 1, 0)), bodies[3].at(z=(0, 1, 0))), name="bush")
    if forced:
        model.add(Spring(hinge.angle, 3.0, damping=0.5, rest_angle=0.1), name="spring")
        rope = length(model.ground.at(0, 3, 0), bodies[4].at(0.1, 0, 0))
        model.add(Spring(rope, 20.0, rest_length=1.0), name="rope")
    return model


def _planar() -> planar.Model:
    model = planar.Model("planar", gravity=(0, -9.81))
    arm = model.add(planar.Body(mass=2.0, inertia=0.3, center=(0.4, 0.1)), name="arm")
    sled = model.add(planar.Body(mass=1.0, inertia=0.1, position=(1, 0)), name="sled")
    model.add(planar.Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(planar.Translational(arm.at(1, 0), sled.at()), name="guide")
    return model


@pytest.mark.parametrize("model", [_mixed(False), _mixed(True), _planar()], ids=["free", "forced", "planar"])
def test_one_state_agrees_with_many(model) -> None:
    """The same sums in the same order: equal to the last bits that contraction to fused operations leaves."""
    space, random = joint_space(model), np.random.default_rng(4)
    n = len(space.speeds)
    q = np.stack([space.moved(space.q, 0.7 * random.standard_normal(n)) for _ in range(3)])
    v, a = random.standard_normal((2, 3, n))
    tip = list(model.bodies)[-2].at(*((0.3, -0.2) if len(model.gravity) == 2 else (0.3, -0.2, 0.5)))
    calls = {
        "torques": lambda *s: space.torques(*s),
        "accelerations": lambda *s: space.accelerations(*s),
        "unforced": lambda q, v, a: space.accelerations(q, v),
        "mass": lambda q, v, a: space.mass_matrix(q),
        "gravity": lambda q, v, a: space.gravity(q),
        "bias": lambda q, v, a: space.bias(q, v),
        "J": lambda q, v, a: space.jacobian(tip, q, rotation=True),
        "J of the point": lambda q, v, a: space.jacobian(tip, q),
    }
    for name, call in calls.items():
        many = call(q, v, a)
        for k in (0, 1, 2, 0):  # and again: nothing is left over from the state before
            one = call(q[k], v[k], a[k])
            assert one.shape == many[k].shape
            assert np.abs(one - many[k]).max() <= 1e-13 * np.abs(many[k]).max(), name
            one[...] = np.nan  # the caller's own


def test_torques_undo_accelerations() -> None:
    """tau(q, v, a(q, v, tau)) = tau, and M a + b + g - B^T f = tau."""
    space, random = joint_space(_mixed(True)), np.random.default_rng(5)
    n = len(space.speeds)
    q, v, tau = space.moved(space.q, 0.5 * random.standard_normal(n)), *random.standard_normal((2, n))
    a = space.accelerations(q, v, tau)
    assert space.torques(q, v, a) == pytest.approx(tau, abs=1e-11)
    whole = space.mass_matrix(q) @ a + space.bias(q, v) + space.gravity(q) - space.applied(q, v)
    assert whole == pytest.approx(tau, abs=1e-11)


def test_forces_of_elements_do_positive_work_along_their_own_motion() -> None:
    """B^T f v is the power of the springs, -d/dt of their energy at zero damping, by differences along the motion."""
    model = _mixed(True)
    space, random = joint_space(model), np.random.default_rng(6)
    n, h = len(space.speeds), 1e-5
    q, v = space.moved(space.q, 0.3 * random.standard_normal(n)), random.standard_normal(n)
    elastic = space.applied(q, 0.0 * v)
    energies = [
        space.potential_energy(space.moved(q, side * h * v)) - _weight(space, space.moved(q, side * h * v))
        for side in (1.0, -1.0)
    ]
    assert elastic @ v == pytest.approx(-(energies[0] - energies[1]) / (2.0 * h), rel=1e-7)


def _weight(space, q) -> float:
    """-m g . r of all bodies."""
    shot = space.snapshot(q)
    return -sum(
        b.mass * np.dot(space.system.model.gravity, shot[b.at(*b.center)].position) for b in space.system.bodies
    )


def test_markers_made_for_each_call_do_not_pile_up() -> None:
    """Jacobians of many markers at two states: those kept and those that are not agree with rows of states."""
    space, random = joint_space(_mixed(False)), np.random.default_rng(7)
    body = list(space.system.bodies)[-2]
    q = np.stack([space.moved(space.q, random.standard_normal(len(space.speeds))) for _ in range(2)])
    for _ in range(MAX_KEPT_MARKERS + 20):
        tip = body.at(*random.standard_normal(3))
        many = space.jacobian(tip, q)
        for k in (0, 1):
            assert np.abs(space.jacobian(tip, q[k]) - many[k]).max() <= 1e-13 * np.abs(many[k]).max()
    assert len(space._own.single._points) == MAX_KEPT_MARKERS


def test_wrong_states_are_named() -> None:
    space = joint_space(_planar())
    fine, bad = np.zeros(2), np.array([0.0, np.nan])
    for call in (
        lambda: space.mass_matrix(bad),
        lambda: space.gravity(bad),
        lambda: space.bias(fine, bad),
        lambda: space.torques(fine, bad, fine),
        lambda: space.accelerations(fine, fine, bad),
    ):
        with pytest.raises(ModelError, match="of 'planar' must be finite"):
            call()
    with pytest.raises(ModelError, match="must have 2 numbers"):
        space.torques(fine, fine, np.zeros(3))
    for strange in ("ab", {"a": 1}, [[1, 2], [3]], np.array([1j, 0.0]), [1j, 0.0], np.array(["0", "1"])):
        for call, given in (
            (space.mass_matrix, (strange,)),
            (space.accelerations, (fine, strange)),
            (space.torques, (fine, fine, strange)),
        ):
            with pytest.raises(ModelError, match="of 'planar' must have 2 numbers, or rows of 2, got "):
                call(*given)
    assert repr(space) == "<joint space of 'planar': 2 coordinates, 2 speeds, 0 equations>"
    assert space.mass_matrix([0, 0]).shape == (2, 2)  # lists and whole numbers, as before
