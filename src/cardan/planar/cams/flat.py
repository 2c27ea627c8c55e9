"""A cam against a flat face."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.element import Equation, Limit
from cardan.model.measure import Measure
from cardan.planar.body import Marker, Outline, require_marker, require_outline
from cardan.planar.cams.contact import (
    CamContact,
    marker_in_world,
    outline_frame,
    require_closed,
    require_single_contact,
)
from cardan.planar.measures import component, contact, dot

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class CamFlat(CamContact):
    """A cam that stays in contact with a flat face, the x axis of marker b (Haug 3.4.24 to 3.4.29).

          b ======P======> x      g_b . (P(u) - r_b) = 0     the touched point lies on the face,
               .----.             f_b . g(u) = 0             and the cam's tangent there is parallel to the face
              (  cam )

    `length=(low, high)` is the part of the face that exists, as coordinates along its x axis; the analysis reports
    contact outside it. The cam must be convex. `.contact` is the parameter u on the cam, `.travel` the position on the
    face.
    """

    cam: Outline
    b: Marker
    length: Sequence[Length] | None = None

    def __post_init__(self) -> None:
        require_outline(self.cam, "the cam of a CamFlat")
        require_marker(self.b, "the face of a CamFlat")
        self._place(contact=self.cam)

    def check(self) -> None:
        super().check()
        require_closed(self.title, self.cam)
        require_single_contact(self.title, self.cam, 0.0, "a flat face")
        if self.length is not None:
            low, high = check.vector(self.length, 2, f"the face of {self.title}")
            if not low < high:
                raise ModelError(f"the face of {self.title} must extend from low to high, got {low:g} to {high:g}")

    @property
    def contact(self) -> Measure:
        """The contact parameter u on the cam."""
        return contact(self.contacts[0])

    @property
    def travel(self) -> Measure:
        """The position of the contact along the face."""
        return component(self.b, self.touch(), "x")

    def ends(self) -> tuple[Outline, Marker]:
        return self.cam, self.b

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        x, y, turn = marker_in_world(self.b, pose)
        ox, oy, cam_turn = outline_frame(self.cam, pose)
        gx, gy = -math.sin(turn), math.cos(turn)
        side = 1.0 if (ox - x) * gx + (oy - y) * gy > 0.0 else -1.0  # the side of the face with the cam
        c, s = math.cos(cam_turn), math.sin(cam_turn)
        toward = (-side * (c * gx + s * gy), -side * (-s * gx + c * gy))
        return (self.cam.curve.support(toward),)

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        # the face pushes the cam along the cam's inward normal
        return (("gap", dot(self.b, self.touch(), "y", "y")),)

    def limits(self) -> tuple[Limit, ...]:
        if self.length is None:
            return ()
        low, high = self.length
        return (Limit(self.travel, low, high, f"the contact of {self.title} is outside its face"),)

    def equations(self) -> tuple[Equation, ...]:
        touch = self.touch()
        gap = Equation("gap", component(self.b, touch, "y").parts())
        return gap, Equation("tangent", dot(self.b, touch, "x", "y").parts())
