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
    mu = _scalar_mass(M, dofs)
    weighted = (mu @ fields.reshape(len(nodes), -1)).reshape(fields.shape)
    D = np.einsum("ica,idb->abcd", fields, weighted, optimize=True)
    D = 0.5 * (D + D.transpose(1, 0, 3, 2))
    if dofs == 6 or not _is_scalar(M, mu):
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


def _scalar_mass(M: csr_matrix, dofs: int) -> csr_matrix:
    """mu of M = mu (x) I_3, or lumped masses at the nodes."""
    mu = csr_matrix(M[0::dofs][:, 0::dofs])
    if dofs == 3 and _is_scalar(M, mu):
        return mu
    moving = csr_matrix((M[0::dofs][:, 0::dofs] + M[1::dofs][:, 1::dofs] + M[2::dofs][:, 2::dofs]) / 3.0)
    lumped = np.asarray(moving.sum(axis=1)).ravel()
    return csr_matrix((lumped, (np.arange(len(lumped)),) * 2), shape=mu.shape)


def _is_scalar(M: csr_matrix, mu: csr_matrix) -> bool:
    if M.shape[0] != 3 * mu.shape[0]:
        return False
    largest = np.abs(M.data).max(initial=0.0)
    for i in range(3):
        for j in range(3):
            apart = M[i::3][:, j::3] - (mu if i == j else 0.0 * mu)
            if apart.nnz and np.abs(apart.data).max() > 1e-10 * largest:
                return False
    return True


def _scale(rigid: np.ndarray) -> np.ndarray:
    return np.sqrt(np.diag(rigid))


def _skew(h: np.ndarray) -> np.ndarray:
    """The antisymmetric matrix D - D^T of vex(D) = h."""
    x, y, z = h
    return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
