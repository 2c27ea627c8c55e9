"""Impulses of simultaneous impacts: Newton's law with restitution, and Coulomb friction along the surfaces.

    u = b + A p          p >= 0,   u >= u*,   p (u - u*) = 0           u* = restitution times the speed of approach

A is the effect of unit impulses on the speeds u of all contacts, with joints closed; b are the speeds before. Along a
surface either sliding ends, if |p_t| <= mu p suffices, or p_t = mu p acts against it. The active contacts and their
modes are found by pivoting: contacts that would pull are removed, those that would continue to close are added (Judice
and Pires).
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.linalg.rank import SQUARE

TRIES = 200
TINY = 1e-9  # relative to the largest speed or impulse


def impulses(
    A: np.ndarray, b: np.ndarray, wanted: np.ndarray, mu: np.ndarray, slides: np.ndarray, slow: float = 0.0
) -> np.ndarray | None:
    """The impulses p of m contacts followed by those along their surfaces; None if there is no solution.

    `wanted` and `mu` are given for each contact; `slides[i]` is the index of contact i among the speeds along surfaces,
    starting at m, or -1. Speeds below `slow` are ignored.
    """
    m = wanted.size
    taking = b[:m] < wanted
    mode = np.zeros(m)  # 0: sliding ends; 1, -1: it continues in this direction
    fewest, patience = m + 1, 3
    for _ in range(TRIES):
        p = _solved(A, b, wanted, mu, slides, taking, mode)
        u = b + A @ p
        scale_u, scale_p = max(slow, TINY * np.abs(b).max()), TINY * np.abs(p).max()
        wrong = np.where(taking, p[:m] < -scale_p, u[:m] < wanted - scale_u)
        if not wrong.any():
            if _same_modes(p, u, mu, slides, taking, mode, scale_p, scale_u):
                return p
            continue
        count = int(wrong.sum())
        if count < fewest:
            fewest, patience = count, 3
        else:
            patience -= 1
        if patience < 0:  # changing one at a time always terminates
            wrong[np.flatnonzero(wrong)[1:]] = False
        taking ^= wrong
    return None if mu.any() else _nearest(A, b, wanted)


def _nearest(A: np.ndarray, b: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The best impulses p >= 0 if contacts depend on each other: min |p A p / 2 + p (b - u*)|."""
    from scipy.optimize import nnls  # late: its package takes a tenth of a second to import

    sizes, axes = np.linalg.eigh(0.5 * (A + A.T))
    kept = sizes > SQUARE * sizes[-1]  # contacts with less mobility depend on others
    roots, axes = np.sqrt(sizes[kept]), axes[:, kept]
    found: np.ndarray = nnls((axes * roots).T, axes.T @ (wanted - b) / roots)[0]
    return found


def _solved(
    A: np.ndarray,
    b: np.ndarray,
    wanted: np.ndarray,
    mu: np.ndarray,
    slides: np.ndarray,
    taking: np.ndarray,
    mode: np.ndarray,
) -> np.ndarray:
    """Impulses that give all active contacts the wanted speeds."""
    normal = np.flatnonzero(taking)
    ending = [i for i in normal if slides[i] >= 0 and mode[i] == 0.0]
    rows = np.concatenate([normal, slides[ending]]).astype(int)
    columns = np.zeros((b.size, rows.size))
    columns[rows, np.arange(rows.size)] = 1.0
    for k, i in enumerate(normal):
        if slides[i] >= 0 and mode[i] != 0.0:
            columns[slides[i], k] = -mode[i] * mu[i]
    right = np.concatenate([wanted[normal], np.zeros(len(ending))]) - b[rows]
    if not rows.size:
        return np.zeros(b.size)
    matrix = A[rows] @ columns
    size = 1.0 / np.sqrt(np.abs(np.diag(matrix)) + 1e-300)
    found = np.linalg.lstsq(matrix * np.outer(size, size), right * size, rcond=SQUARE)[0] * size
    return columns @ found


def _same_modes(
    p: np.ndarray,
    u: np.ndarray,
    mu: np.ndarray,
    slides: np.ndarray,
    taking: np.ndarray,
    mode: np.ndarray,
    scale_p: float,
    scale_u: float,
) -> bool:
    """Whether all contacts slide as assumed; corrects the assumption otherwise."""
    same = True
    for i in np.flatnonzero(taking & (slides >= 0)):
        along = p[slides[i]]
        if mode[i] == 0.0 and abs(along) > mu[i] * p[i] + scale_p:
            mode[i], same = -np.sign(along), False
        elif mode[i] * u[slides[i]] < -scale_u:
            mode[i], same = 0.0, False
    return same
