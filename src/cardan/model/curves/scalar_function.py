"""Motions as plain Python functions of a number, for devices: coefficients over an angle, wind over time.

A device is compiled with all functions it calls. A motion becomes a function that contains its own numbers, so a
measured curve can be used like a formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import (
    Constant,
    Function,
    Harmonic,
    Motion,
    MotionSum,
    Polynomial,
    Ramp,
    ScaledMotion,
    Spline,
    Step,
)
from cardan.model.curves.motion_program import MotionProgram
from cardan.numerics.curves.spline import PERIODIC, REFUSED, Pieces

Scalar = Callable[[float], float]


def scalar(value: object, what: str) -> Scalar:
    """A number, a motion or a function of one number as a Python function that can be compiled."""
    if isinstance(value, Motion):
        return _of_motion(value, what)
    if isinstance(value, Real) and not isinstance(value, bool):
        return _polynomial((check.number(value, what),))
    if not callable(value):
        raise ModelError(f"{what} must be a number, a Spline or a function, got {check.describe(value)}")
    found: Scalar = check.function(value, 1, what)
    return found


def _of_motion(motion: Motion, what: str) -> Scalar:
    match motion:
        case Constant(value):
            return _polynomial((value,))
        case Ramp(rate, start):
            return _polynomial((start, rate))
        case Polynomial():
            return _polynomial(motion.coefficients)
        case Harmonic(amplitude, frequency, phase, offset):
            return lambda t: offset + amplitude * math.sin(frequency * t + phase)
        case Function():
            return motion.f
        case Spline():
            return piecewise_function(motion._pieces)
        case Step():
            rise = piecewise_function(motion._rise)
            low, height = motion.from_value, motion.to_value - motion.from_value
            return lambda t: low + height * rise(t)
        case MotionProgram():
            course, (offset, slope) = piecewise_function(motion.pieces), motion.drift
            return lambda t: offset + slope * t + course(t)
        case ScaledMotion(inner, factor):
            function = _of_motion(inner, what)
            return lambda t: factor * function(t)
        case MotionSum((first, *others)):
            one, other = (
                _of_motion(first, what),
                _of_motion(MotionSum(tuple(others)), what) if others else _polynomial(()),
            )
            return lambda t: one(t) + other(t)
        case _:
            raise ModelError(f"{what} cannot be a {type(motion).__name__}; use a function instead")


def _polynomial(coefficients: tuple[float, ...]) -> Scalar:
    reversed_ = np.array(coefficients[::-1], float)

    def polynomial(t):
        total = 0.0
        for c in reversed_:
            total = total * t + c
        return total

    return polynomial


def piecewise_function(pieces: Pieces) -> Scalar:
    """Comparisons select the piece: jets and dual numbers pass through, and the derivative is that of the piece."""
    breaks, coefficients, rule = pieces.breaks, np.ascontiguousarray(pieces.coefficients[:, 0, :]), pieces.outside
    low, high, periodic, rejected = float(breaks[0]), float(breaks[-1]), rule == PERIODIC, rule == REFUSED

    def piecewise(t):
        x = t - (high - low) * math.floor((t - low) / (high - low)) if periodic else min(max(t, low), high)
        if rejected and x != t:
            raise ValueError("outside the curve")
        i, last = 0, breaks.size - 1
        while last - i > 1:
            middle = (i + last) // 2
            if x >= breaks[middle]:
                i = middle
            else:
                last = middle
        width = breaks[i + 1] - breaks[i]
        s, value, slope = (x - breaks[i]) / width, 0.0, 0.0
        for k in range(coefficients.shape[1] - 1, -1, -1):
            slope = slope * s + value
            value = value * s + coefficients[i, k]
        return value if periodic else value + slope / width * (t - x)

    return piecewise
