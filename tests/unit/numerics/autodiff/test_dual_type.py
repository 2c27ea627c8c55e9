"""Compiled dual numbers: arithmetic, branches and functions against dual numbers of plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cardan.numerics.autodiff.dual import Dual, on_duals, split
from cardan.numerics.autodiff.dual_type import add_slopes, as_duals
from cardan.numerics.compiled.jit import COMPILED, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="dual numbers of plain Python serve where nothing is compiled")
LANES = (0.0, 0.0, 0.0)


@kernel(internal=True)
def formulas(q, out):
    """Something of everything that kernels do with numbers."""
    for i in range(q.shape[0]):
        x, c = q[i], 1.0
        if x > 0.0:
            c = np.cos(x)
        a, b = (x / c, 2.0 * x) if c > 0.0 else (1.0, 0.0)
        out[i, 0] = a + math.sqrt(x * x + b * b) - math.atan2(c, x)
        out[i, 1] = -max(c, 1e-300) + i
        out[i, 1] -= 3.0 / x - math.floor(x)
        out[i, 2] = 0.5


@kernel
def on_tables(q, out, lanes):
    formulas(as_duals(q, lanes), as_duals(out, lanes))


@kernel
def summed(q, out, lanes):
    table = as_duals(q, lanes)
    for i in range(table.shape[0]):
        add_slopes(out, 1, 2.0, table[i])


def seeded():
    q = np.zeros((3, 4))
    q[:, 0] = 0.3, -0.7, 2.2
    q[:, 1:] = np.diag([1.0, 2.0, -1.0])
    return q


def test_formulas():
    """The same kernel, compiled on tables and interpreted on objects: only the order of roundings differs."""
    q, out = seeded(), np.zeros((3, 3, 4))
    on_tables(q, out, LANES)
    plain = np.array([Dual(line[0], line[1:]) for line in q], object)
    expected = np.full((3, 3), 0.0, object)
    on_duals(formulas)(plain, expected)
    values, slopes = split(expected, 3)
    assert np.allclose(out[..., 0], values, rtol=1e-15, atol=1e-15)
    assert np.allclose(out[..., 1:], slopes, rtol=1e-14, atol=1e-15)


def test_slopes_are_added_in_place():
    out = np.ones(6)
    summed(seeded(), out, LANES)
    assert out.tolist() == [1.0, 3.0, 5.0, -1.0, 1.0, 1.0]
