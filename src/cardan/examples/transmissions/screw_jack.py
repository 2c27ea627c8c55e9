"""Screw jack: turning a handle lifts a platform by one pitch per turn.

The nut is the ground. The platform slides on a post beside the screw and rests on its head: a point in a plane, without
redundancy.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.spatial import Body, Driver, Model, Point, PointInPlane, Ramp, Screw, Translational

TIMES = (0.0, 4.0, 401)
SHOW = ("platform.z", "motor")


def build(pitch: float = 0.02, speed: float = 2.0 * math.pi) -> Model:
    """A screw along z with its head 0.2 above the nut."""
    model = Model("screw-jack")
    ground = model.ground
    handle = [(0.0, 0.0, -0.12), (0.0, 0.0, 0.2), (0.0, 0.0, 0.16), (0.1, 0.0, 0.16), (0.1, 0.0, 0.13)]
    spindle = model.add(Body(outline=handle), name="screw")
    plate = [(-0.08, -0.06, 0.0), (0.15, -0.06, 0.0), (0.15, 0.06, 0.0), (-0.08, 0.06, 0.0), (-0.08, -0.06, 0.0)]
    platform = model.add(Body(position=(0.0, 0.0, 0.2), outline=plate), name="platform")
    thread = model.add(Screw(ground.at(), spindle.at(), pitch=pitch, start_angle=0.0), name="thread")
    model.add(Translational(ground.at(0.15, 0.0, 0.2), platform.at(0.15, 0.0, 0.0)), name="post")
    model.add(PointInPlane(platform.at(), spindle.at(0.0, 0.0, 0.2)), name="head")
    model.add(Driver(thread.angle, Ramp(speed)), name="motor")
    model.add(Point(spindle.at(0.1, 0.0, 0.13)), name="knob")
    return model


HEADLINE = Headline(
    "lift after four turns",
    "m",
    lambda run: run["platform"].position[-1, 2] - 0.2,
    expected=4 * 0.02,
    tolerance=1e-10,
)
