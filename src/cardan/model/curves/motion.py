"""Motions: functions of time that drivers prescribe, with exact rates and accelerations.

      value                        ____________
        |                  __..--''            Step: constant, smooth rise, constant
        |_____________..--'
        +-------------------------------------- t

    from cardan.planar import Harmonic, Ramp, Step

    Ramp(10.0)                            10 t
    0.2 + Harmonic(0.05, frequency=6.0)   0.2 + 0.05 sin(6 t)
    Step(0.0, 1.5, to_value=0.3) * -1.0
    Function(lambda t: t * math.exp(-t))  any function; its derivatives are exact too

Motions are plain data, equal if their values are equal. They can be added and scaled. A number or a Python function of
time can be used wherever a motion is expected. Angles are in radians, frequencies in radians per second.
"""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.model.curves.function_code import Code, function_name
from cardan.model.dimensions import Angle, MeasureValue, MotionArgument, MotionFrequency, MotionSlope
from cardan.model.stated import Stated, set_fields
from cardan.numerics.curves.motions import FUNCTION, HARMONIC, PIECEWISE, POLYNOMIAL, Term
from cardan.numerics.curves.spline import ENDS, REFUSED, Pieces, evaluate, pack, spline

Array = NDArray[np.float64]
Derivatives = tuple[Array, Array, Array]
Breakpoints = tuple[tuple[float, float], ...]  # times, and the periods after which they repeat: inf for never
MOST_KNOTS = 2000  # steps end at the knots of a spline, unless it has more: these are close enough to be noticed

# Polynomials in s that rise from 0 to 1; at both ends two derivatives vanish for order 5, three for order 7.
_RISES = {5: (0.0, 0.0, 0.0, 10.0, -15.0, 6.0), 7: (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)}


def as_motion(value: object, what: str = "a motion") -> Motion:
    """A motion unchanged, a number as a `Constant`, a function of time as a `Function`."""
    if isinstance(value, Motion):
        return value
    if isinstance(value, Real) and not isinstance(value, bool):
        return Constant(check.number(value, what))
    if callable(value):
        return Function(value)
    raise ModelError(f"{what} must be a motion, a number or a function of time, got {check.describe(value)}")


class Motion(metaclass=Stated):
    """A scalar function of time with its rate and acceleration."""

    __array_ufunc__ = None  # NumPy numbers on the left defer to this class

    @abstractmethod
    def terms(self) -> list[Term]:
        """The terms for the compiled loop."""

    @abstractmethod
    def _evaluate(self, t: Array) -> Derivatives:
        """Value, rate and acceleration, each of the shape of t or a number."""

    @cached_property
    def plain_function(self) -> Callable[[float], float]:
        """The value as a Python function that can be compiled: user functions may call motions."""
        from cardan.model.curves.scalar_function import scalar

        return scalar(self, "a motion")

    def breakpoints(self) -> Breakpoints:
        """The times at which the motion is not smooth: steps of an integration end there."""
        return ()

    def derivatives(self, t: ArrayLike) -> Derivatives:
        """Value, rate and acceleration at a time or at an array of times."""
        times = np.asarray(t, dtype=float)
        if not np.isfinite(times).all():
            raise ModelError(
                f"a motion cannot be evaluated at a time that is not finite: {times[~np.isfinite(times)][0]}"
            )
        value, rate, acceleration = (np.broadcast_to(f, times.shape).copy()[()] for f in self._evaluate(times))
        return value, rate, acceleration

    def __call__(self, t: ArrayLike) -> Array:
        return self.derivatives(t)[0]

    def __add__(self, other: MotionLike) -> MotionSum:
        return MotionSum(_parts(self) + _parts(as_motion(other, "a term added to a motion")))

    def __radd__(self, other: MotionLike) -> MotionSum:
        return as_motion(other, "a term added to a motion") + self

    def __sub__(self, other: MotionLike) -> MotionSum:
        return self + -as_motion(other, "a term subtracted from a motion")

    def __rsub__(self, other: MotionLike) -> MotionSum:
        return as_motion(other, "a number before a motion") + -self

    def __mul__(self, factor: float) -> ScaledMotion:
        return ScaledMotion(self, factor)

    __rmul__ = __mul__

    def __neg__(self) -> ScaledMotion:
        return ScaledMotion(self, -1.0)


