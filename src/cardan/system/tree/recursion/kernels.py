"""Recursions over a tree of bodies: poses and velocities outward, forces inward (Featherstone 2008; Trom chapter 2).

        o ground            node k moves against its parent by the coordinates of one joint; its frame lies in the
        |  X_1              joint, the axis is z. Vectors of motion are [w | u] in the node's own axes, angular velocity
        o 1                 and velocity of the origin, those of force [n | f] likewise
        |  X_2
        o 2 ...             V_k = X_k V_p + S_k v_k,        A_k = X_k A_p + S_k v_k' + V_k x S_k v_k

    torques (Newton-Euler)        F_k = I_k A_k + V_k x* I_k V_k - f_k + sum of children,    tau_k = S_k^T F_k
    mass matrix (composite)       I_k^C = I_k + sum of children,     M_kj = S_j^T X ... I_k^C S_k

Each costs so much per body, however many there are. Accelerations are found in `tree.articulated`.
"""

from __future__ import annotations

import math

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.modal import MODAL, modal_bias, modal_motion, place_with_modes, push_modes
from cardan.system.tree.recursion.rotors import add_rotor_masses, add_rotors, rotor_energy
from cardan.system.tree.recursion.vectors import back, cross, turned

TURN, SLIDE, SCREW, BALL, FREE = range(5)  # kinds of joints: about z, along z, both, about a point, not at all


@kernel(internal=True)
def place_nodes(tree, q):
    """E and p of every node: the axes of its parent turned into its own, and its origin in its parent's axes."""
    for k in range(tree.kind.shape[0]):
        if tree.kind[k] == MODAL:
            place_with_modes(tree, k, q)
        else:
            place_node(tree, k, q)


@kernel(internal=True, inline=True)
def place_node(tree, k, q):
    """E and p of a node that moves by a joint."""
    kind, E0, E, i, sign = tree.kind[k], tree.place[k], tree.frame[k], tree.first_q[k], tree.sign[k]
    x, y, z = E0[9], E0[10], E0[11]
    if kind <= SCREW:
        angle = 0.0 if kind == SLIDE else sign * q[i]
        travel = sign * q[i] if kind == SLIDE else (tree.lead[k] * sign * q[i] if kind == SCREW else 0.0)
        x, y, z = x + travel * E0[6], y + travel * E0[7], z + travel * E0[8]
        c, s = math.cos(angle), math.sin(angle)
        for j in range(3):
            E[j] = c * E0[j] + s * E0[3 + j]
            E[3 + j] = c * E0[3 + j] - s * E0[j]
            E[6 + j] = E0[6 + j]
    else:
        if kind == FREE:
            dx, dy, dz = back(E0, q[i], q[i + 1], q[i + 2])
            x, y, z = x + dx, y + dy, z + dz
            i += 3
        _turn_by_parameters(q[i], q[i + 1], q[i + 2], q[i + 3], E0, E)
    E[9], E[10], E[11] = x, y, z


@kernel(internal=True)
def find_world(tree):
    """Axes and origins of all nodes in the world, where nodes were placed."""
    for k in range(tree.parent.shape[0]):
        world_of(tree, k)


@kernel(internal=True, inline=True)
def world_of(tree, k):
    """The same of one node whose parent has them."""
    E, W, p = tree.frame[k], tree.world[k], tree.parent[k]
    if p < 0:
        for r in range(3):
            for c in range(3):
                W[3 * r + c] = E[3 * c + r]
            W[9 + r] = E[9 + r]
    else:
        P = tree.world[p]
        for r in range(3):
            x, y, z = P[3 * r], P[3 * r + 1], P[3 * r + 2]
            W[3 * r], W[3 * r + 1], W[3 * r + 2] = turned(E, x, y, z)
            W[9 + r] = P[9 + r] + x * E[9] + y * E[10] + z * E[11]


