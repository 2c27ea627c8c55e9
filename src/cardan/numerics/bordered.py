"""A symmetric matrix bordered by constraints, factorized by symmetric elimination that counts negative pivots.

        [ A + rho J^T J   J^T ]        s^T A s > 0 for all s with J s = 0
    K = [       J        -eps ]        if and only if K has as many negative pivots as J has rows    (Sylvester's law)

rho J^T J changes no solution with J s = 0, but keeps pivots away from zero that belong to held directions; eps lets rows
be redundant and costs a refinement. Elimination keeps to the diagonal, so that the pivots are those of K = L D L^T.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

RHO, EPS = 4.0, 1e-11


class Bordered:
    """The factors of K. `definite`: whether A is positive on the null space of J."""

    def __init__(self, A: sp.csr_array, J: sp.csr_array) -> None:
        self.A, self.J = A, J
        self.count = J.shape[0]
        corner = sp.diags_array(np.full(self.count, -EPS))
        matrix = sp.csc_array(sp.block_array([[A + RHO * (J.T @ J), J.T], [J, corner]]))
        options = {"SymmetricMode": True}
        self.definite = False
        try:
            self.factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        except RuntimeError:  # a pivot is exactly zero
            return
        pivots = self.factors.U.diagonal()
        kept = np.array_equal(self.factors.perm_r, self.factors.perm_c)
        self.definite = bool(kept and np.sum(pivots < 0.0) == self.count)

    def solve(self, top: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s and lambda with A s + J^T lambda = top, J s = low, refined once."""
        n = top.size
        x = np.zeros(n + self.count)
        for _ in range(2):
            s, multipliers = x[:n], x[n:]
            rest = low - self.J @ s
            left = top - self.A @ s - self.J.T @ multipliers + RHO * (self.J.T @ rest)
            x = x + self.factors.solve(np.concatenate([left, rest]))
        return x[:n], x[n:]
