"""The motion of a vehicle during a maneuver: steering, yaw rate, lateral acceleration, side slip, roll, path and speed.

The road is the global xy plane; forward is the x axis of the body, left its y axis. Both spaces have the same names.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cardan.model.measure import Readable
from cardan.postprocess.vehicle import Curve, LevelMotion
from cardan.results.trajectory import Trajectory

QUANTITIES = ("yaw_rate", "lateral_acceleration", "side_slip", "roll")
UNITS = {"yaw_rate": "rad/s", "lateral_acceleration": "m/s2", "side_slip": "rad", "roll": "rad"}


class HandlingMotion(LevelMotion):
    """A body of a computed run as a vehicle, with its steering measure; `test.motion` of every maneuver.

    `steering` is the steering angle of the wheels: the steering measure over the steering ratio.
    """

    def __init__(self, run: Trajectory, body: Any, steering: Readable, steering_ratio: float) -> None:
        self.run, self.body = run, body
        self._steering, self._ratio = steering, steering_ratio
        self._point = run[body.at()]
        self._ahead, self._across = np.eye(len(body.position))[:2]

    @cached_property
    def steering(self) -> Curve:
        """rad."""
        parts = self._steering.parts()
        total = sum(factor * np.asarray(self.run[measure].value, float) for factor, measure in parts)
        return np.asarray(total / self._ratio)

    @property
    def yaw(self) -> Curve:
        """rad, full turns counted."""
        if self._planar:
            return np.asarray(self.run[self.body].angle, float)
        ahead = self.run[self.body].matrix[:, :, 0]
        return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))

    @cached_property
    def yaw_rate(self) -> Curve:
        """rad/s, positive to the left."""
        rate = np.asarray(self.run[self.body].angular_velocity, float)
        return rate if self._planar else rate[:, 2]

    @cached_property
    def roll(self) -> Curve:
        """rad, positive leans to the right; zero in the plane."""
        if self._planar:
            return np.zeros_like(self.times)
        left = self.run[self.body].matrix[:, :, 1]
        return np.arcsin(np.clip(left[:, 2], -1.0, 1.0))

    def table(self) -> dict[str, Curve]:
        """All quantities as named columns, time first."""
        columns = {"time": self.times, "x": self.path[:, 0], "y": self.path[:, 1], "yaw": self.yaw}
        return columns | {name: getattr(self, name) for name in ("steering", "speed", *QUANTITIES)}

    @property
    def _planar(self) -> bool:
        return len(self.body.position) == 2
