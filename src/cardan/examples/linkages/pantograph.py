"""Pantograph: a pen draws an enlarged copy of the path of a tracer.

    O                                  O is fixed; bars OD and DQ are long, AP and PE close a parallelogram
     \\  A                              with them:  OA = OD / k,  AP = DE = DQ / k,  hence OQ = k OP
      o----.P
       \\    \\.                         whatever the tracer P does, the pen Q does k times as large
        D----o---.Q
             E

The tracer follows a figure eight, 0.1 m wide. Two drivers place it, as the hand of a drafter does: the linkage has two
degrees of freedom. `-p scale=3` draws larger.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Harmonic, Model, Point, Revolute, x, y

TIMES = (0.0, 1.0, 401)
SHOW = ("tracer.x", "tracer.y", "pen.x", "pen.y")
UPPER, LOWER = -1.2, 0.3  # slopes of the bars where the model is stated
WIDTH, HEIGHT, TURN = 0.05, 0.03, 2.0 * math.pi


def build(scale: float = 2.0, bar: float = 0.4) -> Model:
    """`bar` is the length of OD and of DQ; the frames of the bodies are at their upper or left ends."""
    model = Model("pantograph")
    ground, short = model.ground, bar / scale
    knee = (bar * math.cos(UPPER), bar * math.sin(UPPER))
    elbow = (knee[0] / scale, knee[1] / scale)
    place = (elbow[0] + short * math.cos(LOWER), elbow[1] + short * math.sin(LOWER))
    arm = model.add(Body(angle=UPPER), name="OD")
    beam = model.add(Body(position=knee, angle=LOWER), name="DQ")
    guide = model.add(Body(position=elbow, angle=LOWER), name="AP")
    strut = model.add(Body(position=place, angle=UPPER), name="PE")
    model.add(Revolute(ground.at(), arm.at()), name="O")
    model.add(Revolute(arm.at(short, 0.0), guide.at()), name="A")
    model.add(Revolute(arm.at(bar, 0.0), beam.at()), name="D")
    model.add(Revolute(guide.at(short, 0.0), strut.at()), name="P")
    model.add(Revolute(strut.at(bar - short, 0.0), beam.at(short, 0.0)), name="E")
    model.add(Driver(x(guide.at(short, 0.0)), Harmonic(WIDTH, TURN, offset=place[0])), name="finger x")
    model.add(Driver(y(guide.at(short, 0.0)), Harmonic(HEIGHT, 2.0 * TURN, offset=place[1])), name="finger y")
    model.add(Point(guide.at(short, 0.0)), name="tracer")
    model.add(Point(beam.at(bar, 0.0)), name="pen")
    return model


# k times the speed of the tracer, sqrt((a w)^2 + (2 b w)^2) in the middle of the eight
HEADLINE = Headline(
    "speed of the pen in the middle of the eight",
    "m/s",
    lambda run: float(math.hypot(*run["pen"].velocity[0])),
    expected=2.0 * TURN * math.hypot(WIDTH, 2.0 * HEIGHT),
    tolerance=1e-9,
)
