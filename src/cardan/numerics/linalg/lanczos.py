"""The lowest modes of K v = lambda M v by the block Lanczos method on the inverse, with full reorthogonalization.

    G M v = theta v,   theta = 1 / lambda,   G the inverse of K (of a free body: its inverse without rigid motions)

Each step multiplies a block of vectors by G M, which a factorization of K does at the cost of one, and orthogonalizes
it against all before. The residual of a Ritz pair is known without a product. A block is at least as wide as the
multiplicity of the eigenvalues that it has to find. M may be singular. (Grimes, Lewis and Simon, SIAM J. Matrix Anal.
Appl. 15, 1994.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import eigh

TOLERANCE = 1e-9  # residual of G M v = theta v relative to theta: eigenvalues are then exact to its square over the gap
DEPENDENT_DIRECTION = 1e-13  # norm of a new direction, relative to the operator
MIN_NORM = 1e-14  # squared norm of a direction relative to the largest of its block: below, it is rounding
BLOCK_SIZE = 12
SEED = 20


class NotConverged(Exception):
    """The method used up its vectors."""


def lowest_modes(
    inverse: Callable[[np.ndarray], np.ndarray],
    M: Any,
    count: int | None = None,
    limit: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(lambda, columns): the `count` lowest modes, or all with lambda up to `limit`, with v^T M v = 1.

    >>> from scipy.sparse import identity
    >>> stiffness = np.arange(1.0, 101.0)
    >>> lowest_modes(lambda f: f / stiffness[:, None], identity(100), count=3)[0].round(9)
    array([1., 2., 3.])
    """
    size = M.shape[0]
    width = min(size, max(BLOCK_SIZE, (count or 0) // 3))
    most = min(size, max(40 * width, 6 * (count or 0)))
    start = np.random.default_rng(SEED).standard_normal((size, width))
    block, _ = _orthonormal(inverse(M @ start), M, 0.0)
    space, images = _Columns(size), _Columns(size)
    H = np.zeros((0, 0))
    while True:
        V, MV = space.append(block), images.append(M @ block)
        product = inverse(MV[:, -block.shape[1] :])
        coefficients = MV.T @ product
        product -= V @ coefficients
        again = MV.T @ product
        coefficients, product = coefficients + again, product - V @ again
        old, new = len(H), coefficients.shape[1]
        H = np.block([[H, coefficients[:old]], [coefficients[:old].T, coefficients[old:]]])
        theta, S = eigh(0.5 * (H + H.T))
        theta, S = theta[::-1], S[:, ::-1]
        block, border = _orthonormal(product, M, DEPENDENT_DIRECTION * theta[0])
        residual = np.linalg.norm(border @ S[-new:], axis=0) if border.size else np.zeros(len(theta))
        done = residual <= TOLERANCE * np.abs(theta)
        exhausted = block.shape[1] == 0
        wanted = _wanted(theta, count, limit, exhausted)
        if wanted is not None and done[:wanted].all():
            break
        if exhausted or V.shape[1] + block.shape[1] > most:
            if exhausted or V.shape[1] >= size:
                wanted = len(theta) if wanted is None else min(wanted, len(theta))
                break
            raise NotConverged(f"{int(done.sum())} modes converged with {V.shape[1]} vectors")
        if progress is not None:
            progress(float(np.argmin(done)) / max(wanted or len(theta), 1))
    kept = int(np.sum(theta[:wanted] > np.finfo(float).eps * theta[0]))
    if limit is not None:
        kept = min(kept, int(np.sum(theta[:wanted] >= 1.0 / limit)))
    return 1.0 / theta[:kept], V @ S[:, :kept]


class _Columns:
    """Columns that grow in place."""

    def __init__(self, size: int) -> None:
        self._all, self._used = np.empty((size, 64), order="F"), 0

    def append(self, block: np.ndarray) -> np.ndarray:
        """All columns, the new ones last."""
        used = self._used + block.shape[1]
        if used > self._all.shape[1]:
            grown = np.empty((len(self._all), max(used, 2 * self._all.shape[1])), order="F")
            grown[:, : self._used] = self._all[:, : self._used]
            self._all = grown
        self._all[:, self._used : used] = block
        self._used = used
        return self._all[:, :used]


def _wanted(theta: np.ndarray, count: int | None, limit: float | None, exhausted: bool) -> int | None:
    """How many of the values found so far have to converge; None if more have to be found first."""
    if count is not None:
        return count if len(theta) >= count or exhausted else None
    below = int(np.sum(theta < 1.0 / limit)) if limit else 0
    return len(theta) - below + 1 if below else None  # one beyond the limit shows that none is missing


def _orthonormal(block: np.ndarray, M: Any, least: float) -> tuple[np.ndarray, np.ndarray]:
    """(Q, B): block = Q B with Q^T M Q = I; directions shorter than `least`, or that depend on others, are left out."""
    factor = np.eye(block.shape[1])
    for _ in range(2):
        gram = block.T @ (M @ block)
        values, W = eigh(0.5 * (gram + gram.T))
        keep = values > max(least**2, MIN_NORM * values.max(initial=0.0), np.finfo(float).tiny)
        least = 0.0
        root = np.sqrt(values[keep])
        block = block @ (W[:, keep] / root)
        factor = (root[:, None] * W[:, keep].T) @ factor
    return block, factor
