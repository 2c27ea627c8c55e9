"""Frames: a point and a rotation in another frame.

r = point + A(turn) r',        (a o b): the frame b, stated in the frame a, in the frame around a
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.spatial import rotation


class Pose(NamedTuple):
    """A frame in another: its origin and the Euler parameters of its axes."""

    point: NDArray
    turn: NDArray

    def then(self, inner: Pose) -> Pose:
        """A frame stated in this one, in the outer frame."""
        return Pose(self.at(inner.point), rotation.multiply(self.turn, inner.turn))

    def at(self, point: ArrayLike) -> NDArray:
        """A point, or many, of this frame in the outer one."""
        return self.point + np.asarray(point, float) @ rotation.matrix(self.turn).T

    def inverse(self) -> Pose:
        """The outer frame in this one."""
        back = rotation.inverse(self.turn)
        return Pose(-rotation.rotate(back, self.point), back)


def pose(point: Any = (0.0, 0.0, 0.0), turn: Any = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    """A frame from a point and Euler parameters."""
    return Pose(np.array(point, float), np.array(turn, float))


def axis_frame(axis: ArrayLike) -> NDArray:
    """Euler parameters of axes with a given z axis."""
    return rotation.from_axes(z=tuple(np.asarray(axis, float)))


def turn_about(axis: ArrayLike, angle: float) -> NDArray:
    """Euler parameters of a rotation about an axis."""
    return rotation.from_axis_angle(np.asarray(axis, float), angle)
