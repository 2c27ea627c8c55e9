"""What all joints between two markers share: their ends and the check that they lie on two bodies."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.planar.body import Body, Marker, require_marker


@dataclass(frozen=True, eq=False)
class Pair(Constraint):
    """A joint between marker `a` and marker `b`."""

    a: Marker
    b: Marker

    def __post_init__(self) -> None:
        require_marker(self.a, f"end a of a {type(self).__name__}")
        require_marker(self.b, f"end b of a {type(self).__name__}")

    def bodies(self) -> tuple[Body, ...]:
        return (self.a.body, self.b.body)

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.a.body.name}' to itself; its ends must lie on two bodies")
