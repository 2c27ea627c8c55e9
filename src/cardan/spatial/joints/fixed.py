"""Welds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.pair import Pair
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import Step
from cardan.spatial.joints.conditions import aligned, coincide
from cardan.spatial.measures import component


@dataclass(frozen=True, eq=False)
class Fixed(Pair):
    """A weld, or bracket: points coincide and axes agree, six equations.

    `Fixed(ground.at(), body.at())` is Haug's ground body (9.4.15), without its singularity at half a turn. The rotation
    vector from a to b is zero, which only one orientation fulfils.
    """

    carries: ClassVar[bool] = True

    def steps(self) -> tuple[Step, ...]:
        return ()

    def equations(self) -> tuple[Equation, ...]:
        return (*coincide(self.a, self.b), *aligned(self.a, self.b))


@dataclass(frozen=True, eq=False)
class Orientation(Pair):
    """The axes of a and b agree, the points are free: three equations.

    With `ground.at(orientation=...)` it is Haug's absolute orientation e1, e2, e3 (9.4.15). Offers `.x`, `.y` and `.z`.
    """

    carries: ClassVar[bool] = True

    @property
    def x(self) -> Measure:
        """The position of b's point along a's x axis."""
        return component(self.a, self.b, "x")

    @property
    def y(self) -> Measure:
        """The position of b's point along a's y axis."""
        return component(self.a, self.b, "y")

    @property
    def z(self) -> Measure:
        """The position of b's point along a's z axis."""
        return component(self.a, self.b, "z")

    def equations(self) -> tuple[Equation, ...]:
        return aligned(self.a, self.b)


Bracket = Fixed
