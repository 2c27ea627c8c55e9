r"""Solids (Haug, Table 11.2.1, and others), each as `SpatialMatter` in the frame sketched here.

         |z                  _|z_                  |z                  |z
       __|__               .' |  '.                .                _.-|-._
      /  | /|              |'.|_.'|               /|\             .'   |   '.
     /___|/ |              |  o---|- y           / | \           /     |     \
     |   o--|- y           |      |             /__o__\_ y      (______o______)_ y
     |____|/                '.__.'              '-___-'

    box, cube         cylinder, along z        cone, apex up      hemisphere, dome up

The origin is the center of the shape; for a cone and a hemisphere it is the center of their flat face, with matter
above it. The axis of revolution is z. `SpatialMatter.turned(z=(1, 0, 0))` and `.moved` place a shape.

Every shape takes `mass=` or `density=` (mass per volume), exactly one of them. For the hollow cylinder the table prints
J_xx = m (3 R1^2 + 3 R2^2 + h^2) / 2; the divisor must be 12.
"""

from __future__ import annotations

import math

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.matter.amount import above, mass_of
from cardan.model.matter.shape import rectangle
from cardan.spatial.matter import faces
from cardan.spatial.matter.mass_properties import SpatialMatter

__all__ = [
    "box",
    "cone",
    "cube",
    "cylinder",
    "ellipsoid",
    "hemisphere",
    "hollow_cylinder",
    "hollow_sphere",
    "sphere",
    "torus",
]

Number = float | None
ORIGIN = (0.0, 0.0, 0.0)


