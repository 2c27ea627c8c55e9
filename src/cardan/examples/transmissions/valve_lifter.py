"""Valve lifter: an eccentric cam, a flat-faced follower, a rocker and a valve at 20 revolutions per second.

The follower's face stays on the cam, pins slide along the rocker, and the valve moves down as the follower moves up
(Haug, section 5.6, here in m). A larger eccentricity opens it further: `-p eccentricity=0.0045`.
"""

from __future__ import annotations

import math

from cardan.examples import Headline
from cardan.planar import Body, CamFlat, Circle, Driver, Model, PinInSlot, Ramp, Revolute, Translational

TIMES = (0.0, 0.05, 401)
SHOW = ("valve.y", "valve.vy")
VARIATION = {"eccentricity": (0.0025, 0.0035, 0.0045)}  # Haug 5.6


def build(eccentricity: float = 0.0025, radius: float = 0.0125, speed: float = 40.0 * math.pi) -> Model:
    """The valve train in its lowest position."""
    model = Model("valve-lifter")
    ground = model.ground
    up, down = math.pi / 2, -math.pi / 2
    lift = eccentricity - 0.0025  # the camshaft is raised for the valve to start closed
    cam = model.add(Body(position=(0.0, lift - eccentricity)), name="cam")
    follower = model.add(Body(position=(0.0, 0.16), angle=up), name="follower")
    rocker = model.add(Body(position=(0.06, 0.31)), name="rocker")
    valve = model.add(Body(position=(0.12, 0.235), angle=down), name="valve")
    shaft = model.add(Revolute(ground.at(0.0, lift), cam.at(0.0, eccentricity)), name="B")
    model.add(Revolute(ground.at(0.06, 0.31), rocker.at(0.0, 0.0)), name="C")
    model.add(CamFlat(cam.profile(Circle(radius)), follower.at(-0.15, 0.0, up), length=(-0.02, 0.02)), name="contact")
    model.add(Translational(ground.at(0.0, 0.16, up), follower.at(0.0, 0.0)), name="follower guide")
    model.add(Translational(ground.at(0.12, 0.235, down), valve.at(0.0, 0.0)), name="valve guide")
    model.add(PinInSlot(rocker.at(-0.06, 0.0), follower.at(0.15, 0.0)), name="D")
    model.add(PinInSlot(rocker.at(0.06, 0.0), valve.at(-0.075, 0.0)), name="E")
    model.add(Driver(shaft.angle, Ramp(speed)), name="motor")
    return model


# y = 0.235 m - e (1 - cos wt)
HEADLINE = Headline(
    "speed of the valve a quarter turn after it starts to open",
    "m/s",
    lambda run: run.at(0.0125)["valve"].velocity[1],
    expected=-0.0025 * 40.0 * math.pi,
    tolerance=1e-9,
)
