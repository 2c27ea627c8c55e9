"""What a mechanism in joint coordinates does, as a far kernel: the counterpart of `cardan.system.motion`.

    M v' + b + g + Phi^T lam = B^T f,    Phi = J B       M is factorized by its branches, or by articulated bodies;
    a = a_free - M^-1 Phi^T lam,                         the small matrix W = Phi M^-1 Phi^T of what is cut is
    W lam = Phi a_free - gamma                           factorized densely

y is [q | v | w | c] with joint coordinates and speeds. Measures, rows and forces are those of the bodies: positions and
velocities of all bodies are found by the recursions, wrenches are handed back to the joints. B is never formed. Joints
that drivers or holds move one by one are told where to be: they are no unknowns.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.numerics.motions import motion
from cardan.numerics.vector import copy
from cardan.system.acceleration import powers, remember_turns
from cardan.system.circuit import SAMPLE, SETTLE, reactions_settled
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
from cardan.system.matrix import BROKEN, FINE, JAMMED, OPEN, SINGULAR
from cardan.system.motion import (
    AGAIN,
    BEGIN,
    BRACE,
    BRISK,
    ERROR,
    IMPULSE,
    NEWTON,
    PROJECT,
    RANKED,
    RATES,
    REACH,
    SAMPLED,
    START,
    TURNED,
    WATCH,
    WHOLE,
    copy_values,
    error_of_rest,
    reads_reactions,
    values_of_events,
)
from cardan.system.tree_articulated import fold_forces, spread, start_forces
from cardan.system.tree_bodies import accelerate_bodies, find_phi, hand_to_nodes, move_bodies, place_bodies
from cardan.system.tree_charts import advance, position_rates, speeds_of
from cardan.system.tree_kernels import (
    SLIDE,
    accelerate_nodes,
    find_world,
    inertia_times,
    move_nodes,
    newton_euler,
    place_nodes,
)
from cardan.system.tree_masses import SHALLOW, factor_masses, over_mass, weigh_rows


@kernel(internal=True)
def act_tree(joint, what, t, y, dy):
    """Do one of the things that `cardan.system.motion.act` does."""
    machine, nq, nv = joint.machine, joint.sizes[0], joint.sizes[1]
    if what == PROJECT or what == REACH:
        return _project(joint, t, y)
    if what == ERROR or what == WHOLE:
        return _error(joint, y, dy, what == ERROR)
    if what == WATCH:
        return _watch(joint, t, y, dy)
    if what == IMPULSE:
        return _impulse(joint, dy[nq : nq + nv])
    if what == SAMPLED:
        return _sampled(joint, t, y, dy)
    if what == TURNED:
        position_rates(joint.tree, y[:nq], y[nq : nq + nv], dy)
        return FINE
    status = FINE
    if what == RATES or what == START or what == BRACE:
        status = evaluate_tree(joint, t, y[:nq]) or _factorize(joint, what != RATES)
    elif what == BEGIN or what == RANKED:
        status = _constrain(joint, True)
    if status or what == START or what == RANKED:
        return status
    if what == BEGIN or what == AGAIN or what == BRISK:
        copy_values(machine.work.z, machine.reference)
    tell_speeds(joint, y[nq : nq + nv])
    if what == BRACE:
        return move_tree(joint, t, y[nq : nq + nv])
    if what == RATES and machine.setting[PROJECT_STAGES] != 0.0:
        _project_speeds(joint, y[nq : nq + nv])
    status = _accelerate(joint, t, y, dy, True)
    if (what == BEGIN or what == AGAIN or what == BRISK) and status == FINE:
        accelerate_nodes(joint.tree, dy[nq : nq + nv])
        accelerate_bodies(joint)
        limit_step(machine, joint.a)
    return status


@kernel(internal=True)
def evaluate_tree(joint, t, q):
    """Positions of nodes and bodies, measures and rows."""
    machine = joint.machine
    machine.count[EVALUATIONS] += 1
    failed = _tell(joint, t, q)
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    if failed == 0 and machine.work.z.shape[0]:
        place_bodies(joint, q)
        failed = evaluate_position(machine.geometry, machine.rows, machine.place, t, machine.reference, machine.work)
    if failed:
        machine.count[STATUS], machine.count[LAW], machine.count[ROW] = BROKEN, 0, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def _tell(joint, t, q):
    """Joints that are told move to where they are to be. Returns a status as `evaluate_position`."""
    rows, f, value = joint.machine.rows, joint.machine.work.motion, joint.told_value
    for k in range(joint.told_row.shape[0]):
        r, share = joint.told_row[k], 1.0 / joint.told_share[k]
        value[k, 0], value[k, 1], value[k, 2] = share * rows.offset[r], 0.0, 0.0
        for j in range(rows.motion_start[r], rows.motion_start[r + 1]):
            if motion(rows.motions, j, t, f):
                return 1 + r
            for level in range(3):
                value[k, level] += share * f[level]
        q[joint.tree.first_q[joint.told_node[k]]] = value[k, 0] + value[k, 3]
    return 0


@kernel(internal=True)
def tell_speeds(joint, v):
    for k in range(joint.told_row.shape[0]):
        v[joint.tree.first_v[joint.told_node[k]]] = joint.told_value[k, 1]


@kernel(internal=True)
def _factorize(joint, decide):
    """Factors of M, Phi, and the factors of W; whether rows depend is decided if asked."""
    machine = joint.machine
    machine.count[FACTORIZATIONS] += 1
    if factor_masses(joint):
        machine.count[STATUS] = SINGULAR
        return SINGULAR
    find_phi(joint)
    return _constrain(joint, decide)


@kernel(internal=True)
def _constrain(joint, decide):
    """Cholesky's factors of W; if it is to be decided, a row whose pivot is as good as nothing depends on others."""
    machine, rows, W, dropped = joint.machine, joint.row.shape[0], joint.W, joint.dropped
    limit = machine.setting[RANK]
    weigh_rows(joint)
    for c in range(rows):
        if decide:
            dropped[c] = 1 - machine.engaged[joint.row[c]]
        if dropped[c]:
            continue
        whole = W[c, c]
        pivot = whole
        for j in range(c):
            if not dropped[j]:
                pivot -= W[c, j] * W[c, j]
        if decide and not pivot > limit * whole:
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
    for r in range(rows):
        machine.active[joint.row[r]] = 1 - dropped[r]
    return FINE


