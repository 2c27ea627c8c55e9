"""Sparse L D L^T on a fixed pattern: analyzed once per model, factorized many times inside compiled loops.

    P K P^T = L D L^T      L unit lower triangular, D diagonal (of either sign), P from `ordering.elimination_order`

There is no pivoting: the order guarantees regular leading blocks. K is stored as one array of values

    values = [ diagonal (n) | strict upper triangle, column by column | one slot for discarded contributions ]

to which contributions are added at the slots returned by `analyze`. Row k of L is found by solving with the rows
above it (up-looking: T. A. Davis, Direct Methods for Sparse Linear Systems, section 4.8). Its columns and the
location of each entry follow from the pattern, so the factorization does only arithmetic.

Index arrays are uint32: Numba checks signed indices for wrap-around, which doubles the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.numerics.compiled.jit import kernel


class Pattern(NamedTuple):
    """Where the entries of the permuted K and of L are; n = Ap.size - 1."""

    Ap: NDArray[np.uint32]  # column k of the strict upper triangle of K is at Ap[k]..Ap[k+1] of Ai ...
    Ai: NDArray[np.uint32]  # ... with these rows
    Lp: NDArray[np.uint32]  # column j of L is at Lp[j]..Lp[j+1] of Li ...
    Li: NDArray[np.uint32]  # ... with these rows, ascending
    Rp: NDArray[np.uint32]  # row k of L is at Rp[k]..Rp[k+1] of Rj and Rq ...
    Rj: NDArray[np.uint32]  # ... with these columns, ascending
    Rq: NDArray[np.uint32]  # ... whose values are at these indices of L


def analyze(n: int, rows: ArrayLike, cols: ArrayLike, perm: ArrayLike) -> tuple[Pattern, NDArray[np.uint32]]:
    """The pattern of L, and for each contribution to K the slot of `values` to which it is added.

    Contribution k goes to K[rows[k], cols[k]] in original numbering, once, in either triangle; duplicates add up.
    One with a negative row or column (ground) goes to the last slot, which is never read.
    perm[i] is the original index of the unknown eliminated i-th.
    """
    position = np.empty(n, np.int64)
    position[np.asarray(perm, np.int64)] = np.arange(n)
    i, j = np.asarray(rows, np.int64), np.asarray(cols, np.int64)
    kept = (i >= 0) & (j >= 0)
    i, j = position[i], position[j]
    low, high = np.minimum(i, j), np.maximum(i, j)
    off_diagonal = kept & (low < high)
    keys, places = np.unique(high[off_diagonal] * n + low[off_diagonal], return_inverse=True)
    slots = np.where(kept, low, n + keys.size)
    slots[off_diagonal] = n + places
    Ap = np.searchsorted(keys, np.arange(n + 1) * n)
    Ai = keys % n
    counts, Rj = _rows_of_factor(n, Ap.tolist(), Ai.tolist())
    order = np.argsort(Rj, kind="stable")  # row by row -> column by column
    Rq = np.empty_like(order)
    Rq[order] = np.arange(order.size)
    Li = np.repeat(np.arange(n), counts)[order]
    Lp = np.searchsorted(Rj[order], np.arange(n + 1))
    Rp = np.concatenate(([0], np.cumsum(counts)))
    return Pattern(*(a.astype(np.uint32) for a in (Ap, Ai, Lp, Li, Rp, Rj, Rq))), slots.astype(np.uint32)


def values_size(pattern: Pattern) -> int:
    """The size of the array of values; that of L is pattern.Li.size, that of D and of the work array n."""
    return pattern.Ap.size + pattern.Ai.size  # n + 1 + strict upper triangle


def _rows_of_factor(n: int, Ap: list[int], Ai: list[int]) -> tuple[NDArray, NDArray]:
    """The columns of each row of L: those on the paths of the elimination tree from the columns of K to k."""
    parent = [-1] * n
    mark = [-1] * n
    counts = np.zeros(n, np.int64)
    columns: list[int] = []
    for k in range(n):
        mark[k] = k
        row = []
        for i in Ai[Ap[k] : Ap[k + 1]]:
            while mark[i] != k:
                if parent[i] < 0:
                    parent[i] = k
                mark[i] = k
                row.append(i)
                i = parent[i]
        row.sort()
        counts[k] = len(row)
        columns += row
    return counts, np.array(columns, np.int64)


@kernel
def factor(pattern, values, L, D, work):
    """Factorize; `D` receives the inverse pivots. Returns 0, or 1 + k if pivot k is zero. `work` is and stays zero."""
    for k in range(D.shape[0]):
        pivot, _ = _eliminate_row(pattern, values, L, D, work, k)
        if pivot == 0.0:
            return 1 + k
        D[k] = 1.0 / pivot
    return 0


@kernel
def factor_rank(pattern, values, L, D, work, testable, tolerance, dropped):
    """Factorize and drop dependent unknowns. Returns the number dropped, or -1 - k if an untested pivot k is zero.

    An unknown with testable[k] = 1 is dropped (dropped[k] = 1, else 0) if its pivot is at most `tolerance` times
    the sum of the magnitudes of its terms. It then has no effect, and solve() returns 0 for it. `work`
    must be and stays zero.
    """
    count = 0
    for k in range(D.shape[0]):
        pivot, size = _eliminate_row(pattern, values, L, D, work, k)
        dropped[k] = 0
        if testable[k] and abs(pivot) <= tolerance * size:
            D[k] = 0.0  # column k of L becomes zero with it
            dropped[k] = 1
            count += 1
        elif pivot == 0.0:
            return -1 - k
        else:
            D[k] = 1.0 / pivot
    return count


@kernel
def solve(pattern, L, D, x):
    """Replace the right-hand side `x` by the solution, both in permuted numbering."""
    Lp, Li = pattern.Lp, pattern.Li
    n = D.shape[0]
    for j in range(n):
        xj = x[j]
        for p in range(Lp[j], Lp[j + 1]):
            x[Li[p]] -= L[p] * xj
    for j in range(n - 1, -1, -1):
        total = x[j] * D[j]
        for p in range(Lp[j], Lp[j + 1]):
            total -= L[p] * x[Li[p]]
        x[j] = total


@kernel
def multiply(pattern, values, x, y):
    """y = K x in permuted numbering, for residuals and refinement."""
    Ap, Ai = pattern.Ap, pattern.Ai
    n = x.shape[0]
    for k in range(n):
        xk = x[k]
        total = values[k] * xk
        for p in range(Ap[k], Ap[k + 1]):
            i = Ai[p]
            total += values[n + p] * x[i]
            y[i] += values[n + p] * xk
        y[k] = total  # only columns after k contribute


@kernel(internal=True, inline=True)
def _eliminate_row(pattern, values, L, D, work, k):
    """Row k of L; its pivot, and the sum of the magnitudes of the terms of the pivot."""
    Ap, Ai, Lp, Li = pattern.Ap, pattern.Ai, pattern.Lp, pattern.Li
    Rp, Rj, Rq = pattern.Rp, pattern.Rj, pattern.Rq
    n = D.shape[0]
    for p in range(Ap[k], Ap[k + 1]):
        work[Ai[p]] = values[n + p]
    pivot = values[k]
    size = abs(pivot)
    for t in range(Rp[k], Rp[k + 1]):
        j = Rj[t]
        end = Rq[t]
        yj = work[j]
        work[j] = 0.0
        for p in range(Lp[j], end):
            work[Li[p]] -= L[p] * yj
        entry = yj * D[j]
        L[end] = entry
        pivot -= entry * yj
        size += abs(entry * yj)
    return pivot, size
