"""A massless rod, in the plane or in space."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from cardan.elements.constraints.two_marker_joint import M, TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.dimensions import Length
from cardan.model.element import Equation
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class Distance(TwoMarkerJoint[M]):
    """A massless rod between two points: |r_b^P - r_a^P| = length > 0 (Haug 3.2.1, 3.3.7, 3.3.15, 9.4.8, 9.4.17).

          a o-----------------o b

    In the plane it has a pin at each end and is also called `RevoluteRevolute`, in space a ball, `SphericalSpherical`.
    """

    length: Length

    carries: ClassVar[bool] = True

    def check(self) -> None:
        super().check()
        if check.number(self.length, f"the length of {self.title}") <= 0.0:
            raise ModelError(
                f"the length of {self.title} must be positive, got {self.length:g}; to join coincident points use a "
                "Revolute in the plane or a Spherical in space"
            )

    @classmethod
    def between(cls, a: RigidBody, b: RigidBody, at: Vector, *, to: Vector | None = None, **stated: Any) -> Self:
        """As for every joint; `length` defaults to the distance between the two points."""
        if "length" in stated:
            return super().between(a, b, at, to=to, **stated)
        if to is None:
            raise ModelError(f"{cls.__name__}.between() needs the point on b, to=..., or a length")
        rod = super().between(a, b, at, to=to, length=0.0, **stated)  # checks both points
        return replace(rod, length=math.dist(at, to))

    @property
    def distance(self) -> Measure:
        """The distance between the two points."""
        return Measure("length", self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        return (Equation("length", self.distance.parts(), offset=self.length),)
