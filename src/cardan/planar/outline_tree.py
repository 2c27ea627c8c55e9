r"""An outline divided into short segments in a tree of boxes, for contact searches that cover every point.

      .--x--.                 A segment ends where the cubic through its ends and their tangents no longer follows the
    x'       'x               curve, or where it turns too far. Its box holds the four control points of that cubic,
   /           \              widened by several times the deviation found.
  x    boxes    x
                              Segments follow the parameter; the tree over them is complete: the children of node k are
                              2 k + 1 and 2 k + 2, and each leaf has one segment or two.

Splines of degree 3 are these cubics, so their boxes are exact; those of other curves are based on four points
between the ends of each segment.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.curves.curve import Array, Profile

MIN_SEGMENTS = 64  # minimum number of segments: features that repeat between all their ends and test points are missed
MAX_SEGMENTS = 1 << 15  # segments at most
MAX_CUBIC_ERROR, MAX_SEGMENT_TURN = (
    1e-3,
    0.15,
)  # largest deviation from the cubic, relative to the length; largest rotation in rad
BETWEEN = np.array([0.191, 0.427, 0.618, 0.854])  # test points, unevenly spaced because teeth are evenly spaced
BOX_MARGIN = 4.0  # boxes extend beyond the cubic by this multiple of the deviation found


class RimTree(NamedTuple):
    """The segments of a curve, from knot to knot, and the boxes around them."""

    knots: Array  # [segments + 1, 9]: u, x and three derivatives, y and three derivatives
    boxes: Array  # [nodes, 4]: least and greatest x and y
    leaves: int


@lru_cache(maxsize=128)
def rim_tree(curve: Profile) -> RimTree:
    """The tree of a curve; too fine a curve is rejected."""
    u = curve.stations(MIN_SEGMENTS, 1)
    low, high = u[:-1], u[1:]
    kept: list[tuple[Array, Array, Array]] = []
    count = 0
    while low.size:
        boxes, fine = _segments(curve, low, high)
        kept.append((low[fine], high[fine], boxes[fine]))
        count += int(fine.sum())
        low, high = low[~fine], high[~fine]
        if count + 2 * low.size > MAX_SEGMENTS:
            raise ModelError(
                f"has details too fine for contact: it would need more than {MAX_SEGMENTS} segments, those "
                f"at u = {low[0]:.4g} shorter than {high[0] - low[0]:.2g}; smooth it, or split it over several Rims"
            )
        middle = 0.5 * (low + high)
        low, high = np.stack([low, middle], axis=1).ravel(), np.stack([middle, high], axis=1).ravel()
    starts, ends, boxes = (np.concatenate(part) for part in zip(*kept, strict=True))
    order = np.argsort(starts)
    u = np.append(starts[order], ends[order[-1]])
    x, y = np.moveaxis(np.stack(curve.derivatives(u)), 2, 0)
    tree, leaves = _boxes(boxes[order])
    return RimTree(np.column_stack([u, *x, *y]), tree, leaves)


def _segments(curve: Profile, low: Array, high: Array) -> tuple[Array, np.ndarray]:
    """Boxes around segments, and which of them are short enough."""
    width = (high - low)[:, None]
    places = np.concatenate([[0.0], BETWEEN, [1.0]])
    s, s1, _, _ = curve.derivatives(low[:, None] + width * places)
    # the tangent at the end of a piece is taken from inside it
    controls = np.stack(
        [s[:, 0], s[:, 0] + s1[:, 0] * width / 3.0, s[:, -1] - s1[:, -1] * width / 3.0, s[:, -1]], axis=1
    )
    t = places[1:-1, None]
    weights = np.concatenate([(1.0 - t) ** 3, 3.0 * t * (1.0 - t) ** 2, 3.0 * t * t * (1.0 - t), t**3], axis=1)
    away = np.linalg.norm(s[:, 1:-1] - np.einsum("fc,scx->sfx", weights, controls), axis=2).max(axis=1)
    length = np.linalg.norm(np.diff(s, axis=1), axis=2).sum(axis=1)
    turned = np.zeros(low.size)
    for k in range(len(places) - 1):
        a, b = s1[:, k], s1[:, k + 1]
        turned += np.abs(np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.sum(a * b, axis=1)))
    margin = BOX_MARGIN * away + 1e-14 * np.abs(s).max(initial=0.0)
    boxes = np.concatenate([controls.min(axis=1) - margin[:, None], controls.max(axis=1) + margin[:, None]], axis=1)
    return boxes, (away <= MAX_CUBIC_ERROR * length) & (turned <= MAX_SEGMENT_TURN)


def _boxes(segments: Array) -> tuple[Array, int]:
    """Boxes of all nodes from the root on, and the number of leaves."""
    count = len(segments)
    leaves = 1 << count.bit_length() - 1
    first = np.arange(leaves) * count // leaves
    low, high = np.minimum.reduceat(segments[:, :2], first), np.maximum.reduceat(segments[:, 2:], first)
    levels = [np.concatenate([low, high], axis=1)]
    while len(levels[0]) > 1:
        left, right = levels[0][::2], levels[0][1::2]
        levels.insert(0, np.concatenate([np.minimum(left, right)[:, :2], np.maximum(left, right)[:, 2:]], axis=1))
    return np.concatenate(levels), leaves


def crossing(tree: RimTree) -> float | None:
    """u where a closed outline crosses itself, if it does: its inside would be undefined."""
    last, count, boxes = tree.leaves - 1, len(tree.knots) - 1, tree.boxes
    i = j = np.zeros(1, int)
    while i.size and i[0] < last:  # pairs of nodes of one level whose boxes overlap, i <= j
        i, j = (np.repeat(2 * k + 1, 4) + np.tile(child, k.size) for k, child in ((i, [0, 0, 1, 1]), (j, [0, 1, 0, 1])))
        over = (boxes[i, :2] <= boxes[j, 2:]).all(axis=1) & (boxes[j, :2] <= boxes[i, 2:]).all(axis=1) & (i <= j)
        i, j = i[over], j[over]
    starts = np.arange(tree.leaves + 1) * count // tree.leaves
    first, after, a, b = starts[:-1], starts[1:], i - last, j - last
    pairs = [(first[a] + p, first[b] + q) for p in (0, 1) for q in (0, 1)]
    kept = [(x < after[a]) & (y < after[b]) & (y - x > 1) & (y - x < count - 1) for x, y in pairs]
    x = np.concatenate([p[0][k] for p, k in zip(pairs, kept, strict=True)])
    y = np.concatenate([p[1][k] for p, k in zip(pairs, kept, strict=True)])
    points = tree.knots[:, [1, 5]]
    p, q, r, s = points[x], points[x + 1], points[y], points[y + 1]
    apart = (_side(p, q, r) * _side(p, q, s) < 0.0) & (_side(r, s, p) * _side(r, s, q) < 0.0)
    return float(tree.knots[x[apart].min(), 0]) if apart.any() else None


def _side(a: Array, b: Array, c: Array) -> Array:
    """The side of the lines from a to b on which the points c lie."""
    return np.asarray((b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0]))
