"""A symmetric matrix bordered by constraints, factorized by symmetric elimination that counts negative pivots.

        [ A + rho J^T J   J^T ]        s^T A s > 0 for all s with J s = 0
    K = [       J        -eps ]        if and only if K has as many negative pivots as J has rows    (Sylvester's law)

rho J^T J changes no solution with J s = 0, but keeps pivots away from zero that belong to held directions; eps lets
rows be redundant and costs a refinement. Elimination keeps to the diagonal, so that the pivots are those of
K = L D L^T; of small matrices the eigenvalues are counted instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

RHO, EPS = 4.0, 1e-11


class Bordered:
    """The factors of K, from arrays or sparse matrices. `definite`: whether A is positive on the null space of J."""

    def __init__(self, A: Any, J: Any) -> None:
        self.A, self.J, self.count = A, J, J.shape[0]
        self.definite = False
        top = A + RHO * (J.T @ J)
        if isinstance(A, np.ndarray):
            self._factorize(np.block([[top, J.T], [J, -EPS * np.eye(self.count)]]))
        else:
            corner = sp.diags_array(np.full(self.count, -EPS))
            self._factorize_sparse(sp.csc_array(sp.block_array([[top, J.T], [J, corner]])))

    def _factorize(self, K: np.ndarray) -> None:
        values, vectors = np.linalg.eigh(K)
        self.definite = int(np.sum(values < 0.0)) == self.count
        values[values == 0.0] = EPS
        self._solve = lambda right: vectors @ ((vectors.T @ right) / values)

    def _factorize_sparse(self, K: sp.csc_array) -> None:
        options = {"SymmetricMode": True}
        try:
            factors = splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        except RuntimeError:  # a pivot is exactly zero
            return
        on_diagonal = np.array_equal(factors.perm_r, factors.perm_c)
        self.definite = bool(on_diagonal and np.sum(factors.U.diagonal() < 0.0) == self.count)
        self._solve = factors.solve

    def solve(self, top: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s and lambda with A s + J^T lambda = top, J s = low, refined twice: elimination without pivoting needs it."""
        n = top.size
        x = np.zeros(n + self.count)
        for _ in range(3):
            s, multipliers = x[:n], x[n:]
            rest = low - self.J @ s
            left = top - self.A @ s - self.J.T @ multipliers + RHO * (self.J.T @ rest)
            x = x + self._solve(np.concatenate([left, rest]))
        return x[:n], x[n:]
