"""Speeds of the joints of a tree from velocities of bodies, joint by joint.

    [ w_b - w_a              ]   [ axis          ]
    [ v_b - v_a - w_a x (b-a)] = [ axis x (b - o)] s  + ...     one column for each coordinate of the joint

It takes as long as there are joints. Velocities that violate joints of the tree are met joint by joint, in the sense of
least squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.numerics.linalg.rank import NOISE
from cardan.system.tree.recursion.kernels import BALL, FREE, SCREW, SLIDE, TURN
from cardan.system.tree.spanning import Spanning


def joint_speeds(
    spanning: Spanning, tree: Any, twists: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]], count: int
) -> np.ndarray:
    """`count` speeds, where nodes were placed; `twists` are angular velocity, velocity and origin of each body, in the
    world."""
    still = np.zeros(3), np.zeros(3), np.zeros(3)
    on_node = {seat.node: twists.get(number, still) for number, seat in spanning.seats.items()}
    on_node[-1] = still
    found = np.zeros(count)
    last = 0
    for _, steps in spanning.chains:
        nodes = range(last, last + len(steps))
        last += len(steps)
        if not steps:
            continue
        w_a, v_a, a = on_node[int(tree.parent[nodes[0]])]
        w_b, v_b, b = on_node[nodes[-1]]
        columns = np.hstack([_columns(tree, k, b) for k in nodes])
        right = np.concatenate([w_b - w_a, v_b - v_a - np.cross(w_a, b - a)])
        first = int(tree.first_v[nodes[0]])
        found[first : first + columns.shape[1]] = np.linalg.lstsq(columns, right, rcond=NOISE)[0]
    return found


def _columns(tree: Any, k: int, point: np.ndarray) -> np.ndarray:
    """Angular velocity, and velocity of a point, for each speed of a node."""
    kind, sign, world = int(tree.kind[k]), float(tree.sign[k]), tree.world[k]
    axes, arm = world[:9].reshape(3, 3), point - world[9:]
    z = axes[:, 2]
    if kind == SLIDE:
        return np.asarray(sign * np.concatenate([np.zeros(3), z])[:, None])
    if kind in (TURN, SCREW):
        return np.asarray(sign * np.concatenate([z, np.cross(z, arm) + tree.lead[k] * z])[:, None])
    turning = np.vstack([axes, np.cross(axes.T, arm).T])
    if kind == BALL:
        return turning
    assert kind == FREE
    straight = np.vstack([np.zeros((3, 3)), tree.place[k, :9].reshape(3, 3).T])
    return np.hstack([straight, turning])
