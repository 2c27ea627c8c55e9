"""Linear blocks: sums, lags, integrators, transfer functions and state spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.elements.control.signals import SignalLike, as_signal, as_signals
from cardan.elements.control.source import Block, limits_of
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import State
from cardan.model.dimensions import Duration


@dataclass(frozen=True, eq=False)
class Sum(Block):
    """offset + sum_i gain_i u_i; the gains are 1 by default."""

    inputs: Sequence[SignalLike]
    gains: Sequence[float] | None = None
    offset: float = 0.0

    def __post_init__(self) -> None:
        signals = as_signals(self.inputs, "a Sum")
        gains = [1.0] * len(signals) if self.gains is None else self.gains
        numbers = check.vector(gains, len(signals), "the gains of a Sum")
        self._make(_sum, signals, (*numbers, check.number(self.offset, "the offset of a Sum")))


@dataclass(frozen=True, eq=False)
class Lag(Block):
    """A first-order lag, a low-pass filter:  tau y' + y = gain u,  y(0) = start.

    >>> from cardan.planar import Body, Lag, Model, x
    >>> model = Model("filtered")
    >>> cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
    >>> smooth = model.add(Lag(x(cart.at()), 0.05), name="smooth")
    """

    input: SignalLike
    time_constant: Duration
    gain: float = 1.0
    start: float = 0.0
    scale: float = 1.0  # unit for error control

    def __post_init__(self) -> None:
        tau = check.positive(self.time_constant, "the time constant of a Lag")
        state = State("y", check.number(self.start, "the start of a Lag"), check.positive(self.scale, "scale of a Lag"))
        numbers = check.number(self.gain, "the gain of a Lag"), tau
        self._make(_lag, (as_signal(self.input, "the input of a Lag"),), numbers, (state,))


@dataclass(frozen=True, eq=False)
class Integrator(Block):
    """y' = gain u,  y(0) = start. With `limits`, y stops there until u reverses."""

    input: SignalLike
    gain: float = 1.0
    start: float = 0.0
    limits: tuple[float, float] | None = None
    scale: float = 1.0

    def __post_init__(self) -> None:
        what = "an Integrator"
        state = State("y", check.number(self.start, f"the start of {what}"), check.positive(self.scale, "scale"))
        numbers = check.number(self.gain, f"the gain of {what}"), *limits_of(self.limits, f"the limits of {what}")
        self._make(_integrator, (as_signal(self.input, f"the input of {what}"),), numbers, (state,))


@dataclass(frozen=True, eq=False)
class StateSpace(Block):
    """x' = A x + B u,  y = C x + D u.

    `inputs` is a signal or a list of signals, D is zero by default, `start` holds the initial states, zero by default;
    `scales` are the units of the states in error control. Outputs are called y1, y2, ...
    """

    inputs: SignalLike | Sequence[SignalLike]
    A: ArrayLike
    B: ArrayLike
    C: ArrayLike
    D: ArrayLike | None = None
    start: Sequence[float] | None = None
    scales: Sequence[float] | None = None

    def __post_init__(self) -> None:
        signals = as_signals(self.inputs, "a StateSpace")
        A, B, C = (_matrix(value, name) for value, name in ((self.A, "A"), (self.B, "B"), (self.C, "C")))
        n, m, p = A.shape[0], len(signals), C.shape[0]
        D = np.zeros((p, m)) if self.D is None else _matrix(self.D, "D")
        for name, matrix, shape in (("A", A, (n, n)), ("B", B, (n, m)), ("C", C, (p, n)), ("D", D, (p, m))):
            if matrix.shape != shape:
                raise ModelError(
                    f"{name} of a StateSpace must have {shape[0]} rows and {shape[1]} columns, got {matrix}"
                )
        start = check.vector([0.0] * n if self.start is None else self.start, n, "the start of a StateSpace")
        scales = check.vector([1.0] * n if self.scales is None else self.scales, n, "the scales of a StateSpace")
        states = tuple(State(f"x{k + 1}", start[k], check.positive(scales[k], "a scale")) for k in range(n))
        function, numbers = equations(np.block([[D, C], [B, A]]), m)
        self._make(function, signals, numbers, states, tuple(f"y{k + 1}" for k in range(p)))


