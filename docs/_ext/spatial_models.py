"""A small mechanism of space for each element that the plane does not have; see `element_models.py`."""

from __future__ import annotations

from typing import Any

import cardan.spatial as space
from cardan import flexible


def _rod(m: Any, name: str, start: tuple[float, ...], end: tuple[float, ...]) -> Any:
    """A straight body from one point to another, its frame in the middle, turned as the world."""
    middle = tuple(0.5 * (a + b) for a, b in zip(start, end, strict=True))
    rod = m.add(space.Body(position=middle), name=name)
    for place in (start, end):
        m.add(space.Point(rod.world(*place), trace=False))
    return rod


def _two(m: Any) -> tuple[Any, Any]:
    """Rod a along x up to the origin, rod b from there upwards."""
    return _rod(m, "a", (-0.6, 0.0, 0.0), (0.0, 0.0, 0.0)), _rod(m, "b", (0.0, 0.0, 0.0), (0.35, 0.2, 0.4))


def _plate(m: Any, name: str, z: float = 0.0, size: float = 0.35) -> Any:
    square = [(-size, -size, 0), (size, -size, 0), (size, size, 0), (-size, size, 0), (-size, -size, 0)]
    return m.add(space.Body(position=(0.0, 0.0, z), outline=square), name=name)


def body(m: Any) -> None:
    box = m.add(space.Body(mass=space.matter.box(0.6, 0.4, 0.2, density=10.0)), name="body")
    m.add(space.Point(box.at(), trace=False), name="frame")
    m.add(space.Point(box.at(0.3, 0.2, 0.1), trace=False), name="marker")


def marker(m: Any) -> None:
    rod = _rod(m, "body", (0.0, 0.0, 0.0), (0.6, 0.3, 0.3))
    m.add(space.Point(rod.at(), trace=False), name="body.at()")


def model(m: Any) -> None:
    a, b = _two(m)
    m.add(space.Revolute.between(m.ground, a, at=(-0.6, 0, 0), z=(0, 1, 0)), name="hinge")
    m.add(space.Spherical.between(a, b, at=(0, 0, 0)), name="ball")


def revolute(m: Any) -> None:
    a, b = _two(m)
    m.add(space.Revolute.between(a, b, at=(0, 0, 0), z=(0, 1, 0)), name="revolute")


def spherical(m: Any) -> None:
    a, b = _two(m)
    m.add(space.Spherical.between(a, b, at=(0, 0, 0)), name="spherical")


def universal(m: Any) -> None:
    a, b = _two(m)
    m.add(space.Universal(a.world(0, 0, 0, z=(0, 1, 0)), b.world(0, 0, 0, z=(0.4, 0.0, -0.35))), name="universal")


def constant_velocity(m: Any) -> None:
    a, b = _two(m)
    ends = a.world(0, 0, 0, z=(1, 0, 0)), b.world(0, 0, 0, z=(0.35, 0.2, 0.4))
    m.add(space.ConstantVelocity(*ends), name="constant velocity")


def cylindrical(m: Any) -> None:
    a, b = _rod(m, "a", (-0.5, 0, 0), (0.5, 0, 0)), _rod(m, "b", (0.1, 0, 0), (0.1, 0.0, 0.4))
    m.add(space.Cylindrical.between(a, b, at=(0.1, 0, 0), z=(1, 0, 0)), name="cylindrical")


def screw(m: Any) -> None:
    a, b = _rod(m, "a", (-0.5, 0, 0), (0.5, 0, 0)), _rod(m, "b", (0.1, 0, 0), (0.1, 0.0, 0.4))
    m.add(space.Screw(a.world(0.1, 0, 0, z=(1, 0, 0)), b.world(0.1, 0, 0, z=(1, 0, 0)), pitch=0.1), name="screw")


def translational(m: Any) -> None:
    b = _rod(m, "b", (0.1, 0, 0), (0.1, 0.0, 0.4))
    m.add(space.Point(m.ground.at(-0.4, 0, 0), trace=False))
    m.add(space.Point(m.ground.at(0.5, 0, 0), trace=False))
    m.add(space.Translational.between(m.ground, b, at=(0.1, 0, 0), z=(1, 0, 0)), name="translational")


