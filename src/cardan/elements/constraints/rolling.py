"""Common base of rolling elements: the body touches the line or plane, and its lowest point does not slide."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from cardan.elements.constraints.two_marker_joint import M, TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.dimensions import Length
from cardan.model.element import Equation
from cardan.model.measure import Combination, Measure


@dataclass(frozen=True, eq=False)
class Rolling(TwoMarkerJoint[M]):
    """A round body b, about its marker, on a line or plane of a; contact=False: something else keeps it there."""

    radius: Length
    contact: bool = True

    @classmethod
    def between(cls, a: RigidBody, b: RigidBody, at: Vector, *, to: Vector | None = None, **stated: Any) -> Self:
        """As for every joint; `at` is a point of the line or plane, `to` the center of the rolling body."""
        if to is None:
            raise ModelError(
                f"{cls.__name__}.between() needs the center of the rolling body, to=...; at=... is a point of its path"
            )
        return super().between(a, b, at, to=to, **stated)

    def check(self) -> None:
        super().check()
        check.positive(self.radius, f"the radius of {self.title}")
        check.flag(self.contact, f"contact of {self.title}")

    @abstractmethod
    def touching(self) -> Equation:
        """The lowest point is on the line or plane."""

    @abstractmethod
    def slips(self) -> dict[str, Combination]:
        """The velocities of the lowest point, by name, as rates of measures."""

    def equations(self) -> tuple[Equation, ...]:
        rolling = tuple(Equation(label, slip.parts(), velocity=True) for label, slip in self.slips().items())
        return (self.touching(), *rolling) if self.contact else rolling

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        return (("touching", 1.0),) if self.contact else ()
