"""Piecewise polynomials: splines through points, and the kernel that evaluates them.

          c_i0 + c_i1 s + ... + c_in s^n,   s = (x - x_i) / (x_i+1 - x_i)          on segment i

     |--------o-------o-----------o------|
    x_0      x_1     x_2         x_3    x_4     breaks

The local variable s runs from 0 to 1 on every segment, which makes end values exact. Cubic splines
have two continuous derivatives, quintic ones four (de Boor, A Practical Guide to Splines). They overshoot their
points at abrupt changes; `level_spline` does not. Outside its span a curve is repeated (`PERIODIC`),
continued along its end tangent (`TANGENT`), or reported (`REFUSED`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.numerics.compiled.jit import kernel

TANGENT, PERIODIC, REFUSED = 0, 1, 2
OUTSIDE = 101  # status: the argument is outside the span of the curve
NOT_FINITE = 102  # status: a value or derivative is infinite or NaN
ENDS = ("natural", "clamped", "periodic", "not-a-knot")
_HEADER = 4  # packed form: number of segments, degree, number of outputs, rule outside, breaks, coefficients
_WORST = 1e12  # largest condition number of conditions that determine a spline
_ROUNDING = 1e-12  # relative to the span: a grid that ends at the last break may miss it by rounding


class Pieces(NamedTuple):
    """`breaks[m + 1]` and `coefficients[m, outputs, degree + 1]` in ascending powers of the local variable."""

    breaks: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    outside: int = TANGENT

    @property
    def span(self) -> tuple[float, float]:
        return float(self.breaks[0]), float(self.breaks[-1])


def spline(
    x: ArrayLike, y: ArrayLike, degree: int = 3, end: str = "natural", rates: tuple[float, float] = (0.0, 0.0)
) -> Pieces:
    """The interpolating spline of degree 3, or 5 with `end` periodic or not-a-knot, through (x_i, y_i).

    `y` has one row per x, and one column per output if it has two dimensions. A periodic spline has equal first and
    last rows. `rates` are the slopes at both ends of a clamped spline.
    """
    from scipy.interpolate import CubicSpline, make_interp_spline  # only models with splines need SciPy

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    y = y.reshape(len(x), -1)
    outside = PERIODIC if end == "periodic" else TANGENT
    if end == "periodic":
        y = np.vstack([y[:-1], y[:1]])  # bitwise equal: both ends are the same point
    if degree == 3:
        slopes = [(1, np.full(y.shape[1], rate)) for rate in rates]
        curve = CubicSpline(x, y, bc_type=slopes if end == "clamped" else end)
        breaks = x
    else:
        curve = make_interp_spline(x, y, k=degree, bc_type="periodic" if end == "periodic" else None)
        knots = np.unique(curve.t)
        breaks = knots[(knots >= x[0]) & (knots <= x[-1])]
    return Pieces(breaks, _taylor(curve, breaks, degree), outside)


def level_spline(x: ArrayLike, y: ArrayLike, level_ends: bool = False) -> Pieces:
    r"""The curve through (x_i, y_i) that rises and falls where they do and is constant between equal values.

    Quintic pieces with two continuous derivatives, the second of which is zero at all points. Slopes are the harmonic
    mean of those on both sides, zero at an extremum (Fritsch and Butland 1984), and at most twice the smaller one: then

        dp/ds = a H_0(s) + b H_1(s) + 30 (1 - (a + b) / 2) s^2 (1 - s)^2 >= 0          for end slopes a, b in [0, 2],

    with the cubic Hermite polynomials H, since it is linear in a and b and nonnegative at the four corners. At its ends
    the curve has the slope toward the next point, or zero slope with `level_ends`.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    width = np.diff(x)
    steep = np.diff(y) / width
    slopes = np.concatenate([steep[:1], np.zeros(len(x) - 2), steep[-1:]])
    before, after = steep[:-1], steep[1:]
    same = before * after > 0.0
    left, right = (2.0 * width[1:] + width[:-1])[same], (width[1:] + 2.0 * width[:-1])[same]
    mean = (left + right) / (left / before[same] + right / after[same])
    least = 2.0 * np.minimum(np.abs(before[same]), np.abs(after[same]))
    slopes[1:-1][same] = np.clip(mean, -least, least)
    if level_ends:
        slopes[[0, -1]] = 0.0
    return hermite(x, np.stack([y, slopes, np.zeros(len(x))], axis=1))


