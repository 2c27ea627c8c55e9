"""Spatial markers in compiled form, and displacements between positions.

A body has q = (r, p), p its Euler parameters, and v = (r', omega'), omega' its angular velocity in its own axes. A
marker has a point P and axes x, y, z, and moves with its body and, on a curve, with its internal coordinate u:

    P = r + A s'(u)                dP = dr + dpi x S + T du                S = A s',   T = A s'_u,   dpi = A dpi'
    axes rotate by dpi + kappa z du                                        kappa only on plane curves

A displacement has the layout of v: (dr, theta) moves a body to r + dr, A exp(~theta).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cardan.model.matter.added_inertia import RotorTables
from cardan.model.space import register
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.profiles import ProfileTable, profile
from cardan.spatial.kernels.columns import ALPHA, BENDING, KAPPA, OMEGA, TT, U_RATE, A, C, P, S, T, U, V, X, Y, Z
from cardan.spatial.kernels.flexible import SpatialFlexible
from cardan.spatial.kernels.inertia import spatial_inertia, spatial_masses, spatial_modal_energy
from cardan.spatial.kernels.measures import rates, values
from cardan.spatial.kernels.rotation import turn_rates

NO_RISE = np.uint32(0xFFFFFFFF)


class SpatialCurves(NamedTuple):
    """The markers that move along curves: the last of all markers, one row of `moving` each."""

    moving: np.ndarray  # uint32[np, 4]: internal coordinate (indices in q and v), profile of (x, y), of z or NO_RISE
    profiles: ProfileTable
    scratch: np.ndarray  # float64[8]: derivatives of a curve; like all scratch memory, one per thread
    address: np.ndarray  # uint64[2]: addresses of `run_along` and `move_along`, 0 if no marker moves


class SpatialTouches(NamedTuple):
    """The pairs of surfaces that may touch; see `kernels.surfaces`."""

    pairs: (
        np.ndarray
    )  # uint32[n, 5]: kind, marker a, marker b, first number, root of the mesh's tree or start of the road
    rows: np.ndarray  # uint32[n, rows]: the measures of the pair, in the order of `surface_pair.ROWS`, or NONE
    ends: np.ndarray  # uint32[nt, 4]: each measure of a pair, its two bodies, and the speeds of a body
    numbers: np.ndarray  # float64: radii; for a mesh and a ball also half the thickness, and 1 for a sheet
    boxes: np.ndarray  # float64[nodes, 6]: the trees of all meshes, see `mesh_tree`
    links: np.ndarray  # uint32[nodes, 2]
    corners: np.ndarray  # float64[triangles, 9]
    normals: np.ndarray  # float64[triangles, 21]
    stack: np.ndarray  # uint32: stack of nodes; like all scratch memory, one per thread
    roads: np.ndarray  # float64: packed, see `cardan.model.curves.road`
    scratch: np.ndarray  # float64[24]
    address: np.ndarray  # uint64[4]: addresses of `touch_values`, `touch_rates`, `mesh_touch`, `wheel_touch`, or 0


class SpatialGeometry(NamedTuple):
    """Constant data of all markers and measures."""

    bodies: np.ndarray  # uint32[1]: their number, including ground
    body: np.ndarray  # uint32[nm]: the body of a marker
    local: np.ndarray  # float64[nm, 12]: s' and the axes x, y, z in the body's frame
    curves: SpatialCurves
    touches: SpatialTouches
    flexible: SpatialFlexible
    rotors: RotorTables
    first: np.ndarray  # uint32[nkinds + 1]: start of each group of measures of one kind
    ends: np.ndarray  # uint32[nz, 6]: marker a, marker b, axes (see `kernels.measures`)
    rare: np.ndarray  # uint64[2]: addresses of `rare_values` and `rare_rates`, 0 if unused


@kernel
def spatial_positions(geometry, q, reference, frames, z, jac):
    """Values and jac of all measures; see `cardan.model.space.position_pass`."""
    body, local, curves, flexible = geometry.body, geometry.local, geometry.curves, geometry.flexible
    ends, first, rare, touches = geometry.ends, geometry.first, geometry.rare, geometry.touches
    for m in range(body.shape[0]):
        _place(body, local, q, frames, m)
    if curves.address[0] != 0:
        status = call_pointer(curves.address[0], (curves, q, frames))
        if status:
            return status
    if flexible.address[0] != 0:
        call_pointer(flexible.address[0], (flexible, q, frames))
    values(ends, first, reference, frames, z, jac)
    if rare[0] != 0:
        status = call_pointer(rare[0], (ends, first, frames, z, jac))
        if status:
            return status
    if touches.address[0] != 0:
        status = call_pointer(touches.address[0], (touches, frames, z, jac))
        if status:
            return status
    if flexible.address[1] != 0:
        call_pointer(flexible.address[1], (flexible, q, frames, z, jac))
    return 0


@kernel
def spatial_velocities(geometry, v, frames, z, jac):
    """Rates and biases of all measures; see `cardan.model.space.velocity_pass`."""
    ends, first, rare, curves = geometry.ends, geometry.first, geometry.rare, geometry.curves
    touches, flexible = geometry.touches, geometry.flexible
    _move_markers(geometry.body, v, frames)
    if curves.address[1] != 0:
        call_pointer(curves.address[1], (curves, v, frames))
    if flexible.address[2] != 0:
        call_pointer(flexible.address[2], (flexible, v, frames))
    rates(ends, first, frames, z, jac)
    if rare[1] != 0:
        call_pointer(rare[1], (ends, first, frames, z, jac))
    if touches.address[1] != 0:
        call_pointer(touches.address[1], (touches.ends, v, z, jac))
    if flexible.address[3] != 0:
        call_pointer(flexible.address[3], (flexible, v, z, jac))


@kernel
def spatial_advance(geometry, q, step):
    """r + dr and p exp(theta / 2); internal coordinates are additive."""
    bodies = q.shape[0] - step.shape[0]
    for k in range(bodies):
        i, j = 7 * k, 6 * k
        q[i] += step[j]
        q[i + 1] += step[j + 1]
        q[i + 2] += step[j + 2]
        x, y, z = step[j + 3], step[j + 4], step[j + 5]
        angle = math.sqrt(x * x + y * y + z * z)
        factor = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
        c, x, y, z = math.cos(0.5 * angle), factor * x, factor * y, factor * z
        e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
        n0, n1 = c * e0 - x * e1 - y * e2 - z * e3, c * e1 + x * e0 - y * e3 + z * e2
        n2, n3 = c * e2 + x * e3 + y * e0 - z * e1, c * e3 - x * e2 + y * e1 + z * e0
        size = 1.0 / math.sqrt(n0 * n0 + n1 * n1 + n2 * n2 + n3 * n3)
        q[i + 3], q[i + 4], q[i + 5], q[i + 6] = size * n0, size * n1, size * n2, size * n3
    for k in range(6 * bodies, step.shape[0]):
        q[k + bodies] += step[k]


@kernel
def spatial_displacement(geometry, start, end, step):
    """dr and the rotation vector theta, at most half a turn, from start to end."""
    bodies = start.shape[0] - step.shape[0]
    for k in range(bodies):
        i, j = 7 * k, 6 * k
        step[j], step[j + 1], step[j + 2] = end[i] - start[i], end[i + 1] - start[i + 1], end[i + 2] - start[i + 2]
        a0, a1, a2, a3 = start[i + 3], start[i + 4], start[i + 5], start[i + 6]
        b0, b1, b2, b3 = end[i + 3], end[i + 4], end[i + 5], end[i + 6]
        c = a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3
        x, y = a0 * b1 - a1 * b0 - a2 * b3 + a3 * b2, a0 * b2 + a1 * b3 - a2 * b0 - a3 * b1
        z = a0 * b3 - a1 * b2 + a2 * b1 - a3 * b0
        s = math.sqrt(x * x + y * y + z * z)
        factor = 2.0 * math.atan2(s, abs(c)) / s if s > 0.0 else 2.0
        if c < 0.0:  # p and -p are the same orientation
            factor = -factor
        step[j + 3], step[j + 4], step[j + 5] = factor * x, factor * y, factor * z
    for k in range(6 * bodies, step.shape[0]):
        step[k] = end[k + bodies] - start[k + bodies]


@kernel
def spatial_step_rates(geometry, q, step, v, a, rate, second):
    """First and second derivative of the displacement `step` for velocity v and acceleration a."""
    bodies = q.shape[0] - step.shape[0]
    for i in range(step.shape[0]):
        rate[i], second[i] = v[i], a[i]
    for k in range(bodies):
        j = 6 * k + 3
        found = turn_rates(
            step[j], step[j + 1], step[j + 2], v[j], v[j + 1], v[j + 2], a[j], a[j + 1], a[j + 2],
        )  # fmt: skip
        for c in range(3):
            rate[j + c], second[j + c] = found[c], found[3 + c]


@kernel
def spatial_rates(geometry, q, v, out):
    """r' and p' = p omega' / 2 as quaternions; rates of internal coordinates are their speeds."""
    bodies = q.shape[0] - v.shape[0]
    for k in range(bodies):
        i, j = 7 * k, 6 * k
        out[i], out[i + 1], out[i + 2] = v[j], v[j + 1], v[j + 2]
        e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
        x, y, z = 0.5 * v[j + 3], 0.5 * v[j + 4], 0.5 * v[j + 5]
        out[i + 3] = -e1 * x - e2 * y - e3 * z
        out[i + 4] = e0 * x - e3 * y + e2 * z
        out[i + 5] = e3 * x + e0 * y - e1 * z
        out[i + 6] = -e2 * x + e1 * y + e0 * z
    for k in range(6 * bodies, v.shape[0]):
        out[k + bodies] = v[k]


