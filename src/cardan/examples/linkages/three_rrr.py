"""Planar robot 3-RRR: three two-link arms move a platform around a circle while it rocks.

             B3                    each arm: a crank r at its motor, a rod l to its corner of the platform
              o
           l / \\                   crank angle = atan2(d) + acos((r^2 + d^2 - l^2) / 2 r d)
          __/___\\                  where d is the way from the motor to the corner
     o---o  /    \\ o---o
    B1     '------'     B2         the motors stand still and the platform is light: such robots are fast

The motors follow this closed form, which a driver uses directly; the analysis computes the resulting motion of the
platform and the torques. With `-p rod=0.2` the arms are too short to reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cardan.examples import Headline
from cardan.planar import Body, Driver, Function, Model, Revolute, matter

ANALYSIS = "inverse_dynamics"
TIMES = (0.0, 1.0, 201)
SHOW = ("platform.x", "platform.y", "servo 1.force", "servo 2.force", "servo 3.force")
BASE, PLATFORM, RADIUS, ROCK, TURN = 0.5, 0.12, 0.06, 0.2, 2.0 * math.pi


def build(rod: float = 0.28, crank: float = 0.25) -> Model:
    """The platform starts a circle's radius right of the middle; all elbows are bent the same way."""
    model = Model("three-rrr")
    ground = model.ground
    directions = [math.radians(210.0 + 120.0 * k) for k in range(3)]
    corners = [(PLATFORM * math.cos(toward), PLATFORM * math.sin(toward)) for toward in directions]
    plate = model.add(Body(mass=matter.polygon(corners, mass=1.0), position=(RADIUS, 0.0)), name="platform")
    for k, (toward, corner) in enumerate(zip(directions, corners, strict=True), 1):
        foot = (BASE * math.cos(toward), BASE * math.sin(toward))
        wanted = _crank_angle(foot, corner, crank, rod)
        lean = float(wanted(0.0))
        elbow = (foot[0] + crank * math.cos(lean), foot[1] + crank * math.sin(lean))
        reach = math.atan2(corner[1] - elbow[1], RADIUS + corner[0] - elbow[0])
        arm = matter.rod(crank, mass=0.5).moved((crank / 2, 0.0))
        link = matter.rod(rod, mass=0.3).moved((rod / 2, 0.0))
        upper = model.add(Body(mass=arm, position=foot, angle=lean), name=f"crank {k}")
        lower = model.add(Body(mass=link, position=elbow, angle=reach), name=f"rod {k}")
        motor = model.add(Revolute(ground.at(*foot), upper.at()), name=f"motor {k}")
        model.add(Revolute(upper.at(crank, 0.0), lower.at()), name=f"elbow {k}")
        model.add(Revolute(lower.at(rod, 0.0), plate.at(*corner)), name=f"hand {k}")
        model.add(Driver(motor.angle, Function(wanted)), name=f"servo {k}")
    return model


def _crank_angle(
    foot: tuple[float, float], corner: tuple[float, float], crank: float, rod: float
) -> Callable[[float], float]:
    """The angle of a motor over time. An arm that is too short points at its corner and leaves the rest to assembly."""
    start = math.atan2(-foot[1], -foot[0])  # toward the middle: angles are counted from there, and do not jump

    def wanted(t: float) -> float:
        rock = ROCK * np.sin(TURN * t)
        dx = RADIUS * np.cos(TURN * t) + corner[0] * np.cos(rock) - corner[1] * np.sin(rock) - foot[0]
        dy = RADIUS * np.sin(TURN * t) + corner[0] * np.sin(rock) + corner[1] * np.cos(rock) - foot[1]
        along, across = dx * np.cos(start) + dy * np.sin(start), dy * np.cos(start) - dx * np.sin(start)
        far = np.sqrt(dx * dx + dy * dy)
        opening = (crank * crank + far * far - rod * rod) / (2.0 * crank * far)
        return start + np.arctan2(across, along) + np.arccos(min(1.0, max(-1.0, opening)))

    return wanted


# the task: a rocking of 0.2 rad once a second
HEADLINE = Headline(
    "angular velocity of the platform at the start",
    "rad/s",
    lambda run: run["platform"].angular_velocity[0],
    expected=ROCK * TURN,
    tolerance=1e-9,
)
