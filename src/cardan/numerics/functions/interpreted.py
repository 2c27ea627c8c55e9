"""User functions run by the interpreter: on jets of Python numbers, or by differences.

Each runner has the signature of a compiled user function, `status = run(z, zdot, out)`, on sequences of floats. They
serve when compilation is switched off, for functions that cannot be compiled, and where the user asks for
differences.
"""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.numerics.autodiff.elementary import BINARY, UNARY
from cardan.numerics.autodiff.jet import PREDICATES, PyJet, apply, variable
from cardan.numerics.functions.fingerprint import holds_python, plain, rebuilt

RETURNED, RETURNED_NOT_FINITE, RAISED = 0, 1, 2

Runner = Callable[[Sequence[float], Sequence[float], Any], int]


def take_interrupt() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed while compiled code called the interpreter.

    There it cannot be raised: the function fails instead, and who called the compiled code asks here.
    """
    global _pressed
    if _pressed:
        _pressed = False
        raise KeyboardInterrupt


_pressed = False  # whether Ctrl-C was pressed in a function called by compiled code


def _failed(error: BaseException) -> int:
    """The status of a function that raised `error`."""
    global _pressed
    _pressed = _pressed or isinstance(error, KeyboardInterrupt)
    return RAISED


def jet_runner(function: Callable[..., Any], arguments: int, parameters: int, outputs: int) -> Runner:
    """Exact derivatives by running `function` on jets."""
    twin = on_jets(function)

    def run(z: Sequence[float], zdot: Sequence[float], out: Any) -> int:
        try:
            jets = [variable(float(z[i]), float(zdot[i]), i, arguments) for i in range(arguments)]
            results = as_outputs(twin(*jets, *(float(z[arguments + k]) for k in range(parameters))), outputs)
        except ArithmeticError:  # compiled code computes on with infinity
            return RETURNED_NOT_FINITE
        except BaseException as error:
            return _failed(error)
        return store(results, arguments, out)

    return run


def difference_runner(function: Callable[..., Any], arguments: int, parameters: int, outputs: int) -> Runner:
    """Derivatives by central differences of values: good to about 1e-10 (d, g), 1e-7 (c) and 1e-5 (e), relative."""

    def values(z: list[float]) -> list[float]:
        return [float(y) for y in as_outputs(function(*z), outputs)]

    def run(z: Sequence[float], zdot: Sequence[float], out: Any) -> int:
        x = [float(z[i]) for i in range(arguments + parameters)]
        rates = [float(zdot[i]) for i in range(arguments)] + [0.0] * parameters
        try:
            results = _differences(values, x, rates, arguments)
        except ArithmeticError:
            return RETURNED_NOT_FINITE
        except BaseException as error:
            return _failed(error)
        return store(results, arguments, out)

    return run


def plain_runner(function: Callable[..., Any], arguments: int, parameters: int, outputs: int) -> Runner:
    """Values alone."""

    given = arguments + parameters

    def run(z: Sequence[float], zdot: Sequence[float], out: Any) -> int:
        try:
            result = function(*map(float, z[:given]))
            results = [result] if outputs == 1 and type(result) is float else as_outputs(result, outputs)
        except ArithmeticError:
            return RETURNED_NOT_FINITE
        except BaseException as error:
            run.raised = error  # type: ignore[attr-defined]
            return _failed(error)
        run.raised = None  # type: ignore[attr-defined]
        status = RETURNED
        for k, number in enumerate(results):
            out[k] = value = float(number)
            if not math.isfinite(value):
                status = RETURNED_NOT_FINITE
        return status

    run.raised = None  # type: ignore[attr-defined]
    return run


def store(results: Sequence[Any], arguments: int, out: Any) -> int:
    """Write v, d, c, e, g of each output; the status is RETURNED if all but e are finite."""
    status, place = RETURNED, 0
    for y in results:
        y = y if isinstance(y, PyJet) else PyJet(float(y), g=(0.0,) * arguments)
        for k, number in enumerate((y.v, y.d, y.c, y.e, *y.g)):
            out[place + k] = number
            if k != 3 and not math.isfinite(number):
                status = RETURNED_NOT_FINITE
        place += 4 + arguments
    return status


def as_outputs(result: Any, outputs: int) -> list[Any]:
    """The numbers that a function returned; TypeError if they are not as many numbers as were announced."""
    if isinstance(result, np.ndarray):
        result = result.tolist()  # an array without axes gives its one element
    numbers = [result] if outputs == 1 and not isinstance(result, (tuple, list)) else list(result)
    for number in numbers:
        if not isinstance(number, PyJet):
            float(number)
    if len(numbers) != outputs:
        raise TypeError(f"{len(numbers)} results where {outputs} were announced")
    return numbers


def on_jets(value: Any, names: frozenset[str] = frozenset(), done: dict[int, Any] | None = None) -> Any:
    """The same function with everything it names taught to accept jets (`math.sin` alone rejects them)."""
    value = plain(value)
    if done is None:
        done = {}
        if isinstance(vars(type(value)).get("__call__"), types.FunctionType):  # an object that can be called
            value = value.__call__
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, types.FunctionType):
        return rebuilt(
            value, lambda v, n: on_jets(v, n, done), value.__module__, lambda copy: done.update({id(value): copy})
        )
    if isinstance(value, types.MethodType):
        return types.MethodType(on_jets(value.__func__, names, done), value.__self__)
    if isinstance(value, functools.partial):
        return functools.partial(on_jets(value.func, names, done), *value.args, **value.keywords)
    if isinstance(value, types.ModuleType) and (value is math or holds_python(value)):
        return types.SimpleNamespace(**{n: on_jets(v, names, done) for n, v in vars(value).items() if n in names})
    return _ACCEPTING.get(id(value), value)


def _accepting(original: Callable[..., Any], on_jet: Callable[..., Any]) -> Callable[..., Any]:
    def on_numbers_or_jets(*arguments: Any) -> Any:
        return (on_jet if any(isinstance(x, PyJet) for x in arguments) else original)(*arguments)

    return on_numbers_or_jets


_ACCEPTING: dict[int, Any] = {
    id(original): _accepting(original, functools.partial(apply, name))
    for table in (UNARY, BINARY)
    for name, (_, originals) in table.items()
    for original in originals
    if original.__class__ is types.BuiltinFunctionType and original is not abs
}
for _question in (math.isnan, math.isfinite):
    _ACCEPTING[id(_question)] = _accepting(_question, PREDICATES[_question])
_ACCEPTING[id(float)] = _accepting(float, lambda x: x)


def _differences(values: Callable[[list[float]], list[float]], x: list[float], rates: list[float], n: int) -> list:
    def along(direction: list[float], step: float) -> list[float]:
        return values([a + step * b for a, b in zip(x, direction, strict=True)])

    def first(direction: list[float], h: float) -> list[float]:
        ahead, behind = along(direction, h), along(direction, -h)
        far, back = along(direction, 2 * h), along(direction, -2 * h)
        return [(8 * (p - q) - (r - s)) / (12 * h) for p, q, r, s in zip(ahead, behind, far, back, strict=True)]

    def step(order: int, direction: list[float]) -> float:
        # Rounding eps/h^order against the error h^2 (h^4 for the first derivative) of the formula.
        size = max((abs(b) / (1.0 + abs(a)) for a, b in zip(x, direction, strict=True)), default=0.0)
        return {1: 8e-4, 2: 1.2e-4, 3: 7e-4}[order] / (size or 1.0)

    value = values(x)
    gradient = [first(axis, step(1, axis)) for axis in ([float(i == k) for i in range(len(x))] for k in range(n))]
    d = first(rates, step(1, rates))
    h, k = step(2, rates), step(3, rates)
    c = [(p - 2 * q + r) / h**2 for p, q, r in zip(along(rates, h), value, along(rates, -h), strict=True)]
    ahead, behind, far, back = along(rates, k), along(rates, -k), along(rates, 2 * k), along(rates, -2 * k)
    e = [((r - s) - 2 * (p - q)) / (2 * k**3) for p, q, r, s in zip(ahead, behind, far, back, strict=True)]
    return [PyJet(value[o], d[o], c[o], e[o], tuple(g[o] for g in gradient)) for o in range(len(value))]
