"""The dependent rows and the free columns of a sparse matrix.

    J  (nr x nc)   rows are gradients of equations, columns are coordinates

Columns are scaled by given weights (to compare meters with radians), rows to unit length. A row then depends on
others if the sine of its angle to their span is at most `tolerance`. The report contains:

* the rank;
* the redundant rows: those that the rows *before them* imply, whatever the order of a factorization. The left null
  space {v: v J = 0}, reduced to echelon form from the last row backwards, gives their relations (Haug, section 4.6);
* the independent coordinates: nc - rank coordinates that can be chosen freely, those with the largest pivots.

There are two algorithms. Up to a few hundred rows, QR with pivoting resolves sines down to the rounding unit, at a cost
of O(n^3). Beyond that the sparse factorization of

    [ W  J^T ]       W = diag(1 / b_j^2)        v = W y + J^T c,   J y = 0
    [ J   0  ]

costs O(n) for most mechanisms. Its pivots are *squares* of distances, its row order is fixed, and in the given
metric (b = 1) all loops of a long mechanism of short links appear nearly dependent. So the columns are first balanced:
J diag(b) has entries of similar size. In that metric a coarse threshold selects the rows that are clearly
independent; each of the others is projected, and W y is the part that these rows do not explain. If it vanishes,
c is the relation; the few remaining rows are examined by QR with pivoting.

The criterion is still the sine in the given metric, bounded by b:  |v| >= |v b| / max(b).  The distance of *every* row
from the span of all others follows from the diagonal of the inverse, 1 / d_i^2 = [(J W^-1 J^T)^-1]_ii, at the
cost of a factorization (see `saddle`). If a distance is below that bound, rows are examined with b = 1.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.csgraph import connected_components

from cardan.numerics.linalg.rank import balanced_columns
from cardan.numerics.linalg.saddle import Saddle, Structure

DENSE_ROWS, DENSE_COLUMNS = 400, 1200  # up to this size by dense QR
NULL_SPACE_LIMIT = 200  # degrees of freedom for a dense basis of the null space in large systems
DEFAULT_SINE = 1e-6  # default sine up to which rows depend on each other; mechanisms use `rank.SINE`
_CLEAR_SINE = 0.01  # rows above it are clearly independent in a factorization without pivoting
_WIDEST = 1e4  # largest balancing factor: squares of the factors enter one matrix
_TRUSTED = 1e-3  # least singular value of the rows of a tree joint in the columns of their unit
_PIVOT_SHARE = 0.1  # smallest pivot, relative to the largest entry of its row

Matrix: TypeAlias = sp.spmatrix | sp.sparray | NDArray | tuple[ArrayLike, ArrayLike, ArrayLike, tuple[int, int]]


class Redundancy(NamedTuple):
    """J[row] = coefficients @ J[rows], where all `rows` are kept; empty if the row vanishes."""

    row: int
    rows: NDArray[np.int64]
    coefficients: NDArray[np.float64]


class RankReport(NamedTuple):
    """The rank of J, its redundant rows in order, and its free coordinates."""

    shape: tuple[int, int]
    rank: int
    redundant: tuple[Redundancy, ...]
    independent: NDArray[np.int64]  # nc - rank coordinates
    null_space: NDArray[np.float64] | None  # (nc, nc - rank) with J Z = 0; None beyond NULL_SPACE_LIMIT

    @property
    def nullity(self) -> int:
        return self.shape[1] - self.rank


def rank_report(
    jacobian: Matrix,
    order_key: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    structure: Structure | None = None,
    sizes: ArrayLike | None = None,
    tolerance: float = DEFAULT_SINE,
    dense: bool | None = None,
    independent: bool = True,
) -> RankReport:
    """Rank, redundant rows and independent coordinates of `jacobian`: a matrix, or (rows, cols, values, shape).

    order_key   one number per row; rows with smaller keys are kept in preference to rows with larger ones
    weights     one number per column by which it is multiplied (a length for coordinates that are angles)
    sizes       row lengths after column scaling and before cancellation, by default the actual lengths
    structure   units, row blocks and tree; by default each coordinate is a unit and each row a block
    dense       True or False to choose the algorithm, by default according to size
    independent False to omit the independent coordinates, which are slow to find among many degrees of freedom
    """
    J, lengths, scale = _scaled(jacobian, weights, sizes)
    nr, nc = J.shape
    stated = np.argsort(np.arange(nr) if order_key is None else np.asarray(order_key), kind="stable")
    if dense is None:
        dense = nr <= DENSE_ROWS and nc <= DENSE_COLUMNS
    basis: NDArray | None
    if dense:
        relations, basis = _dense(J.toarray(), tolerance)
    else:
        relations, basis = _sparse(J, structure or _loose_structure(J), tolerance)
    redundant = _canonical(relations, stated, tolerance)
    free = np.zeros(0, np.int64)
    if independent and basis is None:
        free = _independent_by_elimination(J, np.setdiff1d(np.arange(nr), [row for row, _, _ in redundant]))
    elif independent and basis is not None:
        free = _independent_by_pivots(basis)
    return RankReport(
        shape=(nr, nc),
        rank=nr - len(redundant),
        redundant=tuple(Redundancy(r, rows, c * lengths[r] / lengths[rows]) for r, rows, c in redundant),
        independent=free,
        null_space=None if basis is None else scale[:, None] * basis,
    )


def null_space(jacobian: Matrix, **options: Any) -> NDArray[np.float64]:
    """A basis Z (nc x nc - rank) of {z: J z = 0}, orthonormal after division by the weights; options of rank_report."""
    report = rank_report(jacobian, **options)
    if report.null_space is None:
        raise ValueError(
            f"a null space of {report.nullity} dimensions is too large for a dense basis; the limit is "
            f"{NULL_SPACE_LIMIT}"
        )
    return report.null_space


def _scaled(
    jacobian: Matrix, weights: ArrayLike | None, sizes: ArrayLike | None = None
) -> tuple[sp.csr_array, NDArray, NDArray]:
    """J with unit rows, the original row lengths, and the column weights."""
    if isinstance(jacobian, tuple):
        rows, cols, values, shape = jacobian
        jacobian = sp.coo_array((np.asarray(values, float), (np.asarray(rows), np.asarray(cols))), shape=shape)
    J = sp.csr_array(jacobian, dtype=float)
    w = np.ones(J.shape[1]) if weights is None else np.asarray(weights, float)
    row, data = np.repeat(np.arange(J.shape[0]), np.diff(J.indptr)), J.data * w[J.indices]
    if not np.all(np.isfinite(data)):
        raise ValueError("the matrix or its weights contain values that are not finite; its rank has no meaning")
    lengths = np.sqrt(np.bincount(row, data * data, J.shape[0]))
    if sizes is not None:
        lengths = np.maximum(lengths, np.asarray(sizes, float))
    vanishing = lengths == 0.0
    lengths[vanishing] = 1.0
    scale = np.where(vanishing, 0.0, 1.0 / lengths)
    return sp.csr_array((data * scale[row], J.indices, J.indptr), shape=J.shape), lengths, w


# --- small systems ---------------------------------------------------------------------------------------------------


def _dense(J: NDArray, tolerance: float) -> tuple[sp.csr_array, NDArray]:
    """A basis of the left null space (one relation per row) and an orthonormal basis of the null space."""
    relations, _, Q = _relations_by_qr(J, tolerance, "full")
    rank = J.shape[0] - relations.shape[0]
    return relations, Q[:, rank:]


def _relations_by_qr(J: NDArray, tolerance: float, mode: str) -> tuple[sp.csr_array, NDArray, NDArray]:
    """A basis of the left null space, the independent rows, and the Q of J^T = Q R, whose first columns span them."""
    nr, nc = J.shape
    if nr == 0 or nc == 0:
        return sp.csr_array(np.eye(nr)), np.zeros(0, np.int64), np.eye(nc, nc if mode == "full" else 0)
    Q, R, pivots = scipy.linalg.qr(J.T, pivoting=True, mode=mode)
    rank = int(np.sum(np.abs(np.diag(R)) > tolerance))  # |R_kk|: distance of row k from the span of the preceding rows
    kept, dependent = pivots[:rank], pivots[rank:]
    relations = np.zeros((nr - rank, nr))
    relations[:, kept] = -scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:]).T
    relations[np.arange(nr - rank), dependent] = 1.0
    return sp.csr_array(relations), kept, Q


def _independent_by_pivots(basis: NDArray) -> NDArray[np.int64]:
    """As many rows of the basis as it has columns, by largest pivots; the first one in case of ties."""
    nc, nullity = basis.shape
    if nullity == 0:
        return np.zeros(0, np.int64)
    preference = 1.0 - 1e-6 * np.arange(nc) / nc
    pivots = scipy.linalg.qr((basis * preference[:, None]).T, pivoting=True, mode="r")[1]
    return np.sort(pivots[:nullity]).astype(np.int64)


# --- large systems ---------------------------------------------------------------------------------------------------


def _sparse(J: sp.csr_array, structure: Structure, tolerance: float) -> tuple[sp.csr_array, NDArray | None]:
    """The same from the sparse factorization; without a basis of the null space if it is large."""
    nr, nc = J.shape
    balance = _balance(J)
    saddle = Saddle(J, structure._replace(tree=_trusted_tree(_scaled(J, balance)[0], structure)))
    doubtful = saddle.factor(balance, np.zeros(0, np.int64), _CLEAR_SINE)
    relations, further, settled = _doubtful_relations(saddle, J, doubtful, tolerance)
    if not (settled and saddle.distances().min(initial=np.inf) > tolerance * balance.max(initial=1.0)):
        saddle.factor(np.ones(nc), doubtful, 0.0)
        close = np.flatnonzero(~(saddle.distances() > tolerance))  # also true for NaN
        if close.size or not settled:
            doubtful = saddle.factor(np.ones(nc), np.union1d(doubtful, close), 0.0)
            relations, further, _ = _doubtful_relations(saddle, J, doubtful, tolerance)
    nullity = nc - nr + relations.shape[0]
    return relations, None if nullity > NULL_SPACE_LIMIT else _null_space_by_projection(saddle, J[further], nullity)


def _balance(J: sp.csr_array) -> NDArray:
    """Factors that balance the columns; the smallest is 1."""
    entries = J.tocoo()
    found = balanced_columns(entries.row, entries.col, entries.data, np.ones(J.shape[1]))
    return np.asarray(np.minimum(found / found.min(initial=np.inf), _WIDEST))


def _trusted_tree(J: sp.csr_array, structure: Structure) -> list[int]:
    """The tree without the row blocks that, contrary to assumption, barely have full rank in their unit."""
    nr, nc = J.shape
    unit_of, local, attached = np.zeros(nc, np.int64), np.zeros(nc, np.int64), np.full(nr, -1)
    for number, unit in enumerate(structure.units):
        unit_of[np.asarray(unit, np.int64)] = number
        local[np.asarray(unit, np.int64)] = np.arange(len(unit))
    for (rows, _), number in zip(structure.row_blocks, structure.tree, strict=True):
        attached[np.asarray(rows, np.int64)] = number
    entries = J.tocoo()
    own = unit_of[entries.col] == attached[entries.row]
    parts = np.zeros((nr, local.max(initial=0) + 1))
    parts[entries.row[own], local[entries.col[own]]] = entries.data[own]
    tree = np.array(structure.tree, np.int64)
    sizes = np.array([len(rows) for rows, _ in structure.row_blocks], np.int64)
    for size in np.unique(sizes[tree >= 0]):
        blocks = np.flatnonzero((tree >= 0) & (sizes == size))
        stacked = parts[np.array([structure.row_blocks[b][0] for b in blocks.tolist()], np.int64)]
        tree[blocks[np.linalg.svd(stacked, compute_uv=False)[:, -1] < _TRUSTED]] = -1
    return tree.tolist()


def _doubtful_relations(
    saddle: Saddle, J: sp.csr_array, doubtful: NDArray, tolerance: float
) -> tuple[sp.csr_array, NDArray[np.int64], bool]:
    """The relations of the doubtful rows, the rows that prove independent, and whether the balance guarantees the same
    result in the given metric."""
    balance = saddle.balance
    rests, relations = _projections(saddle, J, doubtful, tolerance)
    undecided = np.array(sorted(rests), np.int64)
    remaining = np.array([rests[k] for k in undecided]).reshape(-1, saddle.nc)
    among, independent, _ = _relations_by_qr(remaining * balance, tolerance * balance.max(initial=1.0), "economic")
    decided = np.setdiff1d(np.arange(doubtful.size), undecided)
    settled = bool(np.all(np.linalg.norm(among @ remaining, axis=1) <= tolerance))
    relations = sp.csr_array(sp.vstack((relations[decided], among @ relations[undecided])))
    return relations, doubtful[undecided[independent]], settled


def _projections(
    saddle: Saddle, J: sp.csr_array, doubtful: NDArray, tolerance: float
) -> tuple[dict[int, NDArray], sp.csr_array]:
    """Doubtful rows as r = W y + J^T c with the clear rows: the W y that do not vanish, and the relations r - J^T c."""
    rests: dict[int, NDArray] = {}
    lines, columns, shares = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    vector = np.zeros(J.shape[1])
    for k, row in enumerate(doubtful):
        entries = slice(J.indptr[row], J.indptr[row + 1])
        vector[:] = 0.0
        vector[J.indices[entries]] = J.data[entries]
        y, c = saddle.project(vector)
        rest = y / saddle.balance**2
        if np.linalg.norm(rest) > tolerance:
            rests[k] = rest
        c[row] = -1.0
        support = np.flatnonzero(np.abs(c) > 1e-3 * tolerance)
        lines.append(np.full(support.size, k))
        columns.append(support)
        shares.append(-c[support])
    where = np.concatenate(lines), np.concatenate(columns)
    return rests, sp.csr_array((np.concatenate(shares), where), shape=(doubtful.size, J.shape[0]))


def _null_space_by_projection(saddle: Saddle, further: sp.csr_array, nullity: int) -> NDArray:
    """Project random vectors, and again after orthonormalization for accuracy.

    The rows `further` are independent of those in the saddle; the directions they constrain are removed from the basis.
    """
    metric = 1.0 / saddle.balance[:, None] ** 2
    basis = np.random.default_rng(0).standard_normal((saddle.nc, nullity + further.shape[0]))
    for _ in range(2):
        basis = np.array([saddle.project(column)[0] for column in (metric * basis).T]).reshape(-1, saddle.nc).T
        basis = np.linalg.qr(basis)[0]
    if further.shape[0] == 0:
        return basis
    return basis @ scipy.linalg.qr((further @ basis).T)[0][:, further.shape[0] :]


def _independent_by_elimination(J: sp.csr_array, kept: NDArray) -> NDArray[np.int64]:
    """The columns without a pivot after elimination of the kept rows, the sparsest columns first.

    A pivot has at least a given fraction of the largest entry of its row, so no dependent coordinate moves much more
    than those it depends on. A column without such a pivot moves to the end of the queue until its rows change.
    """
    rows = {int(r): _as_dict(J, int(r)) for r in kept}
    columns: list[set[int]] = [set() for _ in range(J.shape[1])]
    for r, row in rows.items():
        for c in row:
            columns[c].add(r)
    heap = [(len(touching), c) for c, touching in enumerate(columns) if touching]
    heapify(heap)
    dependent: set[int] = set()
    while rows and heap:
        count, c = heappop(heap)
        if count != len(columns[c]) or c in dependent:
            continue  # an outdated entry
        size, r = max((abs(rows[r][c]) / max(map(abs, rows[r].values())), -r) for r in columns[c])
        if size < _PIVOT_SHARE:
            continue  # queued again when elimination changes one of its rows
        dependent.add(c)
        for changed in _eliminate(rows, columns, -r, c):
            if columns[changed] and changed not in dependent:
                heappush(heap, (len(columns[changed]), changed))
    return np.array([c for c in range(J.shape[1]) if c not in dependent], np.int64)


def _eliminate(rows: dict[int, dict[int, float]], columns: list[set[int]], r: int, c: int) -> set[int]:
    """Remove row r, and column c from all other rows. Returns the columns whose rows changed."""
    pivot_row = rows.pop(r)
    for k in pivot_row:
        columns[k].discard(r)
    changed = set(pivot_row)
    pivot = pivot_row.pop(c)
    for other in sorted(columns[c]):
        row = rows[other]
        factor = row.pop(c) / pivot
        changed.update(row)
        for k, value in pivot_row.items():
            row[k] = row.get(k, 0.0) - factor * value
            columns[k].add(other)
    columns[c].clear()
    return changed


def _as_dict(J: sp.csr_array, r: int) -> dict[int, float]:
    entries = slice(J.indptr[r], J.indptr[r + 1])
    return dict(zip(J.indices[entries].tolist(), J.data[entries].tolist(), strict=True))


def _loose_structure(J: sp.csr_array) -> Structure:
    nr, nc = J.shape
    blocks = [([r], J.indices[J.indptr[r] : J.indptr[r + 1]].tolist()) for r in range(nr)]
    return Structure([[i] for i in range(nc)], blocks, [-1] * nr)


# --- the canonical choice --------------------------------------------------------------------------------------------


def _canonical(relations: sp.csr_array, stated: NDArray, tolerance: float) -> list[tuple[int, NDArray, NDArray]]:
    """(redundant row, kept rows, coefficients) from any basis of the left null space, in row order."""
    count = relations.shape[0]
    if count == 0:
        return []
    link = sp.block_array([[None, relations], [relations.T, None]])
    group = connected_components(link, directed=False)[1][:count]
    place = np.empty_like(stated)
    place[stated] = np.arange(stated.size)
    column = np.empty_like(stated)
    found = []
    by_group = np.argsort(group, kind="stable")
    for members in np.split(by_group, np.flatnonzero(np.diff(group[by_group])) + 1):
        part = [slice(relations.indptr[k], relations.indptr[k + 1]) for k in members]
        rows = np.unique(np.concatenate([relations.indices[entries] for entries in part]))
        rows = rows[np.argsort(-place[rows])]  # last row first
        column[rows] = np.arange(rows.size)
        V = np.zeros((members.size, rows.size))
        for line, entries in zip(V, part, strict=True):
            line[column[relations.indices[entries]]] = relations.data[entries]
        found += _echelon(V, rows, tolerance)
    return sorted(found, key=lambda item: place[item[0]])


def _echelon(V: NDArray, rows: NDArray, tolerance: float) -> list[tuple[int, NDArray, NDArray]]:
    """Reduced echelon form of the relations V: each gets its own pivot row, as far left as possible."""
    V /= np.abs(V).max(axis=1, keepdims=True)
    pivots: list[int] = []
    for column in range(rows.size):
        done = len(pivots)
        if done == V.shape[0]:
            break
        best = done + int(np.argmax(np.abs(V[done:, column])))
        if abs(V[best, column]) <= tolerance:
            continue
        V[[done, best], column:] = V[[best, done], column:]
        V[done, column:] /= V[done, column]
        below = done + 1 + np.flatnonzero(V[done + 1 :, column])
        V[below, column:] -= np.outer(V[below, column], V[done, column:])
        pivots.append(column)
    if len(pivots) > 1:
        V = scipy.linalg.solve_triangular(V[:, pivots], V, unit_diagonal=True)  # only its upper triangle is used
    found = []
    for line, column in zip(V, pivots, strict=True):
        support = np.flatnonzero(np.abs(line) > tolerance)
        support = support[support != column][::-1]
        found.append((int(rows[column]), rows[support].astype(np.int64), -line[support]))
    return found
