"""Contact coordinates: internal coordinates of elements, and the markers that move with them along curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.model.marker import Marker


@dataclass(frozen=True, eq=False)
class ContactCoordinate:
    """The internal coordinate u of an element: the contact parameter on a curve. Each element has its own.

    `outline` is the curve with its body, in the plane or in space.
    """

    outline: Any
    label: str
    element: Any = None

    @property
    def name(self) -> str:
        owner = self.element.name if self.element is not None else ""
        return f"{owner}.{self.label}"


@dataclass(frozen=True)
class ContactMarker(Marker):
    """The marker that moves along a curve, at s'(u); on plane curves its x axis is the tangent along u."""

    contact: ContactCoordinate

    @property
    def body(self) -> Any:
        return self.contact.outline.body

    @property
    def contact_coordinate(self) -> ContactCoordinate:
        return self.contact

    @property
    def place(self) -> Any:
        """The origin of the frame of the curve in the body."""
        return self.contact.outline.place

    @property
    def is_aligned(self) -> bool:
        return False

    @property
    def arm(self) -> float:
        """The largest distance of the curve from the body's origin."""
        curve = self.contact.outline.curve
        reach = curve.points(np.linspace(curve.span[0], curve.span[1], 33))
        return float(np.linalg.norm(self.place) + np.max(np.linalg.norm(reach, axis=1)))

    def __str__(self) -> str:
        return f"{self.body.name or 'body'}({self.contact.label})"
