"""Excavator: a boom and a bucket moved by two hydraulic cylinders.

Each cylinder is a driver on a distance; the two run at different speeds (Haug, example 3.5.3, in m).
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Point, Ramp, Revolute, length

TIMES = (0.0, 2.5, 251)
SHOW = ("boom.angle", "bucket.angle")
ROOT3 = math.sqrt(3.0)


def build(boom_speed: float = 0.2, bucket_speed: float = 0.1) -> Model:
    """Boom 2 sqrt(3) long; cylinders of 1.8 and 1.9 at the start."""
    model = Model("excavator")
    ground = model.ground
    boom_line = [(0.0, 0.0), (ROOT3, 1.0), (2.0 * ROOT3, 0.0), (ROOT3, -0.25), (0.0, 0.0)]
    bucket_line = [(0.0, 0.5), (0.25, 0.0), (0.1, -0.7), (0.9, -0.75), (0.75, 0.1), (0.0, 0.5)]
    boom = model.add(Body(angle=0.68, outline=boom_line), name="boom")
    bucket = model.add(Body(position=(2.7, 2.18), angle=0.48, outline=bucket_line), name="bucket")
    model.add(Revolute(ground.at(), boom.at()), name="A")
    model.add(Revolute(boom.at(2.0 * ROOT3, 0.0), bucket.at()), name="B")
    lift = length(ground.at(0.5, -0.5), boom.at(ROOT3, 0.0))
    tilt = length(boom.at(ROOT3, 1.0), bucket.at(0.0, 0.5))
    model.add(Driver(lift, Ramp(boom_speed, start=1.8)), name="lift")
    model.add(Driver(tilt, Ramp(bucket_speed, start=1.9)), name="tilt")
    model.add(Point(bucket.at(0.9, -0.75)), name="teeth")
    return model


# L^2 = 3.5 - 2 sqrt(1.5) cos(phi + pi/4), so L L' = sqrt(1.5) sin(phi + pi/4) phi'
_OPENING = math.acos((3.5 - 1.8**2) / (2.0 * math.sqrt(1.5)))
HEADLINE = Headline(
    "angular velocity of the boom at the start",
    "rad/s",
    lambda run: run["boom"].angular_velocity[0],
    expected=1.8 * 0.2 / (math.sqrt(1.5) * math.sin(_OPENING)),
    tolerance=1e-9,
)
