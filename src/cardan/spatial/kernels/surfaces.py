"""Contact of spatial surfaces in compiled form: gap and sliding velocity of each pair, with their jac.

Each pair has a normal n, out of a, a gap, and a point halfway between both surfaces, at which forces act:

    face-ball   n the z axis of a            gap = n . d - r                      d = P_b - P_a
    ball-ball   n = s d / |d|                gap = s |d| - s r_a - r_b            s = -1 if a is hollow, 1 otherwise
    mesh-ball   see `mesh`                   road-wheel  see `road`

The sliding velocity is that of b at this point relative to a, along the axes e of marker a without their n components.
"""

from __future__ import annotations

import math

from cardan.model.surfaces.surface_pair import NO_GAP, NONE
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.columns import P, X, Z
from cardan.spatial.kernels.measures import wrench

KINDS = ("face-ball", "ball-ball", "mesh-ball", "road-wheel")


@kernel(internal=True)
def touch_values(touches, frames, z, jac):
    """Values and jac of all pairs; called by address. Returns 0, or NO_GAP + the pair that has no gap."""
    pairs, numbers, address, found = touches.pairs, touches.numbers, touches.address, touches.scratch
    for k in range(pairs.shape[0]):
        kind, a, b, first = pairs[k, 0], pairs[k, 1], pairs[k, 2], pairs[k, 3]
        if kind == 3:
            if call_pointer(address[3], (touches, frames, k, z, jac)):
                return NO_GAP + k
            continue
        if kind == 2:
            call_pointer(address[2], (touches, frames, k))
            nx, ny, nz, gap, back = found[0], found[1], found[2], found[3], found[4]
        else:
            dx, dy = frames[b, P] - frames[a, P], frames[b, P + 1] - frames[a, P + 1]
            dz = frames[b, P + 2] - frames[a, P + 2]
            nx, ny, nz, radius, gap = frames[a, Z], frames[a, Z + 1], frames[a, Z + 2], numbers[first], 0.0
            if kind == 0:
                gap = nx * dx + ny * dy + nz * dz - radius
            else:
                inner, radius = radius, numbers[first + 1]
                side, length = -1.0 if inner < 0.0 else 1.0, math.sqrt(dx * dx + dy * dy + dz * dz)
                if length > 0.0:  # coincident centers have no direction; use any until they separate
                    nx, ny, nz = side * dx / length, side * dy / length, side * dz / length
                gap = side * length - inner - radius
            back = radius + 0.5 * gap
        # from the center of b to the midpoint
        _rows(touches.rows, k, frames, a, b, nx, ny, nz, -back * nx, -back * ny, -back * nz, gap, z, jac)
    return 0


@kernel(internal=True)
def _rows(rows, k, frames, a, b, nx, ny, nz, x, y, w, gap, z, jac):
    """Gap and sliding velocity of a pair with normal n; (x, y, w) is the lever from P_b to the contact point."""
    for row in range(4):
        m = rows[k, row]
        if m == NONE:
            continue
        ex, ey, ez = nx, ny, nz
        if row > 0:
            axis = X + 3 * (row - 1)
            ex, ey, ez = frames[a, axis], frames[a, axis + 1], frames[a, axis + 2]
            part = ex * nx + ey * ny + ez * nz
            ex, ey, ez = ex - part * nx, ey - part * ny, ez - part * nz
        wrench(frames, a, b, m, ex, ey, ez, y * ez - w * ey, w * ex - x * ez, x * ey - y * ex, jac)
        z[m, 0] = gap if row == 0 else 0.0
