"""Joints that carry rotation round a corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import Step
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import coincide
from cardan.spatial.measures import angle, dot, tilt


@dataclass(frozen=True, eq=False)
class Universal(TwoMarkerJoint[Marker]):
    """A Cardan (Hooke) joint: a cross whose arms are the z axes of both markers, square to each other (Haug 9.4.19).

              | z_a
          a --+--              the points coincide,   z_a . z_b = 0
             / z_b  b

    Offers `.angle_a`, of the cross about a's arm (the direction of z_b, counted from a's x axis), and `.angle_b`, of
    the cross about b's arm. With shafts at the angle phi it turns tan(theta_1) into tan(theta_1) / cos(phi), and locks
    up where they are square to each other.
    """

    carries: ClassVar[bool] = True
    crossed: ClassVar[bool] = True

    @property
    def angle_a(self) -> Measure:
        """The angle of the cross about the arm on a."""
        return angle(self.a, self.b, of="z")

    @property
    def angle_b(self) -> Measure:
        """The angle of the cross about the arm on b."""
        return angle(self.b, self.a, of="z")

    def steps(self) -> tuple[Step, ...]:
        return Step("turn", "z", name="angle_a"), Step("turn", "x", name="angle_b", sign=-1.0)  # seen from b

    def equations(self) -> tuple[Equation, ...]:
        return (*coincide(self.a, self.b), Equation("arms", dot(self.a, self.b, "z", "z").parts()))


@dataclass(frozen=True, eq=False)
class ConstantVelocity(TwoMarkerJoint[Marker]):
    """A homokinetic joint between shafts along the z axes of both markers.

          a =====( )              the points coincide,    x_a . y_b = y_a . x_b
                   \\\\ b

    The turn from a's axes to b's has no part about z: its axis lies in the plane that halves the bend, so both
    shafts turn at the same speed at any bend. The z axes point the same way when the joint is straight. Offers the bend
    as `.bend_x`, about a's x axis, and `.bend_y`, about the y axis turned by it.
    """

    carries: ClassVar[bool] = True

    @property
    def bend_x(self) -> Measure:
        """The bend about a's x axis."""
        return angle(self.a, self.b, about="x", zero="z", of="z")

    @property
    def bend_y(self) -> Measure:
        """The bend about the y axis that bend_x has turned."""
        return tilt(self.a, self.b, "x", "z")

    def equations(self) -> tuple[Equation, ...]:
        twist = dot(self.a, self.b, "x", "y") - dot(self.a, self.b, "y", "x")
        return (*coincide(self.a, self.b), Equation("twist", twist.parts()))
