r"""The helix from marker a to marker b: see `cardan.elements.rods.beam` and `measures`.

With p = d in the axes of a, theta the rotation vector from a to b and c of `cardan.numerics.curves.arcs`,

    u = p - (theta x p) / 2 + c theta x (theta x p)

is the translational part of the logarithm of the pose of b relative to a: (l, 0, 0) for a helix of length l that starts
along a's x axis and ends along b's. Along an axis e, for the length |u| along u itself, the wrench is

    n = e + (theta x e) / 2 + c theta x (theta x e)                                       in the axes of a
    tau = T^-T U,   U = (e x p) / 2 + c ((theta . p) e + (theta . e) p - 2 (p . e) theta)
                        + 2 c_s (theta x (theta x p) . e) theta                           in the axes of b
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import BENT, arc_coefficients, bent_too_far
from cardan.spatial.kernels.columns import P, X, Y, Z
from cardan.spatial.kernels.measures import place_rates, turn_between, wrench
from cardan.spatial.kernels.rotation import in_axes, rotation_vector, tangent_inverse, turn_rates


@kernel(internal=True)
def helix_values(ends, start, stop, frames, z, jac):
    """Values and jac; those of the same markers follow each other. Returns 0, or BENT + the measure whose ends are
    rotated too far."""
    status, m = 0, np.int64(start)
    while m < stop:
        a, b = ends[m, 0], ends[m, 1]
        x, y, w = rotation_vector(frames, a, b)
        s = x * x + y * y + w * w
        if status == 0 and bent_too_far(s):
            status = BENT + int(m)
        c, c1, _ = arc_coefficients(s)
        px, py, pz = _between(frames, a, b)
        kx, ky, kz = cross(x, y, w, px, py, pz)
        yx, yy, yz = cross(x, y, w, kx, ky, kz)
        along = x * px + y * py + w * pz
        while m < stop and ends[m, 0] == a and ends[m, 1] == b:
            ex, ey, ez = _direction(ends[m, 2], px - 0.5 * kx + c * yx, py - 0.5 * ky + c * yy, pz - 0.5 * kz + c * yz)
            turn, place, bend = ex * x + ey * y + ez * w, ex * px + ey * py + ez * pz, ex * yx + ey * yy + ez * yz
            lx, ly, lz = cross(ex, ey, ez, px, py, pz)
            own = 2.0 * (c1 * bend - c * place)
            ux = 0.5 * lx + c * (along * ex + turn * px) + own * x
            uy = 0.5 * ly + c * (along * ey + turn * py) + own * y
            uz = 0.5 * lz + c * (along * ez + turn * pz) + own * w
            nx, ny, nz = tangent_inverse(x, y, w, c, ex, ey, ez)
            nx, ny, nz = from_axes(frames, a, nx, ny, nz)
            tx, ty, tz = tangent_inverse(-x, -y, -w, c, ux, uy, uz)
            tx, ty, tz = from_axes(frames, b, tx, ty, tz)
            wrench(frames, a, b, m, nx, ny, nz, tx, ty, tz, jac)
            z[m, 0] = place - 0.5 * (ex * kx + ey * ky + ez * kz) + c * bend
            m += 1
    return status


@kernel(internal=True)
def helix_rates(ends, start, stop, frames, z):
    """With k = theta x p and y = theta x k: u' = p' - k'/2 + (c y)' and u'' = p'' - k''/2 + (c y)''."""
    m = np.int64(start)
    while m < stop:
        a, b = ends[m, 0], ends[m, 1]
        x, y, w = rotation_vector(frames, a, b)
        tx, ty, tz, sx, sy, sz = rotation_rates(frames, a, b)
        px, py, pz = _between(frames, a, b)
        ux, uy, uz, qx, qy, qz = place_rates(frames, a, b)
        ux, uy, uz = in_axes(frames, a, ux, uy, uz)
        qx, qy, qz = in_axes(frames, a, qx, qy, qz)
        spin, turn = 2.0 * (x * tx + y * ty + w * tz), 2.0 * (tx * tx + ty * ty + tz * tz + x * sx + y * sy + w * sz)
        c, c1, c2 = arc_coefficients(x * x + y * y + w * w)
        rate, second = c1 * spin, c2 * spin * spin + c1 * turn  # of c
        kx, ky, kz = cross(x, y, w, px, py, pz)
        lx, ly, lz, mx, my, mz = _cross_rates(x, y, w, tx, ty, tz, sx, sy, sz, px, py, pz, ux, uy, uz, qx, qy, qz)
        yx, yy, yz = cross(x, y, w, kx, ky, kz)
        fx, fy, fz, gx, gy, gz = _cross_rates(x, y, w, tx, ty, tz, sx, sy, sz, kx, ky, kz, lx, ly, lz, mx, my, mz)
        ax, ay, az = px - 0.5 * kx + c * yx, py - 0.5 * ky + c * yy, pz - 0.5 * kz + c * yz  # u, then u' and u''
        bx, by, bz = (
            ux - 0.5 * lx + rate * yx + c * fx,
            uy - 0.5 * ly + rate * yy + c * fy,
            uz - 0.5 * lz + rate * yz + c * fz,
        )
        dx, dy, dz = (
            qx - 0.5 * mx + second * yx + 2.0 * rate * fx + c * gx,
            qy - 0.5 * my + second * yy + 2.0 * rate * fy + c * gy,
            qz - 0.5 * mz + second * yz + 2.0 * rate * fz + c * gz,
        )
        while m < stop and ends[m, 0] == a and ends[m, 1] == b:
            ex, ey, ez = _direction(ends[m, 2], ax, ay, az)
            z[m, 1], z[m, 2] = ex * bx + ey * by + ez * bz, ex * dx + ey * dy + ez * dz
            if ends[m, 2] == 3:
                size = math.sqrt(ax * ax + ay * ay + az * az)
                z[m, 2] += (bx * bx + by * by + bz * bz - z[m, 1] * z[m, 1]) / size
            m += 1


@kernel(internal=True)
def rotation_rates(frames, a, b):
    """theta' and theta'' of the rotation vector from a to b, at zero coordinate accelerations."""
    x, y, w = rotation_vector(frames, a, b)
    px, py, pz, qx, qy, qz = turn_between(frames, a, b)
    px, py, pz = in_axes(frames, b, px, py, pz)
    qx, qy, qz = in_axes(frames, b, qx, qy, qz)
    return turn_rates(x, y, w, px, py, pz, qx, qy, qz)


