"""Small dense matrices in compiled loops: an orthogonal basis of rows and of their null space, and Cholesky factors.

    J^T P = [Q1 Q2] [R; 0]        rows of unit length, by Householder's reflections with column pivoting

Matrices of a few dozen rows, in memory of the caller.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel

INDEPENDENT_ROW, DEPENDENT_ROW = (
    1e-4,
    1e-10,
)  # distance of a unit row from those before it: independent above, dependent below


@kernel(internal=True)
def orthogonal_basis(J, lengths, order, R, Q):
    """Fill R [n, m], Q [n, n], the order of rows and their lengths. Returns the rank, or -1 if it is not clear."""
    m, n = J.shape
    for i in range(n):
        for j in range(n):
            Q[i, j] = 1.0 if i == j else 0.0
    for r in range(m):
        total = 0.0
        for i in range(n):
            total += J[r, i] * J[r, i]
        lengths[r], order[r] = np.sqrt(total), r
        for i in range(n):
            R[i, r] = J[r, i] / lengths[r] if total > 0.0 else 0.0
    for k in range(min(m, n)):
        largest, best = -1.0, k
        for j in range(k, m):
            total = 0.0
            for i in range(k, n):
                total += R[i, j] * R[i, j]
            if total > largest:
                largest, best = total, j
        largest = np.sqrt(largest)
        if largest <= DEPENDENT_ROW:
            return k
        if not largest >= INDEPENDENT_ROW:
            return -1
        _exchange(R, order, k, best)
        _reflect(R, Q, k, largest)
    return min(m, n)


@kernel(internal=True)
def _exchange(R, order, k, best):
    """Exchange two columns of R."""
    order[k], order[best] = order[best], order[k]
    for i in range(R.shape[0]):
        R[i, k], R[i, best] = R[i, best], R[i, k]


@kernel(internal=True)
def _reflect(R, Q, k, size):
    """Reflect column k of R, of this length below row k, to its diagonal; v is kept below the diagonal meanwhile."""
    n, m = R.shape
    alpha = -size if R[k, k] > 0.0 else size
    first = R[k, k] - alpha
    beta = -1.0 / (alpha * first)  # 2 / v^T v, with v = (first, rest)
    R[k, k] = first
    for j in range(k + 1, m):
        total = 0.0
        for i in range(k, n):
            total += R[i, k] * R[i, j]
        for i in range(k, n):
            R[i, j] -= beta * total * R[i, k]
    for i in range(n):
        total = 0.0
        for j in range(k, n):
            total += Q[i, j] * R[j, k]
        for j in range(k, n):
            Q[i, j] -= beta * total * R[j, k]
    R[k, k] = alpha
    for i in range(k + 1, n):
        R[i, k] = 0.0


@kernel(internal=True)
def least_solution(R, Q, lengths, order, rank, right, y, x):
    """The least x with J x = right, for the independent rows; y is memory for as many numbers as rows."""
    for k in range(rank):
        total = right[order[k]] / lengths[order[k]]
        for j in range(k):
            total -= R[j, k] * y[j]
        y[k] = total / R[k, k]
    for i in range(x.shape[0]):
        total = 0.0
        for k in range(rank):
            total += Q[i, k] * y[k]
        x[i] = total


@kernel(internal=True)
def reduced(H, Q, rank, product, S):
    """S = Q2^T H Q2; `product` is memory of the shape of H."""
    n = H.shape[0]
    for i in range(n):
        for b in range(rank, n):
            total = 0.0
            for j in range(n):
                total += H[i, j] * Q[j, b]
            product[i, b] = total
    for a in range(rank, n):
        for b in range(rank, n):
            total = 0.0
            for i in range(n):
                total += Q[i, a] * product[i, b]
            S[a - rank, b - rank] = total


@kernel(internal=True)
def cholesky(S, shift, L):
    """The factor of S + shift, from the lower triangle of S. Returns whether it is positive definite."""
    n = S.shape[0]
    for j in range(n):
        total = S[j, j] + shift
        for k in range(j):
            total -= L[j, k] * L[j, k]
        if not total > 0.0:
            return False
        L[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            total = S[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = total / L[j, j]
    return True


@kernel(internal=True)
def cholesky_solve(L, x):
    """Solve L L^T x = x in place."""
    n = L.shape[0]
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for back in range(n):
        i = n - 1 - back
        total = x[i]
        for k in range(i + 1, n):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]
