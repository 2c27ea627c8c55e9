"""A straight guide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import Step
from cardan.planar.body import Marker
from cardan.planar.measures import component, dot


@dataclass(frozen=True, eq=False)
class Translational(TwoMarkerJoint[Marker]):
    """A straight guide: b's point stays on the x axis of a, and the two x axes stay parallel (Haug 3.3.13).

        ----------[ b ]---->  x of a        g_a . (r_b^P - r_a^P) = 0,    f_a . g_b = 0

    The axes may point in the same or opposite directions, as in the estimate. Offers `.travel`, the coordinate of b's
    point along the x axis of a. Haug's points P and Q are a marker at P that points toward Q:
    `ground.at(0, 0, toward=(1, 0))`.
    """

    carries: ClassVar[bool] = True

    @property
    def travel(self) -> Measure:
        """The position of b along the guide."""
        return component(self.a, self.b, "x")

    def steps(self) -> tuple[Step, ...]:
        return (Step("slide", "x", name="travel"),)

    def equations(self) -> tuple[Equation, ...]:
        across = Equation("across", component(self.a, self.b, "y").parts())
        return across, Equation("angle", dot(self.a, self.b, "x", "y").parts())
