"""The equations of a tree at one state, in arrays that are there already: what a controller calls at every cycle.

Each kernel takes one block, reads the state from it and leaves its result in it. It returns 0, STATE_NOT_FINITE, or,
like `accelerations_of`, 1 + a node without inertia.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import all_finite
from cardan.system.tree.recursion.articulated import fold_forces, fold_inertias, spread, start_forces
from cardan.system.tree.recursion.kernels import (
    axis_of,
    cross,
    fill_masses,
    move_nodes,
    newton_euler,
    place_node,
    place_nodes,
    turned,
    world_of,
)

STATE_NOT_FINITE = -1


class OneState(NamedTuple):
    """A state of a tree, and the results there."""

    tree: Any
    q: np.ndarray  # float64[nq]
    v: np.ndarray  # float64[nv]
    a: np.ndarray  # float64[nv]: accelerations, given or found
    tau: np.ndarray  # float64[nv]: joint forces, given or found
    other: np.ndarray  # float64[nv]
    mass: np.ndarray  # float64[nv, nv]


class PointState(NamedTuple):
    """A point of a tree at a state, and its Jacobians."""

    tree: Any
    q: np.ndarray  # float64[nq]
    way: np.ndarray  # int64: the nodes from ground to the point
    point: np.ndarray  # float64[3]: in the axes of the last of them
    columns: np.ndarray  # float64[6, nv]: of its velocity, and of the angular velocity below


def one_state(tree: Any, positions: int, speeds: int) -> Any:
    """The block for one state of a tree."""
    v, a, tau, other = np.zeros((4, speeds))
    return block(OneState(tree, np.zeros(positions), v, a, tau, other, np.zeros((speeds, speeds))))


def point_state(tree: Any, q: np.ndarray, node: int, point: np.ndarray, columns: np.ndarray) -> Any:
    """The block for a point; `columns` are where its Jacobians will be."""
    way = []
    while node >= 0:
        way.append(node)
        node = int(tree.parent[node])
    return block(PointState(tree, q, np.array(way[::-1], np.int64), point.copy(), columns))


@kernel
def torques_here(state):
    """tau of a."""
    if not (all_finite(state.q) and all_finite(state.v) and all_finite(state.a)):
        return STATE_NOT_FINITE
    place_nodes(state.tree, state.q)
    move_nodes(state.tree, state.v)
    newton_euler(state.tree, state.a, state.tau)
    return 0


@kernel
def gravity_here(state):
    """tau of a tree at rest; v and a become zero."""
    if not all_finite(state.q):
        return STATE_NOT_FINITE
    place_nodes(state.tree, state.q)
    _rest(state)
    return 0


@kernel
def bias_here(state):
    """tau without accelerations and gravity; v and a become zero."""
    if not (all_finite(state.q) and all_finite(state.v)):
        return STATE_NOT_FINITE
    place_nodes(state.tree, state.q)
    move_nodes(state.tree, state.v)
    for i in range(state.a.shape[0]):
        state.a[i] = 0.0
    newton_euler(state.tree, state.a, state.tau)
    for i in range(state.a.shape[0]):
        state.other[i] = state.tau[i]
    _rest(state)
    for i in range(state.a.shape[0]):
        state.tau[i] = state.other[i] - state.tau[i]
    return 0


@kernel(internal=True)
def _rest(state):
    """tau at rest, where nodes were placed."""
    for i in range(state.v.shape[0]):
        state.v[i] = state.a[i] = 0.0
    move_nodes(state.tree, state.v)
    newton_euler(state.tree, state.a, state.tau)


@kernel
def accelerations_here(state):
    """a under tau."""
    if not (all_finite(state.q) and all_finite(state.v) and all_finite(state.tau)):
        return STATE_NOT_FINITE
    tree, g = state.tree, state.tree.gravity
    place_nodes(tree, state.q)
    move_nodes(tree, state.v)
    status = fold_inertias(tree)
    if status:
        return np.int64(status)
    start_forces(tree)
    fold_forces(tree, state.tau, tree.C)
    spread(tree, tree.C, g[0], g[1], g[2], state.a)
    return 0


@kernel
def mass_matrix_here(state):
    """The mass matrix, whose zeros are those of the tree."""
    if not all_finite(state.q):
        return STATE_NOT_FINITE
    place_nodes(state.tree, state.q)
    fill_masses(state.tree, state.mass)
    return 0


@kernel
def jacobian_here(state):
    """Columns of the joints between ground and the point; others stay zero."""
    if not all_finite(state.q):
        return STATE_NOT_FINITE
    tree, way, last = state.tree, state.way, state.way.shape[0] - 1
    for n in range(last + 1):
        place_node(tree, way[n], state.q)
        world_of(tree, way[n])
    if last < 0:
        return 0
    W, p = tree.world[way[last]], state.point
    x, y, z = turned(W, p[0], p[1], p[2])
    x, y, z = W[9] + x, W[10] + y, W[11] + z
    J = state.columns
    for n in range(last + 1):
        k = way[n]
        W, j = tree.world[k], tree.first_v[k]
        for d in range(tree.count_v[k]):
            wx, wy, wz, ux, uy, uz = axis_of(tree, k, d)
            ax, ay, az = turned(W, wx, wy, wz)
            bx, by, bz = turned(W, ux, uy, uz)
            cx, cy, cz = cross(ax, ay, az, x - W[9], y - W[10], z - W[11])
            J[0, j + d], J[1, j + d], J[2, j + d] = bx + cx, by + cy, bz + cz
            J[3, j + d], J[4, j + d], J[5, j + d] = ax, ay, az
    return 0
