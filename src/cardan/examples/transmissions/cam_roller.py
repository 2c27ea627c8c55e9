"""Cam and roller: a cam designed for a given lift, splined through its points, and the lift it really gives.

The center of the roller is to rise by lift sin^4(alpha / 2) as the cam turns. Its path relative to the cam is the pitch
curve; the cam lies one roller radius inside it. The analysis takes the outline as a spline through points, finds the
contact, and returns the desired lift.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, CamRoller, CurveThrough, Driver, Model, Ramp, Revolute, Translational

TIMES = (0.0, 1.0, 401)
SHOW = ("follower.y", "follower.ay")


def build(base: float = 0.05, lift: float = 0.02, roller: float = 0.01, points: int = 90) -> Model:
    """The cam under an upright follower, turning once a second; `base` is the least distance of roller and shaft."""
    model = Model("cam-roller")
    ground = model.ground
    outline = CurveThrough(cam_points(base, lift, roller, int(points)), degree=5)
    cam = model.add(Body(), name="cam")
    follower = model.add(Body(position=(0.0, base + lift / 4)), name="follower")
    shaft = model.add(Revolute(ground.at(), cam.at()), name="A")
    model.add(CamRoller(cam.profile(outline), follower.at(), roller), name="contact")
    model.add(Translational(ground.at(0.0, 1.8 * base, math.pi / 2), follower.at(0.0, base, math.pi / 2)), name="guide")
    model.add(Driver(shaft.angle, Ramp(2.0 * math.pi)), name="motor")
    return model


def cam_points(base: float, lift: float, roller: float, count: int) -> np.ndarray:
    """The outline that lifts the roller as wanted: one roller radius inside the pitch curve."""
    alpha = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    rho = base + lift * np.sin(alpha / 2) ** 4
    slope = 2.0 * lift * np.sin(alpha / 2) ** 3 * np.cos(alpha / 2)
    ray, across = np.array([np.cos(alpha), np.sin(alpha)]), np.array([-np.sin(alpha), np.cos(alpha)])
    normal = (rho * ray - slope * across) / np.hypot(rho, slope)
    return (rho * ray - roller * normal).T


# The follower stands at alpha = pi / 2 - phi of the cam: after three quarters of a turn at alpha = -pi, the top, where
# d2/dalpha2 of lift sin^4(alpha / 2) is -lift.
HEADLINE = Headline(
    "acceleration of the follower at the top of the cam",
    "m/s2",
    lambda run: run.at(0.75)["follower"].acceleration[1],
    expected=-0.02 * (2.0 * math.pi) ** 2,
    tolerance=1e-4,  # the outline is a spline through 90 points
)
