r"""Mass properties of a closed triangle mesh, from arrays or a file; exact for the given surface.

        3 .                    A triangle lists its corners counterclockwise as seen from outside. The surface is
         /|\                   closed if each edge is traversed as often one way as the other, which suffices for
        / | \                  the divergence theorem (`cardan.model.matter.moments`). Cavities are closed surfaces
     0 /__|__\ 1               that face inward. A surface that intersects itself counts matter twice there; this
        \ | /                  is not checked.
          2

Files have no units: STL is mostly in millimeters, which `scale=0.001` converts to meters.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Ratio
from cardan.model.matter.amount import mass_of
from cardan.model.matter.moments import enclosed
from cardan.spatial.matter.inertia import from_second
from cardan.spatial.matter.mass_properties import SpatialMatter

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from trimesh import Trimesh

__all__ = ["from_mesh", "from_triangles"]

Number = float | None


def from_mesh(
    source: str | Path | Trimesh, density: Number = None, *, mass: Number = None, scale: Ratio = 1.0
) -> SpatialMatter:
    """From a mesh file (STL, OBJ, PLY, GLB, OFF, ...) or a `trimesh.Trimesh`; coordinates are multiplied by `scale`.

    Several meshes in one file count as one body. Reading needs trimesh: pip install 'cardan[mesh]'.

    >>> import trimesh
    >>> from_mesh(trimesh.creation.box((1, 2, 3)), density=2)
    <SpatialMatter: mass 12, center (0, 0, 0), about it xx 13, yy 10, zz 5, xy 0, xz 0, yz 0>
    """
    try:
        import trimesh
    except ImportError as error:
        raise ImportError("meshes need trimesh: pip install 'cardan[mesh]', or use from_triangles") from error
    found, what = source, "the mesh"
    if isinstance(source, str | Path):
        found, what = _read(Path(source), trimesh), f"the mesh '{Path(source).name}'"
    mesh = check.instance(found, trimesh.Trimesh, "a mesh", hint="or the path of a mesh file")
    return _matter(np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int), what, mass, density, scale)


def from_triangles(
    vertices: ArrayLike, triangles: ArrayLike, density: Number = None, *, mass: Number = None, scale: Ratio = 1.0
) -> SpatialMatter:
    """From the corners' coordinates, (n, 3), and for each triangle the numbers of its three corners, (k, 3), from 0.

    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> from_triangles(corners, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)], mass=80)
    <SpatialMatter: mass 80, center (0.25, 0.25, 0.25), about it xx 6, yy 6, zz 6, xy 1, xz 1, yz 1>
    """
    points = _table(vertices, "the vertices of a mesh", "coordinates")
    numbers = _table(triangles, "the triangles of a mesh", "numbers of vertices")
    if np.any(numbers != np.round(numbers)):
        raise ModelError("the triangles of a mesh must be whole numbers: indices of vertices, from 0")
    if numbers.min() < 0 or numbers.max() >= len(points):
        raise ModelError(
            f"the triangles of a mesh number its {len(points)} vertices from 0 to {len(points) - 1}, got "
            f"{numbers.min():g} to {numbers.max():g}"
        )
    return _matter(points, numbers.astype(int), "the mesh", mass, density, scale)


def _matter(
    vertices: NDArray, triangles: NDArray, what: str, mass: Number, density: Number, scale: float
) -> SpatialMatter:
    factor = check.positive(scale, f"the scale of {what}")
    if not len(triangles):
        raise ModelError(f"{what} has no triangles; check that the file is a surface mesh")
    if not np.isfinite(vertices).all():
        raise ModelError(f"{what} has a vertex that is not finite; repair it in the program that made it")
    vertices, places = np.unique(vertices * factor + 0.0, axis=0, return_inverse=True)  # STL repeats corners
    triangles = places.reshape(-1)[triangles]
    _reject_open(vertices, triangles, what)
    volume, center, second = enclosed(vertices[triangles])
    if abs(volume) <= 1e-12 * float(np.ptp(vertices, axis=0).max()) ** 3:
        raise ModelError(f"{what} encloses no volume; for a flat plate use polygon or extrusion")
    m = mass_of(what, abs(volume), mass, density)  # an inverted surface encloses the same volume
    x, y, z = center.tolist()
    return SpatialMatter(m, (x, y, z), from_second(m / volume * second))


def _reject_open(vertices: NDArray, triangles: NDArray, what: str) -> None:
    """Each edge must be traversed as often from its lower to its higher vertex as back."""
    ways = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    ways = ways[ways[:, 0] != ways[:, 1]]  # of degenerate triangles
    low, high, count = ways.min(axis=1), ways.max(axis=1), len(vertices)
    keys, which = np.unique(low * count + high, return_inverse=True)  # sorts faster than two numbers per edge
    edges = np.stack([keys // count, keys % count], axis=1)
    balance = np.bincount(which, np.where(ways[:, 0] < ways[:, 1], 1, -1), len(edges))
    uses = np.bincount(which, minlength=len(edges))
    wrong = np.flatnonzero(balance)
    if not wrong.size:
        return
    first, second = (f"({', '.join(f'{x:g}' for x in corner)})" for corner in vertices[edges[wrong[0]]])
    where = f"{wrong.size} of its {len(edges)} edges, the first between {first} and {second}"
    if np.any(uses[wrong] % 2):
        raise ModelError(
            f"{what} is not closed along {where}; fill its holes in the program that made it, or with "
            f"trimesh.repair.fill_holes"
        )
    raise ModelError(
        f"neighboring triangles of {what} face opposite sides along {where}; unify them in the program that made it, "
        f"or with trimesh.repair.fix_normals"
    )


def _table(values: Any, what: str, entries: str) -> NDArray:
    """Rows of three finite numbers, at least one."""
    try:
        table = np.asarray(values, float)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.ndim != 2 or table.shape[1] != 3 or not len(table) or not np.isfinite(table).all():
        raise ModelError(f"{what} must be rows of three finite {entries}, got {check.describe(values):.80}")
    return table


def _read(path: Path, trimesh: Any) -> Any:
    if not path.is_file():
        raise ModelError(f"mesh file '{path}' does not exist")
    try:
        return trimesh.load_mesh(str(path))
    except ImportError as error:
        raise ImportError(f"trimesh needs another package to read the mesh '{path.name}': {error}") from error
    except Exception as error:  # readers of many formats, each with its own errors
        reason = " ".join(str(error).split())
        raise ModelError(f"the mesh '{path.name}' cannot be read: {type(error).__name__} {reason}") from error
