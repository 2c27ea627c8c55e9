"""Settling: places of rest found by letting go, where energies do not serve."""

import math

import numpy as np
import pytest

import cardan.spatial as deep
from cardan import CardanWarning, SimulationError, equilibrium
from cardan.planar import Action, Body, Driver, Load, Model, Ramp, Revolute, Spring, Translational


def lamp():
    model = Model("lamp", gravity=(0.0, -9.81))
    arm = model.add(Body(2.0, 0.1, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Spring(hinge.angle, 30.0, rest_angle=0.0), name="spring")
    return model, arm, hinge


def test_the_same_place_as_by_energy():
    model, arm, hinge = lamp()
    settled, lowest = equilibrium(model, "settle"), equilibrium(model)
    assert settled[arm].angle == pytest.approx(lowest[arm].angle, abs=1e-10) and settled.stable
    assert settled[hinge].force == pytest.approx([0.0, 19.62], abs=1e-9)


def test_a_chain_hangs_down():
    model = Model("chain", gravity=(0.0, -9.81))
    end = model.ground.at()
    for i in range(12):
        link = model.add(Body(1.0, 1.0 / 12.0, position=(i + 0.5, 0.0)), name=f"link {i}")
        model.add(Revolute(end, link.at(-0.5, 0.0)), name=f"pin {i}")
        end = link.at(0.5, 0.0)
    rest = equilibrium(model, "settle")
    assert rest["link 11"].position == pytest.approx([0.0, -11.5], abs=1e-8)


def test_a_follower_force_has_no_energy():
    """A force along the arm's own y axis at its end: k phi = F l, whatever the turn."""
    model = Model("follower")
    arm = model.add(Body(1.0, 0.1), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Spring(hinge.angle, 5.0, rest_angle=0.0), name="spring")
    model.add(Load(arm.at(0.8, 0.0), (0.0, 2.0), frame="body"), name="thrust")
    rest = equilibrium(model, "settle")
    assert rest[arm].angle == pytest.approx(2.0 * 0.8 / 5.0, abs=1e-10)


def test_what_never_rests():
    """A torque that drives a wheel on and on."""
    model = Model("wheel")
    wheel = model.add(Body(1.0, 0.1), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    model.add(Action(hinge.angle, lambda z: 1.0 + 0.1 * math.sin(z)), name="motor")
    with pytest.raises(SimulationError, match="'wheel' does not settle.*the angle of 'wheel'"):
        equilibrium(model, "settle")
    assert np.isfinite(wheel.mass)


def test_a_wheel_that_runs_free_is_named():
    """A hub on a spring rests on its tire, whose wheel may turn as it likes: m g = c (R - h), and nothing holds it."""
    model = deep.Model("quarter car", gravity=(0.0, 0.0, -9.81))
    hub = model.add(deep.Body(mass=320.0, inertia=(5.0, 5.0, 5.0), position=(0.0, 0.0, 0.3)), name="hub")
    wheel = model.add(deep.Body(mass=20.0, inertia=(0.6, 1.0, 0.6), position=(0.0, 0.0, 0.3)), name="wheel")
    model.add(deep.Translational.between(model.ground, hub, at=(0.0, 0.0, 0.3), z=(0.0, 0.0, 1.0)), name="guide")
    model.add(deep.Revolute.between(hub, wheel, at=(0.0, 0.0, 0.3), z=(0.0, 1.0, 0.0)), name="axle")
    data = deep.TireData()
    axis = wheel.at(z=(0.0, 1.0, 0.0))
    tire = model.add(deep.Tire(model.ground.at(), axis, deep.Road.flat(), data), name="tire")
    with pytest.warns(CardanWarning, match="'wheel' of 'quarter car' keeps moving because no force resists it"):
        rest = equilibrium(model, "settle")
    assert rest[tire.device]["Fz"] == pytest.approx(340.0 * 9.81, rel=1e-9) and rest.stable is None


def test_drivers_hold_while_it_settles():
    """A driver that moves on is held where it is at the instant of rest."""
    model = Model("driven", gravity=(0.0, -9.81))
    cart = model.add(Body(1.0, 1.0), name="cart")
    bob = model.add(Body(1.0, 0.1, position=(0.3, -0.4)), name="bob")
    rail = model.add(Translational(model.ground.at(), cart.at()), name="rail")
    model.add(Revolute(cart.at(), bob.at(-0.3, 0.4)), name="pin")
    model.add(Driver(rail.travel, Ramp(5.0, 0.2)), name="speed")
    rest = equilibrium(model, "settle", time=0.1)
    assert rest[cart].position == pytest.approx([0.7, 0.0], abs=1e-10)
    assert rest[bob].position == pytest.approx([0.7, -0.5], abs=1e-9)
