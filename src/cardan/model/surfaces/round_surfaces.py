"""Surfaces common to plane and space: round about a point, and flat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.marker import Marker
from cardan.model.surfaces.surface_pair import Surface, SurfacePair, fixed, no_pair


@dataclass(frozen=True)
class FlatSurface(Surface):
    """The region below a line or plane of its marker."""

    marker: Marker

    known: ClassVar[str]  # the supported pairs of the space, for messages

    def __post_init__(self) -> None:
        fixed(self.marker, f"the marker of a {type(self).__name__}")

    def meet(self, other: object) -> SurfacePair:
        if isinstance(other, RoundSurface) and not other.hollow and _same_space(self, other):
            return SurfacePair(f"face-{other.word}", self.marker, other.marker, (other.radius,), (), half(other.radius))
        raise no_pair(self, other, self.known)


@dataclass(frozen=True)
class RoundSurface(Surface):
    """The region within `radius` of its marker: with radius 0 a point, with hollow=True the region outside."""

    marker: Marker
    radius: Length = 0.0
    hollow: bool = False

    word: ClassVar[str]  # its name in kernels
    known: ClassVar[str]

    def __post_init__(self) -> None:
        what = type(self).__name__
        fixed(self.marker, f"the marker of a {what}")
        check.flag(self.hollow, f"hollow of a {what}")
        radius = check.number(self.radius, f"the radius of a {what}")
        if radius < 0.0 or (self.hollow and radius == 0.0):
            raise ModelError(
                f"the radius of a {what} must be positive, or 0 for a point that is not hollow, got {radius:g}"
            )
        object.__setattr__(self, "radius", radius)

    def meet(self, other: object) -> SurfacePair:
        if isinstance(other, RoundSurface) and not (self.hollow and other.hollow) and _same_space(self, other):
            if other.hollow:
                return other.meet(self)
            if self.hollow and other.radius >= self.radius:
                raise ModelError(
                    f"a {type(other).__name__} of radius {other.radius:g} does not fit into a hollow one of "
                    f"{self.radius:g}"
                )
            numbers = (-self.radius if self.hollow else self.radius, other.radius)
            kind = f"{self.word}-{self.word}"
            return SurfacePair(kind, self.marker, other.marker, numbers, (), half(self.radius, other.radius))
        if isinstance(other, Surface) and not isinstance(other, RoundSurface):
            return other.meet(self)
        raise no_pair(self, other, self.known)


def half(*sizes: float) -> float:
    """Half of the smaller of two radii; points and open lines have none."""
    return 0.5 * min((size for size in sizes if size > 0.0), default=math.inf)


def sheet_thickness(thickness: Any, closed: bool, what: str) -> float:
    """The thickness of an open surface, which is a sheet; a closed surface is solid and has none."""
    found = check.number(thickness, f"the thickness of {what}")
    if found < 0.0:
        raise ModelError(f"the thickness of {what} must not be negative, got {found:g}")
    if closed and found > 0.0:
        raise ModelError(f"{what} is closed and therefore solid: omit its thickness, got {found:g}")
    return found


def sheet_depth(sheet: Any, ball: RoundSurface, extra: float) -> float:
    """The largest penetration of a round surface into a sheet in one step: half the distance to the other side."""
    if ball.radius + extra == 0.0:
        raise ModelError(
            f"a {type(ball).__name__} of radius 0 would pass through the open {type(sheet).__name__} on "
            f"'{sheet.body.name}', which has no inside: give it a radius, give the {type(sheet).__name__} a thickness, "
            "or close it"
        )
    return 0.5 * (ball.radius + extra)


def _same_space(a: FlatSurface | RoundSurface, b: RoundSurface) -> bool:
    return len(a.marker.place) == len(b.marker.place)
