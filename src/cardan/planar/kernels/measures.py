"""The planar measures in compiled form: value and jac of each kind, then rate and bias.

A marker has a point P, axes f and g, and moves with its body (r, phi) and, on a cam, with its internal coordinate u:

    P = r + A(phi) s'(u)          dP = dr + perp(s) dphi + t du          t = A s'_u,  s = A s'
    theta = phi + theta'(u)       dtheta = dphi + kappa du               kappa = theta'_u

Then every measure is a few products of d = P_b - P_a, of the axes and of their derivatives; bias is its second
derivative in time with all accelerations zero (Haug's -gamma). perp(a) = (-a_y, a_x).

Columns of jac: [x_a, y_a, phi_a | x_b, y_b, phi_b | u_a, u_b]; x_b, y_b are the direction along which a measure acts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from cardan.model.matter.added_inertia import RotorTables
from cardan.model.space import register
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.profiles import ProfileTable
from cardan.planar.kernels.columns import BIAS, CX, CY, FX, FY, KAPPA, OMEGA, PX, PY, SX, SY, THETA, TX, TY, VX, VY
from cardan.planar.kernels.flexible import PlanarFlexible
from cardan.planar.kernels.inertia import planar_inertia, planar_masses, planar_modal_energy

KINDS = (
    *("coordinate", "angle", "length", "component", "dot", "bearing"),
    *("contact", "slide", "turn", "spin", "velocity_along", "helix"),  # see `kernels.rare`
    *("gap", "rub"),  # surfaces: see `kernels.surfaces`
    "modal",  # see `kernels.flexible`
)
RARE = ("contact", "slide", "turn", "spin", "velocity_along", "helix")


class PlanarCurves(NamedTuple):
    """The markers that move along outlines: the last of all markers, one row of `moving` each."""

    moving: np.ndarray  # uint32[np, 2]: internal coordinate (index in q and v) and profile
    profiles: ProfileTable
    scratch: np.ndarray  # float64[8]: derivatives of a curve; like all scratch memory, one per thread
    address: np.ndarray  # uint64[2]: addresses of `run_along` and `move_along`, 0 if no marker moves


class PlanarTouches(NamedTuple):
    """The pairs of surfaces that may touch; see `kernels.surfaces`."""

    pairs: np.ndarray  # uint32[n, 6]: kind, marker a, marker b, first number, curve of a, or the only one, curve of b
    rows: np.ndarray  # uint32[n, rows]: the measures of the pair, in the order of `surface_pair.ROWS`, or NONE
    ends: np.ndarray  # uint32[nt, 4]: each measure of a pair, its two bodies, and the speeds of a body
    numbers: np.ndarray  # float64: radii and half thicknesses
    profiles: ProfileTable
    trees: np.ndarray  # uint32[nc, 4]: first box, first knot, number of leaves and number of segments of each curve
    boxes: np.ndarray  # float64[nodes, 4]: see `rim_tree`
    knots: np.ndarray  # float64[nk, 9]
    fans: np.ndarray  # float64[FAN nc, 3]: u, x, y of the knot of a curve that is farthest in each direction
    stack: np.ndarray  # uint32: stack of nodes
    scratch: np.ndarray  # float64[24]
    address: np.ndarray  # uint64[3]: addresses of `touch_values`, `touch_rates` and `curve_touch`, 0 if unused


class PlanarGeometry(NamedTuple):
    """Constant data of all markers and measures."""

    body: np.ndarray  # uint32[nm]: the body of a marker
    local: np.ndarray  # float64[nm, 5]: s'x, s'y, cos, sin and the angle of its axes in the body
    curves: PlanarCurves
    touches: PlanarTouches
    flexible: PlanarFlexible
    rotors: RotorTables
    first: np.ndarray  # uint32[nkinds + 1]: start of each group of measures of one kind
    ends: np.ndarray  # uint32[nz, 4]: marker a, marker b, axis of a, axis of b (0 is x, 1 is y)
    rare: np.ndarray  # uint64[2]: addresses of `rare_values` and `rare_rates`, 0 if unused


@kernel
def planar_positions(geometry, q, reference, frames, z, jac):
    """Values and jac of all measures; see `cardan.model.space.position_pass`."""
    first, ends, curves, rare = geometry.first, geometry.ends, geometry.curves, geometry.rare
    touches, flexible = geometry.touches, geometry.flexible
    _place_markers(geometry.body, geometry.local, q, frames)
    if curves.address[0] != 0:
        status = call_pointer(curves.address[0], (curves, q, frames))
        if status:
            return status
    if flexible.address[0] != 0:
        call_pointer(flexible.address[0], (flexible, q, frames))
    _coordinates(ends, first[0], first[1], frames, z, jac)
    _angles(ends, first[1], first[2], frames, z, jac)
    _lengths(ends, first[2], first[3], frames, z, jac)
    _components(ends, first[3], first[4], frames, z, jac)
    _dots(ends, first[4], first[5], frames, z, jac)
    _bearings(ends, first[5], first[6], reference, frames, z, jac)
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
def planar_velocities(geometry, v, frames, z, jac):
    """Rates and biases of all measures; see `cardan.model.space.velocity_pass`."""
    first, ends, curves, rare = geometry.first, geometry.ends, geometry.curves, geometry.rare
    touches, flexible = geometry.touches, geometry.flexible
    _move_markers(geometry.body, v, frames)
    if curves.address[1] != 0:
        call_pointer(curves.address[1], (curves, v, frames))
    if flexible.address[2] != 0:
        call_pointer(flexible.address[2], (flexible, v, frames))
    _coordinate_rates(ends, first[0], first[1], frames, z)
    _angle_rates(ends, first[1], first[2], frames, z)
    _length_rates(ends, first[2], first[3], frames, z, jac)
    _component_rates(ends, first[3], first[4], frames, z, jac)
    _dot_rates(ends, first[4], first[5], frames, z, jac)
    _bearing_rates(ends, first[5], first[6], frames, z, jac)
    if rare[1] != 0:
        call_pointer(rare[1], (ends, first, frames, z, jac))
    if touches.address[1] != 0:
        call_pointer(touches.address[1], (touches.ends, v, z, jac))
    if flexible.address[3] != 0:
        call_pointer(flexible.address[3], (flexible, v, z, jac))


@kernel
def planar_advance(geometry, q, step):
    """q + step: planar coordinates are additive."""
    for i in range(q.shape[0]):
        q[i] += step[i]


@kernel
def planar_displacement(geometry, start, end, step):
    """end - start."""
    for i in range(start.shape[0]):
        step[i] = end[i] - start[i]


@kernel
def planar_step_rates(geometry, q, step, v, a, rate, second):
    """v and a unchanged: coordinates are additive."""
    for i in range(step.shape[0]):
        rate[i], second[i] = v[i], a[i]


@kernel
def planar_rates(geometry, q, v, out):
    """The speeds unchanged."""
    for i in range(v.shape[0]):
        out[i] = v[i]


@kernel
def planar_normalize(geometry, q):
    """No operation: planar coordinates are unique."""


@kernel(once=True)
def _place_markers(body, local, q, frames):
    """Body-fixed markers, sorted by body, so sines are computed once per body."""
    last, c, s = np.uint32(0), 1.0, 0.0
    for m in range(body.shape[0]):
        i = 3 * body[m]
        if m == 0 or body[m] != last:
            c, s = np.cos(q[i + 2]), np.sin(q[i + 2])
            last = body[m]
        x, y = local[m, 0], local[m, 1]
        sx, sy = c * x - s * y, s * x + c * y
        frames[m, SX], frames[m, SY] = sx, sy
        frames[m, PX], frames[m, PY] = q[i] + sx, q[i + 1] + sy
        frames[m, FX], frames[m, FY] = c * local[m, 2] - s * local[m, 3], s * local[m, 2] + c * local[m, 3]
        frames[m, THETA] = q[i + 2] + local[m, 4]


@kernel(once=True)
def _move_markers(body, v, frames):
    """Velocities, and accelerations at zero coordinate accelerations."""
    for m in range(body.shape[0]):
        i = 3 * body[m]
        w, sx, sy = v[i + 2], frames[m, SX], frames[m, SY]
        frames[m, VX], frames[m, VY] = v[i] - w * sy, v[i + 1] + w * sx
        frames[m, CX], frames[m, CY] = -w * w * sx, -w * w * sy
        frames[m, OMEGA] = w


@kernel(internal=True, inline=True)
def along(a, b, nx, ny, frames, m, jac):
    """The columns of n . (P_b - P_a) with constant n: a force n on b, -n on a."""
    jac[m, 0], jac[m, 1], jac[m, 2] = -nx, -ny, nx * frames[a, SY] - ny * frames[a, SX]
    jac[m, 3], jac[m, 4], jac[m, 5] = nx, ny, ny * frames[b, SX] - nx * frames[b, SY]
    jac[m, 6] = -nx * frames[a, TX] - ny * frames[a, TY]
    jac[m, 7] = nx * frames[b, TX] + ny * frames[b, TY]


@kernel(internal=True, inline=True)
def _turning(a, b, factor, frames, m, jac):
    """The columns of factor * (theta_b - theta_a)."""
    jac[m, 0], jac[m, 1], jac[m, 2] = 0.0, 0.0, -factor
    jac[m, 3], jac[m, 4], jac[m, 5] = 0.0, 0.0, factor
    jac[m, 6], jac[m, 7] = -factor * frames[a, KAPPA], factor * frames[b, KAPPA]


@kernel(internal=True, inline=True)
def axis(marker, axis, frames):
    """The x axis (0) or y axis (1) of a marker."""
    fx, fy = frames[marker, FX], frames[marker, FY]
    return (fx, fy) if axis == 0 else (-fy, fx)


@kernel(internal=True, inline=True)
def between(a, b, column, frames):
    """A vector of b minus that of a: points, velocities, or accelerations at zero coordinate accelerations."""
    return frames[b, column] - frames[a, column], frames[b, column + 1] - frames[a, column + 1]


@kernel(once=True)
def _coordinates(ends, start, stop, frames, z, jac):
    """z = e . P_b or, of two points, e . (P_b - P_a), with e a global axis."""
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], ends[m, 3]
        along(a, b, 1.0 - k, 1.0 * k, frames, m, jac)
        z[m, 0] = frames[b, PX + k]
        if a != b:
            z[m, 0] -= frames[a, PX + k]
        else:
            jac[m, 0], jac[m, 1], jac[m, 2], jac[m, 6] = 0.0, 0.0, 0.0, 0.0


@kernel(once=True)
def _coordinate_rates(ends, start, stop, frames, z):
    for m in range(start, stop):
        a, b, k = ends[m, 0], ends[m, 1], ends[m, 3]
        z[m, 1], z[m, 2] = frames[b, VX + k], frames[b, CX + k]
        if a != b:
            z[m, 1] -= frames[a, VX + k]
            z[m, 2] -= frames[a, CX + k]


@kernel(once=True)
def _angles(ends, start, stop, frames, z, jac):
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        _turning(a, b, 1.0, frames, m, jac)
        z[m, 0] = frames[b, THETA] - frames[a, THETA]


@kernel(once=True)
def _angle_rates(ends, start, stop, frames, z):
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        z[m, 1], z[m, 2] = frames[b, OMEGA] - frames[a, OMEGA], frames[b, BIAS] - frames[a, BIAS]


@kernel(once=True)
def _lengths(ends, start, stop, frames, z, jac):
    """l = |d|, n = d / l."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        dx, dy = between(a, b, PX, frames)
        length = np.sqrt(dx * dx + dy * dy)
        # Coincident points have no direction; use any until the next iterate separates them.
        nx, ny = (dx / length, dy / length) if length > 0.0 else (1.0, 0.0)
        along(a, b, nx, ny, frames, m, jac)
        z[m, 0] = length