# type of arguments that are motions: a number is constant, a function takes the time
MotionLike: TypeAlias = Motion | float | Callable[[float], float]


@dataclass(frozen=True)
class Constant(Motion):
    """value"""

    value: MeasureValue

    def __post_init__(self) -> None:
        set_fields(self, value=check.number(self.value, "the value of a Constant"))

    def terms(self) -> list[Term]:
        return [Term(POLYNOMIAL, (1.0, self.value))]

    def _evaluate(self, t: Array) -> Derivatives:
        return _polynomial((self.value,), t)


@dataclass(frozen=True)
class Ramp(Motion):
    """start + rate t"""

    rate: MotionSlope
    start: MeasureValue = 0.0

    def __post_init__(self) -> None:
        set_fields(self, rate=check.number(self.rate, "the rate of a Ramp"))
        set_fields(self, start=check.number(self.start, "the start of a Ramp"))

    def terms(self) -> list[Term]:
        return [Term(POLYNOMIAL, (1.0, self.start, self.rate))]

    def _evaluate(self, t: Array) -> Derivatives:
        return _polynomial((self.start, self.rate), t)


@dataclass(frozen=True, init=False)
class Polynomial(Motion):
    """c0 + c1 t + c2 t^2 + ...: `Polynomial(c0, c1, c2)`"""

    coefficients: tuple[float, ...]

    def __init__(self, *coefficients: float) -> None:
        if len(coefficients) == 1 and isinstance(coefficients[0], Sequence | np.ndarray):
            raise ModelError(f"a Polynomial takes coefficients one by one, got {coefficients[0]!r}: put * before it")
        set_fields(self, coefficients=check.numbers(coefficients, "the coefficients of a Polynomial", least=1))

    def __repr__(self) -> str:
        return f"Polynomial({', '.join(map(repr, self.coefficients))})"

    def terms(self) -> list[Term]:
        return [Term(POLYNOMIAL, (1.0, *self.coefficients))]

    def _evaluate(self, t: Array) -> Derivatives:
        return _polynomial(self.coefficients, t)


@dataclass(frozen=True)
class Harmonic(Motion):
    """offset + amplitude sin(frequency t + phase), frequency in rad/s"""

    amplitude: MeasureValue
    frequency: MotionFrequency
    phase: Angle = 0.0
    offset: MeasureValue = 0.0

    def __post_init__(self) -> None:
        for name in ("amplitude", "frequency", "phase", "offset"):
            set_fields(self, **{name: check.number(getattr(self, name), f"the {name} of a Harmonic")})

    def terms(self) -> list[Term]:
        return [Term(HARMONIC, (1.0, self.amplitude, self.frequency, self.phase, self.offset))]

    def _evaluate(self, t: Array) -> Derivatives:
        a, w = self.amplitude, self.frequency
        sine, cosine = np.sin(w * t + self.phase), np.cos(w * t + self.phase)
        return self.offset + a * sine, a * w * cosine, -a * w * w * sine