def hermite(x: ArrayLike, jets: ArrayLike) -> Pieces:
    """Quintic pieces with given value, slope and second derivative at each x."""
    x, jets = np.asarray(x, dtype=float), np.asarray(jets, dtype=float)
    width = np.diff(x)
    first, second = jets[:-1] * width[:, None] ** np.arange(3), jets[1:] * width[:, None] ** np.arange(3)
    low = first * (1.0, 1.0, 0.5)
    rise = second[:, 0] - low.sum(axis=1)
    slope, bend = second[:, 1] - first[:, 1] - first[:, 2], second[:, 2] - first[:, 2]
    cubic = 10.0 * rise - 4.0 * slope + 0.5 * bend
    quartic = -15.0 * rise + 7.0 * slope - bend
    quintic = 6.0 * rise - 3.0 * slope + 0.5 * bend
    return Pieces(x, np.column_stack([low, cubic, quartic, quintic])[:, None, :])


def through_conditions(conditions: Sequence[tuple[float, int, float]], degree: int) -> Pieces | None:
    """The spline with given derivatives: conditions (x, order, value), sorted by x. None if they do not determine it.

    It has as many B-splines as conditions, and knots at means of `degree` successive x (de Boor, chapter XIII); with
    degree + 1 conditions it is one polynomial.
    """
    from scipy.interpolate import BSpline

    places = np.array([x for x, _, _ in conditions])
    low, width = places[0], places[-1] - places[0]
    sites, count = (places - low) / width, len(conditions)
    inner = [sites[j + 1 : j + 1 + degree].mean() for j in range(count - degree - 1)]
    knots = np.array([0.0] * (degree + 1) + inner + [1.0] * (degree + 1))
    basis = BSpline(knots, np.eye(count), degree)
    highest = max(order for _, order, _ in conditions)
    if highest > degree:
        return None
    slopes = [basis.derivative(k) if k else basis for k in range(highest + 1)]
    rows = np.array([slopes[order](s) for s, (_, order, _) in zip(sites, conditions, strict=True)])
    wanted = np.array([value * width**order for _, order, value in conditions])
    sizes = np.abs(rows).max(axis=1)
    if not sizes.all() or np.linalg.cond(rows / sizes[:, None]) > _WORST:
        return None
    curve = BSpline(knots, np.linalg.solve(rows / sizes[:, None], wanted / sizes)[:, None], degree)
    breaks = np.unique(knots)
    return Pieces(low + width * breaks, _taylor(curve, breaks, degree))


def evaluate(pieces: Pieces, x: ArrayLike) -> NDArray[np.float64]:
    """Value and three derivatives of each output, shape (4, outputs, *x.shape): the NumPy version of `piecewise`."""
    x = np.asarray(x, dtype=float)
    breaks, coefficients = pieces.breaks, pieces.coefficients
    inside = _reduce(pieces, x)
    i = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
    width = breaks[i + 1] - breaks[i]
    s = (inside - breaks[i]) / width
    result = np.zeros((4, coefficients.shape[1], *x.shape))
    for order, factor in enumerate((1.0, 1.0, 2.0, 6.0)):
        for power in range(coefficients.shape[2] - 1, order - 1, -1):
            result[order] = result[order] * s + math.comb(power, order) * np.moveaxis(coefficients[i, :, power], -1, 0)
        result[order] *= factor / width**order
    if pieces.outside != PERIODIC:
        result[0] += result[1] * (x - inside)
        result[2:] = np.where(x == inside, result[2:], 0.0)
    return result