@kernel
def spatial_speeds(geometry, q, rates, out):
    """r' and omega' = 2 G p'; rates of internal coordinates are their speeds."""
    bodies = q.shape[0] - out.shape[0]
    for k in range(bodies):
        i, j = 7 * k, 6 * k
        out[j], out[j + 1], out[j + 2] = rates[i], rates[i + 1], rates[i + 2]
        e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
        r0, r1, r2, r3 = rates[i + 3], rates[i + 4], rates[i + 5], rates[i + 6]
        out[j + 3] = 2.0 * (-e1 * r0 + e0 * r1 + e3 * r2 - e2 * r3)
        out[j + 4] = 2.0 * (-e2 * r0 - e3 * r1 + e0 * r2 + e1 * r3)
        out[j + 5] = 2.0 * (-e3 * r0 + e2 * r1 - e1 * r2 + e0 * r3)
    for k in range(6 * bodies, out.shape[0]):
        out[k] = rates[k + bodies]


@kernel
def spatial_normalize(geometry, q):
    """Scale Euler parameters to unit length; q holds as many bodies as fit before the internal coordinates."""
    for k in range(geometry.bodies[0]):
        i = 7 * k + 3
        size = 1.0 / math.sqrt(q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2)
        for c in range(4):
            q[i + c] *= size


