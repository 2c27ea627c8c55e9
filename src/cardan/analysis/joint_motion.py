"""States in joint coordinates as a trajectory of bodies: positions, velocities and accelerations of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.results.trajectory import Trajectory
from cardan.system.spanning import Spanning
from cardan.system.system import System
from cardan.system.tree_batch import velocities_of
from cardan.system.tree_kernels import TURN


def bodies_of(
    system: System,
    spanning: Spanning,
    tree: Any,
    start: np.ndarray,
    state: tuple[np.ndarray, np.ndarray, np.ndarray],
    reference: np.ndarray,
) -> Trajectory:
    """One instant for each line of q, v and a; `start` is the position of all bodies from which the tree was found."""
    q, v, a = state
    count, nodes = q.shape[0], len(spanning.nodes)
    world, V, A = np.zeros((count, nodes, 12)), np.zeros((count, nodes, 6)), np.zeros((count, nodes, 6))
    velocities_of(tree, q, v, a, world, V, A)
    space = system.space
    stored, width = space.stored, space.width
    positions = np.tile(start, (count, 1))
    speeds, rates = np.zeros((2, count, system.speeds().size))
    for number, seat in spanning.seats.items():
        if number == 0 or seat.node < 0:
            continue
        W = world[:, seat.node, :9].reshape(-1, 3, 3)
        axes, arm = W @ seat.axes, seat.origin
        origin = world[:, seat.node, 9:] + W @ arm
        w, u = V[:, seat.node, :3], V[:, seat.node, 3:]
        dw, du = A[:, seat.node, :3], A[:, seat.node, 3:]
        velocity = u + np.cross(w, arm)
        # the second derivative of the origin: du is that of [w | u] in axes that turn
        second = du + np.cross(dw, arm) + np.cross(w, velocity)
        at = slice(stored * number, stored * (number + 1))
        turns = start[at][-1] + _turned(spanning, tree, seat.node, q)
        for k in range(count):
            positions[k, at] = space.from_space(axes[k], origin[k], float(turns[k]))
        place = slice(width * number, width * (number + 1))
        linear, linear_rate = np.einsum("kij,kj->ki", W, velocity), np.einsum("kij,kj->ki", W, second)
        if space.dimensions == 2:
            speeds[:, place] = np.column_stack([linear[:, :2], np.einsum("kij,kj->ki", W, w)[:, 2]])
            rates[:, place] = np.column_stack([linear_rate[:, :2], np.einsum("kij,kj->ki", W, dw)[:, 2]])
        else:
            speeds[:, place] = np.concatenate([linear, w @ seat.axes], axis=1)
            rates[:, place] = np.concatenate([linear_rate, dw @ seat.axes], axis=1)
    run = Trajectory(system, np.zeros(count), positions, speeds, rates, analysis="states in joint coordinates")
    run.turns = np.tile(reference[system.winding], (count, 1))
    return run


def _turned(spanning: Spanning, tree: Any, node: int, q: np.ndarray) -> np.ndarray:
    """By how much joints have turned a planar body since the position from which the tree was found."""
    total, at = np.zeros(q.shape[0]), node
    while at >= 0:
        if tree.kind[at] == TURN:
            place = tree.first_q[at]
            total += tree.sign[at] * (q[:, place] - spanning.q[place])
        at = int(tree.parent[at])
    return total
