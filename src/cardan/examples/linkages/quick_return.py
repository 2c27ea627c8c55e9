"""Quick-return: a shaper that cuts slowly and returns fast.

A crank turns about B and slides its pin C along a rocker that swings about A; the rod DE moves the tool. The pin is far
from A on the cutting stroke and near A on the return stroke (Haug, section 5.4, model 2, in m). A shorter crank evens
out the strokes: `-p crank=1.0`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Distance, Driver, Model, PinInSlot, Ramp, Revolute, Translational

TIMES = (0.0, 1.0, 801)
SHOW = ("tool.x", "tool.vx")
VARIATION = {"crank": (1.5, 1.25, 1.0)}  # Haug 5.4


def build(crank: float = 1.5, speed: float = 2.0 * math.pi) -> Model:
    """The shaper with its crank along the x axis."""
    model = Model("quick-return")
    ground = model.ground
    slope = math.atan2(2.0, crank)
    rocker = model.add(Body(position=(2.0 * math.cos(slope), 2.0 * math.sin(slope)), angle=slope), name="rocker")
    wheel = model.add(Body(position=(0.0, 2.0)), name="crank")
    tool = model.add(Body(position=(4.0 * math.cos(slope) - 1.7, 4.0)), name="tool")
    model.add(Revolute(ground.at(0.0, 0.0), rocker.at(-2.0, 0.0)), name="A")
    hinge = model.add(Revolute(ground.at(0.0, 2.0), wheel.at(0.0, 0.0)), name="B")
    model.add(PinInSlot(rocker.at(0.0, 0.0), wheel.at(crank, 0.0)), name="C")
    model.add(Distance(rocker.at(2.0, 0.0), tool.at(0.0, 0.0), 1.9), name="DE")
    model.add(Translational(ground.at(-3.0, 4.0), tool.at(0.0, 0.0)), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


# With the crank down, C is 2 - r above A and drives the rocker at r w / (2 - r); D, 4 from A, moves level with the rod.
HEADLINE = Headline(
    "return speed of the tool with the crank down",
    "m/s",
    lambda run: run.at(0.75)["tool"].velocity[0],
    expected=4.0 * 1.5 * 2.0 * math.pi / (2.0 - 1.5),
    tolerance=1e-8,
)
