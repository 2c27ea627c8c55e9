"""The geometry of a curve s(u) in plane or space: points, length, nearest points, corners.

            s'(u)
       _.--->                     curvature in the plane = (x' y'' - y' x'') / |s'|^3
     .'  s(u)
    (                             A closed outline runs counterclockwise: its curvature is positive where it is convex.
     '.____.'

Every curve of `profile.py` is a `Profile`, every space curve a `ParametricCurve`. Plain NumPy, for checks, drawings and
initial values; the compiled loop has its own version of the curve in `numerics/curves/profiles.py`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.stated import Stated
from cardan.numerics.curves.profiles import Shape

Array = NDArray[np.float64]
# smallest jump, relative to the largest s' or s''; smaller ones are below the accuracy of curve data
MIN_CURVE_JUMP = 1e-6
JUNCTION_PARTS = 8  # parts into which an interval with a jump is repeatedly divided
MOST_JUNCTIONS = 512  # largest number of intervals with jumps: a function with more is noise, and none is kept


class ParametricCurve(metaclass=Stated):
    """A curve s(u), u from `span[0]` to `span[1]`, in the frame of its body."""

    dimension: ClassVar[int]
    span: tuple[float, float]
    closed: bool

    @abstractmethod
    def _inside(self, u: Array) -> Array:
        """s and three derivatives, shape (4, dimension, n), for a list of u within the span."""

    def _edges(self) -> Array:
        """Values of u between which the curve is smooth."""
        return np.array(self.span)

    def derivatives(self, u: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """s, s', s'', s''' with respect to u, each of shape (*u.shape, dimension)."""
        u = np.asarray(u, dtype=float)
        if not np.isfinite(u).all():
            raise ModelError(f"a {type(self).__name__} cannot be evaluated at u = {u[~np.isfinite(u)][0]}")
        low, high = self.span
        flat = u.ravel()
        inside = self._wrap(flat)
        result = self._inside(inside)
        if not self.closed:
            result[0] += result[1] * (flat - inside)
            result[2:, :, (flat < low) | (flat > high)] = 0.0
        s, s1, s2, s3 = np.moveaxis(result, 1, -1).reshape(4, *u.shape, self.dimension)
        return s, s1, s2, s3

    def points(self, u: ArrayLike) -> Array:
        """The points s(u), shape (*u.shape, dimension)."""
        return self.derivatives(u)[0]

    def outline(self, n: int = 361) -> Array:
        """n points from one end of the span to the other, for drawing; for a closed curve the last equals the first."""
        return self.points(np.linspace(*self.span, n))

    def corner(self) -> tuple[float, float]:
        """The largest jump of the tangent direction, in radians, and its u; about zero for a smooth curve."""

        def turn(a: Array, b: Array) -> Array:
            tangents = (self.derivatives(u)[1] for u in (a, b))
            before, after = (s1 / np.linalg.norm(s1, axis=-1, keepdims=True) for s1 in tangents)
            # Kahan's form: the arc cosine of a dot product would lose half the digits of a small angle
            return 2.0 * np.arctan2(np.linalg.norm(after - before, axis=-1), np.linalg.norm(after + before, axis=-1))

        grid = self._grid()
        sharpest = np.argsort(turn(grid[:-1], grid[1:]))[-16:]
        left, right = grid[sharpest], grid[sharpest + 1]
        for _ in range(30):  # halving an interval halves a smooth turn, but not a corner
            middle = 0.5 * (left + right)
            first = turn(left, middle) > turn(middle, right)
            left, right = np.where(first, left, middle), np.where(first, middle, right)
        angles = turn(left, right)
        i = int(np.argmax(angles))
        return float(angles[i]), float(right[i])

    @cached_property
    def junctions(self) -> Array:
        """Values of u, in one turn of a closed curve, at which s' or s'' jumps, such as where an arc meets a straight
        line.

        Intervals whose ends do not fit one smooth piece are divided until only jumps remain.
        """
        low, high = self.span
        grid = self._grid()
        left, right = grid[:-1], grid[1:]
        size = [np.linalg.norm(s, axis=-1).max() for s in self.derivatives(grid)[1:3]]
        for _ in range(30):
            parts = np.linspace(0.0, 1.0, JUNCTION_PARTS + 1)
            edges = left[:, None] + (right - left)[:, None] * parts
            left, right = edges[:, :-1].ravel(), edges[:, 1:].ravel()
            right = np.minimum(right, np.nextafter(high, low))  # u = high is the start of the next turn
            found = (left < right) & self._jumps(left, right, size)
            left, right = left[found], right[found]
            if not 0 < left.size <= MOST_JUNCTIONS or (right - left).max() <= 1e-14 * max(abs(low), abs(high)):
                break
        inner = right if left.size <= MOST_JUNCTIONS else right[:0]
        kept = np.diff(inner, prepend=low) > 1e-12 * (high - low)  # neighboring intervals may share one
        ends = np.array([low, np.nextafter(high, low)])
        seam = self.closed and self._jumps(ends[1:], ends[:1], size).any()
        return np.unique(np.concatenate([inner[kept], ends[: int(seam)]]))

    def _jumps(self, left: Array, right: Array, size: list[float]) -> NDArray[np.bool_]:
        """Whether s' or s'' changes from `left` to `right` by more than its derivative explains."""
        (_, v0, a0, j0), (_, v1, a1, j1) = self.derivatives(left), self.derivatives(right)
        h = np.maximum(right - left, 0.0)[:, None]  # a seam has no width
        speed = np.linalg.norm(v1 - v0 - 0.5 * h * (a0 + a1), axis=-1)
        bend = np.linalg.norm(a1 - a0 - 0.5 * h * (j0 + j1), axis=-1)
        return (speed > MIN_CURVE_JUMP * size[0]) | (bend > MIN_CURVE_JUMP * max(size[1], 1e-300))

    def length(self) -> float:
        """Arc length over the span, by Gauss's rule."""
        edges = self._grid()
        nodes, weights = np.polynomial.legendre.leggauss(4)
        half = 0.5 * np.diff(edges)
        u = 0.5 * (edges[1:] + edges[:-1]) + half * nodes[:, None]
        speed = np.linalg.norm(self.derivatives(u)[1], axis=-1)
        return float(np.sum(weights[:, None] * half * speed))

    def nearest(self, point: ArrayLike) -> float:
        """u of the point of the curve nearest to `point` (in the body's frame)."""
        p = np.array(check.vector(point, self.dimension, "the point"))

        def square(u: Array) -> Array:
            return np.sum((self.points(u) - p) ** 2, axis=-1)

        def slope(u: float) -> tuple[float, float]:
            s, s1, s2, _ = self.derivatives(u)
            return float((s - p) @ s1), float(s1 @ s1 + (s - p) @ s2)

        return self._polish(self._lowest(square, self._grid_near(p)), slope)

    def _wrap(self, u: Array) -> Array:
        """u shifted into the span: by full turns if closed, to the nearer end if open."""
        low, high = self.span
        turns = np.floor((u - low) / (high - low)) if self.closed else 0.0
        moved = np.where((u >= low) & (u < high), u, u - (high - low) * turns)
        return np.clip(moved, low, high)

    def _grid(self) -> Array:
        return self.stations(1024, 8)

    def stations(self, least: int, between: int = 2) -> Array:
        """u at the ends of at least `n` intervals that do not cross edges, `between` or more of them between edges."""
        edges = self._edges()
        parts = max(between, math.ceil(least / (len(edges) - 1)))
        steps = np.arange(parts * (len(edges) - 1) + 1) / parts
        return np.interp(steps, np.arange(len(edges)), edges)

    def _grid_near(self, point: Array) -> Array:
        """The u at which to start the search for the point nearest to `point`."""
        return self._grid()

    def _lowest(self, f: Callable[[Array], Array], grid: Array) -> float:
        """The u of the least f: over a grid, then over successively finer windows around the best value."""
        i = int(np.argmin(f(grid)))
        best, width = grid[i], np.diff(grid[max(i - 1, 0) : i + 2]).max()
        for _ in range(10):
            window = self._wrap(best + width * np.linspace(-1.0, 1.0, 33))
            best = window[np.argmin(f(window))]
            width /= 12.0
        return float(best)

    def _polish(self, u: float, slope: Callable[[float], tuple[float, float]]) -> float:
        """Newton's method on the slope of the minimized function; a grid alone would give half the digits."""
        reach = 1e-6 * (self.span[1] - self.span[0])
        for _ in range(6):
            value, rise = slope(u)
            if rise <= 0.0 or abs(value) > reach * rise:
                break
            u -= value / rise
        return float(self._wrap(np.array(u)))


