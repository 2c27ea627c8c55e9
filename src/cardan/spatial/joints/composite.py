"""Composite joints: eliminated massless links (Haug 9.4.5). Each one saves the coordinates of a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from cardan.elements.constraints.distance import Distance
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import on_origin, parallel
from cardan.spatial.measures import angle, bearing, component, dot


@dataclass(frozen=True, eq=False)
class RevoluteSpherical(Distance[Marker]):
    """A link with a hinge on a, about a's z axis, and a ball on b (Haug 9.4.29).

         z_a |
           a o---------o b         |d| = length,    z_a . d = 0

    The link is perpendicular to the hinge. Offers `.distance` and `.angle`, of the link about the hinge from a's x
    axis.
    """

    @property
    def angle(self) -> Measure:
        """The angle of the link about its hinge."""
        return bearing(self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        return (*super().equations(), *on_origin(self.a, self.b, "z"))


@dataclass(frozen=True, eq=False)
class RevoluteRevolute(Distance[Marker]):
    """A link with a hinge at each end, about the z axes of a and b (Haug 9.4.30, 9.4.31).

        z_a |      | z_b           parallel:     z_b parallel to z_a,  z_a . d = 0,  |d| = length
          a o------o b             orthogonal:   z_a . d = 0,  d along z_b,  |d| = length

    With `axes="parallel"` the link is perpendicular to both hinges. With `axes="orthogonal"` the axis of b is along the
    link and intersects that of a at a right angle. Offers `.distance` and the angles about the hinges, `.angle_a` and
    `.angle_b`.
    """

    axes: str = "parallel"

    @classmethod
    def between(cls, a: RigidBody, b: RigidBody, at: Vector, *, to: Vector | None = None, **stated: Any) -> Self:
        """As for every joint; with orthogonal axes, that of b is along the link."""
        if stated.get("axes") == "orthogonal" and to is not None:
            stated.setdefault("z_b", tuple(q - p for p, q in zip(at, to, strict=True)))
        return super().between(a, b, at, to=to, **stated)

    def check(self) -> None:
        super().check()
        check.choice(self.axes, ("parallel", "orthogonal"), f"axes of {self.title}")

    @property
    def angle_a(self) -> Measure:
        """The angle of the link about the hinge on a."""
        return bearing(self.a, self.b)

    @property
    def angle_b(self) -> Measure:
        """The angle about the hinge on b: of the link or, if the link is along that hinge, of a's axis."""
        return bearing(self.b, self.a) if self.axes == "parallel" else angle(self.b, self.a, of="z")

    def equations(self) -> tuple[Equation, ...]:
        across = on_origin(self.a, self.b, "z")
        if self.axes == "parallel":
            return (*super().equations(), *across, *parallel(self.a, self.b))
        along = tuple(Equation(f"{axis} of b", component(self.b, self.a, axis).parts()) for axis in "xy")
        return (*super().equations(), *across, *along)


@dataclass(frozen=True, eq=False)
class RevoluteCylindrical(TwoMarkerJoint[Marker]):
    """A hinge about a's z axis on a sleeve that turns and slides along the perpendicular z axis of b (Haug 9.4.32).

            | z_a
        ====o=======> z_b          z_a . z_b = 0,    a's point on the z axis of b

    Offers `.travel`, of a's point along b's axis, `.angle_a` about the hinge (the direction of z_b, from a's x axis)
    and `.angle_b` about the sleeve (the direction of z_a, from b's x axis).
    """

    carries: ClassVar[bool] = True
    crossed: ClassVar[bool] = True

    @property
    def travel(self) -> Measure:
        """The position of a's point along the axis of b."""
        return component(self.b, self.a, "z")

    @property
    def angle_a(self) -> Measure:
        """The angle about the hinge on a."""
        return angle(self.a, self.b, of="z")

    @property
    def angle_b(self) -> Measure:
        """The angle about the axis of b."""
        return angle(self.b, self.a, of="z")

    def equations(self) -> tuple[Equation, ...]:
        return (Equation("square", dot(self.a, self.b, "z", "z").parts()), *_on_axis_of_b(self))


@dataclass(frozen=True, eq=False)
class RevoluteTranslational(TwoMarkerJoint[Marker]):
    """A hinge about a's z axis on a block that slides along b's z axis without rotating (Haug 9.4.33).

    z_a stays parallel to x_b, and a's point on the z axis of b. Offers `.travel`, of a's point along b's axis, and
    `.angle` about the hinge (the direction of z_b, from a's x axis).
    """

    carries: ClassVar[bool] = True
    crossed: ClassVar[bool] = True

    @property
    def travel(self) -> Measure:
        """The position of a's point along the axis of b."""
        return component(self.b, self.a, "z")

    @property
    def angle(self) -> Measure:
        """The angle about the hinge on a."""
        return angle(self.a, self.b, of="z")

    def equations(self) -> tuple[Equation, ...]:
        return (*parallel(self.a, self.b, "x"), *_on_axis_of_b(self))


def _on_axis_of_b(joint: TwoMarkerJoint) -> tuple[Equation, ...]:
    return on_origin(joint.b, joint.a, "xy")
