"""What bodies without orientation have in common: their axes stay parallel to those of the ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model.element import Element, Equation
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable
from cardan.model.steps import Step

if TYPE_CHECKING:
    from cardan.model.body import RigidBody

OFFSET_ROUNDING = 1e-12  # of the position: an offset that is a rounding error


@dataclass(frozen=True, eq=False)
class FixedAxes(TwoMarkerJoint[Marker]):
    """The axes of a point mass are those of the ground. Part of the body, and not listed in results.

    No force acts along these equations, because elements that need an orientation reject point masses; their
    multipliers are zero. In joint coordinates the body has one translation along each axis.
    """

    rotations: tuple[Measure, ...]

    carries: ClassVar[bool] = True
    listed: ClassVar[bool] = False

    @property
    def x(self) -> Measure:
        return Measure("coordinate", None, self.b, "x")

    @property
    def y(self) -> Measure:
        return Measure("coordinate", None, self.b, "y")

    @property
    def z(self) -> Measure:
        return Measure("coordinate", None, self.b, "z")

    def coordinates(self) -> dict[str, Readable]:
        return {}  # its columns are those of the body

    def steps(self) -> tuple[Step, ...]:
        return tuple(Step("slide", axis, name=axis) for axis, _ in zip("xyz", self.b.place, strict=False))

    def equations(self) -> tuple[Equation, ...]:
        return tuple(Equation(f"{m.kind} {m.axes}".strip(), m.parts()) for m in self.rotations)


def require_no_offset(body: RigidBody, place: Any, axes: bool) -> None:
    """Reject markers beside a point, or with axes of their own."""
    scale = max(1.0, *(abs(float(x)) for x in body.position))
    if axes or any(abs(float(x)) > OFFSET_ROUNDING * scale for x in np.ravel(place)):
        raise ModelError(
            f"{body.title} is a point without orientation: at() takes no offset and no axes, got "
            f"{tuple(float(x) for x in np.ravel(place))}{' and axes' if axes else ''}; use a Body with mass and inertia"
        )


def require_no_orientation(body: RigidBody, element: Element) -> None:
    """Reject what measures or turns the orientation of a point."""
    for measure in element.measured():
        if any(other is body for other in measure.points_turned()):
            raise ModelError(
                f"{element.title} needs the orientation of {body.title}, which is a point, for {measure}; use an "
                "element that acts on points, such as Distance or Spring, or a Body with inertia"
            )
