"""Flexible bodies on a tree: their inertia forces and masses, by the functions that Cartesian coordinates use.

    M = sum of nodes J_k^T I_k J_k  +  sum of flexible bodies [J_b; eta']^T M_b(eta) [J_b; eta']

J_k are the speeds of a node from those on its way to ground, among them those of modes of bodies on the way. M costs
the square of the length of the way for each body. It is factorized by branches, as for rigid bodies: modes of a body
lie between the joints on its way to ground and those of the bodies that it carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.space import inertia_forces, mass_blocks, modal_energy
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.bodies import PLANE, accelerate_bodies, hand_to_nodes
from cardan.system.tree.recursion.kernels import (
    accelerate_nodes,
    add_columns,
    fill_masses,
    gather,
    inertia_times,
    newton_euler,
    node_forces,
)
from cardan.system.tree.recursion.modal import MODAL
from cardan.system.tree.recursion.rotors import add_rotor_masses, add_rotors
from cardan.system.tree.recursion.vectors import back, turned


class ModalBodies(NamedTuple):
    """The flexible bodies on a tree; empty if there are none."""

    body: np.ndarray  # int64[n]: their places in `TreeTables.body`,
    node: np.ndarray  # int64[n]: their nodes,
    count: np.ndarray  # int64[n]: numbers of modes,
    first: np.ndarray  # int64[n]: the first of their speeds,
    entry: np.ndarray  # int64[n]: and of their entries in the table of masses
    way_start: np.ndarray  # int64[nodes + 1]: of each node the speeds on its way to ground
    way: np.ndarray
    rotation: np.ndarray  # float64[3, nv]: columns of the speeds of a node
    point: np.ndarray  # float64[3, nv]
    J: np.ndarray  # float64[6, nv]: the same in its axes
    six: np.ndarray  # float64[6]
    force: np.ndarray  # float64: inertia forces, numbered as the speeds of bodies


def modal_bodies(system: Any, tree: Any, seats: Sequence[tuple[int, Any]]) -> Any:
    """The block of a system; `seats` has the numbers of its bodies and where they sit, in the order of `TreeTables`."""
    found = list(deformed_bodies(system.contact_coordinates).values())
    place = {number: k for k, (number, _) in enumerate(seats)}
    tail, speeds = len(system.contact_coordinates), int(tree.count_v.sum())
    width = system.width
    entry, at = [], width * (width + 1) // 2 * (1 + len(system.bodies))
    for body, _ in found:
        entry.append(at)
        at += width * body.part.modes + body.part.modes * (body.part.modes + 1) // 2
    ways = _ways(tree) if found else []
    n = speeds if found else 0
    places = [place[system.number[id(body)]] for body, _ in found]
    tables = ModalBodies(
        body=np.array(places, np.int64),
        node=np.array([seats[k][1].node for k in places], np.int64),
        count=np.array([body.part.modes for body, _ in found], np.int64),
        first=np.array([speeds - tail + first for _, first in found], np.int64),
        entry=np.array(entry, np.int64),
        way_start=np.cumsum([0, *(len(way) for way in ways)]).astype(np.int64),
        way=np.array([speed for way in ways for speed in way], np.int64),
        rotation=np.zeros((3, n)),
        point=np.zeros((3, n)),
        J=np.zeros((6, n)),
        six=np.zeros(6),
        force=np.zeros(system.speeds().size if found else 0),
    )
    return block(tables)


def _ways(tree: Any) -> list[list[int]]:
    """The speeds on the way of each node to ground."""
    ways: list[list[int]] = []
    for k, parent in enumerate(tree.parent.tolist()):
        first, count = int(tree.first_v[k]), int(tree.count_v[k])
        if tree.kind[k] == MODAL:
            first, count = int(tree.modal[k, 1]), int(tree.modal[k, 2])
        before = ways[parent] if parent >= 0 else []
        ways.append([*before, *(speed for speed in range(first, first + count) if speed not in before)])
    return ways


@kernel(internal=True)
def inverse_dynamics(joint, a, tau):
    """tau of accelerations a, where nodes were placed and moved; `outer` forces act on nodes, in their axes."""
    modes, tree = joint.modes, joint.tree
    if modes.body.shape[0] == 0:
        newton_euler(tree, a, tau)
        return
    accelerate_nodes(tree, a)
    node_forces(tree)
    accelerate_bodies(joint)
    cartesian, force, width = joint.cartesian, modes.force, joint.sizes.body_speeds
    inertia_forces(cartesian.geometry, cartesian.matter, cartesian.gravity, cartesian.place, joint.v, joint.a, force)
    for b in range(joint.body.shape[0]):  # those of rigid bodies are in the tree
        for i in range(width * joint.body[b], width * (joint.body[b] + 1)):
            force[i] = -force[i] if _is_flexible(modes, b) else 0.0
    hand_to_nodes(joint, force, tree.F)
    for k in range(-joint.sizes.internal, 0):
        tree.F[k, 5] -= force[k]
    gather(tree, tau)
    add_rotors(tree, a, tau)


@kernel(internal=True)
def _is_flexible(modes, b):
    found = False
    for k in range(modes.body.shape[0]):
        found |= modes.body[k] == b
    return found


@kernel(internal=True)
def push_modal_coordinates(joint, push, out):
    """Forces along modal coordinates, numbered as the speeds of bodies, added to those on nodes."""
    if joint.modes.body.shape[0]:
        for k in range(-joint.sizes.internal, 0):
            out[k, 5] += push[k]


@kernel(internal=True)
def fill_joint_masses(joint, M):
    """The mass matrix at the position evaluated last."""
    modes = joint.modes
    if modes.body.shape[0] == 0:
        fill_masses(joint.tree, M)
        return
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            M[i, j] = 0.0
    cartesian = joint.cartesian
    mass_blocks(cartesian.geometry, cartesian.matter, cartesian.place, cartesian.mass)
    for k in range(joint.tree.kind.shape[0]):
        G, heavy = joint.tree.inertia[k], False
        for i in range(10):
            heavy |= G[i] != 0.0
        if heavy:
            _add_node(joint, k, M)
    for f in range(modes.body.shape[0]):
        _add_body(joint, f, M)
    add_rotor_masses(joint.tree, M)


@kernel(internal=True)
def _find_columns(joint, k, x, y, z):
    """Speeds of a node, at a point of the world, from those on its way: `rotation` and `point`, in the world."""
    modes = joint.modes
    for e in range(modes.way_start[k], modes.way_start[k + 1]):
        for i in range(3):
            modes.rotation[i, modes.way[e]] = modes.point[i, modes.way[e]] = 0.0
    add_columns(joint.tree, np.int64(k), x, y, z, modes.rotation, modes.point)


@kernel(internal=True)
def _add_node(joint, k, M):
    """J^T I J of what a node carries itself."""
    modes, W, F, J, G = joint.modes, joint.tree.world[k], joint.modes.six, joint.modes.J, joint.tree.inertia[k]
    _find_columns(joint, k, W[9], W[10], W[11])
    way, first, behind = modes.way, modes.way_start[k], modes.way_start[k + 1]
    for e in range(first, behind):
        j = way[e]
        J[0, j], J[1, j], J[2, j] = back(W, modes.rotation[0, j], modes.rotation[1, j], modes.rotation[2, j])
        J[3, j], J[4, j], J[5, j] = back(W, modes.point[0, j], modes.point[1, j], modes.point[2, j])
    for e in range(first, behind):
        i = way[e]
        F[0], F[1], F[2], F[3], F[4], F[5] = inertia_times(G, J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i])
        _add_products(M, F, J, way, first, e, 6)


@kernel(internal=True)
def _add_products(M, F, J, way, first, e, width):
    """Add F . J_j to both entries of each pair of speed e and those before it on the way."""
    i = way[e]
    for d in range(first, e + 1):
        j = way[d]
        total = 0.0
        for c in range(width):
            total += F[c] * J[c, j]
        M[i, j] += total
        if d < e:
            M[j, i] += total


@kernel(internal=True)
def _add_body(joint, f, M):
    """[J; eta']^T M_b [J; eta'] of a flexible body."""
    modes, b, width = joint.modes, joint.modes.body[f], joint.sizes.body_speeds
    k, W, S, J, F = joint.node[b], joint.tree.world[joint.node[b]], joint.seat[b], joint.modes.J, joint.modes.six
    x, y, z = turned(W, S[9], S[10], S[11])
    _find_columns(joint, k, W[9] + x, W[10] + y, W[11] + z)
    way, first, behind = modes.way, modes.way_start[k], modes.way_start[k + 1]
    for e in range(first, behind):
        j = way[e]
        wx, wy, wz = modes.rotation[0, j], modes.rotation[1, j], modes.rotation[2, j]
        if width == PLANE:
            J[0, j], J[1, j], J[2, j] = modes.point[0, j], modes.point[1, j], wz
        else:
            J[0, j], J[1, j], J[2, j] = modes.point[0, j], modes.point[1, j], modes.point[2, j]
            J[3, j], J[4, j], J[5, j] = back(S, *back(W, wx, wy, wz))
    block_of, flat = joint.cartesian.mass[joint.body[b]], joint.cartesian.flat
    for e in range(first, behind):
        i = way[e]
        for r in range(width):
            F[r] = 0.0
            for c in range(width):
                place = r * (r + 1) // 2 + c if c <= r else c * (c + 1) // 2 + r
                F[r] += block_of[place] * J[c, i]
        _add_products(M, F, J, way, first, e, width)
    entry, eta = modes.entry[f], modes.first[f]
    for m in range(modes.count[f]):
        for e in range(first, behind):
            i, total = way[e], 0.0
            for c in range(width):
                total += flat[entry + width * m + c] * J[c, i]
            M[eta + m, i] += total
            M[i, eta + m] += total
    entry += width * modes.count[f]
    for m in range(modes.count[f]):
        for d in range(m + 1):
            mass = flat[entry + m * (m + 1) // 2 + d]
            M[eta + m, eta + d] += mass
            if d < m:
                M[eta + d, eta + m] += mass


@kernel(internal=True)
def energy_of_bodies(joint):
    """The kinetic energy of flexible bodies, with the masses of the last factorization."""
    modes, v, width, energy = joint.modes, joint.v, joint.sizes.body_speeds, 0.0
    if modes.body.shape[0] == 0:
        return 0.0
    for f in range(modes.body.shape[0]):
        number = joint.body[modes.body[f]]
        mass, first = joint.cartesian.mass[number], width * number
        for r in range(width):
            for c in range(r + 1):
                share = 0.5 if r == c else 1.0
                energy += share * mass[r * (r + 1) // 2 + c] * v[first + r] * v[first + c]
    return energy + modal_energy(joint.cartesian.geometry, joint.cartesian.mass, v)
