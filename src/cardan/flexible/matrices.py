"""Checks of the matrices of a finite element model, before anything is computed from them.

M and K must be square, of the size of the nodes, symmetric and finite; M must be positive semidefinite with the same
mass in all directions; K must not resist a rigid motion; all nodes must be connected. `Cholesky` finds an indefinite K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, eigsh

from cardan.errors import ModelError, warn
from cardan.flexible.rigid_motion import rigid_motions
from cardan.model import check

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ASYMMETRY = 1e-6  # relative to the largest entry; text files have few digits
RESISTANCE = 1e-6  # force of a rigid motion relative to the stiffness times the motion
INDEFINITE = 1e-6  # negative eigenvalue of M with unit diagonal
FASTEST, SLOWEST = 1e5, 1.0  # m/s: sound in solids, from soft gels to diamond, with a margin
HEAVIEST = 1e5  # kg/m^3: four times osmium
MOTIONS = ("a translation along x", "a translation along y", "a translation along z") + (
    "a rotation about x",
    "a rotation about y",
    "a rotation about z",
)
# one unit of length, mass and time in SI
UNITS = {"m, kg, s": (1.0, 1.0, 1.0), "mm, t, s": (1e-3, 1e3, 1.0), "mm, kg, ms": (1e-3, 1.0, 1e-3)}


def checked(
    M: Any, K: Any, nodes: ArrayLike, units: str = "m, kg, s"
) -> tuple[csr_matrix, csr_matrix, np.ndarray, int]:
    """(M, K, nodes, dofs per node), symmetric and in SI units."""
    places = _places(nodes)
    mass, stiffness = _matrix(M, "the mass matrix M"), _matrix(K, "the stiffness matrix K")
    size = mass.shape[0]
    if stiffness.shape != mass.shape:
        raise ModelError(f"M is {_size(mass)}, but K is {_size(stiffness)}: both must have one row per unknown")
    if size not in (3 * len(places), 6 * len(places)):
        raise ModelError(
            f"M and K are {_size(mass)}, but {len(places)} nodes have {3 * len(places)} or {6 * len(places)} unknowns "
            "(three translations, or also three rotations, node by node)"
        )
    dofs = size // len(places)
    mass, stiffness, places = _in_si(mass, stiffness, places, dofs, units)
    _check_mass(mass, dofs)
    _check_connected(mass, stiffness, dofs)
    return mass, stiffness, places, dofs


def check_rigid_motions(K: csr_matrix, nodes: np.ndarray, dofs: int) -> None:
    """Reject a stiffness that resists rigid motions."""
    R = rigid_motions(nodes, nodes.mean(axis=0), dofs)
    force, size = np.abs(K @ R), abs(K) @ np.abs(R)
    found = force.max(axis=0) / size.max(axis=0)
    worst = int(np.argmax(found))
    if found[worst] > RESISTANCE:
        node = int(np.argmax(force[:, worst])) // dofs
        raise ModelError(
            f"K resists {MOTIONS[worst]} (most at node {node}, {found[worst]:.2g} of its stiffness): the body must be "
            "free. Remove supports and springs to ground before the matrices are written; check that the nodes belong "
            "to these matrices" + (", and that lengths and rotations are in the same units" if dofs == 6 else "")
        )


def check_units(M: csr_matrix, K: csr_matrix, nodes: np.ndarray, dofs: int, mass: float) -> None:
    """Reject units that no solid has: the speed of sound from neighboring nodes, the density from the bounding box."""
    moving = np.arange(M.shape[0]).reshape(-1, dofs)[:, :3]
    lumped = np.asarray(M.sum(axis=1)).ravel()[moving].mean(axis=1)
    stiff = K.diagonal()[moving].mean(axis=1)
    links = csr_matrix(K[moving[:, 0]][:, moving[:, 0]]).tocoo()
    apart = links.row != links.col
    gaps = np.linalg.norm(nodes[links.row[apart]] - nodes[links.col[apart]], axis=1)
    span = np.ptp(nodes, axis=0)
    speed = 0.0
    if gaps.size and (lumped > 0.0).any():
        near = np.median(gaps[gaps > 0.0]) if (gaps > 0.0).any() else 0.0
        speed = float(0.5 * near * np.sqrt(np.median(stiff[lumped > 0.0] / lumped[lumped > 0.0])))
    remedy = (
        f"state units={list(UNITS)[1]!r} or {list(UNITS)[2]!r} if the model has them, or units='any' if it is right"
    )
    size = f"{mass:.4g} kg within {span[0]:.4g} x {span[1]:.4g} x {span[2]:.4g} m"
    if speed > FASTEST:
        raise ModelError(f"the units are inconsistent: sound would travel at about {speed:.2g} m/s ({size}); {remedy}")
    if span.min() > 1e-3 * span.max() and mass > HEAVIEST * span.prod():
        raise ModelError(
            f"the units are inconsistent: the density would be at least {mass / span.prod():.2g} kg/m^3 ({size}); "
            f"{remedy}"
        )
    if 0.0 < speed < SLOWEST:
        warn(f"sound would travel at only about {speed:.2g} m/s in this part ({size}); check its units: {remedy}")


def _places(nodes: ArrayLike) -> np.ndarray:
    places = np.asarray(nodes)
    if places.ndim != 2 or places.shape[1] != 3 or places.dtype.kind not in "iuf" or not len(places):
        raise ModelError(f"nodes must be an array of positions, one row of x, y, z each, got {check.describe(nodes)}")
    places = places.astype(float)
    if not np.isfinite(places).all():
        raise ModelError(f"nodes must be finite, but node {int(np.argwhere(~np.isfinite(places))[0, 0])} is not")
    return places


def _matrix(stated: Any, what: str) -> csr_matrix:
    if not issparse(stated) and not (isinstance(stated, np.ndarray) and stated.dtype.kind in "iuf"):
        raise ModelError(f"{what} must be a SciPy sparse matrix or an array, got {check.describe(stated)}")
    if len(stated.shape) != 2 or stated.shape[0] != stated.shape[1] or not stated.shape[0]:
        raise ModelError(f"{what} must be square, got {' x '.join(str(n) for n in stated.shape)}")
    matrix = csr_matrix(stated, dtype=float)
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise ModelError(f"{what} has entries that are not finite")
    largest = np.abs(matrix.data).max(initial=0.0)
    apart = abs(matrix - matrix.T).tocoo()
    if apart.data.size and apart.data.max() > ASYMMETRY * largest:
        k = int(np.argmax(apart.data))
        i, j = int(apart.row[k]), int(apart.col[k])
        raise ModelError(
            f"{what} must be symmetric: entry [{i}, {j}] is {matrix[i, j]:.6g}, entry [{j}, {i}] is {matrix[j, i]:.6g}"
            " (if the file has one triangle, mirror it)"
        )
    matrix = csr_matrix(0.5 * (matrix + matrix.T))
    matrix.sort_indices()
    return matrix


def _in_si(
    M: csr_matrix, K: csr_matrix, nodes: np.ndarray, dofs: int, units: str
) -> tuple[csr_matrix, csr_matrix, np.ndarray]:
    check.choice(units, (*UNITS, "any"), "units")
    length, mass, time = UNITS.get(units, (1.0, 1.0, 1.0))
    if (length, mass, time) == (1.0, 1.0, 1.0):
        return M, K, nodes
    scale = np.ones((len(nodes), dofs))
    scale[:, 3:] = length  # a rotation has no unit, a torque is a force times a length
    turn = csr_matrix((scale.ravel(), (np.arange(scale.size),) * 2))
    return csr_matrix(turn @ M @ turn * mass), csr_matrix(turn @ K @ turn * (mass / time**2)), nodes * length


def _check_mass(M: csr_matrix, dofs: int) -> None:
    diagonal = M.diagonal()
    if not np.abs(M.data).max(initial=0.0) > 0.0:
        raise ModelError("the mass matrix M is zero: state the density of the material, or export the mass matrix")
    if diagonal.min() < 0.0:
        k = int(np.argmin(diagonal))
        raise ModelError(
            f"the mass matrix M is indefinite: node {k // dofs} has the mass {diagonal[k]:.4g} in direction "
            f"{k % dofs + 1}"
        )
    scale = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)), 0.0)
    rows = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    if (np.abs(M.data)[diagonal[rows] == 0.0] > 0.0).any():
        k = int(rows[(diagonal[rows] == 0.0) & (M.data != 0.0)][0])
        raise ModelError(f"the mass matrix M is indefinite: node {k // dofs} has no mass, but is coupled to others")
    unit = csr_matrix((M.data * scale[rows] * scale[M.indices], M.indices, M.indptr), shape=M.shape)
    if M.nnz == np.count_nonzero(diagonal):
        return
    try:  # a Ritz value is never below the lowest eigenvalue: no false alarms
        least = float(eigsh(unit, 1, which="SA", tol=1e-2, return_eigenvectors=False)[0]) if M.shape[0] > 60 else None
    except ArpackError:
        least = None
    if least is None:
        least = float(np.linalg.eigvalsh(unit.toarray())[0]) if M.shape[0] <= 3000 else 0.0
    if least < -INDEFINITE:
        raise ModelError(f"the mass matrix M is indefinite: it has an eigenvalue of {least:.3g} with unit diagonal")


def _check_connected(M: csr_matrix, K: csr_matrix, dofs: int) -> None:
    """All nodes with mass or stiffness hang together."""
    count = K.shape[0] // dofs
    stiff = np.asarray(abs(K).sum(axis=1)).ravel().reshape(count, dofs)
    heavy = M.diagonal().reshape(count, dofs)
    loose = np.flatnonzero((stiff[:, :3].sum(axis=1) == 0.0) & (heavy.sum(axis=1) > 0.0))
    if loose.size:
        raise ModelError(
            f"node {loose[0]} has mass but no stiffness ({loose.size} such nodes): connect it, or remove it"
        )
    used = np.flatnonzero(stiff.sum(axis=1) > 0.0)
    if not used.size:
        raise ModelError("the stiffness matrix K is zero")
    entries = K.tocoo()
    graph = csr_matrix((np.ones(entries.nnz), (entries.row // dofs, entries.col // dofs)), shape=(count, count))
    pieces, piece = connected_components(graph[used][:, used], directed=False)
    if pieces > 1:
        names = [str(used[np.flatnonzero(piece == k)[0]]) for k in range(min(pieces, 4))]
        raise ModelError(
            f"the model consists of {pieces} unconnected pieces (for example nodes {', '.join(names)}): merge "
            "coincident nodes, or make each piece a part of its own"
        )


def _size(matrix: csr_matrix) -> str:
    return f"{matrix.shape[0]} x {matrix.shape[1]}"
