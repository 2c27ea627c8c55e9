"""Coordinates with inertia that are not those of bodies: water in a tank, modes of a structure, circuits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.elements.control.linear import equations
from cardan.elements.control.signals import SignalLike, as_signals
from cardan.elements.control.source import Block
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.function_code import function_name
from cardan.model.device import State

SINGULAR_MASS = 1e-12  # of its largest singular value: an M with a smaller one cannot be solved for accelerations


@dataclass(frozen=True, eq=False)
class SecondOrder(Block):
    """M q'' + D q' + K q = B u + f(u, q, q'), with q(0) = start and q'(0) = start_rate.

    `inputs` is a signal or a list of signals u. M, D and K are matrices, or numbers for one coordinate; D and K are
    zero by default, and B is the identity. `force` is a function of all inputs, coordinates and rates that returns one
    number for each coordinate; it is compiled. Outputs are the coordinates "q1", "q2", ... and the rates "v1", "v2",
    ...; `scales` are the units of the coordinates in error control. First-order equations are a `StateSpace` or a
    user-defined `controller`.

    An absorber of 0.2 kg on a cart, and the force by which it acts on it:

    >>> from cardan import linearize
    >>> from cardan.planar import Actuator, Body, Model, SecondOrder, Translational
    >>> model = Model("absorber")
    >>> cart = model.add(Body(mass=2.0), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> absorber = model.add(SecondOrder(guide.travel, M=0.2, K=5.0, B=5.0), name="absorber")
    >>> pull = model.add(Actuator(guide.travel, 5.0 * (absorber["q1"] - guide.travel)), name="pull")
    >>> float(abs(linearize(model).eigenvalues()).max().round(6))       # sqrt(k / m + k / M)
    5.244044
    """

    inputs: SignalLike | Sequence[SignalLike]
    M: ArrayLike
    D: ArrayLike | None = None
    K: ArrayLike | None = None
    B: ArrayLike | None = None
    force: Callable[..., float | Sequence[float]] | None = None
    start: Sequence[float] | None = None
    start_rate: Sequence[float] | None = None
    scales: Sequence[float] | None = None

    def __post_init__(self) -> None:
        signals = as_signals(self.inputs, "a SecondOrder")
        M = _matrix(self.M, "M")
        n, m = M.shape[0], len(signals)
        D, K = (np.zeros((n, n)) if value is None else _matrix(value, name) for value, name in self._stated())
        if self.B is None and self.force is None and m != n:
            raise ModelError(
                f"a SecondOrder with {n} coordinates and {m} inputs needs B=, with {n} rows and {m} columns, or force="
            )
        B = (np.eye(n) if self.force is None else np.zeros((n, m))) if self.B is None else _matrix(self.B, "B")
        for name, matrix, shape in (("M", M, (n, n)), ("D", D, (n, n)), ("K", K, (n, n)), ("B", B, (n, m))):
            if matrix.shape != shape:
                raise ModelError(
                    f"{name} of a SecondOrder must have {shape[0]} rows and {shape[1]} columns, got {matrix.tolist()}"
                )
        sizes = np.linalg.svd(M, compute_uv=False)
        if sizes[-1] <= SINGULAR_MASS * sizes[0]:
            raise ModelError(
                f"M of a SecondOrder is singular, got {M.tolist()}: coordinates without inertia are states of a "
                "StateSpace or a controller"
            )
        starts = [_vector(self.start, n, "start"), _vector(self.start_rate, n, "start_rate")]
        scales = [1.0] * n if self.scales is None else _vector(self.scales, n, "scales")
        letters = [(letter, k) for letter in "qv" for k in range(n)]
        states = tuple(
            State(f"{letter}{k + 1}", starts[letter == "v"][k], check.positive(scales[k], "a scale of a SecondOrder"))
            for letter, k in letters
        )
        zero, one = np.zeros((n, n)), np.eye(n)
        motion = np.block([np.linalg.solve(M, B), -np.linalg.solve(M, K), -np.linalg.solve(M, D)])
        shown = np.block([[np.zeros((2 * n, m)), np.eye(2 * n)], [np.zeros((n, m)), zero, one]])
        function, numbers = equations(np.vstack([shown, motion]), m)
        if self.force is not None:
            check.function(self.force, m + 2 * n, f"the force {function_name(self.force)} of a SecondOrder")
            function, more = _with_force(function, self.force, (m, n, len(numbers)), np.linalg.inv(M))
            numbers = (*numbers, *more)
        self._make(function, signals, numbers, states, tuple(state.name for state in states))

    def names(self) -> tuple[str, ...]:
        return self.device.outputs  # which are the states

    def check(self) -> None:
        self.device.code(self.device.parameters, self.device.name)

    def _stated(self) -> tuple[tuple[Any, str], ...]:
        return (self.D, "D"), (self.K, "K")


def _with_force(linear: Any, force: Any, sizes: tuple[int, int, int], inverse: np.ndarray) -> tuple[Any, list[float]]:
    """The function with M^-1 f added to the last n results, and the further numbers that it takes."""
    m, n, count = sizes
    given = [*(f"u{k}" for k in range(m)), *(f"q{k}" for k in range(n)), *(f"v{k}" for k in range(n))]
    numbers, inverses = [f"c{k}" for k in range(count)], [f"i{k}" for k in range(n * n)]
    results, forces = [f"r{k}" for k in range(4 * n)], [f"f{k}" for k in range(n)]
    added = [" + ".join(f"i{n * row + k} * f{k}" for k in range(n)) for row in range(n)]
    told = [*results[: 3 * n], *(f"{results[3 * n + k]} + {added[k]}" for k in range(n))]
    scope: dict[str, Any] = {"linear": linear, "force": force}
    exec(
        f"def second_order({', '.join([*given, *numbers, *inverses])}):\n"
        f"    {', '.join(results)} = linear({', '.join([*given, *numbers])})\n"
        f"    {', '.join(forces)} = force({', '.join(given)})\n"
        f"    return {', '.join(told)}\n",
        scope,
    )
    return scope["second_order"], inverse.ravel().tolist()


def _matrix(value: object, name: str) -> np.ndarray:
    try:
        matrix = np.atleast_2d(np.asarray(value, float))
    except (TypeError, ValueError):
        raise ModelError(
            f"{name} of a SecondOrder must be a matrix of numbers, got {check.short_repr(value)}"
        ) from None
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ModelError(f"{name} of a SecondOrder must be a matrix of finite numbers, got {check.short_repr(value)}")
    return matrix


def _vector(value: object, size: int, name: str) -> tuple[float, ...]:
    if value is None:
        return (0.0,) * size
    return check.vector([value] if isinstance(value, int | float) else value, size, f"{name} of a SecondOrder")
