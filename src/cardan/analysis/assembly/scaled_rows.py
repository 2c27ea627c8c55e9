"""phi, J and Phi_t of some rows at a position: rows divided by their scale, columns by the model's length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.model.space import advance
from cardan.numerics.linalg.rank import SINGULAR_PIVOT
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

MAX_DENSE_SIZE = 200  # size up to which a matrix is treated as dense


def best_rows(
    system: System, q: np.ndarray, time: float, reference: np.ndarray, engaged: np.ndarray | None = None
) -> np.ndarray | None:
    """As many rows as there are coordinates, the most independent ones; None if even these are singular. If `engaged`
    is given, as many of these rows as are independent.
    """
    from scipy.linalg import qr

    chosen = np.ones(system.row_count, np.uint8) if engaged is None else engaged
    point = RowPoint(Frame(system, chosen, reference), q, time)
    R, order = qr(point.dense().T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(R))
    if engaged is not None:
        return np.flatnonzero(engaged)[np.sort(order[: int(np.sum(sizes > SINGULAR_PIVOT * sizes.max(initial=0.0)))])]
    n = system.coordinates
    return np.sort(order[:n]) if sizes.size >= n and sizes[n - 1] > SINGULAR_PIVOT * sizes[0] else None


class Frame:
    """The data shared by all points of one search: the active rows, scaled, and work arrays."""

    def __init__(self, system: System, active: np.ndarray, reference: np.ndarray) -> None:
        self.system, self.active, self.reference = system, active.astype(bool), reference
        self.geometry, self.rows, self.work = system.geometry, system.rows, system.work()
        self.unit = system.unit  # one model length, in units of each coordinate
        solver = system.solver
        place = np.cumsum(self.active) - 1  # of a row among the active ones
        kept = self.active[solver.row]
        self.row, self.column = place[solver.row[kept]], solver.column[kept].astype(int) - system.width
        self.entry, self.part = solver.entry[kept], (solver.measure[kept], solver.part[kept])
        self.scale = system.rows.scale[self.active]
        self.factor = self.unit[self.column] / self.scale[self.row]
        self.shape = self.scale.size, system.coordinates

    def matrix(self) -> Any:
        """J of the last evaluation, an array if it is small."""
        values = self.work.coefficient[self.entry] * self.work.jac[self.part] * self.factor
        if max(self.shape) <= MAX_DENSE_SIZE:
            count = self.shape[0] * self.shape[1]
            return np.bincount(self.row * self.shape[1] + self.column, values, count).reshape(self.shape)
        import scipy.sparse as sp

        return sp.csr_array(sp.coo_array((values, (self.row, self.column)), shape=self.shape))


class RowPoint:
    """phi, J and Phi_t of the active rows at a position, scaled."""

    def __init__(self, frame: Frame, q: np.ndarray, t: float) -> None:
        self.frame, self.q, self.t = frame, q.copy(), float(t)
        work = frame.work
        self.ok = evaluate_position(frame.geometry, frame.rows, self.q, self.t, frame.reference, work) == 0
        self.J = frame.matrix()
        self.phi, self.phi_t = work.phi[frame.active] / frame.scale, -work.nu[frame.active] / frame.scale

    def moved(self, step: np.ndarray, dt: float) -> RowPoint:
        """The point displaced by `step`, in model lengths, and dt."""
        full = self.frame.system.speeds()
        full[self.frame.system.width :] = step * self.frame.unit
        q = self.q.copy()
        advance(self.frame.geometry, q, full)
        return RowPoint(self.frame, q, self.t + dt)

    def dense(self) -> np.ndarray:
        """J as an array."""
        return self.J if isinstance(self.J, np.ndarray) else self.J.toarray()

    def bordered(self, b: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """phi, psi and g."""
        n = self.J.shape[1]
        solve = bordered_solver(self.J, b, c, 0.0)
        unit = np.zeros(n + 1)
        unit[n] = 1.0
        right, left = solve(unit, "N"), solve(unit, "T")
        return right[:n], left[:n], float(right[n])

    def slope(self, left: np.ndarray) -> float:
        """|psi^T Phi_t| relative to Phi_t."""
        size = float(np.linalg.norm(left) * np.linalg.norm(self.phi_t))
        return abs(float(left @ self.phi_t)) / size if size else 0.0


def bordered_solver(J: Any, b: np.ndarray, c: np.ndarray, corner: float) -> Callable[[np.ndarray, str], np.ndarray]:
    """The solution of [[J, b], [c^T, corner]] x = r, or of its transpose ("T")."""
    if isinstance(J, np.ndarray):
        n = J.shape[0]
        matrix = np.empty((n + 1, n + 1))
        matrix[:n, :n], matrix[:n, n], matrix[n, :n], matrix[n, n] = J, b, c, corner
        return lambda right, how: np.linalg.solve(matrix.T if how == "T" else matrix, right)
    import scipy.sparse as sp
    from scipy.sparse.linalg import splu

    factors = splu(sp.csc_array(sp.block_array([[J, b[:, None]], [c[None], np.array([[corner]])]])))
    return lambda right, how: factors.solve(right, trans=how)
