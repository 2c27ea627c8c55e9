"""Rarely used spatial measures, compiled when a model needs them: see `kernels.measures`.

Tilts and rotation vectors, contact coordinates, and quasi-velocities, which are not the rate of a coordinate: of a
point along its own axis, and of a body's rotation, along which body-fixed loads and torques act. For wheels see
`rolling`.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.columns import ALPHA, OMEGA, U_RATE, C, U, V, X, Y, Z
from cardan.spatial.kernels.measures import direction_along, dot, turn_between, wrench
from cardan.spatial.kernels.rolling import rolling_rates, rolling_values
from cardan.spatial.kernels.rotation import inverse_coefficient, tangent_inverse, turn_rates


@kernel(internal=True)
def seldom_values(ends, first, frames, z, jac):
    """Values and jac of the rarely used measures; called by address, like `seldom_rates`."""
    _tilts(ends, first[6], first[7], frames, z, jac)
    _rotations(ends, first[7], first[8], frames, z, jac)
    for m in range(first[8], first[9]):
        for column in range(13):
            jac[m, column] = 0.0
        jac[m, 13] = 1.0
        z[m, 0] = frames[ends[m, 1], U]
    for m in range(first[9], first[12]):
        _quasi(frames, ends[m, 1], ends[m, 2], m < first[10], m < first[11], m, jac)
        z[m, 0] = 0.0
    rolling_values(ends, first, frames, z, jac)
    return 0


@kernel(internal=True)
def _quasi(frames, b, k, slides, turns, m, jac):
    """Quasi-velocities: of b's point along its own axis, and of b's rotation."""
    x, y, z = 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)
    if slides or not turns:
        x, y, z = frames[b, X + 3 * k], frames[b, X + 3 * k + 1], frames[b, X + 3 * k + 2]
    force = 1.0 if slides else 0.0
    torque = 1.0 - force
    wrench(frames, b, b, m, force * x, force * y, force * z, torque * x, torque * y, torque * z, jac)
    for column in range(6):
        jac[m, column] = 0.0
    jac[m, 12] = 0.0


@kernel(internal=True)
def seldom_rates(ends, first, frames, z, jac):
    """The rates of `seldom_values`."""
    for m in range(first[6], first[7]):
        rate, bias = direction_along(frames, ends[m, 0], ends[m, 1], ends[m, 2], ends[m, 3])
        sine = math.sin(z[m, 0])
        root = math.sqrt(max(1.0 - sine * sine, 1e-24))
        z[m, 1], z[m, 2] = rate / root, bias / root + sine * rate * rate / (root * root * root)
    for m in range(first[7], first[8]):
        _rotation_rate(frames, ends[m, 0], ends[m, 1], ends[m, 2], z, m)
    for m in range(first[8], first[9]):
        z[m, 1], z[m, 2] = frames[ends[m, 1], U_RATE], 0.0
    for m in range(first[9], first[10]):
        b, k = ends[m, 1], X + 3 * ends[m, 2]
        x, y, w = frames[b, k], frames[b, k + 1], frames[b, k + 2]
        vx, vy, vz = frames[b, V], frames[b, V + 1], frames[b, V + 2]
        px, py, pz = frames[b, OMEGA], frames[b, OMEGA + 1], frames[b, OMEGA + 2]
        z[m, 1] = x * vx + y * vy + w * vz
        bias = x * frames[b, C] + y * frames[b, C + 1] + w * frames[b, C + 2]
        # the axis rotates: (omega x e) . V
        z[m, 2] = bias + (py * w - pz * y) * vx + (pz * x - px * w) * vy + (px * y - py * x) * vz
    for m in range(first[10], first[11]):
        b, k = ends[m, 1], ends[m, 2]
        z[m, 1], z[m, 2] = frames[b, OMEGA + k], frames[b, ALPHA + k]
    for m in range(first[11], first[12]):  # omega x e . omega = 0
        b, k = ends[m, 1], X + 3 * ends[m, 2]
        x, y, w = frames[b, k], frames[b, k + 1], frames[b, k + 2]
        z[m, 1] = x * frames[b, OMEGA] + y * frames[b, OMEGA + 1] + w * frames[b, OMEGA + 2]
        z[m, 2] = x * frames[b, ALPHA] + y * frames[b, ALPHA + 1] + w * frames[b, ALPHA + 2]
    rolling_rates(ends, first, frames, z)
    return 0


@kernel(internal=True)
def _tilts(ends, start, stop, frames, z, jac):
    """z = arcsin(e_a . e_b): the elevation of b's axis above the plane across a's."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        sine, tx, ty, tz = dot(frames, a, b, ends[m, 2], ends[m, 3])
        root = math.sqrt(max(1.0 - sine * sine, 1e-24))
        wrench(frames, a, b, m, 0.0, 0.0, 0.0, tx / root, ty / root, tz / root, jac)
        z[m, 0] = math.asin(min(max(sine, -1.0), 1.0))


