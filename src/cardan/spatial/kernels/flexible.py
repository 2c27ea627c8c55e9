"""Flexible spatial bodies in compiled form: markers that move with modes, inertia, and the mass matrix.

With y = x + psi eta, omega' and alpha' in body axes, and integrals over the mass (see `cardan.model.flexible_part`)

    S = S_0 + C eta         E_k = D_k0 + sum_l D_kl eta_l          H_k = H0_k + int (psi eta) x psi_k
    J = J_0 + tr dD I - dD,      dD = sum_k eta_k (E_k + D_0k)     a' = A^T (r'' - g)

    F'  = m a' + alpha' x S + C eta'' + omega' x (omega' x S) + 2 omega' x S'
    n'  = S x a' + J alpha' + H eta'' + omega' x J omega' + J' omega' + omega' x H eta'
    Q_k = C_k . a' + H_k . alpha' + M_kl eta_l'' + omega'^T E_k omega' - omega'^2 tr E_k + 2 omega' . sum_l eta_l' h_lk

h_lk = int psi_l x psi_k. Geometric stiffening adds second-order displacements in the terms that are linear in them:
G_S eta to C, the transpose of G_D eta to E, and to F' and n' what these contribute by eta'^2. Elastic and damping
forces are laws along modal coordinates: see `cardan.model.flexible.elasticity`.

A wrench (n, tau) at a marker is psi^T n' + (Lambda rho)^T tau' on the modes, Lambda = I + b1 ~theta + b2 ~theta~theta.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import tangent_coefficients, versine_coefficient
from cardan.spatial.kernels.columns import ALPHA, OMEGA, A, C, P, S, V, X

SPATIAL_ENTRIES = 21  # of the lower triangle of a body's mass matrix
SPATIAL_FIXED = 13  # numbers of a part before those of its modes: 1 / m, S_0, J_0


class SpatialFlexible(NamedTuple):
    """The flexible bodies and the markers that move with their modes: see `cardan.model.flexible.marker_lists`."""

    bodies: np.ndarray
    markers: np.ndarray
    ends: np.ndarray
    readings: np.ndarray
    numbers: np.ndarray  # as in `part_numbers` of `cardan.spatial.flexible_tables`
    shapes: np.ndarray
    scratch: np.ndarray
    address: np.ndarray  # uint64[7]: of the kernels, as `flexible_table` lists them; 0 if there is no flexible body
    energy: np.ndarray  # float64[1]


@kernel(internal=True)
def deform_markers(flexible, q, frames):
    """Move the markers from the undeformed part to where eta places them, and turn their axes."""
    markers, bodies, shapes, kept = flexible.markers, flexible.bodies, flexible.shapes, flexible.scratch
    for k in range(markers.shape[0]):
        m, b, first, at = markers[k, 0], markers[k, 1], int(markers[k, 2]), int(markers[k, 3])
        n, eta = int(bodies[b, 1]), int(bodies[b, 2])
        own = at + 6 + 3 * n
        for i in range(3 * n):
            kept[own + i] = shapes[first + i]
        if markers[k, 5]:  # psi_k + Gamma_kl eta_l
            for j in range(n):
                for i in range(3 * n):
                    kept[own + i] += shapes[first + 6 * n + 3 * n * j + i] * q[eta + j]
        for c in range(3):
            kept[at + c], kept[at + 3 + c] = 0.0, 0.0
            for i in range(n):
                kept[at + c] += 0.5 * (shapes[first + c * n + i] + kept[own + c * n + i]) * q[eta + i]
        for c in range(3):
            row = A + 3 * c
            moved = frames[m, row] * kept[at] + frames[m, row + 1] * kept[at + 1] + frames[m, row + 2] * kept[at + 2]
            frames[m, S + c] += moved
            frames[m, P + c] += moved
        if markers[k, 4]:
            for c in range(3):
                for i in range(n):
                    kept[at + 3 + c] += shapes[first + (3 + c) * n + i] * q[eta + i]
            _turn(frames, m, kept, at + 3)
            _turn_modes(shapes, first + 3 * n, n, kept, at + 3, at + 6)
    return 0


@kernel(internal=True)
def _turn(frames, m, kept, at):
    """Rotate the axes of a marker by the rotation vector theta in body axes."""
    x, y, z = kept[at], kept[at + 1], kept[at + 2]
    wx = frames[m, A] * x + frames[m, A + 1] * y + frames[m, A + 2] * z
    wy = frames[m, A + 3] * x + frames[m, A + 4] * y + frames[m, A + 5] * z
    wz = frames[m, A + 6] * x + frames[m, A + 7] * y + frames[m, A + 8] * z
    square = x * x + y * y + z * z
    b2, _, _ = tangent_coefficients(square)
    sine, versine = 1.0 - square * b2, versine_coefficient(square)
    for axis in range(X, X + 9, 3):
        ex, ey, ez = frames[m, axis], frames[m, axis + 1], frames[m, axis + 2]
        kx, ky, kz = wy * ez - wz * ey, wz * ex - wx * ez, wx * ey - wy * ex
        frames[m, axis] = ex + sine * kx + versine * (wy * kz - wz * ky)
        frames[m, axis + 1] = ey + sine * ky + versine * (wz * kx - wx * kz)
        frames[m, axis + 2] = ez + sine * kz + versine * (wx * ky - wy * kx)


@kernel(internal=True)
def _turn_modes(shapes, first, n, kept, at, target):
    """Lambda(theta) rho, component by component."""
    x, y, z = kept[at], kept[at + 1], kept[at + 2]
    square = x * x + y * y + z * z
    b1, (b2, _, _) = versine_coefficient(square), tangent_coefficients(square)
    for i in range(n):
        px, py, pz = shapes[first + i], shapes[first + n + i], shapes[first + 2 * n + i]
        kx, ky, kz = y * pz - z * py, z * px - x * pz, x * py - y * px
        kept[target + i] = px + b1 * kx + b2 * (y * kz - z * ky)
        kept[target + n + i] = py + b1 * ky + b2 * (z * kx - x * kz)
        kept[target + 2 * n + i] = pz + b1 * kz + b2 * (x * ky - y * kx)


@kernel(internal=True)
def modal_columns(flexible, q, frames, z, jac):
    """The columns of the modes of both ends, from the wrench that the columns of the bodies contain; modal
    coordinates."""
    ends, markers, bodies, kept = flexible.ends, flexible.markers, flexible.bodies, flexible.scratch
    most = (jac.shape[1] - 14) // 2
    for k in range(ends.shape[0]):
        m, side, j = ends[k, 0], int(ends[k, 1]), ends[k, 2]
        f, b, at = markers[j, 0], markers[j, 1], int(markers[j, 3])
        n, body, column = int(bodies[b, 1]), 6 * side, 14 + side * most
        fx, fy, fz = jac[m, body], jac[m, body + 1], jac[m, body + 2]
        px, py, pz = _in_body(frames, f, fx, fy, fz)
        x, y, w = _in_body(frames, f, frames[f, S], frames[f, S + 1], frames[f, S + 2])
        tx = jac[m, body + 3] - (y * pz - w * py)
        ty = jac[m, body + 4] - (w * px - x * pz)
        tz = jac[m, body + 5] - (x * py - y * px)
        own = at + 6 + 3 * n
        for i in range(n):
            jac[m, column + i] = kept[own + i] * px + kept[own + n + i] * py + kept[own + 2 * n + i] * pz
        if markers[j, 4]:
            for i in range(n):
                i0 = at + 6 + i
                jac[m, column + i] += kept[i0] * tx + kept[i0 + n] * ty + kept[i0 + 2 * n] * tz
    readings = flexible.readings
    for k in range(readings.shape[0]):
        m = readings[k, 0]
        for c in range(13):
            jac[m, c] = 0.0
        z[m, 0], jac[m, 13] = q[readings[k, 1]], 1.0
    return 0


@kernel(internal=True, inline=True)
def _in_body(frames, m, x, y, z):
    """A global vector in the axes of the marker's body."""
    return (
        frames[m, A] * x + frames[m, A + 3] * y + frames[m, A + 6] * z,
        frames[m, A + 1] * x + frames[m, A + 4] * y + frames[m, A + 7] * z,
        frames[m, A + 2] * x + frames[m, A + 5] * y + frames[m, A + 8] * z,
    )


