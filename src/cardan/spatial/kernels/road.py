"""A wheel on a road, in compiled form: see `cardan.model.curves.road.wheel_on_road` for the geometry.

In the axes of a, with C = (x, y, z), the road's height h(x, y) and s = sqrt(1 + h_x^2 + h_y^2),

    n = (-h_x, -h_y, 1) / s        rho = (z - h) / (s c)        sin camber = n . k,   c its cosine

and all gradients follow from h and its first and second derivatives.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.model.curves.road import FLAT_ROAD, GRID_ROAD, LINE_ROAD, ROAD_HEADER
from cardan.model.surfaces.surface_pair import NONE
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.spline import piecewise
from cardan.spatial.kernels.columns import P, X, Z
from cardan.spatial.kernels.measures import wrench

UPRIGHT = 1e-24  # squared cosine of the camber of a wheel flat on the road, which has no heading
_HEIGHT = 8  # scratch: h, h_x, h_y, h_xx, h_xy, h_yy, then those of track lines


@kernel(internal=True)
def wheel_touch(touches, frames, pair, z, jac):
    """All rows of one wheel; called by address. Returns a status; off the road, scratch holds the wheel's position."""
    pairs, rows, out = touches.pairs, touches.rows, touches.scratch
    a, b, radius = pairs[pair, 1], pairs[pair, 2], touches.numbers[pairs[pair, 3]]
    dx, dy, dz = frames[b, P] - frames[a, P], frames[b, P + 1] - frames[a, P + 1], frames[b, P + 2] - frames[a, P + 2]
    x, y, up = _seen(frames, a, dx, dy, dz)
    kx, ky, kz = _seen(frames, a, frames[b, Z], frames[b, Z + 1], frames[b, Z + 2])
    if _height(touches.roads, np.int64(pairs[pair, 4]), x, y, out):
        out[0], out[1] = x, y
        return 1
    h, hx, hy, hxx, hxy, hyy = out[8], out[9], out[10], out[11], out[12], out[13]
    square = 1.0 + hx * hx + hy * hy
    s = math.sqrt(square)
    nx, ny, nz = -hx / s, -hy / s, 1.0 / s
    sine = nx * kx + ny * ky + nz * kz
    cosine = math.sqrt(max(1.0 - sine * sine, UPRIGHT))
    rho = (up - h) / (s * cosine)
    # derivatives of s (relative to s) and of the sine with respect to x and y
    growx, growy = (hx * hxx + hy * hxy) / square, (hx * hxy + hy * hyy) / square
    leanx, leany = -(hxx * kx + hxy * ky) / s - sine * growx, -(hxy * kx + hyy * ky) / s - sine * growy
    tx, ty, tz = (ky * nz - kz * ny) / cosine, (kz * nx - kx * nz) / cosine, (kx * ny - ky * nx) / cosine  # e_x
    mx, my, mz = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx  # e_y
    arm = -rho / cosine
    lx, ly, lz = arm * (nx - sine * kx), arm * (ny - sine * ky), arm * (nz - sine * kz)  # P - C
    factor, steep = rho * sine / (cosine * cosine), 1.0 / (s * cosine)
    m = rows[pair, 0]
    if m != NONE:
        fx, fy = -hx * steep - rho * growx + factor * leanx, -hy * steep - rho * growy + factor * leany
        f = factor * cosine
        _act(frames, a, b, m, fx, fy, steep, f * tx, f * ty, f * tz, jac)
        z[m, 0] = rho - radius
    for row in range(1, 7):
        m = rows[pair, row]
        if m == NONE:
            continue
        z[m, 0] = 0.0
        if row == 1:
            _act(frames, a, b, m, tx, ty, tz, ly * tz - lz * ty, lz * tx - lx * tz, lx * ty - ly * tx, jac)
        elif row == 2:
            _act(frames, a, b, m, mx, my, mz, ly * mz - lz * my, lz * mx - lx * mz, lx * my - ly * mx, jac)
        elif row == 4:
            _act(frames, a, b, m, tx, ty, tz, 0.0, 0.0, 0.0, jac)
        elif row == 5:
            _act(frames, a, b, m, 0.0, 0.0, 0.0, nx, ny, nz, jac)
        else:
            _act(frames, a, b, m, leanx / cosine, leany / cosine, 0.0, tx, ty, tz, jac)
            z[m, 0] = math.asin(min(max(sine, -1.0), 1.0))
    return 0


@kernel(internal=True)
def _seen(frames, a, x, y, z):
    """A global vector in the axes of marker a."""
    return (
        frames[a, X] * x + frames[a, X + 1] * y + frames[a, X + 2] * z,
        frames[a, X + 3] * x + frames[a, X + 4] * y + frames[a, X + 5] * z,
        frames[a, X + 6] * x + frames[a, X + 7] * y + frames[a, X + 8] * z,
    )