@kernel(internal=True)
def from_axes(frames, b, x, y, z):
    """A vector in the axes of marker b, in global axes."""
    return (
        frames[b, X] * x + frames[b, Y] * y + frames[b, Z] * z,
        frames[b, X + 1] * x + frames[b, Y + 1] * y + frames[b, Z + 1] * z,
        frames[b, X + 2] * x + frames[b, Y + 2] * y + frames[b, Z + 2] * z,
    )


@kernel(internal=True)
def _between(frames, a, b):
    """p: the vector from a to b in the axes of a."""
    x, y, z = frames[b, P] - frames[a, P], frames[b, P + 1] - frames[a, P + 1], frames[b, P + 2] - frames[a, P + 2]
    return in_axes(frames, a, x, y, z)


@kernel(internal=True, inline=True)
def cross(x, y, z, p, q, r):
    return y * r - z * q, z * p - x * r, x * q - y * p


@kernel(internal=True)
def _cross_rates(x, y, w, tx, ty, tz, sx, sy, sz, px, py, pz, ux, uy, uz, qx, qy, qz):
    """(a x b)' = a' x b + a x b' and (a x b)'' = a'' x b + 2 a' x b' + a x b'': arguments a, a', a'', b, b', b''."""
    ax, ay, az = cross(tx, ty, tz, px, py, pz)
    bx, by, bz = cross(x, y, w, ux, uy, uz)
    cx, cy, cz = cross(sx, sy, sz, px, py, pz)
    dx, dy, dz = cross(tx, ty, tz, ux, uy, uz)
    ex, ey, ez = cross(x, y, w, qx, qy, qz)
    return ax + bx, ay + by, az + bz, cx + 2.0 * dx + ex, cy + 2.0 * dy + ey, cz + 2.0 * dz + ez


@kernel(internal=True)
def _direction(axis, x, y, z):
    """The axis e along which a measure acts; axis 3 is the direction of u = (x, y, z)."""
    if axis == 3:
        size = math.sqrt(x * x + y * y + z * z)
        if size > 0.0:
            return x / size, y / size, z / size
        return 1.0 + 0.0 * x, 0.0 * y, 0.0 * z
    return 1.0 * (axis == 0) + 0.0 * x, 1.0 * (axis == 1) + 0.0 * y, 1.0 * (axis == 2) + 0.0 * z
