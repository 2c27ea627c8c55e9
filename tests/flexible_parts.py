"""Flexible parts for tests: bars of bricks with consistent mass, and mass points with random modes."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from cardan.model.flexible_part import FlexiblePart, Interface


def integrals(x: np.ndarray, psi: np.ndarray, mu: np.ndarray) -> dict[str, np.ndarray | float]:
    """All integrals of nodes x (N, 3) with modes psi (n, N, 3) and the scalar mass matrix mu (N, N)."""
    shapes = np.concatenate([x[None], psi])
    weighted = np.einsum("ij,ajc->aic", mu, shapes)
    D = np.einsum("aic,bid->abcd", shapes, weighted)
    return {
        "mass": float(mu.sum()),
        "first_moment": weighted.sum(1),
        "second_moment": D,
        "modal_mass": np.einsum("klcc->kl", D[1:, 1:]),
        "coupling": weighted[1:].sum(1).T,
        "rotation_coupling": np.cross(x[None], weighted[1:]).sum(1).T,
        "inertia": np.trace(D[0, 0]) * np.eye(3) - D[0, 0],
    }


def node_interfaces(x: np.ndarray, psi: np.ndarray, names: dict[str, int]) -> dict[str, Interface]:
    """Markers on nodes, whose axes do not turn."""
    return {name: Interface(x[i], psi[:, i].T, np.zeros((3, len(psi)))) for name, i in names.items()}


def bricks(
    size: tuple[float, float, float], count: tuple[int, int, int], E: float, nu: float, rho: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scalar mass matrix, stiffness matrix and nodes of a box of trilinear bricks, two Gauss points per direction."""
    grids = [np.linspace(0.0, s, c + 1) for s, c in zip(size, count, strict=True)]
    x = np.array([(a, b, c) for a in grids[0] for b in grids[1] for c in grids[2]])
    lam, G = E * nu / (1.0 + nu) / (1.0 - 2.0 * nu), E / 2.0 / (1.0 + nu)
    C = np.zeros((6, 6))
    C[:3, :3] = lam
    C[range(6), range(6)] += [2.0 * G] * 3 + [G] * 3
    h = np.array(size) / np.array(count)
    corner = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    mu, K = np.zeros((8, 8)), np.zeros((24, 24))
    points = 0.5 + 0.5 * np.array([-1.0, 1.0]) / np.sqrt(3.0)
    for s in [(a, b, c) for a in points for b in points for c in points]:
        f = np.where(corner == 1, s, 1.0 - np.array(s))
        N = f.prod(1)
        dN = np.array([(2 * corner[:, d] - 1) / h[d] * np.delete(f, d, 1).prod(1) for d in range(3)])
        B = np.zeros((6, 24))
        for d in range(3):
            B[d, d::3] = dN[d]
        for row, (d, e) in zip((3, 4, 5), ((0, 1), (1, 2), (2, 0)), strict=True):
            B[row, d::3], B[row, e::3] = dN[e], dN[d]
        weight = h.prod() / 8.0
        mu += rho * weight * np.outer(N, N)
        K += weight * B.T @ C @ B
    whole_mu, whole_K = np.zeros((len(x), len(x))), np.zeros((3 * len(x), 3 * len(x)))
    for cell in np.ndindex(*count):
        nodes = np.array([np.ravel_multi_index(np.array(cell) + c, np.array(count) + 1) for c in corner])
        whole_mu[np.ix_(nodes, nodes)] += mu
        freedoms = (3 * nodes[:, None] + np.arange(3)).ravel()
        whole_K[np.ix_(freedoms, freedoms)] += K
    return whole_mu, whole_K, x


def brick_part(
    count: tuple[int, int, int] = (4, 1, 1),
    size: tuple[float, float, float] = (1.0, 0.12, 0.08),
    modes: int | None = None,
    nodes: dict[str, int] | None = None,
) -> FlexiblePart:
    """A soft bar in its free modes, all of them by default: a mean frame."""
    mu, K, x = bricks(size, count, E=2e6, nu=0.3, rho=1000.0)
    squares, shapes = scipy.linalg.eigh(K, np.kron(mu, np.eye(3)))
    last = None if modes is None else 6 + modes
    squares, psi = squares[6:last], shapes.T[6:last].reshape(-1, len(x), 3)
    n = len(psi)
    return FlexiblePart(
        "bar",
        **integrals(x, psi, mu) | {"modal_mass": np.eye(n)},
        stiffness=np.diag(squares),
        damping=np.zeros((n, n)),
        interfaces=node_interfaces(x, psi, {"root": 0, "tip": len(x) - 1} if nodes is None else nodes),
        frequencies=np.sqrt(squares) / (2.0 * np.pi),
    )


class Points:
    """Mass points with random modes, and second-order displacements Gamma if it is stiffened."""

    def __init__(self, seed: int, stiffened: bool = False, count: int = 12, modes: int = 4, flat: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.x, self.psi = rng.normal(size=(count, 3)), 0.3 * rng.normal(size=(modes, count, 3))
        self.mass, self.rho = rng.uniform(0.5, 1.5, count), rng.normal(size=(2, 3, modes))
        root = rng.normal(size=(modes, modes))
        self.K = 20.0 * np.eye(modes) + root @ root.T
        gamma = 0.03 * rng.normal(size=(modes, modes, count, 3))
        self.gamma = (gamma + gamma.swapaxes(0, 1)) * stiffened
        if flat:
            self.psi[:, :, 2] = self.gamma[..., 2] = self.rho[:, :2] = 0.0
        pair = (
            np.einsum("klic,i->klc", self.gamma, self.mass),
            np.einsum("ic,klid,i->klcd", self.x, self.gamma, self.mass),
        )
        self.part = FlexiblePart(
            "points",
            **integrals(self.x, self.psi, np.diag(self.mass)),
            stiffness=self.K,
            damping=0.01 * self.K,
            interfaces={
                name: Interface(self.x[i], self.psi[:, i].T, self.rho[i]) for i, name in enumerate(("first", "second"))
            },
            frequencies=np.sqrt(np.diag(self.K)),
            stiffening=pair if stiffened else None,
        )

    def places(self, r: np.ndarray, A: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The points, without what is of second order."""
        return np.asarray(r + (self.x + np.einsum("kic,k->ic", self.psi, eta)) @ A.T)
