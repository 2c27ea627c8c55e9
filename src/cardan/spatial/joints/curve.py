"""A bead on a wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint, Equation, Limit
from cardan.model.measure import Measure
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.spatial import rotation
from cardan.spatial.body import Body, Marker, Outline, require_marker
from cardan.spatial.joints.conditions import coincide
from cardan.spatial.measures import contact

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class PointOnCurve(Constraint):
    """The point of b stays on a curve of another body: three equations with one additional unknown, the parameter u.

           .--s(u)--.           r_b^P = r + A s'(u)
          /    o b   \\

    The curve is `body.profile(Helix(...))`, a plane curve or any space curve; the analysis reports when the point
    leaves an open one. Offers `.contact`, the parameter u.
    """

    wire: Outline
    b: Marker
    contacts: tuple[ContactCoordinate, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check.instance(self.wire, Outline, "the wire of a PointOnCurve", hint="create one with body.profile(curve)")
        require_marker(self.b, "the point of a PointOnCurve")
        object.__setattr__(self, "contacts", (ContactCoordinate(self.wire, "contact", self),))

    def bodies(self) -> tuple[Body, ...]:
        return self.wire.body, self.b.body

    def check(self) -> None:
        if self.wire.body is self.b.body:
            raise ModelError(f"{self.title} joins body '{self.b.body.name}' to itself; its ends must be on two bodies")
        corner, where = self.wire.curve.corner()
        if corner > 1e-6:
            raise ModelError(
                f"{self.title}: the curve has a corner of {corner:.3g} rad at u = {where:.4g}; round it off"
            )

    @property
    def contact(self) -> Measure:
        """The parameter u on the curve."""
        return contact(self.contacts[0])

    def contact_coordinates(self) -> tuple[ContactCoordinate, ...]:
        return self.contacts

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        body, point = pose(self.wire.body), pose(self.b.body)
        frame = self.wire.frame
        place = point[:3] + rotation.rotate(point[3:], np.array(self.b.place))
        inside = rotation.rotate(rotation.inverse(body[3:]), place - body[:3]) - np.array(frame.place)
        local = rotation.rotate(rotation.inverse(np.array(frame.orientation)), inside)
        return (self.wire.curve.nearest(tuple(local[: self.wire.curve.dimension].tolist())),)

    def limits(self) -> tuple[Limit, ...]:
        if self.wire.curve.closed:
            return ()
        low, high = self.wire.curve.span
        return (Limit(self.contact, low, high, f"the point of {self.title} has left its curve"),)

    def equations(self) -> tuple[Equation, ...]:
        return coincide(ContactMarker(self.contacts[0]), self.b)