@kernel(internal=True)
def move_with_modes(flexible, v, frames):
    """Add the motion of the modes: V += A psi eta', C += 2 omega x A psi eta', omega += A Lambda theta'."""
    markers, bodies, shapes, kept = flexible.markers, flexible.bodies, flexible.shapes, flexible.scratch
    for k in range(markers.shape[0]):
        m, b, first, at = markers[k, 0], markers[k, 1], int(markers[k, 2]), int(markers[k, 3])
        n, eta = int(bodies[b, 1]), int(bodies[b, 3])
        ux, uy, uz = _along(kept, at + 6 + 3 * n, n, v, eta)
        ux, uy, uz = _in_world(frames, m, ux, uy, uz)
        wx, wy, wz = frames[m, OMEGA], frames[m, OMEGA + 1], frames[m, OMEGA + 2]
        frames[m, V] += ux
        frames[m, V + 1] += uy
        frames[m, V + 2] += uz
        frames[m, C] += 2.0 * (wy * uz - wz * uy)
        frames[m, C + 1] += 2.0 * (wz * ux - wx * uz)
        frames[m, C + 2] += 2.0 * (wx * uy - wy * ux)
        if markers[k, 5]:
            for j in range(n):
                by = v[eta + j]
                ax, ay, az = _along(shapes, first + 6 * n + 3 * n * j, n, v, eta)
                ax, ay, az = _in_world(frames, m, ax * by, ay * by, az * by)
                frames[m, C] += ax
                frames[m, C + 1] += ay
                frames[m, C + 2] += az
        if markers[k, 4]:
            dx, dy, dz = _along(shapes, first + 3 * n, n, v, eta)
            x, y, z = kept[at + 3], kept[at + 4], kept[at + 5]
            square, s = x * x + y * y + z * z, x * dx + y * dy + z * dz
            b1, (b2, c1, c2) = versine_coefficient(square), tangent_coefficients(square)
            kx, ky, kz = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
            tx, ty, tz = dx + b1 * kx, dy + b1 * ky, dz + b1 * kz
            tx, ty, tz = tx + b2 * (y * kz - z * ky), ty + b2 * (z * kx - x * kz), tz + b2 * (x * ky - y * kx)
            # Lambda' theta' = c1 s theta x theta' + (c2 s theta + b2 theta') x (theta x theta')
            px, py, pz = c2 * s * x + b2 * dx, c2 * s * y + b2 * dy, c2 * s * z + b2 * dz
            ax, ay, az = (
                c1 * s * kx + py * kz - pz * ky,
                c1 * s * ky + pz * kx - px * kz,
                c1 * s * kz + px * ky - py * kx,
            )
            tx, ty, tz = _in_world(frames, m, tx, ty, tz)
            ax, ay, az = _in_world(frames, m, ax, ay, az)
            frames[m, ALPHA] = ax + wy * tz - wz * ty
            frames[m, ALPHA + 1] = ay + wz * tx - wx * tz
            frames[m, ALPHA + 2] = az + wx * ty - wy * tx
            frames[m, OMEGA] += tx
            frames[m, OMEGA + 1] += ty
            frames[m, OMEGA + 2] += tz
    return 0


