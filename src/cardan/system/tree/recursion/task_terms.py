"""A tree along its tasks at one state: what `cardan.analysis.task_space` finds, in one call of a kernel.

    J = Phi    W = J M^-1 J^T    Lambda = W^-1    Jbar = M^-1 J^T Lambda    N = 1 - Jbar J
    mu = Jbar^T b - Lambda J'v   p = Jbar^T g     Jbar^T B^T f

All rows of the tree are tasks. Where masses are singular, or tasks nearly depend on each other, the kernel does not
decide: it returns UNCLEAR.

Forces of the model on the joints of a tree: B^T f, from leaves to ground, without B.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_kernels import cholesky, cholesky_solve
from cardan.numerics.linalg.vector import all_finite
from cardan.system.cartesian.matrix import BROKEN, FINE
from cardan.system.tree.bodies import accelerate_bodies, find_phi, move_bodies
from cardan.system.tree.recursion.acceleration import open_by, push_nodes
from cardan.system.tree.recursion.kernels import gather, move_nodes
from cardan.system.tree.recursion.masses import factor_masses, over_mass
from cardan.system.tree.recursion.modal_bodies import inverse_dynamics
from cardan.system.tree.recursion.rows import measure_rows
from cardan.system.tree.state import evaluate_tree, move_tree


@kernel
def applied_of(joint, t, q, v, tau):
    """Joint forces of the model's elements for each line of positions and speeds. Returns a status."""
    for s in range(q.shape[0]):
        if evaluate_tree(joint, t, q[s]) or move_tree(joint, t, v[s]) or force_joints(joint, t, tau[s]):
            return BROKEN
    return FINE


@kernel(internal=True)
def force_joints(joint, t, tau):
    """The same where the tree was evaluated and moved; no forces stay on its nodes."""
    status = push_nodes(joint, t)
    F, outer = joint.tree.F, joint.tree.outer
    for k in range(outer.shape[0]):
        for j in range(6):
            F[k, j], outer[k, j] = outer[k, j], 0.0
    gather(joint.tree, tau)
    return status


UNCLEAR = 1
# least square of a singular value of the tasks, as rows of unit length, that is certainly not zero
REGULAR_SQUARE = 1e-8


class TaskTerms(NamedTuple):
    """A state of a tree, and its terms along m tasks; n speeds."""

    joint: Any
    time: np.ndarray  # float64[1]
    q: np.ndarray
    v: np.ndarray
    over: np.ndarray  # float64[m, n]: J M^-1
    mobility: np.ndarray  # float64[m, m]: W
    inertia: np.ndarray  # float64[m, m]: Lambda
    inverse: np.ndarray  # float64[n, m]: Jbar
    projector: np.ndarray  # float64[n, n]: N
    terms: np.ndarray  # float64[m]: mu
    gravity: np.ndarray  # float64[m]: p
    applied: np.ndarray  # float64[m]
    velocity: np.ndarray  # float64[m]: x'
    bias: np.ndarray  # float64[m]: J'v
    gram: np.ndarray  # float64[m, m]
    factor: np.ndarray  # float64[m, m]
    column: np.ndarray  # float64[m]
    still: np.ndarray  # float64[n]: zeros
    load: np.ndarray  # float64[3, n]: b + g, g, B^T f


def task_table(joint: Any, time: float) -> Any:
    """The block of a tree all of whose rows are tasks."""
    m, n = joint.Phi.shape
    square, vectors = np.zeros((4, m, m)), np.zeros((6, m))
    return block(
        TaskTerms(
            joint=joint,
            time=np.array([time]),
            q=np.zeros(joint.sizes.positions),
            v=np.zeros(n),
            over=np.zeros((m, n)),
            mobility=square[0],
            inertia=square[1],
            inverse=np.zeros((n, m)),
            projector=np.zeros((n, n)),
            terms=vectors[0],
            gravity=vectors[1],
            applied=vectors[2],
            velocity=vectors[3],
            bias=vectors[4],
            gram=square[2],
            factor=square[3],
            column=vectors[5],
            still=np.zeros(n),
            load=np.zeros((3, n)),
        )
    )


