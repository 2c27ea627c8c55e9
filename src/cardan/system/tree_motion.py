"""What a mechanism in joint coordinates does, as a far kernel: the counterpart of `cardan.system.motion`.

    M v' + b + g + Phi^T lam = B^T f,    Phi = J B       accelerations of the tree by articulated bodies; X = M^-1 Phi^T
    a = a_free - X lam,                                  by the factors that are left, one solution for each row;
    Phi X lam = Phi a_free - gamma                       the small matrix Phi X of the constraints is factorized densely

y is [q | v | w | c] with joint coordinates and speeds. Measures, rows and forces are those of the bodies: positions and
velocities of all bodies are found by the recursions, wrenches are handed back to the joints. B is never formed.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.forces import apply_forces
from cardan.system.limits import limit_step
from cardan.system.machine import (
    ATOL,
    CLOSE,
    CORRECTIONS,
    EVALUATIONS,
    FACTORIZATIONS,
    LAW,
    PROJECT_STAGES,
    RANK,
    ROW,
    RTOL,
    STATUS,
)
from cardan.system.matrix import BROKEN, FINE, OPEN, SINGULAR
from cardan.system.motion import (
    BEGIN,
    ERROR,
    NEWTON,
    PROJECT,
    RATES,
    START,
    WATCH,
    copy_values,
    error_of_rest,
    powers,
    remember_turns,
    values_of_events,
)
from cardan.system.tree_articulated import fold_forces, fold_inertias, spread, start_forces
from cardan.system.tree_bodies import accelerate_bodies, hand_to_nodes, move_bodies, place_bodies
from cardan.system.tree_charts import advance, position_rates, speeds_of
from cardan.system.tree_kernels import accelerate_nodes, find_world, gather, inertia_times, move_nodes, place_nodes


@kernel(internal=True)
def act_tree(joint, what, t, y, dy):
    """Do one of the things that `cardan.system.motion.act` does."""
    machine, nq, nv = joint.machine, joint.sizes[0], joint.sizes[1]
    if what == PROJECT:
        return _project(joint, t, y)
    if what == ERROR:
        return _error(joint, y, dy)
    if what == WATCH:
        return _watch(joint, t, y, dy)
    if what != RATES and what != START and what != BEGIN:
        return FINE
    if evaluate_tree(joint, t, y[:nq]):
        return machine.count[STATUS]
    if what == BEGIN:
        copy_values(machine.work.z, machine.reference)
    status = _factorize(joint, what != RATES)
    if status or what == START:
        return status
    if what == RATES and machine.setting[PROJECT_STAGES] != 0.0:
        _project_speeds(joint, y[nq : nq + nv])
    status = _accelerate(joint, t, y, dy)
    if what == BEGIN and status == FINE:
        accelerate_nodes(joint.tree, dy[nq : nq + nv])
        accelerate_bodies(joint)
        limit_step(machine, joint.a)
    return status


@kernel(internal=True)
def evaluate_tree(joint, t, q):
    """Positions of nodes and bodies, measures and rows."""
    machine = joint.machine
    machine.count[EVALUATIONS] += 1
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    if machine.work.z.shape[0] == 0:
        return FINE
    place_bodies(joint, q)
    failed = evaluate_position(machine.geometry, machine.rows, machine.place, t, machine.reference, machine.work)
    if failed:
        machine.count[STATUS], machine.count[LAW], machine.count[ROW] = BROKEN, 0, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def _factorize(joint, decide):
    """Articulated inertias, Phi, X = M^-1 Phi^T and the factors of Phi X; whether rows depend is decided if asked."""
    machine, tree = joint.machine, joint.tree
    machine.count[FACTORIZATIONS] += 1
    if fold_inertias(tree):
        machine.count[STATUS] = SINGULAR
        return SINGULAR
    rows = joint.row.shape[0]
    if rows == 0:
        return FINE
    find_phi(joint)
    F = tree.F
    for r in range(rows):
        for k in range(F.shape[0]):
            for j in range(6):
                F[k, j] = 0.0
        fold_forces(tree, joint.Phi[r], tree.still)
        spread(tree, tree.still, 0.0, 0.0, 0.0, joint.X[r])
    W, dropped = joint.W, joint.dropped
    for r in range(rows):
        for c in range(r + 1):
            total = 0.0
            for j in range(joint.X.shape[1]):
                total += joint.Phi[r, j] * joint.X[c, j]
            W[r, c] = total
    # Cholesky's factors; a row whose pivot is as good as nothing depends on those before
    limit = machine.setting[RANK]
    for c in range(rows):
        if decide:
            dropped[c] = 0
        if dropped[c]:
            continue
        pivot = W[c, c]
        for j in range(c):
            if not dropped[j]:
                pivot -= W[c, j] * W[c, j]
        if decide and not pivot > limit * W[c, c]:
            dropped[c] = 1
            continue
        if not pivot > 0.0:
            machine.count[STATUS] = SINGULAR
            return SINGULAR
        diagonal = np.sqrt(pivot)
        W[c, c] = diagonal
        for r in range(c + 1, rows):
            total = W[r, c]
            for j in range(c):
                if not dropped[j]:
                    total -= W[r, j] * W[c, j]
            W[r, c] = total / diagonal
    active = machine.active
    for r in range(rows):
        active[joint.row[r]] = 1 - dropped[r]
    return FINE


@kernel(internal=True)
def find_phi(joint):
    """Rows of J B: the wrenches of each row on bodies, handed to nodes and from there to ground."""
    machine, tree = joint.machine, joint.tree
    solver, coefficient, jac = machine.solver, machine.work.coefficient, machine.work.jac
    F, push = tree.F, joint.push
    for r in range(joint.row.shape[0]):
        for i in range(push.shape[0]):
            push[i] = 0.0
        for k in range(joint.entry_start[r], joint.entry_start[r + 1]):
            e = joint.entry[k]
            push[solver.column[e]] += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]]
        for k in range(F.shape[0]):
            for j in range(6):
                F[k, j] = 0.0
        hand_to_nodes(joint, push, F)
        gather(tree, joint.Phi[r])


@kernel(internal=True)
def _solve_rows(joint):
    """joint.right <- (Phi X)^-1 right, 0 in rows that were dropped."""
    W, b, dropped = joint.W, joint.right, joint.dropped
    n = b.shape[0]
    for r in range(n):
        if dropped[r]:
            b[r] = 0.0
            continue
        for c in range(r):
            if not dropped[c]:
                b[r] -= W[r, c] * b[c]
        b[r] /= W[r, r]
    for r in range(n - 1, -1, -1):
        if dropped[r]:
            continue
        for c in range(r + 1, n):
            if not dropped[c]:
                b[r] -= W[c, r] * b[c]
        b[r] /= W[r, r]


@kernel(internal=True)
def _correct(joint, x):
    """x - X lam, where joint.right are the amounts by which the rows are open."""
    _solve_rows(joint)
    for r in range(joint.right.shape[0]):
        lam = joint.right[r]
        for j in range(x.shape[0]):
            x[j] -= lam * joint.X[r, j]


@kernel(internal=True)
def _project_speeds(joint, v):
    nu, right = joint.machine.work.nu, joint.right
    for r in range(right.shape[0]):
        total = -nu[joint.row[r]]
        for j in range(v.shape[0]):
            total += joint.Phi[r, j] * v[j]
        right[r] = total
    _correct(joint, v)


@kernel(internal=True)
def _accelerate(joint, t, y, dy):
    """y' where positions were evaluated and factorized."""
    machine, tree, nq, nv = joint.machine, joint.tree, joint.sizes[0], joint.sizes[1]
    circuit, work = machine.forces.circuit, machine.work
    q, v, a = y[:nq], y[nq : nq + nv], dy[nq : nq + nv]
    first = y.shape[0] - circuit.states.shape[0]
    copy(y[first:], circuit.states)
    move_nodes(tree, v)
    if work.z.shape[0]:
        move_bodies(joint)
        failed = evaluate_velocity(machine.geometry, machine.rows, joint.v, t, work)
        if failed:
            machine.count[STATUS], machine.count[LAW], machine.count[ROW] = BROKEN, 0, failed
            return BROKEN
    push, outer = joint.push, tree.outer
    for i in range(push.shape[0]):
        push[i] = 0.0
    failed = apply_forces(machine.forces, t, work, machine.strength, push)
    if failed:
        machine.count[STATUS], machine.count[LAW] = BROKEN, failed
        return BROKEN
    for k in range(outer.shape[0]):
        for j in range(6):
            outer[k, j] = 0.0
    if machine.strength.shape[0]:
        hand_to_nodes(joint, push, outer)
    start_forces(tree)
    fold_forces(tree, joint.nothing, tree.C)
    g = tree.gravity
    spread(tree, tree.C, g[0], g[1], g[2], a)
    if joint.row.shape[0]:
        accelerate_bodies(joint)
        _open_by(joint)
        _correct(joint, a)
        for r in range(joint.row.shape[0]):
            machine.multipliers[joint.row[r]] = joint.right[r]
    position_rates(tree, q, v, dy)
    powers(machine, dy[nq + nv :])
    copy(circuit.rates, dy[first:])
    remember_turns(machine)
    for i in range(nv):
        if not abs(a[i]) < np.inf:
            machine.count[STATUS] = SINGULAR
            return SINGULAR
    return FINE


