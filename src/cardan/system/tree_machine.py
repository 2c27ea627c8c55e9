"""A mechanism in joint coordinates as integrators see it: the tree, where bodies sit on it, and their tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.block import block
from cardan.system.spanning import Spanning
from cardan.system.system import System
from cardan.system.tree import tree_table
from cardan.system.tree_kernels import TURN


class JointMachine(NamedTuple):
    """All that `cardan.system.tree_motion.act_tree` needs."""

    machine: Any  # in Cartesian coordinates: measures, rows, forces, events, settings and counts
    tree: Any
    sizes: np.ndarray  # int64[4]: coordinates, speeds; speeds and numbers of a body
    body: np.ndarray  # int64[n]: number of each body that sits on a node,
    node: np.ndarray  # int64[n]: the node,
    seat: np.ndarray  # float64[n, 12]: axes as columns, row by row, and origin in the node's frame,
    turn: np.ndarray  # float64[n]: and its angle less those of the joints on the way from ground, in the plane
    row: np.ndarray  # int64[m]: equations of what is cut
    velocity: np.ndarray  # uint8[m]: those on velocities
    entry_start: np.ndarray  # int64[m + 1]: their non-zeros,
    entry: np.ndarray  # int64: by place in the table of the solver
    dropped: np.ndarray  # uint8[m]: equations that depend on others
    Phi: np.ndarray  # float64[m, nv]
    X: np.ndarray  # float64[m, nv]: M^-1 Phi^T, line by line
    W: np.ndarray  # float64[m, m]: factors of Phi X
    right: np.ndarray  # float64[m]
    size: np.ndarray  # float64[nv]: what one unit of a speed counts as, relative to the model's length
    step: np.ndarray  # float64[nv]
    nothing: np.ndarray  # float64[nv]: zeros
    rates: np.ndarray  # float64[nq]
    v: np.ndarray  # speeds of all bodies,
    a: np.ndarray  # their accelerations,
    push: np.ndarray  # and forces on them


def joint_machine(system: System, machine: Any, spanning: Spanning, start: np.ndarray) -> Any:
    """The block of a system whose spanning tree was found at the position `start`."""
    gravity = np.zeros(3)
    gravity[: system.space.dimensions] = system.model.gravity
    tree = tree_table(spanning.nodes, gravity.tolist())
    nq, nv = len(spanning.coordinates), len(spanning.speeds)
    seats = [(number, seat) for number, seat in spanning.seats.items() if number and seat.node >= 0]
    rows = [r for r, k in enumerate(system.owner) if any(system.elements[k] is e for e in spanning.cut)]
    entries = [np.flatnonzero(system.solver.row == r) for r in rows]
    m, size = len(rows), system.speeds().size
    tables = JointMachine(
        machine=machine,
        tree=tree,
        sizes=np.array([nq, nv, system.width, system.space.stored], np.int64),
        body=np.array([number for number, _ in seats], np.int64),
        node=np.array([seat.node for _, seat in seats], np.int64),
        seat=np.array([[*seat.axes.ravel(), *seat.origin] for _, seat in seats], float).reshape(-1, 12),
        turn=np.array([_turn(system, spanning, tree, start, *seat) for seat in seats], float),
        row=np.array(rows, np.int64),
        velocity=system.rows.velocity[rows].astype(np.uint8) if m else np.zeros(0, np.uint8),
        entry_start=np.concatenate([[0], np.cumsum([e.size for e in entries])]).astype(np.int64),
        entry=np.concatenate([*entries, np.zeros(0, int)]).astype(np.int64),
        dropped=np.zeros(m, np.uint8),
        Phi=np.zeros((m, nv)),
        X=np.zeros((m, nv)),
        W=np.zeros((m, m)),
        right=np.zeros(m),
        size=_sizes(system, spanning),
        step=np.zeros(nv),
        nothing=np.zeros(nv),
        rates=np.zeros(nq),
        v=np.zeros(size),
        a=np.zeros(size),
        push=np.zeros(size),
    )
    machine.place[:] = start
    return block(tables)


def _turn(system: System, spanning: Spanning, tree: Any, start: np.ndarray, number: int, seat: Any) -> float:
    """The stated angle of a planar body, less what the joints on the way to it have turned."""
    stored = system.space.stored
    total, at = float(start[stored * (number + 1) - 1]), seat.node
    while at >= 0:
        if tree.kind[at] == TURN:
            total -= float(tree.sign[at] * spanning.q[tree.first_q[at]])
        at = int(tree.parent[at])
    return total


def _sizes(system: System, spanning: Spanning) -> np.ndarray:
    """1 for speeds that are angular, 1 / length for those that are not."""
    straight = ("travel", "x", "y", "z", "vx", "vy", "vz")
    return np.array([1.0 / system.length if name.rsplit(".", 1)[-1] in straight else 1.0 for name in spanning.speeds])
