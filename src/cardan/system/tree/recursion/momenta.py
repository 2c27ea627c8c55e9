"""Momenta of a tree and the slopes of its Lagrangian, by one recursion inward (Featherstone's vectors, De Sapio 5.6).

    h_k = I_k V_k + sum of children X^T h       momentum of node k with all that hangs on it
    p_k = S_k^T h_k                             p = M v, without M
    dL/dq_k = S_k^T (f_k - Z_k x* h_k)          f: weight and forces likewise, Z = V less the joint's own turning

A displacement S of joint k, speeds kept, changes the velocity of all that it carries by Z x S, and T by h . (Z x S).
For balls dL/dq is along rotations about the axes of the body, and p' = dL/dq + p x w there.
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.kernels import (
    BALL,
    add_force,
    at_parent,
    find_world,
    inertia_times,
    joint_forces,
    move_nodes,
    place_nodes,
)
from cardan.system.tree.recursion.rotors import add_rotors
from cardan.system.tree.recursion.vectors import back, cross


@kernel
def momenta_of(tree, outer, q, v, p, slope):
    """p = M v and dL/dq for each line of positions and speeds; `outer` is room for the forces on nodes."""
    for s in range(q.shape[0]):
        place_nodes(tree, q[s])
        find_world(tree)
        move_nodes(tree, v[s])
        for k in range(outer.shape[0]):
            for j in range(6):
                outer[k, j] = 0.0
        add_weights(tree, outer)
        find_momenta(tree, outer, v[s], p[s], slope[s])


@kernel(internal=True)
def add_weights(tree, outer):
    """Weights of all nodes, where their axes in the world are known, added to the forces on them."""
    gravity = tree.gravity
    for k in range(outer.shape[0]):
        G, W = tree.inertia[k], tree.world[k]
        gx, gy, gz = back(W, gravity[0], gravity[1], gravity[2])
        nx, ny, nz = cross(G[1], G[2], G[3], gx, gy, gz)
        add_force(outer[k], nx, ny, nz, G[0] * gx, G[0] * gy, G[0] * gz)


@kernel(internal=True)
def find_momenta(tree, outer, v, p, slope):
    """p and dL/dq where nodes were placed and moved; `outer` are the forces on each of them, and is used up."""
    kind, parent, frame, h, part = tree.kind, tree.parent, tree.frame, tree.F, tree.six
    for k in range(kind.shape[0]):
        V, H = tree.V[k], h[k]
        H[0], H[1], H[2], H[3], H[4], H[5] = inertia_times(tree.inertia[k], V[0], V[1], V[2], V[3], V[4], V[5])
    for k in range(kind.shape[0] - 1, -1, -1):
        H, f, V = h[k], outer[k], tree.V[k]
        joint_forces(tree, k, H, p)
        wx, wy, wz = V[0], V[1], V[2]
        if kind[k] >= BALL:
            i = tree.first_v[k] + tree.count_v[k] - 3
            wx, wy, wz = wx - v[i], wy - v[i + 1], wz - v[i + 2]
        ax, ay, az = cross(wx, wy, wz, H[0], H[1], H[2])
        bx, by, bz = cross(V[3], V[4], V[5], H[3], H[4], H[5])
        cx, cy, cz = cross(wx, wy, wz, H[3], H[4], H[5])
        part[0], part[1], part[2] = f[0] - ax - bx, f[1] - ay - by, f[2] - az - bz
        part[3], part[4], part[5] = f[3] - cx, f[4] - cy, f[5] - cz
        joint_forces(tree, k, part, slope)
        if parent[k] >= 0:
            E, up = frame[k], parent[k]
            add_force(h[up], *at_parent(E, H[0], H[1], H[2], H[3], H[4], H[5]))
            add_force(outer[up], *at_parent(E, f[0], f[1], f[2], f[3], f[4], f[5]))
    add_rotors(tree, v, p)
