"""The leanest rival in space: the slider-crank of Haug 10.2 written out for Python scalars, every zero left out.

    rows: crank's hinge 3 + 2, ball 3, y' of the rod square to x' of the slider, y' and z' of the slider square to the
    line from it to the rod's end, guide 2 + 3, distance, motor, three normalizations

For an axis of a body and a vector n, `_x`, `_y` and `_z` give n . d(axis)/dp, which is linear in p.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, pi, remainder

import numpy as np
from rival import Form
from spatial_mechanisms import CRANK, HINGE, ROD, SPEED
from spatial_slider_crank_numpy import NU, SIZE, START

H, SLEEVE = ROD / 2, 0.2

Numbers = tuple[float, ...]


def _equations(q: np.ndarray, t: float) -> np.ndarray:
    x1, y1, z1, a0, a1, a2, a3, x2, y2, z2, b0, b1, b2, b3, x3, y3, z3, c0, c1, c2, c3 = q.tolist()
    ux, uy, uz = 2 * (a1 * a2 - a0 * a3), 2 * (a0 * a0 + a2 * a2) - 1, 2 * (a2 * a3 + a0 * a1)  # y' of the crank
    lx, ly, lz = 2 * (b0 * b0 + b1 * b1) - 1, 2 * (b1 * b2 + b0 * b3), 2 * (b1 * b3 - b0 * b2)  # x' of the rod
    mx, my, mz = 2 * (b1 * b2 - b0 * b3), 2 * (b0 * b0 + b2 * b2) - 1, 2 * (b2 * b3 + b0 * b1)  # y' of the rod
    ix, iy, iz = 2 * (c0 * c0 + c1 * c1) - 1, 2 * (c1 * c2 + c0 * c3), 2 * (c1 * c3 - c0 * c2)  # axes of the slider
    jx, jy, jz = 2 * (c1 * c2 - c0 * c3), 2 * (c0 * c0 + c2 * c2) - 1, 2 * (c2 * c3 + c0 * c1)
    kx, ky, kz = 2 * (c1 * c3 + c0 * c2), 2 * (c2 * c3 - c0 * c1), 2 * (c0 * c0 + c3 * c3) - 1
    ex, ey, ez = x2 + H * lx - x3, y2 + H * ly - y3, z2 + H * lz - z3
    dx, dy, dz = ex - SLEEVE * ix, ey - SLEEVE * iy, ez - SLEEVE * iz
    ex, ey, ez = ex - ix, ey - iy, ez - iz
    return np.array(
        [
            *(x1 - HINGE[0], y1 - HINGE[1], z1 - HINGE[2], 2 * (a1 * a2 + a0 * a3), 2 * (a1 * a3 - a0 * a2)),
            *(x2 - H * lx - x1 - CRANK * ux, y2 - H * ly - y1 - CRANK * uy, z2 - H * lz - z1 - CRANK * uz),
            mx * ix + my * iy + mz * iz,
            jx * dx + jy * dy + jz * dz,
            kx * dx + ky * dy + kz * dz,
            *(y3, z3, iy, iz, jz),
            ex * ex + ey * ey + ez * ez - 1.0,
            remainder(atan2(uz, uy) - SPEED * t - pi / 2, 2.0 * pi),
            a0 * a0 + a1 * a1 + a2 * a2 + a3 * a3 - 1.0,
            b0 * b0 + b1 * b1 + b2 * b2 + b3 * b3 - 1.0,
            c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3 - 1.0,
        ]
    )


def _jacobian(q: np.ndarray, t: float) -> np.ndarray:
    x1, y1, z1, a0, a1, a2, a3, x2, y2, z2, b0, b1, b2, b3, x3, y3, z3, c0, c1, c2, c3 = q.tolist()
    a, b, c = (a0, a1, a2, a3), (b0, b1, b2, b3), (c0, c1, c2, c3)
    uy, uz = 2 * (a0 * a0 + a2 * a2) - 1, 2 * (a2 * a3 + a0 * a1)
    lx, ly, lz = 2 * (b0 * b0 + b1 * b1) - 1, 2 * (b1 * b2 + b0 * b3), 2 * (b1 * b3 - b0 * b2)
    m = 2 * (b1 * b2 - b0 * b3), 2 * (b0 * b0 + b2 * b2) - 1, 2 * (b2 * b3 + b0 * b1)
    i = ix, iy, iz = 2 * (c0 * c0 + c1 * c1) - 1, 2 * (c1 * c2 + c0 * c3), 2 * (c1 * c3 - c0 * c2)
    j = jx, jy, jz = 2 * (c1 * c2 - c0 * c3), 2 * (c0 * c0 + c2 * c2) - 1, 2 * (c2 * c3 + c0 * c1)
    k = kx, ky, kz = 2 * (c1 * c3 + c0 * c2), 2 * (c2 * c3 - c0 * c1), 2 * (c0 * c0 + c3 * c3) - 1
    ex, ey, ez = x2 + H * lx - x3, y2 + H * ly - y3, z2 + H * lz - z3
    d = ex - SLEEVE * ix, ey - SLEEVE * iy, ez - SLEEVE * iz
    e = ex, ey, ez = 2 * (ex - ix), 2 * (ey - iy), 2 * (ez - iz)
    jd, ji, kd, ki = _y(c, d), _x(c, j), _z(c, d), _x(c, k)
    far, square = _x(c, e), uy * uy + uz * uz
    h, r = 2 * H, 2 * CRANK
    J = _CONSTANT.copy()
    J[_ROWS, _COLUMNS] = (
        *(2 * a3, 2 * a2, 2 * a1, 2 * a0, -2 * a2, 2 * a3, -2 * a0, 2 * a1),
        *(r * a3, -r * a2, -r * a1, r * a0, -2 * h * b0, -2 * h * b1),
        *(-2 * r * a0, -2 * r * a2, -h * b3, -h * b2, -h * b1, -h * b0),
        *(-r * a1, -r * a0, -r * a3, -r * a2, h * b2, -h * b3, h * b0, -h * b1),
        *_y(b, i),
        *_x(c, m),
        *(jx, jy, jz, *_scaled(H, _x(b, j)), -jx, -jy, -jz, *_less(jd, SLEEVE, ji)),
        *(kx, ky, kz, *_scaled(H, _x(b, k)), -kx, -ky, -kz, *_less(kd, SLEEVE, ki)),
        *(2 * c3, 2 * c2, 2 * c1, 2 * c0, -2 * c2, 2 * c3, -2 * c0, 2 * c1, 2 * c1, 2 * c0, 2 * c3, 2 * c2),
        *(ex, ey, ez, *_scaled(H, _x(b, e)), -ex, -ey, -ez, *_scaled(-1.0, far)),
        *_y(a, (0.0, -uz / square, uy / square)),
        *(2 * a0, 2 * a1, 2 * a2, 2 * a3, 2 * b0, 2 * b1, 2 * b2, 2 * b3, 2 * c0, 2 * c1, 2 * c2, 2 * c3),
    )
    return J


def _gamma(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    _, _, _, *a, x2, y2, z2, b0, b1, b2, b3, x3, y3, z3, c0, c1, c2, c3 = q.tolist()
    _, _, _, *f, vx, vy, vz, g0, g1, g2, g3, ux, uy, uz, h0, h1, h2, h3 = v.tolist()
    b, c, g, h = (b0, b1, b2, b3), (c0, c1, c2, c3), (g0, g1, g2, g3), (h0, h1, h2, h3)
    (lx, ly, lz), (mx, my, mz), (ix, iy, iz) = _x_rate(b, b), _y_rate(b, b), _x_rate(c, c)
    lx, m, ix = 0.5 * lx - 1, (0.5 * mx, 0.5 * my - 1, 0.5 * mz), 0.5 * ix - 1
    i = ix, iy, iz = ix, 0.5 * iy, 0.5 * iz
    j = 2 * (c1 * c2 - c0 * c3), 2 * (c0 * c0 + c2 * c2) - 1, 2 * (c2 * c3 + c0 * c1)
    k = 2 * (c1 * c3 + c0 * c2), 2 * (c2 * c3 - c0 * c1), 2 * (c0 * c0 + c3 * c3) - 1
    dl, di, ql, qi, qj = _x_rate(b, g), _x_rate(c, h), _x_rate(g, g), _x_rate(h, h), _y_rate(h, h)
    qa, qu = _x_rate(f, f), _y_rate(f, f)
    e = x2 + H * lx - x3, y2 + 0.5 * H * ly - y3, z2 + 0.5 * H * lz - z3
    w, s = (vx + H * dl[0] - ux, vy + H * dl[1] - uy, vz + H * dl[2] - uz), (H * ql[0], H * ql[1], H * ql[2])
    d, wd, sd = _less(e, SLEEVE, i), _less(w, SLEEVE, di), _less(s, SLEEVE, qi)
    e, we, se = _less(e, 1.0, i), _less(w, 1.0, di), _less(s, 1.0, qi)
    return np.array(
        [
            *(0.0, 0.0, 0.0, -qa[1], -qa[2]),
            *(H * ql[0] + CRANK * qu[0], H * ql[1] + CRANK * qu[1], H * ql[2] + CRANK * qu[2]),
            -_dot(_y_rate(g, g), i) - 2 * _dot(_y_rate(b, g), di) - _dot(m, qi),
            -_dot(qj, d) - 2 * _dot(_y_rate(c, h), wd) - _dot(j, sd),
            -_dot(_z_rate(h, h), d) - 2 * _dot(_z_rate(c, h), wd) - _dot(k, sd),
            *(0.0, 0.0, -qi[1], -qi[2], -qj[2]),
            -2 * _dot(we, we) - 2 * _dot(e, se),
            2 * (a[2] * a[3] + a[0] * a[1]) * qu[1] - (2 * (a[0] * a[0] + a[2] * a[2]) - 1) * qu[2],
            -2 * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3]),
            -2 * (g0 * g0 + g1 * g1 + g2 * g2 + g3 * g3),
            -2 * (h0 * h0 + h1 * h1 + h2 * h2 + h3 * h3),
        ]
    )


def _x_rate(p: Sequence[float], d: Sequence[float]) -> Numbers:
    """The rate of x' at p' = d; at d = p twice x' + (1, 0, 0)."""
    (e0, e1, e2, e3), (d0, d1, d2, d3) = p, d
    y, z = e1 * d2 + e2 * d1 + e0 * d3 + e3 * d0, e1 * d3 + e3 * d1 - e0 * d2 - e2 * d0
    return 4 * (e0 * d0 + e1 * d1), 2 * y, 2 * z