def box(x: Length, y: Length, z: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A rectangular prism with edges along the axes: J_xx = m (b^2 + c^2) / 12.

    >>> box(1, 2, 3, mass=12)
    <SpatialMatter: mass 12, center (0, 0, 0), about it xx 13, yy 10, zz 5, xy 0, xz 0, yz 0>
    """
    a, b, c = (check.positive(e, f"the edge {n} of a box") for n, e in (("x", x), ("y", y), ("z", z)))
    m = mass_of("a box", a * b * c, mass, density)
    J = (m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12)
    return SpatialMatter(m, ORIGIN, J, faces.prism(rectangle(a, b)[0], c))


def cube(edge: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A cube: J = m a^2 / 6 about any axis.

    >>> cube(2, density=3)
    <SpatialMatter: mass 24, center (0, 0, 0), about it xx 16, yy 16, zz 16, xy 0, xz 0, yz 0>
    """
    a = check.positive(edge, "the edge of a cube")
    m = mass_of("a cube", a * a * a, mass, density)
    return SpatialMatter(m, ORIGIN, (m * a * a / 6,) * 3, faces.prism(rectangle(a, a)[0], a))


def sphere(radius: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A full sphere: J = 2/5 m R^2 about any axis.

    >>> sphere(0.5, mass=10)
    <SpatialMatter: mass 10, center (0, 0, 0), about it xx 1, yy 1, zz 1, xy 0, xz 0, yz 0>
    """
    R = check.positive(radius, "the radius of a sphere")
    m = mass_of("a sphere", 4 / 3 * math.pi * R * R * R, mass, density)
    return SpatialMatter(m, ORIGIN, (0.4 * m * R * R,) * 3, faces.ball(radii=(R, R, R)))


def hollow_sphere(outer: Length, inner: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A sphere with a concentric void: J = 2/5 m (R1^5 - R2^5) / (R1^3 - R2^3), for equal radii 2/3 m R^2.

    >>> hollow_sphere(0.5, 0.5, mass=6)
    <SpatialMatter: mass 6, center (0, 0, 0), about it xx 1, yy 1, zz 1, xy 0, xz 0, yz 0>
    """
    R, r = above(outer, inner, "a hollow sphere")
    # both differences divided by R1 - R2, which keeps all digits for thin walls
    cubic = R * R + R * r + r * r
    quintic = R * R * cubic + r * r * (R + r) * r
    m = mass_of("a hollow sphere", 4 / 3 * math.pi * (R - r) * cubic, mass, density)
    return SpatialMatter(m, ORIGIN, (0.4 * m * quintic / cubic,) * 3, faces.ball(radii=(R, R, R)))


def hemisphere(radius: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """Half a sphere, flat face in the xy plane, dome toward z: center at 3/8 R, J_xx = 83/320 m R^2, J_zz = 2/5 m R^2.

    >>> hemisphere(2, mass=80)
    <SpatialMatter: mass 80, center (0, 0, 0.75), about it xx 83, yy 83, zz 128, xy 0, xz 0, yz 0>
    """
    R = check.positive(radius, "the radius of a hemisphere")
    m = mass_of("a hemisphere", 2 / 3 * math.pi * R * R * R, mass, density)
    across = 83 / 320 * m * R * R
    return SpatialMatter(m, (0.0, 0.0, 0.375 * R), (across, across, 0.4 * m * R * R), faces.ball(0.0, (R, R, R)))


def ellipsoid(a: Length, b: Length, c: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """An ellipsoid with the semi-axes a, b, c along x, y, z: J_xx = m (b^2 + c^2) / 5.

    >>> ellipsoid(1, 2, 3, mass=5)
    <SpatialMatter: mass 5, center (0, 0, 0), about it xx 13, yy 10, zz 5, xy 0, xz 0, yz 0>
    """
    a, b, c = (check.positive(e, f"the semi-axis {n} of an ellipsoid") for n, e in (("a", a), ("b", b), ("c", c)))
    m = mass_of("an ellipsoid", 4 / 3 * math.pi * a * b * c, mass, density)
    J = (m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5)
    return SpatialMatter(m, ORIGIN, J, faces.ball(radii=(a, b, c)))


def cylinder(radius: Length, length: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A right circular cylinder along z: J_xx = m (3 R^2 + h^2) / 12, J_zz = m R^2 / 2.

    >>> cylinder(1, 3, mass=2)
    <SpatialMatter: mass 2, center (0, 0, 0), about it xx 2, yy 2, zz 1, xy 0, xz 0, yz 0>
    """
    R, h = check.positive(radius, "the radius of a cylinder"), check.positive(length, "the length of a cylinder")
    m = mass_of("a cylinder", math.pi * R * R * h, mass, density)
    across = m * (3 * R * R + h * h) / 12
    return SpatialMatter(m, ORIGIN, (across, across, m * R * R / 2), faces.revolved([(R, -h / 2), (R, h / 2)]))


def hollow_cylinder(
    outer: Length, inner: Length, length: Length, *, mass: Number = None, density: Number = None
) -> SpatialMatter:
    """A tube along z: J_xx = m (3 R1^2 + 3 R2^2 + h^2) / 12, J_zz = m (R1^2 + R2^2) / 2.

    >>> hollow_cylinder(2, 1, 3, mass=2)
    <SpatialMatter: mass 2, center (0, 0, 0), about it xx 4, yy 4, zz 5, xy 0, xz 0, yz 0>
    """
    R, r = above(outer, inner, "a hollow cylinder")
    h = check.positive(length, "the length of a hollow cylinder")
    m = mass_of("a hollow cylinder", math.pi * (R - r) * (R + r) * h, mass, density)
    across = m * (3 * (R * R + r * r) + h * h) / 12
    J = (across, across, m * (R * R + r * r) / 2)
    return SpatialMatter(m, ORIGIN, J, faces.revolved([(r, -h / 2), (R, -h / 2), (R, h / 2), (r, h / 2), (r, -h / 2)]))


def cone(radius: Length, height: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A right circular cone, base in the xy plane, apex at z = h: center at h/4, J_xx = 3/80 m (4 R^2 + h^2).

    About its axis J_zz = 3/10 m R^2.

    >>> cone(1, 4, mass=20)
    <SpatialMatter: mass 20, center (0, 0, 1), about it xx 15, yy 15, zz 6, xy 0, xz 0, yz 0>
    """
    R, h = check.positive(radius, "the radius of a cone"), check.positive(height, "the height of a cone")
    m = mass_of("a cone", math.pi * R * R * h / 3, mass, density)
    across = 3 / 80 * m * (4 * R * R + h * h)
    return SpatialMatter(m, (0.0, 0.0, h / 4), (across, across, 0.3 * m * R * R), faces.revolved([(R, 0.0), (0.0, h)]))


def torus(radius: Length, tube: Length, *, mass: Number = None, density: Number = None) -> SpatialMatter:
    """A ring of circular section about z, `radius` to the center of the section, `tube` the radius a of the section.

    J_xx = m (R^2 / 2 + 5/8 a^2), J_zz = m (R^2 + 3/4 a^2).

    >>> torus(2, 1, mass=8)
    <SpatialMatter: mass 8, center (0, 0, 0), about it xx 21, yy 21, zz 38, xy 0, xz 0, yz 0>
    """
    R, a = check.positive(radius, "the radius of a torus"), check.positive(tube, "the tube radius of a torus")
    if a > R:
        raise ModelError(f"the tube radius of a torus, {a:g}, must not exceed the radius of its ring, {R:g}")
    m = mass_of("a torus", 2 * math.pi**2 * R * a * a, mass, density)
    across = m * (R * R / 2 + 0.625 * a * a)
    turn = [k * math.pi / 4 for k in range(9)]
    tube_faces = faces.revolved([(R + a * math.cos(t), a * math.sin(t)) for t in turn])
    return SpatialMatter(m, ORIGIN, (across, across, m * (R * R + 0.75 * a * a)), tube_faces)
