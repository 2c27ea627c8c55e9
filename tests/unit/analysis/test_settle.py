"""Settling: places of rest found by letting go, where energies do not serve."""

import math

import numpy as np
import pytest

from cardan import SimulationError, equilibrium
from cardan.planar import Action, Body, Load, Model, Revolute, Spring


def lamp():
    model = Model("lamp", gravity=(0.0, -9.81))
    arm = model.add(Body(2.0, 0.1, center=(0.5, 0.0)), name="arm")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    model.add(Spring(hinge.angle, 30.0, free_angle=0.0), name="spring")
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
    model.add(Spring(hinge.angle, 5.0, free_angle=0.0), name="spring")
    model.add(Load(arm.at(0.8, 0.0), (0.0, 2.0), frame="body"), name="thrust")
    rest = equilibrium(model, "settle")
    assert rest[arm].angle == pytest.approx(2.0 * 0.8 / 5.0, abs=1e-10)


def test_what_never_rests():
    """A torque that drives a wheel on and on."""
    model = Model("wheel")
    wheel = model.add(Body(1.0, 0.1), name="wheel")
    hinge = model.add(Revolute(model.ground.at(), wheel.at()), name="hinge")
    model.add(Action(hinge.angle, lambda z: 1.0 + 0.1 * math.sin(z)), name="motor")
    with pytest.raises(SimulationError, match="'wheel' does not settle"):
        equilibrium(model, "settle")
    assert np.isfinite(wheel.mass)
