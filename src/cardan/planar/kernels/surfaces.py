"""Contact of planar surfaces in compiled form: gap and sliding velocity of each pair, with their jac.

Each pair has a normal n, out of a, a gap, and a point halfway between both surfaces, at which forces act:

    face-disk   n the y axis of a            gap = n . d - r                      d = P_b - P_a
    disk-disk   n = s d / |d|                gap = s |d| - s r_a - r_b            s = -1 if a is hollow, 1 otherwise
    rims        see `outlines`

A direction e at a point C has the columns  [-e, -(C - r_a) x e | e, (C - r_b) x e]:  equal and opposite on a and b.
"""

from __future__ import annotations

import math

from cardan.model.surfaces.surface_pair import NO_GAP, NONE
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.planar.kernels.columns import FX, FY, PX, PY, SX, SY

KINDS = ("face-disk", "disk-disk", "rim-disk", "face-rim", "rim-rim")


@kernel(internal=True)
def touch_values(touches, frames, z, jac):
    """Values and jac of all pairs; called by address. Returns 0, or NO_GAP + the pair that has no gap."""
    pairs, rows, numbers, address = touches.pairs, touches.rows, touches.numbers, touches.address
    found = touches.scratch
    for k in range(pairs.shape[0]):
        kind, a, b, first = pairs[k, 0], pairs[k, 1], pairs[k, 2], pairs[k, 3]
        dx, dy = frames[b, PX] - frames[a, PX], frames[b, PY] - frames[a, PY]
        if kind == 0:
            nx, ny, radius = -frames[a, FY], frames[a, FX], numbers[first]
            gap = nx * dx + ny * dy - radius
            back = radius + 0.5 * gap
            px, py = frames[b, PX] - back * nx, frames[b, PY] - back * ny
        elif kind == 1:
            inner, length = numbers[first], math.sqrt(dx * dx + dy * dy)
            side = -1.0 if inner < 0.0 else 1.0
            # Coincident centers have no direction; use any until they separate.
            nx, ny = (side * dx / length, side * dy / length) if length > 0.0 else (1.0, 0.0)
            gap = side * length - inner - numbers[first + 1]
            forth = inner + 0.5 * gap
            px, py = frames[a, PX] + forth * nx, frames[a, PY] + forth * ny
        else:
            if call_pointer(address[2], (touches, frames, k)):
                return NO_GAP + k
            nx, ny, gap, px, py = found[0], found[1], found[2], found[3], found[4]
        m = rows[k, 0]
        if m != NONE:
            _push(frames, a, b, nx, ny, px, py, m, jac)
            z[m, 0] = gap
        m = rows[k, 1]
        if m != NONE:
            _push(frames, a, b, -ny, nx, px, py, m, jac)
            z[m, 0] = 0.0
    return 0


@kernel(internal=True)
def _push(frames, a, b, ex, ey, px, py, m, jac):
    """The columns of the direction e at the point P."""
    x, y = px - frames[a, PX] + frames[a, SX], py - frames[a, PY] + frames[a, SY]
    jac[m, 0], jac[m, 1], jac[m, 2] = -ex, -ey, y * ex - x * ey
    x, y = px - frames[b, PX] + frames[b, SX], py - frames[b, PY] + frames[b, SY]
    jac[m, 3], jac[m, 4], jac[m, 5] = ex, ey, x * ey - y * ex
    jac[m, 6], jac[m, 7] = 0.0, 0.0