@kernel(internal=True)
def _solve_rows(joint):
    """joint.right <- W^-1 right, 0 in rows that were dropped."""
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
    """x - M^-1 Phi^T lam, where joint.right are the amounts by which the rows are open; they become lam."""
    rows, load, answer = joint.right.shape[0], joint.load, joint.answer
    if rows == 0:
        return
    _solve_rows(joint)
    for j in range(load.shape[0]):
        load[j] = 0.0
    for r in range(rows):
        lam = joint.right[r]
        for j in range(load.shape[0]):
            load[j] += lam * joint.Phi[r, j]
    over_mass(joint, load, answer)
    for j in range(x.shape[0]):
        x[j] -= answer[j]


@kernel(internal=True)
def _open_along(joint, x):
    """joint.right += Phi x."""
    for r in range(joint.right.shape[0]):
        total = joint.right[r]
        for j in range(x.shape[0]):
            total += joint.Phi[r, j] * x[j]
        joint.right[r] = total


@kernel(internal=True)
def _project_speeds(joint, v):
    """v on the velocity equations, with the factors at hand."""
    nu, right = joint.machine.work.nu, joint.right
    for r in range(right.shape[0]):
        right[r] = -nu[joint.row[r]]
    _open_along(joint, v)
    _correct(joint, v)


