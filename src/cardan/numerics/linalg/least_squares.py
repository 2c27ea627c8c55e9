"""Minimum-norm least squares for overdetermined, underdetermined or dependent equations."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def least_squares(A: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """The shortest x that minimizes |A x - b|.

    Directions in which A is smaller than `tolerance` times its norm are ignored. An orthogonal factorization with
    column pivoting finds them at a tenth of the cost of singular values.
    """
    if not A.size:
        return np.zeros(A.shape[1])
    return np.asarray(scipy.linalg.lstsq(A, b, cond=tolerance, lapack_driver="gelsy", check_finite=False)[0])
