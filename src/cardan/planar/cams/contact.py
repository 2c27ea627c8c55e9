"""Common base of cams: outlines seen from outside, and the check that two curves touch at a single point.

Outlines run counter-clockwise, so the left normal g of the tangent f points into the material:

             f  <----.
                     |  g        curvature kappa > 0 where the outline is convex
            outside  v  inside
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.planar.body import Body, Marker, Outline

if TYPE_CHECKING:
    from cardan.model.body import RigidBody


@dataclass(frozen=True, eq=False)
class CamContact(Constraint):
    """An outline of one body in contact with another body; the contact parameter is an internal coordinate."""

    contacts: tuple[ContactCoordinate, ...] = field(init=False, repr=False)

    @abstractmethod
    def ends(self) -> tuple[Outline, Outline | Marker]:
        """The two things in contact."""

    def bodies(self) -> tuple[Body, ...]:
        return tuple(end.body for end in self.ends())

    def contact_coordinates(self) -> tuple[ContactCoordinate, ...]:
        return self.contacts

    def touch(self, which: int = 0) -> ContactMarker:
        """The marker at a contact point."""
        return ContactMarker(self.contacts[which])

    def check(self) -> None:
        first, second = self.bodies()
        if first is second:
            raise ModelError(f"{self.title} has both ends on body '{first.name}'; they must be on two bodies")
        for contact in self.contacts:
            require_smooth(self.title, contact.outline)

    def _place(self, **outlines: Outline) -> None:
        """Declare the contacts by name; called once, while the frozen element is created."""
        contacts = tuple(ContactCoordinate(outline, name, self) for name, outline in outlines.items())
        object.__setattr__(self, "contacts", contacts)


def in_outline(
    outline: Outline, pose: Callable[[RigidBody], np.ndarray], point: tuple[float, float]
) -> tuple[float, float]:
    """A global point in the frame of the outline's curve."""
    ox, oy, turn = outline_frame(outline, pose)
    dx, dy = point[0] - ox, point[1] - oy
    c, s = math.cos(turn), math.sin(turn)
    return (c * dx + s * dy, -s * dx + c * dy)


def outline_frame(outline: Outline, pose: Any) -> tuple[float, float, float]:
    """Global origin and direction of the frame of the outline's curve."""
    bx, by, phi = pose(outline.body)
    c, s = math.cos(phi), math.sin(phi)
    return (bx + c * outline.x - s * outline.y, by + s * outline.x + c * outline.y, phi + outline.angle)


def in_world(outline: Outline, pose: Callable[[RigidBody], np.ndarray], points: np.ndarray) -> np.ndarray:
    """Global positions of points in the outline's frame."""
    ox, oy, turn = outline_frame(outline, pose)
    c, s = math.cos(turn), math.sin(turn)
    return points @ np.array([[c, s], [-s, c]]) + (ox, oy)


def marker_in_world(marker: Marker, pose: Any) -> tuple[float, float, float]:
    """Global position and direction of a marker."""
    bx, by, phi = pose(marker.body)
    c, s = math.cos(phi), math.sin(phi)
    return (bx + c * marker.x - s * marker.y, by + s * marker.x + c * marker.y, phi + marker.angle)


def require_single_contact(title: str, outline: Outline, partner_curvature: float, partner: str) -> None:
    """Two outlines touch at a single point only if the sum of their curvatures is positive everywhere."""
    shape = outline.curve.is_convex()
    if shape.curvature + partner_curvature <= 0.0:
        raise ModelError(
            f"{title}: the cam on '{outline.body.name}' has curvature {shape.curvature:.4g} at u = {shape.at:.4g}, not "
            f"convex enough for {partner}: they would touch at two points"
        )


def require_smooth(title: str, outline: Outline) -> None:
    """At a corner an outline has no tangent, and a follower would jump."""
    angle, where = outline.curve.corner()
    if angle > 1e-6:
        raise ModelError(
            f"{title}: the outline on '{outline.body.name}' has a corner of {math.degrees(angle):.3g} degrees at "
            f"u = {where:.4g}; round it off"
        )


def require_closed(title: str, outline: Outline) -> None:
    """Require a closed outline."""
    if not outline.curve.closed:
        raise ModelError(f"{title}: the cam on '{outline.body.name}' is an open curve; a cam needs a closed outline")
