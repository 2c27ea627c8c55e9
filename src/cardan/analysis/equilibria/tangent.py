"""The linearized equations of equilibrium: steps toward balance without a part along neutral directions.

    [[H, J^T], [J, 0]] [s; d lambda] = [-(J^T lambda - Q); -Phi]         or, with J Z = 0:  Z^T H Z w = -Z^T r,  s = Z w

Coordinates are scaled by D^-1/2, D = |H_ii| + force, as in `numerics.curvature`, to compare stiff and soft ones.
Away from balance H contains the unbalanced forces: a direction in which the scaled matrix is smaller than their
fraction, or than the error of differences, counts as neutral, and the step has no part along it. If forces act along
such directions, exact derivatives replace differences, and directions are added, those with the largest forces first,
until little is left. `trust` lowers the bound if steps without them fail. Systems with too many degrees of freedom for
a basis Z are solved by a sparse factorization with a small shift, whose effect two refinements remove except along
neutral directions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.equilibria.place import Place
from cardan.analysis.equilibria.statics import Point, Statics
from cardan.analysis.equilibria.stiffness import exact_stiffness

DIFFERENCES, EXACT = 1e-8, 1e-12  # of the scaled matrix: what counts as zero
LARGEST = 1e-4  # and what never does
SHIFT = 1e-9
PUSHED = 0.3  # of what is out of balance: so much may act along directions that are left out
SETTLED, FAR = 1e-7, 0.01  # share of the forces left over that may stay if only such a displacement would balance it


class Tangent:
    """The linearized equations at a place with given multipliers.

    `neutral` are displacements without resistance, orthonormal columns. `ended` says that what is left over is next to
    nothing and acts along directions with as little stiffness: only a long way would balance it.
    """

    def __init__(self, statics: Statics, place: Place, multipliers: np.ndarray, trust: float = 1.0) -> None:
        self.statics, self.place, self.n, self.trust = statics, place, statics.size, trust
        point = place.point
        self.force = max(point.acting, float(np.abs(point.multipliers).max(initial=0.0)))
        left_over = float(np.abs(point.residual).max(initial=0.0))
        self.share = left_over / self.force if self.force else float(left_over > 0.0)
        self.neutral, self.ended = np.zeros((self.n, 0)), False
        H = statics.stiffness(place.q, place.reference, multipliers, point)
        basis = statics.rank(point).null_space
        if basis is None:
            self._factorize_sparse(sp.csr_array(H), sp.csr_array(statics.jacobian(point)))
        elif self._factorize(H, basis, DIFFERENCES) and not statics.varies:
            exact = exact_stiffness(statics, place)
            if point.chart is not None:
                exact = point.chart[1].T @ (exact @ point.chart[1])
            self._factorize(exact, basis, EXACT)

    def step(self, point: Point | None = None) -> np.ndarray:
        """The displacement that balances the forces of a place, by default this one, to first order."""
        point = point or self.place.point
        found: np.ndarray = self._solve(-self.statics.residual(point, point.multipliers), -point.phi)
        found = found - self.neutral @ (self.neutral.T @ found)
        return found - self.neutral @ (self.neutral.T @ found)

    def _root(self, H: Any) -> np.ndarray:
        """D^1/2"""
        D = np.abs(H.diagonal()) + self.force
        return np.asarray(np.sqrt(np.where(D > 0.0, D, D.max(initial=0.0) or 1.0)))

    def _factorize(self, H: Any, basis: np.ndarray, precision: float) -> bool:
        """Find singular values and neutral directions; returns whether forces act along some that look neutral."""
        root = self._root(H)[:, None]
        free = np.linalg.qr(root * basis)[0] / root
        left, sizes, lines = np.linalg.svd(free.T @ (H @ free))
        small = sizes <= max(precision, self.trust * min(self.share, LARGEST))
        force = left.T @ (free.T @ self.place.point.residual)
        pushed = _pushed(force, small)
        usable = np.where(sizes > EXACT, sizes, DIFFERENCES)  # without a stiffness: a way along the force
        inverse = np.where(small & ~pushed, 0.0, 1.0 / usable)
        far = free @ (lines[pushed].T @ (force[pushed] / np.maximum(sizes[pushed], EXACT**2)))
        # differences cannot distinguish a small stiffness from zero: only exact derivatives show that a step is long
        self.ended = precision == EXACT and self.share <= SETTLED and float(np.abs(far).max(initial=0.0)) > FAR
        moves = free @ lines[small if self.ended else small & ~pushed].T
        self.neutral = np.linalg.qr(moves)[0] if moves.size else np.zeros((self.n, 0))
        self._solve = lambda top, low: free @ (lines.T @ (inverse * (left.T @ (free.T @ top))))
        return bool(pushed.any())

    def _factorize_sparse(self, H: sp.csr_array, J: sp.csr_array) -> None:
        root = self._root(H)
        squares = (J * J) @ (1.0 / root**2)
        scale = np.concatenate([1.0 / root, 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))])
        bordered = sp.block_array([[H, J.T], [J, None]] if J.shape[0] else [[H]])
        matrix = sp.csr_array(sp.diags_array(scale) @ bordered @ sp.diags_array(scale))
        moved = max(SHIFT, 0.01 * self.trust * min(self.share, LARGEST))
        shift = np.concatenate([np.full(self.n, moved), np.full(J.shape[0], -SHIFT)])
        factors = splu(sp.csc_array(matrix + sp.diags_array(shift)))

        def solve(top: np.ndarray, low: np.ndarray) -> np.ndarray:
            right = scale * np.concatenate([top, low])
            found = factors.solve(right)
            for _ in range(2):
                found = found + factors.solve(right - matrix @ found)
            return np.asarray((scale * found)[: self.n])

        self._solve = solve


def _pushed(forces: np.ndarray, small: np.ndarray) -> np.ndarray:
    """The small directions that must be added, largest forces first, until little acts along the others."""
    chosen = np.zeros(small.size, bool)
    order = np.flatnonzero(small)[np.argsort(-np.abs(forces[small]), kind="stable")]
    behind = np.sqrt(np.cumsum(forces[order][::-1] ** 2)[::-1])  # what acts along this one and the following
    chosen[order[behind > PUSHED * np.linalg.norm(forces)]] = True
    return chosen