@kernel(internal=True)
def add_columns(tree, node, x, y, z, rotation, point):
    """Columns of the Jacobians of the angular velocity of a node, and of the velocity of its point (x, y, z) of the
    world, one for each speed on the way from ground; added to `rotation` and `point`, both [3, nv]."""
    at = node
    while at >= 0:
        W = tree.world[at]
        first, count = speeds_at(tree, at)
        for d in range(count):
            wx, wy, wz, ux, uy, uz = axis_of(tree, at, d)
            ax, ay, az = turned(W, wx, wy, wz)
            bx, by, bz = turned(W, ux, uy, uz)
            cx, cy, cz = cross(ax, ay, az, x - W[9], y - W[10], z - W[11])
            j = first + d
            rotation[0, j] += ax
            rotation[1, j] += ay
            rotation[2, j] += az
            point[0, j] += bx + cx
            point[1, j] += by + cy
            point[2, j] += bz + cz
        at = tree.parent[at]


@kernel(internal=True, inline=True)
def speeds_at(tree, k):
    """The first of the speeds by which node k moves against its parent, and how many there are."""
    if tree.kind[k] == MODAL:
        return tree.modal[k, 1], tree.modal[k, 2]
    return tree.first_v[k], tree.count_v[k]


@kernel(internal=True)
def _turn_by_parameters(e0, e1, e2, e3, E0, E):
    """E = A(e)^T E0, with Euler parameters of any length."""
    scale = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    a00 = 1.0 - scale * (e2 * e2 + e3 * e3)
    a11 = 1.0 - scale * (e1 * e1 + e3 * e3)
    a22 = 1.0 - scale * (e1 * e1 + e2 * e2)
    a01, a10 = scale * (e1 * e2 - e0 * e3), scale * (e1 * e2 + e0 * e3)
    a02, a20 = scale * (e1 * e3 + e0 * e2), scale * (e1 * e3 - e0 * e2)
    a12, a21 = scale * (e2 * e3 - e0 * e1), scale * (e2 * e3 + e0 * e1)
    for j in range(3):
        x, y, z = E0[j], E0[3 + j], E0[6 + j]
        E[j] = a00 * x + a10 * y + a20 * z
        E[3 + j] = a01 * x + a11 * y + a21 * z
        E[6 + j] = a02 * x + a12 * y + a22 * z


@kernel(internal=True)
def move_nodes(tree, v):
    """Velocities V of all nodes, and C = V x S v, what their accelerations are without those of the joints."""
    kind, parent, frame, V, C, first = tree.kind, tree.parent, tree.frame, tree.V, tree.C, tree.first_v
    for k in range(kind.shape[0]):
        E, Vk, Ck, p, i = frame[k], V[k], C[k], parent[k], first[k]
        wx, wy, wz, ux, uy, uz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if p >= 0:
            Vp = V[p]
            cx, cy, cz = cross(Vp[0], Vp[1], Vp[2], E[9], E[10], E[11])
            wx, wy, wz = turned(E, Vp[0], Vp[1], Vp[2])
            ux, uy, uz = turned(E, Vp[3] + cx, Vp[4] + cy, Vp[5] + cz)
        for j in range(6):
            Ck[j] = 0.0
        if kind[k] <= SCREW:
            turn = 0.0 if kind[k] == SLIDE else tree.sign[k] * v[i]
            slide = tree.sign[k] * v[i] if kind[k] == SLIDE else tree.lead[k] * turn
            Ck[0], Ck[1] = wy * turn, -wx * turn
            Ck[3], Ck[4] = uy * turn + wy * slide, -ux * turn - wx * slide
            wz += turn
            uz += slide
        elif kind[k] == MODAL:
            px, py, pz, sx, sy, sz = modal_motion(tree, k, v)
            Ck[0], Ck[1], Ck[2], Ck[3], Ck[4], Ck[5] = modal_bias(tree, k, v)
            ax, ay, az = cross(wx, wy, wz, px, py, pz)
            bx, by, bz = cross(wx, wy, wz, sx, sy, sz)
            cx, cy, cz = cross(ux, uy, uz, px, py, pz)
            add_force(Ck, ax, ay, az, bx + cx, by + cy, bz + cz)
            wx, wy, wz, ux, uy, uz = wx + px, wy + py, wz + pz, ux + sx, uy + sy, uz + sz
        else:
            if kind[k] == FREE:
                sx, sy, sz = turned(E, *back(tree.place[k], v[i], v[i + 1], v[i + 2]))
                ux, uy, uz = ux + sx, uy + sy, uz + sz
                i += 3
            rx, ry, rz = v[i], v[i + 1], v[i + 2]
            Ck[0], Ck[1], Ck[2] = cross(wx, wy, wz, rx, ry, rz)
            Ck[3], Ck[4], Ck[5] = cross(ux, uy, uz, rx, ry, rz)
            wx, wy, wz = wx + rx, wy + ry, wz + rz
        Vk[0], Vk[1], Vk[2], Vk[3], Vk[4], Vk[5] = wx, wy, wz, ux, uy, uz
    tree.rotor_energy[0] = rotor_energy(tree, v)


