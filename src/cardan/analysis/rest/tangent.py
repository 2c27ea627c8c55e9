"""The equations of rest, linearized at a place: steps to balance that leave neutral directions alone.

    [[H, J^T], [J, 0]] [s; d lambda] = [-(J^T lambda - Q); -Phi]

Coordinates are scaled by D^-1/2, D = |H_ii| + force, as in `numerics.curvature`, so that stiff and soft ones compare.
Away from balance H holds what is left over of the forces, so that a direction in which the scaled matrix is smaller
than the share left over, or than differences can tell, counts as neutral: the step has no part along it. Where forces
act along such directions all the same, exact derivatives take the place of differences and those of them join in, the
most pushed first, until little is left. Of redundant joints the smallest multipliers are taken. Large systems are
solved by a sparse factorization with a small shift, whose effect two refinements take back except along neutral
directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.rest.place import Place
from cardan.analysis.rest.statics import Point, Statics
from cardan.analysis.rest.stiffness import exact_stiffness

DENSE = 400  # unknowns up to which singular values are found
DIFFERENCES, EXACT = 1e-8, 1e-12  # of the scaled matrix: what counts as zero
LARGEST = 1e-4  # and what never does
SHIFT = 1e-9
MOVES = 1e-6  # of a direction of unit length: less is no displacement
PUSHED = 0.3  # of what is out of balance: so much may act along directions that are left out
ALMOST = 1e-9  # of the acting forces: along directions without stiffness rounding may leave so much


class Tangent:
    """The linearized equations at a place with given multipliers.

    `neutral` are displacements without resistance, orthonormal columns. `ended` says that what is left over is next to
    nothing and acts along directions without a stiffness: no step leads on.
    """

    def __init__(self, statics: Statics, place: Place, multipliers: np.ndarray) -> None:
        self.statics, self.place, self.n = statics, place, statics.size
        point = place.point
        self.force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
        left_over = float(np.abs(point.residual).max(initial=0.0))
        self.share = left_over / self.force if self.force else float(left_over > 0.0)
        self.right = self._right(point, multipliers)
        self.neutral, self.ended = np.zeros((self.n, 0)), False
        J = statics.jacobian(point)
        H = statics.stiffness(place.q, place.reference, multipliers, point)
        if self.n + J.shape[0] > DENSE:
            self._factorize_sparse(sp.csr_array(H), sp.csr_array(J))
            return
        J = _dense(J)
        if self._factorize(_dense(H), J, DIFFERENCES) and not statics.varies:
            exact = exact_stiffness(statics, place)
            if point.chart is not None:
                exact = point.chart[1].T @ (exact @ point.chart[1])
            self._factorize(_dense(exact), J, EXACT)

    def step(self, point: Point | None = None) -> np.ndarray:
        """The displacement that balances the forces of a place, by default this one, to first order."""
        right = self.right if point is None else self._right(point, point.multipliers)
        found: np.ndarray = self._solve(self.scale * right)
        found = found - self.neutral @ (self.neutral.T @ found)
        return found - self.neutral @ (self.neutral.T @ found)

    def _right(self, point: Point, multipliers: np.ndarray) -> np.ndarray:
        return np.concatenate([-self.statics.residual(point, multipliers), -point.phi])

    def _scaled(self, H: Any, J: Any) -> tuple[np.ndarray, np.ndarray]:
        """The factors of coordinates and of rows."""
        D = np.abs(H.diagonal()) + self.force
        coordinates = 1.0 / np.sqrt(np.where(D > 0.0, D, D.max(initial=0.0) or 1.0))
        squares = (J * J) @ coordinates**2
        rows = 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))
        self.scale = np.concatenate([coordinates, rows])
        return coordinates, rows

    def _factorize(self, H: np.ndarray, J: np.ndarray, precision: float) -> bool:
        """Find singular values and neutral directions; returns whether forces act along some that look neutral."""
        self._scaled(H, J)
        matrix = np.block([[H, J.T], [J, np.zeros((J.shape[0], J.shape[0]))]]) * np.outer(self.scale, self.scale)
        left, sizes, lines = np.linalg.svd(matrix)
        small = sizes <= max(precision, min(self.share, LARGEST))
        pushed = _pushed(left.T @ (self.scale * self.right), small)
        usable = np.where(sizes > precision, sizes, DIFFERENCES)  # without a stiffness: a way along the force
        inverse = np.where(small & ~pushed, 0.0, 1.0 / usable)
        self.ended = bool(pushed.any() and self.share <= ALMOST and (sizes[pushed] <= max(self.share, EXACT)).all())
        left_out = small if self.ended else small & ~pushed
        self.neutral = _moving(lines[left_out, : self.n], self.scale[: self.n])
        self._solve = lambda b: self.scale[: self.n] * (lines.T @ (inverse * (left.T @ b)))[: self.n]
        return bool(pushed.any())

    def _factorize_sparse(self, H: sp.csr_array, J: sp.csr_array) -> None:
        coordinates, rows = (sp.diags_array(x) for x in self._scaled(H, J))
        H, J = coordinates @ H @ coordinates, rows @ J @ coordinates
        matrix = sp.csr_array(sp.block_array([[H, J.T], [J, None]] if J.shape[0] else [[H]]))
        moved = max(SHIFT, 0.01 * min(self.share, LARGEST))
        shift = np.concatenate([np.full(self.n, moved), np.full(J.shape[0], -SHIFT)])
        factors = splu(sp.csc_array(matrix + sp.diags_array(shift)))

        def solve(right: np.ndarray) -> np.ndarray:
            found = factors.solve(right)
            for _ in range(2):
                found = found + factors.solve(right - matrix @ found)
            return np.asarray(self.scale[: self.n] * found[: self.n])

        self._solve = solve


def _pushed(forces: np.ndarray, small: np.ndarray) -> np.ndarray:
    """Those of the small directions that must join in, the most pushed first, so that little acts along the others."""
    chosen = np.zeros(small.size, bool)
    order = np.flatnonzero(small)[np.argsort(-np.abs(forces[small]), kind="stable")]
    behind = np.sqrt(np.cumsum(forces[order][::-1] ** 2)[::-1])  # what acts along this one and the following
    chosen[order[behind > PUSHED * np.linalg.norm(forces)]] = True
    return chosen


def _dense(matrix: Any) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _moving(lines: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the displacements in some directions of unit length; where joints are redundant, others
    change nothing but multipliers."""
    _, sizes, parts = np.linalg.svd(lines, full_matrices=False)
    moves = scale[:, None] * parts[sizes > MOVES].T
    return np.asarray(np.linalg.qr(moves)[0]) if moves.size else np.zeros((scale.size, 0))
