"""Mass properties of a mesh by the rules of MJCF.

| rule     | volume                                                                                                |
|---|---|
| `exact`  | enclosed by the surface                                                                                  |
| `convex` | its convex hull                                                                                          |
| `legacy` | pyramids over all triangles, all positive: too heavy if the surface is not convex                        |
| `shell`  | the surface itself; the density is per area                                                              |

With T the corners of a triangle as seen from a point p, S their sum, and w the volume |(mean of T) . n A| / 3 of its
pyramid, the second moment of the pyramid about p is w (sum T T^t + S S^t) / 20; that of the triangle itself, of area A,
is A (sum T T^t + S S^t) / 12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.io.surface import Surface, hull
from cardan.spatial import matter
from cardan.spatial.matter import SpatialMatter

MAX_COORDINATE = 1e50  # of a corner; volumes and moments stay finite
RULES = ("legacy", "convex", "exact", "shell")


def mesh_matter(
    surface: Surface, rule: str, *, mass: float | None = None, density: float | None = None
) -> SpatialMatter:
    """The mass properties of a mesh by one of the rules."""
    if np.abs(surface.vertices).max(initial=0.0) > MAX_COORDINATE:
        raise ModelError(f"the mesh has corners farther away than {MAX_COORDINATE:g}")
    if rule in ("exact", "convex"):
        found = surface if rule == "exact" else hull(surface.vertices)
        return matter.from_triangles(found.vertices, found.triangles, mass=mass, density=density)
    size, center, second = (_shell if rule == "shell" else _legacy)(surface.vertices[surface.triangles])
    extent = float(np.ptp(surface.vertices, axis=0).max())
    if size <= 1e-12 * extent ** (2 if rule == "shell" else 3):
        raise ModelError(f"the mesh has no {'area' if rule == 'shell' else 'volume'}")
    weight = mass if mass is not None else (density or 0.0) * size
    inertia = weight / size * (np.trace(second) * np.eye(3) - second)
    return SpatialMatter(weight, (float(center[0]), float(center[1]), float(center[2])), inertia)


def _legacy(corners: NDArray) -> tuple[float, NDArray, NDArray]:
    """As in MuJoCo: the center from pyramids about the centroid of the surface, volume and moments about it."""
    middles, normals = corners.mean(axis=1), _areas(corners)
    top = _surface_center(middles, normals)
    volumes = np.abs(np.einsum("ki,ki->k", middles - top, normals)) / 3.0
    if not volumes.sum() > 0.0:
        return 0.0, top, np.zeros((3, 3))
    center = volumes @ (0.75 * middles + 0.25 * top) / volumes.sum()
    volumes = np.abs(np.einsum("ki,ki->k", middles - center, normals)) / 3.0
    return float(volumes.sum()), center, _second(corners - center, volumes / 20.0)


def _shell(corners: NDArray) -> tuple[float, NDArray, NDArray]:
    normals = _areas(corners)
    center = _surface_center(corners.mean(axis=1), normals)
    areas = np.linalg.norm(normals, axis=1)
    return float(areas.sum()), center, _second(corners - center, areas / 12.0)


def _areas(corners: NDArray) -> NDArray:
    """Normals of triangles, with their area as length."""
    return 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _surface_center(middles: NDArray, normals: NDArray) -> NDArray:
    areas = np.linalg.norm(normals, axis=1)
    if not areas.sum() > 0.0:
        raise ModelError("the mesh has no area")
    return areas @ middles / areas.sum()


def _second(corners: NDArray, weights: NDArray) -> NDArray:
    sums = corners.sum(axis=1)
    return np.einsum("k,kvi,kvj->ij", weights, corners, corners) + np.einsum("k,ki,kj->ij", weights, sums, sums)
