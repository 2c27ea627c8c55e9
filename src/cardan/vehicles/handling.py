"""The motion of a vehicle during a maneuver: steering, yaw rate, lateral acceleration, side slip, roll, path and speed.

The road is the global xy plane; forward is the x axis of the body, left its y axis. Both spaces have the same names.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.model.measure import Readable
from cardan.results.trajectory import Trajectory

Curve = NDArray[np.float64]
QUANTITIES = ("yaw_rate", "lateral_acceleration", "side_slip", "roll")
UNITS = {"yaw_rate": "rad/s", "lateral_acceleration": "m/s2", "side_slip": "rad", "roll": "rad"}


class HandlingMotion:
    """A body of a computed run as a vehicle, with its steering measure; `test.motion` of every maneuver.

    `steering` is the steering angle of the wheels: the steering measure over the steering ratio.
    """

    def __init__(self, run: Trajectory, body: Any, steering: Readable, steering_ratio: float) -> None:
        self.run, self.body = run, body
        self._steering, self._ratio = steering, steering_ratio

    @property
    def times(self) -> Curve:
        return self.run.times

    @cached_property
    def steering(self) -> Curve:
        """rad."""
        parts = self._steering.parts()
        total = sum(factor * np.asarray(self.run[measure].value, float) for factor, measure in parts)
        return np.asarray(total / self._ratio)

    @cached_property
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

    @cached_property
    def path(self) -> NDArray[np.float64]:
        """x and y of the body, shape (output times, 2)."""
        return np.asarray(self._point.position, float)[:, :2]

    @property
    def speed(self) -> Curve:
        """m/s, in the plane of the road."""
        return np.hypot(*self._level(self._point.velocity))

    @property
    def side_slip(self) -> Curve:
        """rad, from forward to the velocity, positive to the left."""
        ahead, left = self._level(self._point.velocity)
        return np.arctan2(left, ahead)

    @property
    def lateral_acceleration(self) -> Curve:
        """m/s2, to the left of the body, in the plane of the road."""
        return self._level(self._point.acceleration)[1]

    def table(self) -> dict[str, Curve]:
        """All quantities as named columns, time first."""
        columns = {"time": self.times, "x": self.path[:, 0], "y": self.path[:, 1], "yaw": self.yaw}
        return columns | {name: getattr(self, name) for name in ("steering", "speed", *QUANTITIES)}

    @property
    def _planar(self) -> bool:
        return len(self.body.position) == 2

    @cached_property
    def _point(self) -> Any:
        return self.run[self.body.at()]

    def _level(self, vectors: Any) -> tuple[Curve, Curve]:
        """Forward and left components of global vectors, in the plane of the road."""
        x, y = np.asarray(vectors, float)[:, :2].T
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return c * x + s * y, c * y - s * x