@kernel(internal=True)
def _rotations(ends, start, stop, frames, z, jac):
    """One component of theta, the rotation vector from a to b: tau . w = e . T^-1 w."""
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], ends[m, 2]
        x, y, w = _rotation_vector(frames, a, b)
        c = inverse_coefficient(x * x + y * y + w * w)
        # a row of T^-1 is a column of its transpose, which is that of -theta
        p, q, r = tangent_inverse(-x, -y, -w, c, 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
        tx = frames[b, X] * p + frames[b, Y] * q + frames[b, Z] * r
        ty = frames[b, X + 1] * p + frames[b, Y + 1] * q + frames[b, Z + 1] * r
        tz = frames[b, X + 2] * p + frames[b, Y + 2] * q + frames[b, Z + 2] * r
        wrench(frames, a, b, m, 0.0, 0.0, 0.0, tx, ty, tz, jac)
        z[m, 0] = x if k == 0 else (y if k == 1 else w)


@kernel(internal=True)
def _rotation_rate(frames, a, b, k, z, m):
    x, y, w = _rotation_vector(frames, a, b)
    px, py, pz, qx, qy, qz = turn_between(frames, a, b)
    px, py, pz = _in_axes(frames, b, px, py, pz)
    qx, qy, qz = _in_axes(frames, b, qx, qy, qz)
    found = turn_rates(x, y, w, px, py, pz, qx, qy, qz)
    z[m, 1] = found[0] if k == 0 else (found[1] if k == 1 else found[2])
    z[m, 2] = found[3] if k == 0 else (found[4] if k == 1 else found[5])


@kernel(internal=True)
def _in_axes(frames, b, x, y, z):
    """A global vector in the axes of marker b."""
    return (
        frames[b, X] * x + frames[b, X + 1] * y + frames[b, X + 2] * z,
        frames[b, Y] * x + frames[b, Y + 1] * y + frames[b, Y + 2] * z,
        frames[b, Z] * x + frames[b, Z + 1] * y + frames[b, Z + 2] * z,
    )


@kernel(internal=True)
def _rotation_vector(frames, a, b):
    """theta of R = (axes of a)^T (axes of b), at most half a turn, by the largest Euler parameter (Haug 9.3.12-17)."""
    r11, r21, r31 = _in_axes(frames, a, frames[b, X], frames[b, X + 1], frames[b, X + 2])
    r12, r22, r32 = _in_axes(frames, a, frames[b, Y], frames[b, Y + 1], frames[b, Y + 2])
    r13, r23, r33 = _in_axes(frames, a, frames[b, Z], frames[b, Z + 1], frames[b, Z + 2])
    trace = r11 + r22 + r33
    if trace >= max(r11, max(r22, r33)):
        e0, e1, e2, e3 = 1.0 + trace, r32 - r23, r13 - r31, r21 - r12
    elif r11 >= max(r22, r33):
        e0, e1, e2, e3 = r32 - r23, 1.0 + 2.0 * r11 - trace, r12 + r21, r13 + r31
    elif r22 >= r33:
        e0, e1, e2, e3 = r13 - r31, r12 + r21, 1.0 + 2.0 * r22 - trace, r23 + r32
    else:
        e0, e1, e2, e3 = r21 - r12, r13 + r31, r23 + r32, 1.0 + 2.0 * r33 - trace
    size = math.sqrt(e1 * e1 + e2 * e2 + e3 * e3)
    factor = 2.0 * math.atan2(size, abs(e0)) / size if size > 0.0 else 2.0 / abs(e0)  # limit with the same slope
    if e0 < 0.0:
        factor = -factor
    return factor * e1, factor * e2, factor * e3