@dataclass(frozen=True)
class Convexity:
    """True if the profile is convex; the smallest curvature and the u where it is found."""

    convex: bool
    curvature: float
    at: float

    def __bool__(self) -> bool:
        return self.convex


class Profile(ParametricCurve):
    """A plane curve: the outline of a cam, the center line of a slot."""

    dimension = 2

    @abstractmethod
    def shape(self) -> Shape:
        """The curve in the form of the compiled loop."""

    def curvature(self, u: ArrayLike) -> Array:
        """Signed curvature: positive where the curve turns left, which is where a closed outline is convex."""
        _, s1, s2, _ = self.derivatives(u)
        cross = s1[..., 0] * s2[..., 1] - s1[..., 1] * s2[..., 0]
        return cross / np.hypot(s1[..., 0], s1[..., 1]) ** 3

    def is_convex(self) -> Convexity:
        """Whether the curvature is nonnegative, with the smallest curvature and its u."""
        at = self._lowest(self.curvature, self._grid())
        smallest = float(self.curvature(at))
        size = np.ptp(self.outline(65), axis=0).max()
        # rounding gives straight parts a curvature of about -1e-16 over the size
        return Convexity(bool(smallest * size > -1e-9), smallest, at)

    def support(self, direction: ArrayLike) -> float:
        """u of the point of the profile farthest in `direction` (in the body's frame)."""
        d = np.array(check.vector(direction, 2, "the direction"))
        if not d.any():
            raise ModelError("a direction must not be (0, 0)")
        d = d / np.hypot(*d)

        def slope(u: float) -> tuple[float, float]:
            _, s1, s2, _ = self.derivatives(u)
            return float(-s1 @ d), float(-s2 @ d)

        return self._polish(self._lowest(lambda u: -self.points(u) @ d, self._grid()), slope)
