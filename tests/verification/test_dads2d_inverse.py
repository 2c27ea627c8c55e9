"""DADS-2D: kineto-statics of sample problem 1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan import inverse_dynamics
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Spring, Translational, length
from verification.manual import rounding

R, B, C = 14.142, 7.071, 21.211  # crank, crank pin to the rod's mass centre, rod


@pytest.mark.parametrize("sprung", [False, True])
def test_slider_crank(record, sprung):
    """Problem 6.1: multipliers of the slider-crank against a power balance, without and with its two springs.

    Masses 15, 20, 5, inertias 20, 25, 2; a spring of 10.5 with free length 10 from the slider to ground, a torsional
    one of 4.5 with free angle 0.1 between crank and rod; phi2 = pi/4 + t/2, 10 s. Where the spring is fastened to
    ground is not told: at the crank's axis here, and gravity, if any, is left out. Closed form by virtual work.
    """
    model = Model("slider-crank")
    crank = model.add(Body(mass=15.0, inertia=20.0, position=(5.0, 5.0), angle=math.pi / 4), name="body 2")
    rod = model.add(Body(mass=20.0, inertia=25.0, position=(15.0, 5.0), angle=-math.pi / 4), name="body 3")
    slider = model.add(Body(mass=5.0, inertia=2.0, position=(25.0, -5.0)), name="body 4")
    hinge = model.add(Revolute(model.ground.at(), crank.at(-B, 0)), name="RVLT1")
    pin = model.add(Revolute(crank.at(B, 0), rod.at(-B, 0)), name="RVLT2")
    model.add(Revolute(rod.at(C - B, 0), slider.at()), name="RVLT3")
    model.add(Translational(slider.at(0, -1), model.ground.at(0, -6)), name="TRAN1")
    motor = model.add(Driver(hinge.angle, Ramp(0.5, math.pi / 4)), name="driver")
    if sprung:
        spring = model.add(Spring(length(model.ground.at(), slider.at()), 10.5, rest_length=10.0), name="spring")
        twist = model.add(Spring(pin.angle, 4.5, rest_angle=0.1), name="torsion")
    run = inverse_dynamics(model, np.linspace(0.0, 10.0, 101))
    phi, w = math.pi / 4 + run.times / 2, 0.5
    state = _state(phi, w)
    torque = _slope(lambda angle: _state(angle, w)[0], phi)
    source, case = "section 6.1", "with springs" if sprung else "without springs"
    if sprung:
        _, x, w3, phi3, v = state
        stretch = np.hypot(x, 5.0)
        pull, couple = 10.5 * (stretch - 10.0), 4.5 * (phi3 - phi - 0.1)
        record("pull of the spring", run[spring].force, pull, rounding(1000), source, "closed form")
        record("torque of the torsional spring", run[twist].force, couple, rounding(100), source, "closed form")
        torque = torque + (pull * x / stretch * v + couple * (w3 - w)) / w
    row = run.system.rows_of(motor)[0]
    found = -run.loads.multipliers[:, row]
    record(f"multiplier of the driver, {case}", found, torque, rounding(1e4), source, "closed form")
    record(f"power of the driver, {case}", run[motor].power, w * torque, rounding(1e4), source, "closed form")


def _state(phi, w):
    """Kinetic energy; x, rod's rate and angle, slider's speed. The guide lies 5 below the crank's axis."""
    s, c = np.sin(phi), np.cos(phi)
    sine = -(R * s + 5.0) / C
    root = np.sqrt(1.0 - sine**2)
    w3 = -R * c * w / (C * root)
    x, v = R * c + C * root, -R * s * w - C * sine * w3
    vx, vy = -R * s * w - B * sine * w3, R * c * w + B * root * w3
    crank = 15.0 * (B * w) ** 2 + 20.0 * w**2
    return (crank + 20.0 * (vx**2 + vy**2) + 25.0 * w3**2 + 5.0 * v**2) / 2, x, w3, np.arcsin(sine), v


def _slope(function, phi):
    """By a complex step: exact to rounding."""
    return np.imag(function(phi + 1e-30j)) / 1e-30