@kernel(internal=True)
def _act(frames, a, b, m, fx, fy, fz, tx, ty, tz, jac):
    """The columns of a force at P_b and a torque, both in the axes of a."""
    wrench(
        frames, a, b, m,
        frames[a, X] * fx + frames[a, X + 3] * fy + frames[a, X + 6] * fz,
        frames[a, X + 1] * fx + frames[a, X + 4] * fy + frames[a, X + 7] * fz,
        frames[a, X + 2] * fx + frames[a, X + 5] * fy + frames[a, X + 8] * fz,
        frames[a, X] * tx + frames[a, X + 3] * ty + frames[a, X + 6] * tz,
        frames[a, X + 1] * tx + frames[a, X + 4] * ty + frames[a, X + 7] * tz,
        frames[a, X + 2] * tx + frames[a, X + 5] * ty + frames[a, X + 8] * tz,
        jac,
    )  # fmt: skip


@kernel(internal=True)
def _height(data, start, x, y, out):
    """Write h and its derivatives to scratch; returns 1 beyond the end of the road."""
    sort, level = int(data[start]), data[start + 1] != 0.0
    for c in range(6):
        out[_HEIGHT + c] = 0.0
    if sort == FLAT_ROAD:
        return 0
    inx = min(max(x, data[start + 2]), data[start + 3])
    iny = min(max(y, data[start + 4]), data[start + 5])
    if (inx != x or iny != y) and not level:
        return 1
    if not (x == x and y == y):
        return 1
    at = start + ROAD_HEADER
    if sort == GRID_ROAD:
        _grid(data, at, inx, iny, out)
    else:
        piecewise(data, at if sort == LINE_ROAD else at + 3, inx, out, np.intp(_HEIGHT + 6))
        out[_HEIGHT], out[_HEIGHT + 1], out[_HEIGHT + 3] = out[_HEIGHT + 6], out[_HEIGHT + 7], out[_HEIGHT + 8]
        if sort != LINE_ROAD:
            _blend(data, at, inx, y, out)
    if inx != x:
        out[_HEIGHT + 1], out[_HEIGHT + 3], out[_HEIGHT + 4] = 0.0, 0.0, 0.0
    if iny != y:
        out[_HEIGHT + 2], out[_HEIGHT + 4], out[_HEIGHT + 5] = 0.0, 0.0, 0.0
    return 0


@kernel(internal=True)
def _blend(data, at, x, y, out):
    """Blend from the first track, whose line is already in scratch, to the second by w = 3 t^2 - 2 t^3."""
    one, two = data[at], data[at + 1]
    piecewise(data, at + 3 + int(data[at + 2]), x, out, np.intp(_HEIGHT + 6))
    t, scale = min(max((y - one) / (two - one), 0.0), 1.0), 1.0 / (two - one)
    w, w1, w2 = t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) * scale, 6.0 * (1.0 - 2.0 * t) * scale * scale
    if t == 0.0 or t == 1.0:
        w2 = 0.0
    h, hx, hxx = out[_HEIGHT], out[_HEIGHT + 1], out[_HEIGHT + 3]
    rise, risex, risexx = out[_HEIGHT + 6] - h, out[_HEIGHT + 7] - hx, out[_HEIGHT + 8] - hxx
    out[_HEIGHT], out[_HEIGHT + 1], out[_HEIGHT + 3] = h + w * rise, hx + w * risex, hxx + w * risexx
    out[_HEIGHT + 2], out[_HEIGHT + 4], out[_HEIGHT + 5] = w1 * rise, w1 * risex, w2 * rise


@kernel(internal=True)
def _grid(data, at, x, y, out):
    """Catmull-Rom interpolation over the surrounding 16 points; the table has one extra row and column at each edge."""
    nx, ny = int(data[at + 2]), int(data[at + 5])
    p, q = (x - data[at]) / data[at + 1], (y - data[at + 3]) / data[at + 4]
    i, j = min(int(p), nx - 2), min(int(q), ny - 2)
    p, q, first = p - i, q - j, at + 6
    for k in range(4):
        f, f1, f2 = _weight(k, p)
        f1, f2 = f1 / data[at + 1], f2 / (data[at + 1] * data[at + 1])
        for n in range(4):
            g, g1, g2 = _weight(n, q)
            g1, g2 = g1 / data[at + 4], g2 / (data[at + 4] * data[at + 4])
            h = data[first + (i + k) * (ny + 2) + j + n]
            out[_HEIGHT] += f * g * h
            out[_HEIGHT + 1] += f1 * g * h
            out[_HEIGHT + 2] += f * g1 * h
            out[_HEIGHT + 3] += f2 * g * h
            out[_HEIGHT + 4] += f1 * g1 * h
            out[_HEIGHT + 5] += f * g2 * h


@kernel(internal=True)
def _weight(k, s):
    """The weight of the k-th of four points at s between the second and third, and its first two derivatives."""
    if k == 0:
        return 0.5 * s * (s * (2.0 - s) - 1.0), 0.5 * (s * (4.0 - 3.0 * s) - 1.0), 2.0 - 3.0 * s
    if k == 1:
        return 0.5 * (s * s * (3.0 * s - 5.0) + 2.0), 0.5 * s * (9.0 * s - 10.0), 9.0 * s - 5.0
    if k == 2:
        return 0.5 * s * (s * (4.0 - 3.0 * s) + 1.0), 0.5 * (s * (8.0 - 9.0 * s) + 1.0), 4.0 - 9.0 * s
    return 0.5 * s * s * (s - 1.0), 0.5 * s * (3.0 * s - 2.0), 3.0 * s - 1.0
