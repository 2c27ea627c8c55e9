"""Freeform curves, in the plane and in space: from a user function, or through points.

         o---.                                 FunctionCurve    s = f(u)
      o'      `o.                              PointsCurve      the spline s(u) through points, u the length along
                 `o----o  s(u)                                  the chords between them

The public classes add what is specific to their space: `profile.py` in the plane, `spatial/curve.py` in space.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves import curve_check
from cardan.model.curves.curve import Array, ParametricCurve
from cardan.model.curves.function_code import Code
from cardan.model.stated import set_fields
from cardan.numerics.curves.spline import Pieces, evaluate, spline
from cardan.numerics.functions.function import UserFunction


@dataclass(frozen=True)
class FunctionCurve(ParametricCurve):
    """s = f(u), a Python function of the parameter u over `span`; its derivatives are exact."""

    f: Callable[[float], tuple[float, ...]]
    span: tuple[float, float]
    closed: bool = True
    _code: Code = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        set_fields(self, span=curve_check.span(self.span, "a Curve"), _code=Code(self.f, outputs=self.dimension))
        set_fields(self, closed=check.flag(self.closed, "closed of a Curve"))
        _, points = curve_check.sampled(self.f, self.span, self.dimension, "a Curve")
        size = np.ptp(points, axis=0).max()
        if size == 0.0:
            raise ModelError(f"a Curve must not be a single point, here {curve_check.format_point(points[0])}")
        if self.closed:
            curve_check.closes(points[0], points[-1], size, "a Curve")
            self._check_direction(points[:-1])

    def _check_direction(self, points: Array) -> None:
        """Reject a closed curve with the wrong direction; in space every direction is allowed."""

    def _inside(self, u: Array) -> Array:
        return by_function(self._code(), u)


@dataclass(frozen=True, init=False)
class PointsCurve(ParametricCurve):
    """The parametric spline through points, u the length along the chords between them."""

    nodes: tuple[tuple[float, ...], ...]
    closed: bool
    degree: int
    span: tuple[float, float] = field(init=False, repr=False)

    def __init__(self, points: ArrayLike, closed: bool = True, degree: int = 3) -> None:
        points = curve_check.columns(points, self.dimension, "the points of a CurveThrough")
        closed = check.flag(closed, "closed of a CurveThrough")
        size = np.ptp(points, axis=0).max()
        if closed and len(points) > 1 and math.dist(points[0], points[-1]) <= 1e-9 * size:
            points = points[:-1]
        curve_check.degree(degree, len(points), "a CurveThrough")
        chords = _chords(points)
        if chords.min() <= 1e-12 * size:
            i = int(np.argmin(chords))
            raise ModelError(
                f"points {i} and {i + 1} of a CurveThrough are the same, {curve_check.format_point(points[i])}"
            )
        if closed:
            gap = math.dist(points[0], points[-1])
            if gap > 3.0 * chords.max():
                raise ModelError(f"a closed CurveThrough has a gap of {gap:g} between its last and its first point")
            points = self._directed(points)
        set_fields(self, nodes=tuple(map(tuple, points.tolist())), closed=closed, degree=degree)
        set_fields(self, span=self._pieces.span)

    def _directed(self, points: Array) -> Array:
        """The points of a closed curve in counterclockwise order; in space, as given."""
        return points

    @cached_property
    def _pieces(self) -> Pieces:
        points = np.array(self.nodes + self.nodes[:1] if self.closed else self.nodes)
        u = np.append(0.0, np.cumsum(_chords(points)))
        return spline(u, points, self.degree, "periodic" if self.closed else "not-a-knot")

    def _edges(self) -> Array:
        return self._pieces.breaks

    def _inside(self, u: Array) -> Array:
        return evaluate(self._pieces, u)


def by_function(function: UserFunction, u: Array) -> Array:
    """A user function and three derivatives, shape (4, outputs, n)."""
    status, blocks = function.along(np.ascontiguousarray(u, float))
    result = blocks[:, :, :4]
    failed = (status != 0) | ~np.isfinite(result).all(axis=(1, 2))
    if failed.any():
        value = float(u[int(np.argmax(failed))])
        raise ModelError(function.failure((value,)), cause=function.raised((value,)))
    return result.transpose(2, 1, 0).copy()


def _chords(points: Array) -> Array:
    return np.linalg.norm(np.diff(points, axis=0), axis=1)
