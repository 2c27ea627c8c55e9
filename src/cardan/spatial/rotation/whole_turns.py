"""Orientations with full turns, which Euler parameters do not contain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.model import check


class Turned(np.ndarray):
    """Euler parameters with the rotation vector, of any length, from which they were computed."""

    vector: tuple[float, float, float] | None

    def __array_finalize__(self, source: Any) -> None:
        self.vector = None  # arrays computed from an orientation have no rotation vector

    def __reduce__(self) -> Any:
        return (np.array, (self.tolist(),)) if self.vector is None else (with_turns, (self.tolist(), self.vector))

    def copy(self, order: Any = "C") -> Any:
        """A copy keeps the rotation vector."""
        found = super().copy(order)
        found.vector = self.vector
        return found

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()


def with_turns(p: ArrayLike, theta: ArrayLike) -> NDArray:
    """The orientation p, reached by the rotation vector theta including its full turns.

    `from_axis_angle`, `from_rotation_vector` and rotations about one axis by `from_angles` already include them. Joint
    angles start at the orientations given for the bodies, in the plane and in space.

    >>> from cardan.spatial import rotation
    >>> once_around = rotation.with_turns((1, 0, 0, 0), (0, 0, 2 * np.pi))
    >>> np.round(once_around, 6).tolist(), rotation.turns_of(once_around)[2] / np.pi
    ([1.0, 0.0, 0.0, 0.0], 2.0)
    """
    found = np.array(check.vector(p, 4, "the Euler parameters")).view(Turned)
    x, y, z = check.vector(theta, 3, "the rotation vector")
    found.vector = (x, y, z)
    return found


def turns_of(orientation: Any) -> tuple[float, float, float] | None:
    """The rotation vector from which an orientation was computed, or None if full turns are unknown."""
    if orientation is None:
        return 0.0, 0.0, 0.0
    return orientation.vector if isinstance(orientation, Turned) else None
