"""Rarely used spatial measures, compiled when a model needs them: see `kernels.measures`.

Tilts, rotation vectors and helices, contact coordinates, and quasi-velocities, which are not the rate of a
coordinate: of a point along its own axis, and of a body's rotation, along which body-fixed loads and torques act. For
wheels see `rolling`.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import inverse_coefficient
from cardan.spatial.kernels.columns import ALPHA, OMEGA, U_RATE, C, U, V, X
from cardan.spatial.kernels.helix import from_axes, helix_rates, helix_values, rotation_rates
from cardan.spatial.kernels.measures import direction_along, dot, wrench
from cardan.spatial.kernels.rolling import rolling_rates, rolling_values
from cardan.spatial.kernels.rotation import rotation_vector, tangent_inverse


@kernel(internal=True)
def rare_values(ends, first, frames, z, jac):
    """Values and jac of the rarely used measures; called by address, like `rare_rates`. Returns the status of
    `helix_values`."""
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
    return helix_values(ends, first[16], first[17], frames, z, jac)


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
def rare_rates(ends, first, frames, z, jac):
    """The rates of `rare_values`."""
    for m in range(first[6], first[7]):
        rate, bias = direction_along(frames, ends[m, 0], ends[m, 1], ends[m, 2], ends[m, 3])
        sine = math.sin(z[m, 0])
        root = math.sqrt(max(1.0 - sine * sine, 1e-24))
        z[m, 1], z[m, 2] = rate / root, bias / root + sine * rate * rate / (root * root * root)
    _rotation_rates(ends, first[7], first[8], frames, z)
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
    helix_rates(ends, first[16], first[17], frames, z)
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
    """One component of theta, the rotation vector from a to b: tau . w = e . T^-1 w. Those of the same markers follow
    each other."""
    m = np.int64(start)
    while m < stop:
        a, b = ends[m, 0], ends[m, 1]
        x, y, w = rotation_vector(frames, a, b)
        c = inverse_coefficient(x * x + y * y + w * w)
        while m < stop and ends[m, 0] == a and ends[m, 1] == b:
            k = ends[m, 2]
            # a row of T^-1 is a column of its transpose, which is that of -theta
            p, q, r = tangent_inverse(-x, -y, -w, c, 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
            tx, ty, tz = from_axes(frames, b, p, q, r)
            wrench(frames, a, b, m, 0.0, 0.0, 0.0, tx, ty, tz, jac)
            z[m, 0] = x if k == 0 else (y if k == 1 else w)
            m += 1


@kernel(internal=True)
def _rotation_rates(ends, start, stop, frames, z):
    m = np.int64(start)
    while m < stop:
        a, b = ends[m, 0], ends[m, 1]
        px, py, pz, qx, qy, qz = rotation_rates(frames, a, b)
        while m < stop and ends[m, 0] == a and ends[m, 1] == b:
            k = ends[m, 2]
            z[m, 1] = px if k == 0 else (py if k == 1 else pz)
            z[m, 2] = qx if k == 0 else (qy if k == 1 else qz)
            m += 1
