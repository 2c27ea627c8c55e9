"""Frames: a point and a rotation in another frame.

r = point + A(turn) r',        (a o b): the frame b, stated in the frame a, in the frame around a
"""

from __future__ import annotations

from functools import lru_cache
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
        p0, p1, p2, p3 = self.turn.tolist()
        q0, q1, q2, q3 = inner.turn.tolist()
        turn = (
            p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
            p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
            p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1,
            p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0,
        )
        return Pose(self.at(inner.point), np.array(turn))

    def at(self, point: ArrayLike) -> NDArray:
        """A point, or many, of this frame in the outer one."""
        inner = np.asarray(point, float)
        if inner.ndim > 1:
            return self.point + inner @ rotation.matrix(self.turn).T
        e0, e1, e2, e3 = self.turn.tolist()  # numbers are faster than short arrays
        x, y, z = inner.tolist()
        a, b, c = e2 * z - e3 * y, e3 * x - e1 * z, e1 * y - e2 * x  # s = s' + 2 e0 (e x s') + 2 e x (e x s')
        shift = (e0 * a + e2 * c - e3 * b, e0 * b + e3 * a - e1 * c, e0 * c + e1 * b - e2 * a)
        return self.point + np.array([x + 2.0 * shift[0], y + 2.0 * shift[1], z + 2.0 * shift[2]])

    def inverse(self) -> Pose:
        """The outer frame in this one."""
        back = rotation.inverse(self.turn)
        return Pose(-rotation.rotate(back, self.point), back)


def pose(point: Any = (0.0, 0.0, 0.0), turn: Any = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    """A frame from a point and Euler parameters."""
    return Pose(np.array(point, float), np.array(turn, float))


def axis_frame(axis: ArrayLike) -> NDArray:
    """Euler parameters of axes with a given z axis."""
    return np.array(_axis_frame(tuple(np.asarray(axis, float).tolist())))


@lru_cache(maxsize=1000)
def _axis_frame(axis: tuple[float, ...]) -> tuple[float, ...]:
    """Joints of a machine have few different axes."""
    return tuple(rotation.from_axes(z=axis).tolist())


def turn_about(axis: ArrayLike, angle: float) -> NDArray:
    """Euler parameters of a rotation about an axis."""
    return rotation.from_axis_angle(np.asarray(axis, float), angle)
