"""Minimum-norm least squares of small square matrices in machine code, without LAPACK and without memory of its own.

A V = U S        one-sided Jacobi rotations make the columns of A orthogonal; V collects them
x = V S^-1 U^T b over the singular values that are not negligible
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel

SWEEPS = 40
ORTHOGONAL_COSINE = 1e-15  # cosine of two columns that counts as zero


@kernel(internal=True)
def minimum_norm(matrix, basis, right, x, n, cutoff):
    """The shortest x that minimizes |A x - b| for the leading n by n part; `matrix` and `basis` are overwritten.

    Directions whose singular value is below `cutoff` times the largest are ignored.
    """
    for i in range(n):
        for j in range(n):
            basis[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        turned = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                turned |= _rotate(matrix, basis, n, p, q)
        if not turned:
            break
    largest = 0.0
    for j in range(n):
        largest = max(largest, _product(matrix, n, j, j))
    for i in range(n):
        x[i] = 0.0
    for j in range(n):
        square = _product(matrix, n, j, j)
        if square > cutoff * cutoff * largest:
            share = 0.0
            for i in range(n):
                share += matrix[i, j] * right[i]
            for i in range(n):
                x[i] += basis[i, j] * share / square


@kernel(internal=True)
def _rotate(matrix, basis, n, p, q):
    """Make two columns orthogonal. Returns whether they were not."""
    first, second, both = _product(matrix, n, p, p), _product(matrix, n, q, q), _product(matrix, n, p, q)
    if both * both <= ORTHOGONAL_COSINE * ORTHOGONAL_COSINE * first * second:
        return False
    ratio = (second - first) / (2.0 * both)
    tangent = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + (1.0 + ratio * ratio) ** 0.5)
    cosine = 1.0 / (1.0 + tangent * tangent) ** 0.5
    sine = cosine * tangent
    for i in range(n):
        a, b = matrix[i, p], matrix[i, q]
        matrix[i, p], matrix[i, q] = cosine * a - sine * b, sine * a + cosine * b
        a, b = basis[i, p], basis[i, q]
        basis[i, p], basis[i, q] = cosine * a - sine * b, sine * a + cosine * b
    return True


@kernel(internal=True)
def _product(matrix, n, p, q):
    total = 0.0
    for i in range(n):
        total += matrix[i, p] * matrix[i, q]
    return total
