"""Profiles: outlines of cams and center lines of slots, as curves s(u) in the frame of their body.

           _.--._  s(u)
         .'   u  '.              Polar forms (Haug 3.4.15-3.4.17): s = center + rho(u) [cos u, sin u],
        (    Q----)---- x'       u the angle alpha from the body's x' axis.
         '.      .'
           '----'                A contact needs s and three derivatives, all exact.

A closed profile runs counterclockwise once over its `span`, and u may run over many turns; its curvature is
positive where it is convex. An open profile ends at its span; beyond, it continues along its tangent, and the
analysis reports that the pin left the slot. Cubic profiles have continuous curvature; degree 5 gives continuous jerk.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves import curve_check
from cardan.model.curves.curve import Array, Convexity, Profile
from cardan.model.curves.freeform import FunctionCurve, PointsCurve, by_function
from cardan.model.curves.function_code import Code
from cardan.model.dimensions import Angle, Length, Position
from cardan.model.stated import set_fields
from cardan.numerics.curves.profiles import (
    CIRCLE_PROFILE,
    CURVE_PIECEWISE_PROFILE,
    CURVE_PROFILE,
    POLAR_PIECEWISE_PROFILE,
    POLAR_PROFILE,
    Shape,
)
from cardan.numerics.curves.spline import Pieces, evaluate, pack, spline

__all__ = ["Circle", "Convexity", "Curve", "CurveThrough", "Polar", "PolarTable", "Profile"]

TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Circle(Profile):
    """A circle, u the angle from the x' axis, for example a roller or an eccentric."""

    radius: Length
    center: Position = (0.0, 0.0)

    span: tuple[float, float] = field(default=(0.0, TURN), init=False, repr=False)
    closed: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        set_fields(self, radius=check.positive(self.radius, "the radius of a Circle"))
        set_fields(self, center=check.vector(self.center, 2, "the center of a Circle"))

    def shape(self) -> Shape:
        return Shape(CIRCLE_PROFILE, self.span, True, tuple(self.center), (self.radius,))

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
    center: Position = (0.0, 0.0)
    closed: bool = True
    span: tuple[float, float] = (0.0, TURN)
    _code: Code = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        set_fields(self, center=check.vector(self.center, 2, "the center of a Polar profile"))
        set_fields(self, closed=check.flag(self.closed, "closed of a Polar profile"), _code=Code(self.rho))
        set_fields(self, span=curve_check.span(self.span, "a Polar profile"))
        low, high = self.span
        if self.closed and abs(high - low - TURN) > 1e-9:
            raise ModelError(f"a closed Polar profile must span 2 pi, got {high - low:g} rad from {low:g} to {high:g}")
        u, rho = curve_check.sampled(self.rho, self.span, 1, "a Polar profile")
        _positive_radius(u, rho[:, 0], "a Polar profile")
        if self.closed:
            curve_check.closes(rho[0], rho[-1], rho.max(), "a Polar profile")

    def shape(self) -> Shape:
        return Shape(POLAR_PROFILE, self.span, self.closed, tuple(self.center), (), self._code())

    def _inside(self, u: Array) -> Array:
        return _polar(u, by_function(self._code(), u)[:, 0], self.center)


