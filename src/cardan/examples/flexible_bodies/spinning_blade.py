r"""Spinning blade: the centrifugal force stiffens a blade, and the faster it turns the faster it flaps.

        z                        a shortening of -1/2 int w'^2 dx along the blade lets the centrifugal force do work:
        |   .-~  flap w
   hub (o)=======------          frequency of flapping in units of sqrt(E I / rho A L^4), speed in the same units
        |
      Omega                         Omega   0       1       2       5       10
                                    flap    3.5160  3.6816  4.1373  6.4495  11.2023      (Wright et al. 1982)

Modes alone do not have this effect: they know bending, but not that a bent blade is shorter. `stiffening=True` adds it
as second-order displacements; with `-p stiffening=0` the flap frequency does not grow at all.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.flexible import Material, beam, rectangle
from cardan.spatial import Driver, FlexibleBody, Model, Point, Ramp, Revolute

ANALYSIS = "simulate"
LENGTH, WIDTH, THICKNESS, SPEED = 1.0, 0.05, 0.005, 5.0
ALUMINUM = Material(E=70e9, nu=0.33, density=2700.0)
UNIT = math.sqrt(ALUMINUM.E * THICKNESS**2 / 12.0 / ALUMINUM.density / LENGTH**4)  # rad/s
MODES = 6  # the lowest ones; those of loads at the tip are not needed
TIMES = (0.0, 1.2, 601)
SHOW = ("tip.z", "motor.force")


def options(model: Any) -> dict[str, Any]:
    return {"rtol": 1e-6}


def build(speed: float = SPEED, stiffening: float = 1.0) -> Model:
    """`speed` in units of sqrt(E I / rho A L^4); the blade starts bent upward by its first mode."""
    part = beam(LENGTH, rectangle(WIDTH, THICKNESS), ALUMINUM, name="blade").reduce(
        {"hub": "left", "tip": "right"},
        modes=6,
        method="clamped",
        frame="tangent",
        stiffening=True,
        damping=0.002,
        stress=True,
    )
    first = int(np.argmax(np.abs(part.interfaces["tip"].translation[2]) > 1e-9))
    bent = np.zeros(MODES)
    bent[first] = 0.04 / part.interfaces["tip"].translation[2, first]
    omega = speed * UNIT
    model = Model("spinning-blade")
    spin = (0.0, 0.0, omega)
    blade = model.add(
        FlexibleBody(part, modes=MODES, angular_velocity=spin, deformation=bent, stiffening=stiffening > 0.0),
        name="blade",
    )
    hub = model.add(Revolute(model.ground.at(), blade.at("hub")), name="hub")
    model.add(Driver(hub.angle, Ramp(omega)), name="motor")
    model.add(Point(blade.at("tip"), trace=True), name="tip")
    return model


def _flap(run: Any) -> float:
    """The frequency of the tip, from the times at which it passes the plane of rotation upward."""
    z, t = run["tip"].position[:, 2], run.times
    k = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    passes = t[k] - z[k] * (t[k + 1] - t[k]) / (z[k + 1] - z[k])
    return float(2.0 * math.pi * (len(passes) - 1) / (passes[-1] - passes[0]) / UNIT)


# shear, rotary inertia and higher modes: 0.1 %; output times: 0.05 %
HEADLINE = Headline("frequency of flapping at a speed of 5", "", _flap, expected=6.4495, tolerance=0.01)