def fixed(m: Any) -> None:
    a, b = _two(m)
    m.add(space.Fixed.between(a, b, at=(0, 0, 0)), name="fixed")


def orientation(m: Any) -> None:
    a, b = _plate(m, "a"), _plate(m, "b", 0.5, 0.2)
    m.add(space.Orientation(a.at(), b.at()), name="orientation")


def parallel(m: Any) -> None:
    a, b = _plate(m, "a"), _plate(m, "b", 0.5, 0.2)
    m.add(space.Parallel(a.at(), b.at()), name="parallel")


def perpendicular(m: Any) -> None:
    a, b = _plate(m, "a"), _rod(m, "b", (-0.3, 0.0, 0.4), (0.3, 0.0, 0.4))
    m.add(space.Perpendicular(a.at(), b.at(z=(1, 0, 0))), name="perpendicular")


def point_on_line(m: Any) -> None:
    a, b = _rod(m, "a", (-0.5, 0, 0), (0.5, 0, 0)), _rod(m, "b", (0.1, 0, 0), (0.3, 0.0, 0.4))
    m.add(space.PointOnLine(a.world(0, 0, 0, z=(1, 0, 0)), b.world(0.1, 0, 0)), name="point on line")


def point_in_plane(m: Any) -> None:
    a, b = _plate(m, "a"), _rod(m, "b", (0.1, 0, 0), (0.2, 0.1, 0.4))
    m.add(space.PointInPlane(a.at(), b.world(0.1, 0, 0)), name="point in plane")


def planar(m: Any) -> None:
    a, b = _plate(m, "a"), _plate(m, "b", 0.0, 0.12)
    m.add(space.Planar(a.at(), b.at()), name="planar")


def point_on_curve(m: Any) -> None:
    wire = m.add(space.Body(), name="wire")
    curve = space.Helix(0.3, 0.3)
    bead = _rod(m, "bead", (0.3, 0.0, 0.0), (0.5, 0.0, 0.0))
    m.add(space.PointOnCurve(wire.profile(curve), bead.world(0.3, 0, 0)), name="point on curve")


def _posts(m: Any) -> tuple[Any, Any]:
    """Two uprights, 0.6 m apart."""
    return _rod(m, "a", (0, 0, -0.3), (0, 0, 0.1)), _rod(m, "b", (0.6, 0, -0.3), (0.6, 0, 0.1))


def revolute_spherical(m: Any) -> None:
    a, b = _posts(m)
    m.add(
        space.RevoluteSpherical(a.world(0, 0, 0.1, z=(0, 1, 0)), b.world(0.6, 0, 0.1), 0.6), name="revolute-spherical"
    )


def revolute_revolute(m: Any) -> None:
    a, b = _posts(m)
    ends = a.world(0, 0, 0.1, z=(0, 1, 0)), b.world(0.6, 0, 0.1, z=(0, 1, 0))
    m.add(space.RevoluteRevolute(*ends, 0.6), name="revolute-revolute")


def revolute_cylindrical(m: Any) -> None:
    a, b = _posts(m)
    ends = a.world(0, 0, 0.1, z=(0, 1, 0)), b.world(0.6, 0, 0.1, z=(1, 0, 0))
    m.add(space.RevoluteCylindrical(*ends), name="revolute-cylindrical")


def revolute_translational(m: Any) -> None:
    a, b = _posts(m)
    ends = a.world(0, 0, 0.1, z=(0, 1, 0)), b.world(0.6, 0, 0.1, z=(1, 0, 0))
    m.add(space.RevoluteTranslational(*ends), name="revolute-translational")


def bevel_gear(m: Any) -> None:
    pinion = m.add(space.Body(position=(0.0, 0.0, 0.4)), name="pinion")
    wheel = m.add(space.Body(position=(0.2, 0.0, 0.0)), name="wheel")
    m.add(space.Revolute.between(m.ground, pinion, at=(0, 0, 0.4), z=(0, 0, 1)), name="A")
    m.add(space.Revolute.between(m.ground, wheel, at=(0.2, 0, 0), z=(1, 0, 0)), name="B")
    m.add(space.BevelGear(pinion.at(), wheel.at(z=(1, 0, 0)), 0.2, 0.4), name="bevel gear")


