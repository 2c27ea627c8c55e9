"""Radau's method in joint coordinates: stiff runs of trees, loops and devices are those of Cartesian coordinates."""

import math

import numpy as np
import pytest

from cardan import ModelError, planar as plane, simulate, spatial as space

BOTH = ("joint", "cartesian")


def double_pendulum(loop=False):
    """Two links whose elbow is as good as glued: 1e5 N m/rad with little damping."""
    model = plane.Model("stiff", gravity=(0.0, -9.81))
    upper = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0)), name="upper")
    lower = model.add(plane.Body(mass=1.0, inertia=0.1, center=(0.5, 0), position=(1, 0)), name="lower")
    model.add(plane.Revolute(model.ground.at(), upper.at()), name="shoulder")
    elbow = model.add(plane.Revolute(upper.at(1, 0), lower.at()), name="elbow")
    model.add(plane.Spring(elbow.angle, 1e5, 300.0, rest_angle=0.1), name="glue")
    if loop:
        rod = plane.Distance(model.ground.at(1.5, 1.0), lower.at(1, 0), math.hypot(0.5, 1.0))
        model.add(rod, name="rod")
    return model


def hung_table():
    """A body on a ball joint whose stiff ties hold it: three speeds, four coordinates."""
    model = space.Model("table", gravity=(0.0, 0.0, -9.81))
    plate = model.add(space.Body(mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.2, 0.1, 0.5)), name="plate")
    model.add(space.Spherical.between(model.ground, plate, (0.0, 0.0, 0.0)), name="ball")
    for k in range(3):
        foot = 1.5 * math.cos(2.1 * k), 1.5 * math.sin(2.1 * k), 0.4
        tie = space.length(model.ground.at(*foot), plate.at(0.1, 0.2 * k, 0.3))
        model.add(space.Spring(tie, 2e4, 50.0, rest_length=1.3), name=f"tie {k}")
    return model


def servo():
    """A controller with an integral of its own, and a stiff gear."""
    model = double_pendulum()
    shoulder = model["shoulder"]
    pid = model.add(plane.PID(shoulder.angle, setpoint=0.2, kp=2e4, ki=3e4, kd=2e3), name="pid")
    model.add(plane.Actuator(shoulder.angle, pid), name="motor")
    return model


def driven():
    """The shoulder is told where to be."""
    model = double_pendulum()
    model.add(plane.Driver(model["shoulder"].angle, plane.Function(lambda t: 0.4 * np.sin(3.0 * t))), name="motor")
    return model


@pytest.mark.parametrize("build", [double_pendulum, lambda: double_pendulum(True), hung_table, servo, driven])
def test_same_motion(build):
    """Errors of a step are kept below 1e-9 by both; Newton's matrix is as good, so that steps are as many."""
    one, two = (simulate(build(), 0.3, output=0.05, method="radau", rtol=1e-9, coordinates=c) for c in BOTH)
    for body, other in zip(one.model.bodies, two.model.bodies, strict=True):
        assert np.abs(one[body].position - two[other].position).max() < 2e-8
        assert np.abs(one[body].velocity - two[other].velocity).max() < 1e-6
    assert one.stats.steps < 1.5 * two.stats.steps
    assert one.violations().max() < 1e-11


def test_auto_tells_stiffness():
    """An elbow of 1e9 N m/rad, damped so that it creeps: an explicit method would take a million steps."""
    model = double_pendulum()
    model.add(plane.Spring(model["elbow"].angle, 1e9, 1e6, rest_angle=0.1), name="stiffer")
    one, two = (simulate(model, 1.0, output=0.25, coordinates=c) for c in BOTH)
    assert any("to radau because of stiff forces" in note for note in one.stats.notes)
    assert one.stats.steps < 2000
    for body in model.bodies:
        assert np.abs(one[body].position - two[body].position).max() < 1e-6


@pytest.mark.parametrize("method, other", [("hht", "'radau' for stiff"), ("bdf", "'radau' for"), ("direct", "'auto'")])
def test_methods_of_bodies_are_rejected(method, other):
    with pytest.raises(ModelError, match=f"method '{method}' integrates Cartesian coordinates.*use {other}"):
        simulate(double_pendulum(), 1.0, method=method, coordinates="joint")


def test_many_joints_are_rejected():
    """The matrix of Newton's method is dense: a long chain is left to Cartesian coordinates."""
    model = plane.Model("chain", gravity=(0.0, -9.81))
    before = model.ground
    for k in range(301):
        link = model.add(plane.Body(mass=1.0, inertia=0.1, position=(k + 0.5, 0)), name=f"link {k}")
        model.add(plane.Revolute.between(before, link, (k, 0)), name=f"hinge {k}")
        before = link
    with pytest.raises(ModelError, match="'chain' has 301 speeds and equations in joint coordinates"):
        simulate(model, 1.0, method="radau", coordinates="joint")
