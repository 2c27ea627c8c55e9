"""Places of contact in joint coordinates: coordinates u of their own, which have no inertia.

    M x + A^T lam = f            A and U are the columns of Phi that belong to the tree and to u. As nothing resists u,
          U^T lam = p            Phi M^-1 Phi^T does not exist, and A M^-1 A^T may be singular: u is eliminated first
    A x + U u     = c            (p: forces along u)

Each u is found from one row, that in which it counts most; a multiple of this row is taken from all others (Gauss and
Jordan with a matrix T):

    T U = [ D ]      rows that u is found from, D diagonal          nu = T^-T lam:   nu_1 = D^-1 p
          [ 0 ]      all others, which do not know u                W nu_2 = (T A)_2 M^-1 (f - (T A)_1^T nu_1) - (T c)_2

with W = (T A)_2 M^-1 (T A)_2^T, positive where these rows are independent; then u = D^-1 ((T c)_1 - (T A)_1 x) and
lam = T^T nu. A row that depends on others does so still, and is dropped from W; those that are released take no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.rank import SINE
from cardan.system.system import System

# u is found from no row if it counts less than the part SINE, of what it counts in all rows, in those that are left.


class Own(NamedTuple):
    """Rows without own coordinates, and how they were found; `aside` and `rows` are those of Phi if there are none."""

    start: np.ndarray  # uint32[m + 1]: non-zeros of each row in the columns of own coordinates,
    entry: np.ndarray  # uint32: by place in the table of the solver
    source: np.ndarray  # int64[k]: the row that each is found from, or -1
    share: np.ndarray  # float64[k, m]: by how much this row was taken from the others
    rows: np.ndarray  # float64[m, nv]: T Phi
    aside: np.ndarray  # uint8[m]: rows that W is without: dropped, or own coordinates are found from them
    open: np.ndarray  # float64[k]: by how much the rows are open that they are found from
    lean: np.ndarray  # float64[k]: nu of these rows


def own_table(system: System, rows: Sequence[int], Phi: np.ndarray, dropped: np.ndarray, count: int) -> Any:
    """The block of a system with `count` places of contact; `rows` are its equations of what is cut."""
    m = len(rows)
    base = system.width * (1 + len(system.bodies))
    entries = [np.flatnonzero((system.solver.row == row) & (system.solver.column >= base)) for row in rows]
    tables = Own(
        start=np.concatenate([[0], np.cumsum([one.size for one in entries])]).astype(np.uint32),
        entry=np.concatenate([np.zeros(0, int), *entries]).astype(np.uint32),
        source=np.full(count, -1, np.int64),
        share=np.zeros((count, m)),
        rows=Phi.copy() if count else Phi,
        aside=dropped.copy() if count else dropped,
        open=np.zeros(count),
        lean=np.zeros(count),
    )
    return block(tables)


@kernel(internal=True)
def eliminate_own(joint):
    """T Phi, of the rows that are not dropped."""
    own, Phi, A, dropped, scale = joint.own, joint.Phi, joint.own.rows, joint.dropped, joint.cartesian.rows.inverse
    rows, nv, count = Phi.shape[0], Phi.shape[1], own.source.shape[0]
    for r in range(rows):
        own.aside[r] = dropped[r]
        for j in range(nv):
            A[r, j] = Phi[r, j]
    for k in range(count):
        u, source, best, most = nv - count + k, np.int64(-1), 0.0, 0.0
        for r in range(rows):
            own.share[k, r] = 0.0
            most = max(most, abs(Phi[r, u]) * scale[joint.row[r]])
            if not own.aside[r] and abs(A[r, u]) * scale[joint.row[r]] > best:
                source, best = np.int64(r), abs(A[r, u]) * scale[joint.row[r]]
        own.source[k] = source if best > SINE * most else np.int64(-1)
        if own.source[k] < 0:
            continue
        own.aside[source] = 1
        for r in range(rows):
            if r == source or dropped[r] or A[r, u] == 0.0:
                continue
            share = A[r, u] / A[source, u]
            own.share[k, r] = share
            for j in range(nv):
                A[r, j] -= share * A[source, j]
            A[r, u] = 0.0


@kernel(internal=True)
def widen_own(joint):
    """Add to the squared lengths of rows, before terms cancel, those of the rows that were taken from them."""
    own, whole = joint.own, joint.whole
    for k in range(own.source.shape[0]):
        for r in range(whole.shape[0]):
            if own.share[k, r] != 0.0:
                whole[r] += own.share[k, r] ** 2 * whole[own.source[k]]


@kernel(internal=True)
def take_own(joint):
    """joint.right <- T right; what rows are open by that own coordinates are found from is kept."""
    own, right = joint.own, joint.right
    for k in range(own.source.shape[0]):
        if own.source[k] >= 0:
            for r in range(right.shape[0]):
                right[r] -= own.share[k, r] * right[own.source[k]]
    for k in range(own.source.shape[0]):
        own.open[k] = right[own.source[k]] if own.source[k] >= 0 else 0.0


@kernel(internal=True)
def find_own(joint, x):
    """Own coordinates in x, where joint.answer was taken from the others; joint.right = nu of W becomes lam."""
    own, A, right, count = joint.own, joint.own.rows, joint.right, joint.own.source.shape[0]
    first = x.shape[0] - count
    for k in range(count):
        p = own.source[k]
        if p < 0:
            continue
        total = own.open[k]
        for j in range(first):
            total -= A[p, j] * joint.answer[j]
        x[first + k] -= total / A[p, first + k]
        right[p] = own.lean[k]
    for k in range(count - 1, -1, -1):
        p = own.source[k]
        if p >= 0:
            for r in range(right.shape[0]):
                right[p] -= own.share[k, r] * right[r]


@kernel(internal=True)
def lean_on_rows(joint, force, load, sign):
    """nu of forces along own coordinates, the last numbers of `force`; sign times what the joints feel of it is added
    to `load`."""
    own, A, count = joint.own, joint.own.rows, joint.own.source.shape[0]
    first, last = A.shape[1] - count, force.shape[0] - count
    for k in range(count):
        p = own.source[k]
        own.lean[k] = force[last + k] / A[p, first + k] if p >= 0 else 0.0
        if own.lean[k] != 0.0:
            for j in range(first):
                load[j] += sign * own.lean[k] * A[p, j]
