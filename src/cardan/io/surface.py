"""Triangle surfaces from STL, OBJ and MSH files, and their edges in pictures.

STL lists each triangle with its three corners, in binary or as text; OBJ numbers corners from 1, or backwards from -1.
MSH is the binary format of MuJoCo.
Other formats (DAE, PLY, GLB) are read by trimesh, if installed, from memory: files that they refer to are not read.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.io.document import parse_document
from cardan.untrusted import contents

FOREIGN = (".dae", ".ply", ".glb", ".gltf", ".off")  # read by trimesh

STL_HEADER, STL_RECORD = 84, 50  # bytes of a binary STL: before the triangles, and of each
SHARP = np.cos(np.radians(30.0))  # faces that bend less are drawn without an edge
MAX_EDGES = 300  # edges; a surface with more is drawn by the hull of its corners on a coarse grid
COARSE_CELLS = 10  # cells of that grid along the longest side


class Surface(NamedTuple):
    """Corners, [n, 3], and triangles that number them, [k, 3]."""

    vertices: NDArray
    triangles: NDArray


def read_surface(path: Path) -> Surface:
    """The surface in a file, in the file's units."""
    kind = path.suffix.lower()
    try:
        data = contents(path)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "does not exist" if missing else f"cannot be read: {error.strerror}"
        raise ModelError(f"the mesh '{path}' {reason}") from None
    try:
        found = READERS[kind](data) if kind in READERS else _foreign(path, data)
    except (ValueError, IndexError, OverflowError):
        raise ModelError(f"the mesh '{path.name}' is not a valid {kind[1:].upper()} file") from None
    if not len(found.triangles):
        raise ModelError(f"the mesh '{path.name}' has no triangles")
    if not np.isfinite(found.vertices).all() or not 0 <= found.triangles.min() <= found.triangles.max() < len(found[0]):
        raise ModelError(f"the mesh '{path.name}' has corners that are not finite, or triangles with unknown corners")
    return found


def scaled(surface: Surface, scale: tuple[float, ...]) -> Surface:
    """The surface with scaled coordinates; mirrored surfaces keep their outward normals."""
    triangles = surface.triangles if np.prod(scale) > 0.0 else surface.triangles[:, ::-1]
    return Surface(surface.vertices * np.array(scale), triangles)


