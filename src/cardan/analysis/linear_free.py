"""What joints leave free: QR of the Jacobian, and the saddle point system that goes with it.

    (J / scale U)^T P = [Q1 Q2] [R11 R12; 0 0]        dq = U Q2 z            U: what counts as one in each coordinate

Q2 spans the free directions, P picks rows that are independent; redundant ones follow them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from cardan.errors import ModelError
from cardan.system.system import System

DEPENDENT = 1e-9  # of the largest pivot of R
SINGULAR = 1e-12  # of the largest mass


class Free:
    """The free directions of the rows J, with a left inverse, and the least displacement that opens rows by so much."""

    def __init__(self, J: sp.csr_array, unit: np.ndarray, scale: np.ndarray) -> None:
        rows, n = J.shape
        self.unit, self.scale = unit, scale
        if rows == 0:
            self.rank, self.rows = 0, np.zeros(0, int)
            self._Q1, self._R = np.zeros((n, 0)), np.zeros((0, 0))
            Q2 = np.eye(n)
        else:
            Q, R, order = scipy.linalg.qr((J.toarray() * unit / scale[:, None]).T, pivoting=True)
            pivots = np.abs(np.diag(R))
            self.rank = int(np.sum(pivots > DEPENDENT * pivots.max(initial=0.0)))
            self.rows = np.sort(order[: self.rank])
            place = np.argsort(order[: self.rank])
            self._Q1, self._R = Q[:, : self.rank], R[: self.rank, place]
            Q2 = Q[:, self.rank :]
        self.basis = unit[:, None] * Q2  # dq = basis z
        self.left = Q2.T / unit  # z = left dq

    @property
    def count(self) -> int:
        return self.basis.shape[1]

    def back(self, right: np.ndarray) -> np.ndarray:
        """The least x with J x = right, for the rows that are independent."""
        scaled = right[self.rows] / self.scale[self.rows, None]
        return np.asarray(self.unit[:, None] * (self._Q1 @ np.linalg.solve(self._R.T, scaled)))


def solve_saddle(system: System, M: Any, J: Any, free: Free, right: np.ndarray, carried: Any = None) -> np.ndarray:
    """x and lambda of [[M, J^T + E], [J, 0]] with many right-hand sides; rows that depend on others carry nothing.

    `carried` is E, what forces make of lambda.
    """
    n, rows = system.coordinates, free.rows
    unit, scale = free.unit, free.scale[rows]
    _require_masses(system, M, free)
    full = M.toarray() * np.outer(unit, unit)
    size = float(np.abs(full).max(initial=0.0)) or 1.0
    J_s = J[rows].toarray() * unit / scale[:, None]
    push = J_s.T if carried is None else J_s.T + (unit[:, None] * carried[:, rows].toarray()) / scale
    matrix = np.block([[full / size, push], [J_s, np.zeros((rows.size, rows.size))]])
    b = np.concatenate([unit[:, None] * right[:n] / size, right[n:][rows] / scale[:, None]])
    found = np.linalg.solve(matrix, b) if matrix.size else b
    out = np.zeros_like(right)
    out[:n] = unit[:, None] * found[:n]
    out[n + rows] = size * found[n:] / scale[:, None]
    return out


def _require_masses(system: System, M: Any, free: Free) -> None:
    """Refuse a mechanism in which something moves that has no mass."""
    basis = free.basis / free.unit[:, None]
    scaled = basis.T @ (free.unit[:, None] * (M @ (free.unit[:, None] * basis)))
    if not scaled.size:
        return
    masses, vectors = np.linalg.eigh(scaled)
    if masses[0] > SINGULAR * masses[-1] and masses[-1] > 0.0:
        return
    k = int(np.argmax(np.abs(basis @ vectors[:, 0])))
    raise ModelError(
        f"the mass matrix of '{system.model.name}' is singular: {system.coordinate_name(k)} can move without moving "
        "any mass; state a mass or an inertia there, or hold it by a joint"
    )
