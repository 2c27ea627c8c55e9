"""Haug's basic constraints between two bodies of space, written as the book writes them, misprints put right.

    dot-1          a_i . a_j            9.4.3,  Jacobian in Table 9.4.1, gamma in 9.6.20
    dot-2          a_i . d              9.4.6,                                    9.6.21
    spherical      d                    9.4.7,                                    9.6.22
    distance       d . d - C^2          9.4.8,                                    9.6.23
    angle          from f_i to f_j      9.2.31, Jacobian in 9.4.27, gamma in      9.6.27

Each function returns phi, its Jacobian in (r_i, pi_i', r_j, pi_j') and gamma; d = r_j + A_j s_j' - r_i - A_i s_i'.
Matrices of rotation are computed by 9.3.6, skew matrices by 9.1.22: nothing of the program is used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOTHING = np.zeros(3)


class Pose(NamedTuple):
    """r, Euler parameters, r', omega' in the body's axes."""

    r: np.ndarray
    p: np.ndarray
    v: np.ndarray = NOTHING
    w: np.ndarray = NOTHING

    @property
    def matrix(self):
        e0, e = self.p[0], self.p[1:]
        return (2 * e0**2 - 1) * np.eye(3) + 2 * (np.outer(e, e) + e0 * tilde(e))


def tilde(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def dot1(i, j, ai, aj):
    Aij, wi, wj = i.matrix.T @ j.matrix, tilde(i.w), tilde(j.w)
    row = np.concatenate([NOTHING, -aj @ Aij.T @ tilde(ai), NOTHING, -ai @ Aij @ tilde(aj)])
    gamma = -aj @ (Aij.T @ wi @ wi + wj @ wj @ Aij.T) @ ai + 2 * j.w @ tilde(aj) @ Aij.T @ tilde(ai) @ i.w
    return ai @ Aij @ aj, row, gamma


def dot2(i, j, ai, si, sj):
    Aij, wi, wj = i.matrix.T @ j.matrix, tilde(i.w), tilde(j.w)
    d = between(i, j, si, sj)
    row = np.concatenate(
        [-ai @ i.matrix.T, ai @ tilde(si) - d @ i.matrix @ tilde(ai), ai @ i.matrix.T, -ai @ Aij @ tilde(sj)],
    )
    gamma = (
        2 * i.w @ tilde(ai) @ i.matrix.T @ (i.v - j.v)
        + 2 * sj @ wj @ Aij.T @ wi @ ai
        - si @ wi @ wi @ ai
        - sj @ wj @ wj @ Aij.T @ ai
        - d @ i.matrix @ wi @ wi @ ai
    )
    return ai @ i.matrix.T @ d, row, gamma


def spherical(i, j, si, sj):
    wi, wj = tilde(i.w), tilde(j.w)
    rows = np.hstack([-np.eye(3), i.matrix @ tilde(si), np.eye(3), -j.matrix @ tilde(sj)])
    return between(i, j, si, sj), rows, i.matrix @ wi @ wi @ si - j.matrix @ wj @ wj @ sj


def distance(i, j, si, sj, C):
    d, rows, _ = spherical(i, j, si, sj)
    wi, wj = tilde(i.w), tilde(j.w)
    speed = rows @ np.concatenate([i.v, i.w, j.v, j.w])
    gamma = -2 * speed @ speed - 2 * d @ (j.matrix @ wj @ wj @ sj - i.matrix @ wi @ wi @ si)
    return d @ d - C**2, 2 * d @ rows, gamma


def angle(i, j, f, g, h, fj):
    """About h from f to f_j, a triad on body i; valid where the axes about which the bodies turn are parallel."""
    Aij = i.matrix.T @ j.matrix
    row = np.concatenate([NOTHING, -h, NOTHING, h @ Aij])
    return np.arctan2(g @ Aij @ fj, f @ Aij @ fj), row, h @ tilde(i.w) @ Aij @ j.w


def between(i, j, si, sj):
    return j.r + j.matrix @ sj - i.r - i.matrix @ si