def hull(vertices: NDArray) -> Surface:
    """The convex hull of points, with outward normals; no triangles for points in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(vertices)
    except QhullError:
        return Surface(vertices, np.zeros((0, 3), int))
    outward = np.einsum("ki,ki->k", np.cross(*_sides(vertices, found.simplices)), found.equations[:, :3]) > 0.0
    return Surface(vertices, np.where(outward[:, None], found.simplices, found.simplices[:, ::-1]))


def edges_of(surface: Surface) -> list[NDArray]:
    """The edges where the surface bends or ends."""
    found = _sharp(surface)
    if not found or len(found) > MAX_EDGES:
        found = _sharp(hull(_coarse(surface.vertices)))
    return found


def _stl(data: bytes) -> Surface:
    count = int.from_bytes(data[80:STL_HEADER], "little")
    if len(data) >= STL_HEADER and len(data) == STL_HEADER + STL_RECORD * count:
        records = np.frombuffer(data, np.uint8, offset=STL_HEADER).reshape(count, STL_RECORD)
        corners = np.ascontiguousarray(records[:, 12:48]).view("<f4").reshape(-1, 3).astype(float)
    elif data.lstrip()[:5].lower() == b"solid":
        lines = (line.split() for line in data.decode("ascii", "replace").splitlines())
        corners = np.array([line[1:4] for line in lines if line and line[0].lower() == "vertex"], float).reshape(-1, 3)
    else:
        raise ValueError
    return _merged(corners, np.arange(len(corners)).reshape(-1, 3))


def _msh(data: bytes) -> Surface:
    """The binary format of MuJoCo: four counts; corners, normals and texture coordinates; triangles."""
    corners, normals, textures, triangles = np.frombuffer(data, "<i4", 4).astype(int)
    skipped = 16 + 12 * corners + 12 * normals + 8 * textures
    if min(corners, normals, textures, triangles) < 0 or len(data) != skipped + 12 * triangles:
        raise ValueError
    places = np.frombuffer(data, "<i4", 3 * triangles, skipped).reshape(-1, 3)
    return _merged(np.frombuffer(data, "<f4", 3 * corners, 16).reshape(-1, 3).astype(float), places)


def _merged(corners: NDArray, triangles: NDArray) -> Surface:
    """Corners at the same point become one, which closes the surface."""
    vertices, places = _distinct(corners + 0.0)
    return Surface(vertices, places[triangles])


def _distinct(corners: NDArray) -> tuple[NDArray, NDArray]:
    """The different corners, sorted, and the number of each among them."""
    order = np.lexsort(corners.T[::-1])
    lines = corners[order]
    new = np.ones(len(lines), bool)
    new[1:] = (lines[1:] != lines[:-1]).any(axis=1)
    places = np.empty(len(lines), int)
    places[order] = np.cumsum(new) - 1
    return lines[new], places


def _obj(data: bytes) -> Surface:
    lines = [line.lstrip() for line in data.splitlines()]
    corners = [line[2:] for line in lines if line[:2] in (b"v ", b"v\t")]
    faces = [line[2:] for line in lines if line[:2] in (b"f ", b"f\t")]
    vertices = _numbers(corners, 3)
    counts = np.array([len(face.split()) for face in faces], int)
    places = np.array(PARTS.sub(b"", b" ".join(faces)).split(), dtype=int)  # of corners alone
    if places.size and places.min() <= 0:
        return Surface(vertices, _counted_back([line.decode("utf-8", "replace").split() for line in lines]))
    inner = np.maximum(counts - 2, 0)  # fans of triangles
    first = np.repeat(np.cumsum(counts) - counts, inner)
    second = first + 1 + np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner)
    return Surface(vertices, places[np.stack([first, second, second + 1], axis=1)] - 1)


def _numbers(lines: list[bytes], count: int) -> NDArray:
    """The first numbers of each line, which may have more: colors of corners."""
    words = b" ".join(lines).split()
    if len(words) % max(len(lines), 1) or len({line.count(b" ") for line in lines}) > 1:
        words = [word for line in lines for word in line.split()[:count]]
    return np.array(words, dtype=float).reshape(len(lines), -1)[:, :count]


def _counted_back(lines: list[list[str]]) -> NDArray:
    """Triangles of a file some of whose faces number corners backwards, from the last one before the face."""
    triangles: list[tuple[int, int, int]] = []
    count = 0
    for words in lines:
        if words[:1] == ["v"]:
            count += 1
        elif words[:1] == ["f"]:
            numbers = [int(word.partition("/")[0]) for word in words[1:]]
            places = [n - 1 if n > 0 else count + n for n in numbers]
            triangles += [(places[0], places[k], places[k + 1]) for k in range(1, len(places) - 1)]
    return np.array(triangles, int).reshape(-1, 3)


PARTS = re.compile(rb"/\S*")  # of a corner of a face: the numbers of its texture and normal
READERS = {".stl": _stl, ".obj": _obj, ".msh": _msh}


def _foreign(path: Path, data: bytes) -> Surface:
    kind = path.suffix.lower()
    if kind not in FOREIGN:
        raise ModelError(
            f"the mesh '{path.name}' has an unknown format: STL, OBJ and MSH are read directly, {', '.join(FOREIGN)} "
            f"with trimesh"
        )
    if kind == ".dae":
        parse_document(data, path)  # rejects document types and their entities
    try:
        import trimesh

        found = trimesh.load_mesh(io.BytesIO(data), file_type=kind[1:])
        return Surface(np.asarray(found.vertices, float), np.asarray(found.faces, int))
    except Exception as error:  # each reader has its own errors
        raise ModelError(
            f"the mesh '{path.name}' cannot be read ({type(error).__name__}): STL, OBJ and MSH are read directly, "
            f"other formats with trimesh and its dependencies, pip install 'cardan[mesh]'"
        ) from None


def _sharp(surface: Surface) -> list[NDArray]:
    """Edges of a single triangle, or of two that meet at an angle."""
    corners = surface.vertices[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(sizes > 0.0, sizes, 1.0)
    triangles, count = np.asarray(surface.triangles, int), len(surface.triangles)
    edges = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    order = np.lexsort((edges[:, 1], edges[:, 0]))  # stable: the triangles of an edge in their order
    edges, sides = edges[order], np.repeat(np.arange(count), 3)[order]
    first = np.flatnonzero(np.concatenate([[True], (edges[1:] != edges[:-1]).any(axis=1)]))
    uses = np.diff(np.append(first, len(edges)))
    second = np.minimum(first + 1, len(edges) - 1)
    bends = np.einsum("ki,ki->k", normals[sides[first]], normals[sides[second]]) < SHARP
    shown = first[(uses != 2) | bends]
    shown = shown[np.argsort(order[shown])]  # as they appear in the file
    return list(surface.vertices[edges[shown]])


def _coarse(vertices: NDArray) -> NDArray:
    cell = float(np.ptp(vertices, axis=0).max()) / COARSE_CELLS
    return np.unique(np.round(vertices / cell), axis=0) * cell


def _sides(points: NDArray, triangles: NDArray) -> tuple[NDArray, NDArray]:
    corners = points[triangles]
    return corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
