"""A ball."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.model.element import Equation
from cardan.model.measure import Readable
from cardan.model.steps import Step
from cardan.spatial.body import Marker
from cardan.spatial.joints.conditions import coincide
from cardan.spatial.measures import cardan_angles


@dataclass(frozen=True, eq=False)
class Spherical(TwoMarkerJoint[Marker]):
    """A ball in its socket: the points of a and b coincide (Haug 9.4.7, 9.4.18).

          a ---(o--- b         A_a^T (r_b^P - r_a^P) = 0,   written in the axes of marker a

    Offers the Cardan angles `.angle_x .angle_y .angle_z`, rotations about x, then y, then z that take a's axes to b's;
    they are singular where angle_y is a quarter turn. By default the marker axes are those of the bodies.

    >>> from cardan.spatial import Body, Model, Spherical
    >>> model = Model("pendulum")
    >>> bob = model.add(Body(position=(0, 0, -1)), name="bob")
    >>> ball = model.add(Spherical(model.ground.at(), bob.at(0, 0, 1)), name="ball")
    >>> [equation.label for equation in ball.equations()]
    ['x', 'y', 'z']
    """

    carries: ClassVar[bool] = True

    @property
    def angle_x(self) -> Readable:
        """The first Cardan angle, about a's x axis."""
        return cardan_angles(self.a, self.b)[0]

    @property
    def angle_y(self) -> Readable:
        """The second Cardan angle, about the y axis rotated by the first."""
        return cardan_angles(self.a, self.b)[1]

    @property
    def angle_z(self) -> Readable:
        """The third Cardan angle, about b's z axis."""
        return cardan_angles(self.a, self.b)[2]

    def steps(self) -> tuple[Step, ...]:
        return (Step("ball", name="turn"),)

    def equations(self) -> tuple[Equation, ...]:
        return coincide(self.a, self.b)
