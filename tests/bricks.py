"""Trilinear bricks with NumPy only, an independent source of matrices for tests of flexible parts; meshes of these."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, kron

from cardan.flexible import Mesh

CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
TETS = ((0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (1, 4, 5, 6), (3, 4, 6, 7))  # of a brick


def bricks(
    size: tuple[float, float, float], count: tuple[int, int, int], E: float, nu: float, rho: float
) -> tuple[csr_matrix, csr_matrix, np.ndarray]:
    """(M, K, nodes) of a box from the origin; consistent mass."""
    grids = [np.linspace(0, s, c + 1) for s, c in zip(size, count, strict=True)]
    nodes = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, 3)
    mu, stiffness = _element(np.array(size) / np.array(count), E, nu, rho)
    number = np.arange(len(nodes)).reshape([c + 1 for c in count])
    cells = np.stack([number[i:, j:, k:][: count[0], : count[1], : count[2]].ravel() for i, j, k in CORNERS], axis=1)
    dofs = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), -1)
    return (
        csr_matrix(kron(_assembled(mu, cells, len(nodes)), np.eye(3))),
        _assembled(stiffness, dofs, 3 * len(nodes)),
        nodes,
    )


def _element(h: np.ndarray, E: float, nu: float, rho: float) -> tuple[np.ndarray, np.ndarray]:
    lame, G = E * nu / (1 + nu) / (1 - 2 * nu), E / 2 / (1 + nu)
    C = np.diag([2 * G] * 3 + [G] * 3)
    C[:3, :3] += lame
    mu, K = np.zeros((8, 8)), np.zeros((24, 24))
    gauss = 0.5 + 0.5 * np.array([-1, 1]) / np.sqrt(3)
    for place in [np.array((a, b, c)) for a in gauss for b in gauss for c in gauss]:
        factors = np.where(CORNERS == 1, place, 1 - place)
        N = factors.prod(axis=1)
        slopes = [(2 * CORNERS[:, d] - 1) / h[d] * np.delete(factors, d, 1).prod(axis=1) for d in range(3)]
        B = np.zeros((6, 24))
        for d in range(3):
            B[d, d::3] = slopes[d]
        for row, (d, e) in zip((3, 4, 5), ((0, 1), (1, 2), (2, 0)), strict=True):
            B[row, d::3], B[row, e::3] = slopes[e], slopes[d]
        weight = h.prod() / 8
        mu += rho * weight * np.outer(N, N)
        K += weight * B.T @ C @ B
    return mu, K


def _assembled(element: np.ndarray, at: np.ndarray, size: int) -> csr_matrix:
    n = at.shape[1]
    row, column = np.repeat(at, n, axis=1).ravel(), np.tile(at, (1, n)).ravel()
    return csr_matrix((np.tile(element.ravel(), len(at)), (row, column)), shape=(size, size))


def tetrahedra(mesh: Mesh) -> Mesh:
    """Each brick split in five; neighbors are mirrored, and their diagonals meet."""
    cells = []
    middle = mesh.points[mesh.cells].mean(axis=1)
    size = np.ptp(mesh.points[mesh.cells[0]], axis=0)
    parity = np.rint((middle - mesh.points.min(axis=0)) / size - 0.5).astype(int).sum(axis=1) % 2
    mirror = np.array([1, 0, 3, 2, 5, 4, 7, 6])
    for cell, odd in zip(mesh.cells, parity, strict=True):
        for tet in TETS:
            a, b, c, d = (cell[mirror] if odd else cell)[list(tet)]
            cells.append([a, c, b, d] if odd else [a, b, c, d])
    return Mesh(mesh.points, np.array(cells))
