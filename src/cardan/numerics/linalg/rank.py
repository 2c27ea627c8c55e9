"""When equations depend on each other: the one policy, for Cartesian and joint coordinates alike.

    J b            columns scaled by b, chosen to give all entries of J similar size (`balanced_columns`)
    r / |r|        rows scaled to unit length

A row depends on others if the sine of its angle to their span is at most SINE. Units, the size of the mechanism and of
single bodies, and its location all cancel. Two rules complete the policy:

* A row is compared with its length *before* cancellation. In joint coordinates a row of a redundant loop is
  a sum whose terms cancel: the remaining rounding error has a direction but no meaning. Compared with itself it would
  count as an equation; compared with its terms it vanishes.
* Masses play no role. Whether a mechanism can move does not depend on its mass.

The constants, each with its reason:

SINE    1e-4, the root of SQUARE; `mobility` and simulations then count the same degrees of freedom. Parts from
        files fit to about 1e-5 rad and must count as parallel; an equation with a sine of 1e-4 requires forces 1e4
        times larger than the forces it balances.
SQUARE  1e-8. Compiled loops decide and solve by squares of sines. A row that is kept has multipliers with errors of
        1e-16 / SQUARE, one that is dropped for a step is violated by about SQUARE: both are equal at the root of the
        rounding unit. Bars that align ten times, at 40 tolerances from 1e-5 to 1e-11, have errors of at most 200
        tolerances; with 1e-9 or 1e-7 some errors reach 6e3 and 3e7.
ROW_NOISE  1e-12. The remainder of a sum whose terms cancel, relative to these terms: 1e-16 times the number of terms
        and the growth of a factorization. It separates rounding from small values in matrices that are not scaled.
SINGULAR_PIVOT  1e-6. Ratio of smallest to largest singular value of a J that counts as singular. At a bifurcation phi
        is quadratic: a position closed to 1e-12 is off by the root of that, and J is not closer to singular.
FREE_PIVOT  1e-8. The same for the equations of steady motion, whose matrices are central differences with errors of
        1e-10: a direction in which they are smaller counts as free.
SMALL_PIVOT  1e-4. Entries of a row smaller than this fraction of its largest, after scaling out arms and units, are
        zero in some other position or rounding, including that of data from files (1e-5): balancing columns ignores
        them.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

SQUARE = 1e-8  # limit for the pivots of a Gram matrix, which are squares of distances
SINE = 1e-4
ROW_NOISE = 1e-12
SINGULAR_PIVOT = 1e-6
FREE_PIVOT = 1e-8
SMALL_PIVOT = 1e-4
BALANCING_SWEEPS = 30  # sweeps of balancing: enough for sizes that vary by orders of magnitude along a chain

Array = NDArray[np.float64]


def balanced_columns(
    rows: NDArray, columns: NDArray, values: NDArray, first: ArrayLike, group: ArrayLike | None = None
) -> Array:
    """Factors b of the columns that, with others of the rows, bring the entries of a sparse matrix near 1.

    They approximately minimize the sum of (log |J_ij| + log a_i + log b_j)^2. `first` is the initial guess, kept in
    columns without entries; the columns of a `group` share the correction to it.
    """
    b = np.log(np.asarray(first, float))
    groups = np.arange(b.size) if group is None else np.asarray(group, np.int64)
    sizes = np.abs(values) * np.exp(b[columns])
    nr = int(rows.max(initial=-1)) + 1
    largest = np.zeros(nr)
    np.maximum.at(largest, rows, np.where(np.isfinite(sizes), sizes, 0.0))
    kept = np.isfinite(sizes) & (sizes > SMALL_PIVOT * largest[rows]) & (sizes > 0.0)
    row, part, size = rows[kept], groups[columns[kept]], np.log(sizes[kept])
    change, count = np.zeros(int(groups.max(initial=-1)) + 1), groups.max(initial=-1) + 1
    in_row, in_group = np.bincount(row, minlength=nr).clip(1), np.bincount(part, minlength=count).clip(1)
    for _ in range(BALANCING_SWEEPS):
        a = -np.bincount(row, size + change[part], nr) / in_row
        change = -np.bincount(part, size + a[row], count) / in_group
    return np.asarray(np.exp(b + change[groups]))


def independent_rows(
    J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None, tolerance: float = SINE
) -> NDArray[np.int64]:
    """Independent rows of a dense matrix, the most clearly independent first.

    `scale` holds the factors that balance its columns. `size` holds the lengths of the rows of J * scale before
    cancellation, by default their actual lengths.
    """
    rows, _ = _unit_rows(J * np.asarray(scale, float), size)
    if not rows.size:
        return np.zeros(0, np.int64)
    triangle, order = scipy.linalg.qr(rows.T, pivoting=True, mode="r", check_finite=False)
    rank = int(np.sum(np.abs(np.diag(triangle)) > tolerance))  # distances of rows from the span of the preceding ones
    return np.asarray(order[:rank], np.int64)


def null_space(J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None) -> Array:
    """An orthonormal basis of the null space of a dense matrix."""
    kept = independent_rows(J, scale, size)
    if not kept.size:
        return np.eye(J.shape[1])
    Q = scipy.linalg.qr(_unit_rows(J[kept])[0].T, check_finite=False)[0]
    return np.asarray(Q[:, kept.size :])


def truncated(J: NDArray, scale: ArrayLike = 1.0, size: ArrayLike | None = None) -> tuple[Array, Array]:
    """A dense matrix whose nearly dependent rows are made exactly dependent, divided by the row lengths that are also
    returned. Its singular values are zero to rounding, less than ROW_NOISE, or at least of the order of SINE."""
    kept, scale = independent_rows(J, scale, size), np.asarray(scale, float)
    unit, lengths = _unit_rows(J * scale, size)
    basis = scipy.linalg.qr(_unit_rows(J[kept])[0].T, mode="economic", check_finite=False)[0] if kept.size else None
    if basis is None:
        return np.zeros(J.shape), lengths
    return np.asarray((J / lengths[:, None]) @ basis @ basis.T), lengths


def _unit_rows(J: NDArray, size: ArrayLike | None = None) -> tuple[Array, Array]:
    """J with rows of unit length, and their original lengths, at least `size`."""
    own = np.sqrt(np.einsum("ij,ij->i", J, J))
    lengths = own if size is None else np.maximum(own, np.asarray(size, float))
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    return np.asarray(J / lengths[:, None]), lengths
