"""Polygonal plates with holes, thin or extruded; exact by the divergence theorem.

 z|
  | ______________
  |/   ___       /|        corners at the given (x, y), matter from z = -h/2 to h/2
 /    /__/      / /
/______________/ /
|______________|/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cardan.model import check
from cardan.model.dimensions import Length
from cardan.model.matter.amount import mass_of
from cardan.model.matter.outline import region
from cardan.model.matter.shape import Lines
from cardan.spatial.matter import faces
from cardan.spatial.matter.inertia import from_second
from cardan.spatial.matter.mass_properties import SpatialMatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cardan.model.body import OutlineLike

__all__ = ["extrusion", "polygon"]

Number = float | None


def polygon(
    outline: OutlineLike,
    holes: Sequence[OutlineLike] = (),
    *,
    mass: Number = None,
    density: Number = None,
    thickness: Length | None = None,
) -> SpatialMatter:
    """A thin plate in the xy plane; a density (mass per volume) requires its thickness, which affects only the mass.

    >>> polygon([(0, 0), (1, 0), (0, 1)], mass=36)
    <SpatialMatter: mass 36, center (0.333333, 0.333333, 0), about it xx 2, yy 2, zz 4, xy 1, xz 0, yz 0>
    """
    area, center, second = region(outline, holes, "a polygon")
    m = mass_of("a polygon", area, mass, density, needs={"thickness": thickness})
    return _spread(m, center, second / area, 0.0, faces.flat((np.array(outline, float),)))


def extrusion(
    outline: OutlineLike,
    height: Length,
    holes: Sequence[OutlineLike] = (),
    *,
    mass: Number = None,
    density: Number = None,
) -> SpatialMatter:
    """An outline in the xy plane, with holes, extruded along z by half the height to either side.

    >>> extrusion([(0, 0), (1, 0), (1, 2), (0, 2)], 3, mass=12)
    <SpatialMatter: mass 12, center (0.5, 1, 0), about it xx 13, yy 10, zz 5, xy 0, xz 0, yz 0>
    """
    h = check.positive(height, "the height of an extrusion")
    area, center, second = region(outline, holes, "an extrusion")
    m = mass_of("an extrusion", area * h, mass, density)
    return _spread(m, center, second / area, h * h / 12.0, faces.prism(np.array(outline, float), h))


def _spread(mass: float, center: NDArray, plane: NDArray, across: float, shape: Lines) -> SpatialMatter:
    """Mass properties from the mean squares in the plane and normal to it."""
    second = np.zeros((3, 3))
    second[:2, :2], second[2, 2] = plane, across
    return SpatialMatter(mass, (float(center[0]), float(center[1]), 0.0), from_second(mass * second), shape)
