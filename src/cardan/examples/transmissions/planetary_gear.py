"""Planetary gear: sun, three planets on a carrier, and a fixed ring around them.

The sun drives; the planets roll in the ring and drive the carrier, slower by 1 + ring / sun. Only the first planet is
meshed with the sun in the model: the equations of the others would be redundant.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Gear, Model, Point, Ramp, Revolute

TIMES = (0.0, 1.0, 401)
SHOW = ("sun.angle", "carrier.angle")


def build(sun: float = 0.03, planet: float = 0.02, speed: float = 8.0 * math.pi) -> Model:
    """A gear set whose ring has the radius sun + 2 planet."""
    model = Model("planetary-gear")
    ground = model.ground
    ring, orbit = sun + 2.0 * planet, sun + planet
    wheel = model.add(Body(), name="sun")
    third = 2.0 * math.pi / 3.0
    pins = [(orbit * math.cos(k * third), orbit * math.sin(k * third)) for k in range(3)]
    carrier = model.add(Body(outline=[[(0.0, 0.0), pin] for pin in pins]), name="carrier")
    shaft = model.add(Revolute(ground.at(), wheel.at()), name="A")
    model.add(Revolute(ground.at(), carrier.at()), name="B")
    for k, (x, y) in enumerate(pins):
        gear = model.add(Body(position=(x, y)), name=f"planet {k + 1}")
        model.add(Revolute(carrier.at(x, y), gear.at()), name=f"pin {k + 1}")
        model.add(Gear(ground.at(), gear.at(), ring, planet, internal=True), name=f"ring mesh {k + 1}")
        if k == 0:
            model.add(Gear(wheel.at(), gear.at(), sun, planet), name="sun mesh")
            model.add(Point(gear.at(planet, 0.0)), name="tooth")
    model.add(Driver(shaft.angle, Ramp(speed)), name="motor")
    return model


# carrier / sun = sun radius / (sun radius + ring radius)
HEADLINE = Headline(
    "turns of the carrier while the sun makes four",
    "",
    lambda run: run["carrier"].angle[-1] / (2.0 * math.pi),
    expected=4.0 * 0.03 / (0.03 + 0.07),
    tolerance=1e-10,
)
