"""Inertia of rotors that planar joints turn: see `cardan.model.matter.added_inertia`.

hinge    w_a = [0, 0, -1],                  w_b = [0, 0, 1],              z'' = w . a
slide    w_a = [-u, perp(u) . d],           w_b = [u, u . perp(s)],       d = r_b + s - r_a,   s = A_b s'
         z'' = w . a - phi_b'^2 u . s + 2 phi_a' perp(u) . d' - phi_a'^2 u . d
"""

from __future__ import annotations

import numpy as np

from cardan.model.matter.added_inertia import TURNING_PART
from cardan.numerics.compiled.jit import kernel


@kernel(internal=True)
def _geometry(rotors, r, q):
    """u, s and d of a slide."""
    a, b = 3 * rotors.body[r, 0], 3 * rotors.body[r, 1]
    c, s = np.cos(q[a + 2]), np.sin(q[a + 2])
    x, y = rotors.axis[r, 0], rotors.axis[r, 1]
    ux, uy = c * x - s * y, s * x + c * y
    c, s = np.cos(q[b + 2]), np.sin(q[b + 2])
    x, y = rotors.point[r, 0], rotors.point[r, 1]
    sx, sy = c * x - s * y, s * x + c * y
    return ux, uy, sx, sy, q[b] + sx - q[a], q[b + 1] + sy - q[a + 1]


@kernel(internal=True)
def _find_row(rotors, r, q):
    """w of a rotor, in scratch: its part for a, then that for b."""
    w = rotors.scratch
    if rotors.kind[r] == TURNING_PART:
        w[0], w[1], w[2], w[3], w[4], w[5] = 0.0, 0.0, -1.0, 0.0, 0.0, 1.0
        return
    ux, uy, sx, sy, dx, dy = _geometry(rotors, r, q)
    w[0], w[1], w[2] = -ux, -uy, ux * dy - uy * dx
    w[3], w[4], w[5] = ux, uy, uy * sx - ux * sy


@kernel(internal=True)
def _bias(rotors, r, q, v):
    """z'' without the accelerations of the bodies."""
    if rotors.kind[r] == TURNING_PART:
        return 0.0 * v[0]
    a, b = 3 * rotors.body[r, 0], 3 * rotors.body[r, 1]
    ux, uy, sx, sy, dx, dy = _geometry(rotors, r, q)
    o, p = v[a + 2], v[b + 2]
    rx, ry = v[b] - p * sy - v[a], v[b + 1] + p * sx - v[a + 1]
    return 2.0 * o * (ux * ry - uy * rx) - p * p * (ux * sx + uy * sy) - o * o * (ux * dx + uy * dy)


@kernel(internal=True)
def planar_rotor_inertia(rotors, q, v, a, out):
    """Add -J z'' w of all rotors."""
    w = rotors.scratch
    for r in range(rotors.kind.shape[0]):
        _find_row(rotors, r, q)
        second = _bias(rotors, r, q, v)
        for side in range(2):
            first = 3 * rotors.body[r, side]
            for i in range(3):
                second = second + w[3 * side + i] * a[first + i]
        for side in range(2):
            first = 3 * rotors.body[r, side]
            for i in range(3):
                out[first + i] -= rotors.inertia[r] * second * w[3 * side + i]
    return 0


@kernel(internal=True)
def planar_rotor_masses(rotors, q, out):
    """Add J w w^T to the blocks of bodies, and write the entries between two bodies."""
    w, size = rotors.scratch, out.shape[1]
    for r in range(rotors.kind.shape[0]):
        _find_row(rotors, r, q)
        for side in range(2):
            body, place = rotors.body[r, side], 0
            for i in range(3 if body else 0):
                for j in range(i + 1):
                    out[body, place] += rotors.inertia[r] * w[3 * side + i] * w[3 * side + j]
                    place += 1
        at = rotors.entry[0] + 9 * r
        for i in range(3):
            for j in range(3):
                out[at // size, at % size] = rotors.inertia[r] * w[3 + i] * w[j]
                at += 1
    return 0


@kernel(internal=True)
def planar_rotor_energy(rotors, mass, v):
    """The kinetic energy that the entries between two bodies contribute, in the last number of scratch."""
    energy, size = 0.0, mass.shape[1]
    for r in range(rotors.kind.shape[0]):
        a, b, at = 3 * rotors.body[r, 0], 3 * rotors.body[r, 1], rotors.entry[0] + 9 * r
        for i in range(3):
            for j in range(3):
                energy += mass[at // size, at % size] * v[b + i] * v[a + j]
                at += 1
    rotors.scratch[6] = energy
    return 0