@kernel(internal=True)
def _impulse(joint, part):
    """M dv + Phi^T p = impulse, Phi dv = 0, with the factors at hand."""
    over_mass(joint, part, joint.step)
    for r in range(joint.right.shape[0]):
        joint.right[r] = 0.0
    _open_along(joint, joint.step)
    _correct(joint, joint.step)
    copy(joint.step, part)
    return FINE


@kernel(internal=True)
def move_tree(joint, t, v):
    """Velocities of nodes and bodies, rates of measures and rows."""
    machine = joint.machine
    move_nodes(joint.tree, v)
    if machine.work.z.shape[0]:
        move_bodies(joint)
        failed = evaluate_velocity(machine.geometry, machine.rows, joint.v, t, machine.work)
        if failed:
            machine.count[STATUS], machine.count[LAW], machine.count[ROW] = BROKEN, 0, failed
            return BROKEN
    return FINE


@kernel(internal=True)
def _accelerate(joint, t, y, dy, moving):
    """y' where positions were evaluated and factorized; velocities are if not `moving`."""
    machine, tree, nq, nv = joint.machine, joint.tree, joint.sizes[0], joint.sizes[1]
    circuit = machine.forces.circuit
    q, v, a = y[:nq], y[nq : nq + nv], dy[nq : nq + nv]
    first = y.shape[0] - circuit.states.shape[0]
    copy(y[first:], circuit.states)
    if moving and move_tree(joint, t, v):
        return BROKEN
    settled = False
    for _ in range(SETTLE):
        if _push_nodes(joint, t):
            return BROKEN
        _accelerate_freely(joint, a)
        if joint.row.shape[0]:
            _correct(joint, a)
            for r in range(joint.row.shape[0]):
                machine.multipliers[joint.row[r]] = joint.right[r]
        settled = reactions_settled(circuit, machine.multipliers)
        if settled:
            break
    if not settled:
        machine.count[STATUS] = JAMMED
        return JAMMED
    if joint.told_row.shape[0]:
        _find_drives(joint, a)
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
def _push_nodes(joint, t):
    """Forces of the model on the nodes, in their axes."""
    machine, push, outer = joint.machine, joint.push, joint.tree.outer
    for i in range(push.shape[0]):
        push[i] = 0.0
    failed = apply_forces(machine.forces, t, machine.work, machine.strength, push)
    if failed:
        machine.count[STATUS], machine.count[LAW] = BROKEN, failed
        return BROKEN
    for k in range(outer.shape[0]):
        for j in range(6):
            outer[k, j] = 0.0
    if machine.strength.shape[0]:
        hand_to_nodes(joint, push, outer)
    return FINE


@kernel(internal=True)
def _accelerate_freely(joint, a):
    """Accelerations without the rows, and joint.right = J a - gamma of them."""
    tree, g = joint.tree, joint.tree.gravity
    if joint.sizes[SHALLOW]:
        for i in range(a.shape[0]):
            a[i] = 0.0
        for k in range(joint.told_row.shape[0]):
            a[tree.first_v[joint.told_node[k]]] = joint.told_value[k, 2]
        newton_euler(tree, a, joint.load)
        if joint.row.shape[0]:
            accelerate_bodies(joint)
            open_by(joint)
        over_mass(joint, joint.load, joint.answer)
        for i in range(a.shape[0]):
            joint.answer[i] = -joint.answer[i]
            a[i] += joint.answer[i]
        _open_along(joint, joint.answer)
        return
    for k in range(joint.told_row.shape[0]):  # part of C, as told joints hand on all of their inertia
        node = joint.told_node[k]
        x = tree.sign[node] * joint.told_value[k, 2]
        if tree.kind[node] == SLIDE:
            tree.C[node, 5] += x
        else:
            tree.C[node, 2] += x
            tree.C[node, 5] += tree.lead[node] * x
    start_forces(tree)
    fold_forces(tree, joint.nothing, tree.C)
    spread(tree, tree.C, g[0], g[1], g[2], a)
    for k in range(joint.told_row.shape[0]):
        a[tree.first_v[joint.told_node[k]]] = joint.told_value[k, 2]
    if joint.row.shape[0]:
        accelerate_bodies(joint)
        open_by(joint)