@dataclass(frozen=True)
class Step(Motion):
    """A smooth step: `from_value` before `start_time`, `to_value` after `end_time`.

    Between them the value follows 10 s^3 - 15 s^4 + 6 s^5, s from 0 to 1: rate and acceleration are continuous.
    With `order=7` it is 35 s^4 - 84 s^5 + 70 s^6 - 20 s^7, and the jerk is continuous too.
    """

    start_time: MotionArgument
    end_time: MotionArgument
    from_value: MeasureValue = 0.0
    to_value: MeasureValue = 1.0
    order: int = 5

    def __post_init__(self) -> None:
        for name in ("start_time", "end_time", "from_value", "to_value"):
            set_fields(self, **{name: check.number(getattr(self, name), f"the {name} of a Step")})
        if self.end_time <= self.start_time:
            raise ModelError(f"a Step must end after it starts, got {self.start_time:g} s to {self.end_time:g} s")
        if not isinstance(self.order, int) or self.order not in _RISES:
            raise ModelError(f"the order of a Step must be 5 or 7, got {check.short_repr(self.order)}")

    def breakpoints(self) -> Breakpoints:
        return (self.start_time, math.inf), (self.end_time, math.inf)

    @property
    def _rise(self) -> Pieces:
        return Pieces(np.array([self.start_time, self.end_time]), np.array([[_RISES[self.order]]]))

    def terms(self) -> list[Term]:
        height = self.to_value - self.from_value
        return [Term(POLYNOMIAL, (1.0, self.from_value)), Term(PIECEWISE, (height, *pack(self._rise)))]

    def _evaluate(self, t: Array) -> Derivatives:
        value, rate, acceleration, _ = (self.to_value - self.from_value) * evaluate(self._rise, t)[:, 0]
        return self.from_value + value, rate, acceleration


@dataclass(frozen=True)
class Spline(Motion):
    """The cubic spline through (times, values): rate and acceleration are continuous.

    `end` is the end condition: "natural" (no acceleration at both ends), "clamped" (given rates at both ends,
    `rates=(first, last)`, zero by default), "periodic" (last value = first) or "not-a-knot" (one cubic over the first
    two and the last two intervals).

    Outside its times a periodic spline repeats; any other continues at the rate of its end, so a clamped spline with
    zero rates is constant and a natural one keeps its continuous acceleration. `outside="refuse"` stops the analysis
    there instead.
    """

    times: Sequence[MotionArgument] | np.ndarray
    values: Sequence[MeasureValue] | np.ndarray
    end: str = "natural"
    rates: Sequence[MotionSlope] | None = None
    outside: str = "extend"

    def __post_init__(self) -> None:
        set_fields(self, times=check.numbers(self.times, "the times of a Spline"))
        set_fields(self, values=check.numbers(self.values, "the values of a Spline"))
        check.choice(self.end, tuple(ENDS), "the end of a Spline")
        check.choice(self.outside, ("extend", "refuse"), "outside of a Spline")
        if self.rates is not None:
            if self.end != "clamped":
                raise ModelError(f"rates belong to a Spline with end='clamped', not to end={self.end!r}")
            set_fields(self, rates=check.vector(self.rates, 2, "the rates of a Spline"))
        _check_points(self.times, self.values, periodic=self.end == "periodic", least=_LEAST[self.end])

    @cached_property
    def _pieces(self) -> Pieces:
        first, last = self.rates or (0.0, 0.0)
        pieces = spline(self.times, self.values, 3, self.end, (first, last))
        rejects = self.outside == "refuse" and self.end != "periodic"
        return pieces._replace(outside=REFUSED) if rejects else pieces

    def breakpoints(self) -> Breakpoints:
        if len(self.times) > MOST_KNOTS:
            return ()
        period = self.times[-1] - self.times[0] if self.end == "periodic" else math.inf
        return tuple((time, period) for time in self.times)

    def terms(self) -> list[Term]:
        return [Term(PIECEWISE, (1.0, *pack(self._pieces)))]

    def _evaluate(self, t: Array) -> Derivatives:
        low, high = self._pieces.span
        slack = 1e-12 * (high - low)
        beyond = (t < low - slack) | (t > high + slack)
        if self._pieces.outside == REFUSED and beyond.any():
            time = float(t[beyond].flat[0])
            raise SimulationError(f"a Spline from {low:g} s to {high:g} s cannot be evaluated at {time:g} s", time=time)
        value, rate, acceleration, _ = evaluate(self._pieces, t)[:, 0]
        return value, rate, acceleration


