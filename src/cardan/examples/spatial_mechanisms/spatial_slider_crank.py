"""Spatial slider-crank: a crank that turns in one plane moves a slider perpendicular to it.

           crank  o B          The crank turns about the x axis, off the line on which the slider runs along x. The rod
                 /  \\          has a ball at the crank and a cross at the slider, which keeps it from spinning
          A  -o-     \\ rod     (Haug 10.2):
                      \\
         ============[C]===    x^2 = l^2 - (0.1 + 0.08 cos phi)^2 - (0.12 + 0.08 sin phi)^2

A rod shorter than 0.2362 m, the farthest that B gets from the line, locks up: `-p rod=0.23`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Model, Ramp, Revolute, Spherical, Translational, Universal, rotation

TIMES = (0.0, 1.0, 361)
SHOW = ("slider.x", "slider.ax")
VARIATION = {"rod": (0.3, 0.27, 0.24)}  # Haug 10.2.4


def build(rod: float = 0.3, crank: float = 0.08, speed: float = 2.0 * math.pi) -> Model:
    """The mechanism of the book; the crank stands upright at the start."""
    model = Model("spatial-slider-crank")
    ground = model.ground
    upright = rotation.from_axis_angle((1, 0, 0), math.pi / 2)
    arm = model.add(Body(position=(0.0, 0.1, 0.12), orientation=upright), name="crank")
    link = model.add(Body(position=(0.1, 0.05, 0.1), orientation=(-0.21, 0.4, -0.1)), name="rod")
    slider = model.add(Body(position=(0.2, 0.0, 0.0)), name="slider")
    hinge = Revolute(ground.at(0.0, 0.1, 0.12, z=(1, 0, 0), x=(0, 1, 0)), arm.at(z=(1, 0, 0), x=(0, 1, 0)))
    model.add(hinge, name="A")
    model.add(Spherical(arm.at(0.0, crank, 0.0), link.at(-rod / 2, 0.0, 0.0)), name="B")
    model.add(Universal(link.at(rod / 2, 0.0, 0.0, z=(0, 1, 0)), slider.at(z=(1, 0, 0))), name="C")
    model.add(Translational(ground.at(z=(1, 0, 0)), slider.at(z=(1, 0, 0))), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed, start=math.pi / 2)), name="motor")
    return model


# x x'' + x'^2 = 0.0096 w^2 where the crank is upright, with x = 0.2 m and x' = 0.04 w
HEADLINE = Headline(
    "acceleration of the slider where the crank is upright",
    "m/s2",
    lambda run: run["slider"].acceleration[0, 0],
    expected=(0.0096 - 0.04**2) * (2.0 * math.pi) ** 2 / 0.2,
    tolerance=1e-9,
)
