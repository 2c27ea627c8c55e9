"""The rival in space: the slider-crank of Haug 10.2 in NumPy, joint by joint.

    q = (r, p) of crank, rod and slider, p Euler parameters

A vector s' of a body is a quadratic form in p, whose matrices K(s') are made once (Haug 9.2.16, 9.3.6):

    u = A(p) s' = (K p) p / 2 - s',      u' = (K p) p',      u'' = (K p) p'' + (K p') p'

All joints are made of four conditions (Haug 9.4): two points coincide, two vectors are square, a vector is square to
the line between two points, two points are a distance apart; a fifth is the motor. `BY_JOINTS` goes through them one
after the other; `spatial_slider_crank_by_kinds.py` takes all of a kind at once.
"""

from __future__ import annotations

from math import atan2, pi, remainder
from typing import NamedTuple

import numpy as np
from rival import Form
from spatial_mechanisms import CRANK, ESTIMATE, HINGE, ROD, SPEED

SIZE = CRANK + ROD
GROUND, ARM, LINK, SLIDER = range(4)


def form_matrices(s: np.ndarray) -> np.ndarray:
    """K of the vector s', [3, 4, 4]."""
    K, x = np.zeros((3, 4, 4)), np.asarray(s, float)
    tilde = np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
    K[:, 0, 0] = 4.0 * x
    K[:, 0, 1:] = K[:, 1:, 0] = -2.0 * tilde
    for i in range(3):
        K[i, 1 + i, 1:] += 2.0 * x
        K[i, 1:, 1 + i] += 2.0 * x
    return K


class Vector(NamedTuple):
    """A vector of a body."""

    body: int
    s: np.ndarray
    K: np.ndarray


def vector(body: int, *s: float) -> Vector:
    return Vector(body, np.array(s), form_matrices(np.array(s)))


X, Y, Z = (tuple(row) for row in np.eye(3))
HALF = ROD / 2
PIVOT, TIP_C, FAR = vector(GROUND, *HINGE), vector(LINK, HALF, 0, 0), vector(SLIDER, 1, 0, 0)
SLEEVE, FOOT, GUIDE = vector(SLIDER, 0.2, 0, 0), vector(SLIDER, 0, 0, 0), vector(GROUND, 0.2, 0, 0)
COINCIDENT = [
    (PIVOT, vector(ARM, 0, 0, 0)),  # A
    (vector(ARM, 0, CRANK, 0), vector(LINK, -HALF, 0, 0)),  # B
]
SQUARE = [
    (vector(GROUND, *Y), vector(ARM, *X)),  # A
    (vector(GROUND, *Z), vector(ARM, *X)),
    (vector(LINK, *Y), vector(SLIDER, *X)),  # C
    (vector(SLIDER, *Y), vector(GROUND, *X)),  # D
    (vector(SLIDER, *Z), vector(GROUND, *X)),
    (vector(SLIDER, *Y), vector(GROUND, *Z)),
]
ACROSS = [
    (vector(SLIDER, *Y), SLEEVE, TIP_C),  # C
    (vector(SLIDER, *Z), SLEEVE, TIP_C),
    (vector(SLIDER, *Y), FOOT, GUIDE),  # D
    (vector(SLIDER, *Z), FOOT, GUIDE),
]
APART = [(TIP_C, FAR, 1.0)]  # CD
MOTOR = (vector(GROUND, *Y), vector(GROUND, *Z), vector(ARM, *Y))
MOTOR_ROW, NORMS = 17, slice(18, 21)

