"""A rod without mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.model import check
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.planar.joints.pair import Pair
from cardan.planar.measures import length


@dataclass(frozen=True, eq=False)
class Distance(Pair):
    """A massless rod with a pin at each end: |r_b^P - r_a^P| = length > 0 (Haug 3.2.1, 3.3.7, 3.3.15).

          a o-----------------o b

    Also known as the revolute-revolute composite joint; `RevoluteRevolute` is another name for it.
    """

    length: float = 0.0

    carries: ClassVar[bool] = True

    def check(self) -> None:
        super().check()
        check.positive(self.length, f"the length of {self.title}")

    @property
    def distance(self) -> Measure:
        """The distance between the two points."""
        return length(self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        return (Equation("length", self.distance.parts(), offset=self.length),)


RevoluteRevolute = Distance