@kernel(once=True)
def _length_rates(ends, start, stop, frames, z, jac):
    """l' = n . d',  bias n . c + (d' . d' - l'^2) / l."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        nx, ny = jac[m, 3], jac[m, 4]
        ux, uy = between(a, b, VX, frames)
        cx, cy = between(a, b, CX, frames)
        rate = nx * ux + ny * uy
        swing = (ux * ux + uy * uy - rate * rate) / z[m, 0] if z[m, 0] > 0.0 else 0.0
        z[m, 1], z[m, 2] = rate, nx * cx + ny * cy + swing


@kernel(once=True)
def _components(ends, start, stop, frames, z, jac):
    """z = e . d with e an axis of a."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        ex, ey = axis(a, ends[m, 2], frames)
        dx, dy = between(a, b, PX, frames)
        turn = ex * dy - ey * dx  # perp(e) . d
        along(a, b, ex, ey, frames, m, jac)
        jac[m, 2] += turn
        jac[m, 6] += frames[a, KAPPA] * turn
        z[m, 0] = ex * dx + ey * dy


@kernel(once=True)
def _component_rates(ends, start, stop, frames, z, jac):
    """The axis rotates: e' = omega perp(e)."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        ex, ey = jac[m, 3], jac[m, 4]
        dx, dy = between(a, b, PX, frames)
        ux, uy = between(a, b, VX, frames)
        cx, cy = between(a, b, CX, frames)
        w, turn = frames[a, OMEGA], ex * dy - ey * dx
        z[m, 1] = ex * ux + ey * uy + w * turn
        z[m, 2] = ex * cx + ey * cy + 2.0 * w * (ex * uy - ey * ux) - w * w * z[m, 0] + frames[a, BIAS] * turn


@kernel(once=True)
def _dots(ends, start, stop, frames, z, jac):
    """z = e_a . e_b = p(theta_b - theta_a) with p' = e_a . perp(e_b)."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        ax, ay = axis(a, ends[m, 2], frames)
        bx, by = axis(b, ends[m, 3], frames)
        _turning(a, b, ay * bx - ax * by, frames, m, jac)
        z[m, 0] = ax * bx + ay * by


