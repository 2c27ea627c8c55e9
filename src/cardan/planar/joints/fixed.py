"""A weld."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.steps import Step
from cardan.planar.body import Marker
from cardan.planar.measures import angle, gap


@dataclass(frozen=True, eq=False)
class Fixed(TwoMarkerJoint[Marker]):
    """A weld: the points coincide and the axes are parallel, up to full turns. `Fixed(ground.at(), body.at())` is
    Haug's ground body (3.2.3, 3.2.4, 3.2.6)."""

    carries: ClassVar[bool] = True

    def steps(self) -> tuple[Step, ...]:
        return ()

    def equations(self) -> tuple[Equation, ...]:
        points = tuple(Equation(axis, gap(self.a, self.b, axis).parts()) for axis in "xy")
        return (*points, Equation("angle", angle(self.a, self.b).parts(), period=2.0 * math.pi))
