"""Two outlines in contact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cardan.model.element import Equation, Limit
from cardan.model.measure import Measure
from cardan.planar.body import Outline, require_outline
from cardan.planar.cams.contact import CamContact, in_world, require_closed, require_single_contact
from cardan.planar.measures import component, contact, dot

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class CamPair(CamContact):
    """A cam and a second outline that stay in external contact and may slide (Haug 3.4.15 to 3.4.20).

          .----.  .-----.       f_a . (P_b(u_b) - P_a(u_a)) = 0
         (  a   PP   b   )      g_a . (P_b(u_b) - P_a(u_a)) = 0        the touched points coincide,
          '----'  '-----'       f_a . g_b = 0                          the tangents are parallel

    `.contact_a` and `.contact_b` are the contact parameters u_a and u_b. Outline b may be open, such as the curved sole
    of a follower; its material is on the left for increasing u, and contact beyond its ends is reported.
    """

    a: Outline
    b: Outline

    def __post_init__(self) -> None:
        require_outline(self.a, "outline a of a CamPair")
        require_outline(self.b, "outline b of a CamPair")
        self._place(contact_a=self.a, contact_b=self.b)

    def check(self) -> None:
        super().check()
        require_closed(self.title, self.a)
        bend = self.b.curve.is_convex().curvature
        require_single_contact(self.title, self.a, bend, f"the outline on '{self.b.body.name}' ({bend:.4g} there)")

    @property
    def contact_a(self) -> Measure:
        """The contact parameter on outline a."""
        return contact(self.contacts[0])

    @property
    def contact_b(self) -> Measure:
        """The contact parameter on outline b."""
        return contact(self.contacts[1])

    def ends(self) -> tuple[Outline, Outline]:
        return self.a, self.b

    def contact_start(self, pose: Callable[[RigidBody], np.ndarray]) -> tuple[float, ...]:
        """The two points with opposite normals whose connecting line is closest to the normal, on the near side."""
        (u_a, points_a, normals_a), (u_b, points_b, normals_b) = (_sampled(o, pose) for o in (self.a, self.b))
        opposed = np.argmin(normals_a @ normals_b.T, axis=1)  # for each point on a, the point on b that faces it
        gaps = points_b[opposed] - points_a
        aside = np.abs(gaps[:, 0] * normals_a[:, 1] - gaps[:, 1] * normals_a[:, 0])
        # The far sides also face each other, through both bodies; there the gap is large and negative.
        best = int(np.argmin(aside + np.abs(np.sum(gaps * normals_a, axis=1))))
        return float(u_a[best]), float(u_b[opposed[best]])

    def presses(self) -> tuple[tuple[str, float | Measure], ...]:
        return (("y", -1.0),)  # a pushes b against a's inward normal

    def limits(self) -> tuple[Limit, ...]:
        if self.b.curve.closed:
            return ()
        return (Limit(self.contact_b, *self.b.curve.span, f"the contact of {self.title} is beyond the end of b"),)

    def equations(self) -> tuple[Equation, ...]:
        touch_a, touch_b = self.touch(0), self.touch(1)
        points = tuple(Equation(axis, component(touch_a, touch_b, axis).parts()) for axis in "xy")
        return (*points, Equation("tangent", dot(touch_a, touch_b, "x", "y").parts()))


def _sampled(
    outline: Outline, pose: Callable[[RigidBody], np.ndarray], count: int = 720
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parameters, global points and global outward normals around an outline."""
    low, high = outline.curve.span
    u = np.linspace(low, high, count, endpoint=False)
    here, along, _, _ = outline.curve.derivatives(u)
    tangents = in_world(outline, pose, along) - in_world(outline, pose, np.zeros((1, 2)))
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    return u, in_world(outline, pose, here), np.stack([tangents[:, 1], -tangents[:, 0]], axis=1)
