"""L U of dense square matrices, real or complex, in place: for systems of a few dozen unknowns."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel


@kernel(internal=True)
def factorize_dense(K, pivot):
    """L U with row exchanges stored in `pivot`. False if the matrix is singular."""
    n = K.shape[0]
    for c in range(n):
        best = c
        for r in range(c + 1, n):
            if abs(K[r, c]) > abs(K[best, c]):
                best = r
        pivot[c] = best
        if not abs(K[best, c]) > 0.0:
            return False
        for j in range(n):
            K[c, j], K[best, j] = K[best, j], K[c, j]
        one, above = 1.0 / K[c, c], K[c]
        for r in range(c + 1, n):
            row = K[r]
            factor = row[c] * one
            row[c] = factor
            if factor != 0.0:
                for j in range(c + 1, n):
                    row[j] -= factor * above[j]
    return True


@kernel(internal=True)
def solve_dense(K, pivot, b):
    """b <- K^-1 b, using the factors."""
    n = K.shape[0]
    for c in range(n):
        b[c], b[pivot[c]] = b[pivot[c]], b[c]
    for r in range(n):
        for c in range(r):
            b[r] -= K[r, c] * b[c]
    for r in range(n - 1, -1, -1):
        for c in range(r + 1, n):
            b[r] -= K[r, c] * b[c]
        b[r] /= K[r, r]
