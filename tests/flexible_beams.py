"""Beams of Euler and Bernoulli as flexible parts, with the shortening that bending causes."""

from __future__ import annotations

import numpy as np

from cardan.model.flexible_part import FlexiblePart, Interface

ROOTS = (1.875104068711961, 4.694091132974174, 7.854757438237613, 10.995540734875467, 14.13716839104647)


def cantilever_part(
    modes: int,
    across: int,
    *,
    length: float = 1.0,
    density: float = 1.0,
    bending: float = 1.0,
    stiffened: bool = True,
) -> FlexiblePart:
    """An Euler-Bernoulli beam along x, clamped at the origin and bent along axis `across`, in modes of the cantilever.

    `density` is the mass per length, `bending` EI. Shortening Gamma_kl = -e_x int_0^x w_k' w_l'. Integrals by Gauss
    quadrature over x / length.
    """
    s, weights = np.polynomial.legendre.leggauss(60)
    x, weights = 0.5 * (s + 1.0), 0.5 * weights
    masses = density * length * weights
    shapes, slopes = np.array([_beam(root, x)[0] for root in ROOTS[:modes]]), np.zeros((modes, 60, 60))
    psi = np.zeros((modes, 60, 3))
    psi[:, :, across] = shapes
    for k, root in enumerate(ROOTS[:modes]):
        for p, end in enumerate(x):
            slopes[k, p] = _beam(root, end * x)[1]
    gamma = np.zeros((modes, modes, 60, 3))
    gamma[..., 0] = -np.einsum("kpi,lpi,p,i->klp", slopes, slopes, x, weights) / length
    nodes = np.stack([length * x, 0.0 * x, 0.0 * x], axis=1)
    fields = np.concatenate([nodes[None], psi])
    D = np.einsum("i,aic,bid->abcd", masses, fields, fields)
    tip, slope, _ = (np.array(part) for part in zip(*(_beam(root, 1.0) for root in ROOTS[:modes]), strict=True))
    translation, rotation = np.zeros((3, modes)), np.zeros((3, modes))
    translation[across] = tip
    rotation[3 - across] = (slope if across == 1 else -slope) / length
    bent = np.array([_beam(root, x)[2] for root in ROOTS[:modes]])
    stiffness = bending / length**3 * np.einsum("kp,lp,p->kl", bent, bent, weights)
    pair = np.einsum("klic,i->klc", gamma, masses), np.einsum("ic,klid,i->klcd", nodes, gamma, masses)
    none = np.zeros((3, modes))
    return FlexiblePart(
        "blade",
        mass=density * length,
        first_moment=np.einsum("i,aic->ac", masses, fields),
        second_moment=D,
        modal_mass=np.einsum("klcc->kl", D[1:, 1:]),
        coupling=np.einsum("i,kic->ck", masses, psi),
        rotation_coupling=np.einsum("i,kic->ck", masses, np.cross(nodes[None], psi)),
        inertia=np.trace(D[0, 0]) * np.eye(3) - D[0, 0],
        stiffness=stiffness,
        damping=0.0 * stiffness,
        interfaces={"root": Interface([0, 0, 0], none, none), "tip": Interface([length, 0, 0], translation, rotation)},
        frequencies=np.array(ROOTS[:modes]) ** 2 * np.sqrt(bending / density / length**4) / (2.0 * np.pi),
        stiffening=pair if stiffened else None,
        frame="tangent",
    )


def _beam(root: float, x: np.ndarray | float) -> tuple:
    """A bending mode of the cantilever with its first and second derivative."""
    z, ratio = root * np.asarray(x), (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    ch, sh, c, s = np.cosh(z), np.sinh(z), np.cos(z), np.sin(z)
    return (
        ch - c - ratio * (sh - s),
        root * (sh + s - ratio * (ch - c)),
        root * root * (ch + c - ratio * (sh + s)),
    )
