"""The sign of the curvature of an energy along the directions that constraints allow, with a bound on rounding errors.

    c = s^T H s / s^T D s,    J s = 0,    D = diag(|H_ii| + force)         force: the largest force, as an energy

D makes stiff and soft coordinates comparable: entries of D^-1/2 H D^-1/2 are sums of terms of at most 1, each known to
the `precision` of the evaluation. For a direction y = D^1/2 s of unit length,

    |error of c| <= precision (sum |y_i|)^2 + left_over |s|^2 + rounding |s| |H s - c D s|

`left_over` is the unbalanced force, since the position is not exactly an equilibrium. The last term is
the constraint force in this direction, along which the basis is exact to rounding. A curvature beyond this bound has a
sign; one within it counts as zero, and its direction as neutral. The directions are eigenvectors if a
basis of the free directions is known. In large systems, Cholesky factorizations prove that all curvatures are positive;
if they fail, the Lanczos method finds the lowest ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from cardan.numerics.linalg.bordered import definite

FEW_CURVATURES = 8  # number of curvatures computed for a large system
ROUNDING = 8.0 * float(np.finfo(float).eps)
LARGE_COMPONENT, NEGLIGIBLE_COMPONENT = 0.5, 1e-6  # relative to the largest component
ROW_REGULARIZATION = 1e-13  # relative to a unit row: keeps redundant rows from being singular


class Curvature(NamedTuple):
    """The lowest curvature c and its error bound, the number of negative directions, and the neutral directions.

    `neutral` has orthonormal columns; `decided` is False if the Lanczos method did not converge.
    """

    lowest: float
    bound: float
    negative: int
    neutral: np.ndarray
    decided: bool = True


def curvature_of(
    H: Any, J: Any, basis: np.ndarray | None, force: float, *, precision: float, left_over: float = 0.0
) -> Curvature:
    """The curvature of the symmetric part of H along J s = 0, whose solutions the columns of `basis` span, if given."""
    H = 0.5 * (H + H.T)
    D = np.abs(H.diagonal()) + force
    D = np.where(D > 0.0, D, D.max(initial=0.0) or 1.0)
    if basis is not None:
        if not basis.shape[1]:
            return Curvature(np.inf, 0.0, 0, np.zeros((H.shape[0], 0)))
        values, directions, extra = _all(H, basis, D)
    else:
        scale = sp.diags_array(1.0 / np.sqrt(D))
        H, J = sp.csr_array(scale @ H @ scale), sp.csr_array(J @ scale)
        least = precision * H.shape[0] + left_over / D
        if definite(H - sp.diags_array(least), J):
            return Curvature(float(least.min()), 0.0, 0, np.zeros((H.shape[0], 0)))
        found = _lowest(H, J, precision)
        if found is None:
            return Curvature(0.0, np.inf, 0, np.zeros((H.shape[0], 0)), decided=False)
        values, directions = found
        extra = np.zeros(values.size)
    moved = directions / np.sqrt(D)[:, None]
    bounds = precision * np.abs(directions).sum(axis=0) ** 2 + left_over * (moved**2).sum(axis=0) + extra
    neutral = moved[:, np.abs(values) <= bounds]
    lowest = int(np.argmin(values))
    if neutral.size:
        neutral = scipy.linalg.qr(neutral / np.linalg.norm(neutral, axis=0), mode="economic")[0]
    return Curvature(float(values[lowest]), float(bounds[lowest]), int(np.sum(values < -bounds)), neutral)


def leading_rows(columns: np.ndarray) -> list[int]:
    """A row for each of the independent columns, such that these rows are independent: of all candidates that are at
    least half as large as the largest, the first. The choice depends on the space that the columns span, not on the
    columns, which are arbitrary where several eigenvalues are equal."""
    basis, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    left = basis[:, sizes > NEGLIGIBLE_COMPONENT * sizes.max(initial=0.0)]
    chosen = []
    for _ in range(left.shape[1]):
        sizes = np.linalg.norm(left, axis=1)
        k = int(np.argmax(sizes >= LARGE_COMPONENT * sizes.max()))
        chosen.append(k)
        left = left - np.outer(left @ left[k], left[k]) / sizes[k] ** 2
    return chosen


def _all(H: Any, basis: np.ndarray, D: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All curvatures, their directions y as unit columns, and the error due to rounding of the basis."""
    root = np.sqrt(D)[:, None]
    Q = scipy.linalg.qr(root * basis, mode="economic")[0]
    values, vectors = np.linalg.eigh((Q / root).T @ (H @ (Q / root)))
    y = Q @ vectors
    s = y / root
    carried = H @ s - values * (root * y)
    return values, y, ROUNDING * np.linalg.norm(s, axis=0) * np.linalg.norm(carried, axis=0)


def _lowest(H: sp.csr_array, J: sp.csr_array, small: float) -> tuple[np.ndarray, np.ndarray] | None:
    """The lowest curvatures of a scaled H and their directions, or None if the iteration does not converge.

    Inverse iteration with H + mu, mu the least power for which this is positive.
    """
    n, mu = H.shape[0], small
    while not definite(H + mu * sp.eye_array(n), J):
        mu *= 16.0
    lengths = np.sqrt(np.asarray((J * J).sum(axis=1)).ravel())
    J = sp.diags_array(1.0 / np.where(lengths > 0.0, lengths, 1.0)) @ J
    corner = sp.diags_array(np.full(J.shape[0], -ROW_REGULARIZATION))
    factors = splu(sp.csc_array(sp.block_array([[H + mu * sp.eye_array(n), J.T], [J, corner]])))
    zero = np.zeros(J.shape[0])
    inverse = LinearOperator((n, n), matvec=lambda b: factors.solve(np.concatenate([b.ravel(), zero]))[:n], dtype=float)
    start = np.random.default_rng(0).standard_normal(n)
    try:
        _, vectors = eigsh(inverse, k=min(FEW_CURVATURES, n - 1), which="LA", v0=start)
    except ArpackNoConvergence:
        return None
    vectors = scipy.linalg.qr(vectors, mode="economic")[0]
    values, mixed = np.linalg.eigh(vectors.T @ (H @ vectors))
    return values, vectors @ mixed
