"""Triangle meshes prepared for `kernels.mesh`: a tree of boxes around the triangles, and normals of all their parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError

LEAF_TRIANGLES = 2  # smallest number of triangles in a leaf; the largest is less than twice this
BITS = 20  # bits per coordinate


class MeshTree(NamedTuple):
    """Triangles in the order of the tree's leaves."""

    boxes: np.ndarray  # float64[nodes, 6]: least and greatest x, y, z
    links: np.ndarray  # int64[nodes, 2]: first triangle and count of a leaf, or the left of two neighbors and 0
    corners: np.ndarray  # float64[triangles, 9]
    normals: np.ndarray  # float64[triangles, 21]: face, edges AB, BC, CA, corners A, B, C


def mesh_tree(vertices: np.ndarray, triangles: np.ndarray) -> MeshTree:
    """The tree of triangles whose vertices are numbered counterclockwise as seen from outside.

    Triangles are sorted along a space-filling curve; the tree is complete with equally full leaves, and the children of
    node k are 2 k + 1 and 2 k + 2.
    """
    points, normals = vertices[triangles], _normals(vertices, triangles)
    order = np.argsort(_places(points.mean(axis=1)), kind="stable")
    points, normals, count = points[order], normals[order], len(triangles)
    leaves = 1 << max(count // LEAF_TRIANGLES, 1).bit_length() - 1
    start = np.arange(leaves + 1) * count // leaves
    low, high = np.minimum.reduceat(points.min(axis=1), start[:-1]), np.maximum.reduceat(points.max(axis=1), start[:-1])
    levels = [np.concatenate([low, high], axis=1)]
    while len(levels[0]) > 1:
        left, right = levels[0][::2], levels[0][1::2]
        levels.insert(0, np.concatenate([np.minimum(left, right)[:, :3], np.maximum(left, right)[:, 3:]], axis=1))
    inner = np.stack([2 * np.arange(leaves - 1) + 1, np.zeros(leaves - 1, int)], axis=1)
    links = np.concatenate([inner, np.stack([start[:-1], np.diff(start)], axis=1)])
    return MeshTree(np.concatenate(levels), links.astype(np.int64), points.reshape(-1, 9), normals)


def _places(points: np.ndarray) -> np.ndarray:
    """Positions of points along a Morton curve that fills their bounding box: interleaved bits of x, y and z."""
    low, extent = points.min(axis=0), float(np.ptp(points, axis=0).max())
    cells = ((points - low) / (extent or 1.0) * (2**BITS - 1)).astype(np.uint64)
    place = np.zeros(len(points), np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            place |= ((cells[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(3 * bit + axis)
    return place


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of faces, edges (sum of both faces) and corners (sum of all faces weighted by their angles)."""
    points = vertices[triangles]
    sides = np.roll(points, -1, axis=1) - points  # AB, BC, CA
    sides /= np.linalg.norm(sides, axis=2, keepdims=True)
    face = np.cross(sides[:, 0], -sides[:, 2])
    face /= np.linalg.norm(face, axis=1, keepdims=True)
    cosines = -np.sum(sides * np.roll(sides, 1, axis=1), axis=2)
    corner = np.zeros_like(vertices)
    np.add.at(
        corner, triangles.ravel(), (np.arccos(np.clip(cosines, -1.0, 1.0))[:, :, None] * face[:, None]).reshape(-1, 3)
    )
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2), axis=2)
    keys = ends[:, :, 0].astype(np.int64) * len(vertices) + ends[:, :, 1]
    _, which = np.unique(keys.ravel(), return_inverse=True)
    edge = np.zeros((which.max() + 1, 3))
    np.add.at(edge, which.ravel(), np.repeat(face, 3, axis=0))
    parts = np.concatenate([face[:, None], edge[which.reshape(-1, 3)], corner[triangles]], axis=1)
    return np.ascontiguousarray(parts.reshape(-1, 21))


def is_closed(vertices: np.ndarray, triangles: np.ndarray, what: str) -> bool:
    """True if the triangles have no open edge; closed meshes with wrong orientation are rejected, named by `what`."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2).astype(np.int64)
    keys, forward = ends.min(axis=1) * len(vertices) + ends.max(axis=1), ends[:, 0] < ends[:, 1]
    _, edge = np.unique(keys, return_inverse=True)
    both = np.bincount(edge.ravel())
    ahead = np.bincount(edge.ravel(), weights=forward, minlength=both.size)
    if (both % 2).any():
        return False
    wrong = int(np.sum(2 * ahead != both))
    if wrong:
        raise ModelError(
            f"{what} is closed, but at {wrong} of its {both.size} edges neighboring triangles have opposite "
            "orientations; number the vertices of all of them counterclockwise as seen from outside"
        )
    _require_outward(vertices, triangles, what)
    return True


def _require_outward(vertices: np.ndarray, triangles: np.ndarray, what: str) -> None:
    """Reject inverted closed surfaces; those within others are cavities."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(len(vertices),) * 2)
    count, part = connected_components(graph, directed=False)
    part = part[triangles[:, 0]]
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    volumes = np.bincount(part, np.sum(a * np.cross(b, c), axis=1) / 6.0, minlength=count)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, part, vertices[triangles].min(axis=1))
    np.maximum.at(high, part, vertices[triangles].max(axis=1))
    for k in np.flatnonzero(volumes < 0.0):
        around = (low < low[k]).all(axis=1) & (high > high[k]).all(axis=1) & (volumes > 0.0)
        if not around.any():
            raise ModelError(
                f"{what} is inside out: its triangles run clockwise as seen from outside and enclose a volume of "
                f"{volumes[k]:.4g}; reverse them with triangles[:, ::-1]; for a hollow body, leave the surface open"
            )