@kernel
def find_task_terms(task):
    """Fill the terms at (q, v). Returns a status."""
    joint, t, load = task.joint, task.time[0], task.load
    if not all_finite(task.q) or not all_finite(task.v):
        return UNCLEAR
    if evaluate_tree(joint, t, task.q) or factor_masses(joint):
        return UNCLEAR
    find_phi(joint)
    if not _regular(task):
        return UNCLEAR
    if move_tree(joint, t, task.v):
        return UNCLEAR
    if joint.cartesian.strength.shape[0]:
        if force_joints(joint, t, load[2]):
            return UNCLEAR
    inverse_dynamics(joint, task.still, load[0])
    accelerate_bodies(joint)
    open_by(joint)
    for r in range(task.bias.shape[0]):
        task.bias[r] = joint.right[r]
    move_nodes(joint.tree, task.still)
    move_bodies(joint)
    inverse_dynamics(joint, task.still, load[1])
    return FINE if _invert(task) else UNCLEAR


@kernel(internal=True)
def _regular(task):
    """Whether the tasks, as rows of unit length, are clearly independent: least eigenvalue >= 1 / |G^-1|."""
    joint, gram, factor, column = task.joint, task.gram, task.factor, task.column
    Phi, scale, whole = joint.Phi, joint.column_scale, joint.whole
    measure_rows(joint)
    m, total = gram.shape[0], 0.0
    for r in range(m):
        if not whole[r] > 0.0:
            return False
        for c in range(r + 1):
            share = 0.0
            for j in range(scale.shape[0]):
                share += Phi[r, j] * Phi[c, j] * scale[j] * scale[j]
            gram[r, c] = share / np.sqrt(whole[r] * whole[c])
    if not cholesky(gram, 0.0, factor):
        return False
    for c in range(m):
        for r in range(m):
            column[r] = 1.0 if r == c else 0.0
        cholesky_solve(factor, column)
        for r in range(m):
            total += column[r] * column[r]
    return total * REGULAR_SQUARE * REGULAR_SQUARE < 1.0


@kernel(internal=True)
def _invert(task):
    """All terms from J, the factors of M, the loads and J'v. Returns whether J M^-1 J^T is positive."""
    joint, load, column, over, W, inertia, inverse, N = (
        task.joint,
        task.load,
        task.column,
        task.over,
        task.mobility,
        task.inertia,
        task.inverse,
        task.projector,
    )
    J = joint.Phi
    m, n = J.shape
    for r in range(m):
        over_mass(joint, J[r], over[r])
        for c in range(r + 1):
            total = 0.0
            for j in range(n):
                total += J[c, j] * over[r, j]
            W[r, c] = W[c, r] = total
    if not cholesky(W, 0.0, task.factor):
        return False
    for c in range(m):
        for r in range(m):
            column[r] = 1.0 if r == c else 0.0
        cholesky_solve(task.factor, column)
        for r in range(c, m):
            inertia[r, c] = inertia[c, r] = column[r]
    for j in range(n):
        for c in range(m):
            total = 0.0
            for r in range(m):
                total += over[r, j] * inertia[r, c]
            inverse[j, c] = total
        for i in range(n):
            total = 1.0 if i == j else 0.0
            for c in range(m):
                total -= inverse[j, c] * J[c, i]
            N[j, i] = total
    forced = joint.cartesian.strength.shape[0] > 0
    for c in range(m):
        inward, weight, pushed, speed = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            inward += inverse[j, c] * (load[0, j] - load[1, j])
            weight += inverse[j, c] * load[1, j]
            speed += J[c, j] * task.v[j]
            if forced:
                pushed += inverse[j, c] * load[2, j]
        for r in range(m):
            inward -= inertia[c, r] * task.bias[r]
        task.terms[c], task.gravity[c], task.applied[c], task.velocity[c] = inward, weight, pushed, speed
    return True
