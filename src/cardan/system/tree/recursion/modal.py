"""Nodes that move with the modes of a flexible body: from its frame f to the frame m of an interface, or back.

In the axes of f, with y = x + psi eta and theta = rho eta, m is at y with the axes R = exp(~theta), and moves by

    w = Lambda theta',  u = psi eta'          Lambda' theta' is what w' is without eta''

    forward     S = R^T [Lambda rho; psi]                        S' eta' = R^T [Lambda' theta'; -w x u]
    back        S = -[Lambda rho; psi + y x Lambda rho]          S' eta' = -[Lambda' theta'; u x w + y x Lambda' theta']

Such a node has no coordinates of its own: several share those of one body. See `cardan.system.tree.layout` for the
numbers: `shapes` holds x (and three zeros), psi and rho, component by component, `motion` at the same places y, theta
and S.
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.arcs import tangent_coefficients, versine_coefficient
from cardan.system.tree.recursion.vectors import back, cross, turned

MODAL = 5  # kind of these nodes


@kernel(internal=True)
def place_with_modes(tree, k, q):
    """E and p of node k, and its S."""
    E0, E, shapes, S = tree.place[k], tree.frame[k], tree.shapes, tree.motion
    eta, n, at = tree.modal[k, 0], tree.modal[k, 2], tree.modal[k, 3]
    forward = tree.sign[k] > 0.0
    x, y, z = shapes[at], shapes[at + 1], shapes[at + 2]
    tx, ty, tz = 0.0, 0.0, 0.0
    psi, rho = at + 6, at + 6 + 3 * n
    for i in range(n):
        by = q[eta + i]
        x, y, z = x + shapes[psi + i] * by, y + shapes[psi + n + i] * by, z + shapes[psi + 2 * n + i] * by
        tx, ty, tz = tx + shapes[rho + i] * by, ty + shapes[rho + n + i] * by, tz + shapes[rho + 2 * n + i] * by
    S[at], S[at + 1], S[at + 2], S[at + 3], S[at + 4], S[at + 5] = x, y, z, tx, ty, tz
    square = tx * tx + ty * ty + tz * tz
    b1, (b2, _, _) = versine_coefficient(square), tangent_coefficients(square)
    turn, sine = -1.0 if forward else 1.0, 1.0 - square * b2  # R^T turns back
    for j in range(3):
        ex, ey, ez = E0[j], E0[3 + j], E0[6 + j]
        kx, ky, kz = cross(tx, ty, tz, ex, ey, ez)
        dx, dy, dz = cross(tx, ty, tz, kx, ky, kz)
        E[j] = ex + turn * sine * kx + b1 * dx
        E[3 + j] = ey + turn * sine * ky + b1 * dy
        E[6 + j] = ez + turn * sine * kz + b1 * dz
    if forward:
        px, py, pz = back(E0, x, y, z)
    else:  # -R^T y in the axes of m
        kx, ky, kz = cross(tx, ty, tz, x, y, z)
        dx, dy, dz = cross(tx, ty, tz, kx, ky, kz)
        px, py, pz = back(E0, sine * kx - b1 * dx - x, sine * ky - b1 * dy - y, sine * kz - b1 * dz - z)
    E[9], E[10], E[11] = E0[9] + px, E0[10] + py, E0[11] + pz
    for i in range(n):
        rx, ry, rz = shapes[rho + i], shapes[rho + n + i], shapes[rho + 2 * n + i]
        ux, uy, uz = shapes[psi + i], shapes[psi + n + i], shapes[psi + 2 * n + i]
        kx, ky, kz = cross(tx, ty, tz, rx, ry, rz)
        dx, dy, dz = cross(tx, ty, tz, kx, ky, kz)
        rx, ry, rz = rx + b1 * kx + b2 * dx, ry + b1 * ky + b2 * dy, rz + b1 * kz + b2 * dz
        if forward:
            rx, ry, rz = turned(E, *back(E0, rx, ry, rz))
            ux, uy, uz = turned(E, *back(E0, ux, uy, uz))
        else:
            cx, cy, cz = cross(x, y, z, rx, ry, rz)
            rx, ry, rz, ux, uy, uz = -rx, -ry, -rz, -ux - cx, -uy - cy, -uz - cz
        S[rho + i], S[rho + n + i], S[rho + 2 * n + i] = rx, ry, rz
        S[psi + i], S[psi + n + i], S[psi + 2 * n + i] = ux, uy, uz


@kernel(internal=True)
def modal_motion(tree, k, v):
    """S v of node k."""
    first, n, at, S = tree.modal[k, 1], tree.modal[k, 2], tree.modal[k, 3], tree.motion
    wx, wy, wz, ux, uy, uz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    psi, rho = at + 6, at + 6 + 3 * n
    for i in range(n):
        by = v[first + i]
        ux, uy, uz = ux + S[psi + i] * by, uy + S[psi + n + i] * by, uz + S[psi + 2 * n + i] * by
        wx, wy, wz = wx + S[rho + i] * by, wy + S[rho + n + i] * by, wz + S[rho + 2 * n + i] * by
    return wx, wy, wz, ux, uy, uz


@kernel(internal=True)
def modal_bias(tree, k, v):
    """S' v of node k."""
    E0, E, shapes, kept = tree.place[k], tree.frame[k], tree.shapes, tree.motion
    first, n, at = tree.modal[k, 1], tree.modal[k, 2], tree.modal[k, 3]
    tx, ty, tz, dx, dy, dz, ux, uy, uz = kept[at + 3], kept[at + 4], kept[at + 5], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    psi, rho = at + 6, at + 6 + 3 * n
    for i in range(n):
        by = v[first + i]
        dx, dy, dz = dx + shapes[rho + i] * by, dy + shapes[rho + n + i] * by, dz + shapes[rho + 2 * n + i] * by
        ux, uy, uz = ux + shapes[psi + i] * by, uy + shapes[psi + n + i] * by, uz + shapes[psi + 2 * n + i] * by
    square, s = tx * tx + ty * ty + tz * tz, tx * dx + ty * dy + tz * dz
    b1, (b2, c1, c2) = versine_coefficient(square), tangent_coefficients(square)
    kx, ky, kz = cross(tx, ty, tz, dx, dy, dz)
    hx, hy, hz = cross(tx, ty, tz, kx, ky, kz)
    wx, wy, wz = dx + b1 * kx + b2 * hx, dy + b1 * ky + b2 * hy, dz + b1 * kz + b2 * hz
    # Lambda' theta' = c1 s theta x theta' + (c2 s theta + b2 theta') x (theta x theta')
    px, py, pz = cross(c2 * s * tx + b2 * dx, c2 * s * ty + b2 * dy, c2 * s * tz + b2 * dz, kx, ky, kz)
    ax, ay, az = c1 * s * kx + px, c1 * s * ky + py, c1 * s * kz + pz
    cx, cy, cz = cross(ux, uy, uz, wx, wy, wz)
    if tree.sign[k] > 0.0:
        ax, ay, az = turned(E, *back(E0, ax, ay, az))
        cx, cy, cz = turned(E, *back(E0, cx, cy, cz))
        return ax, ay, az, cx, cy, cz
    gx, gy, gz = cross(kept[at], kept[at + 1], kept[at + 2], ax, ay, az)
    return -ax, -ay, -az, -cx - gx, -cy - gy, -cz - gz


@kernel(internal=True)
def push_modes(tree, k, F, out):
    """Add S^T F of node k to `out`."""
    first, n, at, S = tree.modal[k, 1], tree.modal[k, 2], tree.modal[k, 3], tree.motion
    psi, rho = at + 6, at + 6 + 3 * n
    for i in range(n):
        turning = S[rho + i] * F[0] + S[rho + n + i] * F[1] + S[rho + 2 * n + i] * F[2]
        out[first + i] += turning + S[psi + i] * F[3] + S[psi + n + i] * F[4] + S[psi + 2 * n + i] * F[5]