@kernel(internal=True)
def _open_by(joint):
    """joint.right = J a - gamma with the accelerations of bodies found last."""
    machine, right = joint.machine, joint.right
    solver, coefficient, jac = machine.solver, machine.work.coefficient, machine.work.jac
    for r in range(right.shape[0]):
        total = -machine.work.gamma[joint.row[r]]
        for k in range(joint.entry_start[r], joint.entry_start[r + 1]):
            e = joint.entry[k]
            total += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * joint.a[solver.column[e]]
        right[r] = total


@kernel(internal=True)
def _project(joint, t, y):
    """Close what was cut, at position and velocity level."""
    machine, nq, nv = joint.machine, joint.sizes[0], joint.sizes[1]
    q, v, step = y[:nq], y[nq : nq + nv], joint.step
    count, close, right, last = machine.count, machine.setting[CLOSE], joint.right, np.inf
    for i in range(nv):
        step[i] = 0.0
    advance(joint.tree, q, step, joint.rates)
    if joint.row.shape[0] == 0:
        return FINE
    for iteration in range(NEWTON + 1):
        if evaluate_tree(joint, t, q) or _factorize(joint, False):
            return count[STATUS]
        error = 0.0
        for r in range(right.shape[0]):
            right[r] = 0.0 if joint.velocity[r] else machine.work.phi[joint.row[r]]
            if not joint.dropped[r]:
                error = max(error, abs(right[r]) * machine.rows.inverse[joint.row[r]])
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            _project_speeds(joint, v)
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for i in range(nv):
            step[i] = 0.0
        _correct(joint, step)
        advance(joint.tree, q, step, joint.rates)
        count[CORRECTIONS] += 1
    count[STATUS] = OPEN
    return OPEN


