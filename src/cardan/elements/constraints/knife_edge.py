"""A blade, a cart wheel, or an axle seen from above."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.element import Constraint, Equation
from cardan.model.marker import Marker
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class KnifeEdge(Constraint):
    """The point of a marker does not move along one of the marker's axes; it may move along the others and rotate.

             y |  no
               |
        =======o=======>  x yes           e_b . v = 0,   v the velocity of b's point relative to a

    `KnifeEdge(b)` is a blade on ground, `KnifeEdge(a, b)` one on another body, with marker a anywhere on it.
    `axis` is the axis across the blade. It is a velocity constraint: a skate can reach every position.

    >>> from cardan import mobility
    >>> from cardan.planar import Body, KnifeEdge, Model
    >>> model = Model("sleigh")
    >>> sleigh = model.add(Body(mass=1.0, inertia=0.2), name="sleigh")
    >>> blade = model.add(KnifeEdge(sleigh.at(-0.5, 0)), name="blade")
    >>> report = mobility(model)
    >>> report.degrees_of_freedom, report.position_degrees_of_freedom
    (2, 3)
    """

    a: Marker
    b: Marker | None = None
    axis: str = "y"

    def __post_init__(self) -> None:
        for end in ("a",) if self.b is None else ("a", "b"):
            what = f"marker {end} of a KnifeEdge"
            check.instance(getattr(self, end), Marker, what, hint="create one with body.at(...)")

    def check(self) -> None:
        check.choice(self.axis, "xyz"[: len(self.blade.place)], f"the axis of {self.title}")
        if self.b is not None and self.a.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.b.body.name}' to itself; its ends must be on two bodies")

    @property
    def blade(self) -> Marker:
        """The marker of the blade."""
        return self.a if self.b is None else self.b

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self.a.body,) if self.b is None else (self.a.body, self.b.body)

    def equations(self) -> tuple[Equation, ...]:
        across = Measure("slide", None, self.a, self.axis)
        if self.b is not None:
            across = Measure("velocity_along", self.a, self.b, self.axis)
        return (Equation("across", across.parts(), velocity=True),)
