"""A wheel on a line."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.elements.pair import Pair
from cardan.model import check
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.planar.measures import angle, component


@dataclass(frozen=True, eq=False)
class RollingWheel(Pair):
    """A wheel b, about its marker, that rolls along the x axis of a without slipping.

              .-.
             ( b )  radius              g_a . d = radius                      it touches the line
        a ----'-'------->  x            (f_a . d)' + radius angle(a, b)' = 0  its lowest point does not slide

    The wheel lies left of the line, seen along its x axis; for the other side turn marker a round. Rolling is an
    equation on velocities, and it does not matter which point of the rim touches first; `RackPinion` states the same on
    positions. With contact=False something else keeps the wheel on its line. Offers `.travel` and `.angle`.
    """

    radius: float = 0.0
    contact: bool = True

    def check(self) -> None:
        super().check()
        check.positive(self.radius, f"the radius of {self.title}")
        check.flag(self.contact, f"contact of {self.title}")

    @property
    def travel(self) -> Measure:
        """The position of the wheel along the line."""
        return component(self.a, self.b, "x")

    @property
    def angle(self) -> Measure:
        """The angle of the wheel to the line: it falls where the wheel rolls toward the x axis."""
        return angle(self.a, self.b)

    def equations(self) -> tuple[Equation, ...]:
        rolled = self.travel + self.radius * self.angle
        rolling = Equation("rolling", rolled.parts(), velocity=True)
        touching = Equation("touching", component(self.a, self.b, "y").parts(), offset=self.radius)
        return (touching, rolling) if self.contact else (rolling,)

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        return (("touching", 1.0),) if self.contact else ()
