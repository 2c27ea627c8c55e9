"""A pin that slides on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.planar.body import Marker
from cardan.planar.measures import angle, component


@dataclass(frozen=True, eq=False)
class RevoluteTranslational(TwoMarkerJoint[Marker]):
    """A pin of b that slides along the x axis of a at a directed distance (Haug 3.3.16).

                 o b                       g_a . (r_b^P - r_a^P) = offset
                 | offset
        a -------------------->  x         offset > 0: left of the axis, seen along it

    With offset 0 it is a pin in a straight slot; `PinInSlot` is another name for it.
    """

    offset: Length = 0.0

    carries: ClassVar[bool] = True

    def check(self) -> None:
        super().check()
        check.number(self.offset, f"the offset of {self.title}")

    @property
    def travel(self) -> Measure:
        """The position of the pin along the line."""
        return component(self.a, self.b, "x")

    @property
    def angle(self) -> Measure:
        """The relative angle of the two markers."""
        return angle(self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        return (Equation("across", component(self.a, self.b, "y").parts(), offset=self.offset),)


PinInSlot = RevoluteTranslational
