"""What all joints between two markers share: their ends and the check that they lie on two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.planar.body import Marker


@dataclass(frozen=True, eq=False)
class Pair(Constraint):
    """A joint between marker `a` and marker `b`."""

    a: Marker
    b: Marker

    def __post_init__(self) -> None:
        check.instance(self.a, Marker, f"end a of a {type(self).__name__}")
        check.instance(self.b, Marker, f"end b of a {type(self).__name__}")

    def bodies(self) -> tuple[Any, ...]:
        return (self.a.body, self.b.body)

    def check(self) -> None:
        if self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.a.body.name}' to itself; its ends must lie on two bodies")
