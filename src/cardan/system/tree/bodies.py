"""Bodies on the nodes of a tree: positions, velocities and accelerations as tables of bodies want them, and back.

In space a body has [r | e] and [r' | w'], in the plane [x, y, phi] and their rates; both sit on nodes in space. Behind
bodies come places of contact and modal coordinates, each of which is a node that slides along z.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.kernels import FREE, SCREW, SLIDE, TURN
from cardan.system.tree.recursion.modal import MODAL, push_modes
from cardan.system.tree.recursion.vectors import back, cross, turned

PLANE = 3  # speeds of a body of the plane


@kernel(internal=True)
def place_bodies(joint, q):
    """Positions of all bodies, in cartesian.place, and places of contact behind them."""
    for k in range(-joint.sizes.internal, 0):
        joint.cartesian.place[k] = q[k]
    tree, place, seat, world = joint.tree, joint.cartesian.place, joint.seat, joint.tree.world
    width, stored = joint.sizes.body_speeds, joint.sizes.body_numbers
    for b in range(joint.body.shape[0]):
        W, S, i = world[joint.node[b]], seat[b], stored * joint.body[b]
        x, y, z = turned(W, S[9], S[10], S[11])
        if width == PLANE:
            place[i], place[i + 1] = W[9] + x, W[10] + y
            # axes of the body are W S; its angle on the turn that the joints say
            cosine, sine = W[0] * S[0] + W[1] * S[3] + W[2] * S[6], W[3] * S[0] + W[4] * S[3] + W[5] * S[6]
            angle, at = math.atan2(sine, cosine), joint.node[b]
            expected = joint.turn[b]
            while at >= 0:
                if tree.kind[at] == TURN:
                    expected += tree.sign[at] * q[tree.first_q[at]]
                at = tree.parent[at]
            place[i + 2] = angle + 2.0 * math.pi * np.round((expected - angle) / (2.0 * math.pi))
        else:
            place[i], place[i + 1], place[i + 2] = W[9] + x, W[10] + y, W[11] + z
            _parameters(W, S, place[i + 3 : i + 7])


@kernel(internal=True)
def _parameters(W, S, e):
    """Euler parameters of the matrix W S, on the side of those before."""
    a00, a01, a02 = back(S, W[0], W[1], W[2])
    a10, a11, a12 = back(S, W[3], W[4], W[5])
    a20, a21, a22 = back(S, W[6], W[7], W[8])
    b0, b1, b2, b3 = e[0], e[1], e[2], e[3]
    s0, s1, s2, s3 = 1.0 + a00 + a11 + a22, 1.0 + a00 - a11 - a22, 1.0 - a00 + a11 - a22, 1.0 - a00 - a11 + a22
    largest = max(max(s0, s1), max(s2, s3))
    if largest == s0:
        e[0], e[1], e[2], e[3] = s0, a21 - a12, a02 - a20, a10 - a01
    elif largest == s1:
        e[0], e[1], e[2], e[3] = a21 - a12, s1, a10 + a01, a02 + a20
    elif largest == s2:
        e[0], e[1], e[2], e[3] = a02 - a20, a10 + a01, s2, a21 + a12
    else:
        e[0], e[1], e[2], e[3] = a10 - a01, a02 + a20, a21 + a12, s3
    scale = 0.5 / math.sqrt(largest)
    if e[0] * b0 + e[1] * b1 + e[2] * b2 + e[3] * b3 < 0.0:
        scale = -scale
    for m in range(4):
        e[m] *= scale


@kernel(internal=True)
def move_bodies(joint):
    """Velocities of all bodies, in joint.v, where nodes have moved."""
    tree, v, width = joint.tree, joint.v, joint.sizes.body_speeds
    for k in range(-joint.sizes.internal, 0):
        v[k] = tree.V[k, 5]
    for b in range(joint.body.shape[0]):
        W, S, V, i = tree.world[joint.node[b]], joint.seat[b], tree.V[joint.node[b]], width * joint.body[b]
        cx, cy, cz = cross(V[0], V[1], V[2], S[9], S[10], S[11])
        x, y, z = turned(W, V[3] + cx, V[4] + cy, V[5] + cz)
        if width == PLANE:
            v[i], v[i + 1], v[i + 2] = x, y, W[6] * V[0] + W[7] * V[1] + W[8] * V[2]
        else:
            v[i], v[i + 1], v[i + 2] = x, y, z
            v[i + 3], v[i + 4], v[i + 5] = back(S, V[0], V[1], V[2])


@kernel(internal=True)
def accelerate_bodies(joint):
    """Accelerations of all bodies, in joint.a, from those of the nodes as `spread` left them."""
    tree, a, width, g = joint.tree, joint.a, joint.sizes.body_speeds, joint.tree.gravity
    for k in range(-joint.sizes.internal, 0):
        a[k] = tree.A[k, 5] + g[2]
    for b in range(joint.body.shape[0]):
        n, S, i = joint.node[b], joint.seat[b], width * joint.body[b]
        W, V, A = tree.world[n], tree.V[n], tree.A[n]
        cx, cy, cz = cross(V[0], V[1], V[2], S[9], S[10], S[11])
        dx, dy, dz = cross(A[0], A[1], A[2], S[9], S[10], S[11])
        ex, ey, ez = cross(V[0], V[1], V[2], V[3] + cx, V[4] + cy, V[5] + cz)
        x, y, z = turned(W, A[3] + dx + ex, A[4] + dy + ey, A[5] + dz + ez)
        if width == PLANE:
            a[i], a[i + 1], a[i + 2] = x + g[0], y + g[1], W[6] * A[0] + W[7] * A[1] + W[8] * A[2]
        else:
            a[i], a[i + 1], a[i + 2] = x + g[0], y + g[1], z + g[2]
            a[i + 3], a[i + 4], a[i + 5] = back(S, A[0], A[1], A[2])


@kernel(internal=True)
def hand_to_nodes(joint, push, out):
    """Forces on bodies, numbered as their speeds, added to those on nodes, in the nodes' axes about their origins."""
    tree, width = joint.tree, joint.sizes.body_speeds
    for b in range(joint.body.shape[0]):
        n, S, i = joint.node[b], joint.seat[b], width * joint.body[b]
        W, F = tree.world[n], out[n]
        if width == PLANE:
            fx, fy, fz = back(W, push[i], push[i + 1], 0.0)
            nx, ny, nz = back(W, 0.0, 0.0, push[i + 2])
        else:
            fx, fy, fz = back(W, push[i], push[i + 1], push[i + 2])
            nx, ny, nz = turned(S, push[i + 3], push[i + 4], push[i + 5])
        cx, cy, cz = cross(S[9], S[10], S[11], fx, fy, fz)
        F[0] += nx + cx
        F[1] += ny + cy
        F[2] += nz + cz
        F[3] += fx
        F[4] += fy
        F[5] += fz


