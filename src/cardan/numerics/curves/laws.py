"""Laws of motion between two dwells: a value that rises from 0 to 1 while x runs from 0 to 1.

    a(x)   .--.                        A law is given by its acceleration, in parts that are sums of sines:
          /    \\
    -----+------+------+---> x              a = sum_k A_k sin(w_k z + p_k),     z from the start of the part,
                 \\    /
                  '--'                 and integrated in closed form, or by its polynomial.

A law is stored as pieces of a polynomial, the form in which compiled loops evaluate splines. Sines are expanded to
degree 15 on pieces of at most pi / 8, where the remainder of the value and of three derivatives is below rounding:
(pi / 8)^13 / 13! = 8e-16. The coefficients of velocity, acceleration and jerk are those of Norton, Cam Design and
Manufacturing Handbook, chapter 3, and Rothbart, Cams.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardan.numerics.curves.spline import Pieces, evaluate

Array = NDArray[np.float64]
PI = math.pi
WIDEST = PI / 8.0  # largest phase over one piece
DEGREE = 15
SAMPLES = 401  # in each part, to find extreme values; a maximum is exact to 1 / SAMPLES^4 after one refinement

Wave = tuple[float, float, float]  # amplitude, frequency and phase of a sine; a constant has frequency 0


class Part(NamedTuple):
    """A part of a law: its length, and the waves of its acceleration."""

    length: float
    waves: tuple[Wave, ...]


def _constant(value: float) -> tuple[Wave, ...]:
    return ((value, 0.0, 0.5 * PI),)


_TRAPEZOID = 8.0 * PI / (2.0 + PI)  # 4.888
_SINE = 4.0 * PI**2 / (4.0 + PI)  # 5.528
_PARTS: dict[str, tuple[Part, ...]] = {
    "cycloidal": (Part(1.0, ((2.0 * PI, 2.0 * PI, 0.0),)),),
    "harmonic": (Part(1.0, ((0.5 * PI**2, PI, 0.5 * PI),)),),
    "double-harmonic": (Part(1.0, ((0.5 * PI**2, PI, 0.5 * PI), (-0.5 * PI**2, 2.0 * PI, 0.5 * PI))),),
    "parabolic": (Part(0.5, _constant(4.0)), Part(0.5, _constant(-4.0))),
    "modified-trapezoid": (
        Part(0.125, ((_TRAPEZOID, 4.0 * PI, 0.0),)),
        Part(0.25, _constant(_TRAPEZOID)),
        Part(0.25, ((_TRAPEZOID, 4.0 * PI, 0.5 * PI),)),
        Part(0.25, _constant(-_TRAPEZOID)),
        Part(0.125, ((_TRAPEZOID, 4.0 * PI, 1.5 * PI),)),
    ),
    "modified-sine": (
        Part(0.125, ((_SINE, 4.0 * PI, 0.0),)),
        Part(0.75, ((_SINE, 4.0 * PI / 3.0, 0.5 * PI),)),
        Part(0.125, ((_SINE, 4.0 * PI, 1.5 * PI),)),
    ),
}
# in ascending powers; two derivatives vanish at both ends of the first, three at those of the second
_POLYNOMIALS = {"3-4-5": (0.0, 0.0, 0.0, 10.0, -15.0, 6.0), "4-5-6-7": (0.0,) * 4 + (35.0, -84.0, 70.0, -20.0)}
LAWS = (*_POLYNOMIALS, *_PARTS)


class LawCoefficients(NamedTuple):
    """The largest magnitudes of velocity, acceleration and jerk of a law for a unit rise over a unit of x."""

    velocity: float
    acceleration: float
    jerk: float


class Rise(NamedTuple):
    """A law as pieces over 0 to 1, and the x between which it is smooth."""

    pieces: Pieces
    edges: tuple[float, ...]


def rise(law: str, backward: bool = False) -> Rise:
    """The pieces of a law; `backward` runs it from its end, as 1 - value(1 - x)."""
    if law in _POLYNOMIALS:
        made = Rise(Pieces(np.array([0.0, 1.0]), np.array([[_POLYNOMIALS[law]]])), (0.0, 1.0))
    else:
        made = _integrated(_PARTS[law])
    return _reversed(made) if backward else made


def law_coefficients(law: str) -> LawCoefficients:
    """The coefficients of a law: for a rise h over a duration T, the peaks are C_v h / T, C_a h / T^2 and C_j h / T^3.

    A law whose acceleration jumps at an end has an infinite jerk.

    >>> [round(float(c), 3) for c in law_coefficients("cycloidal")]
    [2.0, 6.283, 39.478]
    """
    made = rise(law)
    peaks = np.zeros(4)
    for low, high in zip(made.edges, made.edges[1:], strict=False):
        x, last = np.linspace(low, high, SAMPLES), np.nextafter(high, low)
        found = np.abs(evaluate(made.pieces, np.minimum(x, last))[:, 0])
        for order, k in enumerate(found.argmax(axis=1)):
            near = np.linspace(x[max(k - 1, 0)], min(x[min(k + 1, SAMPLES - 1)], last), SAMPLES)
            peaks[order] = max(peaks[order], np.abs(evaluate(made.pieces, near)[order, 0]).max())
    ends = np.abs(evaluate(made.pieces, np.array([0.0, 1.0]))[2, 0]).max()
    jumps = ends > 1e-9 or law == "parabolic"
    return LawCoefficients(float(peaks[1]), float(peaks[2]), math.inf if jumps else float(peaks[3]))


def _integrated(parts: tuple[Part, ...]) -> Rise:
    """The pieces of an acceleration that is given in parts."""
    breaks, rows, edges = [0.0], [], [0.0]
    value = rate = 0.0
    for part in parts:
        fastest = max(w for _, w, _ in part.waves)
        count = max(1, math.ceil(fastest * part.length / WIDEST - 1e-9))
        h = part.length / count
        for k in range(count):
            row = _taylor(part.waves, k * h, h, value, rate)
            rows.append(row)
            value, rate = float(row.sum()), float((np.arange(DEGREE + 1) * row).sum() / h)
            breaks.append(edges[-1] + (k + 1) * h)
        edges.append(edges[-1] + part.length)
    breaks[-1] = edges[-1] = 1.0
    return Rise(Pieces(np.array(breaks), np.array(rows)[:, None, :]), tuple(edges))


def _taylor(waves: tuple[Wave, ...], start: float, h: float, value: float, rate: float) -> Array:
    """Coefficients in powers of the local variable of a piece of length h: value, rate, then integrals of sines."""
    row = np.zeros(DEGREE + 1)
    row[0], row[1] = value, rate * h
    for amplitude, frequency, phase in waves:
        for k in range(DEGREE - 1):  # the k-th derivative of a sine
            term = amplitude * frequency**k * math.sin(frequency * start + phase + 0.5 * PI * k)
            row[k + 2] += term * h ** (k + 2) / math.factorial(k + 2)
    return row


def _reversed(made: Rise) -> Rise:
    """1 - value(1 - x)."""
    rows = made.pieces.coefficients[::-1, 0]
    degree = rows.shape[1] - 1
    flipped = np.zeros_like(rows)
    for power in range(degree + 1):  # (1 - s)^power
        for k in range(power + 1):
            flipped[:, k] -= rows[:, power] * math.comb(power, k) * (-1) ** k
    flipped[:, 0] += 1.0
    breaks = 1.0 - made.pieces.breaks[::-1]
    return Rise(Pieces(breaks, flipped[:, None, :]), tuple(1.0 - edge for edge in reversed(made.edges)))
