"""Interfaces of a finite element model: how a set of nodes makes one point with axes.

    "average"   the mean motion of the nodes (least squares, RBE3): they stay free, a load is spread over them
    "rigid"     the nodes follow the point rigidly (RBE2): the part is stiffer there

    (d, theta) = (R^T w R)^-1 R^T w u,   R the rigid motions of the nodes about the point, w weights

One node of a solid has no rotation of its own: its rotation is the mean rotation of the nodes that share an element
with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.rigid_motion import rigid_motions
from cardan.model import check

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

FLAT = 1e-8  # the smallest inertia of a set of nodes, relative to its largest, that defines a rotation


@dataclass(frozen=True, eq=False)
class Connection:
    """A set of nodes that acts as one point with axes.

    `nodes` are indices from 0 or a mask; `kind` is "average" or "rigid"; `point` is the reference point, by default the
    weighted mean of the nodes; `orientation` (3 x 3) has the axes of the interface in its columns.

    >>> Connection([0, 1, 2, 3], kind="rigid").kind
    'rigid'
    """

    nodes: ArrayLike
    kind: str = "average"
    point: ArrayLike | None = None
    weights: ArrayLike | None = None
    orientation: ArrayLike = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True, eq=False)
class Seat:
    """A checked connection: its nodes, point, and the 6 x (nodes * dofs) matrix from displacements to its motion."""

    name: str
    nodes: np.ndarray
    point: np.ndarray
    rigid: bool
    motion: csr_matrix
    orientation: np.ndarray


def seats(interfaces: Any, nodes: np.ndarray, dofs: int, K: csr_matrix) -> list[Seat]:
    """All interfaces of a model, checked."""
    if interfaces is None:
        return []
    check.instance(interfaces, Mapping, "interfaces", "state name: nodes, or name: Connection(nodes, ...)")
    result = [_seat(name, stated, nodes, dofs, K) for name, stated in interfaces.items()]
    owner: dict[int, str] = {}
    for seat in result:
        for node in seat.nodes[: len(seat.nodes) if seat.rigid else 0].tolist():
            if node in owner:
                raise ModelError(
                    f"node {node} belongs to the rigid interfaces '{owner[node]}' and '{seat.name}': it cannot follow "
                    "both; take it out of one, or use kind='average'"
                )
            owner[node] = seat.name
    return result


def _seat(name: Any, stated: Any, nodes: np.ndarray, dofs: int, K: csr_matrix) -> Seat:
    what = f"interface '{check.text(name, 'the name of an interface')}'"
    given = stated if isinstance(stated, Connection) else Connection(stated)
    check.choice(given.kind, ("average", "rigid"), f"kind of {what}")
    chosen = _indices(given.nodes, len(nodes), what)
    weights = np.ones(len(chosen))
    if given.weights is not None:
        weights = np.asarray(given.weights, dtype=float)
        if weights.shape != chosen.shape or not (weights > 0.0).all() or not np.isfinite(weights).all():
            raise ModelError(f"weights of {what} must be {len(chosen)} positive numbers, one for each node")
    point = weights @ nodes[chosen] / weights.sum()
    if given.point is not None:
        point = np.array(check.vector(given.point, 3, f"point of {what}"))
    axes = np.asarray(given.orientation, dtype=float)
    if given.kind == "rigid":
        motion = _rigid(what, nodes, chosen, point, dofs)
    else:
        motion = _average(what, nodes, chosen, weights, point, dofs, K)
    return Seat(name, chosen, point, given.kind == "rigid", motion, axes)


def _indices(stated: Any, count: int, what: str) -> np.ndarray:
    chosen = np.atleast_1d(np.asarray(stated))
    if chosen.dtype == bool and chosen.shape == (count,):
        chosen = np.flatnonzero(chosen)
    if chosen.size == 0:
        raise ModelError(f"{what} has no nodes: check its selection, or the name and tolerance of the node set")
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise ModelError(
            f"nodes of {what} must be indices of nodes, or a mask of {count}, got {check.describe(stated)}"
        )
    if chosen.min() < 0 or chosen.max() >= count:
        raise ModelError(f"nodes of {what} must be from 0 to {count - 1}, got {chosen.min()} to {chosen.max()}")
    return np.unique(chosen).astype(np.int64)


def _rigid(what: str, nodes: np.ndarray, chosen: np.ndarray, point: np.ndarray, dofs: int) -> csr_matrix:
    if dofs == 3 and not _turns(nodes[chosen], np.ones(len(chosen))):
        raise ModelError(
            f"the nodes of {what} ({_listed(chosen)}) lie in a line: a rigid connection needs three that do not, "
            "because nodes of solids have no rotation"
        )
    R = rigid_motions(nodes[chosen], point, dofs)
    return _columns(np.linalg.pinv(R), chosen, len(nodes), dofs)


def _average(
    what: str,
    nodes: np.ndarray,
    chosen: np.ndarray,
    weights: np.ndarray,
    point: np.ndarray,
    dofs: int,
    K: csr_matrix,
) -> csr_matrix:
    """The rows of the mean motion; a set in a line takes its rotation from rotations, or from nodes around it."""
    if _turns(nodes[chosen], weights):
        return _least_squares(nodes, chosen, weights, point, dofs, 0.0)
    if dofs == 6:
        spread = np.sqrt(weights @ np.sum((nodes[chosen] - point) ** 2, axis=1) / weights.sum())
        return _least_squares(nodes, chosen, weights, point, dofs, spread**2 or 1.0)
    if len(chosen) > 1:
        raise ModelError(
            f"the nodes of {what} ({_listed(chosen)}) lie in a line: their mean rotation about it is not defined; "
            "take nodes around it as well, or a single node"
        )
    node = int(chosen[0])
    around = np.unique(K[3 * node : 3 * node + 3].indices // 3).astype(np.int64)
    if not _turns(nodes[around], np.ones(len(around))):
        raise ModelError(f"{what} is node {node}, whose neighbors lie in a line: its rotation is not defined")
    motion = _least_squares(nodes, around, np.ones(len(around)), nodes[node], 3, 0.0).tolil()
    lever = rigid_motions(point[None], nodes[node])[:, 3:]  # the point moves with the node
    translation = csr_matrix((np.ones(3), (np.arange(3), 3 * node + np.arange(3))), shape=(3, motion.shape[1]))
    motion[:3] = translation + csr_matrix(lever @ motion[3:].toarray())
    return csr_matrix(motion)


def _least_squares(
    nodes: np.ndarray, chosen: np.ndarray, weights: np.ndarray, point: np.ndarray, dofs: int, turn: float
) -> csr_matrix:
    R = rigid_motions(nodes[chosen], point, dofs)
    each = np.ones((len(chosen), dofs)) * weights[:, None]
    each[:, 3:] *= turn
    w = each.ravel()
    return _columns(np.linalg.solve(R.T @ (w[:, None] * R), R.T * w), chosen, len(nodes), dofs)


def _columns(rows: np.ndarray, chosen: np.ndarray, count: int, dofs: int) -> csr_matrix:
    """6 rows on the degrees of freedom of some nodes, as a sparse matrix on those of all."""
    at = (dofs * chosen[:, None] + np.arange(dofs)).ravel()
    row, column = np.meshgrid(np.arange(6), at, indexing="ij")
    found = csr_matrix((rows.ravel(), (row.ravel(), column.ravel())), shape=(6, dofs * count))
    found.eliminate_zeros()
    return found


def _turns(places: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the places define a rotation: they do not lie in a line."""
    d = places - weights @ places / weights.sum()
    J = np.einsum("i,ij,ij->", weights, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", weights, d, d)
    least, _, most = np.linalg.eigvalsh(J)
    return bool(least > FLAT * most)


def _listed(chosen: np.ndarray) -> str:
    shown = ", ".join(str(node) for node in chosen[:6])
    return shown if len(chosen) <= 6 else f"{shown}, ... {len(chosen)} nodes"
