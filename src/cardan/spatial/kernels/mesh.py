"""A ball on a triangle mesh: the point of the surface nearest to its center, found by a tree of boxes.

    node   box (least and greatest x, y, z)     links: (first triangle, count) of a leaf, or (left node, 0), whose
                                                right one is adjacent
The nearer child is visited first, the other one goes on a stack; boxes farther than the best point are skipped.
The normal at the nearest point, of the triangle's face, edge or corner, decides whether the center is outside a closed
surface (Baerentzen and Aanaes 2005: with angle-weighted normals the sign is always right). An open surface is a sheet
without inside: the gap is the distance on whichever side the ball is. All in the axes of marker a.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.spatial.kernels.columns import P, X

ON_SURFACE = 1e-12  # relative to the radius, or m: for a center this near the surface the normal is that of the surface
FACE, EDGES, CORNER_NORMALS = 0, 1, 4  # index among the seven normals of a triangle: face, three edges, three corners


@kernel(internal=True)
def mesh_touch(touches, frames, pair):
    """Write n, the gap and the distance from the ball's center back to the midpoint to scratch[0:5]."""
    a, b, first = touches.pairs[pair, 1], touches.pairs[pair, 2], touches.pairs[pair, 3]
    out, radius, extra = touches.scratch, touches.numbers[first], touches.numbers[first + 1]
    sheet = touches.numbers[first + 2] != 0.0
    dx, dy, dz = frames[b, P] - frames[a, P], frames[b, P + 1] - frames[a, P + 1], frames[b, P + 2] - frames[a, P + 2]
    x = frames[a, X] * dx + frames[a, X + 1] * dy + frames[a, X + 2] * dz
    y = frames[a, X + 3] * dx + frames[a, X + 4] * dy + frames[a, X + 5] * dz
    w = frames[a, X + 6] * dx + frames[a, X + 7] * dy + frames[a, X + 8] * dz
    triangle, part, px, py, pz = _nearest(touches, np.int64(touches.pairs[pair, 4]), x, y, w)
    k, normals = 3 * part, touches.normals
    nx, ny, nz = normals[triangle, k], normals[triangle, k + 1], normals[triangle, k + 2]
    dx, dy, dz = x - px, y - py, w - pz
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    side = 1.0 if sheet or dx * nx + dy * ny + dz * nz >= 0.0 else -1.0
    if length > ON_SURFACE * (radius + extra if radius + extra > 0.0 else 1.0):
        nx, ny, nz = side * dx / length, side * dy / length, side * dz / length
    for c in range(3):
        out[c] = frames[a, X + c] * nx + frames[a, X + 3 + c] * ny + frames[a, X + 6 + c] * nz
    out[3] = side * length - radius - extra
    out[4] = radius + 0.5 * out[3]
    return 0


@kernel(internal=True)
def _nearest(touches, root, x, y, z):
    """The triangle nearest to a point, its nearest part, and the nearest point."""
    boxes, links, corners, stack = touches.boxes, touches.links, touches.corners, touches.stack
    stack[0] = root
    top, best, triangle, part, px, py, pz = 1, np.inf, np.int64(0), 0, 0.0, 0.0, 0.0
    while top > 0:
        top -= 1
        node = np.int64(stack[top])
        if _away(boxes, node, x, y, z) >= best:
            continue
        first, count = np.int64(links[node, 0]), np.int64(links[node, 1])
        for t in range(first, first + count):
            where, qx, qy, qz = _on_triangle(corners, t, x, y, z)
            square = (x - qx) ** 2 + (y - qy) ** 2 + (z - qz) ** 2
            if square < best:
                best, triangle, part, px, py, pz = square, np.int64(t), where, qx, qy, qz
        if count == 0:
            near, far = first, first + 1
            if _away(boxes, far, x, y, z) < _away(boxes, near, x, y, z):
                near, far = far, near
            stack[top], stack[top + 1] = far, near
            top += 2
    return triangle, part, px, py, pz


@kernel(internal=True)
def _away(boxes, node, x, y, z):
    """The square of the distance from a point to a box."""
    dx = max(max(boxes[node, 0] - x, x - boxes[node, 3]), 0.0)
    dy = max(max(boxes[node, 1] - y, y - boxes[node, 4]), 0.0)
    dz = max(max(boxes[node, 2] - z, z - boxes[node, 5]), 0.0)
    return dx * dx + dy * dy + dz * dz


@kernel(internal=True)
def _on_triangle(corners, t, x, y, z):
    """The part of a triangle nearest to a point, and the point (Ericson, Real-Time Collision Detection, 5.1.5)."""
    ax, ay, az = corners[t, 0], corners[t, 1], corners[t, 2]
    bx, by, bz = corners[t, 3] - ax, corners[t, 4] - ay, corners[t, 5] - az
    cx, cy, cz = corners[t, 6] - ax, corners[t, 7] - ay, corners[t, 8] - az
    x, y, z = x - ax, y - ay, z - az
    # projections on both sides at corner A, from A, B and C
    d1, d2 = bx * x + by * y + bz * z, cx * x + cy * y + cz * z
    bb, bc, cc = bx * bx + by * by + bz * bz, bx * cx + by * cy + bz * cz, cx * cx + cy * cy + cz * cz
    d3, d4, d5, d6 = d1 - bb, d2 - bc, d1 - bc, d2 - cc
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        part, v, w = CORNER_NORMALS, 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        part, v, w = CORNER_NORMALS + 1, 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        part, v, w = CORNER_NORMALS + 2, 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        part, v, w = EDGES, d1 / (d1 - d3), 0.0
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        part, v = EDGES + 1, 1.0 - w
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        part, v, w = EDGES + 2, 0.0, d2 / (d2 - d6)
    else:
        total = va + vb + vc
        part, v, w = FACE, vb / total, vc / total
    return part, ax + v * bx + w * cx, ay + v * by + w * cy, az + v * bz + w * cz
