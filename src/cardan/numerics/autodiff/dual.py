"""Dual numbers: values that carry their derivatives along many directions at once through a kernel run as plain Python.

    x = v + sum_k d_k eps_k,   eps_j eps_k = 0            hence f(x) = f(v) + f'(v) sum_k d_k eps_k

`on_duals(kernel)` returns a copy of the kernel in which every function it calls accepts them: the formulas that run in
simulations are differentiated exactly and written only once. The rules for elementary functions are in
`elementary.py`. Plain numbers are constants.
"""

from __future__ import annotations

import functools
import math
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.numerics.autodiff.elementary import BINARY, UNARY
from cardan.numerics.compiled import indirect as far
from cardan.numerics.functions.fingerprint import plain, rebuilt
from cardan.numerics.functions.function import call_address, value_and_slopes


class Dual:
    """A value v and the array d of its derivatives, one per direction."""

    __slots__ = ("v", "d")
    __hash__ = None  # type: ignore[assignment]  # equality is of values, which are not identities
    __array_ufunc__ = None  # NumPy scalars defer to the methods below

    def __init__(self, v: float, d: np.ndarray) -> None:
        self.v, self.d = v, d

    def __repr__(self) -> str:
        return f"Dual({self.v}, {self.d})"

    def __add__(self, y):
        return Dual(self.v + y.v, self.d + y.d) if y.__class__ is Dual else Dual(self.v + y, self.d)

    __radd__ = __add__

    def __sub__(self, y):
        return Dual(self.v - y.v, self.d - y.d) if y.__class__ is Dual else Dual(self.v - y, self.d)

    def __rsub__(self, y):
        return Dual(y - self.v, -self.d)

    def __mul__(self, y):
        if y.__class__ is Dual:
            return Dual(self.v * y.v, self.d * y.v + self.v * y.d)
        return Dual(self.v * y, self.d * y) if y != 0.0 else 0.0

    __rmul__ = __mul__

    def __truediv__(self, y):
        if y.__class__ is Dual:
            q = self.v / y.v
            return Dual(q, (self.d - q * y.d) / y.v)
        return Dual(self.v / y, self.d / y)

    def __rtruediv__(self, y):
        q = y / self.v
        return Dual(q, (-q / self.v) * self.d)

    def __pow__(self, p):
        if isinstance(p, int) and p > 0:
            return functools.reduce(operator.mul, [self] * p)
        return _apply("power", self, p)

    def __neg__(self):
        return Dual(-self.v, -self.d)

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self.v < 0.0 else self

    def __mod__(self, y):
        return _apply("remainder", self, y)

    def __lt__(self, y):
        return self.v < value(y)

    def __le__(self, y):
        return self.v <= value(y)

    def __gt__(self, y):
        return self.v > value(y)

    def __ge__(self, y):
        return self.v >= value(y)

    def __eq__(self, y):
        return self.v == value(y)

    def __ne__(self, y):
        return self.v != value(y)

    def __bool__(self):
        return self.v != 0.0

    def __int__(self):
        return int(self.v)


def value(x: Any) -> Any:
    """The number without its derivatives."""
    return x.v if x.__class__ is Dual else x


def split(table: np.ndarray, directions: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of an array of dual numbers and constants, and their derivatives along a further, last axis."""
    values = np.array([value(x) for x in table.flat], float).reshape(table.shape)
    slopes = np.zeros((*table.shape, directions))
    for place, x in zip(np.ndindex(table.shape), table.flat, strict=True):
        if x.__class__ is Dual:
            slopes[place] = x.d
    return values, slopes


def on_duals(kernel: Any, done: dict[int, Any] | None = None, names: frozenset[str] = frozenset()) -> Any:
    """The kernel as plain Python that accepts dual numbers, with all functions it calls, directly or by address."""
    done = {} if done is None else done
    kernel = plain(kernel)
    if id(kernel) in done:
        return done[id(kernel)]
    if kernel is far.call_pointer:
        return functools.partial(_call_pointer, done)
    if kernel is call_address:
        return _call_address
    if isinstance(kernel, types.FunctionType):
        return rebuilt(
            kernel,
            lambda v, n: on_duals(v, done, n),
            kernel.__module__,
            lambda copy: done.update({id(kernel): copy}),
        )
    if kernel is math or kernel is np:
        found = {n: getattr(kernel, n) for n in names if hasattr(kernel, n)}
        return types.SimpleNamespace(**{n: _ACCEPTING.get((kernel.__name__, n), f) for n, f in found.items()})
    return kernel


def _call_pointer(done: dict[int, Any], address: Any, arguments: tuple[Any, ...]) -> Any:
    """The kernel at an address, applied to dual numbers."""
    return on_duals(far.function_at(int(address)), done)(*arguments)


def _call_address(address: Any, z: Any, zdot: Any, out: Any) -> int:
    """A user function of one argument with rate 1: each derivative is the slope of the previous one.

    Jets stop at the third derivative; the fourth is a finite difference of third derivatives.
    """
    blocks = len(out) // 5
    status, results = value_and_slopes(int(address), value(z[0]), 5 * blocks)
    moves = z[0].__class__ is Dual
    fourth = _fourth(int(address), value(z[0]), 5 * blocks) if moves else results
    for k in range(5 * blocks):
        after = results[k + 1] if k % 5 < 3 else fourth[k]
        out[k] = Dual(results[k], after * z[0].d) if moves and k % 5 < 4 else results[k]
    return status


def _fourth(address: int, x: float, size: int) -> np.ndarray:
    """The slopes of all results; the slopes of third derivatives are fourth derivatives."""
    h = 1e-3 * max(1.0, abs(x))
    ahead, behind, far, back = (np.array(value_and_slopes(address, x + s, size)[1]) for s in (h, -h, 2 * h, -2 * h))
    return np.asarray((8.0 * (ahead - behind) - (far - back)) / (12.0 * h))


def _apply(name: str, *arguments: Any) -> Any:
    """An elementary function of one or two arguments."""
    rule = (UNARY if len(arguments) == 1 else BINARY)[name][0]
    try:
        numbers = rule(*(value(x) for x in arguments))
    except ZeroDivisionError:  # square root of zero: kernels branch before using it
        return 0.0
    slopes = [numbers[1 + k] * x.d for k, x in enumerate(arguments) if x.__class__ is Dual]
    return Dual(numbers[0], functools.reduce(operator.add, slopes)) if slopes else numbers[0]


def _accepting(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def on_numbers_or_duals(*arguments: Any) -> Any:
        return _apply(name, *arguments) if any(x.__class__ is Dual for x in arguments) else original(*arguments)

    return on_numbers_or_duals


_ACCEPTING: dict[tuple[str, str], Any] = {
    (module.__name__, original.__name__): _accepting(name, original)
    for table in (UNARY, BINARY)
    for name, (_, originals) in table.items()
    for original in originals
    for module in (math, np)
    if getattr(module, original.__name__, None) is original
}
_ACCEPTING["math", "isfinite"] = lambda x: math.isfinite(value(x))
_ACCEPTING["math", "isnan"] = lambda x: math.isnan(value(x))
_ACCEPTING["math", "floor"] = lambda x: math.floor(value(x))
