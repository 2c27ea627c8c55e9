"""The picture of matter: lines and areas in its frame.

Two points are a thin rod; more are the corners of an area, in space of several areas separated by rows of NaN. Holes
are not drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Lines = tuple[np.ndarray, ...]

CIRCLE_CORNERS = 48  # corners of a circle


def placed(lines: Lines, turn: Any = None, by: Any = 0.0) -> Lines:
    """The same lines, rotated by a matrix and moved."""
    matrix = None if turn is None else np.array(turn, float).T
    return tuple((line if matrix is None else line @ matrix) + np.array(by, float) for line in lines)


def segment(start: Any, end: Any) -> Lines:
    return (np.array([start, end], float),)


def rectangle(width: float, height: float) -> Lines:
    """About the origin."""
    return (0.5 * np.array([(-width, -height), (width, -height), (width, height), (-width, height)]),)


def rounded(length: float, width: float) -> Lines:
    """A rectangle along x with round ends, about the origin; `length` is between the centers of the ends."""
    (half,) = placed(circle(0.5 * width, np.pi), turn=((0.0, 1.0), (-1.0, 0.0)), by=(0.5 * length, 0.0))
    return (np.concatenate([half, -half]),)


def circle(radius: float, span: float = 2.0 * np.pi) -> Lines:
    """About the origin, starting at the x axis."""
    turn = np.linspace(0.0, span, CIRCLE_CORNERS, endpoint=span < 6.0)
    return (radius * np.stack([np.cos(turn), np.sin(turn)], axis=1),)
