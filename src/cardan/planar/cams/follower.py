"""A pin in a curved slot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.model.element import Equation, Limit
from cardan.model.measure import Measure
from cardan.planar.body import Marker, Outline, require_marker, require_outline
from cardan.planar.cams.contact import CamContact, in_outline, marker_in_world
from cardan.planar.measures import component, contact

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class PointFollower(CamContact):
    """A pin b that stays on a curve of another body: a curved slot (Haug 3.4.31).

           ___P(u)___             f . (r_b - P(u)) = 0
          /    o b   \\            g . (r_b - P(u)) = 0

    The curve may be closed or open; the analysis reports when the pin leaves an open slot. `.contact` is the parameter
    u.
    """

    slot: Outline
    b: Marker

    def __post_init__(self) -> None:
        require_outline(self.slot, "the slot of a PointFollower")
        require_marker(self.b, "the pin of a PointFollower")
        self._place(contact=self.slot)

    @property
    def contact(self) -> Measure:
        """The parameter u of the pin in the slot."""
        return contact(self.contacts[0])

    def ends(self) -> tuple[Outline, Marker]:
        return self.slot, self.b

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        x, y, _ = marker_in_world(self.b, pose)
        return (self.slot.curve.nearest(in_outline(self.slot, pose, (x, y))),)

    def limits(self) -> tuple[Limit, ...]:
        if self.slot.curve.closed:
            return ()
        return (Limit(self.contact, *self.slot.curve.span, f"the pin of {self.title} has left its slot"),)

    def equations(self) -> tuple[Equation, ...]:
        return tuple(Equation(axis, component(self.touch(), self.b, axis).parts()) for axis in "xy")
