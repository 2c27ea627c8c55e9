"""Rotation vectors between markers in compiled form, and their rates, given angular velocity and acceleration.

With A = A0 exp(~theta) the angular velocity in the rotated axes is omega' = T(theta) theta', and

    theta'  = T^-1 omega'                          T    = I - b1 ~theta + b2 ~theta~theta
    theta'' = T^-1 (omega'' - T' theta')           T^-1 = I + ~theta / 2 + c ~theta~theta

with b1 = (1 - cos) / theta^2, b2 = (theta - sin) / theta^3, c = (1 - (theta/2) cot(theta/2)) / theta^2. Rotations
within one step of an analysis are small, where short series of all three are exact to rounding.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import inverse_coefficient, tangent_coefficients
from cardan.spatial.kernels.columns import X, Y, Z


@kernel(internal=True)
def turn_rates(x, y, z, wx, wy, wz, ax, ay, az):
    """theta' and theta'' (six numbers) of the rotation vector (x, y, z), given omega' and its rate."""
    square = x * x + y * y + z * z
    c = inverse_coefficient(square)
    b2, slope1, slope2 = tangent_coefficients(square)
    dx, dy, dz = tangent_inverse(x, y, z, c, wx, wy, wz)
    # T' theta' = -b1' theta x theta' + b2' theta x (theta x theta') + b2 theta' x (theta x theta')
    kx, ky, kz = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    along = x * dx + y * dy + z * dz
    one, two = -slope1 * along, slope2 * along
    ux, uy, uz = two * x + b2 * dx, two * y + b2 * dy, two * z + b2 * dz
    bx, by, bz = (
        ax - one * kx - (uy * kz - uz * ky),
        ay - one * ky - (uz * kx - ux * kz),
        az - one * kz - (ux * ky - uy * kx),
    )
    sx, sy, sz = tangent_inverse(x, y, z, c, bx, by, bz)
    return dx, dy, dz, sx, sy, sz


@kernel(internal=True)
def tangent_inverse(x, y, z, c, wx, wy, wz):
    """T^-1 w = w + theta x w / 2 + c theta x (theta x w)."""
    kx, ky, kz = y * wz - z * wy, z * wx - x * wz, x * wy - y * wx
    return (
        wx + 0.5 * kx + c * (y * kz - z * ky),
        wy + 0.5 * ky + c * (z * kx - x * kz),
        wz + 0.5 * kz + c * (x * ky - y * kx),
    )


@kernel(internal=True)
def matrix_rows(q, i):
    """A of a body, row by row."""
    e0, e1, e2, e3 = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
    return (
        2.0 * (e0 * e0 + e1 * e1) - 1.0,
        2.0 * (e1 * e2 - e0 * e3),
        2.0 * (e1 * e3 + e0 * e2),
        2.0 * (e1 * e2 + e0 * e3),
        2.0 * (e0 * e0 + e2 * e2) - 1.0,
        2.0 * (e2 * e3 - e0 * e1),
        2.0 * (e1 * e3 - e0 * e2),
        2.0 * (e2 * e3 + e0 * e1),
        2.0 * (e0 * e0 + e3 * e3) - 1.0,
    )


@kernel(internal=True)
def in_axes(frames, b, x, y, z):
    """A global vector in the axes of marker b."""
    return (
        frames[b, X] * x + frames[b, X + 1] * y + frames[b, X + 2] * z,
        frames[b, Y] * x + frames[b, Y + 1] * y + frames[b, Y + 2] * z,
        frames[b, Z] * x + frames[b, Z + 1] * y + frames[b, Z + 2] * z,
    )


@kernel(internal=True)
def rotation_vector(frames, a, b):
    """theta of R = (axes of a)^T (axes of b), at most half a turn, by the largest Euler parameter (Haug 9.3.12-17)."""
    r11, r21, r31 = in_axes(frames, a, frames[b, X], frames[b, X + 1], frames[b, X + 2])
    r12, r22, r32 = in_axes(frames, a, frames[b, Y], frames[b, Y + 1], frames[b, Y + 2])
    r13, r23, r33 = in_axes(frames, a, frames[b, Z], frames[b, Z + 1], frames[b, Z + 2])
    trace = r11 + r22 + r33
    if trace >= max(r11, max(r22, r33)):
        e0, e1, e2, e3 = 1.0 + trace, r32 - r23, r13 - r31, r21 - r12
    elif r11 >= max(r22, r33):
        e0, e1, e2, e3 = r32 - r23, 1.0 + 2.0 * r11 - trace, r12 + r21, r13 + r31
    elif r22 >= r33:
        e0, e1, e2, e3 = r13 - r31, r12 + r21, 1.0 + 2.0 * r22 - trace, r23 + r32
    else:
        e0, e1, e2, e3 = r21 - r12, r13 + r31, r23 + r32, 1.0 + 2.0 * r33 - trace
    size = math.sqrt(e1 * e1 + e2 * e2 + e3 * e3)
    factor = 2.0 * math.atan2(size, abs(e0)) / size if size > 0.0 else 2.0 / abs(e0)  # limit with the same slope
    if e0 < 0.0:
        factor = -factor
    return factor * e1, factor * e2, factor * e3
