"""Least squares of least length: for equations that may be too many, too few, or dependent."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def least_squares(A: np.ndarray, b: np.ndarray, tolerance: float) -> np.ndarray:
    """The shortest x of those that make |A x - b| least.

    Directions in which A is smaller than `tolerance` times its norm count as none. An orthogonal factorization with
    exchanged columns finds them, at a tenth of what singular values cost.
    """
    if not A.size:
        return np.zeros(A.shape[1])
    return np.asarray(scipy.linalg.lstsq(A, b, cond=tolerance, lapack_driver="gelsy", check_finite=False)[0])
