"""Inertia integrals of modes with the mass matrix of the finite element model.

Nodes with translations only have M = mu (x) I_3: then S_a = psi_a^T mu 1 and D_ab = psi_a^T mu psi_b are exact, and all
inertia follows from them. With rotations at the nodes the mass, the first moment, the inertia, C, H_0 and the modal
mass are exact from M and the rigid motions, and D of first and second order in the modes is that of masses lumped at
the nodes (row sums of translations).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from cardan.errors import ModelError
from cardan.flexible.rigid_motion import rigid_motions

EQUAL = 1e-6  # masses in the three directions, relative
SAME = 1e-10  # entries of M, relative to the largest


def inertia_integrals(M: csr_matrix, nodes: np.ndarray, dofs: int, modes: np.ndarray) -> dict[str, Any]:
    """The fields of a FlexiblePart that depend on mass; `modes` is (nodes * dofs, n)."""
    n = modes.shape[1]
    R = rigid_motions(nodes, np.zeros(3), dofs)
    rigid = R.T @ (M @ R)
    mass = check_rigid_mass(rigid)
    coupled = (M @ R).T @ modes  # C above H_0
    coupled = np.where(np.abs(coupled) < 1e-14 * _scale(rigid)[:, None], 0.0, coupled)
    inertia = 0.5 * (rigid[3:, 3:] + rigid[3:, 3:].T)
    first = np.vstack([[rigid[1, 5], rigid[2, 3], rigid[0, 4]], coupled[:3].T])
    fields = np.concatenate([nodes[:, :, None], modes.reshape(len(nodes), dofs, n)[:, :3]], axis=2)  # (N, 3, n + 1)
    mu, exact = _scalar_mass(M, dofs)
    weighted = (mu @ fields.reshape(len(nodes), -1)).reshape(fields.shape)
    D = np.einsum("ica,idb->abcd", fields, weighted, optimize=True)
    D = 0.5 * (D + D.transpose(1, 0, 3, 2))
    if not exact:
        D[0, 0] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        for k in range(n):  # the moment of x and psi_k as in H_0, which is exact
            D[0, k + 1] = 0.5 * (D[0, k + 1] + D[0, k + 1].T) + 0.5 * _skew(coupled[3:, k])
            D[k + 1, 0] = D[0, k + 1].T
    modal = modes.T @ (M @ modes)
    return {
        "mass": mass,
        "first_moment": first,
        "second_moment": D,
        "modal_mass": 0.5 * (modal + modal.T),
        "coupling": coupled[:3],
        "rotation_coupling": coupled[3:],
        "inertia": inertia,
    }


def check_rigid_mass(rigid: np.ndarray) -> float:
    """The mass from the 6 x 6 matrix of rigid motions; it must be the same in all directions."""
    masses = np.diag(rigid)[:3]
    mass = float(masses.mean())
    if mass <= 0.0 or not np.isfinite(mass):
        raise ModelError(f"the mass matrix M has the mass {mass:g}: it must be positive")
    if np.abs(rigid[:3, :3] - mass * np.eye(3)).max() > EQUAL * mass:
        values = ", ".join(f"{value:.6g}" for value in masses)
        raise ModelError(
            f"the mass matrix M has different masses along x, y and z ({values}): a free body has one mass. Remove "
            "supports and masses that act in one direction only"
        )
    return mass


def _scalar_mass(M: csr_matrix, dofs: int) -> tuple[csr_matrix, bool]:
    """(mu, whether M = mu (x) I_3); else mu has masses lumped at the nodes."""
    moving = np.arange(M.shape[0]).reshape(-1, dofs)[:, :3]
    along = [csr_matrix(M[moving[:, i]][:, moving[:, i]]) for i in range(3)]
    largest = np.abs(M.data).max(initial=0.0)
    rest = abs(M).sum() - sum(abs(part).sum() for part in along)  # rotations, and couplings of directions
    equal = all(abs(part - along[0]).max() <= SAME * largest for part in along[1:])
    if equal and rest <= SAME * largest:
        return along[0], True
    lumped = np.asarray(sum(along).sum(axis=1)).ravel() / 3.0
    return csr_matrix((lumped, (np.arange(len(lumped)),) * 2), shape=along[0].shape), False


def _scale(rigid: np.ndarray) -> np.ndarray:
    return np.sqrt(np.diag(rigid))


def _skew(h: np.ndarray) -> np.ndarray:
    """The antisymmetric matrix D - D^T of vex(D) = h."""
    x, y, z = h
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
