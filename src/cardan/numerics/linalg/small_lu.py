"""L U of small sparse square matrices whose pattern is fixed and whose values change from step to step.

Choosing pivots costs more than eliminating with them. They are therefore chosen once, fewest operations first
(Markowitz) among entries that are large enough, and kept until a multiplier exceeds `MAX_MULTIPLIER`. The nonzero lists
of L and U are stored with them, so a factorization is only a few dozen operations.

    pivot k at (row[k], column[k])      L: rows below it, U: columns beside it, both with fill-in

The sign of the determinant comes for free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.numerics.compiled.jit import kernel

THRESHOLD = 0.3  # smallest pivot to choose, relative to the largest entry of its column
PIVOT_RATIO = 1e-13  # ratio of the smallest to the largest pivot below which the matrix counts as singular
MAX_MULTIPLIER = 100.0  # multipliers up to this cost two digits of sixteen


class SmallLU(NamedTuple):
    """A matrix, its pattern, its pivots and its factors."""

    a: np.ndarray  # float64[n, n]: the matrix, overwritten by the factorization
    flat: np.ndarray  # float64[n * n]: a flat view of it
    chosen: np.ndarray  # int64[5]: 1 if pivots are chosen, the sign of their permutation, number of entries to clear,
    # how often pivots were chosen, and bits of the negative pivots of the last factorization
    clear: np.ndarray  # uint32[n * n]: entries to clear before the matrix is filled
    pattern: np.ndarray  # uint8[n, n]: 2 where a nonzero is written, 1 where contributions are added
    row: np.ndarray  # uint32[n]
    column: np.ndarray  # uint32[n]
    inverse: np.ndarray  # float64[n]: of the pivots
    range: np.ndarray  # float64[1]: the smallest pivot relative to the largest
    l_start: np.ndarray  # uint32[n + 1]
    l_row: np.ndarray  # uint32[n * n]
    l_value: np.ndarray  # float64[n * n]
    u_start: np.ndarray  # uint32[n + 1]
    u_column: np.ndarray  # uint32[n * n]
    u_value: np.ndarray  # float64[n * n]
    scratch: np.ndarray  # float64[n, n]
    filled: np.ndarray  # uint8[n, n]: the pattern with fill-in, while pivots are chosen
    y: np.ndarray  # float64[n]


def small_lu(pattern: np.ndarray) -> SmallLU:
    """Memory for matrices of one pattern."""
    n = pattern.shape[0]
    index = [np.zeros(size, np.uint32) for size in (n, n, n + 1, n * n, n + 1, n * n)]
    a = np.zeros((n, n))
    return SmallLU(
        a=a,
        flat=a.reshape(-1),
        chosen=np.array([0, 1, n * n, 0, 0]),
        clear=np.arange(n * n, dtype=np.uint32),
        pattern=np.ascontiguousarray(pattern, np.uint8),
        row=index[0],
        column=index[1],
        inverse=np.zeros(n),
        range=np.zeros(1),
        l_start=index[2],
        l_row=index[3],
        l_value=np.zeros(n * n),
        u_start=index[4],
        u_column=index[5],
        u_value=np.zeros(n * n),
        scratch=np.zeros((n, n)),
        filled=np.zeros((n, n), np.uint8),
        y=np.zeros(n),
    )


@kernel(internal=True)
def forget_pivots(lu):
    """Reset the memory: the next factorization does not depend on earlier ones."""
    lu.chosen[0], lu.chosen[1], lu.chosen[2], lu.chosen[3], lu.chosen[4] = 0, 1, lu.clear.shape[0], 0, 0
    for k in range(lu.clear.shape[0]):
        lu.clear[k] = k


@kernel(internal=True)
def lu_factor(lu):
    """Factorize lu.a in place with the pivots chosen. Returns the sign of the determinant.

    0 means that the pivots no longer suit the values, or that the matrix is singular to working precision.
    """
    a, row, column, inverse = lu.a, lu.row, lu.column, lu.inverse
    l_start, l_row, l_value = lu.l_start, lu.l_row, lu.l_value
    u_start, u_column, u_value = lu.u_start, lu.u_column, lu.u_value
    sign, smallest, largest, negative = lu.chosen[1], np.inf, 0.0, 0
    for k in range(row.shape[0]):
        i, j = row[k], column[k]
        pivot = a[i, j]
        if pivot < 0.0:
            sign = -sign
            negative |= 1 << k
        smallest, largest = min(smallest, abs(pivot)), max(largest, abs(pivot))
        inverse[k] = 1.0 / pivot
        for s in range(u_start[k], u_start[k + 1]):
            u_value[s] = a[i, u_column[s]]
        for p in range(l_start[k], l_start[k + 1]):
            below = l_row[p]
            factor = a[below, j] * inverse[k]
            if not abs(factor) <= MAX_MULTIPLIER:
                return 0
            l_value[p] = factor
            for s in range(u_start[k], u_start[k + 1]):
                a[below, u_column[s]] -= factor * u_value[s]
    lu.range[0] = smallest / largest
    lu.chosen[4] = negative
    return sign if smallest > PIVOT_RATIO * largest else 0


@kernel(internal=True)
def lu_solve(lu, x):
    """Replace x by the solution of A x = x."""
    row, column, inverse, y = lu.row, lu.column, lu.inverse, lu.y
    l_start, l_row, l_value = lu.l_start, lu.l_row, lu.l_value
    u_start, u_column, u_value = lu.u_start, lu.u_column, lu.u_value
    n = row.shape[0]
    for k in range(n):
        known = x[row[k]]
        for p in range(l_start[k], l_start[k + 1]):
            x[l_row[p]] -= l_value[p] * known
    for k in range(n - 1, -1, -1):
        total = x[row[k]]
        for s in range(u_start[k], u_start[k + 1]):
            total -= u_value[s] * y[u_column[s]]
        y[column[k]] = total * inverse[k]
    for j in range(n):
        x[j] = y[j]


@kernel(internal=True)
def lu_solve_transposed(lu, x):
    """Replace x by the solution of A^T x = x."""
    row, column, inverse, y = lu.row, lu.column, lu.inverse, lu.y
    l_start, l_row, l_value = lu.l_start, lu.l_row, lu.l_value
    u_start, u_column, u_value = lu.u_start, lu.u_column, lu.u_value
    n = row.shape[0]
    for k in range(n):
        i = row[k]
        y[i] = x[column[k]] * inverse[k]
        for s in range(u_start[k], u_start[k + 1]):
            x[u_column[s]] -= u_value[s] * y[i]
    for k in range(n - 1, -1, -1):
        i = row[k]
        for p in range(l_start[k], l_start[k + 1]):
            y[i] -= l_value[p] * y[l_row[p]]
    for i in range(n):
        x[i] = y[i]


@kernel(once=True)
def choose_pivots(lu):
    """Choose pivots for the values in lu.a, which is not changed. Returns False if the matrix is singular."""
    a, b, filled, pattern = lu.a, lu.scratch, lu.filled, lu.pattern
    n = a.shape[0]
    for i in range(n):
        lu.row[i] = n
        lu.column[i] = n
        for j in range(n):
            b[i, j], filled[i, j] = a[i, j], min(pattern[i, j], 1)
    lu.l_start[0], lu.u_start[0] = 0, 0
    lu.chosen[0] = 0
    for k in range(n):
        i, j = _best_pivot(b, filled, n)
        if i < 0:
            return False
        lu.row[k], lu.column[k] = i, j
        _take_out(lu, b, filled, k, i, j)
    _list_places_to_clear(lu)
    lu.chosen[0] = 1
    lu.chosen[3] += 1
    lu.chosen[1] = _parity(lu.row, lu.y) * _parity(lu.column, lu.y)
    return True


@kernel(once=True)
def _list_places_to_clear(lu):
    """List the entries to clear: fill-in, and entries that accumulate contributions."""
    n, count = lu.a.shape[0], 0
    for i in range(n * n):
        lu.filled[i // n, i % n] = 0
    for k in range(n):
        for s in range(lu.u_start[k], lu.u_start[k + 1]):
            lu.filled[lu.row[k], lu.u_column[s]] = 1
        for p in range(lu.l_start[k], lu.l_start[k + 1]):
            lu.filled[lu.l_row[p], lu.column[k]] = 1
        lu.filled[lu.row[k], lu.column[k]] = 1
    for i in range(n * n):
        if lu.filled[i // n, i % n] == 1 and lu.pattern[i // n, i % n] != 2:
            lu.clear[count] = i
            count += 1
    lu.chosen[2] = count


@kernel(once=True)
def _best_pivot(b, filled, n):
    """The entry with the least fill-in among those large in their column; `filled` is 0 for eliminated entries."""
    best_i, best_j, least, largest = -1, -1, n * n + 1, 0.0
    for j in range(n):
        top, in_column = 0.0, 0
        for i in range(n):
            if filled[i, j] == 1:
                top = max(top, abs(b[i, j]))
                in_column += 1
        for i in range(n):
            if filled[i, j] == 1 and top > 0.0 and abs(b[i, j]) >= THRESHOLD * top:
                in_row = 0
                for c in range(n):
                    in_row += filled[i, c] == 1
                cost = (in_row - 1) * (in_column - 1)
                if cost < least or (cost == least and abs(b[i, j]) > largest):
                    best_i, best_j, least, largest = i, j, cost, abs(b[i, j])
    return best_i, best_j


@kernel(once=True)
def _take_out(lu, b, filled, k, i, j):
    """List and eliminate the entries of pivot k, and mark its row and column as done (2)."""
    n = b.shape[0]
    first = np.int64(lu.u_start[k])
    p, s = np.int64(lu.l_start[k]), first
    for c in range(n):
        if c != j and filled[i, c] == 1:
            lu.u_column[s] = c
            s += 1
    for r in range(n):
        if r != i and filled[r, j] == 1:
            lu.l_row[p] = r
            p += 1
            factor = b[r, j] / b[i, j]
            for u in range(first, s):
                c = lu.u_column[u]
                b[r, c] -= factor * b[i, c]
                filled[r, c] = 1
    for c in range(n):
        filled[i, c], filled[c, j] = 2, 2
    lu.l_start[k + 1], lu.u_start[k + 1] = p, s


@kernel(internal=True)
def _parity(order, seen):
    """The sign of a permutation, from its cycles."""
    sign = 1
    for i in range(order.shape[0]):
        seen[i] = 0.0
    for i in range(order.shape[0]):
        length, j = 0, i
        while seen[j] == 0.0:
            seen[j] = 1.0
            j = np.int64(order[j])
            length += 1
        if length > 0 and length % 2 == 0:
            sign = -sign
    return sign
