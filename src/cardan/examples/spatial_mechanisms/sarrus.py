"""Sarrus linkage: hinges only, and a platform that moves straight up and down.

Two pairs of plates, hinged about perpendicular axes, hold the platform: each pair alone lets it move in its own plane,
and both planes have only the vertical line in common. It is the oldest exact straight-line mechanism. One of the thirty
equations is redundant: both pairs prevent rotation of the platform about the vertical.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Harmonic, Model, Point, Revolute, rotation

TIMES = (0.0, 1.0, 401)
SHOW = ("middle.z", "A1.angle")


def build(plate: float = 0.3, half: float = 0.2, mean: float = 0.8, swing: float = 0.5) -> Model:
    """A square platform above the origin; the lower plates stand at the angle `mean` and swing about it."""
    model = Model("sarrus")
    height, knee = 2.0 * plate * math.sin(mean), half + plate * math.cos(mean)
    corners = half * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (-1, -1, 0)])
    deck = model.add(Body(position=(0.0, 0.0, height), outline=corners), name="platform")
    width = 0.5 * half
    sheet = np.array([(0, -width, 0), (plate, -width, 0), (plate, width, 0), (0, width, 0), (0, -width, 0)])
    for k, way in ((1, 0.0), (2, math.pi / 2)):  # the pair toward x, the pair toward y
        facing = rotation.from_axis_angle((0, 0, 1), way)
        out, axis = rotation.rotate(facing, (1.0, 0.0, 0.0)), rotation.rotate(facing, (0.0, -1.0, 0.0))
        foot, top = half * out, half * out + (0.0, 0.0, height)
        bend = knee * out + (0.0, 0.0, height / 2.0)
        rising = rotation.multiply(facing, rotation.from_axis_angle((0, 1, 0), -mean))
        sinking = rotation.multiply(facing, rotation.from_axis_angle((0, 1, 0), mean))
        lower = model.add(Body(position=tuple(foot), orientation=rising, outline=sheet), name=f"lower {k}")
        upper = model.add(Body(position=tuple(top), orientation=sinking, outline=sheet), name=f"upper {k}")
        foot_hinge = Revolute(model.ground.at(foot, z=axis, x=out), lower.at(z=(0, -1, 0), x=(1, 0, 0)))
        model.add(foot_hinge, name=f"A{k}")
        model.add(Revolute.between(lower, upper, at=bend, z=axis), name=f"B{k}")
        model.add(Revolute.between(upper, deck, at=top, z=axis), name=f"C{k}")
        if k == 1:
            model.add(Driver(foot_hinge.angle, Harmonic(swing, 2.0 * math.pi, offset=mean)), name="motor")
    model.add(Point(deck.at()), name="middle")
    return model


HEADLINE = Headline(
    "height of the platform at the top of its stroke: twice the plate times the sine of its angle",
    "m",
    lambda run: run["middle"].position[100, 2],
    expected=2.0 * 0.3 * math.sin(0.8 + 0.5),
    tolerance=1e-9,
)
