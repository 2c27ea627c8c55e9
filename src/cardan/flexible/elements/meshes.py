"""Meshes of solids: boxes and cylinders of bricks, files of Gmsh and others, surfaces that Gmsh fills.

A mesh has corner points, cells of four (tetrahedra) or eight corners (bricks, in the order of VTK), and named sets of
facets. Elements are quadratic: `solid` adds a node on each edge, or takes it from a mesh of second order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.untrusted import contents

CURVED = 1e-9  # of the length of an edge: a node in its middle that is off by less leaves it straight
CORE = 0.6  # side of the square core of a round mesh relative to the square within the circle
EDGES = {4: ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))}  # in the order of C3D10 and C3D20
EDGES[8] = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))  # type: ignore[assignment]
FACES = {4: ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))}
FACES[8] = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Corner points (p, 3), cells (c, 4 or 8) of indices, and named sets of facets (f, 3 or 4).

    `middles` (c, edges, 3) are nodes on the edges of each cell, in the order of `EDGES`; None if edges are straight.
    """

    points: np.ndarray
    cells: np.ndarray
    sets: Mapping[str, np.ndarray] = field(default_factory=dict)
    middles: np.ndarray | None = None

    def __post_init__(self) -> None:
        points, cells = np.asarray(self.points, dtype=float), np.asarray(self.cells)
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise ModelError(f"points of a mesh must be rows of x, y, z, got the shape {points.shape}")
        if cells.ndim != 2 or cells.shape[1] not in (4, 8) or cells.dtype.kind not in "iu" or not len(cells):
            raise ModelError(f"cells of a mesh must be rows of 4 or 8 corners, got the shape {cells.shape}")
        if cells.min() < 0 or cells.max() >= len(points):
            raise ModelError(f"cells of a mesh must refer to points 0 to {len(points) - 1}, got up to {cells.max()}")
        if self.middles is not None:
            middles, edges = np.asarray(self.middles, dtype=float), len(EDGES[cells.shape[1]])
            if middles.shape != (len(cells), edges, 3) or not np.isfinite(middles).all():
                raise ModelError(
                    f"middles of a mesh must be {len(cells)} x {edges} x 3 coordinates of the nodes on edges, got the "
                    f"shape {middles.shape}"
                )
            object.__setattr__(self, "middles", middles)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "cells", cells.astype(np.int64))
        _check_orientation(points, self.cells)


