"""Slider-crank: the mechanism of piston engines, pumps and presses.

                 B
                o
         crank / \\   rod
              o    \\
             A       [C]  slider
          ///////  =========

The crank turns at constant speed; the slider passes the outer dead point quickly and the inner one slowly. The shorter
the rod, the larger the difference: `-p rod=0.25`. With a rod shorter than the crank it locks up: `-p rod=0.15`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Ramp, Revolute, Translational

TIMES = (0.0, 2.0 * math.pi / 10.0, 361)
SHOW = ("slider.x", "slider.ax")
VARIATION = {"rod": (0.35, 0.25, 0.22, 0.21)}  # as Haug 5.2 shortens it, relative to the crank


def build(crank: float = 0.2, rod: float = 0.5, speed: float = 10.0) -> Model:
    """A slider-crank that starts at its outer dead point."""
    model = Model("slider-crank", gravity=(0.0, -9.81))
    ground = model.ground
    arm = model.add(Body(mass=1.0, inertia=0.01, position=(crank / 2, 0.0)), name="crank")
    link = model.add(Body(mass=1.0, inertia=0.02, position=(crank + rod / 2, 0.0)), name="rod")
    slider = model.add(Body(mass=2.0, inertia=0.01, position=(crank + rod, 0.0)), name="slider")
    hinge = model.add(Revolute(ground.at(0.0, 0.0), arm.at(-crank / 2, 0.0)), name="A")
    model.add(Revolute(arm.at(crank / 2, 0.0), link.at(-rod / 2, 0.0)), name="B")
    model.add(Revolute(link.at(rod / 2, 0.0), slider.at(0.0, 0.0)), name="C")
    model.add(Translational(ground.at(0.0, 0.0), slider.at(0.0, 0.0)), name="guide")
    model.add(Driver(hinge.angle, Ramp(speed)), name="motor")
    return model


# a = -w^2 (r + r^2 / l) with r = 0.2 m, l = 0.5 m, w = 10 rad/s
HEADLINE = Headline(
    "acceleration of the slider at the outer dead point",
    "m/s2",
    lambda run: run["slider"].acceleration[0, 0],
    expected=-(10.0**2) * (0.2 + 0.2**2 / 0.5),
    tolerance=1e-9,
)
