"""Dual numbers: rules of arithmetic and of elementary functions, and kernels run on them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan.numerics.autodiff.dual import Dual, on_duals, split, value

X, H = 0.7, 1e-20


def mixed(x):
    """Every rule at once; complex numbers take the same way."""
    return (3.0 - x) * x**3 / (1.0 + 2.0 * x) - 1.0 / x + abs(-x) + (x - 2.0) / 4.0 + 5.0 * x


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: math.sin(x), math.cos(X)),
        (lambda x: math.sqrt(x), 0.5 / math.sqrt(X)),
        (lambda x: math.atan2(x, 2.0), 2.0 / (4.0 + X * X)),
        (lambda x: math.atan2(2.0, x), -2.0 / (4.0 + X * X)),
        (lambda x: np.cos(x), -math.sin(X)),
        (lambda x: max(x, 0.1) * (1.0 if x > 0.5 else 2.0), 1.0),
        (lambda x: x**0.5, 0.5 / math.sqrt(X)),
    ],
)
def test_elementary_functions(function, slope):
    found = on_duals(function)(Dual(X, np.array([1.0, -2.0])))
    assert value(found) == pytest.approx(function(X), rel=1e-15)
    assert found.d == pytest.approx([slope, -2.0 * slope], rel=1e-14)


def test_arithmetic_against_a_complex_step():
    def by_hand(x):
        return (3.0 - x) * x**3 / (1.0 + 2.0 * x) - 1.0 / x + x + (x - 2.0) / 4.0 + 5.0 * x

    found = mixed(Dual(X, np.array([1.0])))
    assert found.v == pytest.approx(by_hand(X), rel=1e-15)
    assert found.d[0] == pytest.approx(by_hand(X + 1j * H).imag / H, rel=1e-14)


def test_numbers_of_numpy_on_the_left():
    assert (np.float64(2.0) * Dual(3.0, np.ones(1))).d.tolist() == [2.0]
    assert (np.float64(2.0) - Dual(3.0, np.ones(1))).d.tolist() == [-1.0]


def test_tables_come_apart():
    table = np.array([[Dual(1.0, np.array([4.0, 5.0])), 2.0]], object)
    values, slopes = split(table, 2)
    assert values.tolist() == [[1.0, 2.0]] and slopes.tolist() == [[[4.0, 5.0], [0.0, 0.0]]]
