"""Jets: numbers that carry their exact derivatives through any formula.

A quantity z of n arguments is followed along a path of the arguments, x_i(s), to third order:

    v = z      d = dz/ds      c = d2z/ds2      e = d3z/ds3      g_i = dz/dx_i

An argument itself is (x_i, x_i', 0, 0, unit vector i). So c is the second derivative along the rates alone: the
second derivative of a constraint in time is sum g_i x_i'' + c, and no Hessian is formed. With one argument of rate 1
the fields d, c, e are the ordinary f', f'', f'''. All arithmetic follows from four rules,

    sum        x + y
    product    xy:    d = x.d y + x y.d,   c = x.c y + 2 x.d y.d + x y.c,   e = x.e y + 3 x.c y.d + 3 x.d y.c + x y.e
    quotient   q = x/y from x = q y, field by field
    chain      f(x):  g = f' g,   d = f' d,   c = f' c + f'' d^2,   e = f' e + 3 f'' d c + f''' d^3

and the chain rule of two variables. The fields of a `PyJet` are Python floats, or the numbers of code that is being
compiled (`jet_type.py`), so each rule is written once. Plain numbers are constants.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from cardan.numerics.autodiff.elementary import BINARY, UNARY, Rule


class PyJet:
    """A value with its derivatives along the rates (d, c, e) and its gradient g."""

    __slots__ = ("v", "d", "c", "e", "g")
    __hash__ = None  # type: ignore[assignment]  # equality is of values, which are not identities

    def __init__(self, v: Any, d: Any = 0.0, c: Any = 0.0, e: Any = 0.0, g: tuple[Any, ...] = ()) -> None:
        self.v, self.d, self.c, self.e, self.g = v, d, c, e, g

    def __repr__(self) -> str:
        return f"PyJet(v={self.v}, d={self.d}, c={self.c}, e={self.e}, g={self.g})"

    def __add__(x, y):
        return add(x, y)

    def __sub__(x, y):
        return add(x, -y)

    def __mul__(x, y):
        return multiply(x, y)

    def __truediv__(x, y):
        return divide(x, y)

    def __pow__(x, y):
        return raise_to(x, y)

    def __mod__(x, y):
        return apply("remainder", x, y)

    def __floordiv__(x, y):
        return apply("floor_divide", x, y)

    def __radd__(x, y):
        return add(x, y)

    def __rsub__(x, y):
        return add(-x, y)

    def __rmul__(x, y):
        return multiply(x, y)

    def __rtruediv__(x, y):
        return divide(y, x)

    def __rpow__(x, y):
        return raise_to(y, x)

    def __rmod__(x, y):
        return apply("remainder", y, x)

    def __rfloordiv__(x, y):
        return apply("floor_divide", y, x)

    def __neg__(x):
        return chain(x, -x.v, -1, 0, 0)

    def __pos__(x):
        return x

    def __abs__(x):
        return apply("absolute", x)

    def __floor__(x):
        return apply("floor", x)

    def __ceil__(x):
        return apply("ceil", x)

    def __lt__(x, y):
        return x.v < value(y)

    def __le__(x, y):
        return x.v <= value(y)

    def __gt__(x, y):
        return x.v > value(y)

    def __ge__(x, y):
        return x.v >= value(y)

    def __eq__(x, y):
        return x.v == value(y)

    def __ne__(x, y):
        return x.v != value(y)

    def __bool__(x):
        return x.v != 0.0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """NumPy functions of one or two numbers; arrays are processed element by element."""
        if method != "__call__" or options.get("out") is not None:
            return NotImplemented
        if ufunc not in SCALAR:
            raise TypeError(f"numpy.{ufunc.__name__} has no derivative rule")
        if any(isinstance(x, np.ndarray) and x.ndim for x in inputs):
            return np.frompyfunc(SCALAR[ufunc], len(inputs), 1)(*map(_boxed, inputs))
        return SCALAR[ufunc](*(x.item() if isinstance(x, (np.generic, np.ndarray)) else x for x in inputs))


def variable(value: float, rate: float, index: int, count: int) -> PyJet:
    """Argument `index` of `count` as a jet."""
    return PyJet(value, rate, 0.0, 0.0, tuple(1.0 if i == index else 0.0 for i in range(count)))


def value(x: Any) -> Any:
    return x.v if isinstance(x, PyJet) else x


def apply(name: str, *arguments: Any) -> Any:
    """An elementary function, identified by its NumPy name, of jets and plain numbers."""
    table = {1: UNARY, 2: BINARY}.get(len(arguments), {})
    if name not in table:
        raise TypeError(f"'{name}' of {len(arguments)} arguments has no derivative rule")
    rule = table[name][0]
    numbers = evaluate(rule, [value(x) for x in arguments])
    jets = [x for x in arguments if isinstance(x, PyJet)]
    if not jets:
        return numbers[0]
    if len(arguments) == 1:
        return chain(arguments[0], *numbers)
    f, f_x, f_y, f_xx, _, f_yy, f_xxx, _, _, f_yyy = numbers
    if len(jets) == 2:
        return chain_of_two(*jets, numbers)
    return chain(jets[0], f, f_x, f_xx, f_xxx) if jets[0] is arguments[0] else chain(jets[0], f, f_y, f_yy, f_yyy)


def evaluate(rule: Rule, numbers: list[Any]) -> tuple[Any, ...]:
    """The values of the rule; NaN outside the domain of the function, as in compiled code."""
    for x in numbers:
        if not isinstance(x, (int, float)) and isinstance(x, Emitting):
            return x.emit_rule(rule, numbers)
    try:
        return rule(*numbers)
    except (ArithmeticError, ValueError):
        return (math.nan,) * (4 if len(numbers) == 1 else 10)


class Emitting:
    """Base class of the numbers in code being compiled, whose rules are compiled too."""

    def emit_rule(self, rule: Rule, numbers: list[Any]) -> tuple[Any, ...]:
        raise NotImplementedError


def chain(x: PyJet, f: Any, f1: Any, f2: Any, f3: Any) -> PyJet:
    d, c, e = x.d, x.c, x.e
    return PyJet(
        f,
        f1 * d,
        f1 * c + f2 * (d * d),
        f1 * e + f2 * (3 * (d * c)) + f3 * (d * d * d),
        tuple(f1 * g for g in x.g),
    )


def chain_of_two(x: PyJet, y: PyJet, numbers: tuple[Any, ...]) -> PyJet:
    f, f_x, f_y, f_xx, f_xy, f_yy, f_xxx, f_xxy, f_xyy, f_yyy = numbers
    a, b = x.d, y.d
    cubic = f_xxx * a * a * a + 3 * a * b * (f_xxy * a + f_xyy * b) + f_yyy * b * b * b
    return PyJet(
        f,
        f_x * a + f_y * b,
        f_x * x.c + f_y * y.c + f_xx * a * a + 2 * f_xy * a * b + f_yy * b * b,
        f_x * x.e + f_y * y.e + 3 * (f_xx * a * x.c + f_xy * (a * y.c + b * x.c) + f_yy * b * y.c) + cubic,
        tuple(f_x * p + f_y * q for p, q in zip(x.g, y.g, strict=True)),
    )


def add(x: Any, y: Any) -> PyJet:
    if not isinstance(y, PyJet):
        return chain(x, x.v + y, 1, 0, 0) if _number(y) else NotImplemented
    return PyJet(x.v + y.v, x.d + y.d, x.c + y.c, x.e + y.e, tuple(p + q for p, q in zip(x.g, y.g, strict=True)))


def multiply(x: Any, y: Any) -> PyJet:
    if not isinstance(y, PyJet):
        return chain(x, x.v * y, y, 0, 0) if _number(y) else NotImplemented
    return PyJet(
        x.v * y.v,
        x.d * y.v + x.v * y.d,
        x.c * y.v + 2 * (x.d * y.d) + x.v * y.c,
        x.e * y.v + 3 * (x.c * y.d + x.d * y.c) + x.v * y.e,
        tuple(p * y.v + x.v * q for p, q in zip(x.g, y.g, strict=True)),
    )


def divide(x: Any, y: Any) -> PyJet:
    if not (_number(x) and _number(y)):
        return NotImplemented
    try:
        v, r = value(x) / value(y), 1.0 / value(y)
    except ArithmeticError:
        v = r = math.nan
    if not isinstance(y, PyJet):
        return chain(x, v, r, 0, 0)
    if not isinstance(x, PyJet):
        x = PyJet(x, 0, 0, 0, (0,) * len(y.g))
    d = (x.d - v * y.d) * r
    c = (x.c - 2 * (d * y.d) - v * y.c) * r
    e = (x.e - 3 * (c * y.d + d * y.c) - v * y.e) * r
    return PyJet(v, d, c, e, tuple((p - v * q) * r for p, q in zip(x.g, y.g, strict=True)))


def raise_to(x: Any, p: Any) -> Any:
    """x**p; small whole powers are products."""
    if isinstance(p, int) and 1 <= p <= 8:
        half = raise_to(x, p // 2) if p > 1 else None
        even = half * half if half is not None else None
        return x if even is None else (even * x if p % 2 else even)
    return apply("power", x, p) if _number(x) and _number(p) else NotImplemented


def _number(x: Any) -> bool:
    return isinstance(x, (PyJet, int, float, np.number, np.bool_, Emitting))


def _boxed(x: Any) -> Any:
    """An array of objects for NumPy to iterate over; a single jet is one element."""
    box = np.empty((), dtype=object)
    box[()] = x
    return x if isinstance(x, np.ndarray) else box


def _is_nan(x: PyJet) -> Any:
    return x.v != x.v


def _is_finite(x: PyJet) -> Any:
    return x.v - x.v == 0


PREDICATES: dict[Any, Any] = {
    math.isnan: _is_nan,
    np.isnan: _is_nan,
    math.isfinite: _is_finite,
    np.isfinite: _is_finite,
}
"""Functions of the value of a jet that return a truth value."""

SCALAR: dict[Any, Any] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.square: lambda x: x * x,
    np.reciprocal: lambda x: 1.0 / x,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.isnan: _is_nan,
    np.isfinite: _is_finite,
}
"""The scalar form of each NumPy function that jets support."""

for _table in (UNARY, BINARY):
    for _name, (_, _functions) in _table.items():
        for _function in _functions:
            if isinstance(_function, np.ufunc):
                SCALAR[_function] = lambda *x, name=_name: apply(name, *x)
SCALAR[np.power] = raise_to
