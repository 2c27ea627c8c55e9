"""Bennett linkage: four bars and four hinges, rigid by any count, that move all the same.

Opposite bars are equal, and each bar's length is in proportion to the sine of the twist between its hinges: a /
sin(alpha) = b / sin(beta). Three bodies have 18 coordinates, four hinges 20 equations; three of them are redundant, and
`cardan mobility bennett --imperfect` reports that nothing moves with slightly wrong dimensions.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Model, Ramp, Revolute, rotation

TIMES = (0.0, 1.0, 401)
SHOW = ("A.angle", "B.angle")
START = 1.0  # the angle at A


def build(bar: float = 0.3, alpha: float = 0.7, beta: float = 1.3, speed: float = 2.0 * math.pi) -> Model:
    """Hinges A, B, C, D; AB and CD are `bar` long and twisted by alpha, BC and DA by beta."""
    model = Model("bennett")
    other = bar * math.sin(beta) / math.sin(alpha)
    at_b = angle_at_b(START, alpha, beta)
    bars = (("AB", bar, alpha, START), ("BC", other, beta, at_b), ("CD", bar, alpha, -START), ("", 0.0, 0.0, -at_b))
    previous, place, axes = model.ground, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    for hinge, (name, size, twist, bend) in zip("ABCD", bars, strict=True):
        turned = rotation.multiply(axes, rotation.from_axis_angle((0, 0, 1), bend))
        x, y, z = place.tolist()
        body = model.add(Body(position=(x, y, z), orientation=turned), name=name) if name else model.ground
        joint = Revolute(previous.world(place, orientation=axes), body.world(place, orientation=turned))
        model.add(joint, name=hinge)
        if hinge == "A":
            model.add(Driver(joint.angle, Ramp(speed, start=START)), name="motor")
        previous, place = body, place + rotation.rotate(turned, (size, 0.0, 0.0))
        axes = rotation.multiply(turned, rotation.from_axis_angle((1, 0, 0), twist))
    return model


def angle_at_b(theta: float, alpha: float = 0.7, beta: float = 1.3) -> float:
    """tan(theta / 2) tan(phi / 2) = sin((beta + alpha) / 2) / sin((beta - alpha) / 2)"""
    ratio = math.sin((beta + alpha) / 2.0) / math.sin((beta - alpha) / 2.0)
    return 2.0 * math.atan(ratio / math.tan(theta / 2.0))


HEADLINE = Headline(
    "angle at B after a quarter turn at A",
    "rad",
    lambda run: run[run.model["B"].angle].value[100],
    expected=angle_at_b(START + math.pi / 2.0),
    tolerance=1e-9,
)