@dataclass(frozen=True, eq=False)
class TransferFunction(Block):
    """y = num(s)/den(s) u, coefficients of descending powers of s; the degree of num is at most that of den.

    Controllable canonical form in scaled time: with w^n = the largest |den_k / den_0|^(n/k) all states are of the order
    of the input,

        x_1' = w x_2,   ...,   x_n' = w (u - sum_k a_k x_(n+1-k)),   a_k = den_k / (den_0 w^k)

    `scale` is the unit of the input in error control.

    >>> from cardan.planar import Body, Model, TransferFunction, x
    >>> model = Model("filtered")
    >>> cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
    >>> notch = model.add(TransferFunction(x(cart.at()), [1, 0, 400], [1, 20, 400]), name="notch")
    """

    input: SignalLike
    num: Sequence[float]
    den: Sequence[float]
    scale: float = 1.0

    def __post_init__(self) -> None:
        signal = as_signal(self.input, "the input of a TransferFunction")
        num, den = (
            _polynomial(c, f"{word} of a TransferFunction") for c, word in ((self.num, "num"), (self.den, "den"))
        )
        n = den.size - 1
        if num.size > den.size:
            raise ModelError(
                f"a TransferFunction must be proper: num has degree {num.size - 1}, den has degree {n}; a derivative "
                "needs a filter, or rate(measure) as input"
            )
        a, b = den[1:] / den[0], np.concatenate([np.zeros(n + 1 - num.size), num]) / den[0]
        w = max((abs(c) ** (1.0 / k) for k, c in enumerate(a, start=1)), default=1.0) or 1.0
        powers = w ** np.arange(1.0, n + 1.0)
        A = w * np.eye(n, k=1)
        if n:
            A[-1] = -w * (a / powers)[::-1]
        B = np.zeros((n, 1))
        B[n - 1 :] = w
        C = ((b[1:] - b[0] * a) / powers)[::-1][None]
        scale = check.positive(self.scale, "the scale of a TransferFunction")
        states = tuple(State(f"x{k + 1}", 0.0, scale) for k in range(n))
        function, numbers = equations(np.block([[np.array([[b[0]]]), C], [B, A]]), 1)
        self._make(function, (signal,), numbers, states)


def equations(matrix: np.ndarray, inputs: int) -> tuple[Any, tuple[float, ...]]:
    """The function y, x' = matrix (u, x), written out without zero terms, and its numeric parameters."""
    columns = matrix.shape[1]
    names = [f"u{j}" for j in range(inputs)] + [f"x{j}" for j in range(columns - inputs)]
    lines: list[str] = []
    places: list[float] = []
    for row in matrix:
        terms = []
        for j in np.flatnonzero(row):
            terms.append(f"c{len(places)} * {names[j]}")
            places.append(float(row[j]))
        lines.append(" + ".join(terms) or "0.0")
    arguments = ", ".join([*names, *(f"c{k}" for k in range(len(places)))])
    comma = "," if len(lines) > 1 else ""
    scope: dict[str, Any] = {}
    exec(f"def state_space({arguments}):\n    return ({', '.join(lines)}{comma})\n", scope)
    return scope["state_space"], tuple(places)


def _matrix(value: object, name: str) -> np.ndarray:
    try:
        matrix = np.atleast_2d(np.asarray(value, float))
    except (TypeError, ValueError):
        raise ModelError(f"{name} of a StateSpace must be a matrix of numbers, got {check.short_repr(value)}") from None
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ModelError(f"{name} of a StateSpace must be a matrix of finite numbers, got {check.short_repr(value)}")
    return matrix


def _polynomial(value: object, what: str) -> np.ndarray:
    size = len(value) if isinstance(value, Sequence | np.ndarray) else 1
    coefficients = np.trim_zeros(np.array(check.vector(value, size, what)), "f")
    if not coefficients.size:
        raise ModelError(f"{what} must have a nonzero coefficient, got {check.short_repr(value)}")
    return coefficients


def _sum(*numbers):
    n = (len(numbers) - 1) // 2
    total = numbers[2 * n]
    for i in range(n):
        total += numbers[i] * numbers[n + i]
    return total


def _lag(u, y, gain, tau):
    return y, (gain * u - y) / tau


def _integrator(u, y, gain, low, high):
    change = gain * u
    if (y >= high and change > 0.0) or (y <= low and change < 0.0):
        change = 0.0
    return min(max(y, low), high), change