@kernel(internal=True)
def _place(body, local, q, frames, m):
    """A body-fixed marker. Markers are sorted by body, so A is computed once per body."""
    i = 7 * body[m]
    if m > 0 and body[m] == body[m - 1]:
        for c in range(A, A + 9):
            frames[m, c] = frames[m - 1, c]
    else:
        e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
        frames[m, A] = 2.0 * (e0 * e0 + e1 * e1) - 1.0
        frames[m, A + 1] = 2.0 * (e1 * e2 - e0 * e3)
        frames[m, A + 2] = 2.0 * (e1 * e3 + e0 * e2)
        frames[m, A + 3] = 2.0 * (e1 * e2 + e0 * e3)
        frames[m, A + 4] = 2.0 * (e0 * e0 + e2 * e2) - 1.0
        frames[m, A + 5] = 2.0 * (e2 * e3 - e0 * e1)
        frames[m, A + 6] = 2.0 * (e1 * e3 - e0 * e2)
        frames[m, A + 7] = 2.0 * (e2 * e3 + e0 * e1)
        frames[m, A + 8] = 2.0 * (e0 * e0 + e3 * e3) - 1.0
    for k in range(0, 12, 3):  # the lever and three axes are adjacent in both tables
        x, y, z = local[m, k], local[m, k + 1], local[m, k + 2]
        for c in range(3):
            row = A + 3 * c
            frames[m, k + c] = frames[m, row] * x + frames[m, row + 1] * y + frames[m, row + 2] * z
    for c in range(3):
        frames[m, P + c] = q[i + c] + frames[m, S + c]


@kernel(internal=True)
def run_along(curves, q, frames):
    """Move the last markers from the frames of their curves along the curves."""
    moving = curves.moving
    fixed = frames.shape[0] - moving.shape[0]
    for k in range(moving.shape[0]):
        status = _run_along(curves, moving[k, 0], moving[k, 2], moving[k, 3], q, frames, fixed + k)
        if status:
            return status
    return 0


