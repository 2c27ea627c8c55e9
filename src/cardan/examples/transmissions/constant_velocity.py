"""Constant-velocity joint: the drive shaft of a front wheel, uniform even while it is steered.

The half shaft turns the wheel through a homokinetic joint. A knuckle turns about the center of the joint and carries
the wheel: the wheel turns in the knuckle exactly as fast as the shaft, at any angle and while the angle changes.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.spatial import Body, ConstantVelocity, Driver, Harmonic, Model, Point, PointOnLine, Ramp, Revolute

TIMES = (0.0, 2.0, 401)
SHOW = ("king pin.angle", "rim.x", "rim.z")


def build(lock: float = 0.6, speed: float = 2.0 * math.pi) -> Model:
    """The shaft along y; the knuckle swings about z by `lock` to either side."""
    model = Model("constant-velocity")
    ground = model.ground
    shaft = model.add(Body(position=(0.0, -0.6, 0.0)), name="shaft")
    turn = np.linspace(0.0, 2.0 * np.pi, 73)
    tire = 0.3 * np.stack([np.cos(turn), 0.0 * turn + 1.0, np.sin(turn)], axis=1)
    spokes = [np.array([(0.0, 0.3, 0.0), 0.3 * np.array([math.cos(u), 1.0, math.sin(u)])]) for u in turn[:-1:24]]
    axle = np.array([(0.0, 0.0, 0.0), (0.0, 0.3, 0.0)])
    wheel = model.add(Body(outline=[tire, axle, *spokes]), name="wheel")
    arms = [[(0.0, 0.0, 0.15), (0.0, 0.15, 0.0)], [(0.0, 0.0, -0.15), (0.0, 0.15, 0.0)]]
    knuckle = model.add(Body(outline=arms), name="knuckle")
    along = {"z": (0, 1, 0), "x": (1, 0, 0)}
    drive = model.add(Revolute(ground.at(0.0, -0.6, 0.0, **along), shaft.at(**along)), name="bearing")
    model.add(ConstantVelocity(shaft.at(0.0, 0.6, 0.0, **along), wheel.at(**along)), name="joint")
    pin = model.add(Revolute(ground.at(0.0, 0.0, 0.15), knuckle.at(0.0, 0.0, 0.15)), name="king pin")
    model.add(PointOnLine(knuckle.at(**along), wheel.at(0.0, 0.15, 0.0)), name="hub")
    model.add(Driver(drive.angle, Ramp(speed)), name="engine")
    model.add(Driver(pin.angle, Harmonic(lock, math.pi)), name="steering")
    model.add(Point(wheel.at(0.3, 0.3, 0.0)), name="rim")
    return model


HEADLINE = Headline(
    "slowest turn of the wheel about its axle: as fast as the shaft",
    "rad/s",
    lambda run: float(run["wheel"].angular_velocity_b[:, 1].min()),
    expected=2.0 * math.pi,
    tolerance=1e-9,
)
