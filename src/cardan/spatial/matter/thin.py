"""Thin bodies: rods, plates, disks and rings, each as `SpatialMatter` centered at the origin.

        z |                      z | / y                    z | / y
          |                      __|/__                      .-|/-.
      ====o==== x               /  o  /  x                  (  o  ) x
                               /_____/                       '---'
      rod along x           plate in the xy plane       disk, ring in the xy plane

Every shape takes `mass=` or `density=`, exactly one of them. Density is mass per volume, so it requires the `area=` of
a rod's or ring's section, or the `thickness=` of a plate; both are small and affect only the mass. The rod of Table
11.2.1 is along y, like `rod(...).turned(x=(0, 1, 0))`. A thin sphere or tube is a `hollow_sphere` or `hollow_cylinder`
with equal radii.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length, Position
from cardan.model.matter.amount import mass_of
from cardan.model.matter.shape import circle, rectangle, segment
from cardan.spatial.matter.faces import flat
from cardan.spatial.matter.inertia import from_second
from cardan.spatial.matter.mass_properties import SpatialMatter

__all__ = ["disk", "plate", "ring", "rod", "rod_between"]

Number = float | None
ORIGIN = (0.0, 0.0, 0.0)


def rod(length: Length, *, mass: Number = None, density: Number = None, area: Number = None) -> SpatialMatter:
    """A thin rod along x: J_yy = J_zz = m l^2 / 12.

    >>> rod(2, mass=3)
    <SpatialMatter: mass 3, center (0, 0, 0), about it xx 0, yy 1, zz 1, xy 0, xz 0, yz 0>
    """
    l = check.positive(length, "the length of a rod")  # noqa: E741
    m = mass_of("a rod", l, mass, density, needs={"area": area})
    return SpatialMatter(m, ORIGIN, (0.0, m * l * l / 12, m * l * l / 12), segment((-l / 2, 0, 0), (l / 2, 0, 0)))


def rod_between(
    start: Position, end: Position, *, mass: Number = None, density: Number = None, area: Number = None
) -> SpatialMatter:
    """A thin rod between two points.

    >>> rod_between((0, 0, 0), (0, 0, 2), mass=3)
    <SpatialMatter: mass 3, center (0, 0, 1), about it xx 1, yy 1, zz 0, xy 0, xz 0, yz 0>
    """
    P, Q = (np.array(check.vector(point, 3, "an end of a rod")) for point in (start, end))
    if np.array_equal(P, Q):
        where = ", ".join(f"{x:g}" for x in P)
        raise ModelError(f"the ends of a rod coincide at ({where}); a point mass is SpatialMatter(mass, point)")
    along = Q - P
    m = mass_of("a rod", float(np.linalg.norm(along)), mass, density, needs={"area": area})
    x, y, z = ((P + Q) / 2.0).tolist()
    return SpatialMatter(m, (x, y, z), from_second(m / 12.0 * np.outer(along, along)), segment(P, Q))


def plate(
    x: Length, y: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> SpatialMatter:
    """A thin rectangular plate in the xy plane: J_xx = m b^2 / 12, J_yy = m a^2 / 12, J_zz their sum.

    >>> plate(1, 2, mass=12)
    <SpatialMatter: mass 12, center (0, 0, 0), about it xx 4, yy 1, zz 5, xy 0, xz 0, yz 0>
    """
    a, b = (check.positive(e, f"the edge {n} of a plate") for n, e in (("x", x), ("y", y)))
    m = mass_of("a plate", a * b, mass, density, needs={"thickness": thickness})
    J = (m * b * b / 12, m * a * a / 12, m * (a * a + b * b) / 12)
    return SpatialMatter(m, ORIGIN, J, flat(rectangle(a, b)))


def disk(
    radius: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> SpatialMatter:
    """A thin disk in the xy plane: J_xx = J_yy = m R^2 / 4, J_zz = m R^2 / 2.

    >>> disk(2, mass=3)
    <SpatialMatter: mass 3, center (0, 0, 0), about it xx 3, yy 3, zz 6, xy 0, xz 0, yz 0>
    """
    R = check.positive(radius, "the radius of a disk")
    m = mass_of("a disk", math.pi * R * R, mass, density, needs={"thickness": thickness})
    return SpatialMatter(m, ORIGIN, (m * R * R / 4, m * R * R / 4, m * R * R / 2), flat(circle(R)))


def ring(radius: Length, *, mass: Number = None, density: Number = None, area: Number = None) -> SpatialMatter:
    """A thin ring in the xy plane: J_xx = J_yy = m R^2 / 2, J_zz = m R^2.

    >>> ring(2, mass=3)
    <SpatialMatter: mass 3, center (0, 0, 0), about it xx 6, yy 6, zz 12, xy 0, xz 0, yz 0>
    """
    R = check.positive(radius, "the radius of a ring")
    m = mass_of("a ring", 2 * math.pi * R, mass, density, needs={"area": area})
    return SpatialMatter(m, ORIGIN, (m * R * R / 2, m * R * R / 2, m * R * R), flat(circle(R)))
