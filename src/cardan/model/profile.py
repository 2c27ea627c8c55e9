"""Profiles: outlines of cams and center lines of slots, as curves s(u) in the frame of their body.

           _.--._  s(u)
         .'   u  '.              Polar forms (Haug 3.4.15-3.4.17): s = center + rho(u) [cos u, sin u],
        (    Q----)---- x'       u the angle alpha from the body's x' axis.
         '.      .'
           '----'                A contact needs s and three derivatives: all of them are exact.

A closed profile runs counter-clockwise once over its `span`, and u may go on over many turns; its curvature is
positive where it is convex. An open profile ends at its span; beyond it, it is continued along its tangent, and the
analysis reports that the slot was left. Cubic profiles have continuous curvature; those of degree 5 give smooth jerk.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.code import Code
from cardan.model.curve import Array, Convexity, Profile
from cardan.numerics.function import UserFunction
from cardan.numerics.profiles import CIRCLE, CURVE, CURVE_PIECEWISE, POLAR, POLAR_PIECEWISE, Shape
from cardan.numerics.spline import Pieces, evaluate, pack, spline

__all__ = ["Circle", "Convexity", "Curve", "CurveThrough", "Polar", "PolarTable", "Profile"]

TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Circle(Profile):
    """A circle, u the angle from the x' axis: a roller, an eccentric."""

    radius: float
    center: tuple[float, float] = (0.0, 0.0)

    span: tuple[float, float] = field(default=(0.0, TURN), init=False, repr=False)
    closed: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        _clean(self, radius=check.positive(self.radius, "the radius of a Circle"))
        _clean(self, center=check.vector(self.center, 2, "the center of a Circle"))

    def shape(self) -> Shape:
        return Shape(CIRCLE, self.span, True, self.center, (self.radius,))

    def _inside(self, u: Array) -> Array:
        rho = np.zeros((4, len(u)))
        rho[0] = self.radius
        return _polar(u, rho, self.center)


@dataclass(frozen=True)
class Polar(Profile):
    """s = center + rho(alpha) [cos alpha, sin alpha], rho a Python function of the angle u = alpha.

    Its derivatives are exact; branches (`if alpha < 2.0: ...`) are allowed. A closed outline spans one turn.
    """

    rho: Callable[[float], float]
    center: tuple[float, float] = (0.0, 0.0)
    closed: bool = True
    span: tuple[float, float] = (0.0, TURN)
    _code: Code = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _clean(self, center=check.vector(self.center, 2, "the center of a Polar profile"))
        _clean(self, closed=check.flag(self.closed, "closed of a Polar profile"), _code=Code(self.rho))
        _clean(self, span=_span(self.span, "a Polar profile"))
        low, high = self.span
        if self.closed and abs(high - low - TURN) > 1e-9:
            raise ModelError(f"a closed Polar profile must span 2 pi, got {high - low:g} rad from {low:g} to {high:g}")
        u, rho = _sampled(self.rho, self.span, 1, "a Polar profile")
        _positive_radius(u, rho[:, 0], "a Polar profile")
        if self.closed:
            _same(rho[0], rho[-1], rho.max(), "a Polar profile")

    def shape(self) -> Shape:
        return Shape(POLAR, self.span, self.closed, self.center, (), self._code())

    def _inside(self, u: Array) -> Array:
        return _polar(u, _by_function(self._code(), u)[:, 0], self.center)


