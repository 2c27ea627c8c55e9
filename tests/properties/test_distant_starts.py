"""Mechanisms that begin far from where they are stated: bodies turn as far as they have to, in plane and space."""

import math

import numpy as np
import pytest

import cardan.planar as flat
from cardan import assemble, kinematics
from cardan.spatial import Body, Driver, Gear, Model, Ramp, Revolute, Screw, lift

TURN = 2.0 * math.pi


@pytest.mark.parametrize("start", [0.5, 1.5, 2.0, 4.0, 10.0, 100.0])
def test_gears_with_reference_angles(start):
    """Radii 2 and 1: while a turns by phi, b turns by -2 phi; at phi = 0 the stated angles 0 and pi meet."""
    model = Model("gears")
    a, b = model.add(Body(), name="a"), model.add(Body(position=(3, 0, 0)), name="b")
    hinge = model.add(Revolute(model.ground.at(), a.at()), name="A")
    model.add(Revolute(model.ground.at(3, 0, 0), b.at()), name="B")
    model.add(Gear(a.at(), b.at(), 2.0, 1.0, angle_a=0.0, angle_b=math.pi), name="mesh")
    model.add(Driver(hinge.angle, Ramp(1.0, start=start)), name="motor")
    run = kinematics(model, [0.0, 0.5])
    angles = start + run.times
    exact = np.stack([np.cos(-2.0 * angles), np.sin(-2.0 * angles)], axis=1)
    assert np.abs(run["b"].matrix[:, :2, 0] - exact).max() < 1e-9


@pytest.mark.parametrize("travel", [0.002, 0.006, 0.05, -0.031])
def test_screw_driven_along(travel):
    """The nut, stated at 0, begins several turns away; travel = pitch angle / (2 pi), whatever the turn."""
    model, screw = thread()
    model.add(Driver(screw.travel, Ramp(0.01, start=travel)), name="push")
    run = kinematics(model, [0.0, 1.0])
    assert run[screw.angle].value == pytest.approx((travel + 0.01 * run.times) * TURN / 0.01, abs=1e-9)


@pytest.mark.parametrize("angle", [1.0, 5.0, 20.0 * math.pi])
def test_screw_driven_round(angle):
    model, screw = thread()
    model.add(Driver(screw.angle, Ramp(1.0, start=angle)), name="turn")
    assert assemble(model)[screw.travel].value == pytest.approx(0.01 * angle / TURN, abs=1e-11)


def thread():
    model = Model("jack")
    nut = model.add(Body(), name="nut")
    return model, model.add(Screw(model.ground.at(), nut.at(), pitch=0.01, start_angle=0.0), name="thread")


@pytest.mark.parametrize("start", [0.05, 0.35, 1.3])
@pytest.mark.parametrize("kind", ["rack", "coupler"])
def test_lifted_models_begin_where_planar_ones_do(start, kind):
    """A pinion that must roll off several radians from its estimate, and a slider tied to a wheel."""
    model = flat.Model("rolling")
    wheel = model.add(flat.Body(position=(0.0, 0.1)), name="wheel")
    if kind == "rack":
        model.add(flat.RackPinion(model.ground.at(), wheel.at(), radius=0.1, contact=0.0), name="rack")
        model.add(flat.Driver(flat.x(wheel.at()), flat.Ramp(1.0, start=start)), name="motor")
    else:
        hinge = model.add(flat.Revolute(model.ground.at(0.0, 0.1), wheel.at()), name="hinge")
        slider = model.add(flat.Body(), name="slider")
        guide = model.add(flat.Translational(model.ground.at(), slider.at()), name="guide")
        model.add(flat.Coupler(guide.travel - 0.1 * hinge.angle, 0.0), name="tie")
        model.add(flat.Driver(guide.travel, flat.Ramp(1.0, start=start)), name="motor")
    plane, space = kinematics(model, [0.0, 0.2]), kinematics(lift(model), [0.0, 0.2])
    angle = plane["wheel"].angle
    assert np.abs(space["wheel"].matrix[:, 0, 0] - np.cos(angle)).max() < 1e-9
    assert np.abs(space["wheel"].matrix[:, 1, 0] - np.sin(angle)).max() < 1e-9
    assert np.abs(space["wheel"].position[:, :2] - plane["wheel"].position).max() < 1e-9
