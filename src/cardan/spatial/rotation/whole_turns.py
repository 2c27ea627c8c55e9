"""Orientations that know how far they were turned: whole turns included, which Euler parameters cannot hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.model import check


class Turned(np.ndarray):
    """Euler parameters with the rotation vector, of any length, by which they were stated."""

    vector: tuple[float, float, float] | None

    def __array_finalize__(self, source: Any) -> None:
        self.vector = None  # what is computed from an orientation was not stated

    def __reduce__(self) -> Any:
        return (np.array, (self.tolist(),)) if self.vector is None else (with_turns, (self.tolist(), self.vector))

    def copy(self, order: Any = "C") -> Any:
        """A copy was stated in the same way."""
        found = super().copy(order)
        found.vector = self.vector
        return found

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()


def with_turns(p: ArrayLike, theta: ArrayLike) -> NDArray:
    """The orientation p, reached by turning by the rotation vector theta, whose whole turns count.

    `from_axis_angle`, `from_rotation_vector` and turns about one axis by `from_angles` know them already. Joints count
    their angles from what was stated of their bodies, in the plane as in space.

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
    """The rotation vector by which an orientation was stated; None where the statement leaves whole turns open."""
    if orientation is None:
        return 0.0, 0.0, 0.0
    return orientation.vector if isinstance(orientation, Turned) else None
