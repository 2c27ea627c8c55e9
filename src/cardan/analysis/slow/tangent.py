"""The tangent of a sequence of equilibria: how position and reactions change with time.

    F(q, lambda, t) = [Phi_q^T lambda - Q; Phi] = 0,        [[H, J^T], [J, 0]] [q'; lambda'] = -F_t
    [[H, J^T], [J, 0]] [q''; lambda''] = -D^2 F,            D: the derivative along (q', lambda', 1)

The matrix is solved in the null space Z of J, as in `equilibria.newton`: steps have no component along neutral
directions. F_t and D^2 F are one-sided differences of third and second order of the compiled residual.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

from cardan.analysis.equilibria.imbalance import imbalance
from cardan.analysis.equilibria.place import Place
from cardan.analysis.equilibria.statics import Statics
from cardan.errors import SimulationError
from cardan.numerics.linalg.rank import SINGULAR_PIVOT

NEUTRAL = 1e-8  # of the scaled stiffness: differences do not distinguish less from zero
CLEAR = 1e-6  # more is certainly not zero
SKEW = 1e-7  # relative to the largest stiffness: a larger difference is not symmetric
TIME_STEP = 1e-4  # of the distance of output times
LARGEST_STEP = 1e-4  # in rad or model lengths, of the second differences: errors of 1e-8
FIRST, SECOND = (3.0, -1.5, 1.0 / 3.0), (-5.0, 4.0, -1.0)  # weights of F(h), F(2h), F(3h); F(0) = 0


class Rates(NamedTuple):
    """Scaled rates of the position and of the multipliers, and the second derivative of the position."""

    velocity: np.ndarray
    multipliers: np.ndarray
    acceleration: np.ndarray


class SlowTangent:
    """The linearized equations of equilibrium at a position; `rank` is that of J.

    `lowest` is the lowest curvature of the energy, scaled as `statics` is. `symmetric` is False if forces have no
    potential.
    """

    def __init__(self, statics: Statics, place: Place, rank: int, now: float) -> None:
        self.statics, self.place, self.now, point = statics, place, now, place.point
        H = statics.stiffness(place.q, place.reference, point.multipliers, point)
        J = statics.jacobian(point)
        self.H, self.J = (M if isinstance(M, np.ndarray) else M.toarray() for M in (H, J))
        self._factorize_joints(rank)
        force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
        diagonal = np.abs(self.H.diagonal()) + force
        root = np.sqrt(np.where(diagonal > 0.0, diagonal, diagonal.max(initial=0.0) or 1.0))[:, None]
        self.free = np.linalg.qr(root * self.Z)[0] / root
        reduced, plain = self.free.T @ (self.H @ self.free), self.Z.T @ (self.H @ self.Z)
        skew = np.abs(plain - plain.T).max(initial=0.0)
        self.symmetric = bool(skew <= SKEW * np.abs(self.H).max(initial=0.0))
        self.lowest = float(np.linalg.eigvalsh(0.5 * (plain + plain.T)).min(initial=np.inf))
        self.reduced = 0.5 * (reduced + reduced.T) if self.symmetric else reduced
        self.clear = self._factorize_clear()
        if self.clear is None:
            self._decompose()

    def _factorize_clear(self) -> Any:
        """The Cholesky factors if the energy certainly has a minimum, otherwise None; much faster than `_decompose`."""
        if not self.symmetric or not self.reduced.size:
            return None
        try:
            np.linalg.cholesky(self.reduced - CLEAR * np.eye(self.reduced.shape[0]))
        except np.linalg.LinAlgError:
            return None
        return cho_factor(self.reduced, lower=True, check_finite=False)

    def _decompose(self) -> None:
        """Find the directions without stiffness."""
        if self.symmetric:
            self.sizes, self.left = np.linalg.eigh(self.reduced)
            self.lines = self.left.T
        else:
            self.left, self.sizes, self.lines = np.linalg.svd(self.reduced)
        small = np.abs(self.sizes) <= NEUTRAL
        self.inverse = np.where(small, 0.0, 1.0 / np.where(small, 1.0, self.sizes))

    @property
    def neutral(self) -> int:
        """The number of directions without stiffness."""
        return 0 if self.clear is not None else int(np.sum(self.inverse == 0.0))

    @property
    def clearly_stable(self) -> bool | None:
        """Whether the energy has a minimum along all but the neutral directions; None if differences leave it open."""
        if self.clear is not None or not self.symmetric:
            return None if self.clear is None else True
        moving = self.sizes[self.inverse != 0.0]
        if np.any(moving < -CLEAR):
            return False
        return None if np.any(moving < CLEAR) else True

    @property
    def softest(self) -> np.ndarray:
        """The displacement of least stiffness, with a largest component of 1."""
        if self.clear is not None:
            self._decompose()
        stiff = np.where(self.inverse == 0.0, np.inf, self.sizes)
        line = self.free @ self.lines[int(np.argmin(stiff))]
        return np.asarray(line / max(float(np.abs(line).max()), 1e-300))

    def solve(self, top: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Displacement and multipliers for [top; low] on the right side."""
        step = self.closing @ low
        step = step + self.flexibility @ (top - self.H @ step)
        return step, self.closing.T @ (top - self.H @ step)

    @cached_property
    def flexibility(self) -> np.ndarray:
        """The displacement of unit forces, with closed joints and without neutral motions."""
        if self.clear is not None:
            return np.asarray(self.free @ cho_solve(self.clear, self.free.T, check_finite=False))
        return np.asarray(self.free @ (self.lines.T @ (self.inverse[:, None] * (self.left.T @ self.free.T))))

    @cached_property
    def closing(self) -> np.ndarray:
        """The shortest displacement that changes one equation of the joints by 1; zero for dependent equations."""
        found, count = np.zeros(self.J.T.shape), self.R.shape[0]
        if count:
            found[:, self.order[:count]] = solve_triangular(self.R, self.Y.T, check_finite=False).T
        return found

    def rates(self, spacing: float, side: int) -> Rates:
        """The rates at this equilibrium: the limit from later times, or with side=-1 from earlier times."""
        statics, place, now = self.statics, self.place, self.now
        point = place.point
        still = np.zeros(statics.size)
        h = side * TIME_STEP * spacing
        slope = [self._residual(still, point.multipliers, now + k * h) for k in (1, 2, 3)]
        velocity, changing = self._minus(FIRST, slope, h)
        fastest = float(np.abs(velocity).max(initial=0.0))
        e = side * min(200.0 * TIME_STEP * spacing, LARGEST_STEP / max(fastest, 1e-300))
        if e * e == 0.0:  # times so close that differences have no meaning
            statics.go_to(now)
            return Rates(velocity, changing, np.zeros(statics.size))
        bend = [self._residual(k * e * velocity, point.multipliers + k * e * changing, now + k * e) for k in (1, 2, 3)]
        acceleration, _ = self._minus(SECOND, bend, e * e)
        statics.go_to(now)
        statics.at(place.q, place.reference)  # leave the work arrays as they were
        return Rates(velocity, changing, acceleration)

    def _minus(
        self, weights: tuple[float, ...], values: list[tuple[np.ndarray, np.ndarray]], unit: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The solution for minus a difference of residuals on the right side."""
        top, low = (sum(w * v[k] for w, v in zip(weights, values, strict=True)) / -unit for k in (0, 1))
        return self.solve(np.asarray(top), np.asarray(low))

    def _residual(self, step: np.ndarray, multipliers: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """F at another position, with other multipliers and at another time, less F here."""
        statics, system, place = self.statics, self.statics.system, self.place
        statics.go_to(time)
        there = statics.moved(place.q, step)
        status = int(imbalance(statics.loops, there, statics.time, place.reference, multipliers / system.rows.scale))
        if status:
            raise statics.failure(status)
        top = statics.scratch.out[system.width :] * statics.unit
        return top - place.point.residual, statics.work.phi / system.rows.scale - place.point.phi

    def _factorize_joints(self, rank: int) -> None:
        """J^T = Y R of `rank` independent rows, and the null space Z."""
        n = self.H.shape[0]
        if not self.J.shape[0]:
            self.Y, self.R, self.order, self.Z = np.zeros((n, 0)), np.zeros((0, 0)), np.zeros(0, int), np.eye(n)
            return
        Q, R, self.order = qr(self.J.T, pivoting=True, check_finite=False)
        self.Y, self.Z, self.R = Q[:, :rank], Q[:, rank:], R[:rank, :rank]
        if rank and abs(R[rank - 1, rank - 1]) <= SINGULAR_PIVOT * abs(R[0, 0]):
            row = int(self.order[rank - 1])
            raise SimulationError(
                f"'{self.statics.system.model.name}' reaches a singular configuration at "
                f"{self.statics.where(self.now)}, where {self.statics.system.row_name(row)} depends on the other "
                "equations",
                time=self.statics.time,
            )
