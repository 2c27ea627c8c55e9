r"""Motorcycle: six bodies on two tires with suspension; the rider countersteers into a turn.

            __.__                    steering torque = k (wanted lean - lean) - d (rate of lean), to the left
       ____/  \__//
      (_o_)-----/(_o_)               a torque on the rear wheel keeps the speed

To lean right, the rider turns the handlebar left at first; the lean settles where the steering torque balances. In the
steady turn weight, centrifugal force and gyroscopic torque of the wheels balance about the line of the contact points,
with the mass center at the height h:

    g tan(lean) = a (1 + sum (I / r) / (m h)),       a = lateral acceleration of the mass center

The model is in `cardan.examples.cars.touring`. `-p lean=-0.3` turns left, `-p speed=30` is faster; with `-p
steering_damper=2` the front wheel wobbles more and more, until it falls.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cardan.examples import Headline
from cardan.examples.cars.touring import PARTS, TIRES, WHEELS, G, touring
from cardan.spatial import Actuator, Model, Step, Sum, dot, rate

ANALYSIS = "simulate"
TIMES = (0.0, 8.0, 801)
SHOW = ("frame.y", "steering.angle", "frame.ay")
RIDER = 100.0, 50.0  # N m, N m s: steering torque over lean, and over its rate


def build(speed: float = 20.0, lean: float = 0.3, steering_damper: float = 12.0) -> Model:
    """`lean` is the angle in rad, to the right, that the rider wants."""
    model = touring(speed, steering_damper)
    tilt = dot(model.ground.at(), model["frame"].at(), "z", "y")  # sine of the lean
    seen, gains = [Step(0.5, 2.0, 0.0, math.sin(lean)), tilt, rate(tilt)], [RIDER[0], -RIDER[0], -RIDER[1]]
    rider = model.add(Sum(seen, gains), name="rider")
    model.add(Actuator(model["steering"].angle, rider), name="hands")
    return model


def balance(run: Any) -> float:
    """g tan(lean) over the lateral acceleration of the mass center, at the end."""
    masses = np.array([body.mass for body in run.model.bodies])
    forces = masses @ np.array([run[body].acceleration[-1] for body in run.model.bodies])
    sine = float(run["frame"].matrix[-1, 2, 1])
    return G * abs(sine) / math.sqrt(1.0 - sine**2) / (math.hypot(forces[0], forces[1]) / float(masses.sum()))


def expected() -> float:
    """1 + sum (I / r) / (m h)."""
    moments = sum(mass * at[2] for mass, _, at in PARTS.values()) + sum(WHEELS[n][0] * TIRES[n].radius for n in WHEELS)
    return float(1.0 + sum(WHEELS[name][2] / TIRES[name].radius for name in WHEELS) / moments)


# the front contact point moves sideways as the wheel is steered, by a millimeter
HEADLINE = Headline("g tan(lean) over lateral acceleration", "", balance, expected(), 0.005)
