"""Joints that transmit rotation between angled shafts."""

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
    """A Cardan (Hooke) joint: a cross whose arms are the z axes of both markers, which are perpendicular (Haug 9.4.19).

              | z_a
          a --+--              the points coincide,   z_a . z_b = 0
             / z_b  b

    Offers `.angle_a`, of the cross about a's arm (the direction of z_b, counted from a's x axis), and `.angle_b`, of
    the cross about b's arm. For shafts at the angle phi, tan(theta_2) = tan(theta_1) / cos(phi); the joint locks up
    where they are perpendicular.
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

    The rotation from a's axes to b's has no component about z: its axis lies in the plane that bisects the bend, so
    both shafts turn at the same speed at any bend. The z axes point in the same direction when the joint is straight.
    Offers the bend as `.bend_x`, about a's x axis, and `.bend_y`, about the y axis rotated by it.
    """

    carries: ClassVar[bool] = True

    @property
    def bend_x(self) -> Measure:
        """The bend about a's x axis."""
        return angle(self.a, self.b, about="x", zero="z", of="z")

    @property
    def bend_y(self) -> Measure:
        """The bend about the y axis rotated by bend_x."""
        return tilt(self.a, self.b, "x", "z")

    def equations(self) -> tuple[Equation, ...]:
        twist = dot(self.a, self.b, "x", "y") - dot(self.a, self.b, "y", "x")
        return (*coincide(self.a, self.b), Equation("twist", twist.parts()))
