"""Common base of forces between two markers: their ends, and the check for two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.force import Force
from cardan.model.marker import Marker
from cardan.model.measure import Readable

M = TypeVar("M", bound=Marker)


@dataclass(frozen=True, eq=False)
class TwoMarkerForce(Force, Generic[M]):
    """A force between marker `a` and marker `b`."""

    a: M
    b: M

    def __post_init__(self) -> None:
        for end in ("a", "b"):
            what = f"end {end} of a {type(self).__name__}"
            check.instance(getattr(self, end), Marker, what, hint="create one with body.at(...)")

    def bodies(self) -> tuple[RigidBody, ...]:
        return self.a.body, self.b.body

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} has both ends on body '{self.a.body.name}'; they must be on two bodies")

    def not_negative(self, *names: str) -> None:
        """Reject negative values."""
        for name in names:
            not_negative(getattr(self, name), f"{name} of {self.title}")


def bodies_of(*measures: Readable) -> tuple[RigidBody, ...]:
    """The bodies of the measures, each once."""
    found = (marker.body for measure in measures for _, part in measure.parts() for marker in part.markers())
    return tuple({id(body): body for body in found}.values())


def not_negative(value: object, what: str) -> float:
    """A finite number, zero or above."""
    result = check.number(value, what)
    if result < 0.0:
        raise ModelError(f"{what} must not be negative, got {result:g}")
    return result
