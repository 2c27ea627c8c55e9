"""Rack and pinion: a rack pulled along a line swings as it turns a pinion on a fixed shaft.

The end P of the rack moves on the x axis; the rack stays tangent to the pinion, whose center is the origin (Haug,
example 3.4.2, in m).
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Hold, Model, Point, RackPinion, Ramp, Revolute, x, y

TIMES = (0.0, 2.0, 401)
SHOW = ("pinion.angular_velocity", "rack.angle")


def build(radius: float = 0.2, start: float = 0.8, speed: float = 0.3) -> Model:
    """The rack passes below the pinion."""
    model = Model("rack-pinion")
    ground = model.ground
    pinion = model.add(Body(), name="pinion")
    rack = model.add(Body(position=(start, 0.0), angle=-math.asin(radius / start)), name="rack")
    model.add(Revolute(ground.at(), pinion.at()), name="shaft")
    model.add(RackPinion(rack.at(), pinion.at(), radius=-radius), name="mesh")
    model.add(Hold(y(rack.at()), 0.0), name="level")
    model.add(Driver(x(rack.at()), Ramp(speed, start=start)), name="pull")
    model.add(Point(rack.at()), name="P")
    return model


# sin(phi) = -R / x, and the pinion turns by what rolls off: w = phi' - (d/dt sqrt(x^2 - R^2)) / R
_FREE = math.sqrt(0.8**2 - 0.2**2)
HEADLINE = Headline(
    "angular velocity of the pinion at the start (Haug prints -1.4524)",
    "rad/s",
    lambda run: run["pinion"].angular_velocity[0],
    expected=0.2 * 0.3 / (0.8 * _FREE) - 0.8 * 0.3 / (0.2 * _FREE),
    tolerance=1e-9,
)
