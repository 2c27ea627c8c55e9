"""The rival in space once more: all vectors of the slider-crank in one array operation, then all rows of each kind.

The same 21 equations as `spatial_slider_crank_numpy.py`, from the same lists of conditions. Every vector stands in one
table, and the lists become columns of places in it; where each number goes in J is found beforehand.
"""

from __future__ import annotations

from math import atan2, pi, remainder

import numpy as np
from rival import Form
from spatial_mechanisms import SPEED
from spatial_slider_crank_numpy import (
    ACROSS,
    APART,
    COINCIDENT,
    FAR,
    MOTOR,
    MOTOR_ROW,
    NORMS,
    NU,
    SIZE,
    SQUARE,
    START,
    TIP_C,
    Vector,
    poses,
)


def _table() -> tuple[list[Vector], dict[int, int]]:
    """All vectors that differ, and the place of each (by its id)."""
    stated = [x for line in (*COINCIDENT, *SQUARE, *ACROSS, *APART, MOTOR) for x in line if isinstance(x, Vector)]
    unique: dict[tuple[float, ...], int] = {}
    place, vectors = {}, []
    for x in stated:
        key = (x.body, *x.s.tolist())
        if key not in unique:
            unique[key] = len(vectors)
            vectors.append(x)
        place[id(x)] = unique[key]
    return vectors, place


def _columns(conditions: list[tuple[Vector, ...]]) -> list[np.ndarray]:
    return [np.array([_PLACE[id(x)] for x in column]) for column in zip(*conditions, strict=True)]


_VECTORS, _PLACE = _table()
_BODY = np.array([x.body for x in _VECTORS])
_S = np.array([x.s for x in _VECTORS])
_K = np.array([x.K for x in _VECTORS]).reshape(-1, 12, 4)
_PA, _PB = _columns(COINCIDENT)
_UA, _UB = _columns(SQUARE)
_E, _DA, _DB = _columns([*ACROSS, (TIP_C, TIP_C, FAR)])  # the last line is the distance: its vector is the line itself
_I, _J, _U = (int(x[0]) for x in _columns([MOTOR]))
_LAST = len(ACROSS)
_SQUARED = APART[0][2] ** 2

# Where the rows are in the flat matrix [21, 4, 7]: rows 0-5 points, 6-11 SQUARE, 12-15 ACROSS, 16 APART, 17 the motor.
_THREE, _FOUR = np.arange(3), 3 + np.arange(4)


