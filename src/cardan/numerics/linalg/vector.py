"""Vector operations for compiled loops, where NumPy slices and dot products would allocate or count references."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel


@kernel(internal=True, inline=True)
def copy(source, target):
    """target <- source."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel(internal=True, inline=True)
def copy_to_row(source, table, row):
    """table[row] <- source."""
    for i in range(source.shape[0]):
        table[row, i] = source[i]


@kernel(internal=True, inline=True)
def dot(a, b):
    """a . b"""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel(internal=True, inline=True)
def all_finite(a):
    """Whether all numbers are finite."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] - a[i]
    return total == 0.0
