"""Arrays of dual numbers: one run of a kernel as plain Python differentiates it at many points at once.

    x[i] = v[i] + sum_k d[i, k] eps_k                                   see `dual` for a single point

`on_dual_arrays(kernel)` returns a copy of the kernel that accepts them. All points take the branches of the same
kernel run: where they differ, a comparison raises `Branches`, and `at_all_points` runs each part on its own.

>>> import math
>>> def larger(x):
...     return math.sqrt(x) if x > 4.0 else 2.0 * x
>>> point = lambda chosen: DualArray(np.array([9.0, 1.0])[chosen], np.ones((2, 1))[chosen])
>>> runs = at_all_points(lambda chosen: on_dual_arrays(larger)(point(chosen)), 2)
>>> [(chosen.tolist(), y.v.tolist(), y.d.round(3).tolist()) for chosen, y in runs]
[([0], [3.0], [[0.167]]), ([1], [2.0], [[2.0]])]
"""

from __future__ import annotations

import functools
import math
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cardan.numerics.autodiff.elementary import BINARY, UNARY
from cardan.numerics.compiled import indirect as far
from cardan.numerics.functions.fingerprint import plain, rebuilt


class Branches(Exception):
    """A comparison is true at some points and false at others; `true` marks where it is true."""

    def __init__(self, true: np.ndarray) -> None:
        super().__init__("points take different branches")
        self.true = true


class DualArray:
    """Values v at many points and their derivatives d, one row per point; None for constants."""

    __slots__ = ("v", "d")
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy numbers defer to the methods below

    def __init__(self, v: np.ndarray, d: np.ndarray | None = None) -> None:
        self.v, self.d = v, d

    def __add__(self, y):
        v, d = _parts(y)
        return DualArray(self.v + v, _sum(self.d, d))

    __radd__ = __add__

    def __sub__(self, y):
        v, d = _parts(y)
        return DualArray(self.v - v, _sum(self.d, None if d is None else -d))

    def __rsub__(self, y):
        return DualArray(y - self.v, None if self.d is None else -self.d)

    def __mul__(self, y):
        if y.__class__ is not DualArray:
            return DualArray(self.v * y, None if self.d is None else self.d * y) if y != 0.0 else 0.0
        return DualArray(self.v * y.v, _sum(_times(y.v, self.d), _times(self.v, y.d)))

    __rmul__ = __mul__

    def __truediv__(self, y):
        if y.__class__ is not DualArray:
            return DualArray(self.v / y, None if self.d is None else self.d / y)
        q = self.v / y.v
        return DualArray(q, _times(1.0 / y.v, _sum(self.d, _times(-q, y.d))))

    def __rtruediv__(self, y):
        q = y / self.v
        return DualArray(q, _times(-q / self.v, self.d))

    def __pow__(self, p):
        if isinstance(p, int) and p > 0:
            return functools.reduce(operator.mul, [self] * p)
        return _apply("power", self, p)

    def __neg__(self):
        return DualArray(-self.v, None if self.d is None else -self.d)

    def __abs__(self):
        return _apply("absolute", self)

    def __lt__(self, y):
        return _decided(self.v < _parts(y)[0])

    def __le__(self, y):
        return _decided(self.v <= _parts(y)[0])

    def __gt__(self, y):
        return _decided(self.v > _parts(y)[0])

    def __ge__(self, y):
        return _decided(self.v >= _parts(y)[0])

    def __eq__(self, y):
        return _decided(self.v == _parts(y)[0])

    def __ne__(self, y):
        return _decided(self.v != _parts(y)[0])


def at_all_points(run: Callable[[np.ndarray], Any], count: int) -> Iterator[tuple[np.ndarray, Any]]:
    """The results of `run`, which takes the indices of points, for parts of all points that take the same branches."""
    waiting = [np.arange(count)]
    while waiting:
        chosen = waiting.pop()
        try:
            with np.errstate(all="ignore"):  # kernels branch before using an undefined result
                found = run(chosen)
        except Branches as met:
            waiting += [chosen[~met.true], chosen[met.true]]
        else:
            yield chosen, found