@kernel(internal=True, inline=True)
def inertia_times(G, wx, wy, wz, ux, uy, uz):
    """Momentum of a body: [n | f] of [w | u], with mass, first moment and inertia about the node's origin."""
    m, hx, hy, hz = G[0], G[1], G[2], G[3]
    cx, cy, cz = cross(hx, hy, hz, ux, uy, uz)
    dx, dy, dz = cross(wx, wy, wz, hx, hy, hz)
    return (
        G[4] * wx + G[7] * wy + G[8] * wz + cx,
        G[7] * wx + G[5] * wy + G[9] * wz + cy,
        G[8] * wx + G[9] * wy + G[6] * wz + cz,
        m * ux + dx,
        m * uy + dy,
        m * uz + dz,
    )


@kernel(internal=True)
def accelerate_nodes(tree, a):
    """Accelerations A of all nodes, where they were placed and moved; that of ground is -g."""
    kind, parent, frame, A, g = tree.kind, tree.parent, tree.frame, tree.A, tree.gravity
    for k in range(kind.shape[0]):
        E, Ak, Ck, p, i = frame[k], A[k], tree.C[k], parent[k], tree.first_v[k]
        if p >= 0:
            Ap = A[p]
            cx, cy, cz = cross(Ap[0], Ap[1], Ap[2], E[9], E[10], E[11])
            ax, ay, az = turned(E, Ap[0], Ap[1], Ap[2])
            bx, by, bz = turned(E, Ap[3] + cx, Ap[4] + cy, Ap[5] + cz)
        else:
            ax, ay, az = 0.0, 0.0, 0.0
            bx, by, bz = turned(E, -g[0], -g[1], -g[2])
        ax, ay, az, bx, by, bz = ax + Ck[0], ay + Ck[1], az + Ck[2], bx + Ck[3], by + Ck[4], bz + Ck[5]
        if kind[k] <= SCREW:
            turn = 0.0 if kind[k] == SLIDE else tree.sign[k] * a[i]
            az += turn
            bz += tree.sign[k] * a[i] if kind[k] == SLIDE else tree.lead[k] * turn
        elif kind[k] == MODAL:
            px, py, pz, sx, sy, sz = modal_motion(tree, k, a)
            ax, ay, az, bx, by, bz = ax + px, ay + py, az + pz, bx + sx, by + sy, bz + sz
        else:
            if kind[k] == FREE:
                sx, sy, sz = turned(E, *back(tree.place[k], a[i], a[i + 1], a[i + 2]))
                bx, by, bz = bx + sx, by + sy, bz + sz
                i += 3
            ax, ay, az = ax + a[i], ay + a[i + 1], az + a[i + 2]
        Ak[0], Ak[1], Ak[2], Ak[3], Ak[4], Ak[5] = ax, ay, az, bx, by, bz


@kernel(internal=True)
def newton_euler(tree, a, tau):
    """tau of accelerations a, where nodes were placed and moved; `outer` forces act on nodes, in their axes."""
    accelerate_nodes(tree, a)
    node_forces(tree)
    gather(tree, tau)
    add_rotors(tree, a, tau)