@kernel(internal=True)
def _error(joint, y, e):
    """Replace the error e of y by its norms: e[0] of what constraints leave of it, e[1] of all of it, squared."""
    machine, nq, nv, size = joint.machine, joint.sizes[0], joint.sizes[1], joint.size
    v, x = y[nq : nq + nv], joint.step
    position, speed = 1.0 / machine.setting[ATOL], 1.0 / machine.setting[RTOL]
    raw, filtered = 0.0, 0.0
    for level in range(2):
        if level == 0:
            speeds_of(joint.tree, y[:nq], e[:nq], x)
        else:
            copy(e[nq : nq + nv], x)
        for i in range(nv):
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            raw += part * part
        for r in range(joint.right.shape[0]):
            total = 0.0
            for j in range(nv):
                total += joint.Phi[r, j] * x[j]
            joint.right[r] = total
        _correct(joint, x)
        for i in range(nv):
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            filtered += part * part
    n = 2.0 * nv
    e[0], e[1] = max(filtered / n, _rest_of_error(joint, y, e)), raw / n
    return FINE


@kernel(internal=True)
def _rest_of_error(joint, y, e):
    """As `error_of_rest`, with the energy of the nodes."""
    tree, energy = joint.tree, 0.0
    for k in range(tree.kind.shape[0]):
        V = tree.V[k]
        nx, ny, nz, fx, fy, fz = inertia_times(tree.inertia[k], V[0], V[1], V[2], V[3], V[4], V[5])
        energy += 0.5 * (nx * V[0] + ny * V[1] + nz * V[2] + fx * V[3] + fy * V[4] + fz * V[5])
    return error_of_rest(joint.machine, y, e, joint.sizes[0] + joint.sizes[1], energy)


@kernel(internal=True)
def _watch(joint, t, y, g):
    """The values of all events at y, then their rates; NaN where a rate is not known."""
    machine, nq, nv = joint.machine, joint.sizes[0], joint.sizes[1]
    circuit = machine.events.circuit
    if evaluate_tree(joint, t, y[:nq]):
        return machine.count[STATUS]
    copy(y[y.shape[0] - circuit.states.shape[0] :], circuit.states)
    move_nodes(joint.tree, y[nq : nq + nv])
    move_bodies(joint)
    evaluate_velocity(machine.geometry, machine.rows, joint.v, t, machine.work)
    return values_of_events(machine, t, g)
