"""Four-bar linkage: a crank, a coupler, a rocker, and the path of a coupler point.

The crank rotates, the rocker swings. The dimensions are those of Haug, section 5.3: crank 2, coupler 4, rocker 3,
pivots at (0, 0) and (4, -1), all in m. `-p rocker=1.9 -p height=0.1` is Haug's variant that locks up.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Point, Ramp, Revolute

TIMES = (0.0, 1.0, 401)
SHOW = ("rocker.angle", "rocker.angular_acceleration")
# Haug 5.3: shorter rockers, their pivot raised with them; the last one locks
VARIATION = [{"rocker": length, "height": 2.0 - length} for length in (3.0, 2.5, 2.2, 2.1, 1.9)]


def build(
    crank: float = 2.0, coupler: float = 4.0, rocker: float = 3.0, base: float = 4.0, height: float = -1.0
) -> Model:
    """The linkage with its crank upright, turning once a second."""
    model = Model("four-bar")
    ground = model.ground
    arm = model.add(Body(position=(0.0, crank / 2), angle=math.pi / 2), name="crank")
    bar = model.add(Body(position=(coupler / 2, crank)), name="coupler")
    swing = model.add(Body(position=(base, height + rocker / 2), angle=math.pi / 2), name="rocker")
    hinge = model.add(Revolute(ground.at(0.0, 0.0), arm.at(-crank / 2, 0.0)), name="A")
    model.add(Revolute(arm.at(crank / 2, 0.0), bar.at(-coupler / 2, 0.0)), name="B")
    model.add(Revolute(bar.at(coupler / 2, 0.0), swing.at(rocker / 2, 0.0)), name="C")
    model.add(Revolute(swing.at(-rocker / 2, 0.0), ground.at(base, height)), name="D")
    model.add(Driver(hinge.angle, Ramp(2.0 * math.pi, start=math.pi / 2)), name="motor")
    model.add(Point(bar.at(0.0, coupler / 4)), name="E")
    return model


# After half a turn B is at (0, -2), so BD^2 = 17, and the law of cosines gives the angle between DB and DC = 3.
HEADLINE = Headline(
    "angle of the rocker after half a turn",
    "rad",
    lambda run: run.at(0.5)["rocker"].angle,
    expected=math.pi + math.atan2(1.0, 4.0) - math.acos((17.0 + 9.0 - 16.0) / (2.0 * math.sqrt(17.0) * 3.0)),
    tolerance=1e-9,
)
