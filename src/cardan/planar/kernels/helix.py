r"""The arc from marker a to marker b in the plane: see `cardan.elements.rods.beam` and `measures`.

With p = d in the axes of a, theta = theta_b - theta_a and k = (theta / 2) cot(theta / 2) = 1 - theta^2 c,

    u_x = k p_x + theta / 2 p_y         u = (l, 0) on a circular arc of length l that starts along a's x axis
    u_y = k p_y - theta / 2 p_x         and ends along b's

Written as z = f p_x + g p_y, its row is that of f component_x + g component_y and f' p_x + g' p_y along theta. The
length |u| has the row of u along its own direction (axis 2).
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import BENT, arc_coefficients, bent_too_far
from cardan.planar.kernels.columns import BIAS, CX, FX, FY, KAPPA, OMEGA, PX, THETA, VX
from cardan.planar.kernels.measures import along, between


@kernel(internal=True)
def helix_values(ends, start, stop, frames, z, jac):
    """Values and jac. Returns 0, or BENT + the measure whose ends are rotated too far."""
    status = 0
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        theta = frames[b, THETA] - frames[a, THETA]
        if status == 0 and bent_too_far(theta * theta):
            status = BENT + m
        ex, ey = frames[a, FX], frames[a, FY]
        dx, dy = between(a, b, PX, frames)
        px, py = ex * dx + ey * dy, ex * dy - ey * dx
        f, g, f1, g1, _, _ = _factors(theta, px, py, ends[m, 2])
        along(a, b, f * ex - g * ey, f * ey + g * ex, frames, m, jac)
        slope, turn = f1 * px + g1 * py, f * py - g * px
        jac[m, 2] += turn - slope
        jac[m, 5] += slope
        jac[m, 6] += frames[a, KAPPA] * (turn - slope)
        jac[m, 7] += frames[b, KAPPA] * slope
        z[m, 0] = f * px + g * py
    return status


@kernel(internal=True)
def helix_rates(ends, start, stop, frames, z):
    """The product rule for f p_x + g p_y, with the rates of components of d in rotating axes."""
    for m in range(start, stop):
        a, b = ends[m, 0], ends[m, 1]
        ex, ey, w, turn = frames[a, FX], frames[a, FY], frames[a, OMEGA], frames[a, BIAS]
        dx, dy = between(a, b, PX, frames)
        ux, uy = between(a, b, VX, frames)
        cx, cy = between(a, b, CX, frames)
        px, py = ex * dx + ey * dy, ex * dy - ey * dx
        theta = frames[b, THETA] - frames[a, THETA]
        f, g, f1, g1, f2, g2 = _factors(theta, px, py, ends[m, 2])
        vx, vy = ex * ux + ey * uy, ex * uy - ey * ux
        rx, ry = vx + w * py, vy - w * px
        qx = ex * cx + ey * cy + 2.0 * w * vy - w * w * px + turn * py
        qy = ex * cy - ey * cx - 2.0 * w * vx - w * w * py - turn * px
        rate, second = frames[b, OMEGA] - w, frames[b, BIAS] - turn
        slope = f1 * px + g1 * py
        z[m, 1] = f * rx + g * ry + slope * rate
        z[m, 2] = f * qx + g * qy + slope * second
        z[m, 2] += rate * (2.0 * (f1 * rx + g1 * ry) + rate * (f2 * px + g2 * py))
        if ends[m, 2] == 2:  # u turns: the rate across it is that along (-g, f)
            across = f * ry - g * rx + (f1 * py - g1 * px) * rate
            z[m, 2] += across * across / np.sqrt((f * px + g * py) * (f * px + g * py))


@kernel(internal=True)
def _factors(theta, px, py, axis):
    """f and g with their first and second derivatives with respect to theta."""
    s = theta * theta
    c, c1, c2 = arc_coefficients(s)
    k, half, bend = 1.0 - s * c, 0.5 * theta, -2.0 * (c + s * c1)  # bend = k' / theta
    k1, k2 = bend * theta, bend - 4.0 * s * (2.0 * c1 + s * c2)
    x, y = 1.0 * (axis == 0), 1.0 * (axis == 1)
    if axis == 2:
        ux, uy = k * px + half * py, k * py - half * px
        size = np.sqrt(ux * ux + uy * uy)
        x, y = (ux / size, uy / size) if size > 0.0 else (1.0 + 0.0 * ux, 0.0 * uy)
    return x * k - y * half, x * half + y * k, x * k1 - 0.5 * y, 0.5 * x + y * k1, x * k2, y * k2
