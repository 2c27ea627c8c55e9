"""Rests of valve-driven mechanisms: the near one is found, and distant or saturated ones are reported."""

import math
import warnings

import pytest

from cardan import CardanWarning, equilibrium, spatial
from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.equilibria.descent import descend
from cardan.analysis.equilibria.place import Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.progress import Progress
from cardan.planar import PID, Actuator, Body, HydraulicCylinder, Model, Revolute, length
from cardan.system.compile import compile
from invariants.generator import random_mechanism

SET = math.radians(30.0)


def boom(off, kp, ki, leakage):
    """A boom on a cylinder, `off` below the angle that its valve controls."""
    model = Model("boom", gravity=(0.0, -9.81))
    angle = SET - math.radians(off)
    arm = model.add(Body(500.0, 200.0, center=(1.5, 0.0), angle=angle), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    stroke = length(model.ground.at(0.5, -0.5), arm.at(1.0, 0.0))
    valve = model.add(PID(hinge.angle, SET, kp=kp, ki=ki, limits=(-1.0, 1.0)), name="valve")
    area, rest = 4e-3, math.hypot(math.cos(angle) - 0.5, math.sin(angle) + 0.5)
    stated = {"areas": (area, 0.6 * area), "volumes": (1.2 * area, 0.72 * area), "flow": 3e-7, "rest": rest}
    stated |= {"leakage": leakage, "start": (5e6, 1e6)}
    model.add(HydraulicCylinder(stroke, valve, 2e7, **stated), name="cylinder")
    return model, hinge


@pytest.mark.parametrize("kp, ki", [(5.0, 0.0), (20.0, 0.0), (100.0, 0.0), (20.0, 5.0)])
@pytest.mark.parametrize("leakage", [2e-12, 2e-11])
def test_a_boom_rests_near_its_set_point(kp, ki, leakage):
    """With equal pressures nothing leaks and the valve is closed: the angle is the set point. The other rest, with a
    valve that feeds the leakage, is within 0.05 rad of it."""
    model, hinge = boom(1.3, kp, ki, leakage)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CardanWarning)
        rest = equilibrium(model, "newton")
    assert abs(rest[hinge.angle].value - SET) < 0.05 and abs(rest["valve"].value) < 0.1


def test_a_distant_and_saturated_rest_is_reported():
    """A motor that holds 5 N m lets an arm of 9.81 N m hang: far from the set point, its controller at a limit."""
    model = Model("weak", gravity=(0.0, -9.81))
    arm = model.add(Body(2.0, 0.1, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    pid = model.add(PID(hinge.angle, 0.0, kp=100.0, limits=(-5.0, 5.0)), name="pid")
    model.add(Actuator(hinge.angle, pid), name="motor")
    words = "'weak' may not be the intended one: it is far .* 'arm'; PID 'pid' is saturated"
    with pytest.warns(CardanWarning, match=words):
        rest = equilibrium(model, "newton")
    assert 9.81 * math.cos(rest[hinge.angle].value) == pytest.approx(5.0, abs=1e-9)


@pytest.mark.parametrize("torque", [4.0, 6.2])
def test_a_rest_more_than_half_a_turn_away_is_reported(torque):
    """A spring of 1 N m/rad turns by as many radians as the torque has newton meters, which the orientation of the body
    shows as 2 pi - 4 = 2.3 rad and 0.08 rad."""
    model = spatial.Model("rotor")
    rotor = model.add(spatial.Body(1.0, (1.0, 1.0, 1.0)), name="rotor")
    hinge = model.add(spatial.Revolute(model.ground.at(), rotor.at()), name="hinge")
    model.add(spatial.Spring(hinge.angle, 1.0, rest_angle=0.0), name="spring")
    model.add(spatial.Torque(rotor.at(), (0.0, 0.0, torque)), name="torque")
    with pytest.warns(CardanWarning, match=f"far from the start: {math.degrees(torque):.3g} deg of angle"):
        rest = equilibrium(model, "newton")
    assert rest[hinge.angle].value == pytest.approx(torque, rel=1e-9)


def test_a_pendulum_that_falls_to_its_lowest_point_is_not_far():
    """170 deg below: there is no other minimum on the way."""
    model = Model("pendulum", gravity=(0.0, -9.81))
    angle = math.radians(80.0)
    rod = model.add(Body(1.0, 0.1, center=(0.5, 0.0), angle=angle), name="rod")
    hinge = model.add(Revolute(model.ground.at(), rod.at()), name="hinge")
    with warnings.catch_warnings():
        warnings.simplefilter("error", CardanWarning)
        rest = equilibrium(model)
    assert abs(rest[hinge.angle].value) == pytest.approx(math.radians(90.0), abs=1e-9)


def test_a_minimum_beyond_another_one_is_reported():
    """Of a random mechanism with two minima: short steps from its start end in the higher one."""
    model = random_mechanism(71800096, equipped=False).model
    with pytest.warns(CardanWarning, match="far from the start: 157 deg along the angle of 'body 2'"):
        far = equilibrium(model)
    steps = equilibrium_by_short_steps(model)
    assert steps > far.energy + 1e-3


def equilibrium_by_short_steps(model):
    """The energy of the minimum that a descent by steps of 0.02 rad finds."""
    system = compile(model, forces=True)
    statics = Statics(system, 0.0)
    ways = Ways(statics)
    stated = ways.start(*assembled(system, 0.0))
    with Progress("equilibrium", 100, False) as bar:
        place = descend(statics, stated, ways, 1e-12, bar, 0.02)
    return Potential(statics, stated.reference).at(place.q, place.point)
