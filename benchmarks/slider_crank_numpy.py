"""The rival: the slider-crank in NumPy, by equations written out and, as a general program would, by joints.

    q = (x, y, phi) of crank, rod and slider;   A: 2,  B: 2,  C: 2,  guide: 2,  motor: 1 equation

Both forms have the same nine equations, the analytic Jacobian J and the right-hand side of J a = gamma.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np
from mechanisms import CRANK, ROD, SPEED
from rival import Form

SIZE = CRANK + ROD
H, K = CRANK / 2, ROD / 2
NU = np.array([0.0] * 8 + [SPEED])
START = np.array([H, 0.0, 0.0, CRANK + K, 0.0, 0.0, CRANK + ROD, 0.0, 0.0])


# Written out by hand.


def _equations(q: np.ndarray, t: float) -> np.ndarray:
    x1, y1, p1, x2, y2, p2, x3, y3, p3 = q.tolist()
    c1, s1, c2, s2 = H * cos(p1), H * sin(p1), K * cos(p2), K * sin(p2)
    pins = [x1 - c1, y1 - s1, x2 - c2 - x1 - c1, y2 - s2 - y1 - s1, x3 - x2 - c2, y3 - y2 - s2]
    return np.array([*pins, y3, sin(p3), p1 - SPEED * t])


def _jacobian(q: np.ndarray, t: float) -> np.ndarray:
    p1, p2, p3 = q[2::3].tolist()
    c1, s1, c2, s2 = H * cos(p1), H * sin(p1), K * cos(p2), K * sin(p2)
    J = _CONSTANT.copy()
    J[_ROWS, _COLUMNS] = s1, -c1, s1, s2, -c1, -c2, s2, -c2, cos(p3)
    return J


def _gamma(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    (p1, p2, p3), (w1, w2, w3) = q[2::3].tolist(), (v[2::3] ** 2).tolist()
    c1, s1, c2, s2 = H * cos(p1) * w1, H * sin(p1) * w1, K * cos(p2) * w2, K * sin(p2) * w2
    return np.array([-c1, -s1, -c2 - c1, -s2 - s1, -c2, -s2, 0.0, sin(p3) * w3, 0.0])


_CONSTANT = np.zeros((9, 9))
_CONSTANT[[0, 1, 2, 3, 4, 5, 6, 8], [0, 1, 3, 4, 6, 7, 7, 2]] = 1.0
_CONSTANT[[2, 3, 4, 5], [0, 1, 3, 4]] = -1.0
_ROWS, _COLUMNS = np.array([0, 1, 2, 2, 3, 3, 4, 5, 7]), np.array([2, 2, 2, 5, 2, 5, 5, 5, 8])

WRITTEN_OUT = Form(_equations, _jacobian, _gamma, NU, START, SIZE)


# By joints (Haug 3.3.10, 3.3.13): pins (body a, its point, body b, its point), body 0 is the ground.

PINS = [
    (0, np.array([0.0, 0.0]), 1, np.array([-H, 0.0])),
    (1, np.array([H, 0.0]), 2, np.array([-K, 0.0])),
    (2, np.array([K, 0.0]), 3, np.array([0.0, 0.0])),
]
PERP = np.array([[0.0, -1.0], [1.0, 0.0]])


def _poses(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rotation matrices of ground, crank, rod and slider."""
    body = np.vstack([np.zeros(3), q.reshape(3, 3)])
    c, s = np.cos(body[:, 2]), np.sin(body[:, 2])
    return body[:, :2], np.stack([c, -s, s, c], axis=1).reshape(4, 2, 2)


def _joint_equations(q: np.ndarray, t: float) -> np.ndarray:
    r, A = _poses(q)
    phi = np.empty(9)
    for k, (a, sa, b, sb) in enumerate(PINS):
        phi[2 * k : 2 * k + 2] = r[b] + A[b] @ sb - r[a] - A[a] @ sa
    phi[6:] = r[3, 1], A[3, 1, 0], q[2] - SPEED * t
    return phi


def _joint_jacobian(q: np.ndarray, t: float) -> np.ndarray:
    _, A = _poses(q)
    J = np.zeros((9, 12))
    for k, (a, sa, b, sb) in enumerate(PINS):
        rows = slice(2 * k, 2 * k + 2)
        for body, s, sign in ((a, sa, -1.0), (b, sb, 1.0)):
            J[rows, 3 * body : 3 * body + 2] = sign * np.eye(2)
            J[rows, 3 * body + 2] = sign * (PERP @ A[body] @ s)
    J[6, 10], J[7, 11], J[8, 5] = 1.0, A[3, 0, 0], 1.0
    return J[:, 3:]


def _joint_gamma(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    _, A = _poses(q)
    w = np.concatenate([[0.0], v[2::3]]) ** 2
    gamma = np.zeros(9)
    for k, (a, sa, b, sb) in enumerate(PINS):
        gamma[2 * k : 2 * k + 2] = w[b] * (A[b] @ sb) - w[a] * (A[a] @ sa)
    gamma[7] = A[3, 1, 0] * w[3]
    return gamma


BY_JOINTS = Form(_joint_equations, _joint_jacobian, _joint_gamma, NU, START, SIZE)
