"""Markers: points with axes on bodies. Each space has its own class; this is their common interface."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model.stated import Stated

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.surfaces.contact_coordinate import ContactCoordinate


class Marker(metaclass=Stated):
    """A point with axes on `body`; `own` is the internal coordinate along which it moves on the body, or None."""

    if TYPE_CHECKING:

        @property
        def body(self) -> RigidBody: ...

        @property
        def contact_coordinate(self) -> ContactCoordinate | None: ...

    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Its global position and its axes, as columns, where its body is stated."""
        raise ModelError(f"{self} moves on its body '{self.body.name}': use a marker that is fixed to it")

    @property
    def modes(self) -> int:
        """The number of modes in which it moves relative to the frame of its body; 0 if it is fixed there."""
        return 0

    @property
    @abstractmethod
    def arm(self) -> float:
        """The largest distance from the body's origin."""

    @property
    @abstractmethod
    def place(self) -> tuple[float, ...]:
        """The point in the body's frame."""

    @property
    @abstractmethod
    def is_aligned(self) -> bool:
        """Whether its axes are those of the body."""
