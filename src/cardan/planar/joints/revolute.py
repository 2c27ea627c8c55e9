"""A pin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.model.steps import TURN_Z, Step
from cardan.planar.body import Marker
from cardan.planar.measures import angle, gap


@dataclass(frozen=True, eq=False)
class Revolute(TwoMarkerJoint[Marker]):
    """A pin: the points of a and b coincide (Haug 3.3.10).

          a o=========        r_b^P - r_a^P = 0
           /
        b /                   offers `.angle`, from a's x axis to b's, full turns included

    >>> from cardan.planar import Model, Body, Revolute
    >>> model = Model("pendulum")
    >>> bob = model.add(Body(position=(0.0, -1.0)), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(0, 0), bob.at(0, 1)), name="pin")
    >>> [equation.label for equation in pin.equations()]
    ['x', 'y']
    """

    carries: ClassVar[bool] = True

    @property
    def angle(self) -> Measure:
        """The relative angle of the two markers."""
        return angle(self.a, self.b)

    def steps(self) -> tuple[Step, ...]:
        return (TURN_Z,)

    def equations(self) -> tuple[Equation, ...]:
        return tuple(Equation(axis, gap(self.a, self.b, axis).parts()) for axis in "xy")
