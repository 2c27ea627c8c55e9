"""inverse_kinematics(): closed forms, forward kinematics, limits, closed loops, paths."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from cardan import AssemblyError, ModelError, SimulationError, assemble, inverse_kinematics, kinematics
from cardan.analysis.task_space.target_rows import TargetRows
from cardan.planar import Body, Driver, Model, Revolute, angle, x, y
from cardan.spatial import (
    Body as SpatialBody,
    Model as SpatialModel,
    Revolute as SpatialRevolute,
    length as distance,
    rotation_component,
    x as spatial_x,
    y as spatial_y,
    z as spatial_z,
)


def _chain(lengths: list[float], angles: list[float]) -> tuple[Model, list[Revolute], object]:
    """A planar arm, at the given absolute angles of its links."""
    model, end, place, joints = Model("arm"), None, np.zeros(2), []
    marker = model.ground.at()
    for k, (length, turn) in enumerate(zip(lengths, angles, strict=True)):
        link = model.add(Body(position=tuple(place), angle=turn), name=f"link {k}")
        joints.append(model.add(Revolute(marker, link.at()), name=f"joint {k}"))
        marker = end = link.at(length, 0)
        place = place + length * np.array([math.cos(turn), math.sin(turn)])
    return model, joints, end


def _two_link(px: float, py: float, a: float, b: float, sign: float) -> tuple[float, float]:
    """cos q2 = (p^2 - a^2 - b^2) / (2 a b),  q1 = atan2(p) - atan2(b sin q2, a + b cos q2) (Siciliano 2.12.1)."""
    q2 = sign * math.acos((px**2 + py**2 - a**2 - b**2) / (2 * a * b))
    return math.atan2(py, px) - math.atan2(b * math.sin(q2), a + b * math.cos(q2)), q2


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("target", [(1.1, 0.7), (-0.4, 1.2), (0.3, -0.9)])
def test_two_links_agree_with_the_closed_form(sign: float, target: tuple[float, float]) -> None:
    """The elbow stays on the side on which it starts."""
    q1, q2 = _two_link(*target, 1.0, 0.8, sign)
    model, (shoulder, elbow), hand = _chain([1.0, 0.8], [q1 + 0.2, q1 + q2 + 0.1])
    found = inverse_kinematics(model, {x(hand): target[0], y(hand): target[1]})
    assert found[shoulder.angle].value == pytest.approx(q1, abs=1e-9)
    assert found[elbow.angle].value == pytest.approx(q2, abs=1e-9)
    assert found.violation < 1e-10


def test_a_path_does_not_jump_and_agrees_with_the_closed_form() -> None:
    """A circle about the base, one and a half turns: the shoulder counts them; the elbow never flips."""
    turns = np.linspace(0.0, 3.0 * math.pi, 40)
    model, (shoulder, elbow), hand = _chain([1.0, 0.8], [-0.5, 0.7])
    run = inverse_kinematics(model, {x(hand): 1.2 * np.cos(turns), y(hand): 1.2 * np.sin(turns)}, times=turns)
    first, bend = _two_link(1.2, 0.0, 1.0, 0.8, 1.0)
    np.testing.assert_allclose(run[elbow.angle].value, bend, atol=1e-9)
    np.testing.assert_allclose(run[shoulder.angle].value, first + turns, atol=1e-9)
    assert run.times.tolist() == turns.tolist() and not run.moves


def test_a_coarse_path_is_divided() -> None:
    """Two positions a third of a turn apart, through which a direct search could flip the elbow."""
    model, (_, elbow), hand = _chain([1.0, 0.8], [-0.5, 0.7])
    run = inverse_kinematics(model, {x(hand): [1.2, -0.6], y(hand): [0.0, 1.04]})
    assert (run[elbow.angle].value > 0.1).all()
    np.testing.assert_allclose(run[hand].position, [[1.2, 0.0], [-0.6, 1.04]], atol=1e-9)


def test_a_redundant_arm_within_limits() -> None:
    """Five links: without limits a joint passes 0.9 rad; with them all stay within, and the hand still arrives."""
    model, joints, hand = _chain([0.5] * 5, [0.9, 0.5, 0.1, -0.3, -0.7])
    targets = {x(hand): 0.9, y(hand): 1.3, angle(model.ground.at(), hand): 1.5}
    free = inverse_kinematics(model, targets)
    limits = {joint.angle: (-0.9, 0.9) for joint in joints[1:]}
    values = np.array([free[joint.angle].value for joint in joints[1:]])
    assert np.abs(values).max() > 0.95  # so the limits matter
    found = inverse_kinematics(model, targets, limits=limits)
    for joint in joints[1:]:
        assert -0.9 - 1e-8 <= found[joint.angle].value <= 0.9 + 1e-8
    for measure, value in targets.items():
        assert found[measure].value == pytest.approx(value, abs=1e-9)
    # forward kinematics with the angles found, by hand
    at = np.cumsum([found[joint.angle].value for joint in joints])
    assert 0.5 * np.cos(at).sum() == pytest.approx(0.9, abs=1e-9)
    assert 0.5 * np.sin(at).sum() == pytest.approx(1.3, abs=1e-9)


def test_a_closed_loop() -> None:
    """A five-bar: cranks of 1 on pivots 1.5 apart, links of 1.6. The cranks follow from two circles each."""
    model = Model("five-bar")
    left = model.add(Body(angle=2.2), name="left")
    right = model.add(Body(position=(1.5, 0), angle=0.9), name="right")
    one = model.add(Body(position=(-0.6, 0.8), angle=0.5), name="one")
    two = model.add(Body(position=(2.1, 0.8), angle=2.6), name="two")
    a = model.add(Revolute(model.ground.at(), left.at()), name="a")
    b = model.add(Revolute(model.ground.at(1.5, 0), right.at()), name="b")
    model.add(Revolute(left.at(1, 0), one.at()), name="c")
    model.add(Revolute(right.at(1, 0), two.at()), name="d")
    model.add(Revolute(one.at(1.6, 0), two.at(1.6, 0)), name="e")
    hand = one.at(1.6, 0)
    found = inverse_kinematics(model, {x(hand): 0.8, y(hand): 1.7})

    def crank(base: float, side: float) -> float:
        dx, dy = 0.8 - base, 1.7
        r = math.hypot(dx, dy)
        return math.atan2(dy, dx) + side * math.acos((1.0 + r**2 - 1.6**2) / (2.0 * r))

    assert found[a.angle].value == pytest.approx(crank(0.0, 1.0), abs=1e-9)
    assert found[b.angle].value == pytest.approx(crank(1.5, -1.0), abs=1e-9)
    # forward: driven by these angles, the hand is there
    model.add(Driver(a.angle, found[a.angle].value), name="first")
    model.add(Driver(b.angle, found[b.angle].value), name="second")
    run = kinematics(model, [0.0, 1.0], start=None)
    np.testing.assert_allclose(run[hand].position[0], [0.8, 1.7], atol=1e-9)


def test_a_stewart_platform_from_the_lengths_of_its_legs() -> None:
    """Any measure is a target: six lengths determine the pose from which they were computed."""
    base = [(math.cos(t), math.sin(t), 0.0) for t in (0.2, 1.9, 2.3, 4.0, 4.4, 6.1)]
    top = [(0.5 * math.cos(t), 0.5 * math.sin(t), 0.0) for t in (0.8, 1.3, 2.9, 3.4, 5.0, 5.5)]
    tilt, shift = 0.2, np.array([0.1, -0.05, 1.1])
    turn = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    model = SpatialModel("platform")
    plate = model.add(SpatialBody(position=(0, 0, 1)), name="plate")
    legs = [distance(model.ground.at(*b), plate.at(*p)) for b, p in zip(base, top, strict=True)]
    wanted = [float(np.linalg.norm(shift + turn @ np.array(p) - b)) for b, p in zip(base, top, strict=True)]
    found = inverse_kinematics(model, dict(zip(legs, wanted, strict=True)))
    np.testing.assert_allclose(found[plate].position, shift, atol=1e-9)
    np.testing.assert_allclose(found[plate.at(0, 1, 0)].position - found[plate].position, turn[:, 1], atol=1e-9)


def test_a_seven_axis_arm_reaches_poses_within_limits() -> None:
    """Axes z and y in turn: reachable poses from random angles are found again, not necessarily with these angles."""
    model = SpatialModel("arm")
    body, place, joints, height = model.ground, 0.0, [], 0.0
    for k, (axis, length) in enumerate(zip("zyzyzyz", (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126), strict=True)):
        link = model.add(SpatialBody(position=(0, 0, height)), name=f"link {k}")
        along = (0, 0, 1) if axis == "z" else (0, 1, 0)
        joints.append(model.add(SpatialRevolute(body.at(0, 0, place, z=along), link.at(z=along)), name=f"joint {k}"))
        body, place, height = link, length, height + length
    hand = body.at(0, 0, place)
    start = assemble(model, drivers=False)
    random = np.random.default_rng(2)
    turned = {joint.angle: float(v) for joint, v in zip(joints, random.uniform(0.2, 0.9, 7), strict=True)}
    pose = inverse_kinematics(model, turned, start=start)
    reached = pose[hand].position
    measures = [spatial_x(hand), spatial_y(hand), spatial_z(hand)]
    spins = [rotation_component(model.ground.at(), hand, axis) for axis in "xyz"]
    targets = dict(zip(measures, reached.tolist(), strict=True)) | {m: pose[m].value for m in spins}
    bent = inverse_kinematics(model, {joint.angle: 0.4 for joint in joints}, start=start)
    limits = {joint.angle: (-2.0, 2.0) for joint in joints}
    found = inverse_kinematics(model, targets, start=bent, limits=limits)
    np.testing.assert_allclose(found[hand].position, reached, atol=1e-9)
    for m in spins:
        assert found[m].value == pytest.approx(targets[m], abs=1e-9)
    assert all(abs(found[joint.angle].value) <= 2.0 + 1e-8 for joint in joints)


def test_targets_out_of_reach_are_named_with_their_deviation() -> None:
    model, _, hand = _chain([1.0, 1.0], [0.3, 0.5])
    with pytest.raises(AssemblyError, match=r"arm' does not reach its targets.*off by 1 m"):
        inverse_kinematics(model, {x(hand): 3.0, y(hand): 0.0})
    with pytest.raises(SimulationError, match="cannot continue from t = 1 to 2") as caught:
        inverse_kinematics(model, {x(hand): [1.5, 1.9, 2.5], y(hand): 0.0})
    assert len(caught.value.partial) == 2
    model, joints, hand = _chain([1.0, 1.0], [0.3, 0.5])
    with pytest.raises(AssemblyError, match="limit"):
        inverse_kinematics(model, {x(hand): 0.2, y(hand): 0.0}, limits={joints[1].angle: (-1.0, 1.0)})


def test_another_configuration_is_tried_if_limits_exclude_the_near_one() -> None:
    q1, q2 = _two_link(1.1, 0.7, 1.0, 0.8, 1.0)
    model, (_, elbow), hand = _chain([1.0, 0.8], [q1, q1 + q2])
    found = inverse_kinematics(model, {x(hand): 1.1, y(hand): 0.7}, limits={elbow.angle: (None, 0.0)})
    assert found[elbow.angle].value == pytest.approx(-q2, abs=1e-9)


def test_positions_do_not_depend_on_the_coordinates_in_which_they_are_sought(monkeypatch) -> None:
    """A six-axis arm has one solution near each target: the compiled loop finds that of the Cartesian search."""
    model, joints, start, targets = _six_axes()
    fast = inverse_kinematics(model, targets, start=start)
    monkeypatch.setattr(TargetRows, "follow", lambda self, values, positions, turns, path, first: first)
    slow = inverse_kinematics(model, targets, start=start)
    for joint in joints:
        np.testing.assert_allclose(fast[joint.angle].value, slow[joint.angle].value, atol=1e-8)
    for measure, values in targets.items():
        np.testing.assert_allclose(fast[measure].value, values, atol=1e-9)


def _six_axes() -> tuple[SpatialModel, list[SpatialRevolute], Any, dict]:
    """An arm with six axes, and a path of its hand that its own joints make."""
    model, place, joints, height = SpatialModel("arm"), 0.0, [], 0.0
    body: Any = model.ground
    for k, (axis, length) in enumerate(zip("zyyzyz", (0.3, 0.4, 0.3, 0.1, 0.1, 0.1), strict=True)):
        link = model.add(SpatialBody(position=(0, 0, height)), name=f"link {k}")
        along = (0, 0, 1) if axis == "z" else (0, 1, 0)
        joints.append(model.add(SpatialRevolute(body.at(0, 0, place, z=along), link.at(z=along)), name=f"joint {k}"))
        body, place, height = link, length, height + length
    hand, steps = body.at(0, 0, place), np.linspace(0.0, 1.0, 60)
    turned = {joint.angle: 0.4 + 0.3 * np.sin(3.0 * steps + k) for k, joint in enumerate(joints)}
    made = inverse_kinematics(model, turned)
    measures = [spatial_x(hand), spatial_y(hand), spatial_z(hand)]
    measures += [rotation_component(model.ground.at(), hand, axis) for axis in "xyz"]
    first = {measure: float(values[0]) for measure, values in turned.items()}
    return model, joints, inverse_kinematics(model, first), {m: made[m].value for m in measures}


def test_independent_targets_do_not_depend_on_their_order() -> None:
    """With path=False every position is the one that is nearest to the first, also of a redundant arm."""
    model, joints, hand = _chain([0.5] * 5, [0.9, 0.5, 0.1, -0.3, -0.7])
    random = np.random.default_rng(1)
    px, py = 1.2 + 0.4 * random.uniform(-1, 1, 40), 0.8 + 0.4 * random.uniform(-1, 1, 40)
    one = inverse_kinematics(model, {x(hand): px, y(hand): py}, path=False)
    order = np.concatenate([[0], 1 + random.permutation(39)])
    other = inverse_kinematics(model, {x(hand): px[order], y(hand): py[order]}, path=False)
    for joint in joints:
        np.testing.assert_allclose(other[joint.angle].value, one[joint.angle].value[order], atol=1e-9)
    along = inverse_kinematics(model, {x(hand): px, y(hand): py})
    assert (
        max(np.abs(along[j.angle].value - one[j.angle].value).max() for j in joints) > 0.01
    )  # which a path differs from
    with pytest.raises(AssemblyError, match="at t = 2.*off by"):
        inverse_kinematics(model, {x(hand): [1.0, 1.1, 9.0], y(hand): 0.5}, path=False)


def test_independent_targets_do_not_change_signs_of_others() -> None:
    """Euler parameters have the signs of the way from the first position, also behind a target more than pi away."""
    model = SpatialModel("crank")
    crank = model.add(SpatialBody(), name="crank")
    hinge = model.add(SpatialRevolute(model.ground.at(), crank.at()), name="hinge")
    turned = np.array([0.0, 4.0, 1.0, -5.0, 1.0, 4.0])
    run = inverse_kinematics(model, {hinge.angle: turned}, path=False)
    expected = np.column_stack([np.cos(0.5 * turned), *np.zeros((2, 6)), np.sin(0.5 * turned)])
    np.testing.assert_allclose(run.q[:, -4:], expected, atol=1e-10)


def test_limits_along_a_path_act_and_let_go() -> None:
    """A redundant arm out and back: the elbow is held at its limit where it would pass it, and is free again after."""
    model, joints, hand = _chain([0.6] * 4, [0.9, 0.4, -0.1, -0.6])
    way = np.concatenate([np.linspace(2.0, 1.2, 50), np.linspace(1.2, 2.0, 50)])
    free = inverse_kinematics(model, {x(hand): way, y(hand): 0.5})
    worst = min(joints[1:], key=lambda joint: float(free[joint.angle].value.min()))
    low = float(free[worst.angle].value.min()) + 0.15
    run = inverse_kinematics(model, {x(hand): way, y(hand): 0.5}, limits={worst.angle: (low, 3.0)})
    held = run[worst.angle].value
    assert held.min() >= low - 1e-8
    np.testing.assert_allclose(run[hand].position, np.column_stack([way, np.full(100, 0.5)]), atol=1e-9)
    acts = np.abs(held - low) < 1e-8
    assert acts.any() and not acts[:5].any() and not acts[-1]
    assert np.abs(np.diff(held)).max() < 0.2  # no jump where it sets in or ends


def test_wrong_use_is_rejected_by_name() -> None:
    model, joints, hand = _chain([1.0, 1.0], [0.3, 0.5])
    other, _, foreign = _chain([1.0], [0.3])
    for targets, options, message in (
        ({}, {}, "no targets"),
        ({x(hand): "far"}, {}, "must be a number|target"),
        ({"hand": 1.0}, {}, "must be a measure"),
        ({x(hand): [1.0, 2.0], y(hand): [1.0, 2.0, 3.0]}, {}, "needs as many of each"),
        ({x(hand): 1.0}, {"limits": {joints[0].angle: (1.0, 0.0)}}, "must rise"),
        ({x(hand): 1.0}, {"times": [0.0]}, "no times"),
        ({x(foreign): 1.0}, {}, "not part of model 'arm'"),
    ):
        with pytest.raises(ModelError, match=message):
            inverse_kinematics(model, targets, **options)
    assert list(itertools.islice(other.bodies, 1))
