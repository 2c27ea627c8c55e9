"""A pair of gears, in the plane or on parallel shafts in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Equation, Limit
from cardan.model.marker import Marker
from cardan.model.measure import Measure

NEAR = 1e-3  # relative to the center distance: larger gaps between pitch circles are reported


@dataclass(frozen=True, eq=False)
class Gear(TwoMarkerJoint[Marker]):
    """Two pitch circles that roll on each other without slip, centered at the points of a and b (Haug 3.4.1 to 3.4.7).

              .--.     .-.         (R_a + R_b) beta - R_b phi = R_a theta_a + R_b (theta_b - pi)    external
             ( a  )---( b )        (R_a - R_b) beta + R_b phi = R_a theta_a - R_b theta_b           internal, a the ring
              '--'     '-'

    In space the shafts are the z axes of the markers. beta is the bearing of b in the axes of a, phi the angle from a's
    axes to b's, full turns included: the arcs over which the two circles roll are equal. theta_a and theta_b
    (`angle_a`, `angle_b`) define which teeth mesh, as angles in the axes of a and of b; by default those of the
    assembled position.

    The center distance is not constrained: pivots, a carrier or a `Distance` must do that. The analysis reports pitch
    circles that do not touch.
    """

    radius_a: Length
    radius_b: Length
    internal: bool = False
    angle_a: Angle | None = None
    angle_b: Angle | None = None

    def check(self) -> None:
        super().check()
        check.positive(self.radius_a, f"radius_a of {self.title}")
        check.positive(self.radius_b, f"radius_b of {self.title}")
        if check.flag(self.internal, f"internal of {self.title}") and self.radius_a <= self.radius_b:
            raise ModelError(
                f"{self.title} is internal: the ring a must be larger than b, got radii {self.radius_a:g} and "
                f"{self.radius_b:g}"
            )
        if (self.angle_a is None) != (self.angle_b is None):
            raise ModelError(f"{self.title} needs both reference angles, angle_a and angle_b, or neither")
        if self.angle_a is not None and self.angle_b is not None:
            check.number(self.angle_a, f"angle_a of {self.title}")
            check.number(self.angle_b, f"angle_b of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        reach = self.radius_a - self.radius_b if self.internal else self.radius_a + self.radius_b
        turned = self.radius_b if self.internal else -self.radius_b
        rolled = reach * Measure("bearing", self.a, self.b) + turned * Measure("angle", self.a, self.b)
        if self.angle_a is None or self.angle_b is None:
            return (Equation("rolling", rolled.parts(), floating=True),)
        facing = 0.0 if self.internal else math.pi
        offset = self.radius_a * self.angle_a - turned * (self.angle_b - facing)
        # Teeth that mesh also mesh after full turns of either gear.
        turn = 2.0 * math.pi
        return (Equation("rolling", rolled.parts(), offset=offset, period=turn * reach, turn=turn * turned),)

    def limits(self) -> tuple[Limit, ...]:
        reach = self.radius_a - self.radius_b if self.internal else self.radius_a + self.radius_b
        what = f"the pitch circles of {self.title} do not touch, by the distance of their centers"
        touching = Limit(Measure("length", self.a, self.b), reach * (1.0 - NEAR), reach * (1.0 + NEAR), what)
        if len(self.a.place) == 2:
            return (touching,)
        touching = replace(touching, less=Measure("component", self.a, self.b, "z"))  # perpendicular to the shafts
        return touching, *parallel_shafts(self)


def parallel_shafts(pair: TwoMarkerJoint) -> tuple[Limit, ...]:
    """In space, the z axes of both markers must be parallel."""
    what = f"the shafts of {pair.title}, the z axes of its markers, are not parallel, by the sine of their angle"
    return tuple(Limit(Measure("dot", pair.a, pair.b, f"{k}z"), -10.0 * NEAR, 10.0 * NEAR, what) for k in "xy")
