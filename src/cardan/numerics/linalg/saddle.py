"""A sparse matrix J inside the saddle-point matrix that projects on its null space and measures its rows.

        [ W  J^T ]       W = diag(1 / b_j^2)        v = W y + J^T c,   J y = 0
    K = [ J   0  ]

b is the *balance*: the factors by which the columns of J are compared. K is factorized without some rows of J, in
an order that costs O(n) on most mechanisms. The diagonal of its inverse holds the distance of every row from the span
of all others, 1 / d_i^2 = [(J W^-1 J^T)^-1]_ii, at the cost of another factorization (selected inversion: Takahashi,
Fagan and Chin 1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg import ldlt
from cardan.numerics.linalg.ordering import Numbers, RowBlock, elimination_order


class Structure(NamedTuple):
    """The arguments of `ordering.elimination_order` for a large matrix."""

    units: Sequence[Numbers]
    row_blocks: Sequence[RowBlock]
    tree: Sequence[int]


class Saddle:
    """The factors of [[W, J^T], [J, 0]] without some rows, and the projections and distances computed from them."""

    def __init__(self, J: sp.csr_array, structure: Structure) -> None:
        nr, self.nc = J.shape
        n = self.nc + nr
        self.entries = J.tocoo()
        perm = elimination_order(*structure).astype(np.int64)
        rows = np.concatenate((np.arange(n), self.nc + self.entries.row))
        cols = np.concatenate((np.arange(n), self.entries.col))
        self.pattern, self.slots = ldlt.analyze(n, rows, cols, perm)
        self.position = np.empty(n, np.int64)
        self.position[perm] = np.arange(n)
        self.values = np.zeros(ldlt.values_size(self.pattern))
        self.L, self.D, self.dropped = np.zeros(self.pattern.Li.size), np.zeros(n), np.zeros(n, np.uint8)
        self.loop = np.zeros(nr, bool)
        for (block, _), unit in zip(structure.row_blocks, structure.tree, strict=True):
            self.loop[np.asarray(block, np.int64)] = unit < 0

    def factor(self, balance: NDArray, without: NDArray, sine: float) -> NDArray[np.int64]:
        """Factorize without the given rows and without rows outside the tree closer than `sine` to the span of the
        preceding ones. Returns the omitted rows."""
        nr, n = self.loop.size, self.D.size
        self.balance, self.kept = balance, np.ones(nr, bool)
        self.kept[without] = False
        jacobian = np.where(self.kept[self.entries.row], self.entries.data, 0.0)
        self.values[:] = 0.0
        np.add.at(self.values, self.slots, np.concatenate((1.0 / balance**2, np.zeros(nr), jacobian)))
        testable = np.zeros(n, np.uint8)  # no other pivot can be zero, since W > 0 and the tree is trusted
        testable[self.position[self.nc :]] = self.loop | ~self.kept
        ldlt.factor_rank(self.pattern, self.values, self.L, self.D, np.zeros(n), testable, sine**2, self.dropped)
        self.kept = self.dropped[self.position[self.nc :]] == 0
        return np.flatnonzero(~self.kept)

    def project(self, vector: NDArray) -> tuple[NDArray, NDArray]:
        """y and c with vector = W y + J^T c, J y = 0, c = 0 on omitted rows; refined, which undoes the squaring."""
        right = np.zeros(self.D.size)
        right[self.position[: self.nc]] = vector
        solution, residual, product = np.zeros_like(right), right.copy(), np.zeros_like(right)
        for _ in range(3):
            ldlt.solve(self.pattern, self.L, self.D, residual)
            solution += residual
            if np.abs(residual).max() <= 1e-14 * np.abs(solution).max():
                break
            ldlt.multiply(self.pattern, self.values, solution, product)
            np.subtract(right, product, out=residual)
        unknowns = solution[self.position]
        return unknowns[: self.nc], unknowns[self.nc :]

    def distances(self) -> NDArray:
        """Distances of the rows from the span of all others in the metric of the balance; infinite for omitted rows."""
        diagonal = np.zeros(self.D.size)
        _invert_on_pattern(self.pattern, self.L, self.D, np.zeros(self.L.size), np.zeros((2, self.D.size)), diagonal)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.kept, 1.0 / np.sqrt(-diagonal[self.position[self.nc :]]), np.inf)


@kernel
def _invert_on_pattern(pattern, L, D, Z, work, diagonal):
    """The entries of K^-1 on the pattern of L, column by column from the last; `work` is zero."""
    Lp, Li = pattern.Lp, pattern.Li
    column, total = work
    for j in range(D.shape[0] - 1, -1, -1):
        for p in range(Lp[j], Lp[j + 1]):
            column[Li[p]] = L[p]
            total[Li[p]] = 0.0
        for p in range(Lp[j], Lp[j + 1]):
            k = Li[p]
            total[k] += diagonal[k] * L[p]
            for q in range(Lp[k], Lp[k + 1]):
                total[Li[q]] += Z[q] * L[p]
                total[k] += Z[q] * column[Li[q]]
        diagonal[j] = D[j]
        for p in range(Lp[j], Lp[j + 1]):
            Z[p] = -total[Li[p]]
            diagonal[j] -= L[p] * Z[p]
            column[Li[p]] = 0.0
