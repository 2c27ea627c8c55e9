"""Spatial four-bar: hinges about different axes, and a coupler with a ball joint at each end.

The crank turns about the x axis, the rocker about the y axis, far away from it (Haug 10.3, the second model of the
book). The coupler is a `Distance`: as a body with two ball joints it could also spin about its axis, without effect on
the other bodies.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Distance, Driver, Model, Point, Ramp, Revolute, rotation

TIMES = (0.0, 2.0, 401)
SHOW = ("C.x", "C.z")


def build(crank: float = 2.0, coupler: float = 12.2, rocker: float = 7.4, speed: float = math.pi) -> Model:
    """The mechanism of the book; the crank points upward at the start."""
    model = Model("spatial-four-bar")
    ground = model.ground
    arm = model.add(Body(), name="crank")
    leaning = rotation.from_axis_angle((0, 1, 0), -math.radians(118.0))
    swing = model.add(Body(position=(-4.0, -8.5, 0.0), orientation=leaning), name="rocker")
    hinge = model.add(Revolute.between(ground, arm, at=(0, 0, 0), z=(1, 0, 0)), name="A")
    model.add(Distance(arm.at(0.0, 0.0, crank), swing.at(rocker, 0.0, 0.0), coupler), name="coupler")
    model.add(Revolute.between(ground, swing, at=(-4, -8.5, 0), z=(0, 1, 0)), name="D")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    model.add(Point(arm.at(0.0, 0.0, crank)), name="B")
    model.add(Point(swing.at(rocker, 0.0, 0.0)), name="C")
    return model


# |C - B| = 12.2 with B = (0, 0, -2), C = (-4 + 7.4 cos psi, -8.5, 7.4 sin psi): 59.2 cos psi - 29.6 sin psi = -1.83
HEADLINE = Headline(
    "height of C after half a turn",
    "m",
    lambda run: run["C"].position[200, 2],
    expected=7.4 * math.sin(math.acos(-1.83 / math.hypot(59.2, 29.6)) - math.atan2(29.6, 59.2)),
    tolerance=1e-9,
)
