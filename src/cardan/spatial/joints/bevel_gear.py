"""Gears on intersecting shafts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.element import Equation
from cardan.spatial.body import Marker
from cardan.spatial.measures import angle


@dataclass(frozen=True, eq=False)
class BevelGear(TwoMarkerJoint[Marker]):
    """Two pitch cones that roll on each other; the shafts are the z axes of a and b, which intersect.

            z_a  \\  a            R_a beta_a + R_b beta_b = constant
                  \\/
            z_b ---X  b           beta_a: the direction of z_b about z_a from a's x axis, beta_b: of z_a about z_b

    Seen from the plane of both shafts, a rotates by -beta_a and b by -beta_b, and the cones roll over equal arcs.
    `radius_a` and `radius_b` are the pitch radii, or the numbers of teeth: only their ratio matters. Both z axes point
    away from the intersection of the shafts, or both toward it; if one is reversed, the gears turn in the opposite
    sense. The assembled position determines which teeth mesh. The shafts need their own revolute joints, on a
    carrier or on ground.
    """

    crossed: ClassVar[bool] = True

    radius_a: Length
    radius_b: Length

    def check(self) -> None:
        super().check()
        check.positive(self.radius_a, f"radius_a of {self.title}")
        check.positive(self.radius_b, f"radius_b of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        rolled = self.radius_a * angle(self.a, self.b, of="z") + self.radius_b * angle(self.b, self.a, of="z")
        return (Equation("rolling", (rolled / max(self.radius_a, self.radius_b)).parts(), floating=True),)
