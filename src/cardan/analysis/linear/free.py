"""The null space of the joints: QR of the Jacobian, and the corresponding saddle-point system.

    (J / scale U)^T P = [Q1 Q2] [R11 R12; 0 0]        dq = U Q2 z            U: unit of each coordinate

Q2 spans the free directions, P selects independent rows first, then redundant ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from cardan.errors import ModelError
from cardan.numerics.linalg.rank import SINE, independent_rows
from cardan.numerics.linalg.rank_report import Structure, rank_report
from cardan.system.balance import balance
from cardan.system.cartesian.softness import RESISTED, softness, weakest
from cardan.system.system import System

MAX_DENSE_FACTORS = 400  # number of coordinates up to which factors are dense


class Free:
    """The free directions of the rows J, with a left inverse, and the least displacement for given changes of rows."""

    def __init__(self, system: System, J: sp.csr_array, unit: np.ndarray, chosen: np.ndarray | None = None) -> None:
        """`chosen` holds the indices of the rows of J in the system, if not all."""
        self.system, self.unit = system, unit
        self.scale = system.rows.scale if chosen is None else system.rows.scale[chosen]
        self._J = sp.csr_array(sp.diags_array(1.0 / self.scale) @ J @ sp.diags_array(unit))
        entries = J.tocoo()
        self._balance = balance(system, entries.row, entries.col, entries.data) / unit
        self._Q2: np.ndarray | None
        if J.shape[1] > MAX_DENSE_FACTORS:
            self._independent_sparse(system, chosen)
        elif J.shape[0] == 0:
            self.rows, self._Q2 = np.zeros(0, int), np.eye(J.shape[1])
        else:
            full = self._J.toarray()
            self.rows = np.sort(independent_rows(full, self._balance))
            self._Q2 = np.eye(unit.size)
            if self.rows.size:
                self._Q2 = scipy.linalg.qr(full[self.rows].T)[0][:, self.rows.size :]

    def _independent_sparse(self, system: System, chosen: np.ndarray | None) -> None:
        """The same from the sparse factorization of `cardan.numerics.linalg.rank_report`."""
        structure = Structure(*system.structure) if chosen is None else None
        report = rank_report(
            self._J, weights=self._balance, structure=structure, tolerance=SINE, dense=False, independent=False
        )
        self.rows = np.setdiff1d(np.arange(self._J.shape[0]), [redundancy.row for redundancy in report.redundant])
        self._Q2 = None if report.null_space is None else np.linalg.qr(report.null_space)[0]

    @property
    def count(self) -> int:
        return self.unit.size - self.rows.size

    @property
    def scaled(self) -> np.ndarray:
        """Q2"""
        if self._Q2 is None:
            raise ModelError(
                f"'{self.system.model.name}' has {self.count} degrees of freedom, too many for matrices of "
                "independent displacements; eigenmodes() finds modes without them"
            )
        return self._Q2

    @property
    def basis(self) -> np.ndarray:
        """dq = basis z"""
        return np.asarray(self.unit[:, None] * self.scaled)

    @property
    def left(self) -> np.ndarray:
        """z = left dq"""
        return np.asarray(self.scaled.T / self.unit)

    def back(self, right: np.ndarray) -> np.ndarray:
        """The least x with J x = right, for the independent rows."""
        n, b = self.unit.size, right[self.rows] / self.scale[self.rows, None]
        found = self._least(np.concatenate([np.zeros((n, b.shape[1])), b]))
        return np.asarray(self.unit[:, None] * found[:n])

    @cached_property
    def _least(self) -> Any:
        return solver_of(sp.eye_array(self.unit.size), self._J[self.rows], self._J[self.rows].T)

    def saddle(self, M: Any, carried: Any = None) -> Any:
        """A function that solves [[M, J^T + E], [J, 0]] for x and lambda, with many right-hand sides.

        Dependent rows have no multiplier. `carried` is E, the derivative of forces with respect to lambda.
        """
        n, rows, unit, scale = self.unit.size, self.rows, self.unit, self.scale[self.rows]
        self._require_masses(M)
        U = sp.diags_array(unit)
        size = float(np.abs(U @ M @ U).max()) or 1.0
        J = self._J[rows]
        push = J.T if carried is None else J.T + U @ carried[:, rows] @ sp.diags_array(1.0 / scale)
        solve = solver_of(U @ M @ U / size, J, push)

        def both(right: np.ndarray) -> np.ndarray:
            found = solve(np.concatenate([unit[:, None] * right[:n] / size, right[n:][rows] / scale[:, None]]))
            out = np.zeros_like(right)
            out[:n] = unit[:, None] * found[:n]
            out[n + rows] = size * found[n:] / scale[:, None]
            return out

        return both

    def _require_masses(self, M: Any) -> None:
        """Reject a mechanism with a massless motion."""
        if self._Q2 is None or not self.count:
            return
        basis = self._Q2
        width, bodies = self.system.width, len(self.system.bodies)
        full, places = sp.csr_array(M).toarray(), np.arange(width * bodies).reshape(bodies, width)
        soft, _ = softness(self.system, full[places[:, :, None], places[:, None, :]])
        share, motion = weakest(full, soft, self.unit[:, None] * basis)
        if share > RESISTED:
            return
        k = int(np.argmax(np.abs(motion) / self.unit))
        raise ModelError(
            f"the mass matrix of '{self.system.model.name}' is singular: {self.system.coordinate_name(k)} can move "
            "without moving any mass; add a mass or an inertia there, or constrain it by a joint"
        )


def solver_of(M: Any, J: Any, push: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A function that solves with [[M, push], [J, 0]], using dense or sparse factors."""
    matrix = sp.csc_array(sp.block_array([[M, push], [J, None]]) if J.shape[0] else M)
    if not matrix.shape[0]:
        return lambda right: right
    if M.shape[0] > MAX_DENSE_FACTORS:
        return scipy.sparse.linalg.splu(matrix).solve
    factors = scipy.linalg.lu_factor(matrix.toarray())
    return lambda right: scipy.linalg.lu_solve(factors, right)
