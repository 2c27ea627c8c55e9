"""Flexible planar bodies in compiled form: markers that move with modes, inertia, and the mass matrix.

In body axes, with y = x + psi eta, w = phi' and perp(a) = (-a_y, a_x); see `cardan.spatial.kernels.flexible`:

    S = S_0 + C eta         t_k = int psi_k . y        H_k = int y x psi_k        J = J_0 + sum_k eta_k (t_k + t0_k)

    F'  = m a' + perp(S) phi'' + C eta'' - w^2 S + 2 w perp(S')              a' = A^T (r'' - g)
    n   = S x a' + J phi'' + H eta'' + 2 w sum_k t_k eta_k'
    Q_k = C_k . a' + H_k phi'' + M_kl eta_l'' - w^2 t_k + 2 w sum_l eta_l' h_lk

A force n at a marker and a torque tau are psi^T A^T n + rho tau on the modes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.planar.kernels.columns import BIAS, CX, CY, FX, FY, OMEGA, PX, PY, SX, SY, THETA, VX, VY

PLANAR_ENTRIES = 6  # of the lower triangle of a body's mass matrix
PLANAR_FIXED = 4  # numbers of a part before those of its modes: 1 / m, S_0, J_0
PLANAR_SCRATCH = 5  # numbers of scratch memory per mode: C (2), H, t, and sums over modal speeds
PLANAR_VECTORS = 3  # and those that do not depend on the number of modes: S (2), J


class PlanarFlexible(NamedTuple):
    """The flexible bodies and the markers that move with their modes: see `cardan.model.flexible.marker_lists`."""

    bodies: np.ndarray
    markers: np.ndarray
    ends: np.ndarray
    readings: np.ndarray
    numbers: np.ndarray  # as in `part_numbers` of `cardan.planar.flexible_tables`
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
        n, eta, own = int(bodies[b, 1]), int(bodies[b, 2]), at + 2
        angle = q[3 * int(bodies[b, 0]) + 2]
        c, s = np.cos(angle), np.sin(angle)
        kept[at], kept[at + 1] = c, s
        for i in range(2 * n):
            kept[own + i] = shapes[first + i]
        if markers[k, 5]:  # psi_k + Gamma_kl eta_l
            for j in range(n):
                for i in range(2 * n):
                    kept[own + i] += shapes[first + 3 * n + 2 * n * j + i] * q[eta + j]
        x, y, turn = 0.0, 0.0, 0.0
        for i in range(n):
            x += 0.5 * (shapes[first + i] + kept[own + i]) * q[eta + i]
            y += 0.5 * (shapes[first + n + i] + kept[own + n + i]) * q[eta + i]
            turn += shapes[first + 2 * n + i] * q[eta + i]
        x, y = c * x - s * y, s * x + c * y
        frames[m, SX] += x
        frames[m, SY] += y
        frames[m, PX] += x
        frames[m, PY] += y
        if markers[k, 4]:
            frames[m, THETA] += turn
            c, s, fx, fy = np.cos(turn), np.sin(turn), frames[m, FX], frames[m, FY]
            frames[m, FX], frames[m, FY] = c * fx - s * fy, s * fx + c * fy
    return 0


@kernel(internal=True)
def modal_columns(flexible, q, frames, z, jac):
    """The columns of the modes of both ends, from the force that the columns of the bodies contain; modal
    coordinates."""
    ends, markers, bodies, shapes, kept = (
        flexible.ends, flexible.markers, flexible.bodies, flexible.shapes, flexible.scratch,
    )  # fmt: skip
    most = (jac.shape[1] - 8) // 2
    for k in range(ends.shape[0]):
        m, side, j = ends[k, 0], int(ends[k, 1]), ends[k, 2]
        f, b, first, at = markers[j, 0], markers[j, 1], int(markers[j, 2]), int(markers[j, 3])
        n, body, column, own = int(bodies[b, 1]), 3 * side, 8 + side * most, at + 2
        c, s, fx, fy = kept[at], kept[at + 1], jac[m, body], jac[m, body + 1]
        torque = jac[m, body + 2] - (frames[f, SX] * fy - frames[f, SY] * fx)
        x, y = c * fx + s * fy, c * fy - s * fx
        for i in range(n):
            jac[m, column + i] = kept[own + i] * x + kept[own + n + i] * y + shapes[first + 2 * n + i] * torque
    readings = flexible.readings
    for k in range(readings.shape[0]):
        m = readings[k, 0]
        for c in range(7):
            jac[m, c] = 0.0
        z[m, 0], jac[m, 7] = q[readings[k, 1]], 1.0
    return 0


@kernel(internal=True)
def move_with_modes(flexible, v, frames):
    """Add the motion of modes: velocity A psi eta', acceleration 2 w perp(A psi eta'), angular velocity rho eta'."""
    markers, bodies, shapes, kept = flexible.markers, flexible.bodies, flexible.shapes, flexible.scratch
    for k in range(markers.shape[0]):
        m, b, first, at = markers[k, 0], markers[k, 1], int(markers[k, 2]), int(markers[k, 3])
        n, eta, own, w = int(bodies[b, 1]), int(bodies[b, 3]), at + 2, frames[m, OMEGA]
        c, s, x, y, turn, ax, ay = kept[at], kept[at + 1], 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            x += kept[own + i] * v[eta + i]
            y += kept[own + n + i] * v[eta + i]
            turn += shapes[first + 2 * n + i] * v[eta + i]
        if markers[k, 5]:
            for j in range(n):
                for i in range(n):
                    both, curved = v[eta + i] * v[eta + j], first + 3 * n + 2 * n * j
                    ax += shapes[curved + i] * both
                    ay += shapes[curved + n + i] * both
        x, y = c * x - s * y, s * x + c * y
        frames[m, VX] += x
        frames[m, VY] += y
        frames[m, CX] += c * ax - s * ay - 2.0 * w * y
        frames[m, CY] += s * ax + c * ay + 2.0 * w * x
        frames[m, OMEGA] += turn
        frames[m, BIAS] = 0.0
    return 0


