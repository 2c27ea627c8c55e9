"""What the motion of a body over a road has in common for vehicles on any road and for maneuvers in both spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.results.trajectory import Trajectory

Curve = NDArray[np.float64]


class LevelMotion:
    """The motion of a point of a body in the plane of a road; `_ahead` and `_across` are directions in that plane.

    Classes that derive from it have `yaw`, the direction of the body in that plane.
    """

    run: Trajectory
    _point: Any  # its series
    _ahead: NDArray[np.float64]
    _across: NDArray[np.float64]

    @property
    def times(self) -> Curve:
        return self.run.times

    @property
    def yaw(self) -> Curve:
        """rad, full turns counted."""
        raise NotImplementedError

    @property
    def path(self) -> NDArray[np.float64]:
        """x and y in the plane of the road, shape (output times, 2)."""
        return np.column_stack(self._components(self._point.position))

    @property
    def speed(self) -> Curve:
        """In the plane of the road, m/s."""
        return np.hypot(*self._level(self._point.velocity))

    @property
    def side_slip(self) -> Curve:
        """rad, from forward to the velocity, positive to the left."""
        ahead, left = self._level(self._point.velocity)
        return np.arctan2(left, ahead)

    @property
    def lateral_acceleration(self) -> Curve:
        """To the left of the body, in the plane of the road, m/s2."""
        return self._level(self._point.acceleration)[1]

    @property
    def forward_acceleration(self) -> Curve:
        """Forward, in the plane of the road, m/s2."""
        return self._level(self._point.acceleration)[0]

    def _components(self, vectors: Any) -> tuple[Curve, Curve]:
        """Components of global vectors in the plane of the road."""
        found = np.asarray(vectors, float)
        return found @ self._ahead, found @ self._across

    def _level(self, vectors: Any) -> tuple[Curve, Curve]:
        """Forward and left components of global vectors, in the plane of the road."""
        along, across = self._components(vectors)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return c * along + s * across, c * across - s * along
