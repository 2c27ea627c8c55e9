"""Inertia forces and mass matrices of planar bodies; those of flexible bodies are called by address."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel


@kernel
def planar_inertia(geometry, matter, gravity, q, v, a, out):
    """F = m (g - r'' - perp(c) phi'' + c phi'^2), n = perp(c) . F - J phi'', with c = A c' to the mass center."""
    for k in range(matter.shape[0]):
        i = 3 * k
        c, s, w, turn = np.cos(q[i + 2]), np.sin(q[i + 2]), v[i + 2], a[i + 2]
        cx, cy = c * matter[k, 1] - s * matter[k, 2], s * matter[k, 1] + c * matter[k, 2]
        fx = matter[k, 0] * (gravity[0] - a[i] + cy * turn + cx * w * w)
        fy = matter[k, 0] * (gravity[1] - a[i + 1] - cx * turn + cy * w * w)
        out[i], out[i + 1], out[i + 2] = fx, fy, cx * fy - cy * fx - matter[k, 3] * turn
    for i in range(3 * matter.shape[0], out.shape[0]):
        out[i] = 0.0  # internal coordinates of contacts have no inertia
    flexible = geometry.flexible
    if flexible.address[4] != 0:
        call_pointer(flexible.address[4], (flexible, matter, gravity, q, v, a, out))
    if geometry.rotors.address[0] != 0:
        call_pointer(geometry.rotors.address[0], (geometry.rotors, q, v, a, out))


@kernel
def planar_masses(geometry, matter, q, out):
    """[[m, 0, -m c_y], [0, m, m c_x], [., ., J + m c^2]] with c = A c' from the body's origin to its mass center."""
    for k in range(matter.shape[0]):
        m, x, y = matter[k, 0], matter[k, 1], matter[k, 2]
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = m, 0.0, m, 0.0, 0.0
        out[k, 5] = matter[k, 3] + m * (x * x + y * y)
        if x != 0.0 or y != 0.0:
            c, s = np.cos(q[3 * k + 2]), np.sin(q[3 * k + 2])
            out[k, 3], out[k, 4] = -m * (s * x + c * y), m * (c * x - s * y)
    flexible = geometry.flexible
    if flexible.address[5] != 0:
        call_pointer(flexible.address[5], (flexible, matter, q, out))
    if geometry.rotors.address[1] != 0:
        call_pointer(geometry.rotors.address[1], (geometry.rotors, q, out))


@kernel
def planar_modal_energy(geometry, mass, v):
    """The kinetic energy that involves speeds of modes, or two bodies between which rotors turn."""
    flexible, rotors, energy = geometry.flexible, geometry.rotors, 0.0
    if flexible.address[6] != 0:
        flexible.energy[0] = 0.0
        call_pointer(flexible.address[6], (flexible, mass, v, flexible.energy))
        energy = flexible.energy[0]
    if rotors.address[2] != 0:
        call_pointer(rotors.address[2], (rotors, mass, v))
        energy += rotors.scratch[6]
    return energy
