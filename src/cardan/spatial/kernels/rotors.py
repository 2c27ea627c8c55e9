"""Inertia of rotors that spatial joints turn: see `cardan.model.matter.added_inertia`.

hinge    w_a = [0 | -u'],                 w_b = [0 | A_b^T u]
         z'' = w . a + (omega_a x u) . omega_b
slide    w_a = [-u | u' x A_a^T d],       w_b = [u | s' x A_b^T u],     d = r_b + A_b s' - r_a
         z'' = w . a + u . (omega_b x (omega_b x s)) + 2 (omega_a x u) . d' + (omega_a x (omega_a x u)) . d
"""

from __future__ import annotations

from cardan.model.matter.added_inertia import TURNING_PART
from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.rotation import matrix_rows


@kernel(internal=True)
def _turned(A, x, y, z):
    """A x."""
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


@kernel(internal=True)
def _back(A, x, y, z):
    """A^T x."""
    return A[0] * x + A[3] * y + A[6] * z, A[1] * x + A[4] * y + A[7] * z, A[2] * x + A[5] * y + A[8] * z


@kernel(internal=True)
def _cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel(internal=True)
def _find_row(rotors, r, q):
    """w of a rotor, in scratch: its part for a, then that for b."""
    w, a, b = rotors.scratch, 7 * rotors.body[r, 0], 7 * rotors.body[r, 1]
    A, B = matrix_rows(q, a), matrix_rows(q, b)
    x, y, z = rotors.axis[r, 0], rotors.axis[r, 1], rotors.axis[r, 2]
    ux, uy, uz = _turned(A, x, y, z)
    bx, by, bz = _back(B, ux, uy, uz)
    if rotors.kind[r] == TURNING_PART:
        for i in range(3):
            w[i] = w[6 + i] = 0.0
        w[3], w[4], w[5] = -x, -y, -z
        w[9], w[10], w[11] = bx, by, bz
        return
    sx, sy, sz = rotors.point[r, 0], rotors.point[r, 1], rotors.point[r, 2]
    px, py, pz = _turned(B, sx, sy, sz)
    dx, dy, dz = _back(A, q[b] + px - q[a], q[b + 1] + py - q[a + 1], q[b + 2] + pz - q[a + 2])
    w[0], w[1], w[2] = -ux, -uy, -uz
    w[3], w[4], w[5] = _cross(x, y, z, dx, dy, dz)
    w[6], w[7], w[8] = ux, uy, uz
    w[9], w[10], w[11] = _cross(sx, sy, sz, bx, by, bz)


@kernel(internal=True)
def _bias(rotors, r, q, v):
    """z'' without the accelerations of the bodies."""
    a, b, i, j = 7 * rotors.body[r, 0], 7 * rotors.body[r, 1], 6 * rotors.body[r, 0], 6 * rotors.body[r, 1]
    A, B = matrix_rows(q, a), matrix_rows(q, b)
    ux, uy, uz = _turned(A, rotors.axis[r, 0], rotors.axis[r, 1], rotors.axis[r, 2])
    ox, oy, oz = _turned(A, v[i + 3], v[i + 4], v[i + 5])
    wx, wy, wz = _turned(B, v[j + 3], v[j + 4], v[j + 5])
    cx, cy, cz = _cross(ox, oy, oz, ux, uy, uz)  # u'
    if rotors.kind[r] == TURNING_PART:
        return cx * wx + cy * wy + cz * wz
    px, py, pz = _turned(B, rotors.point[r, 0], rotors.point[r, 1], rotors.point[r, 2])
    dx, dy, dz = q[b] + px - q[a], q[b + 1] + py - q[a + 1], q[b + 2] + pz - q[a + 2]
    sx, sy, sz = _cross(wx, wy, wz, px, py, pz)
    fx, fy, fz = _cross(wx, wy, wz, sx, sy, sz)
    ex, ey, ez = _cross(ox, oy, oz, cx, cy, cz)
    rx, ry, rz = v[j] + sx - v[i], v[j + 1] + sy - v[i + 1], v[j + 2] + sz - v[i + 2]
    moved = ux * fx + uy * fy + uz * fz + 2.0 * (cx * rx + cy * ry + cz * rz)
    return moved + ex * dx + ey * dy + ez * dz


@kernel(internal=True)
def spatial_rotor_inertia(rotors, q, v, a, out):
    """Add -J z'' w of all rotors."""
    w = rotors.scratch
    for r in range(rotors.kind.shape[0]):
        _find_row(rotors, r, q)
        second = _bias(rotors, r, q, v)
        for side in range(2):
            first = 6 * rotors.body[r, side]
            for i in range(6):
                second = second + w[6 * side + i] * a[first + i]
        for side in range(2):
            first = 6 * rotors.body[r, side]
            for i in range(6):
                out[first + i] -= rotors.inertia[r] * second * w[6 * side + i]
    return 0


@kernel(internal=True)
def spatial_rotor_masses(rotors, q, out):
    """Add J w w^T to the blocks of bodies, and write the entries between two bodies."""
    w, size = rotors.scratch, out.shape[1]
    for r in range(rotors.kind.shape[0]):
        _find_row(rotors, r, q)
        for side in range(2):
            body, place = rotors.body[r, side], 0
            for i in range(6 if body else 0):
                for j in range(i + 1):
                    out[body, place] += rotors.inertia[r] * w[6 * side + i] * w[6 * side + j]
                    place += 1
        at = rotors.entry[0] + 36 * r
        for i in range(6):
            for j in range(6):
                out[at // size, at % size] = rotors.inertia[r] * w[6 + i] * w[j]
                at += 1
    return 0


@kernel(internal=True)
def spatial_rotor_energy(rotors, mass, v):
    """The kinetic energy that the entries between two bodies contribute, in the last number of scratch."""
    energy, size = 0.0, mass.shape[1]
    for r in range(rotors.kind.shape[0]):
        a, b, at = 6 * rotors.body[r, 0], 6 * rotors.body[r, 1], rotors.entry[0] + 36 * r
        for i in range(6):
            for j in range(6):
                energy += mass[at // size, at % size] * v[b + i] * v[a + j]
                at += 1
    rotors.scratch[12] = energy
    return 0
