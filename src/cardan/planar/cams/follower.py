"""A pin in a curved slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardan.model import check
from cardan.model.element import Constraint, Equation, Limit
from cardan.model.measure import Measure
from cardan.planar.body import Contact, ContactMarker, Marker, Outline
from cardan.planar.cams.contact import in_outline, marker_in_world
from cardan.planar.measures import component, contact


@dataclass(frozen=True, eq=False)
class PointFollower(Constraint):
    """A pin b that stays on a curve of another body: a curved slot (Haug 3.4.31).

           ___P(u)___             f . (r_b - P(u)) = 0
          /    o b   \\            g . (r_b - P(u)) = 0

    The curve may be closed or open; leaving an open slot at its end is reported. `.contact` is the place u.
    """

    slot: Outline
    b: Marker

    def __post_init__(self) -> None:
        check.instance(self.slot, Outline, "the slot of a PointFollower")
        check.instance(self.b, Marker, "the pin of a PointFollower")
        object.__setattr__(self, "_contact", Contact(self.slot, "contact", self))

    @property
    def contact(self) -> Measure:
        """The place of the pin in the slot."""
        return contact(self._contact)  # type: ignore[attr-defined]

    def own(self) -> tuple[Contact, ...]:
        return (self._contact,)  # type: ignore[attr-defined]

    def own_start(self, pose: Any) -> tuple[float, ...]:
        x, y, _ = marker_in_world(self.b, pose)
        return (self.slot.curve.nearest(in_outline(self.slot, pose, (x, y))),)

    def limits(self) -> tuple[Limit, ...]:
        if self.slot.curve.closed:
            return ()
        return (Limit(self.contact, *self.slot.curve.span, f"the pin of {self.title} has left its slot"),)

    def equations(self) -> tuple[Equation, ...]:
        touch = ContactMarker(self.own()[0])
        return tuple(Equation(axis, component(touch, self.b, axis).parts()) for axis in "xy")
