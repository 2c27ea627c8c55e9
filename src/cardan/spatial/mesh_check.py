"""Whether triangles enclose a volume: each edge then belongs to as many triangles in one direction as in the other."""

from __future__ import annotations

import numpy as np

from cardan.errors import ModelError


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
