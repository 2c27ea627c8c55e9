"""A hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.pair import Pair
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import TURN_Z, Step
from cardan.spatial.joints.conditions import coincide, parallel
from cardan.spatial.measures import angle


@dataclass(frozen=True, eq=False)
class Revolute(Pair):
    """A hinge about the z axes of both markers (Haug 9.4.22).

             z
           __|__               the points coincide: three equations,
        a |__o__|== b          z_b is parallel to z_a: x_a . z_b = 0, y_a . z_b = 0

    Offers `.angle`, from a's x axis to b's about a's z axis, all turns counted. In world coordinates:

    >>> from cardan.spatial import Body, Model, Revolute
    >>> model = Model("door")
    >>> door = model.add(Body(position=(0.4, 0, 1)), name="door")
    >>> hinge = model.add(Revolute.between(model.ground, door, at=(0, 0, 1), z=(0, 0, 1)), name="hinge")
    >>> [equation.label for equation in hinge.equations()]
    ['x', 'y', 'z', 'turn y', 'turn x']
    """

    carries: ClassVar[bool] = True

    @property
    def angle(self) -> Measure:
        """The angle of b about the axis."""
        return angle(self.a, self.b)

    def steps(self) -> tuple[Step, ...]:
        return (TURN_Z,)

    def equations(self) -> tuple[Equation, ...]:
        return (*coincide(self.a, self.b), *parallel(self.a, self.b))
