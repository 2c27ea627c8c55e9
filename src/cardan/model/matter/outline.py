"""Outlines with holes: closed polygons, given by their corners in either direction.

4 _______ 3
 |  ___  |            corners 1 2 3 4, the hole's corners likewise; the last edge to the first
 | |___| |            corner is implied, and repeating that corner is allowed
1|_______|2
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.matter.moments import Moments, enclosed

if TYPE_CHECKING:
    from cardan.model.body import OutlineLike


def region(outline: OutlineLike, holes: Sequence[OutlineLike], shape: str) -> Moments:
    """Area, center and second moments of the region inside the outline and outside the holes.

    >>> square, hole = [(0, 0), (4, 0), (4, 4), (0, 4)], [(1, 1), (1, 3), (3, 3), (3, 1)]
    >>> region(square, [hole], "a plate").size
    12.0
    """
    what = f"the outline of {shape}"
    outer, inner = _edges(outline, what), []
    if isinstance(holes, str) or not isinstance(holes, Sequence | np.ndarray):
        raise ModelError(f"the holes of {shape} must be a list of outlines, got {check.describe(holes)}")
    for number, hole in enumerate(holes, 1):
        inner.append((f"hole {number} of {shape}", _edges(hole, f"hole {number} of {shape}")))
    for name, hole in inner:
        _reject_crossing(outer, hole, what, name, "a hole must be inside")
        if not _holds(outer, hole):
            raise ModelError(f"{name} is outside its outline; a hole must be inside")
    for (one, first), (other, second) in combinations(inner, 2):
        _reject_crossing(first, second, one, other, "merge them into one hole")
        if _holds(first, second) or _holds(second, first):
            raise ModelError(f"{one} and {other} overlap; merge them into one hole")
    moments = enclosed(np.concatenate([outer, *(hole[:, ::-1] for _, hole in inner)]))
    if moments.size <= 1e-12 * enclosed(outer).size:
        raise ModelError(f"{shape} has no area left: its holes fill the outline")
    return moments


def _edges(outline: OutlineLike, what: str) -> NDArray:
    """The edges of one closed polygon, counterclockwise, an array (edges, 2 ends, 2 coordinates)."""
    listed = isinstance(outline, Sequence | np.ndarray) and not isinstance(outline, str)
    if not listed or any(isinstance(point, Real) for point in outline):
        raise ModelError(f"{what} must be a list of points (x, y), got {check.describe(outline)}")
    points = np.array([check.vector(point, 2, f"a corner of {what}") for point in outline]).reshape(-1, 2)
    points = points[np.any(points != np.roll(points, 1, axis=0), axis=1)]  # repeated corners
    if len(points) < 3:
        raise ModelError(f"{what} needs at least three different corners, got {len(points)}")
    edges = np.stack([points, np.roll(points, -1, axis=0)], axis=1)
    _reject_crossing(edges, edges, what, "itself", "give the corners in order around it")
    size, extent = enclosed(edges).size, np.ptp(points, axis=0)
    if abs(size) <= 1e-12 * extent.max() ** 2:
        raise ModelError(f"{what} encloses no area: its corners are on a line, or its edges overlap")
    return edges if size > 0.0 else edges[::-1, ::-1]


def _reject_crossing(edges: NDArray, others: NDArray, what: str, other: str, hint: str) -> None:
    """Reject edges that cross; edges may touch. Each edge is compared with those near it along x."""
    left = others[..., 0].min(axis=1)
    order = np.argsort(left)
    others, left = others[order], left[order]
    widest = np.ptp(others[..., 0], axis=1).max()
    starts = np.searchsorted(left, edges[..., 0].min(axis=1) - widest)
    stops = np.searchsorted(left, edges[..., 0].max(axis=1), side="right")
    for (a, b), start, stop in zip(edges, starts, stops, strict=True):
        p, q = others[start:stop, 0], others[start:stop, 1]
        apart = _side(a, b, p) * _side(a, b, q) < 0.0
        crossed = apart & (_side(p, q, a) * _side(p, q, b) < 0.0)
        if crossed.any():
            first = np.argmax(crossed)
            place = ", ".join(f"{x:g}" for x in _meeting(a, b, p[first], q[first]))
            raise ModelError(f"{what} crosses {other} near ({place}); {hint}")


def _side(a: NDArray, b: NDArray, point: NDArray) -> NDArray:
    """Positive if a point is left of the line from a to b."""
    along, to = b - a, point - a
    return along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]


def _meeting(a: NDArray, b: NDArray, p: NDArray, q: NDArray) -> NDArray:
    share = _side(p, q, a) / (_side(p, q, a) - _side(p, q, b))
    return a + share * (b - a)


def _holds(outer: NDArray, inner: NDArray) -> bool:
    """Whether one polygon is inside another whose edges it does not cross: any corner or edge midpoint is."""
    return any(_inside(outer, point) for point in np.concatenate([inner[:, 0], inner.mean(axis=1)]))


def _inside(edges: NDArray, point: NDArray) -> bool:
    """Whether a ray from the point along x leaves through an odd number of edges."""
    low, high = edges[:, 0], edges[:, 1]
    spans = (low[:, 1] > point[1]) != (high[:, 1] > point[1])
    left = (_side(low, high, point) > 0.0) == (high[:, 1] > low[:, 1])
    return bool(np.count_nonzero(spans & left) % 2)
