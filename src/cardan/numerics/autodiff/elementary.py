"""Derivatives of the elementary functions.

A rule of one variable returns the function and its first three derivatives,

    rule(x) = f, f', f'', f'''

a rule of two variables the function and all partial derivatives up to the third,

    rule(x, y) = f, f_x, f_y, f_xx, f_xy, f_yy, f_xxx, f_xxy, f_xyy, f_yyy

Rules are plain Python functions of floats: Python jets call them, compiled jets compile them (see `jet.py`).
`UNARY` and `BINARY` map each name to its rule and to the functions of Python, `math` and `numpy` that use it.
At a kink (abs, min, floor) the derivative is that of the branch taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Rule = Callable[..., tuple[float, ...]]


def sin(x):
    s, c = math.sin(x), math.cos(x)
    return s, c, -s, -c


def cos(x):
    s, c = math.sin(x), math.cos(x)
    return c, -s, -c, s


def tan(x):
    f = math.tan(x)
    f1 = 1.0 + f * f
    return f, f1, 2.0 * f * f1, 2.0 * f1 * (f1 + 2.0 * f * f)


def asin(x):
    w = (1.0 - x) * (1.0 + x)
    f1 = 1.0 / math.sqrt(w)
    return math.asin(x), f1, x * f1 / w, f1 * (1.0 + 2.0 * x * x) / (w * w)


def acos(x):
    w = (1.0 - x) * (1.0 + x)
    f1 = -1.0 / math.sqrt(w)
    return math.acos(x), f1, x * f1 / w, f1 * (1.0 + 2.0 * x * x) / (w * w)


def atan(x):
    f1 = 1.0 / (1.0 + x * x)
    return math.atan(x), f1, -2.0 * x * f1 * f1, (6.0 * x * x - 2.0) * f1 * f1 * f1


def sinh(x):
    s, c = math.sinh(x), math.cosh(x)
    return s, c, s, c


def cosh(x):
    s, c = math.sinh(x), math.cosh(x)
    return c, s, c, s


def tanh(x):
    f = math.tanh(x)
    f1 = 1.0 / math.cosh(x) ** 2 if abs(x) < 350.0 else 0.0  # 1 - f^2 would cancel and cosh would overflow
    return f, f1, -2.0 * f * f1, 2.0 * f1 * (2.0 * f * f - f1)


def asinh(x):
    w = 1.0 + x * x
    f1 = 1.0 / math.sqrt(w)
    return math.asinh(x), f1, -x * f1 / w, f1 * (2.0 * x * x - 1.0) / (w * w)


def acosh(x):
    w = (x - 1.0) * (x + 1.0)
    f1 = 1.0 / math.sqrt(w)
    return math.acosh(x), f1, -x * f1 / w, f1 * (2.0 * x * x + 1.0) / (w * w)


def atanh(x):
    f1 = 1.0 / ((1.0 - x) * (1.0 + x))
    return math.atanh(x), f1, 2.0 * x * f1 * f1, (6.0 * x * x + 2.0) * f1 * f1 * f1


def exp(x):
    f = math.exp(x)
    return f, f, f, f


def exp2(x):
    f, k = 2.0**x, 0.6931471805599453  # ln 2
    return f, k * f, k * k * f, k * k * k * f


def expm1(x):
    f = math.exp(x)
    return math.expm1(x), f, f, f


def log(x):
    r = 1.0 / x
    return math.log(x), r, -r * r, 2.0 * r * r * r


def log2(x):
    r, k = 1.0 / x, 1.4426950408889634  # 1 / ln 2
    return math.log2(x), k * r, -k * r * r, 2.0 * k * r * r * r


def log10(x):
    r, k = 1.0 / x, 0.4342944819032518  # 1 / ln 10
    return math.log10(x), k * r, -k * r * r, 2.0 * k * r * r * r


def log1p(x):
    r = 1.0 / (1.0 + x)
    return math.log1p(x), r, -r * r, 2.0 * r * r * r


def sqrt(x):
    f = math.sqrt(x)
    f1 = 0.5 / f
    f2 = -0.5 * f1 / x
    return f, f1, f2, -1.5 * f2 / x


def erf(x):
    f1 = 1.1283791670955126 * math.exp(-x * x)  # 2 / sqrt(pi)
    return math.erf(x), f1, -2.0 * x * f1, (4.0 * x * x - 2.0) * f1


def radians(x):
    return math.radians(x), 0.017453292519943295, 0.0, 0.0


def degrees(x):
    return math.degrees(x), 57.29577951308232, 0.0, 0.0


def absolute(x):
    return abs(x), math.copysign(1.0, x), 0.0, 0.0


def sign(x):
    f = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)  # the last branch keeps zero and NaN
    return f, 0.0, 0.0, 0.0


def floor(x):
    return float(math.floor(x)), 0.0, 0.0, 0.0


def ceil(x):
    return float(math.ceil(x)), 0.0, 0.0, 0.0


def atan2(y, x):
    # The angle is the imaginary part of log(x + iy), whose derivatives are w, -w^2 and 2 w^3 with w = 1/(x + iy).
    s = 1.0 / (x * x + y * y)
    a, b = x * s, -y * s
    a2, b2 = -(a * a - b * b), -2.0 * a * b
    a3, b3 = -2.0 * (a * a2 - b * b2), -2.0 * (a * b2 + b * a2)
    return math.atan2(y, x), a, b, -b2, a2, b2, -a3, -b3, a3, b3


def hypot(x, y):
    r = math.hypot(x, y)
    a, b, s = x / r, y / r, 1.0 / r
    ab, aa, bb = a * b, a * a, b * b
    f_xxx, f_xxy = -3.0 * a * bb * s * s, b * (2.0 * aa - bb) * s * s
    f_xyy, f_yyy = a * (2.0 * bb - aa) * s * s, -3.0 * b * aa * s * s
    return r, a, b, bb * s, -ab * s, aa * s, f_xxx, f_xxy, f_xyy, f_yyy


def power(x, p):
    b1, b2, b3 = p, p * (p - 1.0), p * (p - 1.0) * (p - 2.0)
    if x == 0.0:  # zero times an infinite power is zero, and so are derivatives with respect to p where they exist
        f1 = b1 * 0.0 ** max(p - 1.0, 0.0) if p >= 1.0 or b1 == 0.0 else math.copysign(math.inf, b1)
        f2 = b2 * 0.0 ** max(p - 2.0, 0.0) if p >= 2.0 or b2 == 0.0 else math.copysign(math.inf, b2)
        f3 = b3 * 0.0 ** max(p - 3.0, 0.0) if p >= 3.0 or b3 == 0.0 else math.copysign(math.inf, b3)
        return math.pow(x, p), f1, 0.0, f2, 0.0, 0.0, f3, 0.0, 0.0, 0.0
    f, r = math.pow(x, p), 1.0 / x
    h = f * r * r if abs(f) > 1e-290 else math.pow(x, p - 2.0)  # x^(p - 2), also where x^p underflows
    k = math.log(x) if x > 0.0 else math.nan  # a negative base has no derivative with respect to its exponent
    f_xx, f_xy = b2 * h, h * x * (1.0 + p * k)
    f_xxx, f_xxy, f_xyy = b3 * h * r, h * (2.0 * p - 1.0 + b2 * k), h * x * k * (2.0 + p * k)
    return f, b1 * h * x, f * k, f_xx, f_xy, f * k * k, f_xxx, f_xxy, f_xyy, f * k * k * k


def modulo(x, y):
    return x % y, 1.0, -float(math.floor(x / y)), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def floor_divide(x, y):
    return float(math.floor(x / y)), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def copysign(x, y):
    return math.copysign(x, y), math.copysign(1.0, x) * math.copysign(1.0, y), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def maximum(x, y):
    a = 1.0 if x >= y else 0.0
    return (x if x >= y else y), a, 1.0 - a, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


def minimum(x, y):
    a = 1.0 if x <= y else 0.0
    return (x if x <= y else y), a, 1.0 - a, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


UNARY: dict[str, tuple[Rule, tuple[Any, ...]]] = {
    "sin": (sin, (math.sin, np.sin)),
    "cos": (cos, (math.cos, np.cos)),
    "tan": (tan, (math.tan, np.tan)),
    "arcsin": (asin, (math.asin, np.arcsin)),
    "arccos": (acos, (math.acos, np.arccos)),
    "arctan": (atan, (math.atan, np.arctan)),
    "sinh": (sinh, (math.sinh, np.sinh)),
    "cosh": (cosh, (math.cosh, np.cosh)),
    "tanh": (tanh, (math.tanh, np.tanh)),
    "arcsinh": (asinh, (math.asinh, np.arcsinh)),
    "arccosh": (acosh, (math.acosh, np.arccosh)),
    "arctanh": (atanh, (math.atanh, np.arctanh)),
    "exp": (exp, (math.exp, np.exp)),
    "exp2": (exp2, (math.exp2, np.exp2)),
    "expm1": (expm1, (math.expm1, np.expm1)),
    "log": (log, (math.log, np.log)),
    "log2": (log2, (math.log2, np.log2)),
    "log10": (log10, (math.log10, np.log10)),
    "log1p": (log1p, (math.log1p, np.log1p)),
    "sqrt": (sqrt, (math.sqrt, np.sqrt)),
    "erf": (erf, (math.erf,)),
    "radians": (radians, (math.radians, np.radians, np.deg2rad)),
    "degrees": (degrees, (math.degrees, np.degrees, np.rad2deg)),
    "absolute": (absolute, (abs, math.fabs, np.absolute, np.fabs)),
    "sign": (sign, (np.sign,)),
    "floor": (floor, (math.floor, np.floor)),
    "ceil": (ceil, (math.ceil, np.ceil)),
}

BINARY: dict[str, tuple[Rule, tuple[Any, ...]]] = {
    "arctan2": (atan2, (math.atan2, np.arctan2)),
    "hypot": (hypot, (math.hypot, np.hypot)),
    "power": (power, (math.pow, np.power)),
    "remainder": (modulo, (np.remainder, np.mod)),
    "floor_divide": (floor_divide, (np.floor_divide,)),
    "copysign": (copysign, (math.copysign, np.copysign)),
    "maximum": (maximum, (np.maximum, np.fmax)),
    "minimum": (minimum, (np.minimum, np.fmin)),
}