def _y_rate(p: Sequence[float], d: Sequence[float]) -> Numbers:
    (e0, e1, e2, e3), (d0, d1, d2, d3) = p, d
    x, z = e1 * d2 + e2 * d1 - e0 * d3 - e3 * d0, e2 * d3 + e3 * d2 + e0 * d1 + e1 * d0
    return 2 * x, 4 * (e0 * d0 + e2 * d2), 2 * z


def _z_rate(p: Sequence[float], d: Sequence[float]) -> Numbers:
    (e0, e1, e2, e3), (d0, d1, d2, d3) = p, d
    x, y = e1 * d3 + e3 * d1 + e0 * d2 + e2 * d0, e2 * d3 + e3 * d2 - e0 * d1 - e1 * d0
    return 2 * x, 2 * y, 4 * (e0 * d0 + e3 * d3)


def _x(p: Numbers, n: Numbers) -> Numbers:
    (e0, e1, e2, e3), (x, y, z) = p, n
    x, y, z = 2 * x, 2 * y, 2 * z
    return 2 * e0 * x + e3 * y - e2 * z, 2 * e1 * x + e2 * y + e3 * z, e1 * y - e0 * z, e0 * y + e1 * z


def _y(p: Numbers, n: Numbers) -> Numbers:
    (e0, e1, e2, e3), (x, y, z) = p, n
    x, y, z = 2 * x, 2 * y, 2 * z
    return 2 * e0 * y - e3 * x + e1 * z, e2 * x + e0 * z, e1 * x + 2 * e2 * y + e3 * z, e2 * z - e0 * x


