"""Machines with flexible parts: a blade that is spun up, and the stress of a connecting rod.

The spin-up is the benchmark of Kane and of Simo and Vu-Quoc (1986); numbers to compare with are those of a chain of
geometrically exact beams. The rod is compared with beam theory under the accelerations of rigid links.
"""

from __future__ import annotations

import math

import numpy as np

from cardan import simulate
from cardan.flexible import Material, Section, beam, rectangle, stress_peaks
from cardan.planar import (
    Body,
    Driver,
    FlexibleBody,
    Harmonic,
    Model,
    Point,
    Polynomial,
    Ramp,
    Revolute,
    Translational,
)
from verification.manual import Within


def test_spin_up(record):
    """L = 10 m, E A = 28 MN, E I = 14 kN m2, 1.2 kg/m; 6 rad/s are reached after 15 s.

    theta = Omega / T (t^2 / 2 + (T / 2 pi)^2 (cos 2 pi t / T - 1)). The tip in the rotating axes, across the blade and,
    at full speed, along it.
    """
    speed, T, L = 6.0, 15.0, 10.0
    section = Section(0.01, 5e-6, 5e-6, 1e-5)
    part = beam(L, section, Material(2.8e9, 0.4, 120.0), elements=30).reduce(
        {"hub": "left", "tip": "right"}, modes=10, method="clamped", frame="tangent", planar=True, stiffening=True
    )
    model = Model("spin-up")
    blade = model.add(FlexibleBody(part), name="blade")
    hinge = model.add(Revolute(model.ground.at(), blade.at("hub")), name="hub")
    model.add(Point(blade.at("tip")), name="tip")
    swing = 2.0 * math.pi / T
    law = Polynomial(-speed / T / swing**2, 0.0, speed / (2.0 * T)) + Harmonic(speed / T / swing**2, swing, math.pi / 2)
    model.add(Driver(hinge.angle, law), name="motor")
    run = simulate(model, T, output=0.5, method="radau", rtol=1e-6)
    for t, expected in ((5.0, -0.4685), (7.5, -0.5591)):
        angle = float(law(t))
        x, y = run["tip"].position[int(np.argmin(np.abs(run.times - t)))]
        across = y * math.cos(angle) - x * math.sin(angle)
        near = Within(0.002 * abs(expected), "digits of the chain of exact beams")
        record(f"tip across the blade in m, {t} s", across, expected, near, f"t = {t} s", "exact beams")
    extension = math.hypot(*run["tip"].position[-1]) - L
    near = Within(5e-6, "the blade still vibrates along its axis, by 1 %")
    exact = 1.2 * speed**2 * L**3 / (3 * 2.8e7)
    record("extension in m", extension, exact, near, "rho A w^2 L^3 / 3 E A", "closed form")


CRANK, ROD, SIDE, SPEED, PISTON, DENSITY = 0.15, 0.45, 0.012, 30.0, 0.2, 7850.0


def test_stress_of_a_connecting_rod(record):
    """A slider-crank at 30 rad/s with a square steel rod, 12 mm: the largest von Mises stress of the second turn."""
    part = beam(ROD, rectangle(SIDE)).reduce(
        {"crank pin": "left", "piston pin": "right"}, modes=8, planar=True, stress=True, damping=0.05
    )
    model = Model("connecting rod")
    arm = model.add(Body(mass=1.0, inertia=0.01, angular_velocity=SPEED), name="crank")
    rod = model.add(FlexibleBody(part, position=(CRANK, 0.0)), name="rod")
    piston = model.add(Body(mass=PISTON, inertia=1e-3, position=(CRANK + ROD, 0.0)), name="piston")
    hinge = model.add(Revolute(model.ground.at(), arm.at()), name="A")
    model.add(Revolute(arm.at(CRANK, 0.0), rod.at("crank pin")), name="B")
    model.add(Revolute(rod.at("piston pin"), piston.at()), name="C")
    model.add(Translational(model.ground.at(), piston.at()), name="guide")
    model.add(Driver(hinge.angle, Ramp(SPEED)), name="motor")
    turn = 2.0 * math.pi / SPEED
    run = simulate(model, 2.0 * turn, output=turn / 360, method="radau", rtol=1e-6)
    later = run.times >= turn
    eta = np.column_stack([run[rod.modal_coordinate(k + 1)].value for k in range(part.modes)])
    found = stress_peaks(part, run.times[later], eta[later]).value.max() / 1e6
    expected = rigid_peak()
    near = Within(0.01 * expected, "vibration: (2 w / w_1)^2 = 0.5 % of the second harmonic")
    record("peak stress in MPa", found, expected, near, "rigid links, beam theory", "closed form")


def rigid_peak() -> float:
    """The peak from accelerations of rigid links: a beam on two pins under a linear load, and the axial force."""
    angle = np.linspace(0.0, 2.0 * math.pi, 3601)
    tilt = np.arcsin(-CRANK / ROD * np.sin(angle))  # of the rod from B to C
    rate = -CRANK / ROD * SPEED * np.cos(angle) / np.cos(tilt)
    second = (CRANK / ROD * SPEED**2 * np.sin(angle) + rate**2 * np.sin(tilt)) / np.cos(tilt)
    along, across = np.stack([np.cos(tilt), np.sin(tilt)]), np.stack([-np.sin(tilt), np.cos(tilt)])
    pin = -CRANK * SPEED**2 * np.stack([np.cos(angle), np.sin(angle)])
    line = DENSITY * SIDE**2
    x = np.linspace(0.0, ROD, 201)[:, None]
    first = np.sum(pin * across, axis=0)
    last = first + ROD * second
    moment = line * (first * x * (ROD - x) / 2 + (last - first) * x * (ROD**2 - x**2) / (6 * ROD))
    guide = pin[0] - ROD * (second * np.sin(tilt) + rate**2 * np.cos(tilt))  # acceleration of the piston
    whip = line * ROD * (first / 6 + last / 3)  # force of C across the rod
    pull = -(PISTON * guide + whip * across[0]) / along[0]
    tension = pull - line * (np.sum(pin * along, axis=0) * (ROD - x) - rate**2 * (ROD**2 - x**2) / 2)
    bending = np.abs(moment) * (SIDE / 2) / (SIDE**4 / 12)
    return float(np.max(np.abs(tension) / SIDE**2 + bending) / 1e6)