@kernel(internal=True)
def modal_rates(flexible, v, z, jac):
    """Rates of modal coordinates, and what modes add to rates that are jac v."""
    readings, ends, markers, bodies = flexible.readings, flexible.ends, flexible.markers, flexible.bodies
    for k in range(readings.shape[0]):
        z[readings[k, 0], 1], z[readings[k, 0], 2] = v[readings[k, 2]], 0.0
    most = (jac.shape[1] - 8) // 2
    for k in range(ends.shape[0]):
        if ends[k, 3]:
            m, b = ends[k, 0], markers[ends[k, 2], 1]
            column, eta = 8 + int(ends[k, 1]) * most, int(bodies[b, 3])
            for i in range(int(bodies[b, 1])):
                z[m, 1] += jac[m, column + i] * v[eta + i]
    return 0


@kernel(internal=True)
def _shape(numbers, first, n, stiffened, q, eta, kept):
    """C, H, t, then S and J of the deformed part."""
    h, t, s = 2 * n, 3 * n, PLANAR_SCRATCH * n
    coupling = first + PLANAR_FIXED
    turning, linear = coupling + 2 * n, coupling + 3 * n
    square = linear + n + n * (n + 1) // 2
    curved = square + 3 * n * n
    for i in range(2 * n):
        kept[i] = numbers[coupling + i]
    for i in range(n):
        kept[h + i], kept[t + i] = numbers[turning + i], numbers[linear + i]
    for k in range(n):
        by, at = q[eta + k], square + n * k
        for i in range(n):
            kept[t + i] += numbers[at + i] * by
            kept[h + i] += numbers[at + n * n + i] * by
    if stiffened:
        for k in range(n):
            by, at = q[eta + k], curved + 2 * n * k
            for i in range(2 * n):
                kept[i] += numbers[at + i] * by
    kept[s], kept[s + 1], kept[s + 2] = numbers[first + 1], numbers[first + 2], numbers[first + 3]
    for k in range(n):
        by = q[eta + k]
        kept[s] += 0.5 * (numbers[coupling + 2 * k] + kept[2 * k]) * by
        kept[s + 1] += 0.5 * (numbers[coupling + 2 * k + 1] + kept[2 * k + 1]) * by
        kept[s + 2] += (numbers[linear + k] + kept[t + k]) * by