@kernel(internal=True)
def modal_rates(flexible, v, z, jac):
    """Rates of modal coordinates, and what modes add to rates that are jac v."""
    readings, ends, markers, bodies = flexible.readings, flexible.ends, flexible.markers, flexible.bodies
    for k in range(readings.shape[0]):
        z[readings[k, 0], 1], z[readings[k, 0], 2] = v[readings[k, 2]], 0.0
    most = (jac.shape[1] - 14) // 2
    for k in range(ends.shape[0]):
        if ends[k, 3]:
            m, b = ends[k, 0], markers[ends[k, 2], 1]
            column, eta = 14 + int(ends[k, 1]) * most, int(bodies[b, 3])
            for i in range(int(bodies[b, 1])):
                z[m, 1] += jac[m, column + i] * v[eta + i]
    return 0


@kernel(internal=True)
def _along(shapes, first, n, v, eta):
    """A shape times speeds of modes."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(n):
        x += shapes[first + i] * v[eta + i]
        y += shapes[first + n + i] * v[eta + i]
        z += shapes[first + 2 * n + i] * v[eta + i]
    return x, y, z


@kernel(internal=True, inline=True)
def _in_world(frames, m, x, y, z):
    """A vector in the axes of the marker's body in global axes."""
    return (
        frames[m, A] * x + frames[m, A + 1] * y + frames[m, A + 2] * z,
        frames[m, A + 3] * x + frames[m, A + 4] * y + frames[m, A + 5] * z,
        frames[m, A + 6] * x + frames[m, A + 7] * y + frames[m, A + 8] * z,
    )