@dataclass(frozen=True)
class PolarTable(Profile):
    """s = center + rho(alpha) [cos alpha, sin alpha], rho the spline through (angles, radii), u = alpha.

    The angles of a closed outline cover one turn: the last point may repeat the first one turn later, or end about one
    step before it. `degree=5` makes rho''' and rho'''' continuous too.
    """

    angles: Sequence[Angle] | np.ndarray
    radii: Sequence[Length] | np.ndarray
    center: Position = (0.0, 0.0)
    closed: bool = True
    degree: int = 3
    span: tuple[float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        set_fields(self, center=check.vector(self.center, 2, "the center of a PolarTable"))
        set_fields(self, closed=check.flag(self.closed, "closed of a PolarTable"))
        angles = curve_check.columns(self.angles, 1, "the angles of a PolarTable")[:, 0]
        radii = curve_check.columns(self.radii, 1, "the radii of a PolarTable")[:, 0]
        set_fields(self, angles=tuple(angles.tolist()), radii=tuple(radii.tolist()))
        if len(angles) != len(radii):
            raise ModelError(f"a PolarTable needs one radius per angle, got {len(angles)} and {len(radii)}")
        _positive_radius(angles, radii, "a PolarTable")
        gap = _gap(angles, self.closed)
        repeats = self.closed and gap <= 1e-9
        curve_check.degree(self.degree, len(angles) - repeats, "a PolarTable")
        if repeats:
            curve_check.closes(radii[:1], radii[-1:], radii.max(), "a PolarTable")
        set_fields(self, span=self._pieces.span)
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
        return Shape(POLAR_PIECEWISE_PROFILE, self.span, self.closed, tuple(self.center), pack(self._pieces))

    def _edges(self) -> Array:
        return self._pieces.breaks

    def _inside(self, u: Array) -> Array:
        return _polar(u, evaluate(self._pieces, u)[:, 0], self.center)


@dataclass(frozen=True)
class Curve(FunctionCurve, Profile):
    """s = f(u) = (x, y), a Python function of the parameter u over `span`; its derivatives are exact.

    A closed curve must end where it begins and run counterclockwise; a clockwise one is rejected.
    """

    def shape(self) -> Shape:
        return Shape(CURVE_PROFILE, self.span, self.closed, parameters=(0, 1), function=self._code())

    def _check_direction(self, points: Array) -> None:
        if _turning(points, "a Curve") < 0:
            raise ModelError("a closed Curve must run counterclockwise, this one runs clockwise: replace u by -u")


@dataclass(frozen=True, init=False)
class CurveThrough(PointsCurve, Profile):
    """The parametric spline through points, u the length along the chords between them.

    A closed curve may repeat its first point at the end, or end about one chord before it. Clockwise points are
    reversed; the first one stays first.
    """

    def shape(self) -> Shape:
        return Shape(CURVE_PIECEWISE_PROFILE, self.span, self.closed, parameters=pack(self._pieces))

    def _directed(self, points: Array) -> Array:
        return np.vstack([points[:1], points[:0:-1]]) if _turning(points, "a CurveThrough") < 0 else points


def _polar(a: Array, rho: Array, center: Position) -> Array:
    """s and three derivatives, shape (4, 2, n), from rho and its derivatives, shape (4, n)."""
    r0, r1, r2, r3 = rho
    radial = np.array([r0, r1, r2 - r0, r3 - 3.0 * r1])
    across = np.array([np.zeros_like(r0), r0, 2.0 * r1, 3.0 * r2 - r0])
    c, s = np.cos(a), np.sin(a)
    result = np.stack([radial * c - across * s, radial * s + across * c], axis=1)
    result[0] += np.array(center)[:, None]
    return result


def _positive_radius(angles: Array, radii: Array, what: str) -> None:
    i = int(np.argmin(radii))
    if radii[i] <= 0.0:
        raise ModelError(f"the radius of {what} must be positive everywhere, at {angles[i]:g} rad it is {radii[i]:g}")


def _gap(angles: Array, closed: bool) -> float:
    """The gap that increasing angles leave in one turn."""
    steps = np.diff(angles)
    if (steps <= 0.0).any():
        i = int(np.argmax(steps <= 0.0))
        raise ModelError(f"the angles of a PolarTable must increase, got {angles[i]:g} before {angles[i + 1]:g} rad")
    reach = angles[-1] - angles[0]
    if reach > TURN + 1e-9:
        raise ModelError(
            f"the angles of a PolarTable span {reach:g} rad, more than a turn; convert degrees with numpy.radians"
        )
    if closed and TURN - reach > 3.0 * steps.max(initial=0.0):
        raise ModelError(f"a closed PolarTable must cover 2 pi, its angles leave a gap of {TURN - reach:g} rad")
    return TURN - reach


def _turning(points: Array, what: str) -> int:
    """+1 for a closed polygon that runs around once counterclockwise, -1 clockwise; others intersect themselves."""
    edges = np.roll(points, -1, axis=0) - points
    directions = edges[np.hypot(edges[:, 0], edges[:, 1]) > 0.0] @ np.array([1.0, 1.0j])
    turns = round(float(np.sum(np.angle(np.roll(directions, -1) / directions))) / TURN)
    if abs(turns) != 1:
        raise ModelError(
            f"a closed outline must go around once, but {what} goes around {turns} times: it crosses itself"
        )
    return turns