@kernel(internal=True)
def node_forces(tree):
    """F of all nodes, where they were accelerated: what their own inertia needs beyond `outer`."""
    F = tree.F
    for k in range(F.shape[0]):
        A, Fk, o = tree.A[k], F[k], tree.outer[k]
        nx, ny, nz, fx, fy, fz = inertia_times(tree.inertia[k], A[0], A[1], A[2], A[3], A[4], A[5])
        dx, dy, dz, ex, ey, ez = momentum_rate(tree.inertia[k], tree.V[k])
        Fk[0], Fk[1], Fk[2] = nx + dx - o[0], ny + dy - o[1], nz + dz - o[2]
        Fk[3], Fk[4], Fk[5] = fx + ex - o[3], fy + ey - o[4], fz + ez - o[5]


@kernel(internal=True)
def gather(tree, tau):
    """Hand the forces F of all nodes inward, leaves first; tau is what each joint takes of them."""
    parent, frame, F = tree.parent, tree.frame, tree.F
    for k in range(parent.shape[0] - 1, -1, -1):
        Fk = F[k]
        joint_forces(tree, k, Fk, tau)
        if parent[k] >= 0:
            add_force(F[parent[k]], *at_parent(frame[k], Fk[0], Fk[1], Fk[2], Fk[3], Fk[4], Fk[5]))


@kernel(internal=True, inline=True)
def momentum_rate(G, V):
    """V x* G V."""
    nx, ny, nz, fx, fy, fz = inertia_times(G, V[0], V[1], V[2], V[3], V[4], V[5])
    ax, ay, az = cross(V[0], V[1], V[2], nx, ny, nz)
    bx, by, bz = cross(V[3], V[4], V[5], fx, fy, fz)
    cx, cy, cz = cross(V[0], V[1], V[2], fx, fy, fz)
    return ax + bx, ay + by, az + bz, cx, cy, cz


@kernel(internal=True, inline=True)
def at_parent(E, nx, ny, nz, fx, fy, fz):
    """X^T F: a force at a node, as one at its parent."""
    nx, ny, nz = back(E, nx, ny, nz)
    fx, fy, fz = back(E, fx, fy, fz)
    cx, cy, cz = cross(E[9], E[10], E[11], fx, fy, fz)
    return nx + cx, ny + cy, nz + cz, fx, fy, fz


@kernel(internal=True, inline=True)
def add_force(out, nx, ny, nz, fx, fy, fz):
    out[0] += nx
    out[1] += ny
    out[2] += nz
    out[3] += fx
    out[4] += fy
    out[5] += fz


@kernel(internal=True, inline=True)
def joint_forces(tree, k, F, tau):
    """S^T F of node k."""
    kind, i = tree.kind[k], tree.first_v[k]
    if kind == TURN:
        tau[i] = tree.sign[k] * F[2]
    elif kind == SLIDE:
        tau[i] = tree.sign[k] * F[5]
    elif kind == SCREW:
        tau[i] = tree.sign[k] * (F[2] + tree.lead[k] * F[5])
    elif kind == MODAL:  # coordinates of modes come last, and have been reached
        push_modes(tree, k, F, tau)
    else:
        if kind == FREE:
            x, y, z = back(tree.frame[k], F[3], F[4], F[5])
            tau[i], tau[i + 1], tau[i + 2] = turned(tree.place[k], x, y, z)
            i += 3
        tau[i], tau[i + 1], tau[i + 2] = F[0], F[1], F[2]


@kernel(internal=True)
def composite_inertias(tree, mass):
    """The mass matrix, where nodes were placed: column by column, each by the force that one joint alone would need."""
    for r in range(mass.shape[0]):
        for c in range(mass.shape[1]):
            mass[r, c] = 0.0
    fill_masses(tree, mass)


