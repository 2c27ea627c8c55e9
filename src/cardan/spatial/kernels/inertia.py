"""Inertia forces and mass matrices of spatial bodies; those of flexible bodies are called by address."""

from __future__ import annotations

from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel


@kernel
def spatial_inertia(geometry, matter, gravity, q, v, a, out):
    """F = m (g - r'' - A (alpha' x c' + omega' x (omega' x c'))), n' = c' x A^T F - J' alpha' - omega' x J' omega'."""
    for k in range(matter.shape[0]):
        i, j = 7 * k, 6 * k
        e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
        m, x, y, z = matter[k, 0], matter[k, 1], matter[k, 2], matter[k, 3]
        p, r, s = v[j + 3], v[j + 4], v[j + 5]
        b, c, d = a[j + 3], a[j + 4], a[j + 5]
        ux, uy, uz = r * z - s * y, s * x - p * z, p * y - r * x
        ux, uy, uz = c * z - d * y + r * uz - s * uy, d * x - b * z + s * ux - p * uz, b * y - c * x + p * uy - r * ux
        gx, gy, gz = gravity[0] - a[j], gravity[1] - a[j + 1], gravity[2] - a[j + 2]
        # the same in body axes: A^T (g - r'') - ...
        a11, a12, a13 = 2.0 * (e0 * e0 + e1 * e1) - 1.0, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)
        a21, a22, a23 = 2.0 * (e1 * e2 + e0 * e3), 2.0 * (e0 * e0 + e2 * e2) - 1.0, 2.0 * (e2 * e3 - e0 * e1)
        a31, a32, a33 = 2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 2.0 * (e0 * e0 + e3 * e3) - 1.0
        fx = m * (a11 * gx + a21 * gy + a31 * gz - ux)
        fy = m * (a12 * gx + a22 * gy + a32 * gz - uy)
        fz = m * (a13 * gx + a23 * gy + a33 * gz - uz)
        out[j] = a11 * fx + a12 * fy + a13 * fz
        out[j + 1] = a21 * fx + a22 * fy + a23 * fz
        out[j + 2] = a31 * fx + a32 * fy + a33 * fz
        xx, yy, zz, xy, xz, yz = matter[k, 4], matter[k, 5], matter[k, 6], matter[k, 7], matter[k, 8], matter[k, 9]
        hx, hy, hz = xx * p + xy * r + xz * s, xy * p + yy * r + yz * s, xz * p + yz * r + zz * s
        out[j + 3] = y * fz - z * fy - (xx * b + xy * c + xz * d) - (r * hz - s * hy)
        out[j + 4] = z * fx - x * fz - (xy * b + yy * c + yz * d) - (s * hx - p * hz)
        out[j + 5] = x * fy - y * fx - (xz * b + yz * c + zz * d) - (p * hy - r * hx)
    for j in range(6 * matter.shape[0], out.shape[0]):
        out[j] = 0.0  # internal coordinates of contacts have no inertia
    flexible = geometry.flexible
    if flexible.address[4] != 0:
        call_pointer(flexible.address[4], (flexible, matter, gravity, q, v, a, out))
    if geometry.rotors.address[0] != 0:
        call_pointer(geometry.rotors.address[0], (geometry.rotors, q, v, a, out))


@kernel
def spatial_masses(geometry, matter, q, out):
    """[[m I, -m A ~c'], [., J' + m (c'.c' I - c' c'^T)]] with c' from the body's origin to its mass center."""
    for k in range(matter.shape[0]):
        m, x, y, z = matter[k, 0], matter[k, 1], matter[k, 2], matter[k, 3]
        for c in range(20):
            out[k, c] = 0.0
        out[k, 0], out[k, 2], out[k, 5] = m, m, m
        out[k, 9], out[k, 14], out[k, 20] = matter[k, 4], matter[k, 5], matter[k, 6]
        out[k, 13], out[k, 18], out[k, 19] = matter[k, 7], matter[k, 8], matter[k, 9]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        out[k, 9] += m * (y * y + z * z)
        out[k, 14] += m * (x * x + z * z)
        out[k, 20] += m * (x * x + y * y)
        out[k, 13] -= m * x * y
        out[k, 18] -= m * x * z
        out[k, 19] -= m * y * z
        i = 7 * k + 3
        e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
        for row in range(3):  # the row of A, and minus m times its cross product with c'
            if row == 0:
                ax, ay, az = 2.0 * (e0 * e0 + e1 * e1) - 1.0, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)
            elif row == 1:
                ax, ay, az = 2.0 * (e1 * e2 + e0 * e3), 2.0 * (e0 * e0 + e2 * e2) - 1.0, 2.0 * (e2 * e3 - e0 * e1)
            else:
                ax, ay, az = 2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 2.0 * (e0 * e0 + e3 * e3) - 1.0
            out[k, 6 + row] = m * (az * y - ay * z)
            out[k, 10 + row] = m * (ax * z - az * x)
            out[k, 15 + row] = m * (ay * x - ax * y)
    flexible = geometry.flexible
    if flexible.address[5] != 0:
        call_pointer(flexible.address[5], (flexible, matter, q, out))
    if geometry.rotors.address[1] != 0:
        call_pointer(geometry.rotors.address[1], (geometry.rotors, q, out))


@kernel
def spatial_modal_energy(geometry, mass, v):
    """The kinetic energy that involves speeds of modes, or two bodies between which rotors turn."""
    flexible, rotors, energy = geometry.flexible, geometry.rotors, 0.0
    if flexible.address[6] != 0:
        flexible.energy[0] = 0.0
        call_pointer(flexible.address[6], (flexible, mass, v, flexible.energy))
        energy = flexible.energy[0]
    if rotors.address[2] != 0:
        call_pointer(rotors.address[2], (rotors, mass, v))
        energy += rotors.scratch[12]
    return energy
