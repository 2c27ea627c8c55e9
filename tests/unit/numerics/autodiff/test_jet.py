"""Jets against derivatives obtained without them.

Two independent authorities: exact integer polynomials (no tolerance at all), and Cauchy's integral

    f^(k)(0) = k! / (N r^k) sum_j f(r w^j) w^(-jk),   w = exp(2 pi i / N)

which for functions analytic in a disk larger than r is exact up to k! eps max|f| / r^k.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special

from cardan.numerics.autodiff.elementary import BINARY, UNARY
from cardan.numerics.autodiff.jet import PyJet, apply, variable
from folding import folded

RADIUS, POINTS = 0.1, 48
CIRCLE = RADIUS * np.exp(2j * math.pi * np.arange(POINTS) / POINTS)

ANALYTIC = {name: getattr(np, name) for name in UNARY if name not in ("erf", "radians", "degrees", "absolute")}
for kinked in ("sign", "floor", "ceil"):
    del ANALYTIC[kinked]
ANALYTIC["erf"] = special.erf
ANALYTIC["expm1"] = lambda x: np.exp(x) - 1
ANALYTIC["log1p"] = lambda x: np.log(1 + x)
ANALYTIC["exp2"] = lambda x: np.exp(x * math.log(2))
ANALYTIC["radians"] = lambda x: x * math.pi / 180
ANALYTIC["degrees"] = lambda x: x * 180 / math.pi

ANALYTIC_OF_TWO = {
    "arctan2": lambda y, x: -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y)),
    "hypot": lambda x, y: np.sqrt(x * x + y * y),
    "power": lambda x, y: np.exp(y * np.log(x)),
}


def cauchy(f) -> np.ndarray:
    """f(0), f'(0), f''(0), f'''(0) of an analytic function."""
    values = np.asarray(f(CIRCLE), dtype=complex) * np.ones(POINTS)
    coefficients = np.fft.fft(values)[:4] / POINTS
    return np.real(coefficients / RADIUS ** np.arange(4) * [1, 1, 2, 6])


def close(jet: PyJet, expected: np.ndarray, scale: float) -> None:
    """v, d, c, e within 100 times the rounding of the integral: k! eps max|f| / r^k."""
    bound = 100 * 2.2e-16 * max(scale, 1.0) * np.array([1, 1, 2, 6]) / RADIUS ** np.arange(4)
    assert np.all(np.abs(np.array([jet.v, jet.d, jet.c, jet.e]) - expected) <= bound), (jet, expected, bound)


@folded("name", sorted(ANALYTIC))
def test_elementary_function(name):
    at, rate = (1.7, 0.4) if name == "arccosh" else (0.37, 0.8)

    def path(s):
        return ANALYTIC[name](at + rate * s)

    y = apply(name, variable(at, rate, 0, 1))
    close(y, cauchy(path), np.max(np.abs(path(CIRCLE))))
    assert y.d == pytest.approx(rate * y.g[0], rel=1e-15)


@pytest.mark.parametrize("name", sorted(ANALYTIC_OF_TWO))
@pytest.mark.parametrize("curved", [0.0, 0.3])
def test_elementary_function_of_two(name, curved):
    f = ANALYTIC_OF_TWO[name]
    at, rates = (1.3, 0.9), (0.6, -0.8)
    x, y = (variable(a, r, i, 2) for i, (a, r) in enumerate(zip(at, rates, strict=True)))
    x = x + curved * (x - at[0]) * (x - at[0])  # so that the second derivatives of the argument enter

    def path(s):
        return f(at[0] + rates[0] * s + curved * (rates[0] * s) ** 2, at[1] + rates[1] * s)

    z = apply(name, x, y)
    close(z, cauchy(path), np.max(np.abs(path(CIRCLE))))
    for i in (0, 1):
        partial = cauchy(lambda s, i=i: f(at[0] + s * (i == 0), at[1] + s * (i == 1)))[1]
        assert z.g[i] == pytest.approx(partial, rel=1e-12)
    for constant in (0, 1):  # one of the two is a plain number
        mixed = apply(name, *(a if i == constant else b for i, (a, b) in enumerate(zip(at, (x, y), strict=True))))
        frozen = [at[0] + rates[0] * CIRCLE + curved * (rates[0] * CIRCLE) ** 2, at[1] + rates[1] * CIRCLE]
        frozen[constant] = at[constant] + 0 * CIRCLE
        close(mixed, cauchy(lambda s, frozen=frozen: f(*frozen)), np.max(np.abs(f(*frozen))))


@pytest.mark.parametrize(
    ("at", "angle"), [((0.0, -1.0), math.pi), ((1.0, 0.0), math.pi / 2), ((-2.0, -2.0), -0.75 * math.pi)]
)
def test_arctan2_in_every_quadrant(at, angle):
    y, x = variable(at[0], 1.0, 0, 2), variable(at[1], 0.0, 1, 2)
    z = np.arctan2(y, x)
    assert z.v == pytest.approx(angle, rel=1e-15)
    r2 = at[0] ** 2 + at[1] ** 2
    assert z.g == pytest.approx((at[1] / r2, -at[0] / r2), rel=1e-15)  # the plane's angle form
    assert z.c == pytest.approx(-2 * at[0] * at[1] / r2**2, rel=1e-15)


def test_functions_with_kinks_follow_the_branch_taken():
    for at, slope in ((-1.5, -1.0), (2.5, 1.0)):
        x = variable(at, 2.0, 0, 1)
        assert (abs(x).v, abs(x).d, abs(x).g) == (abs(at), 2 * slope, (slope,))
        assert (np.sign(x).v, np.sign(x).d) == (slope, 0.0)
        assert (math.floor(x).v, math.floor(x).d) == (math.floor(at), 0.0)
        assert (math.ceil(x).v, np.ceil(x).d) == (math.ceil(at), 0.0)
        assert (np.copysign(x, -1.0).v, np.copysign(x, -1.0).d) == (-abs(at), -2 * slope)
        assert ((x % 1.0).v, (x % 1.0).d) == (at % 1.0, 2.0)
        assert (x // 1.0).v == at // 1.0
        assert (max(x, 0.0) is x) == (at > 0) and (min(x, 0.0) is x) == (at < 0)
        assert np.maximum(x, 0.0).d == (2.0 if at > 0 else 0.0)
        assert np.minimum(x, 0.0).g == ((0.0,) if at > 0 else (1.0,))
    x, y = variable(7.5, 1.0, 0, 2), variable(2.0, 1.0, 1, 2)
    assert (x % y).g == (1.0, -3.0)  # x - 3 y, away from its jumps
    assert math.isclose((x % y).v, 1.5)


def test_every_elementary_function_is_tested():
    kinked = {"absolute", "sign", "floor", "ceil"}
    assert set(ANALYTIC) | kinked == set(UNARY)
    assert set(ANALYTIC_OF_TWO) | {"remainder", "floor_divide", "copysign", "maximum", "minimum"} == set(BINARY)


@pytest.mark.parametrize("p", [2.0, 3.0, 1.0, 0.0, 4.0, 2.5])
def test_powers_at_zero(p):
    x = variable(0.0, 1.0, 0, 1)
    y = x**p
    falling = [1.0, p, p * (p - 1), p * (p - 1) * (p - 2)]
    expected = [falling[k] * (1.0 if p == k else 0.0) for k in range(3)]
    assert [y.v, y.d, y.c] == expected
    assert y.e == (falling[3] if p == 3 else math.inf if p == 2.5 else 0.0)


def test_powers_of_negative_and_tiny_bases():
    y = variable(-2.0, 1.0, 0, 1) ** 9
    assert [y.v, y.d, y.c, y.e] == pytest.approx([-512.0, 9 * 256.0, -72 * 128.0, 504 * 64.0], rel=1e-15)
    tiny = variable(1e-200, 1.0, 0, 1) ** 2.0
    assert tiny.c == pytest.approx(2.0, rel=1e-15)  # though the square itself underflows


# Exact arithmetic: polynomials with integer coefficients, followed along integer lines.

integers = st.integers(-5, 5)
leaves = st.sampled_from(["x", "y"]) | integers
expressions = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner) | st.tuples(st.just("**"), inner, st.integers(1, 4)),
    max_leaves=8,
)


def value_of(tree, names, constant=lambda k: k):
    if isinstance(tree, str):
        return names[tree]
    if isinstance(tree, int):
        return constant(tree)
    symbol, left, right = tree
    a = value_of(left, names, constant)
    b = right if symbol == "**" else value_of(right, names, constant)
    if symbol == "**":
        product = a
        for _ in range(b - 1):
            product = product * a
        return a**b if isinstance(a, PyJet) else product
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[symbol]()


class Exact:
    """A polynomial with integer coefficients of any size, lowest first."""

    def __init__(self, *coefficients):
        self.k = list(coefficients) + [0] * (4 - len(coefficients))

    def __add__(a, b):  # noqa: N805
        n = max(len(a.k), len(b.k))
        return Exact(*(sum(p.k[i] for p in (a, b) if i < len(p.k)) for i in range(n)))

    def __sub__(a, b):  # noqa: N805
        return a + Exact(*(-k for k in b.k))

    def __mul__(a, b):  # noqa: N805
        product = [0] * (len(a.k) + len(b.k) - 1)
        for i, p in enumerate(a.k):
            for j, q in enumerate(b.k):
                product[i + j] += p * q
        return Exact(*product[:4])


@settings(max_examples=200, deadline=None)
@given(expressions, integers, integers, integers, integers)
def test_sums_and_products_are_exact(tree, x, y, u, w):
    jets = {"x": PyJet(x, u, 0, 0, (1, 0)), "y": PyJet(y, w, 0, 0, (0, 1))}
    result = value_of(tree, jets, constant=lambda k: k)
    if not isinstance(result, PyJet):
        return
    along = value_of(tree, {"x": Exact(x, u), "y": Exact(y, w)}, Exact).k
    assert [result.v, result.d, result.c, result.e] == [along[0], along[1], 2 * along[2], 6 * along[3]]
    by_x = value_of(tree, {"x": Exact(x, 1), "y": Exact(y)}, Exact).k
    by_y = value_of(tree, {"x": Exact(x), "y": Exact(y, 1)}, Exact).k
    assert result.g == (by_x[1], by_y[1])


ENTIRE = ("sin", "cos", "exp", "sinh", "cosh", "erf")
rate = st.floats(-1, 1, allow_subnormal=False)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ENTIRE), st.sampled_from(ENTIRE), st.sampled_from(ENTIRE), rate, rate, rate, rate)
def test_chains_and_quotients(outer, inner, other, x, y, u, w):
    """f(g(x) h(y)) / (4 + f(x y)) with entire f, g, h; the denominator stays away from zero on the disk."""

    def formula(f, x, y):
        bounded = f("sin", x * y)
        return f(outer, f(inner, x) * f(other, y) / 2) / (4 + bounded) - 1 / (bounded + 3)

    jets = variable(x, u, 0, 2), variable(y, w, 1, 2)
    result = formula(apply, *jets)

    def path(s):
        return formula(lambda name, z: ANALYTIC[name](z), x + u * s, y + w * s)

    close(result, cauchy(path), np.max(np.abs(path(CIRCLE))))
    assert result.d == pytest.approx(u * result.g[0] + w * result.g[1], rel=1e-13, abs=1e-13)


def test_mixed_operations_with_plain_numbers():
    x = variable(0.8, 1.0, 0, 1)
    for y, expected in [
        (3 - x, [2.2, -1, 0, 0]),
        (2 / x, [2.5, -2 / 0.8**2, 4 / 0.8**3, -12 / 0.8**4]),
        (x / 4, [0.2, 0.25, 0, 0]),
        (np.float64(2.0) * x, [1.6, 2, 0, 0]),
        (2**x, [2**0.8 * math.log(2) ** k for k in range(4)]),
        (-x, [-0.8, -1, 0, 0]),
        (+x, [0.8, 1, 0, 0]),
    ]:
        assert [y.v, y.d, y.c, y.e] == pytest.approx(expected, rel=1e-14)
    assert x > 0 and x >= 0.8 and x < 1 and x <= 0.8 and x == 0.8 and x != 1 and 1 > x and bool(x)
    assert not bool(variable(0.0, 1.0, 0, 1))


def test_a_function_without_a_rule_is_rejected_by_name():
    with pytest.raises(TypeError, match="numpy.logaddexp"):
        np.logaddexp(variable(1.0, 1.0, 0, 1), 2.0)
    with pytest.raises(TypeError):  # a float of a jet would lose its derivative without a word
        math.sin(variable(1.0, 1.0, 0, 1))


def test_arrays_of_jets():
    x, y = variable(2.0, 1.0, 0, 2), variable(3.0, 1.0, 1, 2)
    z = np.dot(np.array([x, y]), np.array([x, 5.0]))
    assert (z.v, z.d, z.g) == (19.0, 9.0, (4.0, 5.0))
    assert [q.v for q in np.array([1.0, 2.0]) * x] == [2.0, 4.0]
