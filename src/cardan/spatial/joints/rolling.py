"""Wheels and balls that roll on a plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cardan.elements.constraints.rolling import Rolling
from cardan.errors import ModelError
from cardan.model.element import Equation, Limit
from cardan.model.measure import Combination, Measure
from cardan.spatial import rotation
from cardan.spatial.body import Marker, require_marker
from cardan.spatial.measures import angle, angular_velocity_about, component, course, dot, tilt, upright

FLAT_WHEEL_SINE = 1e-3  # sine of the angle between axle and normal below which a wheel is flat on the plane


@dataclass(frozen=True, eq=False)
class RollingWheel(Rolling[Marker]):
    """A thin wheel or coin b, about the z axis of its marker, that rolls on the xy plane of a.

          n |   / k      k: the axle, z of b       h = n . d - radius c = 0           the rim touches the plane
            |  /         n: the normal, z of a     t . u - radius k . w = 0           it does not slide along,
        ====o=====       c = sqrt(1 - (n . k)^2)   m . u + radius (n . k)' = 0        nor across
        t = k x n / c,  m = n x t;   u, w: velocity of the hub and angular velocity, as seen from a

    It may lean, but not lie flat, where it has no lowest point. The no-slip conditions are velocity constraints: of the
    five degrees of freedom of a coin on a table, three remain for its velocity. Offers `.lean`, the elevation of the
    axle above the plane, and `.heading`, the direction of the axle about the normal, from a's x axis.
    """

    crossed: ClassVar[bool] = True

    def check(self) -> None:
        super().check()
        normal, axle = (_stated_z(require_marker(end, f"an end of {self.title}")) for end in (self.a, self.b))
        if math.hypot(*np.cross(normal, axle)) < FLAT_WHEEL_SINE:
            raise ModelError(
                f"the wheel of {self.title} initially lies flat: its axle is the z axis of marker b, which must not be "
                f"parallel to that of marker a, the normal of the plane; for example wheel.at(z=(0, 1, 0))"
            )

    @property
    def lean(self) -> Measure:
        """The elevation of the axle above the plane: 0 for an upright wheel."""
        return tilt(self.a, self.b, "z", "z")

    @property
    def heading(self) -> Measure:
        """The direction of the axle, seen from above; the rolling direction is a quarter turn to the right of it."""
        return angle(self.a, self.b, of="z")

    def touching(self) -> Equation:
        height = component(self.a, self.b, "z") - self.radius * upright(self.a, self.b)
        return Equation("touching", height.parts())

    def slips(self) -> dict[str, Combination]:
        a, b = self.a, self.b
        return {
            "along": course(a, b, "along") + self.radius * angular_velocity_about(b, a, "z"),
            "across": course(a, b, "across") + self.radius * dot(a, b, "z", "z"),
        }

    def limits(self) -> tuple[Limit, ...]:
        return (Limit(upright(self.a, self.b), FLAT_WHEEL_SINE, 2.0, f"the wheel of {self.title} has fallen flat"),)


@dataclass(frozen=True, eq=False)
class RollingBall(Rolling[Marker]):
    """A ball b, about its marker, that rolls on the xy plane of a.

           .-.
          ( b )  radius              z_a . d = radius                        it touches the plane
        ===='-'====  a               x_a . u - radius y_a . w = 0            its lowest point does not slide along x,
                                     y_a . u + radius x_a . w = 0            nor along y

    u, w: velocity of the center and angular velocity relative to a. The no-slip conditions are velocity constraints:
    the ball can reach every position in every orientation. Offers `.x` and `.y`, the position of the ball on the plane.
    """

    @property
    def x(self) -> Measure:
        """The position of the center along a's x axis."""
        return component(self.a, self.b, "x")

    @property
    def y(self) -> Measure:
        """The position of the center along a's y axis."""
        return component(self.a, self.b, "y")

    def touching(self) -> Equation:
        return Equation("touching", component(self.a, self.b, "z").parts(), offset=self.radius)

    def slips(self) -> dict[str, Combination]:
        return {
            "x": self.x - self.radius * angular_velocity_about(self.a, self.b, "y"),
            "y": self.y + self.radius * angular_velocity_about(self.a, self.b, "x"),
        }


def _stated_z(marker: Marker) -> np.ndarray:
    """The global z axis of a marker in the given position of its body."""
    turned = rotation.multiply(np.array(marker.body.parameters), np.array(marker.orientation))
    axis: np.ndarray = rotation.rotate(turned, np.array([0.0, 0.0, 1.0]))
    return axis
