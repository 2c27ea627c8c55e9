"""A wheel on a line."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.elements.constraints.rolling import Rolling
from cardan.model.element import Equation
from cardan.model.measure import Combination, Measure
from cardan.planar.body import Marker
from cardan.planar.measures import angle, component


@dataclass(frozen=True, eq=False)
class RollingWheel(Rolling[Marker]):
    """A wheel b, about its marker, that rolls along the x axis of a without slipping.

              .-.
             ( b )  radius              g_a . d = radius                      it touches the line
        a ----'-'------->  x            (f_a . d)' + radius angle(a, b)' = 0  its lowest point does not slide

    The wheel is to the left of the line, seen along its x axis; for the other side rotate marker a by pi. Rolling is a
    velocity constraint, and it does not matter which point of the rim touches first; `RackPinion` is the same
    constraint on positions. With contact=False something else must keep the wheel on its line. Offers `.travel` and
    `.angle`.

    >>> from cardan import mobility
    >>> from cardan.planar import Body, Model, RollingWheel
    >>> model = Model("unicycle")
    >>> wheel = model.add(Body(mass=5.0, inertia=0.3, position=(0, 0.35)), name="wheel")
    >>> road = model.add(RollingWheel(model.ground.at(), wheel.at(), radius=0.35), name="road")
    >>> mobility(model).degrees_of_freedom
    1
    """

    @property
    def travel(self) -> Measure:
        """The position of the wheel along the line."""
        return component(self.a, self.b, "x")

    @property
    def angle(self) -> Measure:
        """The angle of the wheel relative to the line: it decreases when the wheel rolls along the x axis."""
        return angle(self.a, self.b)

    def touching(self) -> Equation:
        return Equation("touching", component(self.a, self.b, "y").parts(), offset=self.radius)

    def slips(self) -> dict[str, Combination]:
        return {"rolling": self.travel + self.radius * self.angle}
