"""Rarely used planar kernels, compiled when a model needs them: markers on outlines, and measures of such markers.

Besides contact coordinates these are quasi-velocities, which are not the rate of a coordinate: of a point along its own
axis, and of a body's rotation, along which body-fixed loads, torques and blades act. See `measures`, `helix`.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.profiles import profile
from cardan.planar.kernels.columns import (
    AX,
    AY,
    BEND,
    BIAS,
    CX,
    CY,
    FX,
    FY,
    KAPPA,
    OMEGA,
    PX,
    PY,
    SX,
    SY,
    THETA,
    TX,
    TY,
    U_RATE,
    VX,
    VY,
    U,
)
from cardan.planar.kernels.helix import helix_rates, helix_values
from cardan.planar.kernels.measures import along, axis, between


@kernel(internal=True)
def run_along(curves, q, frames):
    """Move the last markers from the frames of their outlines along the outlines. Returns a status."""
    moving, out, profiles = curves.moving, curves.scratch, curves.profiles
    fixed = frames.shape[0] - moving.shape[0]
    for k in range(moving.shape[0]):
        m, u = fixed + k, q[moving[k, 0]]
        status = profile(profiles, moving[k, 1], u, out)
        if status:
            return status
        ca, sa = frames[m, FX], frames[m, FY]
        x1, x2, x3, y1, y2, y3 = out[1], out[2], out[3], out[5], out[6], out[7]
        px, py = ca * out[0] - sa * out[4], sa * out[0] + ca * out[4]
        tx, ty = ca * x1 - sa * y1, sa * x1 + ca * y1
        square = x1 * x1 + y1 * y1
        norm = np.sqrt(square)
        kappa = (x1 * y2 - y1 * x2) / square
        frames[m, SX] += px
        frames[m, SY] += py
        frames[m, PX] += px
        frames[m, PY] += py
        frames[m, FX], frames[m, FY] = tx / norm, ty / norm
        frames[m, TX], frames[m, TY] = tx, ty
        frames[m, AX], frames[m, AY] = ca * x2 - sa * y2, sa * x2 + ca * y2
        frames[m, KAPPA] = kappa
        frames[m, BEND] = (x1 * y3 - y1 * x3) / square - 2.0 * kappa * (x1 * x2 + y1 * y2) / square
        frames[m, THETA] += math.atan2(y1, x1)
        frames[m, U] = u
    return 0


@kernel(internal=True)
def move_along(curves, v, frames):
    """Add the motion along the outlines to velocities and accelerations."""
    moving = curves.moving
    fixed = frames.shape[0] - moving.shape[0]
    for k in range(moving.shape[0]):
        m, du = fixed + k, v[moving[k, 0]]
        w, tx, ty = frames[m, OMEGA], frames[m, TX], frames[m, TY]
        frames[m, VX] += tx * du
        frames[m, VY] += ty * du
        frames[m, CX] += -2.0 * w * du * ty + frames[m, AX] * du * du
        frames[m, CY] += 2.0 * w * du * tx + frames[m, AY] * du * du
        frames[m, OMEGA] += frames[m, KAPPA] * du
        frames[m, BIAS] = frames[m, BEND] * du * du
        frames[m, U_RATE] = du
    return 0


@kernel(internal=True)
def rare_values(ends, first, frames, z, jac):
    """The rarely used measures; called by address, like `rare_rates`. Returns the status of `helix_values`."""
    for m in range(first[6], first[10]):
        for column in range(8):
            jac[m, column] = 0.0
    for m in range(first[6], first[7]):  # contact coordinates
        jac[m, 7] = 1.0
        z[m, 0] = frames[ends[m, 1], U]
    for m in range(first[7], first[8]):  # b's point along its own axis, a quasi-velocity
        b = ends[m, 1]
        ex, ey = axis(b, ends[m, 3], frames)
        along(b, b, ex, ey, frames, m, jac)
        jac[m, 0], jac[m, 1], jac[m, 2], jac[m, 6] = 0.0, 0.0, 0.0, 0.0
        z[m, 0] = 0.0
    for m in range(first[8], first[10]):  # the rotation of b
        jac[m, 5], jac[m, 7] = 1.0, frames[ends[m, 1], KAPPA]
        z[m, 0] = 0.0
    for m in range(first[10], first[11]):  # b's point along its own axis, as seen from a: e . (d' - omega_a perp(d))
        a, b = ends[m, 0], ends[m, 1]
        ex, ey = axis(b, ends[m, 2], frames)
        dx, dy = between(a, b, PX, frames)
        turn = ex * dy - ey * dx  # perp(e) . d
        along(a, b, ex, ey, frames, m, jac)
        jac[m, 2] += turn
        jac[m, 6] += frames[a, KAPPA] * turn
        z[m, 0] = 0.0
    return helix_values(ends, first[11], first[12], frames, z, jac)


@kernel(internal=True)
def rare_rates(ends, first, frames, z, jac):
    """The rates of `rare_values`."""
    for m in range(first[6], first[7]):
        z[m, 1], z[m, 2] = frames[ends[m, 1], U_RATE], 0.0
    for m in range(first[7], first[8]):
        b = ends[m, 1]
        ex, ey, vx, vy = jac[m, 3], jac[m, 4], frames[b, VX], frames[b, VY]
        z[m, 1] = ex * vx + ey * vy
        z[m, 2] = ex * frames[b, CX] + ey * frames[b, CY] + frames[b, OMEGA] * (ex * vy - ey * vx)
    for m in range(first[8], first[10]):
        b = ends[m, 1]
        z[m, 1], z[m, 2] = frames[b, OMEGA], frames[b, BIAS]
    for m in range(first[10], first[11]):  # e' = omega_b perp(e)
        a, b = ends[m, 0], ends[m, 1]
        ex, ey = jac[m, 3], jac[m, 4]
        dx, dy = between(a, b, PX, frames)
        ux, uy = between(a, b, VX, frames)
        cx, cy = between(a, b, CX, frames)
        wa, wb, turn = frames[a, OMEGA], frames[b, OMEGA], ex * dy - ey * dx
        z[m, 1] = ex * ux + ey * uy + wa * turn
        swing = (wa + wb) * (ex * uy - ey * ux) - wa * wb * (ex * dx + ey * dy)
        z[m, 2] = ex * cx + ey * cy + frames[a, BIAS] * turn + swing
    helix_rates(ends, first[11], first[12], frames, z)
    return 0
