"""Conditions on directions and on single coordinates: the primitives from which other joints are built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import TURN_Z, Step
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import on_origin, parallel
from cardan.spatial.measures import angle, component, dot


@dataclass(frozen=True, eq=False)
class Parallel(TwoMarkerJoint[Marker]):
    """The z axes of a and b stay parallel: x_a . z_b = y_a . z_b = 0 (Haug's parallel-1, 9.4.9).

    They may point in the same or opposite directions, as in the estimate. Offers `.angle`, about a's z axis.
    """

    carries: ClassVar[bool] = True

    @property
    def angle(self) -> Measure:
        """The angle of b about the common direction."""
        return angle(self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        return parallel(self.a, self.b)


@dataclass(frozen=True, eq=False)
class Perpendicular(TwoMarkerJoint[Marker]):
    """The z axes of a and b stay perpendicular: z_a . z_b = 0 (Haug's dot-1, 9.4.2)."""

    carries: ClassVar[bool] = True
    crossed: ClassVar[bool] = True

    def equations(self) -> tuple[Equation, ...]:
        return (Equation("square", dot(self.a, self.b, "z", "z").parts()),)


@dataclass(frozen=True, eq=False)
class PointOnLine(TwoMarkerJoint[Marker]):
    """The point of b stays on the z axis of a: x_a . d = y_a . d = 0 (Haug's parallel-2 and strut, 9.4.10, 9.4.34).

        ------- o ------> z of a         a ball b in a tube a
                b

    Offers `.travel` along the line. `InLine` and `Strut` are other names for it.
    """

    carries: ClassVar[bool] = True

    @property
    def travel(self) -> Measure:
        """The position of b's point along the line."""
        return component(self.a, self.b, "z")

    def equations(self) -> tuple[Equation, ...]:
        return on_origin(self.a, self.b, "xy")


@dataclass(frozen=True, eq=False)
class PointInPlane(TwoMarkerJoint[Marker]):
    """The point of b stays in the xy plane of a: z_a . d = 0 (Haug's dot-2, 9.4.4). Offers `.x` and `.y` there."""

    carries: ClassVar[bool] = True

    @property
    def x(self) -> Measure:
        """The position of b's point along a's x axis."""
        return component(self.a, self.b, "x")

    @property
    def y(self) -> Measure:
        """The position of b's point along a's y axis."""
        return component(self.a, self.b, "y")

    def equations(self) -> tuple[Equation, ...]:
        return on_origin(self.a, self.b, "z")


@dataclass(frozen=True, eq=False)
class Planar(PointInPlane):
    """The xy planes of a and b coincide: b slides and rotates on a plane (Haug, problem 9.4.1).

           __[b]____
          /________/ a         z_a . d = 0,    x_a . z_b = y_a . z_b = 0

    Offers `.x`, `.y` and `.angle`, the motion of b in the plane.
    """

    @property
    def angle(self) -> Measure:
        """The angle of b in the plane."""
        return angle(self.a, self.b)

    def steps(self) -> tuple[Step, ...]:
        return Step("slide", "x", name="x"), Step("slide", "y", name="y"), TURN_Z

    def equations(self) -> tuple[Equation, ...]:
        return (*super().equations(), *parallel(self.a, self.b))


InLine = Strut = PointOnLine
