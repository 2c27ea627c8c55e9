"""The measures of the plane in compiled form: value, jac, rate and bias of each kind in one pass.

Markers first. A marker has a point P, axes f and g, and moves with its body (r, phi) and, on a cam, with its own
coordinate u:

    P = r + A(phi) s'(u)          dP = dr + perp(s) dphi + t du          t = A s'_u,  s = A s'
    theta = phi + theta'(u)       dtheta = dphi + kappa du               kappa = theta'_u

Then every measure is a few products of d = P_b - P_a, of the axes and of their derivatives; bias is its second
derivative in time with all accelerations zero (Haug's -gamma). perp(a) = (-a_y, a_x).

Columns of jac: [x_a, y_a, phi_a | x_b, y_b, phi_b | u_a, u_b].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cardan.model.space import register
from cardan.numerics.jit import kernel
from cardan.numerics.profiles import ProfileTable, profile

KINDS = ("coordinate", "angle", "length", "component", "dot", "bearing", "contact")

# Columns of the marker table.
PX, PY, FX, FY, VX, VY, CX, CY, SX, SY, OMEGA, BIAS, TX, TY, KAPPA, THETA, U, U_RATE = range(18)
COLUMNS = 18


class PlanarGeometry(NamedTuple):
    """Constant data of all markers and measures. Markers on outlines come last, one line of `moving` each."""

    body: np.ndarray  # uint32[nm]: the body of a marker
    local: np.ndarray  # float64[nm, 5]: s'x, s'y, cos, sin and the angle of its axes in the body
    moving: np.ndarray  # uint32[np, 2]: own coordinate (place in q and v) and profile
    profiles: ProfileTable
    first: np.ndarray  # uint32[8]: measures grouped by kind; where each group starts
    ends: np.ndarray  # uint32[nz, 4]: marker a, marker b, axis of a, axis of b (0 is x, 1 is y)


@kernel
def planar_measures(geometry, q, v, reference, frames, z, jac):
    """Fill frames, z and jac; see `cardan.model.space.measure_pass`."""
    status = _markers(geometry, q, v, frames)
    if status:
        return status
    first = geometry.first
    _coordinates(geometry.ends, first[0], first[1], frames, z, jac)
    _angles(geometry.ends, first[1], first[2], frames, z, jac)
    _lengths(geometry.ends, first[2], first[3], frames, z, jac)
    _components(geometry.ends, first[3], first[4], frames, z, jac)
    _dots(geometry.ends, first[4], first[5], frames, z, jac)
    _bearings(geometry.ends, first[5], first[6], reference, frames, z, jac)
    _contacts(geometry.ends, first[6], first[7], frames, z, jac)
    return 0


@kernel
def planar_advance(geometry, q, step):
    """q + step: the coordinates of the plane add up."""
    for i in range(q.shape[0]):
        q[i] += step[i]


@kernel
def planar_displacement(geometry, start, end, step):
    """end - start."""
    for i in range(start.shape[0]):
        step[i] = end[i] - start[i]


@kernel
def _markers(geometry, q, v, frames):
    body, local, moving = geometry.body, geometry.local, geometry.moving
    fixed = body.shape[0] - moving.shape[0]
    for m in range(body.shape[0]):
        i = 3 * body[m]
        c, s = np.cos(q[i + 2]), np.sin(q[i + 2])
        w = v[i + 2]
        x, y = local[m, 0], local[m, 1]
        cf, sf = local[m, 2], local[m, 3]
        X = frames[m]
        if m >= fixed:
            status = _on_outline(geometry, q, v, m, m - fixed, c, s, w, X)
            if status:
                return status
        else:
            X[SX], X[SY] = c * x - s * y, s * x + c * y
            X[FX], X[FY] = c * cf - s * sf, s * cf + c * sf
            X[OMEGA], X[BIAS] = w, 0.0
            X[VX], X[VY] = v[i] - w * X[SY], v[i + 1] + w * X[SX]
            X[CX], X[CY] = -w * w * X[SX], -w * w * X[SY]
            X[TX], X[TY], X[KAPPA] = 0.0, 0.0, 0.0
            X[THETA] = q[i + 2] + local[m, 4]
        X[PX], X[PY] = q[i] + X[SX], q[i + 1] + X[SY]
    return 0


@kernel
def _on_outline(geometry, q, v, m, k, c, s, w, X):
    """A marker that runs along an outline, with the derivatives of its point and tangent in u."""
    own = geometry.moving[k, 0]
    local = geometry.local
    out = np.empty(8)
    status = profile(geometry.profiles, geometry.moving[k, 1], q[own], out)
    if status:
        return status
    cb, sb = local[m, 2], local[m, 3]
    ca, sa = c * cb - s * sb, s * cb + c * sb  # the outline's frame in the world
    x, y = local[m, 0] + cb * out[0] - sb * out[4], local[m, 1] + sb * out[0] + cb * out[4]
    i = 3 * geometry.body[m]
    du = v[own]
    X[SX], X[SY] = c * x - s * y, s * x + c * y
    x1, x2, x3, y1, y2, y3 = out[1], out[2], out[3], out[5], out[6], out[7]
    X[TX], X[TY] = ca * x1 - sa * y1, sa * x1 + ca * y1
    square = x1 * x1 + y1 * y1
    norm = np.sqrt(square)
    X[FX], X[FY] = X[TX] / norm, X[TY] / norm
    kappa = (x1 * y2 - y1 * x2) / square
    bend = (x1 * y3 - y1 * x3) / square - 2.0 * kappa * (x1 * x2 + y1 * y2) / square  # d kappa / du
    X[KAPPA] = kappa
    X[OMEGA], X[BIAS] = w + kappa * du, bend * du * du
    X[VX], X[VY] = v[i] - w * X[SY] + X[TX] * du, v[i + 1] + w * X[SX] + X[TY] * du
    ax, ay = ca * x2 - sa * y2, sa * x2 + ca * y2
    X[CX] = -w * w * X[SX] - 2.0 * w * du * X[TY] + ax * du * du
    X[CY] = -w * w * X[SY] + 2.0 * w * du * X[TX] + ay * du * du
    X[THETA] = q[i + 2] + local[m, 4] + math.atan2(y1, x1)
    X[U], X[U_RATE] = q[own], du
    return 0


@kernel
def _along(a, b, nx, ny, jac):
    """The columns of n . (P_b - P_a) with n held: a force n on b, -n on a."""
    jac[0], jac[1], jac[2] = -nx, -ny, nx * a[SY] - ny * a[SX]
    jac[3], jac[4], jac[5] = nx, ny, ny * b[SX] - nx * b[SY]
    jac[6], jac[7] = -nx * a[TX] - ny * a[TY], nx * b[TX] + ny * b[TY]


@kernel
def _turning(a, b, factor, jac):
    """The columns of factor * (theta_b - theta_a)."""
    jac[0], jac[1], jac[2] = 0.0, 0.0, -factor
    jac[3], jac[4], jac[5] = 0.0, 0.0, factor
    jac[6], jac[7] = -factor * a[KAPPA], factor * b[KAPPA]


@kernel
def _coordinates(ends, start, stop, frames, z, jac):
    for m in range(start, stop):
        b, k = frames[ends[m, 1]], ends[m, 3]
        _along(b, b, 1.0 - k, 1.0 * k, jac[m])
        jac[m, 0], jac[m, 1], jac[m, 2], jac[m, 6] = 0.0, 0.0, 0.0, 0.0
        z[m, 0], z[m, 1], z[m, 2] = b[PX + k], b[VX + k], b[CX + k]


@kernel
def _angles(ends, start, stop, frames, z, jac):
    for m in range(start, stop):
        a, b = frames[ends[m, 0]], frames[ends[m, 1]]
        _turning(a, b, 1.0, jac[m])
        z[m, 0], z[m, 1], z[m, 2] = b[THETA] - a[THETA], b[OMEGA] - a[OMEGA], b[BIAS] - a[BIAS]


@kernel
def _lengths(ends, start, stop, frames, z, jac):
    """l = |d|, n = d / l: rate n . d', bias n . c + (d' . d' - (n . d')^2) / l."""
    for m in range(start, stop):
        a, b = frames[ends[m, 0]], frames[ends[m, 1]]
        dx, dy = b[PX] - a[PX], b[PY] - a[PY]
        ux, uy = b[VX] - a[VX], b[VY] - a[VY]
        length = np.sqrt(dx * dx + dy * dy)
        # Points that coincide have no direction; any one will do until the next iterate has parted them.
        nx, ny = (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)
        rate = nx * ux + ny * uy
        _along(a, b, nx, ny, jac[m])
        swing = (ux * ux + uy * uy - rate * rate) / length if length > 0.0 else 0.0
        z[m, 0], z[m, 1], z[m, 2] = length, rate, nx * (b[CX] - a[CX]) + ny * (b[CY] - a[CY]) + swing


@kernel
def _components(ends, start, stop, frames, z, jac):
    """z = e . d with e an axis of a, which turns: e' = omega perp(e)."""
    for m in range(start, stop):
        a, b = frames[ends[m, 0]], frames[ends[m, 1]]
        ex, ey = (a[FX], a[FY]) if ends[m, 2] == 0 else (-a[FY], a[FX])
        dx, dy = b[PX] - a[PX], b[PY] - a[PY]
        ux, uy = b[VX] - a[VX], b[VY] - a[VY]
        value, turn = ex * dx + ey * dy, ex * dy - ey * dx  # turn = perp(e) . d
        _along(a, b, ex, ey, jac[m])
        jac[m, 2] += turn
        jac[m, 6] += a[KAPPA] * turn
        w = a[OMEGA]
        z[m, 0], z[m, 1] = value, ex * ux + ey * uy + w * turn
        z[m, 2] = (
            ex * (b[CX] - a[CX]) + ey * (b[CY] - a[CY]) + 2.0 * w * (ex * uy - ey * ux) - w * w * value + a[BIAS] * turn
        )


