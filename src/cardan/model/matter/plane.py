r"""Plane shapes (Haug, Table 6.1.1, and others), each as `PlanarMatter` in the frame sketched here.

        |y            ___|y__              |y               _|y_             _|y_
        |            |   |   |            /|\             .' |  '.         .' |  '.
     ===o=== x       |   o---|- x        / | \           (   o----)- x    /___o____\_ x
        |            |_______|          /__o__\_ x        '.____.'

    rod, length    rectangle,        triangle,           disk, annulus,    half_disk
                   width, height     base, height        ring: radius      radius

The origin is the center of the shape; for a triangle and a half disk it is the midpoint of their base, with matter
above it. `PlanarMatter.moved` and `.turned` place a shape.

Every shape takes `mass=` or `density=`, exactly one of them. Density is mass per area; with `thickness=` it is mass per
volume. Thin shapes also need `width=` with a density.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Length, Position
from cardan.model.matter import shape
from cardan.model.matter.amount import above, mass_of
from cardan.model.matter.outline import region
from cardan.model.matter.planar import PlanarMatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cardan.model.body import OutlineLike

__all__ = [
    "PlanarMatter",
    "annulus",
    "disk",
    "half_disk",
    "polygon",
    "rectangle",
    "ring",
    "rod",
    "rod_between",
    "rounded_bar",
    "triangle",
]

Number = float | None


def rod(
    length: Length,
    *,
    mass: Number = None,
    density: Number = None,
    width: Length | None = None,
    thickness: Length | None = None,
) -> PlanarMatter:
    """A thin rod along x, centered at the origin: J = m l^2 / 12.

    >>> rod(2.0, mass=3)
    <PlanarMatter: mass 3, center (0, 0), inertia 1 about the center>
    """
    l = check.positive(length, "the length of a rod")  # noqa: E741
    m = mass_of("a rod", l, mass, density, needs={"width": width}, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * l * l / 12.0, shape=shape.segment((-0.5 * l, 0.0), (0.5 * l, 0.0)))


def rod_between(
    start: Position,
    end: Position,
    *,
    mass: Number = None,
    density: Number = None,
    width: Length | None = None,
    thickness: Length | None = None,
) -> PlanarMatter:
    """A thin rod between two points.

    >>> rod_between((0, 0), (0, 2), mass=3)
    <PlanarMatter: mass 3, center (0, 1), inertia 1 about the center>
    """
    (x1, y1), (x2, y2) = (check.vector(p, 2, "an end of a rod") for p in (start, end))
    if (x1, y1) == (x2, y2):
        raise ModelError(f"the ends of a rod coincide at ({x1:g}, {y1:g}); a point mass is PlanarMatter(mass, point)")
    made = rod(math.hypot(x2 - x1, y2 - y1), mass=mass, density=density, width=width, thickness=thickness)
    return made.moved(((x1 + x2) / 2.0, (y1 + y2) / 2.0))


def rectangle(
    width: Length, height: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """A rectangle, `width` along x, centered at the origin: J = m (a^2 + b^2) / 12.

    >>> rectangle(3, 4, density=0.5)
    <PlanarMatter: mass 6, center (0, 0), inertia 12.5 about the center>
    """
    a, b = check.positive(width, "the width of a rectangle"), check.positive(height, "the height of a rectangle")
    m = mass_of("a rectangle", a * b, mass, density, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * (a * a + b * b) / 12.0, shape=shape.rectangle(a, b))


def rounded_bar(
    length: Length, width: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """A link with round ends along x, centered at the origin; `length` is the distance between the centers of its ends.

    >>> rounded_bar(0.2, 0.04, density=8000, thickness=0.005)
    <PlanarMatter: mass 0.370265, center (0, 0), inertia 0.00170737 about the center>
    """
    l = check.positive(length, "the length of a rounded bar")  # noqa: E741
    w = check.positive(width, "the width of a rounded bar")
    end = half_disk(w / 2.0, density=1.0).turned(-math.pi / 2.0).moved((l / 2.0, 0.0))
    made = rectangle(l, w, density=1.0) + end + end.turned(math.pi)
    m = mass_of("a rounded bar", made.mass, mass, density, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * made.inertia / made.mass, shape=shape.rounded(l, w))


def triangle(
    base: Length, height: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """An isosceles triangle, its base on the x axis and centered at the origin: J = m (b^2 / 24 + h^2 / 18).

    >>> triangle(2, 3, density=2)
    <PlanarMatter: mass 6, center (0, 1), inertia 4 about the center>
    """
    b, h = check.positive(base, "the base of a triangle"), check.positive(height, "the height of a triangle")
    m = mass_of("a triangle", b * h / 2.0, mass, density, may={"thickness": thickness})
    corners = np.array([(-0.5 * b, 0.0), (0.5 * b, 0.0), (0.0, h)])
    return PlanarMatter(m, (0.0, h / 3.0), m * (b * b / 24.0 + h * h / 18.0), (corners,))


def disk(
    radius: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """A full circle, centered at the origin: J = m R^2 / 2.

    >>> disk(0.5, mass=8)
    <PlanarMatter: mass 8, center (0, 0), inertia 1 about the center>
    """
    R = check.positive(radius, "the radius of a disk")
    m = mass_of("a disk", math.pi * R * R, mass, density, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * R * R / 2.0, shape=shape.circle(R))


def half_disk(
    radius: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """Half a circle above its diameter on the x axis: center at 4 R / (3 pi), J = m R^2 (1/2 - 16 / (9 pi^2)).

    >>> half_disk(1.0, mass=2)
    <PlanarMatter: mass 2, center (0, 0.424413), inertia 0.639747 about the center>
    """
    R = check.positive(radius, "the radius of a half disk")
    m = mass_of("a half disk", math.pi * R * R / 2.0, mass, density, may={"thickness": thickness})
    J, half = m * R * R * (0.5 - 16.0 / (9.0 * math.pi**2)), shape.circle(R, math.pi)
    return PlanarMatter(m, (0.0, 4.0 * R / (3.0 * math.pi)), J, half)


def annulus(
    outer: Length, inner: Length, *, mass: Number = None, density: Number = None, thickness: Length | None = None
) -> PlanarMatter:
    """A disk with a concentric round hole: J = m (R1^2 + R2^2) / 2.

    >>> annulus(2, 1, mass=4)
    <PlanarMatter: mass 4, center (0, 0), inertia 10 about the center>
    """
    R, r = above(outer, inner, "an annulus")
    m = mass_of("an annulus", math.pi * (R - r) * (R + r), mass, density, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * (R * R + r * r) / 2.0, shape=shape.circle(R))


def ring(
    radius: Length,
    *,
    mass: Number = None,
    density: Number = None,
    width: Length | None = None,
    thickness: Length | None = None,
) -> PlanarMatter:
    """A thin ring: J = m R^2.

    >>> ring(0.5, mass=8)
    <PlanarMatter: mass 8, center (0, 0), inertia 2 about the center>
    """
    R = check.positive(radius, "the radius of a ring")
    size = 2.0 * math.pi * R
    m = mass_of("a ring", size, mass, density, needs={"width": width}, may={"thickness": thickness})
    return PlanarMatter(m, inertia=m * R * R, shape=shape.circle(R))


def polygon(
    outline: OutlineLike,
    holes: Sequence[OutlineLike] = (),
    *,
    mass: Number = None,
    density: Number = None,
    thickness: Length | None = None,
) -> PlanarMatter:
    """A polygonal plate with holes, at the given corners; exact by the divergence theorem.

    >>> polygon([(0, 0), (1, 0), (0, 1)], density=2)
    <PlanarMatter: mass 1, center (0.333333, 0.333333), inertia 0.111111 about the center>
    >>> frame = polygon([(0, 0), (4, 0), (4, 4), (0, 4)], [[(1, 1), (3, 1), (3, 3), (1, 3)]], density=1)
    >>> frame
    <PlanarMatter: mass 12, center (2, 2), inertia 40 about the center>
    """
    area, center, second = region(outline, holes, "a polygon")
    m = mass_of("a polygon", area, mass, density, may={"thickness": thickness})
    J, corners = m * float(second[0, 0] + second[1, 1]) / area, np.array(outline, float)
    return PlanarMatter(m, (float(center[0]), float(center[1])), J, (corners,))
