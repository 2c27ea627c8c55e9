"""A hinge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model import check
from cardan.model.dimensions import Angle
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import TURN_Z, Step
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import coincide, parallel
from cardan.spatial.measures import angle


@dataclass(frozen=True, eq=False)
class Revolute(TwoMarkerJoint[Marker]):
    """A hinge about the z axes of both markers (Haug 9.4.22).

             z
           __|__               the points coincide: three equations,
        a |__o__|== b          z_b is parallel to z_a: x_a . z_b = 0, y_a . z_b = 0

    Offers `.angle`, from a's x axis to b's about a's z axis, full turns included. It starts on the turn given by
    initial conditions, drivers or the bodies' orientations, or nearest to `near`. In global coordinates:

    >>> from cardan.spatial import Body, Model, Revolute
    >>> model = Model("door")
    >>> door = model.add(Body(position=(0.4, 0, 1)), name="door")
    >>> hinge = model.add(Revolute.between(model.ground, door, at=(0, 0, 1), z=(0, 0, 1)), name="hinge")
    >>> [equation.label for equation in hinge.equations()]
    ['x', 'y', 'z', 'turn y', 'turn x']
    """

    near: Angle | None = None

    carries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.near is not None:
            check.number(self.near, "near of a Revolute")

    @property
    def angle(self) -> Measure:
        """The angle of b about the axis."""
        found = angle(self.a, self.b)
        return found if self.near is None else replace(found, near=self.near)

    def steps(self) -> tuple[Step, ...]:
        return (TURN_Z,)

    def equations(self) -> tuple[Equation, ...]:
        return (*coincide(self.a, self.b), *parallel(self.a, self.b))
