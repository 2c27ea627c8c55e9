r"""Belt drive: a motor that starts too hard, and a belt that slips at the limit of Euler and Eytelwein.

         .-.__________ tight             T_tight / T_slack <= exp(mu phi),   T_tight + T_slack = 2 T_0
        ( o )        .---.
         '-'________(  o  ) slack        so it carries 2 T_0 tanh(mu phi / 2) and no more;
        motor        '---'  fan          phi = pi - 2 asin((R_fan - R_motor) / c) on the small pulley

The motor torque is twice what the belt can transmit. The motor overspeeds, while friction accelerates the fan. `-p
torque=2` starts gently: nothing slips, and the speeds have the ratio of the radii.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.planar import Belt, Body, Model, Revolute, Torque

ANALYSIS = "simulate"
TIMES = (0.0, 1.0, 201)
SHOW = ("motor.angular_velocity", "fan.angular_velocity", "belt.pull")
SMALL, LARGE, DISTANCE, PRETENSION, FRICTION, INERTIA = 0.06, 0.15, 0.5, 150.0, 0.35, 0.4
WRAP = math.pi - 2.0 * math.asin((LARGE - SMALL) / DISTANCE)
CARRIED = 2.0 * PRETENSION * math.tanh(0.5 * FRICTION * WRAP)


def build(torque: float = 2.0 * CARRIED * SMALL, friction: float = FRICTION) -> Model:
    """`torque` is that of the motor."""
    model = Model("belt-drive")
    motor = model.add(Body(mass=2.0, inertia=0.02, outline=_rim(SMALL)), name="motor")
    stated = Body(mass=10.0, inertia=INERTIA, position=(DISTANCE, 0.0), outline=_rim(LARGE))
    fan = model.add(stated, name="fan")
    model.add(Revolute(model.ground.at(), motor.at()), name="motor pin")
    model.add(Revolute(model.ground.at(DISTANCE, 0.0), fan.at()), name="fan pin")
    radii: dict[str, Any] = {"radius_a": SMALL, "radius_b": LARGE, "distance": DISTANCE}
    elastic = {"stiffness": 5e4, "damping": 100.0, "pretension": PRETENSION, "friction": friction}
    model.add(Belt(motor.at(), fan.at(), **radii, **elastic), name="belt")
    model.add(Torque(motor.at(), torque), name="start")
    return model


def _rim(radius: float) -> list[tuple[float, float]]:
    """A circle with a spoke."""
    turn = np.linspace(0.0, 2.0 * math.pi, 49)
    return [(0.0, 0.0), *zip(radius * np.cos(turn), radius * np.sin(turn), strict=True)]


# while it slips the fan feels 2 T_0 tanh(mu phi / 2) R_fan alone
HEADLINE = Headline(
    "angular acceleration of the fan",
    "rad/s2",
    lambda run: float(run["fan"].angular_acceleration[100]),
    expected=CARRIED * LARGE / INERTIA,
    tolerance=0.01,
)
