"""Measures: scalars of geometry between markers, the words in which joints, drivers and results are stated.

Measures add up and scale: `x(tip) - x(root)`, `hinge.angle + 2.0 * other.angle`. Such a combination can be held,
driven, plotted and read like a single measure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker
    from cardan.model.surfaces.surface_pair import SurfacePair


class Readable(ABC):
    """What measures and their combinations have in common: linear arithmetic."""

    @abstractmethod
    def parts(self) -> tuple[tuple[float, Measure], ...]:
        """The measures with their coefficients, none of which is zero."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """'m' for lengths, 'rad' for angles, '' for what has no unit or several."""

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
            raise ModelError(f"the measure {self} is divided by 0")
        return self * (1.0 / divisor)

    def __neg__(self) -> Combination:
        return -1.0 * self


@dataclass(frozen=True, repr=False)
class Measure(Readable):
    """A scalar z(q) between marker a and marker b (a is None for measures of one point).

    `near` states the value near which an angle that is known up to whole turns begins: see `cardan.system.turns`.
    Measures that differ in it alone are the same.
    """

    kind: str
    a: Marker | None
    b: Marker
    axes: str = ""
    near: float | None = field(default=None, compare=False)
    touch: SurfacePair | None = None  # the pair of surfaces that the measure belongs to: see `touch.py`

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
        "glide": "m",
        "swivel": "rad",
        "course": "m",
        "gap": "m",
        "rub": "m",
        "advance": "m",
        "yaw": "rad",
        "camber": "rad",
    }
    # velocities that are the rate of nothing: such a measure has a rate, but no value
    RATES: ClassVar[frozenset[str]] = frozenset(
        {"slide", "turn", "spin", "glide", "swivel", "course", "rub", "advance", "yaw"}
    )
    # those of surfaces that may touch, whose second derivative in time is not known: no equation can hold them
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

    def is_fixed(self, ground: RigidBody) -> bool:
        """Whether nothing can change the value: all its points are fixed in one body, or in ground."""
        bodies = [marker.body for marker in self.markers()]
        alone = bodies[0] is bodies[-1] and (self.a is not None or bodies[0] is ground)
        return alone and all(marker.own is None for marker in self.markers())

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


def readable(value: Any, what: str) -> Readable:
    """A measure or combination where one is needed."""
    if not isinstance(value, Readable):
        hint = "; joints offer theirs as properties, for example hinge.angle or guide.travel"
        raise ModelError(f"{what} must be a measure, got {check.describe(value)}{hint}")
    return value


def require_terms(title: str, measure: Readable) -> None:
    """Reject a combination in which nothing is left."""
    if not measure.parts():
        raise ModelError(f"{title} acts on nothing: the terms of its measure cancel each other, or are zero")


def require_value(title: str, measure: Readable) -> None:
    """Reject a measure that is a velocity alone where a value is held, driven or stretched."""
    for _, part in measure.parts():
        if part.kind in Measure.RATES:
            raise ModelError(f"{title} needs a value, but {part} is a velocity alone; a @velocity_constraint takes it")


def _readable(value: Any) -> Readable:
    return readable(value, "a term added to a measure")


def _merge(terms: tuple[tuple[float, Measure], ...]) -> tuple[tuple[float, Measure], ...]:
    """Each measure once, those that cancel not at all."""
    merged: dict[Measure, float] = {}
    for coefficient, measure in terms:
        merged[measure] = merged.get(measure, 0.0) + coefficient
    return tuple((c, m) for m, c in merged.items() if c != 0.0)
