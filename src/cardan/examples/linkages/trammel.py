"""Trammel of Archimedes: two sliders on crossed rails, and a bar whose points draw ellipses.

A point at distances p from one slider and q from the other has p and q as the semi-axes of its ellipse.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Point, Ramp, Revolute, Translational, angle

TIMES = (0.0, 1.0, 401)
SHOW = ("E.x", "E.y")


def build(between: float = 0.2, beyond: float = 0.15) -> Model:
    """The bar joins sliders `between` apart and ends in E, `beyond` the one on the x axis."""
    model = Model("trammel")
    ground = model.ground
    start = math.pi / 6
    low, high = between * math.cos(start), between * math.sin(start)
    across = model.add(Body(position=(low, 0.0)), name="x slider")
    upright = model.add(Body(position=(0.0, high), angle=math.pi / 2), name="y slider")
    bar = model.add(Body(position=(0.0, high), angle=-start), name="bar")
    model.add(Translational(ground.at(), across.at()), name="x rail")
    model.add(Translational(ground.at(0.0, 0.0, math.pi / 2), upright.at()), name="y rail")
    model.add(Revolute(upright.at(), bar.at()), name="A")
    model.add(Revolute(across.at(), bar.at(between, 0.0)), name="B")
    model.add(Driver(angle(ground.at(), bar.at()), Ramp(2.0 * math.pi, start=-start)), name="motor")
    model.add(Point(bar.at(between + beyond, 0.0)), name="E")
    return model


# E = ((between + beyond) cos phi, beyond sin phi), phi the angle of the bar
HEADLINE = Headline(
    "largest error of E in the equation of its ellipse",
    "",
    lambda run: float(abs((run["E"].position ** 2 / (0.35**2, 0.15**2)).sum(axis=1) - 1.0).max()),
    expected=0.0,
    tolerance=1e-10,
)