@kernel(internal=True)
def flexible_inertia(flexible, matter, gravity, q, v, a, out):
    """Weight and inertia forces of flexible bodies and of their modes, in place of those of the undeformed bodies."""
    bodies, numbers, kept = flexible.bodies, flexible.numbers, flexible.scratch
    for b in range(bodies.shape[0]):
        body, n, first, stiffened = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 4]), bodies[b, 6]
        eta, speed, j = int(bodies[b, 2]), int(bodies[b, 3]), 3 * body
        scale = matter[body, 0] * numbers[first]  # of all integrals: 1, unless the mass was changed
        _shape(numbers, first, n, stiffened, q, eta, kept)
        c, s, w, turn = np.cos(q[j + 2]), np.sin(q[j + 2]), v[j + 2], a[j + 2]
        gx, gy = a[j] - gravity[0], a[j + 1] - gravity[1]
        gx, gy = c * gx + s * gy, c * gy - s * gx
        h, t, o = 2 * n, 3 * n, PLANAR_SCRATCH * n
        x, y, m = kept[o], kept[o + 1], 1.0 / numbers[first]
        fx, fy = m * gx - y * turn - w * w * x, m * gy + x * turn - w * w * y
        torque = x * gy - y * gx + kept[o + 2] * turn
        for k in range(n):
            one, two = v[speed + k], a[speed + k]
            fx += kept[2 * k] * two - 2.0 * w * kept[2 * k + 1] * one
            fy += kept[2 * k + 1] * two + 2.0 * w * kept[2 * k] * one
            torque += kept[h + k] * two + 2.0 * w * kept[t + k] * one
        masses = first + PLANAR_FIXED + 4 * n
        gyro = masses + n * (n + 1) // 2 + 2 * n * n
        if stiffened:
            curved = gyro + n * n
            for k in range(n):
                for i in range(n):
                    both, at = v[speed + k] * v[speed + i], n * k + i
                    fx += numbers[curved + 2 * at] * both
                    fy += numbers[curved + 2 * at + 1] * both
                    torque += numbers[curved + 2 * n * n + at] * both
        out[j], out[j + 1] = -scale * (c * fx - s * fy), -scale * (s * fx + c * fy)
        out[j + 2] = -scale * torque
        for i in range(n):
            kept[4 * n + i] = 0.0
        for k in range(n):
            for i in range(n):
                kept[4 * n + i] += numbers[gyro + n * k + i] * v[speed + k]
        for k in range(n):
            force = kept[2 * k] * gx + kept[2 * k + 1] * gy + kept[h + k] * turn - w * w * kept[t + k]
            out[speed + k] = -scale * (force + 2.0 * w * kept[4 * n + k])
        place = masses
        for k in range(n):
            for i in range(k):
                entry = scale * numbers[place + i]
                out[speed + k] -= entry * a[speed + i]
                out[speed + i] -= entry * a[speed + k]
            out[speed + k] -= scale * numbers[place + k] * a[speed + k]
            place += k + 1
    return 0


@kernel(internal=True)
def flexible_masses(flexible, matter, q, out):
    """The mass matrix of flexible bodies: their own block, then for each mode A C_k and H_k, then M."""
    bodies, numbers, kept = flexible.bodies, flexible.numbers, flexible.scratch
    for b in range(bodies.shape[0]):
        body, n, first, stiffened = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 4]), bodies[b, 6]
        _shape(numbers, first, n, stiffened, q, int(bodies[b, 2]), kept)
        scale = matter[body, 0] * numbers[first]
        c, s, o = np.cos(q[3 * body + 2]), np.sin(q[3 * body + 2]), PLANAR_SCRATCH * n
        x, y = scale * kept[o], scale * kept[o + 1]
        out[body, 3], out[body, 4], out[body, 5] = -(s * x + c * y), c * x - s * y, scale * kept[o + 2]
        at = int(bodies[b, 5])
        for k in range(n):
            x, y = scale * kept[2 * k], scale * kept[2 * k + 1]
            for i in range(3):
                p = at + 3 * k + i
                entry = c * x - s * y if i == 0 else (s * x + c * y if i == 1 else scale * kept[2 * n + k])
                out[p // PLANAR_ENTRIES, p % PLANAR_ENTRIES] = entry
        masses = first + PLANAR_FIXED + 4 * n
        for k in range(n * (n + 1) // 2):
            p = at + 3 * n + k
            out[p // PLANAR_ENTRIES, p % PLANAR_ENTRIES] = scale * numbers[masses + k]
    return 0


@kernel(internal=True)
def modal_energy(flexible, mass, v, energy):
    """Add the kinetic energy that involves modal speeds, from the mass matrix of `flexible_masses`."""
    bodies = flexible.bodies
    for b in range(bodies.shape[0]):
        body, n, speed, at = int(bodies[b, 0]), int(bodies[b, 1]), int(bodies[b, 3]), int(bodies[b, 5])
        for k in range(n):
            momentum = 0.0
            for i in range(3):
                p = at + 3 * k + i
                momentum += mass[p // PLANAR_ENTRIES, p % PLANAR_ENTRIES] * v[3 * body + i]
            for j in range(k + 1):
                p = at + 3 * n + k * (k + 1) // 2 + j
                momentum += (0.5 if j == k else 1.0) * mass[p // PLANAR_ENTRIES, p % PLANAR_ENTRIES] * v[speed + j]
            energy[0] += momentum * v[speed + k]
    return 0
