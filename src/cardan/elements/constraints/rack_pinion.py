"""A pinion on a rack."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.gear import parallel_shafts
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.element import Equation, Limit
from cardan.model.marker import Marker
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class RackPinion(TwoMarkerJoint[Marker]):
    """A pinion b that rolls along the x axis of the rack a (Haug 3.4.8 to 3.4.13).

               .-.                     g_a . d = R                         the pinion touches the rack
              ( b )  R > 0             f_a . d + R angle(a, b) = constant  it rolls
        a -----'-'------->  x

    `radius` is positive if the pinion is left of the rack seen along its x axis, negative if right. `contact` is
    the constant: the contact point on the rack, measured from a, when the pinion marker is parallel to the rack's. As
    this repeats after full turns, the point nearest the estimate is used. By default it is that of the assembled
    position.
    """

    radius: Length
    contact: float | None = None

    carries: ClassVar[bool] = True

    def check(self) -> None:
        super().check()
        if check.number(self.radius, f"the radius of {self.title}") == 0.0:
            raise ModelError(f"the radius of {self.title} must not be zero: positive left of the rack, negative right")
        if self.contact is not None:
            check.number(self.contact, f"the contact of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        touching = Equation("touching", Measure("component", self.a, self.b, "y").parts(), offset=self.radius)
        rolled = Measure("component", self.a, self.b, "x") + self.radius * Measure("angle", self.a, self.b)
        if self.contact is None:
            return touching, Equation("rolling", rolled.parts(), floating=True)
        turn = 2.0 * math.pi * abs(self.radius)
        return touching, Equation("rolling", rolled.parts(), offset=self.contact, period=turn)

    def limits(self) -> tuple[Limit, ...]:
        return () if len(self.a.place) == 2 else parallel_shafts(self)
