"""Welds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model import check
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import Step
from cardan.spatial import rotation
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import aligned, coincide
from cardan.spatial.measures import component


@dataclass(frozen=True, eq=False)
class Fixed(TwoMarkerJoint[Marker]):
    """A weld, or bracket: points and axes coincide, six equations.

    `Fixed(ground.at(), body.at())` is Haug's ground body (9.4.15), without its singularity at half a turn. The rotation
    vector from a to b is zero, which holds for only one orientation. Markers of CAD programs often face each other,
    with opposite z axes: `Fixed.facing(a, b)` welds these.
    """

    carries: ClassVar[bool] = True

    @classmethod
    def facing(cls, a: Marker, b: Marker, angle: float = 0.0) -> Self:
        """A weld of two markers that face each other: their z axes are opposite, and x of b is x of a rotated about z
        of a by `angle`.

        >>> from cardan import assemble
        >>> from cardan.spatial import Body, Fixed, Model
        >>> model = Model("box")
        >>> lid = model.add(Body(position=(0, 0, 1)), name="lid")
        >>> box, face = model.ground.at(0, 0, 0.9), lid.at(0, 0, -0.1, z=(0, 0, -1))
        >>> weld = model.add(Fixed.facing(box, face), name="weld")
        >>> round(float(assemble(model)[lid].position[2]), 9)
        1.0
        """
        check.instance(b, Marker, "end b of a Fixed", hint="create one with body.at(...)")
        half = 0.5 * check.number(angle, "the angle of Fixed.facing()")
        # b's axes rotated back: first half a turn about its x axis, then by the angle about its z axis, now that of a
        back = rotation.multiply((0.0, 1.0, 0.0, 0.0), (math.cos(half), 0.0, 0.0, -math.sin(half)))
        turned = tuple(rotation.multiply(b.orientation, back).tolist())
        return cls(a, replace(b, orientation=turned))

    def steps(self) -> tuple[Step, ...]:
        return ()

    def equations(self) -> tuple[Equation, ...]:
        return (*coincide(self.a, self.b), *aligned(self.a, self.b))


@dataclass(frozen=True, eq=False)
class Orientation(TwoMarkerJoint[Marker]):
    """The axes of a and b coincide, the points are free: three equations.

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
