"""Landing gear: a cylinder retracts the leg while the folding brace gives way.

       H  airframe          C
     ==o=====_______________o==       the leg hangs at H; the brace C-K-E holds it once its knee K is in line
       |      '-._cylinder /          the cylinder pulls the leg up, and with the leg level the wheel is in its bay
       |          '-.   . ' upper
       |leg    K . o '                knee angle by the law of cosines:  CE^2 = u^2 + l^2 - 2 u l cos(knee)
       |   . ' lower
      E o
       |
      ( )  wheel

The brace carries the drag of the landing and is unloaded during retraction; its own weight is neglected. The cylinder
lifts the weight of leg and wheel, with the largest force where its lever arm is short. `-p mass=80` is a larger wheel.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Point, Revolute, Step, length, matter

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 6.0, 241)
SHOW = ("leg.angle", "knee.angle", "cylinder.force")
LEG, BRACE_AT, LUG, ROOT, ANCHOR = 1.6, 1.0, 0.25, 1.1, (0.9, 0.15)
DOWN, UP = -math.pi / 2, -0.02  # angle of the leg
UPPER = LOWER = 0.5 * math.hypot(ROOT, BRACE_AT) * (1.0 + 1e-3)  # the knee stands a little out of line


def build(mass: float = 40.0, leg_mass: float = 30.0) -> Model:
    """Leg down at the start; `mass` is that of the wheel at its end."""
    model = Model("landing-gear", gravity=(0.0, -9.81))
    ground = model.ground
    strut = matter.rod(LEG, mass=leg_mass).moved((LEG / 2, 0.0)) + matter.ring(0.3, mass=mass).moved((LEG, 0.0))
    leg = model.add(Body(mass=strut, angle=DOWN), name="leg")
    slope = math.atan2(BRACE_AT, ROOT)
    bend = math.acos(0.5 * math.hypot(ROOT, BRACE_AT) / UPPER)  # of each half out of the line CE, downward
    knee = (ROOT - UPPER * math.cos(slope + bend), -UPPER * math.sin(slope + bend))
    upper = model.add(Body(position=(ROOT, 0.0), angle=math.pi + slope + bend), name="upper brace")
    lower = model.add(Body(position=knee, angle=math.pi + slope - bend), name="lower brace")
    model.add(Revolute(ground.at(), leg.at()), name="hinge")
    model.add(Revolute(ground.at(ROOT, 0.0), upper.at()), name="root")
    model.add(Revolute(upper.at(UPPER, 0.0), lower.at()), name="knee")
    model.add(Revolute(lower.at(LOWER, 0.0), leg.at(BRACE_AT, 0.0)), name="lug")
    stroke = length(ground.at(*ANCHOR), leg.at(LUG, 0.0))
    model.add(Driver(stroke, Step(0.5, 5.5, _stroke(DOWN), _stroke(UP))), name="cylinder")
    model.add(Point(leg.at(LEG, 0.0)), name="axle")
    return model


def _stroke(angle: float) -> float:
    return math.hypot(ANCHOR[0] - LUG * math.cos(angle), ANCHOR[1] - LUG * math.sin(angle))


# the moment of the weight about the hinge, over the lever arm of the cylinder; a force that shortens is negative
_WEIGHT = 9.81 * (30.0 * LEG / 2 + 40.0 * LEG) * math.cos(UP)
_ARM = LUG * (ANCHOR[1] * math.cos(UP) - ANCHOR[0] * math.sin(UP)) / _stroke(UP)
HEADLINE = Headline(
    "force of the cylinder with the leg up",
    "N",
    lambda run: run["cylinder"].force[-1],
    expected=-_WEIGHT / _ARM,
    tolerance=1e-4,
)
