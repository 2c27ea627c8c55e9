"""A shaft in a sleeve, with or without a thread or a key."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import SLIDE_Z, TURN_Z, Step
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import on_origin, parallel
from cardan.spatial.measures import angle, component, dot


@dataclass(frozen=True, eq=False)
class Cylindrical(TwoMarkerJoint[Marker]):
    """A shaft that rotates and slides in a sleeve along the z axes of both markers (Haug 9.4.23).

             ______
        ====|__b___|=====> z of a        x_a . z_b = y_a . z_b = 0,   x_a . d = y_a . d = 0

    Offers `.angle`, about a's z axis from a's x axis to b's, and `.travel`, of b's point along a's z axis.
    """

    carries: ClassVar[bool] = True

    @property
    def angle(self) -> Measure:
        """The angle of b about the axis."""
        return angle(self.a, self.b)

    @property
    def travel(self) -> Measure:
        """The position of b along the axis."""
        return component(self.a, self.b, "z")

    def steps(self) -> tuple[Step, ...]:
        return SLIDE_Z, TURN_Z

    def equations(self) -> tuple[Equation, ...]:
        return (*on_origin(self.a, self.b, "xy"), *parallel(self.a, self.b))


@dataclass(frozen=True, eq=False)
class Screw(Cylindrical):
    """A nut b on a thread a: a cylindrical joint whose travel follows its angle (Haug 9.4.25, 9.4.26).

        travel = pitch (angle - start_angle) / (2 pi)

    `pitch` is the travel per turn, positive for a right-handed thread (the book's pitch alpha is per radian).
    `start_angle` is the angle at which the points coincide, by default that of the assembled position. A position does
    not define full turns: unless a driver or hold sets the turn of `.angle`, it is the one that fits the given nut
    position.
    """

    pitch: Length
    start_angle: Angle | None = None

    def check(self) -> None:
        super().check()
        if check.number(self.pitch, f"the pitch of {self.title}") == 0.0:
            raise ModelError(f"the pitch of {self.title} must not be zero; a thread without pitch is a Revolute")
        if self.start_angle is not None:
            check.number(self.start_angle, f"start_angle of {self.title}")

    def steps(self) -> tuple[Step, ...]:
        return (Step("screw", lead=self.pitch / (2.0 * math.pi), name="angle"),)

    def equations(self) -> tuple[Equation, ...]:
        advance = self.pitch / (2.0 * math.pi)
        along = (self.travel - advance * self.angle).parts()
        if self.start_angle is None:
            thread = Equation("thread", along, floating=True)
        else:
            thread = Equation("thread", along, offset=-advance * self.start_angle)
        return (*super().equations(), thread)


@dataclass(frozen=True, eq=False)
class Translational(TwoMarkerJoint[Marker]):
    """A slider b on the z axis of a that does not rotate (Haug 9.4.24).

        =====[ b ]=====> z of a          x_a . z_b = y_a . z_b = 0,   x_a . d = y_a . d = 0,   x_a . y_b = 0

    The x axes are parallel, as in the book's tables (its text has them perpendicular, which makes the equations
    of these tables singular); all axes may also point in the opposite direction, as in the estimate. Offers `.travel`.
    """

    carries: ClassVar[bool] = True

    @property
    def travel(self) -> Measure:
        """The position of b along the axis."""
        return component(self.a, self.b, "z")

    def steps(self) -> tuple[Step, ...]:
        return (SLIDE_Z,)

    def equations(self) -> tuple[Equation, ...]:
        turn = Equation("turn z", dot(self.a, self.b, "x", "y").parts())
        return (*on_origin(self.a, self.b, "xy"), *parallel(self.a, self.b), turn)
