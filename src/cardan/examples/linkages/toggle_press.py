"""Toggle press: two links almost in line turn a small push into a large force.

            o  frame                  a level force F at the knee K holds  P = F / (2 tan a)
           /
        a / s                         a: angle of the links from the vertical
         o K  <== F
        a \\ s                         as the knee comes into line, a goes to zero, and the force grows
           \\                          without bound: the press stalls nowhere, and locks beyond
          [ ]  ram
         ~~~~~ P

A cylinder pushes the knee into line within a second against a workpiece that resists with a constant force; the
required force falls to zero. The links are massless here, and the formula of the textbooks holds.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Load, Model, Revolute, Step, Translational, x

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 1.0, 201)
SHOW = ("ram.y", "cylinder.force", "frame pin.fx", "frame pin.fy")
LINK, OPEN, CLOSED, RESISTANCE = 0.3, 0.15, 0.002, 80e3


def build(link: float = LINK, resistance: float = RESISTANCE) -> Model:
    """The knee starts 0.15 m from the line of the ram, and ends 2 mm from it."""
    model = Model("toggle-press")
    ground = model.ground
    lean = math.asin(OPEN / link)
    drop = link * math.cos(lean)
    upper = model.add(Body(position=(0.0, 0.0), angle=lean - math.pi / 2), name="upper link")
    lower = model.add(Body(position=(OPEN, -drop), angle=-lean - math.pi / 2), name="lower link")
    ram = model.add(Body(position=(0.0, -2.0 * drop), outline=[_block()]), name="ram")
    model.add(Revolute(ground.at(), upper.at()), name="frame pin")
    model.add(Revolute(upper.at(link, 0.0), lower.at()), name="knee")
    model.add(Revolute(lower.at(link, 0.0), ram.at()), name="ram pin")
    model.add(Translational(ground.at(0.0, 0.0, math.pi / 2), ram.at(0.0, 0.0, math.pi / 2)), name="slide")
    model.add(Driver(x(upper.at(link, 0.0)), Step(0.0, 1.0, OPEN, CLOSED)), name="cylinder")
    model.add(Load(ram.at(), (0.0, resistance)), name="work piece")
    return model


def _block() -> list[tuple[float, float]]:
    return [(-0.08, 0.0), (0.08, 0.0), (0.08, -0.1), (-0.08, -0.1), (-0.08, 0.0)]


# F = 2 P tan a with sin a = x / s, at the half of its travel, where the knee is 0.076 m out; it pushes toward the line
_HALF = 0.5 * (OPEN + CLOSED)
HEADLINE = Headline(
    "force of the cylinder at half its travel",
    "N",
    lambda run: run["cylinder"].force[100],
    expected=-2.0 * RESISTANCE * _HALF / math.sqrt(LINK**2 - _HALF**2),
    tolerance=1e-6,
)
