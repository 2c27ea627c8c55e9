"""A surface of triangles made ready for `mesh_kernels`: a tree of boxes around them, and normals of all their parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAF = 4  # triangles in a leaf at most


class MeshTree(NamedTuple):
    """Triangles in the order of the tree's leaves."""

    boxes: np.ndarray  # float64[nodes, 6]: least and greatest x, y, z
    links: np.ndarray  # int64[nodes, 2]: first triangle and count of a leaf, or the left of two neighbours and 0
    corners: np.ndarray  # float64[triangles, 9]
    normals: np.ndarray  # float64[triangles, 21]: face, edges AB, BC, CA, corners A, B, C


def mesh_tree(vertices: np.ndarray, triangles: np.ndarray) -> MeshTree:
    """The tree of triangles that number their vertices counter-clockwise as seen from outside."""
    points = vertices[triangles]
    normals = _normals(vertices, triangles)
    low, high, middle = points.min(axis=1), points.max(axis=1), points.mean(axis=1)
    order: list[np.ndarray] = []
    boxes: list[np.ndarray] = [np.zeros(6)]
    links: list[tuple[int, int]] = [(0, 0)]
    waiting, done = [(0, np.arange(len(triangles)))], 0
    while waiting:
        node, members = waiting.pop()
        boxes[node] = np.concatenate([low[members].min(axis=0), high[members].max(axis=0)])
        if len(members) <= LEAF:
            links[node] = (done, len(members))
            order.append(members)
            done += len(members)
            continue
        axis = int(np.argmax(np.ptp(middle[members], axis=0)))
        members = members[np.argsort(middle[members, axis], kind="stable")]
        half = len(members) // 2
        links[node] = (len(links), 0)
        for part in (members[:half], members[half:]):
            waiting.append((len(links), part))
            links.append((0, 0))
            boxes.append(np.zeros(6))
    place = np.concatenate(order)
    return MeshTree(np.array(boxes), np.array(links, np.int64), points[place].reshape(-1, 9), normals[place])


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals of faces; of edges the sum of both faces; of corners that of all, weighted by their angles there."""
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
