"""Bevel differential: two wheels that turn at different speeds, with the carrier at their mean.

A planet on the carrier meshes with both side gears. If the wheels turn alike, the planet does not turn on its pin; in a
curve it rolls on both side gears, and one wheel gains the speed that the other loses. Here the left wheel is held back.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import BevelGear, Body, Driver, Model, Point, Ramp, Revolute

TIMES = (0.0, 1.0, 401)
SHOW = ("L.angle", "R.angle", "C.angle")


def build(
    side: float = 0.04, planet: float = 0.025, carrier_speed: float = 4.0 * math.pi, left_speed: float = math.pi
) -> Model:
    """Wheels on the x axis. The pitch cones meet at the origin."""
    model = Model("bevel-differential")
    ground = model.ground
    ring = [(-1.6 * planet, 0.0, 0.0), (-1.6 * planet, 0.0, 1.5 * side), (0.0, 0.0, 1.5 * side), (0.0, 0.0, side)]
    carrier = model.add(Body(outline=ring), name="carrier")
    pinion = model.add(Body(position=(0.0, 0.0, side)), name="planet")
    left = model.add(Body(position=(-planet, 0.0, 0.0)), name="left")
    right = model.add(Body(position=(planet, 0.0, 0.0)), name="right")
    gears = {"C": (carrier, -1.6 * planet), "L": (left, -3.5 * planet), "R": (right, 3.5 * planet)}
    hinges = {n: Revolute.between(ground, body, at=(place, 0, 0), z=(1, 0, 0)) for n, (body, place) in gears.items()}
    for name, hinge in hinges.items():
        model.add(hinge, name=name)
    model.add(Revolute(carrier.at(0.0, 0.0, side), pinion.at()), name="pin")
    model.add(BevelGear(pinion.at(), left.at(z=(-1, 0, 0)), planet, side), name="left mesh")
    model.add(BevelGear(pinion.at(), right.at(z=(1, 0, 0)), planet, side), name="right mesh")
    model.add(Driver(hinges["C"].angle, Ramp(carrier_speed)), name="engine")
    model.add(Driver(hinges["L"].angle, Ramp(left_speed)), name="brake")
    model.add(Point(pinion.at(planet, 0.0, 0.0)), name="tooth")
    return model


# left + right = 2 carrier
HEADLINE = Headline(
    "turns of the right wheel while the carrier makes two and the left wheel half a turn",
    "",
    lambda run: run[run.model["R"].angle].value[-1] / (2.0 * math.pi),
    expected=2.0 * 2.0 - 0.5,
    tolerance=1e-10,
)
