"""Measures: geometric scalars between markers, of which joints, drivers and results consist.

Measures can be added and scaled: `x(tip) - x(root)`, `hinge.angle + 2.0 * other.angle`. Such a combination can be held,
driven, plotted and read like a single measure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker
    from cardan.model.surfaces.surface_pair import SurfacePair


class Readable(ABC):
    """Common base of measures and their combinations: linear arithmetic."""

    @abstractmethod
    def parts(self) -> tuple[tuple[float, Measure], ...]:
        """The measures with their nonzero coefficients."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """'m' for lengths, 'rad' for angles, '' for no unit or mixed units."""

    def __add__(self, other: Readable) -> Combination:
        return Combination(_merge(self.parts() + _readable(other).parts()))

    def __sub__(self, other: Readable) -> Combination:
        return self + (-1.0) * _readable(other)

    def __mul__(self, factor: float) -> Combination:
        scale = check.number(factor, "the factor of a measure")
        return Combination(_merge(tuple((scale * c, m) for c, m in self.parts())))

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Combination:
        if check.number(divisor, "the divisor of a measure") == 0.0:
            raise ModelError(f"the measure {self} cannot be divided by 0")
        return self * (1.0 / divisor)

    def __neg__(self) -> Combination:
        return -1.0 * self


@dataclass(frozen=True, repr=False)
class Measure(Readable):
    """A scalar z(q) between marker a and marker b (a is None for measures of one point).

    `near` selects the full turn on which an angle starts: see `cardan.system.turns`. It does not affect equality.
    """

    kind: str
    a: Marker | None
    b: Marker
    axes: str = ""
    near: float | None = field(default=None, compare=False)
    touch: SurfacePair | None = None  # the pair of surfaces that the measure belongs to, see `surfaces`

    # the unit of each kind, for reports: lengths in m, angles in rad
    UNITS: ClassVar[dict[str, str]] = {
        "coordinate": "m",
        "angle": "rad",
        "length": "m",
        "component": "m",
        "dot": "",
        "bearing": "rad",
        "tilt": "rad",
        "rotation": "rad",
        "contact": "",
        "slide": "m",
        "turn": "rad",
        "spin": "rad",
        "upright": "",
        "velocity_along": "m",
        "angular_velocity_about": "rad",
        "course": "m",
        "gap": "m",
        "rub": "m",
        "advance": "m",
        "yaw": "rad",
        "camber": "rad",
        "modal": "",
        "helix": "m",
    }
    # quasi-coordinates: such a measure has a rate, but no value
    RATES: ClassVar[frozenset[str]] = frozenset(
        {"slide", "turn", "spin", "velocity_along", "angular_velocity_about", "course", "rub", "advance", "yaw"}
    )
    # those of orientations: the ends must not be point masses
    ORIENTATIONS: ClassVar[frozenset[str]] = frozenset(
        {
            "angle",
            "dot",
            "tilt",
            "rotation",
            "turn",
            "spin",
            "upright",
            "angular_velocity_about",
            "helix",
            "yaw",
            "camber",
        }
    )
    # those of contact surfaces, whose second time derivative is not available: equations cannot use them
    TOUCHES: ClassVar[frozenset[str]] = frozenset({"gap", "rub", "advance", "yaw", "camber"})

    @property
    def unit(self) -> str:
        return self.UNITS[self.kind]

    def parts(self) -> tuple[tuple[float, Measure], ...]:
        return ((1.0, self),)

    def markers(self) -> Iterator[Marker]:
        if self.a is not None:
            yield self.a
        yield self.b

    def points_turned(self) -> tuple[RigidBody, ...]:
        """The bodies without orientation whose orientation it would be."""
        ends = self.markers() if self.kind in self.ORIENTATIONS else ()
        return tuple(marker.body for marker in ends if not marker.body.has_orientation)

    def is_fixed(self, ground: RigidBody) -> bool:
        """Whether the value is constant: all its points are fixed in one body or in ground."""
        bodies = [marker.body for marker in self.markers()]
        alone = bodies[0] is bodies[-1] and (self.a is not None or bodies[0] is ground)
        return alone and all(marker.contact_coordinate is None and not marker.modes for marker in self.markers())

    def __str__(self) -> str:
        ends = ", ".join(str(marker) for marker in self.markers())
        axes = f", {self.axes}" if self.axes else ""
        return f"{self.kind}({ends}{axes})"

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Combination(Readable):
    """A linear combination of measures."""

    terms: tuple[tuple[float, Measure], ...]

    def parts(self) -> tuple[tuple[float, Measure], ...]:
        return self.terms

    @property
    def unit(self) -> str:
        units = {measure.unit for _, measure in self.terms}
        return units.pop() if len(units) == 1 else ""

    def __str__(self) -> str:
        sizes = ("" if abs(c) == 1.0 else f"{abs(c):g} " for c, _ in self.terms)
        words = "".join(f" {'-' if c < 0.0 else '+'} {size}{m}" for size, (c, m) in zip(sizes, self.terms, strict=True))
        return words.removeprefix(" + ").lstrip() or "0"

    __repr__ = __str__


def readable(value: object, what: str) -> Readable:
    """The value as a measure or combination."""
    if not isinstance(value, Readable):
        hint = "; joints offer theirs as properties, for example hinge.angle or guide.travel"
        raise ModelError(f"{what} must be a measure, got {check.describe(value)}{hint}")
    return value


def require_terms(title: str, measure: Readable) -> None:
    """Reject a combination that vanishes."""
    if not measure.parts():
        raise ModelError(f"{title} would have no effect: the terms of its measure cancel or are zero")


def require_value(title: str, measure: Readable) -> None:
    """Reject a quasi-coordinate, which has no value, where a value is needed."""
    for _, part in measure.parts():
        if part.kind in Measure.RATES:
            raise ModelError(f"{title} needs a value, but {part} has only a rate; use it in a @velocity_constraint")


def _readable(value: object) -> Readable:
    return readable(value, "a term added to a measure")


def _merge(terms: tuple[tuple[float, Measure], ...]) -> tuple[tuple[float, Measure], ...]:
    """Each measure once, without those that cancel."""
    merged: dict[Measure, float] = {}
    for coefficient, measure in terms:
        merged[measure] = merged.get(measure, 0.0) + coefficient
    return tuple((c, m) for m, c in merged.items() if c != 0.0)


V = TypeVar("V")
# values by measure: keys of a Mapping must have one type, and users state dictionaries of either class
ByMeasure: TypeAlias = Mapping[Readable, V] | Mapping[Measure, V] | Mapping[Combination, V]
