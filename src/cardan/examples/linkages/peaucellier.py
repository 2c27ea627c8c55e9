"""Peaucellier-Lipkin linkage: seven bars with pins only, and a point that moves on an exact straight line.

          o                 OP . OQ = l^2 - s^2: Q is the inverse of P. The crank EP is as long as OE,
    l  .  | .  s            so P runs on a circle through O, whose inverse is a straight line:
   .      |   .             x = (l^2 - s^2) / (2 OE)
O o--E-- P o     o Q        with the dimensions of the DADS-2D sample problem, in m: 15
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Harmonic, Model, Point, Revolute

TIMES = (0.0, 2.0 * math.pi, 401)
SHOW = ("Q.y", "crank.angle")


def build(arm: float = math.sqrt(200.0), side: float = math.sqrt(50.0), base: float = 5.0, swing: float = 1.2) -> Model:
    """The linkage with its crank on the x axis, swinging to and fro."""
    model = Model("peaucellier")
    ground = model.ground
    near, far = 2.0 * base, (arm**2 - side**2) / (2.0 * base)  # where P and Q start
    half = (far + near) / 2.0
    top = math.sqrt(arm**2 - half**2)

    def bar(name: str, start: tuple[float, float], end: tuple[float, float]) -> Body:
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        return model.add(Body(position=start, angle=angle), name=name)

    crank = bar("crank", (base, 0.0), (near, 0.0))
    hinge = model.add(Revolute(ground.at(base, 0.0), crank.at()), name="E")
    outer = []
    for k, corner in ((1, (half, top)), (2, (half, -top))):  # the upper and the lower half
        long = bar(f"arm {k}", (0.0, 0.0), corner)
        inner = bar(f"inner {k}", (near, 0.0), corner)
        outer.append(bar(f"outer {k}", corner, (far, 0.0)))
        model.add(Revolute(ground.at(0.0, 0.0), long.at()), name=f"O{k}")
        model.add(Revolute(crank.at(base, 0.0), inner.at()), name=f"P{k}")
        model.add(Revolute(long.at(arm, 0.0), inner.at(side, 0.0)), name=f"A{k}")
        model.add(Revolute(long.at(arm, 0.0), outer[-1].at()), name=f"B{k}")
    model.add(Revolute(outer[0].at(side, 0.0), outer[1].at(side, 0.0)), name="C")
    model.add(Driver(hinge.angle, Harmonic(swing, 1.0)), name="motor")
    model.add(Point(outer[0].at(side, 0.0)), name="Q")
    return model


HEADLINE = Headline(
    "largest distance of Q from the line x = 15",
    "m",
    lambda run: float(abs(run["Q"].position[:, 0] - 15.0).max()),
    expected=0.0,
    tolerance=1e-8,
)
