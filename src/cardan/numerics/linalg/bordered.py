"""A symmetric matrix restricted to the null space of constraints: solutions and definiteness.

        [ A   J^T ]        s^T A s > 0 for all s with J s = 0
    K = [ J  -eps ]        if and only if A + rho J^T J is positive definite for some rho      (Finsler, Debreu)

Solutions come from an LU factorization of K with pivoting; eps allows redundant rows and costs a refinement.
Definiteness is decided by Cholesky factorizations of A + rho J^T J with a growing rho. Elimination of a positive
definite matrix needs no pivoting, and its error is at most the rounding of its largest entry, in any order: the result
does not depend on the processor. Counting negative pivots of K would: a pivot -eps eliminated early costs
eleven digits. For small matrices the eigenvalues are counted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

EPS = 1e-11
PENALTIES = (4.0, 4e3, 4e6)  # rho, relative to rows of unit length; the last leaves rounding of 1e-9


class Bordered:
    """The factors of K, from arrays or sparse matrices. `definite`: whether A is positive on the null space of J.

    A sparse A need not be symmetric; solutions are NaN if K is exactly singular.
    """

    def __init__(self, A: Any, J: Any) -> None:
        self.A, self.J, self.count = A, J, J.shape[0]
        self._singular = False
        if isinstance(A, np.ndarray):
            self._factorize(np.block([[A, J.T], [J, -EPS * np.eye(self.count)]]))
        else:
            corner = sp.diags_array(np.full(self.count, -EPS))
            try:
                self._solve = splu(sp.csc_array(sp.block_array([[A, J.T], [J, corner]]))).solve
            except RuntimeError:  # exactly singular
                self._singular = True
                self._solve = lambda right: np.full(right.size, np.nan)

    @cached_property
    def definite(self) -> bool:
        return not self._singular and definite(self.A, self.J)

    def _factorize(self, K: np.ndarray) -> None:
        values, vectors = np.linalg.eigh(K)
        self.definite = int(np.sum(values < 0.0)) == self.count
        values[values == 0.0] = EPS
        self._solve = lambda right: vectors @ ((vectors.T @ right) / values)

    def solve(self, top: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """s and lambda with A s + J^T lambda = top, J s = low, refined twice because of eps."""
        n = top.size
        x = np.zeros(n + self.count)
        for _ in range(3):
            s, multipliers = x[:n], x[n:]
            left = top - self.A @ s - self.J.T @ multipliers
            x = x + self._solve(np.concatenate([left, low - self.J @ s]))
        return x[:n], x[n:]


def definite(A: Any, J: Any) -> bool:
    """Whether a sparse A is positive on the null space of J, as proved by Cholesky factorizations."""
    A, J = sp.csr_array(A), sp.csr_array(J)
    lengths = np.sqrt(np.asarray((J * J).sum(axis=1)).ravel())
    J = sp.diags_array(1.0 / np.where(lengths > 0.0, lengths, 1.0)) @ J
    held = sp.csc_array(J.T @ J)
    return any(_positive(sp.csc_array(A + rho * held)) for rho in (PENALTIES if J.nnz else (0.0,)))


def _positive(matrix: sp.csc_array) -> bool:
    """Whether symmetric elimination along the diagonal has only positive pivots."""
    if not matrix.shape[0]:
        return True
    if matrix.diagonal().min() <= 0.0:
        return False
    try:
        factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot is exactly zero
        return False
    return bool(np.array_equal(factors.perm_r, factors.perm_c) and factors.U.diagonal().min() > 0.0)
