"""Oldham coupling: two offset parallel shafts, and a floating disk that makes them turn alike.

The disk slides across both hubs, in two perpendicular slots. The shafts turn at exactly the same speed; the center of
the disk moves on a circle whose diameter is the offset, twice per turn.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Model, Point, Ramp, Revolute, Translational

TIMES = (0.0, 1.0, 401)
SHOW = ("output.angle", "M.vx", "M.vy")


def build(offset: float = 0.02, speed: float = 2.0 * math.pi) -> Model:
    """Shafts at the origin and at (offset, 0)."""
    model = Model("oldham")
    ground = model.ground
    turn = np.linspace(0.0, 2.0 * np.pi, 97)
    rim = 2.5 * offset * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    disk = model.add(Body(outline=rim), name="disk")
    key = offset * np.array([(-2.3, -0.2), (2.3, -0.2), (2.3, 0.2), (-2.3, 0.2), (-2.3, -0.2)])
    hub = model.add(Body(outline=key), name="input")
    other = model.add(Body(position=(offset, 0.0), outline=key[:, ::-1]), name="output")
    shaft = model.add(Revolute(ground.at(0.0, 0.0), hub.at()), name="A")
    model.add(Revolute(ground.at(offset, 0.0), other.at()), name="B")
    model.add(Translational(hub.at(), disk.at()), name="slot 1")
    model.add(Translational(other.at(0.0, 0.0, math.pi / 2), disk.at(0.0, 0.0, math.pi / 2)), name="slot 2")
    model.add(Driver(shaft.angle, Ramp(speed)), name="motor")
    model.add(Point(disk.at()), name="M")
    return model


HEADLINE = Headline(
    "speed of the disk's center: offset times angular velocity",
    "m/s",
    lambda run: float(np.hypot(*run["M"].velocity[100])),
    expected=0.02 * 2.0 * math.pi,
    tolerance=1e-10,
)