@kernel(internal=True)
def find_phi(joint):
    """Rows of Phi = J B, in joint.Phi: each row is a wrench on bodies, felt by all joints on their ways to ground."""
    cartesian, width, Phi, g, own = joint.cartesian, joint.sizes.body_speeds, joint.Phi, joint.six, joint.own
    behind = joint.v.shape[0] - Phi.shape[1]  # columns of own coordinates are the last, in v as here
    solver, coefficient, jac = cartesian.solver, cartesian.work.coefficient, cartesian.work.jac
    for r in range(Phi.shape[0]):
        for j in range(Phi.shape[1]):
            Phi[r, j] = 0.0
        for k in range(joint.touch_start[r], joint.touch_start[r + 1]):
            b = joint.touch[k]
            first = width * joint.body[b]
            for j in range(6):
                g[j] = 0.0
            for n in range(joint.entry_start[k], joint.entry_start[k + 1]):
                e = joint.entry[n]
                g[solver.column[e] - first] += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]]
            share_wrench(joint, b, g, Phi[r])
        for k in range(own.start[r], own.start[r + 1]):
            e = own.entry[k]
            Phi[r, solver.column[e] - behind] += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]]


@kernel(internal=True)
def share_wrench(joint, b, g, out):
    """Add to `out` what all joints on the way to ground feel of a wrench g on body b, numbered as its speeds."""
    W, S = joint.tree.world[joint.node[b]], joint.seat[b]
    x, y, z = turned(W, S[9], S[10], S[11])
    x, y, z = W[9] + x, W[10] + y, W[11] + z
    if joint.sizes.body_speeds == PLANE:
        _feel(joint.tree, joint.node[b], x, y, z, g[0], g[1], 0.0, 0.0, 0.0, g[2], out)
    else:
        nx, ny, nz = turned(W, *turned(S, g[3], g[4], g[5]))
        _feel(joint.tree, joint.node[b], x, y, z, g[0], g[1], g[2], nx, ny, nz, out)


@kernel(internal=True)
def _feel(tree, node, x, y, z, fx, fy, fz, nx, ny, nz, out):
    """Add to `out` what all joints on the way from a node to ground feel of a wrench at a point, in world axes."""
    at = np.int64(node)
    while at >= 0:
        W, kind, sign, i = tree.world[at], tree.kind[at], tree.sign[at], tree.first_v[at]
        cx, cy, cz = cross(x - W[9], y - W[10], z - W[11], fx, fy, fz)
        mx, my, mz = nx + cx, ny + cy, nz + cz
        if kind == TURN:
            out[i] += sign * (W[2] * mx + W[5] * my + W[8] * mz)
        elif kind == SLIDE:
            out[i] += sign * (W[2] * fx + W[5] * fy + W[8] * fz)
        elif kind == SCREW:
            lead = tree.lead[at]
            out[i] += sign * (W[2] * (mx + lead * fx) + W[5] * (my + lead * fy) + W[8] * (mz + lead * fz))
        elif kind == MODAL:
            F = tree.wrench
            F[0], F[1], F[2] = back(W, mx, my, mz)
            F[3], F[4], F[5] = back(W, fx, fy, fz)
            push_modes(tree, at, F, out)
        else:
            if kind == FREE:
                rx, ry, rz = turned(tree.place[at], fx, fy, fz)
                out[i] += rx
                out[i + 1] += ry
                out[i + 2] += rz
                i += 3
            rx, ry, rz = back(W, mx, my, mz)
            out[i] += rx
            out[i + 1] += ry
            out[i + 2] += rz
        at = tree.parent[at]