@kernel(once=True)
def _dot_rates(ends, start, stop, frames, z, jac):
    """p'' = -p."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        slope, w = jac[m, 5], frames[b, OMEGA] - frames[a, OMEGA]
        z[m, 1] = slope * w
        z[m, 2] = slope * (frames[b, BIAS] - frames[a, BIAS]) - z[m, 0] * w * w


@kernel(once=True)
def _bearings(ends, start, stop, reference, frames, z, jac):
    """z = direction of d minus theta_a, on the turn nearest the reference; n = perp(d) / d^2."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        dx, dy = between(a, b, PX, frames)
        square = max(dx * dx + dy * dy, 1e-300)  # coincident points have no direction
        value = math.atan2(dy, dx) - frames[a, THETA]
        nearest = reference[m] if reference[m] == reference[m] else 0.0  # NaN: no reference yet
        along(a, b, -dy / square, dx / square, frames, m, jac)
        jac[m, 2] -= 1.0
        jac[m, 6] -= frames[a, KAPPA]
        z[m, 0] = value + 2.0 * math.pi * np.floor((nearest - value) / (2.0 * math.pi) + 0.5)


@kernel(once=True)
def _bearing_rates(ends, start, stop, frames, z, jac):
    """(n . d')' at zero accelerations: n . c - 2 (d . d' / d^2) (n . d')."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        nx, ny = jac[m, 3], jac[m, 4]
        ux, uy = between(a, b, VX, frames)
        cx, cy = between(a, b, CX, frames)
        rate, spread = nx * ux + ny * uy, ny * ux - nx * uy
        z[m, 1] = rate - frames[a, OMEGA]
        z[m, 2] = nx * cx + ny * cy - 2.0 * spread * rate - frames[a, BIAS]


register(
    PlanarGeometry,
    planar_positions,
    planar_velocities,
    planar_advance,
    planar_displacement,
    planar_step_rates,
    planar_inertia,
    planar_masses,
    planar_rates,
    planar_normalize,
    planar_rates,
    planar_modal_energy,
)
