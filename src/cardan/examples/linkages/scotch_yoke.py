"""Scotch yoke: a crank pin in a vertical slot produces pure harmonic motion.

The yoke follows r cos(wt) exactly; a slider-crank would need an infinitely long rod. An inclined slot, `-p lean=0.3`,
adds a phase.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, PinInSlot, Ramp, Revolute, Translational

TIMES = (0.0, 1.0, 401)
SHOW = ("yoke.x", "yoke.ax")


def build(crank: float = 0.1, speed: float = 2.0 * math.pi, lean: float = 0.0) -> Model:
    """The yoke slides on a guide to the right of the crank."""
    model = Model("scotch-yoke")
    ground = model.ground
    wheel = model.add(Body(), name="crank")
    yoke = model.add(Body(position=(crank, 0.0)), name="yoke")
    hinge = model.add(Revolute(ground.at(), wheel.at()), name="A")
    model.add(PinInSlot(yoke.at(0.0, 0.0, math.pi / 2 - lean), wheel.at(crank, 0.0)), name="pin")
    model.add(Translational(ground.at(0.0, 0.0), yoke.at(2.5 * crank, 0.0)), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


HEADLINE = Headline(
    "acceleration of the yoke at its outer end",
    "m/s2",
    lambda run: run["yoke"].acceleration[0, 0],
    expected=-0.1 * (2.0 * math.pi) ** 2,
    tolerance=1e-9,
)