@kernel(internal=True)
def open_by(joint):
    """joint.right = J a - gamma with the accelerations of bodies found last."""
    machine, right = joint.machine, joint.right
    solver, coefficient, jac = machine.solver, machine.work.coefficient, machine.work.jac
    for r in range(right.shape[0]):
        total = -machine.work.gamma[joint.row[r]]
        for k in range(joint.entry_start[joint.touch_start[r]], joint.entry_start[joint.touch_start[r + 1]]):
            e = joint.entry[k]
            total += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * joint.a[solver.column[e]]
        right[r] = total


@kernel(internal=True)
def _find_drives(joint, a):
    """Multipliers of the rows that tell joints how to move: they carry what the motion takes there."""
    tree, load = joint.tree, joint.load
    newton_euler(tree, a, load)
    for r in range(joint.right.shape[0]):
        for j in range(load.shape[0]):
            load[j] += joint.Phi[r, j] * joint.right[r]
    for k in range(joint.told_row.shape[0]):
        share = joint.told_share[k]
        joint.machine.multipliers[joint.told_row[k]] = -load[tree.first_v[joint.told_node[k]]] / share


@kernel(internal=True)
def _sampled(joint, t, y, dy):
    """Call the samplers that are due where the mechanism was evaluated last; y' with what they give."""
    machine, circuit = joint.machine, joint.machine.forces.circuit
    row = circuit.sample_row
    for k in range(row.shape[0]):
        circuit.multipliers[row[k]] = machine.multipliers[row[k]]
    failed = call_far(circuit.call[SAMPLE], (circuit, t, machine.work.z))
    if failed:
        machine.count[STATUS], machine.count[LAW] = BROKEN, machine.strength.shape[0] + failed
        return BROKEN
    copy(circuit.states, y[y.shape[0] - circuit.states.shape[0] :])
    return _accelerate(joint, t, y, dy, False)


@kernel(internal=True)
def _project(joint, t, y):
    """Close what was cut, at position and velocity level."""
    machine, nq, nv = joint.machine, joint.sizes[0], joint.sizes[1]
    q, v, step = y[:nq], y[nq : nq + nv], joint.step
    count, close, right, last = machine.count, machine.setting[CLOSE], joint.right, np.inf
    for i in range(nv):
        step[i] = 0.0
    advance(joint.tree, q, step, joint.rates)
    for iteration in range(NEWTON + 1):
        if evaluate_tree(joint, t, q) or _factorize(joint, False):
            return count[STATUS]
        error = 0.0
        for r in range(right.shape[0]):
            right[r] = 0.0 if joint.velocity[r] else machine.work.phi[joint.row[r]]
            if not joint.dropped[r]:
                error = max(error, abs(right[r]) * machine.rows.inverse[joint.row[r]])
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            tell_speeds(joint, v)
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
def _error(joint, y, e, tangent):
    """Replace the error e of y by its norms: e[0] of what constraints leave of it, e[1] of all of it, squared.

    What they leave matters if `tangent`."""
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
            if joint.told[i]:
                x[i] = 0.0
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            raw += part * part
        if tangent:
            for r in range(joint.right.shape[0]):
                joint.right[r] = 0.0
            _open_along(joint, x)
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
    tell_speeds(joint, y[nq : nq + nv])
    if reads_reactions(machine, circuit):
        if _factorize(joint, False) or _accelerate(joint, t, y, machine.spare, True):
            return machine.count[STATUS]
        reactions_settled(circuit, machine.multipliers)
    copy(y[y.shape[0] - circuit.states.shape[0] :], circuit.states)
    move_tree(joint, t, y[nq : nq + nv])
    return values_of_events(machine, t, g)
