"""Markers: points with axes on bodies. Each space has its own kind; this page is what the rooms above see of them."""

from __future__ import annotations

from abc import abstractmethod

from cardan.model.stated import Stated


class Marker(metaclass=Stated):
    """A point with axes. Its `body` carries it, `own` is the coordinate along which it moves on the body, or None."""

    @property
    @abstractmethod
    def arm(self) -> float:
        """The largest distance from the body's origin."""

    @property
    @abstractmethod
    def place(self) -> tuple[float, ...]:
        """The point in the body's frame."""