@kernel(internal=True)
def move_along(curves, v, frames):
    """Add the motion along the curves."""
    moving = curves.moving
    fixed = frames.shape[0] - moving.shape[0]
    for k in range(moving.shape[0]):
        _move_along(frames, fixed + k, v[moving[k, 1]])
    return 0


@kernel(once=True)
def _run_along(curves, own, plane, rise, q, frames, m):
    """Move one marker along its curve. On a plane curve its x axis becomes the tangent."""
    out = curves.scratch
    status = profile(curves.profiles, plane, q[own], out)
    x0, x1, x2, x3, y0, y1, y2, y3 = out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7]
    z0, z1, z2 = 0.0, 0.0, 0.0
    if rise != NO_RISE and status == 0:
        status = profile(curves.profiles, rise, q[own], out)
        z0, z1, z2 = out[0], out[1], out[2]
    if status:
        return status
    for c in range(3):
        ex, ey, ez = frames[m, X + c], frames[m, Y + c], frames[m, Z + c]
        here = ex * x0 + ey * y0 + ez * z0
        frames[m, S + c] += here
        frames[m, P + c] += here
        frames[m, T + c] = ex * x1 + ey * y1 + ez * z1
        frames[m, TT + c] = ex * x2 + ey * y2 + ez * z2
    frames[m, U] = q[own]
    if rise == NO_RISE:
        square = x1 * x1 + y1 * y1
        norm, kappa = math.sqrt(square), (x1 * y2 - y1 * x2) / square
        frames[m, KAPPA] = kappa
        frames[m, BENDING] = (x1 * y3 - y1 * x3) / square - 2.0 * kappa * (x1 * x2 + y1 * y2) / square
        for c in range(3):
            ex, ey = frames[m, X + c], frames[m, Y + c]
            frames[m, X + c], frames[m, Y + c] = (ex * x1 + ey * y1) / norm, (ey * x1 - ex * y1) / norm
    return 0


@kernel(internal=True)
def _move_markers(body, v, frames):
    """Velocities, and accelerations at zero coordinate accelerations: C = omega x (omega x S) on a body."""
    for m in range(body.shape[0]):
        i = 6 * body[m]
        for c in range(3):
            row = A + 3 * c
            w = frames[m, row] * v[i + 3] + frames[m, row + 1] * v[i + 4] + frames[m, row + 2] * v[i + 5]
            frames[m, OMEGA + c] = w
        _cross(frames, m, OMEGA, S, V)
        _cross(frames, m, OMEGA, V, C)
        for c in range(3):
            frames[m, V + c] += v[i + c]


@kernel(once=True)
def _move_along(frames, m, du):
    """Add the motion along a curve: 2 omega x T u' + T_u u'^2; the axes rotate by kappa u' about z."""
    _cross(frames, m, OMEGA, T, ALPHA)  # borrowed
    for c in range(3):
        frames[m, V + c] += frames[m, T + c] * du
        frames[m, C + c] += 2.0 * frames[m, ALPHA + c] * du + frames[m, TT + c] * du * du
    _cross(frames, m, OMEGA, Z, ALPHA)
    spin, bend = frames[m, KAPPA] * du, frames[m, BENDING] * du * du
    for c in range(3):
        frames[m, ALPHA + c] = spin * frames[m, ALPHA + c] + bend * frames[m, Z + c]
        frames[m, OMEGA + c] += spin * frames[m, Z + c]
    frames[m, U_RATE] = du


@kernel(internal=True)
def _cross(frames, m, a, b, target):
    """target <- a x b, columns of one marker."""
    ax, ay, az = frames[m, a], frames[m, a + 1], frames[m, a + 2]
    bx, by, bz = frames[m, b], frames[m, b + 1], frames[m, b + 2]
    frames[m, target], frames[m, target + 1] = ay * bz - az * by, az * bx - ax * bz
    frames[m, target + 2] = ax * by - ay * bx


register(
    SpatialGeometry,
    spatial_positions,
    spatial_velocities,
    spatial_advance,
    spatial_displacement,
    spatial_step_rates,
    spatial_inertia,
    spatial_masses,
    spatial_rates,
    spatial_normalize,
    spatial_speeds,
    spatial_modal_energy,
)