NU = np.zeros(21)
NU[MOTOR_ROW] = SPEED
START = np.array([*HINGE, 0.5**0.5, 0.5**0.5, 0, 0, 0.1, 0.05, 0.1, 0, *ESTIMATE, 0.2, 0, 0, 1, 0, 0, 0])
START[10] = (1.0 - np.sum(np.square(ESTIMATE))) ** 0.5
REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def as_cardan(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
    """q, and v and a with body-fixed omega' = 2 G p' and its rate 2 G p'' in place of p' and p'' (Haug 9.3.34)."""
    p = q.reshape(-1, 3, 7)[..., 3:]
    e0, e1, e2, e3 = np.moveaxis(p, -1, 0)
    G = np.stack([-e1, e0, e3, -e2, -e2, -e3, e0, e1, -e3, e2, -e1, e0], axis=-1).reshape(*p.shape[:-1], 3, 4)
    moved = []
    for rates in (v, a):
        parts = rates.reshape(-1, 3, 7)
        omega = 2.0 * np.einsum("...ij,...j->...i", G, parts[..., 3:])
        moved.append(np.concatenate([parts[..., :3], omega], axis=-1).reshape(len(q), 18))
    return q, *moved


# Joint by joint.


def poses(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bodies = np.concatenate([REST, q]).reshape(4, 7)
    return bodies[:, :3], bodies[:, 3:]


def _turned(x: Vector, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u and du/dp."""
    e = p[x.body]
    B = x.K @ e
    return 0.5 * (B @ e) - x.s, B


def _equations(q: np.ndarray, t: float) -> np.ndarray:
    r, p = poses(q)
    phi, row = np.empty(21), 0
    for a, b in COINCIDENT:
        phi[row : row + 3] = r[b.body] + _turned(b, p)[0] - r[a.body] - _turned(a, p)[0]
        row += 3
    for a, b in SQUARE:
        phi[row] = _turned(a, p)[0] @ _turned(b, p)[0]
        row += 1
    for u, a, b in ACROSS:
        phi[row] = _turned(u, p)[0] @ (r[b.body] + _turned(b, p)[0] - r[a.body] - _turned(a, p)[0])
        row += 1
    for a, b, length in APART:
        d = r[b.body] + _turned(b, p)[0] - r[a.body] - _turned(a, p)[0]
        phi[row] = d @ d - length * length
        row += 1
    i, j, u = (_turned(x, p)[0] for x in MOTOR)
    phi[MOTOR_ROW] = remainder(atan2(j @ u, i @ u) - SPEED * t - pi / 2, 2.0 * pi)
    phi[NORMS] = np.sum(p[1:] * p[1:], axis=1) - 1.0
    return phi


def _jacobian(q: np.ndarray, t: float) -> np.ndarray:
    r, p = poses(q)
    J, row = np.zeros((21, 4, 7)), 0
    for a, b in COINCIDENT:
        for x, sign in ((a, -1.0), (b, 1.0)):
            J[row : row + 3, x.body, :3] = sign * np.eye(3)
            J[row : row + 3, x.body, 3:] = sign * _turned(x, p)[1]
        row += 3
    for a, b in SQUARE:
        (ua, Ba), (ub, Bb) = _turned(a, p), _turned(b, p)
        J[row, a.body, 3:], J[row, b.body, 3:] = ub @ Ba, ua @ Bb
        row += 1
    for u, a, b in ACROSS:
        (e, Be), (sa, Ba), (sb, Bb) = _turned(u, p), _turned(a, p), _turned(b, p)
        d = r[b.body] + sb - r[a.body] - sa
        J[row, u.body, 3:] = d @ Be
        J[row, a.body, :3], J[row, b.body, :3] = -e, e
        J[row, a.body, 3:] -= e @ Ba
        J[row, b.body, 3:] += e @ Bb
        row += 1
    for a, b, _ in APART:
        (sa, Ba), (sb, Bb) = _turned(a, p), _turned(b, p)
        d = 2.0 * (r[b.body] + sb - r[a.body] - sa)
        J[row, a.body, :3], J[row, b.body, :3] = -d, d
        J[row, a.body, 3:], J[row, b.body, 3:] = -d @ Ba, d @ Bb
        row += 1
    (i, Bi), (j, Bj), (u, B) = (_turned(x, p) for x in MOTOR)
    c, s = i @ u, j @ u
    J[row, MOTOR[0].body, 3:] = (u @ (c * Bj - s * Bi)) / (c * c + s * s)
    J[row, MOTOR[2].body, 3:] = ((c * j - s * i) @ B) / (c * c + s * s)
    for k in range(3):
        J[18 + k, 1 + k, 3:] = 2.0 * p[1 + k]
    return J.reshape(21, 28)[:, 7:]


def _gamma(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    r, p = poses(q)
    speeds = np.concatenate([np.zeros(7), v]).reshape(4, 7)
    rd, pd = speeds[:, :3], speeds[:, 3:]

    def moved(x: Vector) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """u, u' and u'' at p'' = 0."""
        u, B = _turned(x, p)
        e = pd[x.body]
        return u, B @ e, (x.K @ e) @ e

    gamma, row = np.empty(21), 0
    for a, b in COINCIDENT:
        gamma[row : row + 3] = moved(a)[2] - moved(b)[2]
        row += 3
    for a, b in SQUARE:
        (ua, va, ca), (ub, vb, cb) = moved(a), moved(b)
        gamma[row] = -(ca @ ub + 2.0 * (va @ vb) + ua @ cb)
        row += 1
    for u, a, b in ACROSS:
        (e, ve, ce), (sa, va, ca), (sb, vb, cb) = moved(u), moved(a), moved(b)
        d, w = r[b.body] + sb - r[a.body] - sa, rd[b.body] + vb - rd[a.body] - va
        gamma[row] = -(ce @ d + 2.0 * (ve @ w) + e @ (cb - ca))
        row += 1
    for a, b, _ in APART:
        (sa, va, ca), (sb, vb, cb) = moved(a), moved(b)
        d, w = r[b.body] + sb - r[a.body] - sa, rd[b.body] + vb - rd[a.body] - va
        gamma[row] = -2.0 * (w @ w + d @ (cb - ca))
        row += 1
    (i, vi, ci), (j, vj, cj), (u, vu, cu) = (moved(x) for x in MOTOR)
    c, s = i @ u, j @ u  # c^2 + s^2 = 1: the hinge is closed
    second = c * (cj @ u + 2.0 * (vj @ vu) + j @ cu) - s * (ci @ u + 2.0 * (vi @ vu) + i @ cu)
    gamma[row] = -second
    gamma[NORMS] = -2.0 * np.sum(pd[1:] * pd[1:], axis=1)
    return gamma


BY_JOINTS = Form(_equations, _jacobian, _gamma, NU, START, SIZE)
