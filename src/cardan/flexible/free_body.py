"""The free body: rigid interfaces condensed, one factorization, and the solutions that static and normal modes need.

    u = T v                    v: unknowns of nodes outside rigid interfaces, and six of each rigid interface
    b = B^T v                  the motions of all interfaces, six each
    R                          rigid motions,   P = I - R (R^T M R)^-1 R^T M   takes them out

K is singular: it does not resist R. With six suitable unknowns held it is positive definite, and is factored once.
P^T f is a load in equilibrium with its own inertia, so the six supports carry nothing:

    K+ f = P K_held^-1 P^T f                                    the elastic response of the free body
    K x + B mu = f,  B^T x = 0:   x = K+ (f - B mu) + R q       the response with interfaces held, where
    [ B^T K+ B  -B^T R ] [mu]   [ B^T K+ f ]
    [ R^T B        0   ] [q ] = [ R^T f    ]
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import lu_factor, lu_solve, qr
from scipy.sparse import coo_matrix, csr_matrix

from cardan.errors import ModelError
from cardan.flexible.connection import Seat
from cardan.flexible.rigid_motion import rigid_motions
from cardan.numerics.linalg.multifrontal import Cholesky, NotPositive


class FreeBody:
    """M and K of a free body in the unknowns v, and solutions of its equations."""

    def __init__(
        self,
        M: csr_matrix,
        K: csr_matrix,
        nodes: np.ndarray,
        dofs: int,
        seats: list[Seat],
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self.seats, self.nodes, self.dofs = seats, nodes, dofs
        self.T, vertex, places = _condensation(M, K, nodes, dofs, seats)
        self.M, self.K = csr_matrix(self.T.T @ M @ self.T), csr_matrix(self.T.T @ K @ self.T)
        self.R = self._rigid(places, vertex)
        first = len(nodes)
        self.B = np.hstack(
            [np.zeros((self.M.shape[0], 0))]
            + [
                _unit_columns(vertex, first + _rank(seats, seat))
                if seat.rigid
                else (self.T.T @ seat.motion.T).toarray()
                for seat in seats
            ]
        )
        self.MR = self.M @ self.R
        self.rigid_mass = self.R.T @ self.MR
        self._inverse_mass = np.linalg.inv(self.rigid_mass)
        self._hold(vertex, places, progress)

    def _rigid(self, places: np.ndarray, vertex: np.ndarray) -> np.ndarray:
        """Rigid motions about the origin in the unknowns v."""
        everything = rigid_motions(places, np.zeros(3), 6).reshape(-1, 6, 6)
        return everything[vertex, self.direction]

    @property
    def direction(self) -> np.ndarray:
        """Translation 0 to 2 or rotation 3 to 5 of each unknown v."""
        columns = self.T.tocsc()
        first = columns.indices[columns.indptr[:-1]] % self.dofs
        rigid = [seat for seat in self.seats if seat.rigid]
        if rigid:
            first[-6 * len(rigid) :] = np.tile(np.arange(6), len(rigid))
        return first

    def _hold(self, vertex: np.ndarray, places: np.ndarray, progress: Callable[[float], None] | None) -> None:
        """Factor K with six unknowns held that stop all rigid motions."""
        size = max(float(np.ptp(self.nodes, axis=0).max()), np.finfo(float).tiny)
        about_center = self.R @ _shift(self.nodes.mean(axis=0))
        scale = np.where(self.direction < 3, 1.0, size)  # a rotation counts as the displacement of a lever
        rows = (about_center / np.repeat([1.0, size], 3)) * scale[:, None]
        _, _, order = qr(rows.T, mode="economic", pivoting=True)
        held = order[:6]
        self._free = np.setdiff1d(np.arange(self.K.shape[0]), held)
        kept = self.K[self._free][:, self._free]
        try:
            self._factor = Cholesky(kept, vertex[self._free], places, progress)
        except NotPositive as fault:
            raise self._not_positive(int(vertex[self._free[fault.unknown]]), fault.negative) from None

    def _not_positive(self, vertex: int, negative: bool) -> ModelError:
        where = f"node {vertex}"
        if vertex >= len(self.nodes):
            where = f"interface '{[seat for seat in self.seats if seat.rigid][vertex - len(self.nodes)].name}'"
        if negative:
            return ModelError(
                f"the stiffness matrix K is indefinite (negative at {where}): check its sign and triangles"
            )
        return ModelError(
            f"the stiffness matrix K is singular beyond the six rigid motions: {where} can move freely. The model is a "
            "mechanism, or has unknowns without stiffness; connect or remove them"
        )

    def sweep(self, v: np.ndarray) -> np.ndarray:
        """Take out the rigid motions: the result is M-orthogonal to them."""
        return v - self.R @ (self._inverse_mass @ (self.MR.T @ v))

    def flexibility(self, f: np.ndarray) -> np.ndarray:
        """K+ f: the elastic response to loads (columns) in equilibrium with their inertia."""
        balanced = f - self.MR @ (self._inverse_mass @ (self.R.T @ f))
        v = np.zeros_like(balanced)
        v[self._free] = self._factor.solve(balanced[self._free])
        return self.sweep(v)

    def held(self, chosen: list[int]) -> Callable[[np.ndarray], np.ndarray]:
        """The response with some interfaces (by number) held, as a function of loads."""
        B = np.hstack([self.B[:, 6 * k : 6 * k + 6] for k in chosen])
        X = self.flexibility(B)
        n = B.shape[1]
        border = np.block([[B.T @ X, -B.T @ self.R], [self.R.T @ B, np.zeros((6, 6))]])
        size = np.sqrt(np.maximum(np.abs(border).max(axis=1), np.finfo(float).tiny))
        solved = lu_factor(border / size[:, None] / size)

        def respond(f: np.ndarray) -> np.ndarray:
            free = self.flexibility(f)
            right = np.vstack([B.T @ free, self.R.T @ f])
            found = lu_solve(solved, right / size[:, None]) / size[:, None]
            return free - X @ found[:n] + self.R @ found[n:]

        return respond


def _condensation(
    M: csr_matrix, K: csr_matrix, nodes: np.ndarray, dofs: int, seats: list[Seat]
) -> tuple[csr_matrix, np.ndarray, np.ndarray]:
    """(T, the vertex of each unknown v, places of vertices): nodes, then rigid interfaces."""
    size = dofs * len(nodes)
    used = (np.asarray(abs(K).sum(axis=1)).ravel() > 0.0) | (M.diagonal() > 0.0)
    rigid = [seat for seat in seats if seat.rigid]
    for seat in seats:
        idle = seat.nodes[~used.reshape(-1, dofs)[seat.nodes].any(axis=1)]
        if idle.size and not (seat.rigid and idle.size < len(seat.nodes)):
            raise ModelError(f"node {idle[0]} of interface '{seat.name}' has neither mass nor stiffness")
    for seat in rigid:
        used[(dofs * seat.nodes[:, None] + np.arange(dofs)).ravel()] = False
    free = np.flatnonzero(used)
    rows, columns, values = [free], [np.arange(len(free))], [np.ones(len(free))]
    for k, seat in enumerate(rigid):
        R = rigid_motions(nodes[seat.nodes], seat.point, dofs)
        at = (dofs * seat.nodes[:, None] + np.arange(dofs)).ravel()
        rows.append(np.repeat(at, 6))
        columns.append(np.tile(len(free) + 6 * k + np.arange(6), len(at)))
        values.append(R.ravel())
    shape = (size, len(free) + 6 * len(rigid))
    T = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape).tocsr()
    T.eliminate_zeros()
    vertex = np.concatenate([free // dofs, np.repeat(len(nodes) + np.arange(len(rigid)), 6)])
    return T, vertex.astype(np.int64), np.vstack([nodes, *(seat.point[None] for seat in rigid)])


def _rank(seats: list[Seat], seat: Seat) -> int:
    return [other for other in seats if other.rigid].index(seat)


def _unit_columns(vertex: np.ndarray, of: int) -> np.ndarray:
    result = np.zeros((len(vertex), 6))
    result[np.flatnonzero(vertex == of), np.arange(6)] = 1.0
    return result


def _shift(to: np.ndarray) -> np.ndarray:
    """What turns rigid motions about the origin into those about another point."""
    x, y, z = to
    result = np.eye(6)
    result[:3, 3:] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return result