def on_dual_arrays(kernel: Any, done: dict[int, Any] | None = None, names: frozenset[str] = frozenset()) -> Any:
    """The kernel as plain Python that accepts arrays of dual numbers, with all functions it calls."""
    done = {} if done is None else done
    kernel = plain(kernel)
    if id(kernel) in done:
        return done[id(kernel)]
    if kernel is far.call_pointer:
        return lambda address, arguments: on_dual_arrays(far.function_at(int(address)), done)(*arguments)
    if kernel is max or kernel is min:
        return functools.partial(_most, kernel)
    if isinstance(kernel, types.FunctionType):
        return rebuilt(
            kernel,
            lambda v, n: on_dual_arrays(v, done, n),
            kernel.__module__,
            lambda copy: done.update({id(kernel): copy}),
        )
    if kernel is math or kernel is np:
        found = {n: getattr(kernel, n) for n in names if hasattr(kernel, n)}
        return types.SimpleNamespace(**{n: _accepting(f) for n, f in found.items()})
    return kernel


def _parts(y: Any) -> tuple[Any, np.ndarray | None]:
    return (y.v, y.d) if y.__class__ is DualArray else (y, None)


def _sum(d: np.ndarray | None, e: np.ndarray | None) -> np.ndarray | None:
    return e if d is None else d if e is None else d + e


def _times(v: np.ndarray, d: np.ndarray | None) -> np.ndarray | None:
    return None if d is None else v[:, None] * d


def _decided(true: np.ndarray) -> bool:
    if true.all():
        return True
    if true.any():
        raise Branches(true)
    return False


def _most(choose: Any, x: Any, y: Any) -> Any:
    """The larger or smaller of two, at each point."""
    if x.__class__ is not DualArray and y.__class__ is not DualArray:
        return choose(x, y)
    return _apply("maximum" if choose is max else "minimum", x, y)


def _apply(name: str, *arguments: Any) -> DualArray:
    """An elementary function of one or two arguments."""
    values, slopes = zip(*(_parts(x) for x in arguments), strict=True)
    rule = (UNARY if len(arguments) == 1 else BINARY)[name][0]
    try:
        numbers = _of_arrays(rule)(*values)[: 1 + len(arguments)]
    except (TypeError, ValueError):  # a rule with branches
        numbers = np.broadcast_arrays(*np.frompyfunc(rule, len(values), len(rule(*_first(values))))(*values))
        numbers = [np.asarray(x, float) for x in numbers]
    moving = [_times(numbers[1 + k] * np.ones_like(numbers[0]), d) for k, d in enumerate(slopes)]
    return DualArray(numbers[0], functools.reduce(_sum, moving))


def _first(values: tuple[Any, ...]) -> list[Any]:
    return [np.ravel(x)[0] for x in values]


@functools.cache
def _of_arrays(rule: Any) -> Any:
    """The rule with NumPy's functions for those of `math`."""
    return rebuilt(rule, lambda v, n: _NUMPY if v is math else v, rule.__module__, lambda copy: None)


def _accepting(original: Any) -> Any:
    """A function of `math` or `numpy` that accepts arrays of dual numbers."""
    name = next((n for t in (UNARY, BINARY) for n, (_, known) in t.items() if original in known), None)
    if name is None:
        return original

    def on_numbers_or_arrays(*arguments: Any) -> Any:
        return _apply(name, *arguments) if any(x.__class__ is DualArray for x in arguments) else original(*arguments)

    return on_numbers_or_arrays


_NUMPY = types.SimpleNamespace(
    **{
        function.__name__: getattr(np, name)
        for table in (UNARY, BINARY)
        for name, (_, known) in table.items()
        for function in known
        if getattr(math, function.__name__, None) is function and hasattr(np, name)
    }
)
