"""Points of interest."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Element
from cardan.model.marker import Marker


@dataclass(frozen=True, eq=False)
class Point(Element):
    """A point of interest: a marker with a name, for tables, plots and pictures. `trace=True` draws its path."""

    marker: Marker
    trace: bool = True

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the marker of a Point", hint="create one with body.at(...)")

    def check(self) -> None:
        check.flag(self.trace, f"the trace of {self.title}")

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self.marker.body,)
