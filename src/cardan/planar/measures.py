"""The planar measures. Their derivatives are in `kernels/measures.py`."""

from __future__ import annotations

from typing import Any

from cardan.model import check
from cardan.model.measure import Measure
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.planar.body import AnyMarker, Marker, require_marker


def x(point: AnyMarker) -> Measure:
    """The global x coordinate of a point (Haug's absolute x, 3.2.3)."""
    return Measure("coordinate", None, _point(point, "the point of x()"), "x")


def y(point: AnyMarker) -> Measure:
    """The global y coordinate of a point (Haug's absolute y, 3.2.4)."""
    return Measure("coordinate", None, _point(point, "the point of y()"), "y")


def gap(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The distance of b's point from a's along a global axis, which a pin keeps at zero (3.3.10)."""
    return Measure("coordinate", *_pair(a, b, "gap()"), _axis(axis, "gap()"))


def angle(a: Marker, b: Marker) -> Measure:
    """The angle from the x axis of marker a to that of marker b, counterclockwise, full turns included (3.3.5)."""
    return Measure("angle", require_marker(a, "marker a of angle()"), require_marker(b, "marker b of angle()"))


def length(a: AnyMarker, b: AnyMarker) -> Measure:
    """The distance between two points (3.3.7, not squared)."""
    return Measure("length", *_pair(a, b, "length()"))


def component(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The coordinate of b's point along an axis of marker a, 'x' or 'y'."""
    return Measure("component", *_pair(a, b, "component()"), _axis(axis, "component()"))


def dot(a: AnyMarker, b: AnyMarker, axis_a: str, axis_b: str) -> Measure:
    """The dot product of an axis of a and an axis of b."""
    return Measure("dot", *_pair(a, b, "dot()"), _axis(axis_a, "dot()") + _axis(axis_b, "dot()"))


def bearing(a: AnyMarker, b: AnyMarker) -> Measure:
    """The direction from a's point to b's point, in a's axes.

    Full turns are counted if the measure is part of the model. If it is read from a result only, turns are followed
    from one output time to the next, which must be less than half a turn apart.
    """
    return Measure("bearing", *_pair(a, b, "bearing()"))


def helix_component(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """A component of u in a's axes, where the constant velocities (u, theta), in the moving axes, carry the axes of a
    into those of b in unit time: along a circular arc.

    An arc that leaves a along its x axis and arrives along that of b has u = (arc length, 0). Beams stretch and shear
    by the difference. The axes may turn by at most 150 degrees from a to b.
    """
    return Measure("helix", *_pair(a, b, "helix_component()"), _axis(axis, "helix_component()"))


def helix_length(a: AnyMarker, b: AnyMarker) -> Measure:
    """The length of u, see `helix_component`: how far b is from a along the arc between them."""
    return Measure("helix", *_pair(a, b, "helix_length()"), "u")


def velocity_along(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The velocity of b's point relative to a along an axis of marker b: a quasi-coordinate, which has only a rate."""
    return Measure("velocity_along", *_pair(a, b, "velocity_along()"), _axis(axis, "velocity_along()"))


def contact(coordinate: ContactCoordinate) -> Measure:
    """The internal coordinate of a contact."""
    return Measure("contact", None, ContactMarker(coordinate))


def _pair(a: Any, b: Any, where: str) -> tuple[AnyMarker, AnyMarker]:
    return _point(a, f"marker a of {where}"), _point(b, f"marker b of {where}")


def _point(value: object, what: str) -> AnyMarker:
    return value if isinstance(value, ContactMarker) else require_marker(value, what)


def _axis(axis: Any, where: str) -> str:
    return check.choice(axis, "xy", f"an axis of {where}")
