"""The measures of the plane, as a user states them. Their derivatives stand in `kernels.py`."""

from __future__ import annotations

from typing import Any

from cardan.errors import ModelError
from cardan.model.check import instance
from cardan.model.measure import Measure
from cardan.planar.body import Contact, ContactMarker, Marker

_POINT = (Marker, ContactMarker)


def x(point: Marker) -> Measure:
    """The global x coordinate of a point (Haug's absolute x, 3.2.3)."""
    return Measure("coordinate", None, instance(point, _POINT, "the point of x()"), "x")


def y(point: Marker) -> Measure:
    """The global y coordinate of a point (Haug's absolute y, 3.2.4)."""
    return Measure("coordinate", None, instance(point, _POINT, "the point of y()"), "y")


def angle(a: Marker, b: Marker) -> Measure:
    """The angle from the x axis of marker a to that of marker b, counter-clockwise, all turns counted (3.3.5)."""
    return Measure("angle", instance(a, Marker, "marker a of angle()"), instance(b, Marker, "marker b of angle()"))


def length(a: Marker, b: Marker) -> Measure:
    """The distance between two points (3.3.7, but not squared)."""
    return Measure("length", *_pair(a, b, "length()"))


def component(a: Marker, b: Marker, axis: str) -> Measure:
    """The coordinate of b's point along an axis of marker a, 'x' or 'y'."""
    return Measure("component", *_pair(a, b, "component()"), _axes(axis, 1, "component()"))


def dot(a: Marker, b: Marker, axis_a: str, axis_b: str) -> Measure:
    """The dot product of an axis of a and an axis of b."""
    return Measure("dot", *_pair(a, b, "dot()"), _axes(axis_a, 1, "dot()") + _axes(axis_b, 1, "dot()"))


def bearing(a: Marker, b: Marker) -> Measure:
    """The direction in which b's point is seen from a's point, in a's axes, all turns counted."""
    return Measure("bearing", *_pair(a, b, "bearing()"))


def contact(coordinate: Contact) -> Measure:
    """The own coordinate of a contact."""
    return Measure("contact", None, ContactMarker(coordinate))


def _pair(a: Any, b: Any, where: str) -> tuple[Any, Any]:
    return instance(a, _POINT, f"marker a of {where}"), instance(b, _POINT, f"marker b of {where}")


def _axes(axis: Any, count: int, where: str) -> str:
    if axis not in ("x", "y"):
        raise ModelError(f"an axis of {where} must be 'x' or 'y', got {axis!r}")
    return str(axis)
