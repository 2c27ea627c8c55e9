"""Angles of space over many turns: driven, held, read, on coarse grids, backwards, and from a later start.

The position of a body knows no turns; they are followed. A driver or hold says on which turn a mechanism starts.
"""

import math

import numpy as np
import pytest

from cardan import assemble, kinematics
from cardan.spatial import (
    Body,
    Coupler,
    Driver,
    Gear,
    Harmonic,
    Hold,
    Model,
    Parallel,
    Ramp,
    Revolute,
    Screw,
    Universal,
    angle,
    bearing,
    rotation,
)

TURN = 2.0 * math.pi
AXIS = (0.3, -0.5, 1.0)


def wheel(motion, **stated):
    model = Model("wheel")
    body = model.add(Body(**stated), name="body")
    p = rotation.from_axes(z=AXIS)
    hinge = model.add(Revolute(model.ground.at(orientation=p), body.at(orientation=p)), name="hinge")
    model.add(Driver(hinge.angle, motion), name="motor")
    return model, hinge


@pytest.mark.parametrize("points", [2, 3, 5, 11, 101])
@pytest.mark.parametrize("rate", [40.0, -40.0, 3.0 * TURN, -10.0 * TURN])
def test_driven_angle_on_any_grid(rate, points):
    """Up to ten turns between two instants. 1e-11 closes; angles of 60 rad lose two digits."""
    model, hinge = wheel(Ramp(rate, start=0.4))
    times = np.linspace(0.0, 1.0, points)
    run = kinematics(model, times)
    assert np.abs(run[hinge.angle].value - 0.4 - rate * times).max() < 1e-10
    assert run.violations().max() < 1e-10
    exact = rotation.from_axis_angle(np.array(AXIS) / np.linalg.norm(AXIS), 0.4 + rate * times[-1])
    assert np.abs(run["body"].matrix[-1] - rotation.matrix(exact)).max() < 1e-10


@pytest.mark.parametrize("value", [7.0, -7.0, 3.0, math.pi, -math.pi, 4.0 * TURN, 50.0, 0.0])
@pytest.mark.parametrize("stated", [0.0, 0.5])
def test_hold_on_any_turn(value, stated):
    """The hold decides the turn; the estimate may be any turn away, and half a turn off."""
    model, hinge = wheel(value, orientation=rotation.from_axis_angle(AXIS, stated))
    found = assemble(model)
    assert found["hinge"].angle.value == pytest.approx(value, abs=1e-10)
    exact = rotation.matrix(rotation.from_axis_angle(np.array(AXIS), value))
    assert np.abs(found["body"].matrix - exact).max() < 1e-10
    held = Model("held")
    body = held.add(Body(), name="body")
    joint = held.add(Revolute(held.ground.at(z=AXIS), body.at(z=AXIS)), name="hinge")
    held.add(Hold(joint.angle, value), name="hold")
    assert np.abs(kinematics(held, [0.0])["body"].matrix[0] - exact).max() < 1e-10


def test_swinging_over_several_turns_and_back():
    model, hinge = wheel(Harmonic(25.0, 3.0, offset=2.0))
    times = np.linspace(0.0, 4.0, 41)
    run = kinematics(model, times)
    assert np.abs(run[hinge.angle].value - 2.0 - 25.0 * np.sin(3.0 * times)).max() < 1e-9


@pytest.mark.parametrize("points", [2, 6, 31])
def test_angles_that_are_only_read(points):
    """A measure that no equation uses is followed through the same motion: another zero, the other way round, and the
    bearing of a point of the wheel. On the instants asked for alone nobody could count turns."""
    model, hinge = wheel(Ramp(40.0))
    body, ground = model["body"], model.ground
    p = rotation.from_axes(z=AXIS)
    back = angle(body.at(orientation=p), ground.at(orientation=p))
    pointed = bearing(ground.at(orientation=p), body.at(rotation.rotate(p, np.array([0.3, 0.0, 0.1]))))
    times = np.linspace(0.0, 1.0, points)
    run = kinematics(model, times)
    for measure, sign in ((hinge.angle, 1.0), (back, -1.0), (pointed, 1.0)):
        off = run[measure].value - sign * 40.0 * times
        assert np.abs(np.mod(off + math.pi, TURN) - math.pi).max() < 1e-10  # on some turn, always
        if points == 31:  # a fifth of a turn between instants: no turn is lost
            assert np.abs(off).max() < 1e-10
        assert np.abs(run[measure].rate - sign * 40.0).max() < 1e-8


