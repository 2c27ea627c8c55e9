"""Markers: points with axes on bodies. Each space has its own kind; this is what other packages see of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from cardan.model.stated import Stated

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.surfaces.contact_coordinate import ContactCoordinate


class Marker(metaclass=Stated):
    """A point with axes. Its `body` carries it, `own` is the coordinate along which it moves on the body, or None."""

    if TYPE_CHECKING:

        @property
        def body(self) -> RigidBody: ...

        @property
        def own(self) -> ContactCoordinate | None: ...

    @property
    @abstractmethod
    def arm(self) -> float:
        """The largest distance from the body's origin."""

    @property
    @abstractmethod
    def place(self) -> tuple[float, ...]:
        """The point in the body's frame."""