@dataclass(frozen=True)
class PolarTable(Profile):
    """s = center + rho(alpha) [cos alpha, sin alpha], rho the spline through (angles, radii), u = alpha.

    The angles of a closed outline cover one turn: the last may repeat the first point one turn later or stop short of
    it by about one step. `degree=5` makes rho''' and rho'''' continuous too.
    """

    angles: tuple[float, ...]
    radii: tuple[float, ...]
    center: tuple[float, float] = (0.0, 0.0)
    closed: bool = True
    degree: int = 3
    span: tuple[float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _clean(self, center=check.vector(self.center, 2, "the center of a PolarTable"))
        _clean(self, closed=check.flag(self.closed, "closed of a PolarTable"))
        angles = _columns(self.angles, 1, "the angles of a PolarTable")[:, 0]
        radii = _columns(self.radii, 1, "the radii of a PolarTable")[:, 0]
        _clean(self, angles=tuple(angles.tolist()), radii=tuple(radii.tolist()))
        if len(angles) != len(radii):
            raise ModelError(f"a PolarTable needs one radius per angle, got {len(angles)} and {len(radii)}")
        _positive_radius(angles, radii, "a PolarTable")
        gap = _gap(angles, self.closed)
        repeats = self.closed and gap <= 1e-9
        _check_count(len(angles) - repeats, self.degree, "a PolarTable")
        if repeats:
            _same(radii[:1], radii[-1:], radii.max(), "a PolarTable")
        _clean(self, span=self._pieces.span)
        grid = self._grid()
        _positive_radius(grid, evaluate(self._pieces, grid)[0, 0], "the spline of a PolarTable")

    @cached_property
    def _pieces(self) -> Pieces:
        angles, radii = np.array(self.angles), np.array(self.radii)
        if self.closed:
            unique = angles < angles[0] + TURN - 1e-9
            angles = np.append(angles[unique], angles[0] + TURN)
            radii = np.append(radii[unique], radii[0])
        return spline(angles, radii, self.degree, "periodic" if self.closed else "not-a-knot")

    def shape(self) -> Shape:
        return Shape(POLAR_PIECEWISE, self.span, self.closed, self.center, pack(self._pieces))

    def _edges(self) -> Array:
        return self._pieces.breaks

    def _inside(self, u: Array) -> Array:
        return _polar(u, evaluate(self._pieces, u)[:, 0], self.center)


@dataclass(frozen=True)
class Curve(Profile):
    """s = f(u) = (x, y), a Python function of the parameter u over `span`; its derivatives are exact.

    A closed curve must end where it begins and run counter-clockwise; a clockwise one is refused.
    """

    f: Callable[[float], tuple[float, float]]
    span: tuple[float, float]
    closed: bool = True
    _code: Code = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _clean(self, span=_span(self.span, "a Curve"))
        _clean(self, closed=check.flag(self.closed, "closed of a Curve"), _code=Code(self.f, outputs=2))
        _, points = _sampled(self.f, self.span, 2, "a Curve")
        size = np.ptp(points, axis=0).max()
        if size == 0.0:
            raise ModelError(f"a Curve must not stand still at ({points[0, 0]:g}, {points[0, 1]:g})")
        if self.closed:
            _same(points[0], points[-1], size, "a Curve")
            if _turning(points[:-1], "a Curve") < 0:
                raise ModelError("a closed Curve must run counter-clockwise, this one runs clockwise: replace u by -u")

    def shape(self) -> Shape:
        return Shape(CURVE, self.span, self.closed, function=self._code())

    def _inside(self, u: Array) -> Array:
        return _by_function(self._code(), u)


@dataclass(frozen=True, init=False)
class CurveThrough(Profile):
    """The parametric spline through points, u the length along the chords between them.

    A closed curve may repeat its first point at the end or stop short of it by about one chord. Points listed
    clockwise are reversed, the first one stays the first.
    """

    nodes: tuple[tuple[float, float], ...]
    closed: bool
    degree: int
    span: tuple[float, float] = field(init=False, repr=False)

    def __init__(self, points: ArrayLike, closed: bool = True, degree: int = 3) -> None:
        points = _columns(points, 2, "the points of a CurveThrough")
        closed = check.flag(closed, "closed of a CurveThrough")
        size = np.ptp(points, axis=0).max()
        if closed and len(points) > 1 and math.dist(points[0], points[-1]) <= 1e-9 * size:
            points = points[:-1]
        _check_count(len(points), degree, "a CurveThrough")
        chords = np.hypot(*np.diff(points, axis=0).T)
        if chords.min() <= 1e-12 * size:
            i = int(np.argmin(chords))
            x, y = points[i]
            raise ModelError(f"points {i} and {i + 1} of a CurveThrough are the same, ({x:g}, {y:g})")
        if closed:
            gap = math.dist(points[0], points[-1])
            if gap > 3.0 * chords.max():
                raise ModelError(f"a closed CurveThrough has a gap of {gap:g} between its last and its first point")
            if _turning(points, "a CurveThrough") < 0:
                points = np.vstack([points[:1], points[:0:-1]])
        _clean(self, nodes=tuple(map(tuple, points.tolist())), closed=closed, degree=degree)
        _clean(self, span=self._pieces.span)

    @cached_property
    def _pieces(self) -> Pieces:
        points = np.array(self.nodes + self.nodes[:1] if self.closed else self.nodes)
        u = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
        return spline(u, points, self.degree, "periodic" if self.closed else "not-a-knot")

    def shape(self) -> Shape:
        return Shape(CURVE_PIECEWISE, self.span, self.closed, parameters=pack(self._pieces))

    def _edges(self) -> Array:
        return self._pieces.breaks

    def _inside(self, u: Array) -> Array:
        return evaluate(self._pieces, u)


def _polar(a: Array, rho: Array, center: tuple[float, float]) -> Array:
    """s and three derivatives, shape (4, 2, n), from rho and its derivatives, shape (4, n)."""
    r0, r1, r2, r3 = rho
    radial = np.array([r0, r1, r2 - r0, r3 - 3.0 * r1])
    across = np.array([np.zeros_like(r0), r0, 2.0 * r1, 3.0 * r2 - r0])
    c, s = np.cos(a), np.sin(a)
    result = np.stack([radial * c - across * s, radial * s + across * c], axis=1)
    result[0] += np.array(center)[:, None]
    return result


def _by_function(function: UserFunction, u: Array) -> Array:
    """A user's function and three derivatives, shape (4, outputs, n)."""
    result = np.empty((len(u), function.outputs, 4))
    for i, value in enumerate(u):
        status, blocks = function.evaluate((float(value),))
        result[i] = blocks[:, :4]
        if status or not np.isfinite(result[i]).all():
            raise ModelError(function.failure((float(value),)))
    return result.transpose(2, 1, 0).copy()


def _clean(curve: Profile, **values: Any) -> None:
    """Set fields of frozen data while it is made."""
    for name, value in values.items():
        object.__setattr__(curve, name, value)


def _columns(values: Any, width: int, what: str) -> Array:
    """A list of numbers (`width` 1) or of points (`width` 2), shape (n, width)."""
    kind = "numbers" if width == 1 else "points (x, y)"
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a list of {kind}, got {values!r}") from None
    if array.size == 0 or array.shape[1:] != ((2,) if width == 2 else ()) or array.ndim == 0:
        raise ModelError(f"{what} must be a list of {kind}, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} must be finite, got {array[~np.isfinite(array)][0]}")
    return array.reshape(-1, width)


def _span(value: Any, what: str) -> tuple[float, float]:
    low, high = check.vector(value, 2, f"the span of {what}")
    if high <= low:
        raise ModelError(f"the span of {what} must increase, got {low:g} to {high:g}")
    return low, high


def _sampled(f: Any, span: tuple[float, float], outputs: int, what: str) -> tuple[Array, Array]:
    """u and the values of a user's function in plain Python; one that fails or jumps is refused before any solve."""
    if not callable(f):
        raise ModelError(f"the function of {what} must be a Python function, got {check.shown(f)}")
    u = np.linspace(*span, 721)
    values = np.array([_call(f, place, outputs, what) for place in u])
    i = int(np.argmax(np.linalg.norm(np.diff(values, axis=0), axis=1)))
    left, right, low, high = u[i], u[i + 1], values[i], values[i + 1]
    for _ in range(35):  # halving the interval halves the rise of a continuous function, but not a jump
        middle = 0.5 * (left + right)
        value = np.array(_call(f, middle, outputs, what))
        if np.linalg.norm(value - low) > np.linalg.norm(high - value):
            right, high = middle, value
        else:
            left, low = middle, value
    jump = float(np.linalg.norm(high - low))
    if jump > 1e-6 * np.abs(values).max():
        raise ModelError(f"{what} must not jump, at u = {right:g} it does by {jump:g}")
    return u, values


def _call(f: Any, u: float, outputs: int, what: str) -> tuple[float, ...]:
    try:
        value = f(float(u))
    except Exception as error:
        raise ModelError(f"the function of {what} fails at u = {u:g}: {type(error).__name__}: {error}") from error
    try:
        return check.vector((value,) if outputs == 1 else value, outputs, what)
    except ModelError:
        numbers = "a finite number" if outputs == 1 else "two finite numbers"
        raise ModelError(f"the function of {what} must give {numbers}, at u = {u:g} it gives {value!r}") from None


def _positive_radius(angles: Array, radii: Array, what: str) -> None:
    i = int(np.argmin(radii))
    if radii[i] <= 0.0:
        raise ModelError(f"the radius of {what} must be positive everywhere, at {angles[i]:g} rad it is {radii[i]:g}")


def _gap(angles: Array, closed: bool) -> float:
    """What increasing angles leave of one turn."""
    steps = np.diff(angles)
    if (steps <= 0.0).any():
        i = int(np.argmax(steps <= 0.0))
        raise ModelError(f"the angles of a PolarTable must increase, got {angles[i]:g} before {angles[i + 1]:g} rad")
    reach = angles[-1] - angles[0]
    if reach > TURN + 1e-9:
        raise ModelError(f"the angles of a PolarTable go through {reach:g} rad, more than a turn; are these degrees?")
    if closed and TURN - reach > 3.0 * steps.max(initial=0.0):
        raise ModelError(f"a closed PolarTable must cover 2 pi, its angles leave a gap of {TURN - reach:g} rad")
    return TURN - reach


def _same(first: Array, last: Array, size: float, what: str) -> None:
    gap = float(np.linalg.norm(last - first))
    if gap > 1e-9 * size:
        raise ModelError(f"{what} is not closed: its ends are {gap:g} apart; close it or pass closed=False")


def _check_count(count: int, degree: int, what: str) -> None:
    if degree not in (3, 5):
        raise ModelError(f"the degree of {what} must be 3 or 5, got {degree!r}")
    if count < degree + 1:
        raise ModelError(f"{what} of degree {degree} needs at least {degree + 1} points, got {count}")


def _turning(points: Array, what: str) -> int:
    """+1 for a closed polygon that runs once around counter-clockwise, -1 clockwise; others cross themselves."""
    edges = np.roll(points, -1, axis=0) - points
    directions = edges[np.hypot(edges[:, 0], edges[:, 1]) > 0.0] @ np.array([1.0, 1.0j])
    turns = round(float(np.sum(np.angle(np.roll(directions, -1) / directions))) / TURN)
    if abs(turns) != 1:
        raise ModelError(f"a closed outline goes around once, {what} turns {turns} times: it crosses itself")
    return turns