def pack(pieces: Pieces) -> tuple[float, ...]:
    """The curve as one row of numbers, the input of `piecewise`."""
    segments, outputs, terms = pieces.coefficients.shape
    header = (segments, terms - 1, outputs, pieces.outside)
    return (*map(float, header), *pieces.breaks.tolist(), *pieces.coefficients.ravel().tolist())


def unpack(packed: tuple[float, ...]) -> Pieces:
    """The curve packed in such a row; more numbers may follow."""
    segments, degree, outputs, outside = map(int, packed[:_HEADER])
    first = _HEADER + segments + 1
    numbers = packed[first : first + segments * outputs * (degree + 1)]
    table = np.array(numbers).reshape(segments, outputs, degree + 1)
    return Pieces(np.array(packed[_HEADER:first]), table, outside)


@kernel
def piecewise(data, start, x, out, at):
    """Write value and three derivatives of each output of the curve packed at `start` to out[at:]; return a status."""
    segments = int(data[start])
    degree = int(data[start + 1])
    outputs = int(data[start + 2])
    rule = int(data[start + 3])
    first = start + _HEADER
    low, high = data[first], data[first + segments]
    inside = x
    if rule == PERIODIC:
        inside = wrap(x, low, high)
    elif x < low or x > high:
        inside = min(max(x, low), high)
        if rule == REFUSED and abs(x - inside) > _ROUNDING * (high - low):
            return OUTSIDE
    i = _segment(data, first, segments, inside)
    width = data[first + i + 1] - data[first + i]
    s = (inside - data[first + i]) / width
    row = first + segments + 1 + i * outputs * (degree + 1)
    for j in range(outputs):
        k = at + 4 * j
        _horner(data, row + j * (degree + 1), degree, s, 1.0 / width, out, k)
        if inside != x and rule != PERIODIC:
            out[k] += out[k + 1] * (x - inside)
            out[k + 2] = 0.0
            out[k + 3] = 0.0
    return 0


@kernel
def wrap(x, low, high):
    """x shifted by whole periods into [low, high]; unchanged if it is inside."""
    if x >= low and x < high:
        return x
    return min(max(x - (high - low) * np.floor((x - low) / (high - low)), low), high)


@kernel(internal=True)
def _segment(data, first, segments, x):
    """The last segment whose left break is at most x, by bisection."""
    low, high = 0, segments
    while high - low > 1:
        middle = (low + high) // 2
        if data[first + middle] <= x:
            low = middle
        else:
            high = middle
    return low


@kernel(internal=True)
def _horner(data, row, degree, s, scale, out, at):
    """Value and three derivatives by repeated synthetic division; `scale` is ds/dx."""
    v, d, c, e = 0.0, 0.0, 0.0, 0.0
    for k in range(degree, -1, -1):
        e = e * s + c
        c = c * s + d
        d = d * s + v
        v = v * s + data[row + k]
    out[at] = v
    out[at + 1] = d * scale
    out[at + 2] = 2.0 * c * scale * scale
    out[at + 3] = 6.0 * e * scale * scale * scale


def _taylor(curve, breaks: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Coefficients on each segment from the derivatives at its left break."""
    width = np.diff(breaks)[:, None]
    columns = [curve(breaks[:-1], nu=k) * width**k / math.factorial(k) for k in range(degree + 1)]
    return np.ascontiguousarray(np.stack(columns, axis=-1))


def _reduce(pieces: Pieces, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """x shifted into the span of the curve."""
    low, high = pieces.span
    if pieces.outside == PERIODIC:
        moved = x - (high - low) * np.floor((x - low) / (high - low))
        return np.where((x >= low) & (x < high), x, np.clip(moved, low, high))
    return np.clip(x, low, high)