def box(
    length: float, width: float, height: float, *, elements: Sequence[int] = (10, 2, 2), origin: Any = (0, 0, 0)
) -> Mesh:
    """Bricks from `origin` along x, y, z; facets "left" and "right" at the ends along x.

    >>> box(1.0, 0.1, 0.1, elements=(10, 1, 1)).cells.shape
    (10, 8)
    """
    sides = [check.positive(v, f"{n} of a box") for v, n in ((length, "length"), (width, "width"), (height, "height"))]
    counts = [check.count(n, "elements of a box") for n in _three(elements)]
    start = check.vector(origin, 3, "origin of a box")
    axes = [np.linspace(s, s + side, n + 1) for s, side, n in zip(start, sides, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return _with_ends(points, _grid_cells(*counts))


def cylinder(
    diameter: float, length: float, *, inner: float = 0.0, around: int = 16, radial: int = 2, along: int = 10
) -> Mesh:
    """Bricks of a round bar or tube along x from the origin; facets "left" and "right".

    Edges are straight: corners lie where the polygon has the area of the circle, and the mass is exact. `around` is
    a multiple of four.
    """
    R, L = 0.5 * check.positive(diameter, "diameter of a cylinder"), check.positive(length, "length of a cylinder")
    hole = 0.5 * check.number(inner, "inner diameter of a cylinder")
    if not 0.0 <= hole < R:
        raise ModelError(f"the inner diameter of a cylinder must be from 0 to below {diameter:g}, got {inner:g}")
    n, rings, slices = (check.count(v, w) for v, w in ((around, "around"), (radial, "radial"), (along, "along")))
    if n % 4 or n < 8:
        raise ModelError(f"around must be a multiple of 4 from 8, got {n}")
    equal = float(np.sqrt(np.pi / (0.5 * n * np.sin(2.0 * np.pi / n))))
    angles = 2.0 * np.pi * np.arange(n) / n - 0.75 * np.pi
    outer = R * equal * np.column_stack([np.cos(angles), np.sin(angles)])
    side = n // 4
    if hole > 0.0:
        start, flat, quads = outer * (hole / R), np.zeros((0, 2)), np.zeros((0, 4), dtype=np.int64)
    else:
        flat, quads, edge = _core(CORE * R, side)
        start = flat[edge]
    points = [flat]
    numbers = [np.arange(n) + len(flat)] if hole > 0.0 else [edge]
    if hole > 0.0:
        points.append(start)
    for ring in range(1, rings + 1):
        numbers.append(np.arange(n) + sum(map(len, points)))
        points.append(start + (outer - start) * ring / rings)
    faces = [quads]
    for a, b in zip(numbers[:-1], numbers[1:], strict=True):
        faces.append(np.column_stack([a, b, np.roll(b, -1), np.roll(a, -1)]))
    plane, quads = np.vstack(points), np.vstack(faces)
    x = np.linspace(0.0, L, slices + 1)
    everything = np.concatenate([np.column_stack([np.full(len(plane), s), plane]) for s in x])
    layers = [np.hstack([quads + k * len(plane), quads + (k + 1) * len(plane)]) for k in range(slices)]
    return _with_ends(everything, np.vstack(layers))


def read_mesh(path: str | Path) -> Mesh:
    """A mesh from a file of Gmsh (.msh) or another format of meshio; physical groups of surfaces become sets.

    Cells of second order keep the nodes on their edges: curved edges stay curved. Nodes within faces and cells
    (hexahedron27) are left out.
    """
    file = check.path(path, "path of a mesh")
    contents_size(file)
    meshio = optional("meshio")
    try:
        raw = meshio.read(file)
    except (SystemExit, Exception) as error:  # meshio raises what its parsers raise
        raise ModelError(f"'{file}' cannot be read as a mesh: {check.short_repr(str(error))}") from None
    return _from_meshio(raw, file)


def mesh_stl(path: str | Path, size: float) -> Mesh:
    """Tetrahedra of about `size` within the closed surface of an STL file, made by Gmsh.

    The surface is kept as it is: `size` acts inside. For finer surfaces export a finer STL.
    """
    file, size = check.path(path, "path of an STL file"), check.positive(size, "size of elements")
    contents_size(file)
    gmsh = optional("gmsh")
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.option.setNumber("Mesh.MeshSizeMax", size)
        gmsh.merge(str(file))
        gmsh.model.mesh.createTopology()
        surfaces = gmsh.model.getEntities(2)
        if not surfaces:
            raise ModelError(f"'{file}' has no surface: it must be an STL file of a closed solid")
        gmsh.model.geo.addVolume([gmsh.model.geo.addSurfaceLoop([tag for _, tag in surfaces])])
        gmsh.model.geo.synchronize()
        gmsh.model.mesh.generate(3)
        tags, places, _ = gmsh.model.mesh.getNodes()
        kinds, _, corners = gmsh.model.mesh.getElements(3)
        found = [corner for kind, corner in zip(kinds, corners, strict=True) if kind == 4]
    except ModelError:
        raise
    except Exception as error:  # Gmsh raises plain exceptions
        raise ModelError(
            f"Gmsh cannot fill '{file}' ({check.short_repr(str(error))}): its surface must be closed and must not "
            "intersect itself"
        ) from None
    finally:
        gmsh.finalize()
    if not found or not len(found[0]):
        raise ModelError(f"Gmsh found no volume in '{file}': its surface must be closed")
    number = np.zeros(int(tags.max()) + 1, dtype=np.int64)
    number[tags.astype(np.int64)] = np.arange(len(tags))
    return _compact(places.reshape(-1, 3), number[found[0].astype(np.int64).reshape(-1, 4)], {})


def optional(name: str) -> ModuleType:
    """A module of the extra `flexible`."""
    try:
        return import_module(name)
    except ImportError:
        raise ModelError(f"this needs {name}: pip install 'cardan[flexible]'") from None


def contents_size(file: Path) -> int:
    """The size of a regular file."""
    try:
        return len(contents(file))
    except OSError as error:
        raise ModelError(f"'{file}' cannot be read: {error.strerror or error}") from None


def facets(cells: np.ndarray) -> np.ndarray:
    """The facets that belong to one cell only, corners in outward order."""
    every = np.concatenate([cells[:, list(face)] for face in FACES[cells.shape[1]]])
    _, first, times = np.unique(np.sort(every, axis=1), axis=0, return_index=True, return_counts=True)
    return np.asarray(every[np.sort(first[times == 1])])


def _from_meshio(raw: Any, file: Path) -> Mesh:
    corners = {"tetra": 4, "tetra10": 4, "hexahedron": 8, "hexahedron20": 8, "hexahedron27": 8}
    flat = {"triangle": 3, "triangle6": 3, "quad": 4, "quad8": 4, "quad9": 4}
    blocks = [(block.type, np.asarray(block.data)) for block in raw.cells]
    kinds = {corners[kind] for kind, _ in blocks if kind in corners}
    if len(kinds) != 1:
        found = ", ".join(sorted({kind for kind, _ in blocks})) or "no cells"
        raise ModelError(f"'{file}' must have tetrahedra or bricks, one kind of both, got {found}")
    size = kinds.pop()
    cells = np.vstack([data[:, :size] for kind, data in blocks if corners.get(kind) == size])
    points = np.asarray(raw.points, dtype=float)[:, :3]
    middles = _middles(points, [data for kind, data in blocks if corners.get(kind) == size], size)
    names = {int(tag[0]): name for name, tag in (raw.field_data or {}).items() if int(tag[1]) == 2}
    tags = raw.cell_data.get("gmsh:physical", [None] * len(blocks))
    sets: dict[str, list[np.ndarray]] = {}
    for (kind, data), tag in zip(blocks, tags, strict=True):
        if kind in flat and tag is not None:
            for value in np.unique(tag).tolist():
                sets.setdefault(names.get(value, f"surface {value}"), []).append(data[tag == value][:, : flat[kind]])
    whole = {name: np.vstack(parts) for name, parts in sets.items() if len({p.shape[1] for p in parts}) == 1}
    return _compact(points, cells, whole, middles)


def _middles(points: np.ndarray, blocks: list[np.ndarray], corners: int) -> np.ndarray | None:
    """The nodes on the edges of all cells; None if all edges are straight."""
    edges, found, curved = np.array(EDGES[corners]), [], False
    for cells in blocks:
        if cells.size and (cells.min() < 0 or cells.max() >= len(points)):
            return None  # `_compact` or the file reports it
        a, b = points[cells[:, edges[:, 0]]], points[cells[:, edges[:, 1]]]
        straight = 0.5 * (a + b)
        stated = points[cells[:, corners : corners + len(edges)]]
        if stated.shape[1] == len(edges):
            off, long = np.linalg.norm(stated - straight, axis=2), np.linalg.norm(b - a, axis=2)
            curved |= bool((off > CURVED * long).any())
            found.append(stated)
        else:
            found.append(straight)
    return np.vstack(found) if curved else None


def _compact(
    points: np.ndarray, cells: np.ndarray, sets: Mapping[str, np.ndarray], middles: np.ndarray | None = None
) -> Mesh:
    """Only the points that are corners of cells."""
    used = np.unique(cells)
    if used.size and (used.min() < 0 or used.max() >= len(points)):
        raise ModelError("cells of the mesh refer to points that it does not have")
    number = np.full(len(points), -1, dtype=np.int64)
    number[used] = np.arange(len(used))
    kept = {name: number[faces] for name, faces in sets.items()}
    return Mesh(points[used], number[cells], {name: f[(f >= 0).all(axis=1)] for name, f in kept.items()}, middles)


def _check_orientation(points: np.ndarray, cells: np.ndarray) -> None:
    """Reject cells that are inverted or flat: the volume at a corner is not positive."""
    around = {4: [(0, 1, 2, 3)]}.get(cells.shape[1]) or [
        (k, (k + 1) % 4 + 4 * (k // 4), (k + 3) % 4 + 4 * (k // 4), (k + 4) % 8) for k in range(8)
    ]
    size = np.ptp(points, axis=0).max()
    for k, (a, b, c, d) in enumerate(around):
        x = points[cells]
        volume = np.einsum("ij,ij->i", np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a]), x[:, d] - x[:, a])
        volume = volume if k < 4 else -volume
        bad = np.flatnonzero(volume <= 1e-14 * size**3 * 1e-6)
        if bad.size:
            cell = int(bad[0])
            which = "inverted" if volume[cell] < 0.0 else "flat"
            how = (
                "all of them; their corners are in the reverse order"
                if bad.size == len(cells)
                else f"{bad.size} in all"
            )
            corners = ", ".join(str(i) for i in cells[cell])
            raise ModelError(f"element {cell} of the mesh (corners {corners}) is {which} ({how}): repair the mesh")


def _core(half: float, side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(points, quadrilaterals, corners around) of a square of side x side cells."""
    reach = half / np.sqrt(2.0)
    line = np.linspace(-reach, reach, side + 1)
    y, z = np.meshgrid(line, line, indexing="ij")
    number = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    edge = np.concatenate([number[:-1, 0], number[-1, :-1], number[:0:-1, -1], number[0, :0:-1]])
    return np.column_stack([y.ravel(), z.ravel()]), quads, edge


def _grid_cells(nx: int, ny: int, nz: int) -> np.ndarray:
    number = np.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nx + 1, ny + 1, nz + 1)
    corner = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    return np.stack([number[i : i + nx, j : j + ny, k : k + nz].ravel() for i, j, k in corner], axis=1)


def _with_ends(points: np.ndarray, cells: np.ndarray) -> Mesh:
    skin = facets(cells)
    x = points[:, 0][skin]
    near = 1e-9 * float(np.ptp(points[:, 0]))
    sets = {
        name: skin[(np.abs(x - end) < near).all(axis=1)]
        for name, end in (("left", points[:, 0].min()), ("right", points[:, 0].max()))
    }
    return Mesh(points, cells, sets)


def _three(values: Any) -> tuple[int, int, int]:
    if not isinstance(values, Sequence) or len(values) != 3:
        raise ModelError(f"elements of a box must be three numbers, got {check.short_repr(values)}")
    return values[0], values[1], values[2]