@kernel
def _dots(ends, start, stop, frames, z, jac):
    """z = e_a . e_b = p(theta_b - theta_a): z' = e_a . perp(e_b), z'' = -z."""
    for m in range(start, stop):
        a, b = frames[ends[m, 0]], frames[ends[m, 1]]
        ax, ay = (a[FX], a[FY]) if ends[m, 2] == 0 else (-a[FY], a[FX])
        bx, by = (b[FX], b[FY]) if ends[m, 3] == 0 else (-b[FY], b[FX])
        value, slope = ax * bx + ay * by, ay * bx - ax * by
        w = b[OMEGA] - a[OMEGA]
        _turning(a, b, slope, jac[m])
        z[m, 0], z[m, 1], z[m, 2] = value, slope * w, slope * (b[BIAS] - a[BIAS]) - value * w * w


@kernel
def _bearings(ends, start, stop, reference, frames, z, jac):
    """z = direction of d less theta_a, on the turn nearest the reference."""
    for m in range(start, stop):
        a, b = frames[ends[m, 0]], frames[ends[m, 1]]
        dx, dy = b[PX] - a[PX], b[PY] - a[PY]
        ux, uy = b[VX] - a[VX], b[VY] - a[VY]
        square = dx * dx + dy * dy
        if square == 0.0:
            return
        nx, ny = -dy / square, dx / square
        rate = nx * ux + ny * uy
        value = math.atan2(dy, dx) - a[THETA]
        turns = np.round((reference[m] - value) / (2.0 * math.pi))
        z[m, 0] = value + 2.0 * math.pi * turns if reference[m] == reference[m] else value  # NaN: no reference yet
        z[m, 1] = rate - a[OMEGA]
        spread = (dx * ux + dy * uy) / square
        z[m, 2] = nx * (b[CX] - a[CX]) + ny * (b[CY] - a[CY]) - 2.0 * spread * rate - a[BIAS]
        _along(a, b, nx, ny, jac[m])
        jac[m, 2] -= 1.0
        jac[m, 6] -= a[KAPPA]


@kernel
def _contacts(ends, start, stop, frames, z, jac):
    for m in range(start, stop):
        b = frames[ends[m, 1]]
        jac[m, :] = 0.0
        jac[m, 7] = 1.0
        z[m, 0], z[m, 1], z[m, 2] = b[U], b[U_RATE], 0.0


register(PlanarGeometry, planar_measures, planar_advance, planar_displacement)