def _z(p: Numbers, n: Numbers) -> Numbers:
    (e0, e1, e2, e3), (x, y, z) = p, n
    x, y, z = 2 * x, 2 * y, 2 * z
    return e2 * x - e1 * y + 2 * e0 * z, e3 * x - e0 * y, e0 * x + e3 * y, e1 * x + e2 * y + 2 * e3 * z


def _dot(a: Numbers, b: Numbers) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _scaled(c: float, a: Numbers) -> Numbers:
    return tuple([c * x for x in a])


def _less(a: Numbers, c: float, b: Numbers) -> Numbers:
    """a - c b"""
    return tuple([x - c * y for x, y in zip(a, b)])  # noqa: B905


# Columns: crank 0-6, rod 7-13, slider 14-20, each r, p. First the rows whose numbers do not change.

_CONSTANT = np.zeros((21, 21))
_CONSTANT[[0, 1, 2, 5, 6, 7, 11, 12], [0, 1, 2, 7, 8, 9, 15, 16]] = 1.0
_CONSTANT[[5, 6, 7], [0, 1, 2]] = -1.0
_ARM, _LINK, _PLACE, _SLIDER, _AT = (3, 4, 5, 6), (10, 11, 12, 13), (7, 8, 9), (17, 18, 19, 20), (14, 15, 16)
_BOTH = (*_PLACE, *_LINK, *_AT, *_SLIDER)
_FILLED = [
    *((3, _ARM), (4, _ARM), (5, (*_ARM, 10, 11)), (6, (3, 5, *_LINK)), (7, (*_ARM, *_LINK))),
    *((8, (*_LINK, *_SLIDER)), (9, _BOTH), (10, _BOTH), (13, _SLIDER), (14, _SLIDER), (15, _SLIDER), (16, _BOTH)),
    *((17, _ARM), (18, _ARM), (19, _LINK), (20, _SLIDER)),
]
_ROWS = np.array([row for row, columns in _FILLED for _ in columns])
_COLUMNS = np.array([column for _, columns in _FILLED for column in columns])

WRITTEN_OUT = Form(_equations, _jacobian, _gamma, NU, START, SIZE)
