"""When equations depend on each other: the one policy, for Cartesian and joint coordinates alike.

    J b            columns scaled by b, chosen so that all entries of J are of like size (`balanced_columns`)
    r / |r|        rows scaled to unit length

A row depends on others if the sine of its angle to their span is at most SINE. Units, the size of the mechanism and of
single bodies, and the place where it stands all cancel. Two rules complete the policy:

* What a row is compared with is its length *before* anything cancels. In joint coordinates a row of a redundant loop is
  a sum whose terms cancel: only rounding is left, which has a direction but no meaning. Compared with itself it would
  count as an equation; compared with its terms it vanishes.
* Masses take no part. Whether a mechanism can move does not depend on what it weighs.

The constants, each with its reason:

SINE    1e-4, the root of SQUARE, so that `mobility` and a simulation count the same degrees of freedom. Parts from
        files fit to about 1e-5 rad and must count as parallel; an equation with a sine of 1e-4 is kept by forces 1e4
        times larger than those it balances.
SQUARE  1e-8. Compiled loops decide and solve by squares of sines. A row that is kept has multipliers with errors of
        1e-16 / SQUARE, one that is dropped for a step misses by about SQUARE: both are alike at the root of the
        rounding unit. Bars that fall in line ten times, at 40 tolerances from 1e-5 to 1e-11, err by 200 tolerances at
        most; with 1e-9 or 1e-7 single ones err by 6e3 and 3e7.
NOISE   1e-12. What is left of a sum whose terms cancel, relative to these terms: 1e-16 times the number of terms and
        the growth of a factorization. It separates rounding from what is small, in matrices that were not scaled.
SINGULAR
        1e-6. Smallest to largest singular value of a J that counts as singular. At a bifurcation phi is quadratic: a
        position that is closed to 1e-12 is off by the root of that, and J is no nearer to singular.
FREE    1e-8. The same of the equations of steady motion, whose matrices come from central differences with errors of
        1e-10: a direction in which they are smaller counts as free.
TINY    1e-4. Entries of a row smaller than this part of its largest, arms and units taken out, are zero in some other
        position, or rounding, that of data from files included (1e-5): they do not take part in balancing columns.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

SQUARE = 1e-8  # what pivots of a Gram matrix, squares of distances, are compared with
SINE = 1e-4
NOISE = 1e-12
SINGULAR = 1e-6
FREE = 1e-8
TINY = 1e-4
ROUNDS = 30  # of balancing: enough for sizes that change by orders of magnitude along a chain

Array = NDArray[np.float64]


def balanced_columns(
    rows: NDArray, columns: NDArray, values: NDArray, first: ArrayLike, group: ArrayLike | None = None
) -> Array:
    """Factors b of the columns that, with others of the rows, bring the entries of a sparse matrix near 1.

    They minimize, roughly, the sum of (log |J_ij| + log a_i + log b_j)^2. `first` is a guess, to which columns without
    entries are left; columns of one `group` share what is changed of it.
    """
    b = np.log(np.asarray(first, float))
    groups = np.arange(b.size) if group is None else np.asarray(group, np.int64)
    sizes = np.abs(values) * np.exp(b[columns])
    nr = int(rows.max(initial=-1)) + 1
    largest = np.zeros(nr)
    np.maximum.at(largest, rows, np.where(np.isfinite(sizes), sizes, 0.0))
    kept = np.isfinite(sizes) & (sizes > TINY * largest[rows]) & (sizes > 0.0)
    row, part, size = rows[kept], groups[columns[kept]], np.log(sizes[kept])
    change, count = np.zeros(int(groups.max(initial=-1)) + 1), groups.max(initial=-1) + 1
    in_row, in_group = np.bincount(row, minlength=nr).clip(1), np.bincount(part, minlength=count).clip(1)
    for _ in range(ROUNDS):
        a = -np.bincount(row, size + change[part], nr) / in_row
        change = -np.bincount(part, size + a[row], count) / in_group
    return np.asarray(np.exp(b + change[groups]))


def independent_rows(
    J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None, tolerance: float = SINE
) -> NDArray[np.int64]:
    """Rows of a dense matrix of which none depends on the others; the clearest come first.

    `scale` are the factors that balance its columns. `size` are the lengths of the rows of J * scale before anything
    cancelled; their own where it is left out.
    """
    rows, _ = _unit_rows(J * np.asarray(scale, float), size)
    if not rows.size:
        return np.zeros(0, np.int64)
    triangle, order = scipy.linalg.qr(rows.T, pivoting=True, mode="r", check_finite=False)
    rank = int(np.sum(np.abs(np.diag(triangle)) > tolerance))  # distances of rows from the span of those before
    return np.asarray(order[:rank], np.int64)


def null_space(J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None) -> Array:
    """An orthonormal basis of what the rows of a dense matrix allow."""
    kept = independent_rows(J, scale, size)
    if not kept.size:
        return np.eye(J.shape[1])
    Q = scipy.linalg.qr(_unit_rows(J[kept])[0].T, check_finite=False)[0]
    return np.asarray(Q[:, kept.size :])


def truncated(J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None) -> tuple[Array, Array]:
    """A dense matrix with rows that depend on others exactly where they nearly do, and which are divided by the lengths
    that come with it. Its singular values are zero to rounding, less than NOISE, or of the order of SINE at least."""
    kept, scale = independent_rows(J, scale, size), np.asarray(scale, float)
    unit, lengths = _unit_rows(J * scale, size)
    basis = scipy.linalg.qr(_unit_rows(J[kept])[0].T, mode="economic", check_finite=False)[0] if kept.size else None
    if basis is None:
        return np.zeros(J.shape), lengths
    return np.asarray((J / lengths[:, None]) @ basis @ basis.T), lengths


def _unit_rows(J: NDArray, size: ArrayLike | None = None) -> tuple[Array, Array]:
    """J with rows of unit length, and the lengths they had; at least `size`."""
    own = np.sqrt(np.einsum("ij,ij->i", J, J))
    lengths = own if size is None else np.maximum(own, np.asarray(size, float))
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    return np.asarray(J / lengths[:, None]), lengths