@kernel(internal=True)
def fill_masses(tree, mass):
    """The same where all that is zero stays so: entries of joints that lie on one way to ground."""
    kind, parent, frame, G, F = tree.kind, tree.parent, tree.frame, tree.composite, tree.F[0]
    first, count = tree.first_v, tree.count_v
    for k in range(kind.shape[0]):
        for j in range(10):
            G[k, j] = tree.inertia[k, j]
    for k in range(kind.shape[0] - 1, -1, -1):
        if parent[k] >= 0:
            _add_inertia(frame[k], G[k], G[parent[k]])
        for d in range(count[k]):
            column = first[k] + d
            wx, wy, wz, ux, uy, uz = axis_of(tree, k, d)
            F[0], F[1], F[2], F[3], F[4], F[5] = inertia_times(G[k], wx, wy, wz, ux, uy, uz)
            at = k
            while True:
                joint_forces(tree, at, F, tree.row)
                for e in range(count[at]):
                    mass[first[at] + e, column] = mass[column, first[at] + e] = tree.row[first[at] + e]
                if parent[at] < 0:
                    break
                F[0], F[1], F[2], F[3], F[4], F[5] = at_parent(frame[at], F[0], F[1], F[2], F[3], F[4], F[5])
                at = parent[at]
    add_rotor_masses(tree, mass)


@kernel(internal=True)
def axis_of(tree, k, d):
    """Column d of S_k."""
    kind, sign = tree.kind[k], tree.sign[k]
    if kind == TURN:
        return 0.0, 0.0, sign, 0.0, 0.0, 0.0
    if kind == SLIDE:
        return 0.0, 0.0, 0.0, 0.0, 0.0, sign
    if kind == SCREW:
        return 0.0, 0.0, sign, 0.0, 0.0, sign * tree.lead[k]
    if kind == MODAL:
        n, S = tree.modal[k, 2], tree.motion
        i = tree.modal[k, 3] + 6 + d
        j = i + 3 * n
        return S[j], S[j + n], S[j + 2 * n], S[i], S[i + n], S[i + 2 * n]
    j = d
    if kind == FREE:
        if d < 3:
            E0 = tree.place[k]
            x, y, z = turned(tree.frame[k], E0[3 * d], E0[3 * d + 1], E0[3 * d + 2])
            return 0.0, 0.0, 0.0, x, y, z
        j = d - 3
    return 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0, 0.0, 0.0, 0.0


@kernel(internal=True)
def _add_inertia(E, G, out):
    """The inertia of a node, in its parent's axes about the parent's origin, added to `out`."""
    m = G[0]
    hx, hy, hz = back(E, G[1], G[2], G[3])
    xx, xy, xz, yy, yz, zz = symmetric_back(E, G[4], G[7], G[8], G[5], G[9], G[6])
    x, y, z = E[9], E[10], E[11]
    # about the other origin: J + 2 (p.h) 1 - p h^T - h p^T + m (p.p 1 - p p^T)
    dot, square = 2.0 * (x * hx + y * hy + z * hz), m * (x * x + y * y + z * z)
    out[0] += m
    out[1] += hx + m * x
    out[2] += hy + m * y
    out[3] += hz + m * z
    out[4] += xx + dot - 2.0 * x * hx + square - m * x * x
    out[5] += yy + dot - 2.0 * y * hy + square - m * y * y
    out[6] += zz + dot - 2.0 * z * hz + square - m * z * z
    out[7] += xy - x * hy - y * hx - m * x * y
    out[8] += xz - x * hz - z * hx - m * x * z
    out[9] += yz - y * hz - z * hy - m * y * z


@kernel(internal=True)
def symmetric_back(E, xx, xy, xz, yy, yz, zz):
    """E^T (symmetric) E."""
    a0, a1, a2 = back(E, xx, xy, xz)
    b0, b1, b2 = back(E, xy, yy, yz)
    c0, c1, c2 = back(E, xz, yz, zz)
    r00, r01, r02 = back(E, a0, b0, c0)
    _, r11, r12 = back(E, a1, b1, c1)
    _, _, r22 = back(E, a2, b2, c2)
    return r00, r01, r02, r11, r12, r22
