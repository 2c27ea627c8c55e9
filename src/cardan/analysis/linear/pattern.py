"""The sparse matrices of a mechanism, assembled at indices that are computed once per system.

    M      a block on the diagonal for each body
    K, C   a block for two bodies in one measure, or in two measures of a law             row R | block block block |
    J      a number for each row and coordinate                                                 |  ..               |

Row i of block o in the row of blocks R is at place + i stride, with place = its start + width o.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.linear.common_measures import Usual, add_curvature, add_laws, follow
from cardan.analysis.linear.inertia import InertiaSlopes
from cardan.analysis.linear.slopes import Slopes
from cardan.model.space import mass_blocks
from cardan.system.cartesian.masses import mass_matrix
from cardan.system.cartesian.softness import mass_matrices
from cardan.system.system import System
from cardan.system.tables import Work


class MatrixPattern:
    """State-independent data of a linearization, for any number of states of one system."""

    def __init__(self, system: System, made: Any, compiled: bool = True) -> None:
        """`made` is the machine of the system, which contains its laws and masses. See `Usual` for `compiled`."""
        self.system, self.forces, self.matter = system, made.forces, made.matter
        self.usual, self.inertia = Usual(system, compiled), InertiaSlopes(system)
        self._split_laws()
        usual, count = self.usual, len(system.bodies)
        diagonal = np.arange(1, count + 1)
        ends = usual.body
        sides = [(s, t) for s in range(2) for t in range(2)]
        near = [ends[:, [s, t]] for s, t in sides]
        far = [np.stack([ends[self.pairs[:, 0], s], ends[self.pairs[:, 1], t]], axis=1) for s, t in sides]
        met = np.concatenate([np.stack([diagonal, diagonal], axis=1), *near, *far])
        met = met[(met > 0).all(axis=1)] - 1
        blocks = np.unique(met[:, 0] * max(count, 1) + met[:, 1])
        self._lay_out(blocks // max(count, 1), blocks % max(count, 1))
        place, stride = self._places(diagonal, diagonal)
        lines = stride[:, None, None] * np.arange(system.width)[:, None]
        self._diagonal = place[:, None, None] + lines + np.arange(system.width)
        self.place, self.stride = self._of_sides(near, ends)
        self.pair_place, self.pair_stride = self._of_sides(far, ends[self.pairs[:, 0]])
        self._lay_out_rows()

    def _split_laws(self) -> None:
        """Split laws: linear laws along common measures are `plain`, with pairs of their terms; along others they are
        `apart`; those that are not linear are `odd`."""
        system, forces = self.system, self.forces
        where = np.full(len(system.measures), -1)
        where[self.usual.measures] = np.arange(self.usual.measures.size)
        start, measure = forces.start.astype(int), where[forces.measure.astype(int)]
        owner = np.repeat(np.arange(len(system.laws)), np.diff(start))
        odd = np.array(
            [not (w.curve is w.rate_curve is w.function is w.signal is None) for w in system.laws], bool
        ).reshape(-1)
        self.odd = np.flatnonzero(odd)
        odd[owner[measure < 0]] = True
        self.apart = np.setdiff1d(np.flatnonzero(odd), self.odd)
        plain = np.flatnonzero(~odd)
        sizes = np.diff(start)[plain]
        e = np.repeat(start[:-1][plain], sizes**2) + np.concatenate(
            [np.zeros(0, int), *(np.repeat(np.arange(n), n) for n in sizes)]
        )
        f = np.repeat(start[:-1][plain], sizes**2) + np.concatenate(
            [np.zeros(0, int), *(np.tile(np.arange(n), n) for n in sizes)]
        )
        self.pairs = np.stack([measure[e], measure[f]], axis=1).astype(np.int64)
        self.factor, self.law = forces.coefficient[e] * forces.coefficient[f], owner[e]

    def _lay_out(self, row: np.ndarray, column: np.ndarray) -> None:
        """indptr and indices of K from its blocks, sorted."""
        width, n = self.usual.width, self.system.coordinates
        count = len(self.system.bodies)
        per_row = np.bincount(row, minlength=count)
        self._row_start = np.concatenate([[0], np.cumsum(per_row)])
        self._keys, self._count = row * max(count, 1) + column, count
        lines = np.concatenate([np.repeat(width * per_row, width), np.zeros(n - width * count, int)])
        self.indptr = np.concatenate([[0], np.cumsum(lines)]).astype(np.int32)
        wide = width * column[:, None] + np.arange(width)  # of each block, repeated for each of its rows
        line = np.repeat(row, width)[:, None] * width + np.arange(width)
        order = np.argsort(line.T.reshape(-1), kind="stable")
        self.indices = np.tile(wide.reshape(-1), width)[order].astype(np.int32)

    def _places(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The start of the block of two bodies, -1 for ground, and the distance of its rows."""
        width = self.usual.width
        known = (a > 0) & (b > 0)
        row = np.where(a > 0, a - 1, 0)
        block = np.searchsorted(self._keys, row * max(self._count, 1) + np.where(known, b - 1, 0))
        within = block - self._row_start[row]
        place = width * width * self._row_start[row] + width * within
        stride = width * (self._row_start[row + 1] - self._row_start[row]) if self._count else np.zeros_like(row)
        return np.where(known, place, -1), np.asarray(stride)

    def _of_sides(self, met: list[np.ndarray], ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        places, strides = zip(*(self._places(pair[:, 0], pair[:, 1]) for pair in met), strict=True)
        place = np.stack(places, axis=1).reshape(-1, 2, 2)
        return np.ascontiguousarray(place), np.ascontiguousarray(np.stack([strides[0], strides[2]], axis=1))

    def _lay_out_rows(self) -> None:
        """Compute the indices of all contributions to J."""
        system, solver = self.system, self.system.solver
        n = max(system.coordinates, 1)
        keys, place = np.unique(
            solver.row.astype(np.int64) * n + solver.column.astype(np.int64) - system.width, return_inverse=True
        )
        self._row_place = place.reshape(-1).astype(np.int64)
        self._row_indices = (keys % n).astype(np.int32)
        self._row_indptr = np.searchsorted(keys, n * np.arange(system.row_count + 1)).astype(np.int32)

    def jacobian(self, work: Work) -> sp.csr_array:
        """J of the last evaluation."""
        system, solver = self.system, self.system.solver
        values = work.coefficient[solver.entry] * work.jac[solver.measure, solver.part]
        data = np.bincount(self._row_place, values, self._row_indices.size)
        return _matrix(data, self._row_indices, self._row_indptr, (system.row_count, system.coordinates))

    def masses(self, q: np.ndarray) -> sp.csr_array:
        """M."""
        system = self.system
        if self.usual.flexible or system.added:
            return mass_matrix(system, self.matter, q)
        width, n = self.usual.width, system.coordinates
        mass = np.zeros((self.matter.shape[0], width * (width + 1) // 2))
        mass_blocks(system.geometry, self.matter, q, mass)
        blocks, count = mass_matrices(system, mass), len(system.bodies)
        lines = np.minimum(np.arange(n + 1), width * count)
        first = width * np.repeat(np.arange(count), width)
        indices = (first[:, None] + np.arange(width)).reshape(-1)
        return _matrix(blocks.reshape(-1), indices.astype(np.int32), (width * lines).astype(np.int32), (n, n))

    def add_forces(self, slopes: Slopes, weights: np.ndarray, K: np.ndarray, C: np.ndarray) -> None:
        """Add the curvature of common measures under `weights`, and the stiffness and damping of plain laws."""
        usual, moves = self.usual, bool(np.any(slopes.v))
        weights, rates = weights[usual.measures], np.zeros(usual.columns.shape if moves else (0, 0))
        for piece in usual.bent(slopes.q, slopes.reference):
            found = piece.bent, piece.twin, piece.at.start
            add_curvature(self.place, self.stride, weights, *found, K, usual.lanes)
            if moves:
                follow(usual.columns, slopes.v, *found, rates.reshape(-1), usual.lanes)
        if self.pairs.size:
            tables = self.pairs, self.factor, self.law, self.forces.linear, self.pair_place, self.pair_stride
            add_laws(*tables, slopes.jac[usual.measures], rates, moves, K, C)

    def add_inertia(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, K: np.ndarray, C: np.ndarray) -> None:
        """Add the derivatives of M a + h minus weight with respect to displacements and speeds."""
        if not self.usual.flexible:
            for out, blocks in zip((K, C), self.inertia.blocks(self.matter, q, v, a), strict=True):
                if blocks is not None:
                    out[self._diagonal] += blocks

    def numbers(self) -> np.ndarray:
        """The numbers of K or C, all zero."""
        return np.zeros(self.indices.size)

    def matrix(self, numbers: np.ndarray) -> sp.csr_array:
        """K or C with these numbers."""
        n = self.system.coordinates
        return _matrix(numbers, self.indices, self.indptr, (n, n))


def _matrix(data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> sp.csr_array:
    return sp.csr_array((data, indices, indptr), shape=shape, copy=False)