def worm_gear(m: Any) -> None:
    worm = m.add(space.Body(), name="worm")
    wheel = m.add(space.Body(position=(0.0, 0.0, -0.24)), name="wheel")
    m.add(space.Revolute.between(m.ground, worm, at=(0, 0, 0), z=(1, 0, 0)), name="A")
    m.add(space.Revolute.between(m.ground, wheel, at=(0, 0, -0.24), z=(0, 1, 0)), name="B")
    ends = worm.at(z=(1, 0, 0)), wheel.at(z=(0, 1, 0))
    m.add(space.WormGear(*ends, lead=0.06, radius_a=0.04, radius_b=0.2), name="worm gear")


def rolling_wheel(m: Any) -> None:
    wheel = m.add(space.Body(position=(0.0, 0.0, 0.3)), name="wheel")
    m.add(space.RollingWheel(m.ground.at(), wheel.at(z=(0, 1, 0)), 0.3), name="rolling wheel")


def rolling_ball(m: Any) -> None:
    ball = m.add(space.Body(position=(0.0, 0.0, 0.3)), name="ball")
    m.add(space.RollingBall(m.ground.at(), ball.at(), 0.3), name="rolling ball")


def point_mass(m: Any) -> None:
    bob = m.add(space.PointMass(0.5, position=(0.6, 0.0, -0.8)), name="point mass")
    m.add(space.Distance(m.ground.at(), bob.at(), 1.0), name="rod")


def junction(m: Any) -> None:
    bob = m.add(space.PointMass(0.5, position=(0.0, 0.0, -1.0)), name="bob")
    knot = m.add(space.Junction((0.0, 0.0, -0.4)), name="junction")
    ends = m.ground.at(-0.5, 0.0, 0.0), m.ground.at(0.5, 0.3, 0.0), m.ground.at(0.5, -0.3, 0.0), bob.at()
    for k, marker in enumerate(ends):
        m.add(space.Spring(space.length(marker, knot.at()), 50.0, rest_length=0.3), name=f"spring{k + 1}")


def flexible_body(m: Any) -> None:
    bar = flexible.beam(1.0, flexible.rectangle(0.04, 0.01), "steel")
    body = m.add(space.FlexibleBody(bar.reduce({"root": "left", "tip": "right"}, modes=2)), name="flexible body")
    m.add(space.Point(body.at("root"), trace=False), name="root")
    m.add(space.Point(body.at("tip"), trace=False), name="tip")


def tire(m: Any) -> None:
    wheel = m.add(space.Body(mass=20.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, 0.29)), name="wheel")
    data = space.TireData(radius=0.3)
    m.add(space.Tire(m.ground.at(), wheel.at(z=(0, 1, 0)), space.Road.bump(0.4, 0.5, 0.05), data), name="tire")


def book_tire(m: Any) -> None:
    wheel = m.add(space.Body(mass=20.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, 0.29)), name="wheel")
    m.add(space.BookTire(m.ground.at(), wheel.at(z=(0, 1, 0)), radius=0.3), name="tire")


def beam(m: Any) -> None:
    a, b = _plate(m, "a", 0.0, 0.15), _plate(m, "b", 0.6, 0.15)
    data = {"length": 0.6, "E": 2e11, "G": 8e10, "A": 1e-4, "Iy": 1e-9, "Iz": 1e-9, "J": 2e-9}
    m.add(space.Beam(a.at(x=(0, 0, 1)), b.at(x=(0, 0, 1)), **data), name="beam")


def wing(m: Any) -> None:
    glider = _rod(m, "glider", (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    m.add(space.Wing(glider.at(0.1, 0.0, 0.05), area=12.0, lift=lambda alpha: 5.5 * alpha, drag=0.02), name="wing")
