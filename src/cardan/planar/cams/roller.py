"""A cam and its roller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.element import Equation
from cardan.model.measure import Measure
from cardan.planar.body import Marker, Outline, require_marker, require_outline
from cardan.planar.cams.contact import CamContact, in_outline, marker_in_world, require_closed, require_single_contact
from cardan.planar.measures import component, contact

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class CamRoller(CamContact):
    """A roller that stays in contact with a cam (Haug 3.4.15 to 3.4.20 with a circle as the second outline).

          .----.                f . (r_b - P(u)) = 0           the center b lies on the normal of the cam at P(u),
         ( cam  P--( b )        g . (r_b - P(u)) = -radius     outside it, at the roller's radius
          '----'

    `cam` is an outline, `cam_body.profile(curve)`; `b` marks the roller's center. With `inside=True` the roller runs
    inside the outline, as in a ring. `.contact` is the contact parameter u on the cam.
    """

    cam: Outline
    b: Marker
    radius: Length
    inside: bool = False

    def __post_init__(self) -> None:
        require_outline(self.cam, "the cam of a CamRoller")
        require_marker(self.b, "the center of a CamRoller")
        self._place(contact=self.cam)

    def check(self) -> None:
        super().check()
        check.positive(self.radius, f"the radius of {self.title}")
        require_closed(self.title, self.cam)
        if check.flag(self.inside, f"inside of {self.title}"):
            highest = float(np.max(self.cam.curve.curvature(np.linspace(*self.cam.curve.span, 3601))))
            if highest * self.radius >= 1.0:
                raise ModelError(
                    f"{self.title}: a roller of radius {self.radius:g} does not fit inside the outline on "
                    f"'{self.cam.body.name}', whose smallest radius is {1.0 / highest:.4g}"
                )
        else:
            require_single_contact(self.title, self.cam, 1.0 / self.radius, f"a roller of radius {self.radius:g}")

    @property
    def contact(self) -> Measure:
        """The contact parameter u on the cam."""
        return contact(self.contacts[0])

    def ends(self) -> tuple[Outline, Marker]:
        return self.cam, self.b

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        x, y, _ = marker_in_world(self.b, pose)
        return (self.cam.curve.nearest(in_outline(self.cam, pose, (x, y))),)

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        return (("gap", 1.0 if self.inside else -1.0),)  # the cam pushes the roller away from its outline

    def equations(self) -> tuple[Equation, ...]:
        touch = self.touch()
        along = Equation("along", component(touch, self.b, "x").parts())
        side = self.radius if self.inside else -self.radius
        return along, Equation("gap", component(touch, self.b, "y").parts(), offset=side)
