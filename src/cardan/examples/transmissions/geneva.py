"""Geneva drive: a pin enters a slot of the wheel, turns it by a quarter, and leaves.

Shown while the pin is in the slot. It enters along the slot: the speed of the wheel starts from zero without a jump,
but its acceleration jumps. The drive of film projectors has four slots: the shafts are sqrt(2) cranks apart.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, PinInSlot, Ramp, Revolute

TIMES = (0.0, 0.25, 201)
SHOW = ("wheel.angle", "wheel.angular_velocity")


def build(crank: float = 0.1, speed: float = 2.0 * math.pi) -> Model:
    """The pin enters the slot at t = 0 and leaves it after a quarter turn of the crank."""
    model = Model("geneva")
    ground = model.ground
    apart = math.sqrt(2.0) * crank
    arm = model.add(Body(angle=-math.pi / 4), name="crank")
    wheel = model.add(Body(position=(apart, 0.0), angle=math.pi / 4, outline=_wheel(crank)), name="wheel")
    shaft = model.add(Revolute(ground.at(0.0, 0.0), arm.at()), name="A")
    model.add(Revolute(ground.at(apart, 0.0), wheel.at()), name="B")
    model.add(PinInSlot(wheel.at(0.0, 0.0, math.pi), arm.at(crank, 0.0)), name="pin")
    model.add(Driver(shaft.angle, Ramp(speed, start=-math.pi / 4)), name="motor")
    return model


def _wheel(radius: float) -> np.ndarray:
    """The rim, cut by four slots and hollowed between them for the locking disk."""
    quarter = [(1.0, -0.07), (0.42, -0.07), (0.42, 0.07), (1.0, 0.07)]
    hollow = [(math.sqrt(2.0) + 0.75 * math.cos(a)) for a in np.linspace(math.pi + 0.55, math.pi - 0.55, 15)]
    dips = [0.75 * math.sin(a) for a in np.linspace(math.pi + 0.55, math.pi - 0.55, 15)]
    c, s = math.cos(math.pi / 4), math.sin(math.pi / 4)
    hollows = [(c * u - s * v, s * u + c * v) for u, v in zip(hollow, dips, strict=True)]
    piece = np.array(quarter + hollows)
    turns = [np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in np.arange(4) * math.pi / 2]
    rim = np.vstack([piece @ turn for turn in turns])
    return radius * np.vstack([rim, rim[:1]])


# tan(psi) = sin(a) / (sqrt(2) - cos(a)), so the wheel turns against the crank, fastest on the line of centers
HEADLINE = Headline(
    "speed of the wheel on the line of centers, in terms of the crank's",
    "",
    lambda run: run.at(0.125)["wheel"].angular_velocity / (2.0 * math.pi),
    expected=-1.0 / (math.sqrt(2.0) - 1.0),
    tolerance=1e-8,
)
