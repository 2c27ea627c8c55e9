r"""Swinging crane: a trolley on a spring with a hanging load, and the two modes in which they vibrate.

        ===[o===o]==/\/\/\=|    M = [[m1 + m2, m2 l], [m2 l, J + m2 l^2]]      K = diag(k, m2 g l)
              \
               \                det(K - w^2 M) = 0
                O               Trom's slider-pendulum: w^2 = 0.63569205 and 9.49661564 1/s2

The run starts with the load displaced, which excites both modes. `linearize(model)` computes their frequencies without
a simulation; `linearize(model).modes().bars(0)` shows how much of each body is in a mode.
"""

from __future__ import annotations

import math

from cardan import linearize
from cardan.examples import Headline
from cardan.planar import Body, Model, Revolute, Spring, Translational

ANALYSIS = "simulate"
TIMES = (0.0, 30.0, 601)
SHOW = ("trolley.x", "load.angle", "spring.force")
TROLLEY, LOAD, INERTIA, ARM, STIFFNESS, GRAVITY = 10.0, 20.0, 15.0, 1.0, 20.0, 9.81


def build(stiffness: float = STIFFNESS, damping: float = 0.0, aside: float = 0.1) -> Model:
    """`aside` is the angle at which the load starts, `damping` that of the trolley in N s/m."""
    model = Model("swinging-crane", gravity=(0.0, -GRAVITY))
    cart = [(-0.4, -0.1), (0.4, -0.1), (0.4, 0.1), (-0.4, 0.1), (-0.4, -0.1)]
    trolley = model.add(Body(mass=TROLLEY, inertia=1.0, outline=cart), name="trolley")
    place = (ARM * math.sin(aside), -ARM * math.cos(aside))
    hanging = Body(mass=LOAD, inertia=INERTIA, position=place, angle=aside, outline=[(0.0, ARM), (0.0, -ARM)])
    load = model.add(hanging, name="load")
    rail = model.add(Translational(model.ground.at(), trolley.at()), name="rail")
    model.add(Revolute(trolley.at(), load.at(0.0, ARM)), name="hook")
    model.add(Spring(rail.travel, stiffness, damping=damping, rest_length=0.0), name="spring")
    return model


# det(K - w^2 M) = 0 with M = [[30, 20], [20, 35]] and K = diag(20, 196.2): 650 w^4 - 6586 w^2 + 3924 = 0
HEADLINE = Headline(
    "square of the slower frequency at rest",
    "1/s2",
    lambda run: float(linearize(build(aside=0.0)).modes().frequencies[0] ** 2),
    expected=(6586.0 - math.sqrt(6586.0**2 - 4.0 * 650.0 * 3924.0)) / 1300.0,
    tolerance=1e-9,
)