def _places(rows: np.ndarray, bodies: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return 28 * rows[..., None] + 7 * bodies[..., None] + parts


_POINT_ROWS = np.arange(6).reshape(2, 3)
_POINT_A = _places(_POINT_ROWS, np.repeat(_BODY[_PA], 3).reshape(2, 3), _FOUR)
_POINT_B = _places(_POINT_ROWS, np.repeat(_BODY[_PB], 3).reshape(2, 3), _FOUR)
_SQUARE_ROWS, _ACROSS_ROWS = 6 + np.arange(6), 12 + np.arange(5)
_SQUARE_A, _SQUARE_B = (_places(_SQUARE_ROWS, _BODY[u], _FOUR) for u in (_UA, _UB))
_ACROSS_RA, _ACROSS_RB = (_places(_ACROSS_ROWS, _BODY[d], _THREE) for d in (_DA, _DB))
_ACROSS_A, _ACROSS_B, _ACROSS_E = (_places(_ACROSS_ROWS, _BODY[d], _FOUR) for d in (_DA, _DB, _E))
_MOTOR_PLACES = _places(np.array(MOTOR_ROW), _BODY[_U], _FOUR)
_NORM_PLACES = _places(18 + np.arange(3), 1 + np.arange(3), _FOUR)
_FIXED = np.zeros((21, 4, 7))
for _k in range(2):
    _FIXED[3 * _k : 3 * _k + 3, _BODY[_PA[_k]], :3] -= np.eye(3)
    _FIXED[3 * _k : 3 * _k + 3, _BODY[_PB[_k]], :3] += np.eye(3)


def _all_turned(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u and du/dp of all vectors."""
    e = p[_BODY][:, :, None]
    B = (_K @ e).reshape(-1, 3, 4)
    return 0.5 * (B @ e)[:, :, 0] - _S, B


def _equations(q: np.ndarray, t: float) -> np.ndarray:
    r, p = poses(q)
    u, _ = _all_turned(p)
    P = r[_BODY] + u
    d = P[_DB] - P[_DA]
    e = u[_E]
    e[_LAST] = d[_LAST]
    phi = np.empty(21)
    phi[:6] = (P[_PB] - P[_PA]).ravel()
    phi[6:12] = (u[_UA] * u[_UB]).sum(1)
    phi[12:17] = (e * d).sum(1)
    phi[16] -= _SQUARED
    w = u[_U]
    phi[MOTOR_ROW] = remainder(atan2(u[_J] @ w, u[_I] @ w) - SPEED * t - pi / 2, 2.0 * pi)
    phi[NORMS] = (p[1:] * p[1:]).sum(1) - 1.0
    return phi


def _jacobian(q: np.ndarray, t: float) -> np.ndarray:
    r, p = poses(q)
    u, B = _all_turned(p)
    P = r[_BODY] + u
    d = P[_DB] - P[_DA]
    e = u[_E]
    e[_LAST] = 2.0 * d[_LAST]
    J = _FIXED.copy()
    flat = J.reshape(-1)
    flat[_POINT_A], flat[_POINT_B] = -B[_PA], B[_PB]
    flat[_SQUARE_A] = (u[_UB][:, None] @ B[_UA])[:, 0]
    flat[_SQUARE_B] = (u[_UA][:, None] @ B[_UB])[:, 0]
    flat[_ACROSS_RA], flat[_ACROSS_RB] = -e, e
    turned = (d[:, None] @ B[_E])[:, 0]
    turned[_LAST] = 0.0
    flat[_ACROSS_E] = turned
    flat[_ACROSS_A] -= (e[:, None] @ B[_DA])[:, 0]
    flat[_ACROSS_B] += (e[:, None] @ B[_DB])[:, 0]
    i, j, w = u[_I], u[_J], u[_U]
    c, s = i @ w, j @ w
    flat[_MOTOR_PLACES] = ((c * j - s * i) @ B[_U]) / (c * c + s * s)  # its other body is the ground
    flat[_NORM_PLACES] = 2.0 * p[1:]
    return J.reshape(21, 28)[:, 7:]


def _gamma(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    r, p = poses(q)
    speeds = np.concatenate([np.zeros(7), v]).reshape(4, 7)
    rd, pd = speeds[:, :3], speeds[:, 3:]
    u, B = _all_turned(p)
    f = pd[_BODY][:, :, None]
    du, ddu = (B @ f)[:, :, 0], ((_K @ f).reshape(-1, 3, 4) @ f)[:, :, 0]
    P, V = r[_BODY] + u, rd[_BODY] + du
    d, w, c = P[_DB] - P[_DA], V[_DB] - V[_DA], ddu[_DB] - ddu[_DA]
    e, de, dde = u[_E], du[_E], ddu[_E]
    e[_LAST], de[_LAST], dde[_LAST] = d[_LAST], w[_LAST], c[_LAST]
    gamma = np.empty(21)
    gamma[:6] = (ddu[_PA] - ddu[_PB]).ravel()
    gamma[6:12] = -(ddu[_UA] * u[_UB] + 2.0 * du[_UA] * du[_UB] + u[_UA] * ddu[_UB]).sum(1)
    gamma[12:17] = -(dde * d + 2.0 * de * w + e * c).sum(1)
    i, j, x = u[_I], u[_J], ddu[_U]
    gamma[MOTOR_ROW] = (j @ u[_U]) * (i @ x) - (i @ u[_U]) * (j @ x)
    gamma[NORMS] = -2.0 * (pd[1:] * pd[1:]).sum(1)
    return gamma


BY_KINDS = Form(_equations, _jacobian, _gamma, NU, START, SIZE)
