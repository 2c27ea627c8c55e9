"""The spatial measures. Their derivatives are in `kernels/measures.py`."""

from __future__ import annotations

from typing import Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.measure import Measure
from cardan.model.surfaces.contact_coordinate import ContactCoordinate, ContactMarker
from cardan.spatial.body import AnyMarker, Marker, require_marker

USUAL = "zxx"  # the default angle: about z, from x to x


def x(point: AnyMarker) -> Measure:
    """The global x coordinate of a point (Haug 9.4.15)."""
    return Measure("coordinate", None, _point(point, "the point of x()"), "x")


def y(point: AnyMarker) -> Measure:
    """The global y coordinate of a point."""
    return Measure("coordinate", None, _point(point, "the point of y()"), "y")


def z(point: AnyMarker) -> Measure:
    """The global z coordinate of a point."""
    return Measure("coordinate", None, _point(point, "the point of z()"), "z")


def gap(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The distance of b's point from a's along a global axis, which a ball keeps at zero (9.4.7)."""
    return Measure("coordinate", *_pair(a, b, "gap()"), _axis(axis, "gap()"))


def length(a: AnyMarker, b: AnyMarker) -> Measure:
    """The distance between two points (9.4.8, not squared)."""
    return Measure("length", *_pair(a, b, "length()"))


def component(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The coordinate of b's point along an axis of marker a: Haug's dot-2 with a constant (9.4.4)."""
    return Measure("component", *_pair(a, b, "component()"), _axis(axis, "component()"))


def dot(a: AnyMarker, b: AnyMarker, axis_a: str, axis_b: str) -> Measure:
    """The dot product of an axis of a and an axis of b: Haug's dot-1 (9.4.2)."""
    return Measure("dot", *_pair(a, b, "dot()"), _axis(axis_a, "dot()") + _axis(axis_b, "dot()"))


def angle(a: AnyMarker, b: AnyMarker, about: str = "z", zero: str = "x", of: str = "x") -> Measure:
    """The angle about an axis of a, from another of its axes (`zero`) to an axis of b (`of`), full turns included.

    By default from a's x axis to b's, about a's z axis (Haug 9.2.26 to 9.2.31). The axis of b is projected on the plane
    normal to `about`; if it is parallel to `about`, the angle is undefined.
    """
    axes = "".join(_axis(axis, "angle()") for axis in (about, zero, of))
    if about == zero:
        raise ModelError(f"angle() cannot be measured about '{about}' from '{zero}': the two axes must differ")
    return Measure("angle", *_pair(a, b, "angle()"), "" if axes == USUAL else axes)


def bearing(a: AnyMarker, b: AnyMarker) -> Measure:
    """The direction from a's point to b's point, about a's z axis from its x axis, full turns included."""
    return Measure("bearing", *_pair(a, b, "bearing()"))


def tilt(a: AnyMarker, b: AnyMarker, axis_a: str = "z", axis_b: str = "x") -> Measure:
    """The elevation of an axis of b above the plane normal to an axis of a: arcsin of their dot product."""
    return Measure("tilt", *_pair(a, b, "tilt()"), _axis(axis_a, "tilt()") + _axis(axis_b, "tilt()"))


def rotation_component(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """A component of the rotation vector that rotates the axes of a into those of b, at most half a turn."""
    return Measure("rotation", *_pair(a, b, "rotation_component()"), _axis(axis, "rotation_component()"))


def helix_component(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """A component of u in a's axes, where the constant velocities (u, theta), in the moving axes, carry the axes of a
    into those of b in unit time: along a helix. theta is the rotation vector, see `rotation_component`.

    A helix that leaves a along its x axis and arrives along that of b has u = (its length, 0, 0). Beams stretch and
    shear by the difference. The axes may turn by at most 150 degrees from a to b.
    """
    return Measure("helix", *_pair(a, b, "helix_component()"), _axis(axis, "helix_component()"))


def helix_length(a: AnyMarker, b: AnyMarker) -> Measure:
    """The length of u, see `helix_component`: how far b is from a along the helix between them."""
    return Measure("helix", *_pair(a, b, "helix_length()"), "u")


def upright(a: AnyMarker, b: AnyMarker) -> Measure:
    """The sine of the angle between the z axes of a and b: 1 for the axle of an upright wheel."""
    return Measure("upright", *_pair(a, b, "upright()"), "zz")


def velocity_along(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The velocity of b's point relative to a along an axis of marker b: a quasi-coordinate, which has only a rate."""
    return Measure("velocity_along", *_pair(a, b, "velocity_along()"), _axis(axis, "velocity_along()"))


def angular_velocity_about(a: AnyMarker, b: AnyMarker, axis: str) -> Measure:
    """The angular velocity of b relative to a about an axis of marker a: a quasi-coordinate, which has only a rate."""
    return Measure(
        "angular_velocity_about", *_pair(a, b, "angular_velocity_about()"), _axis(axis, "angular_velocity_about()")
    )


def course(a: AnyMarker, b: AnyMarker, way: str) -> Measure:
    """The velocity of the hub b of a wheel on the xy plane of a, 'along' or 'across' its rolling direction; the axle is
    b's z axis.

    A quasi-coordinate, which has only a rate.
    """
    return Measure("course", *_pair(a, b, "course()"), "x" if _way(way) == "along" else "y")


def contact(coordinate: ContactCoordinate) -> Measure:
    """The internal coordinate of a contact."""
    return Measure("contact", None, ContactMarker(coordinate))


def cardan_angles(a: Marker, b: Marker) -> tuple[Measure, Any, Any]:
    """The Cardan (Bryant) angles: successive rotations about x, y and z that take the axes of a into those of b.

    With R = Rx(alpha) Ry(beta) Rz(gamma): z_b in a is (sin beta, -sin alpha cos beta, cos alpha cos beta), and x_a in b
    is (cos beta cos gamma, -cos beta sin gamma, sin beta). Singular at beta = +-pi/2, as the angles are.
    """
    return angle(a, b, about="x", zero="z", of="z"), tilt(a, b, "x", "z"), -angle(b, a)


def _pair(a: Any, b: Any, where: str) -> tuple[AnyMarker, AnyMarker]:
    return _point(a, f"marker a of {where}"), _point(b, f"marker b of {where}")


def _point(value: object, what: str) -> AnyMarker:
    return value if isinstance(value, ContactMarker) else require_marker(value, what)


def _axis(axis: Any, where: str) -> str:
    return check.choice(axis, "xyz", f"an axis of {where}")


def _way(way: Any) -> str:
    return check.choice(way, ("along", "across"), "the way of course()")