@dataclass(frozen=True)
class Function(Motion):
    """Any Python function f(t) of time; rate and acceleration are computed exactly."""

    f: Callable[[float], float]
    _code: Code = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.f) or isinstance(self.f, Motion):
            raise ModelError(f"a Function takes a Python function of time, got {check.describe(self.f)}")
        try:
            inspect.signature(self.f).bind(0.0)
        except TypeError:
            name = function_name(self.f)
            raise ModelError(f"the function '{name}' of a Function must take one argument, the time") from None
        except ValueError:  # a built-in function without a signature
            pass
        set_fields(self, _code=Code(self.f))

    def __repr__(self) -> str:
        return f"Function({function_name(self.f)})"

    def terms(self) -> list[Term]:
        return [Term(FUNCTION, (1.0,), self._code())]

    def _evaluate(self, t: Array) -> Derivatives:
        function, result = self._code(), np.empty((3, t.size))
        for i, time in enumerate(t.flat):
            status, blocks = function.evaluate((float(time),))
            if status:
                given = (float(time),)
                raise SimulationError(function.failure(given), time=float(time), cause=function.raised(given))
            result[:, i] = blocks[0, :3]
        value, rate, acceleration = result.reshape(3, *t.shape)
        return value, rate, acceleration


@dataclass(frozen=True)
class MotionSum(Motion):
    """The sum of motions, `a + b`."""

    motions: tuple[Motion, ...]

    def breakpoints(self) -> Breakpoints:
        return tuple(one for motion in self.motions for one in motion.breakpoints())

    def terms(self) -> list[Term]:
        return [term for motion in self.motions for term in motion.terms()]

    def _evaluate(self, t: Array) -> Derivatives:
        columns = zip(*(motion.derivatives(t) for motion in self.motions), strict=True)
        value, rate, acceleration = (np.sum(column, axis=0) for column in columns)
        return value, rate, acceleration


@dataclass(frozen=True)
class ScaledMotion(Motion):
    """A motion times a number, `2.0 * a`."""

    motion: Motion
    factor: float

    def __post_init__(self) -> None:
        set_fields(self, factor=check.number(self.factor, "the factor of a motion"))

    def breakpoints(self) -> Breakpoints:
        return self.motion.breakpoints()

    def terms(self) -> list[Term]:
        return [term.scaled(self.factor) for term in self.motion.terms()]

    def _evaluate(self, t: Array) -> Derivatives:
        value, rate, acceleration = (self.factor * f for f in self.motion.derivatives(t))
        return value, rate, acceleration


_LEAST = {"natural": 2, "clamped": 2, "periodic": 4, "not-a-knot": 4}


def _parts(motion: Motion) -> tuple[Motion, ...]:
    return motion.motions if isinstance(motion, MotionSum) else (motion,)


def _polynomial(coefficients: Sequence[float], t: Array) -> Derivatives:
    p = np.polynomial.Polynomial(coefficients)
    return p(t), p.deriv(1)(t), p.deriv(2)(t)


def _check_points(
    times: Sequence[float] | np.ndarray, values: Sequence[float] | np.ndarray, periodic: bool, least: int
) -> None:
    if len(times) != len(values):
        raise ModelError(f"a Spline needs one value per time, got {len(times)} times and {len(values)} values")
    if len(times) < least:
        raise ModelError(f"this Spline needs at least {least} points, got {len(times)}")
    for before, after in zip(times, times[1:], strict=False):
        if after <= before:
            raise ModelError(f"the times of a Spline must increase, got {before:g} s before {after:g} s")
    gap = values[-1] - values[0]
    if periodic and abs(gap) > 1e-9 * (max(values) - min(values)):
        raise ModelError(f"the last value of a periodic Spline must equal the first, they differ by {gap:g}")
