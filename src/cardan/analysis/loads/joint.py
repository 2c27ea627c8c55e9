"""Forces of a driven motion in joint coordinates, by the recursive Newton-Euler algorithm.

    e = Q - M a - h = J^T lambda          total load of all equations on each body

    1  B^T e, propagated inward joint by joint, is the load of cut rows and drivers: Phi^T lambda_cut + lambda_driven =
       B^T e
    2  without these, the load of a leaf is that of its joint:       J_leaf^T lambda_joint = e_leaf,   three or six rows
    3  the reaction of the joint is subtracted from e of the preceding body, which is then a leaf, and so on to ground

No matrix is larger than the number of cut rows. Redundant constraints share loads by least norm, which does not depend
on the tree: Cartesian coordinates are used then, as well as for forces that read reactions and for contact points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import bodies_of
from cardan.analysis.loads.known_motion import evaluate_at, finish_at, forces_at, known_motion, loads_found
from cardan.model.device import Multiplier
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_lu import factorize_dense, solve_dense
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory
from cardan.system.system import System
from cardan.system.tree.bodies import find_phi, hand_to_nodes
from cardan.system.tree.recursion.kernels import gather
from cardan.system.tree.state import evaluate_tree
from cardan.system.tree.tables import JointTables


class Order(NamedTuple):
    """Joints of the tree, leaves first, and the nonzeros of all rows."""

    child: np.ndarray  # int64[n]: the outer body of each joint,
    row_start: np.ndarray  # int64[n + 1]
    row: np.ndarray  # int64: and the rows of the joint
    entry_start: np.ndarray  # int64[nr + 1]: of each row
    entry: np.ndarray  # int64: indices in the table of the solver


class Workspace(NamedTuple):
    """Work arrays for one state."""

    e: np.ndarray  # float64[nv]: the remaining load
    tau: np.ndarray  # float64: B^T e
    K: np.ndarray  # float64[m, m]
    pivot: np.ndarray  # int64[m]
    x: np.ndarray  # float64[m]
    A: np.ndarray  # float64[6, 7]: rows of one joint as columns, and their load
    R: np.ndarray  # float64[6, 7]: its triangle


def joint_loads(run: Trajectory, tables: JointTables, joint_q: np.ndarray) -> Loads | None:
    """Multipliers and applied forces of a motion in joint coordinates; None if Cartesian coordinates are needed.

    `joint_q` holds the joint coordinates at its output times."""
    system, joint = run.system, tables.joint
    m = joint.row.size
    if (
        run.set_aside
        or system.misfits
        or system.contact_coordinates
        or _reads_reactions(system)
        or joint.unknown.size != m
    ):
        return None
    small = np.zeros((m, m)), np.zeros(m, np.int64), np.zeros(m), np.zeros((6, 7)), np.zeros((6, 7))
    room = Workspace(system.speeds(), np.zeros(len(tables.spanning.speeds)), *small)
    motion, bodies = known_motion(run), bodies_of(system, np.ones(system.row_count, np.uint8), work=system.work())
    done = _loads(motion, bodies, joint, joint_q.copy(), block(_order(system, tables)), block(room))
    if done < run.times.size:  # singular, or a force fails: Cartesian coordinates report why
        return None
    return loads_found(run, motion, done)


def _reads_reactions(system: System) -> bool:
    inputs = [signal for reader in system.readers for signal in reader.inputs]
    return any(isinstance(signal, Multiplier) for signal in (*inputs, *(law.signal for law in system.laws)))


def _order(system: System, tables: JointTables) -> Order:
    """The connections of the tree: from ground outward each joint reaches one more body."""
    children, rows, away = [], [], set(range(1, 1 + len(system.bodies)))
    waiting: list[Any] = list(tables.spanning.carried)
    ends = [{system.number[id(joint.a.body)], system.number[id(joint.b.body)]} for joint in waiting]
    while ends:
        k = next((k for k, pair in enumerate(ends) if len(pair & away) == 1), None)
        if k is None:  # bodies without a joint float
            away.remove(min(away))
            continue
        (child,) = ends.pop(k) & away
        away.remove(child)
        children.append(child)
        rows.append(system.rows_of(waiting.pop(k)))
    by_row = np.argsort(system.solver.row, kind="stable")
    counts = np.bincount(system.solver.row, minlength=system.row_count)
    children, rows = children[::-1], rows[::-1]
    return Order(
        np.array(children, np.int64),
        np.concatenate([[0], np.cumsum([part.size for part in rows])]).astype(np.int64),
        np.concatenate([*rows, np.zeros(0)]).astype(np.int64),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        by_row.astype(np.int64),
    )


@kernel
def _loads(motion, bodies, joint, joint_q, order, room):
    """Multipliers of all output times. Returns how many were found."""
    e, width, solver, work = room.e, joint.sizes.body_speeds, bodies.solver, bodies.work
    for i in range(motion.times.shape[0]):
        multipliers = motion.multipliers[i]
        if evaluate_at(motion, i, bodies) or forces_at(motion, i, bodies, e):
            return i
        if evaluate_tree(joint, motion.times[i], joint_q[i]) or not _carry_by_cut_rows(joint, room, multipliers):
            return i
        for k in range(joint.row.shape[0]):
            _take(solver, work, order, joint.row[k], multipliers, e)
        for k in range(joint.prescribed_row.shape[0]):
            _take(solver, work, order, joint.prescribed_row[k], multipliers, e)
        for k in range(order.child.shape[0]):
            first, count = order.row_start[k], order.row_start[k + 1] - order.row_start[k]
            _carry_by_joint(bodies, order, first, count, width * order.child[k], width, room, multipliers)
            for j in range(first, first + count):
                _take(solver, work, order, order.row[j], multipliers, e)
        finish_at(motion, i, bodies)
    return motion.times.shape[0]


@kernel(once=True)
def _carry_by_cut_rows(joint, room, multipliers):
    """Multipliers of cut rows and of drivers that prescribe joints. False if they are not determined."""
    F, tau, K, x, Phi = joint.tree.F, room.tau, room.K, room.x, joint.Phi
    for k in range(F.shape[0]):
        for j in range(6):
            F[k, j] = 0.0
    hand_to_nodes(joint, room.e, F)
    gather(joint.tree, tau)
    find_phi(joint)
    for a in range(x.shape[0]):
        x[a] = tau[joint.unknown[a]]
        for r in range(x.shape[0]):
            K[a, r] = Phi[r, joint.unknown[a]]
    if not factorize_dense(K, room.pivot):
        return False
    solve_dense(K, room.pivot, x)
    for r in range(x.shape[0]):
        multipliers[joint.row[r]] = x[r]
    for k in range(joint.prescribed_row.shape[0]):
        j = joint.tree.first_v[joint.prescribed_node[k]]
        total = tau[j]
        for r in range(x.shape[0]):
            total -= Phi[r, j] * x[r]
        multipliers[joint.prescribed_row[k]] = total / joint.prescribed_share[k]
    return True


@kernel(once=True)
def _carry_by_joint(bodies, order, first, count, column, width, room, multipliers):
    """Multipliers of one joint, which carries the remaining load of the body whose speeds start at `column`.

    Its rows, as columns of A, are orthogonalized one by one, followed by the load e."""
    A, R, solver, work = room.A, room.R, bodies.solver, bodies.work
    for j in range(width):
        for c in range(count):
            A[j, c] = 0.0
        A[j, count] = room.e[column + j]
    for c in range(count):
        r = order.row[first + c]
        for n in range(order.entry_start[r], order.entry_start[r + 1]):
            k = order.entry[n]
            if column <= solver.column[k] < column + width:
                A[solver.column[k] - column, c] += (
                    work.coefficient[solver.entry[k]] * work.jac[solver.measure[k], solver.part[k]]
                )
    for c in range(count):
        size = 0.0
        for j in range(width):
            size += A[j, c] * A[j, c]
        R[c, c] = np.sqrt(size)
        for d in range(c + 1, count + 1):
            along = 0.0
            for j in range(width):
                along += A[j, c] * A[j, d]
            R[c, d] = along / size
            for j in range(width):
                A[j, d] -= R[c, d] * A[j, c]
    for c in range(count - 1, -1, -1):  # columns of A are not normalized, and the triangle has a unit diagonal
        total = R[c, count]
        for d in range(c + 1, count):
            total -= R[c, d] * multipliers[order.row[first + d]]
        multipliers[order.row[first + c]] = total


@kernel(internal=True)
def _take(solver, work, order, r, multipliers, e):
    """Subtract the load of row r from e."""
    for n in range(order.entry_start[r], order.entry_start[r + 1]):
        k = order.entry[n]
        jac = work.jac[solver.measure[k], solver.part[k]]
        e[solver.column[k]] -= work.coefficient[solver.entry[k]] * jac * multipliers[r]
