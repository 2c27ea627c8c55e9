"""Nested dissection of a graph whose vertices have places in space: the tree of a multifrontal factorization.

    left  | separator | right        the vertices of the left half that touch the right half separate both

Halves are cut across their longest side, at the median, down to leaves of a few dozen vertices. A front eliminates its
own vertices after those of its two children; its boundary are the vertices of its ancestors that the eliminated ones
touch. Vertices of very high degree (the reference point of a rigid seat) come last: they would be in every boundary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

LEAF_VERTICES = 48  # vertices
DENSE_VERTEX = 12.0  # neighbors of a vertex that comes last, as a multiple of the mean


@dataclass
class Front:
    """Vertices that are eliminated together, those of ancestors that they touch, and the fronts just before it."""

    own: np.ndarray
    boundary: np.ndarray
    children: tuple[int, ...]


def dissect(graph: csr_matrix, places: np.ndarray, leaf: int = LEAF_VERTICES) -> list[Front]:
    """The fronts, children before parents. `graph` is the symmetric pattern, `places` (vertices, d).

    >>> from scipy.sparse import diags
    >>> chain = csr_matrix(diags([1.0, 1.0, 1.0], [-1, 0, 1], shape=(7, 7)))
    >>> for front in dissect(chain, np.arange(7.0)[:, None], leaf=4): print(front.own, front.boundary)
    [0 1] [2]
    [3 4 5 6] [2]
    [2] []
    """
    degree = np.diff(graph.indptr)
    last = np.flatnonzero(degree > max(DENSE_VERTEX * degree.mean(), 4 * LEAF_VERTICES))
    side = np.zeros(graph.shape[0], dtype=np.int8)  # of the set that is being cut: 1 left, 2 right
    fronts: list[Front] = []

    def grow(vertices: np.ndarray) -> int:
        """Append the fronts of these vertices; the number of the last."""
        children: tuple[int, ...] = ()
        own = vertices
        if len(vertices) > leaf:
            left, right, own = _cut(graph, places, vertices, side)
            children = tuple(grow(part) for part in (left, right) if len(part))
        fronts.append(Front(own, np.empty(0, dtype=np.int64), children))
        return len(fronts) - 1

    others = np.setdiff1d(np.arange(graph.shape[0]), last)
    top = grow(others) if len(others) else None
    if len(last):
        fronts.append(Front(last, np.empty(0, dtype=np.int64), () if top is None else (top,)))
    _set_boundaries(graph, fronts)
    return fronts


def _cut(
    graph: csr_matrix, places: np.ndarray, vertices: np.ndarray, side: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two halves and their separator."""
    here = places[vertices]
    axis = int(np.argmax(np.ptp(here, axis=0)))
    order = vertices[np.argsort(here[:, axis], kind="stable")]
    left, right = order[: len(order) // 2], order[len(order) // 2 :]
    side[left], side[right] = 1, 2
    rows = graph[left]
    touches = side[rows.indices] == 2
    between = np.zeros(len(left), dtype=bool)
    between[np.repeat(np.arange(len(left)), np.diff(rows.indptr))[touches]] = True
    side[vertices] = 0
    return left[~between], right, left[between]


def _set_boundaries(graph: csr_matrix, fronts: list[Front]) -> None:
    rank = np.empty(graph.shape[0], dtype=np.int64)  # the front that eliminates a vertex
    for number, front in enumerate(fronts):
        rank[front.own] = number
    for number, front in enumerate(fronts):
        touched = [graph[front.own].indices, *(fronts[child].boundary for child in front.children)]
        near = np.unique(np.concatenate(touched)) if len(touched) else np.empty(0, dtype=np.int64)
        front.boundary = near[rank[near] > number].astype(np.int64)