@pytest.mark.parametrize("points", [2, 6, 61])
def test_angle_of_a_joint_that_is_not_driven(points):
    """The far end of a Cardan joint, several turns: tan(theta_2) = cos(phi) tan(theta_1), both on the same turn. Its
    bearing's angle is not a part of any equation but is offered by a joint of the model."""
    model, bend = Model("joint"), 0.7
    out = (0.0, -math.sin(bend), math.cos(bend))
    driving = model.add(Body(), name="driving")
    driven = model.add(Body(orientation=rotation.from_axes(z=out, x=(1, 0, 0))), name="driven")
    hinge = model.add(Revolute(model.ground.at(), driving.at()), name="hinge")
    bearing_ = model.add(Parallel(model.ground.at(z=out, x=(1, 0, 0)), driven.at()), name="bearing")
    model.add(Universal(driving.at(z=(1, 0, 0)), driven.at(z=(0, 1, 0))), name="cross")
    model.add(Driver(hinge.angle, Ramp(30.0)), name="motor")
    times = np.linspace(0.0, 1.0, points)
    c, theta = math.cos(bend), 30.0 * times
    exact = theta + np.arctan2((c - 1.0) * np.tan(theta), 1.0 + c * np.tan(theta) ** 2)
    off = kinematics(model, times)[bearing_.angle].value - exact
    assert np.abs(np.mod(off + math.pi, TURN) - math.pi).max() < 1e-9
    if points == 61:
        assert np.abs(off).max() < 1e-9


def threads(**stated):
    """A screw whose travel must follow the counted angle, a gear pair and a coupled wheel."""
    model = Model("counting")
    names = ("wheel", "nut", "pinion", "third")
    places = ((0, 0, 0), (0, 0, 0), (0.5, 0, 0), (0, 1, 0))
    wheel_, nut, pinion, third = (model.add(Body(position=r), name=n) for n, r in zip(names, places, strict=True))
    ground = model.ground
    main = model.add(Revolute(ground.at(), wheel_.at()), name="main")
    model.add(Driver(main.angle, Ramp(35.0)), name="motor")
    screw = model.add(Screw(wheel_.at(), nut.at(), pitch=0.1, **stated), name="screw")
    model.add(Hold(angle(ground.at(), nut.at()), 0.0), name="key")
    model.add(Revolute(ground.at(0.5, 0, 0), pinion.at()), name="side")
    model.add(Gear(wheel_.at(), pinion.at(), radius_a=0.3, radius_b=0.2, angle_a=0.0, angle_b=math.pi), name="mesh")
    last = model.add(Revolute(ground.at(0, 1, 0, z=AXIS), third.at(z=AXIS)), name="last")
    model.add(Coupler(last.angle - 0.4 * main.angle, 0.0), name="chain")
    return model, screw, last


@pytest.mark.parametrize("points", [2, 9, 81])
def test_counted_turns_move_things(points):
    """35 rad of the wheel: the nut, kept from turning, travels by 0.1 m for each turn, the pinion turns by -1.5 times
    as much, the third wheel by 0.4 times. Here a lost turn would be seen in the positions."""
    model, screw, last = threads()
    times = np.linspace(0.0, 1.0, points)
    run = kinematics(model, times)
    assert np.abs(run["nut"].position[:, 2] + 0.1 * 35.0 * times / TURN).max() < 1e-10
    spin = np.stack([np.cos(52.5 * times), -np.sin(52.5 * times)], axis=1)
    assert np.abs(run["pinion"].matrix[:, :2, 0] - spin).max() < 1e-9
    exact = rotation.matrix(
        rotation.from_rotation_vector((14.0 * times)[:, None] * np.array(AXIS) / np.linalg.norm(AXIS))
    )
    assert np.abs(run["third"].matrix - exact).max() < 1e-9


@pytest.mark.parametrize("later", [0.25, 0.5, 0.9])
def test_start_from_a_later_snapshot(later):
    """Goes on as if it had never stopped, turns included: the nut is not screwed back and the chain does not slip."""
    model, screw, last = threads(start_angle=0.0)
    times = np.linspace(0.0, 1.0, 21)
    whole = kinematics(model, times)
    rest = times[times >= later]
    second = kinematics(model, rest, start=whole.at(rest[0]))
    assert np.abs(whole.q[-rest.size :] - second.q).max() < 1e-9
    assert np.abs(second[screw.travel].value - whole[screw.travel].value[-rest.size :]).max() < 1e-9
    assert second.violations().max() < 1e-9


def test_start_from_a_snapshot_between_instants():
    """An interpolated snapshot is a good estimate, and knows its turns."""
    model, screw, _ = threads()
    whole = kinematics(model, np.linspace(0.0, 1.0, 81))
    second = kinematics(model, [0.613, 1.0], start=whole.at(0.613))
    assert second["nut"].position[:, 2] == pytest.approx(-0.1 * 35.0 * np.array([0.613, 1.0]) / TURN, abs=1e-6)


def test_start_of_the_driver_on_a_far_turn():
    """A driver that starts at 100 rad: the mechanism is assembled on that turn, and what is coupled to it follows."""
    model = Model("far")
    one, two = model.add(Body(), name="one"), model.add(Body(position=(1, 0, 0)), name="two")
    first = model.add(Revolute(model.ground.at(), one.at()), name="first")
    second = model.add(Revolute(model.ground.at(1, 0, 0), two.at()), name="second")
    model.add(Driver(first.angle, Ramp(5.0, start=100.0)), name="motor")
    model.add(Coupler(second.angle - first.angle, 0.0), name="tie")
    run = kinematics(model, np.linspace(0.0, 1.0, 5))
    assert np.abs(run[first.angle].value - 100.0 - 5.0 * run.times).max() < 1e-10
    assert np.abs(run["one"].matrix - run["two"].matrix).max() < 1e-9
