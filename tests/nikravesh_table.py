"""Nikravesh's Table 11.1, derived anew: six constraints between two bodies, their rows and right sides.

    n1,1   s_i . s_j              two directions at right angles
    n2,1   s_i . d                a direction at right angles to a distance
    p1,2   s_i x s_j              two directions parallel (three equations, two of them independent)
    p2,2   s_i x d                a direction parallel to a distance
    s,3    r_i + s_i - r_j - s_j  two points in one place
    s-s,1  d . d - C^2            two points at a distance

d = r_j + s_j^B - r_i - s_i^B. For s fixed in a body, with the virtual rotation dpi = A dpi',

    ds = dpi x s = -s~ A dpi',         s' = w x s,         s'' = alpha x s + w x s'

so that in every constraint ds is replaced by -s~ A for the row, and s'' by w x s' for -gamma#; what is left of the
product rule is 2 a'.b'. Nothing of the program is used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from formulations import G, matrix, skew


class Body(NamedTuple):
    """A body in motion: place, Euler parameters, and their rates."""

    r: np.ndarray
    p: np.ndarray
    v: np.ndarray
    omega: np.ndarray  # body axes

    def arm(self, local: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """s, its rate, and w x s', in global axes."""
        A = matrix(self.p)
        return A @ local, A @ np.cross(self.omega, local), A @ np.cross(self.omega, np.cross(self.omega, local))


class Vectors(NamedTuple):
    """Directions and points on both bodies, in body axes."""

    direction_i: np.ndarray
    direction_j: np.ndarray
    point_i: np.ndarray
    point_j: np.ndarray
    distance: float = 0.0  # C


class Row(NamedTuple):
    """Rows along (r_i, pi_i', r_j, pi_j') and gamma#: rows @ a = gamma#."""

    rows: np.ndarray
    gamma: np.ndarray


def value(name: str, ri, Ai, rj, Aj, on: Vectors) -> np.ndarray:
    """Phi for any r and A, orthogonal or not: with A = E G^T a polynomial of degree four in (r, p)."""
    si, sj = Ai @ on.direction_i, Aj @ on.direction_j
    d = rj + Aj @ on.point_j - ri - Ai @ on.point_i
    values = {
        "n1,1": si @ sj,
        "n2,1": si @ d,
        "p1,2": np.cross(si, sj),
        "p2,2": np.cross(si, d),
        "s,3": -d,
        "s-s,1": d @ d - on.distance**2,
    }
    return np.atleast_1d(values[name])


def row(name: str, i: Body, j: Body, on: Vectors) -> Row:
    """The line of the table."""
    si, si1, si2 = i.arm(on.direction_i)
    sj, sj1, sj2 = j.arm(on.direction_j)
    bi, bi1, bi2 = i.arm(on.point_i)
    bj, bj1, bj2 = j.arm(on.point_j)
    d, d1, d2 = j.r + bj - i.r - bi, j.v + bj1 - i.v - bi1, bj2 - bi2  # d2: at r'' = alpha = 0
    Ai, Aj, x = matrix(i.p), matrix(j.p), skew
    one, none = np.eye(3), np.zeros((3, 3))
    lines = {
        "n1,1": ([0 * si, -sj @ x(si) @ Ai, 0 * si, -si @ x(sj) @ Aj], 2 * si1 @ sj1 + sj @ si2 + si @ sj2),
        "n2,1": ([-si, -(d + bi) @ x(si) @ Ai, si, -si @ x(bj) @ Aj], 2 * si1 @ d1 + d @ si2 + si @ d2),
        "p1,2": (
            [none, x(sj) @ x(si) @ Ai, none, -x(si) @ x(sj) @ Aj],
            2 * np.cross(si1, sj1) + np.cross(si2, sj) + np.cross(si, sj2),
        ),
        "p2,2": (
            [-x(si), (x(si) @ x(bi) + x(d) @ x(si)) @ Ai, x(si), -x(si) @ x(bj) @ Aj],
            2 * np.cross(si1, d1) + np.cross(si2, d) + np.cross(si, d2),
        ),
        "s,3": ([one, -x(bi) @ Ai, -one, x(bj) @ Aj], -d2),
        "s-s,1": ([-2 * d, 2 * d @ x(bi) @ Ai, 2 * d, -2 * d @ x(bj) @ Aj], 2 * d1 @ d1 + 2 * d @ d2),
    }
    blocks, minus_gamma = lines[name]
    return Row(np.atleast_2d(np.hstack(blocks)), -np.atleast_1d(minus_gamma))


NAMES = ("n1,1", "n2,1", "p1,2", "p2,2", "s,3", "s-s,1")


def derivatives(name: str, i: Body, j: Body, on: Vectors) -> tuple[np.ndarray, np.ndarray]:
    """Phi_q along (r_i, p_i, r_j, p_j), and the second derivative of Phi along a straight line with the rates of q.

    Phi is a polynomial of degree four at most along every line, for which these differences of unit step are exact.
    """
    q = np.concatenate([i.r, i.p, j.r, j.p])
    rate = np.concatenate([i.v, 0.5 * G(i.p).T @ i.omega, j.v, 0.5 * G(j.p).T @ j.omega])

    def along(step: np.ndarray) -> list[np.ndarray]:
        places = (q + s * step for s in (-2, -1, 0, 1, 2))
        return [value(name, u[:3], matrix(u[3:7]), u[7:10], matrix(u[10:]), on) for u in places]

    columns = []
    for unit in np.eye(14):
        f = along(unit)
        columns.append((f[0] - 8 * f[1] + 8 * f[3] - f[4]) / 12)
    f = along(rate)
    return np.stack(columns, axis=1), (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / 12
