"""The operations of a mechanism in joint coordinates: the counterpart of `cardan.system.cartesian.motion`.

    M v' + b + g + Phi^T lam = B^T f,    Phi = J B       M is factorized by its branches, or by articulated bodies;
    a = a_free - M^-1 Phi^T lam,                         the small matrix W = Phi M^-1 Phi^T of what is cut is
    W lam = Phi a_free - gamma                           factorized densely

y is [q | v | w | c] with joint coordinates and speeds. Measures, rows and forces are those of the bodies: positions and
velocities of all bodies are found by the recursions, wrenches are handed back to the joints. B is never formed. Joints
whose motion drivers or holds prescribe one by one are not unknowns.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import FINE, OPEN
from cardan.system.cartesian.motion import NEWTON, error_of_rest, reads_reactions, values_of_events
from cardan.system.cartesian.step_limits import limit_step
from cardan.system.circuit import reactions_settled
from cardan.system.tree.bodies import accelerate_bodies
from cardan.system.tree.charts import advance, position_rates, speeds_of
from cardan.system.tree.recursion.acceleration import accelerate_tree
from cardan.system.tree.recursion.kernels import accelerate_nodes, inertia_times
from cardan.system.tree.recursion.modal_bodies import energy_of_bodies
from cardan.system.tree.recursion.rows import (
    constrain,
    correct,
    decide_rows,
    factorize_tree,
    impulse_of,
    open_along,
    project_tree_speeds,
)
from cardan.system.tree.state import evaluate_tree, move_tree, prescribe_speeds
from cardan.system.turns import commit_turns


@kernel(once=True)
def rates(joint, t, y, dy, project_speeds):
    nq, nv = joint.sizes.positions, joint.sizes.speeds
    if evaluate_tree(joint, t, y[:nq]) or factorize_tree(joint, False):
        return joint.cartesian.failure.status
    prescribe_speeds(joint, y[nq : nq + nv])
    if project_speeds and joint.cartesian.settings.project_stages != 0.0:
        project_tree_speeds(joint, y[nq : nq + nv])
    return accelerate_tree(joint, t, y, dy, True)


@kernel(once=True)
def begin_step(joint, t, y, dy, new_rank):
    cartesian, nq, nv = joint.cartesian, joint.sizes.positions, joint.sizes.speeds
    if new_rank and joint.row.shape[0] and (_with_own(joint) or decide_rows(joint)):
        status = constrain(joint, _with_own(joint))
        if status == FINE and _exchanged(joint):  # closed by rows that depend on each other here
            status = project(joint, t, y)
        if status:
            return status
    commit_turns(cartesian.work.z, cartesian.reference)
    prescribe_speeds(joint, y[nq : nq + nv])
    status = accelerate_tree(joint, t, y, dy, True)
    if status == FINE:
        accelerate_nodes(joint.tree, dy[nq : nq + nv])
        accelerate_bodies(joint)
        limit_step(cartesian, joint.a)
    return status


@kernel(once=True)
def decide_rank_at(joint, t, y):
    return evaluate_tree(joint, t, y[: joint.sizes.positions]) or factorize_tree(joint, True)


@kernel(once=True)
def decide_rank_here(joint):
    return constrain(joint, True)


@kernel(once=True)
def factorize_for_impulse(joint, t, y):
    nq, nv = joint.sizes.positions, joint.sizes.speeds
    status = evaluate_tree(joint, t, y[:nq]) or factorize_tree(joint, True)
    if status:
        return status
    prescribe_speeds(joint, y[nq : nq + nv])
    return move_tree(joint, t, y[nq : nq + nv])


@kernel(once=True)
def impulse(joint, dy):
    nq, nv = joint.sizes.positions, joint.sizes.speeds
    return impulse_of(joint, dy[nq : nq + nv])


@kernel(once=True)
def rates_of_positions(joint, y, dy):
    nq, nv = joint.sizes.positions, joint.sizes.speeds
    position_rates(joint.tree, y[:nq], y[nq : nq + nv], dy)
    return FINE


@kernel(internal=True, inline=True)
def _with_own(joint):
    """Whether places of contact have coordinates of their own, which are eliminated anew where rows are decided."""
    return joint.own.source.shape[0] > 0


@kernel(internal=True)
def _exchanged(joint):
    """Whether other rows were dropped than before, but as many."""
    changed, balance = False, 0
    for r in range(joint.dropped.shape[0]):
        changed |= joint.dropped[r] != joint.before[r]
        balance += joint.dropped[r] - joint.before[r]
    return changed and balance == 0


@kernel(internal=True)
def project(joint, t, y):
    """Close what was cut, at position and velocity level."""
    cartesian, nq, nv = joint.cartesian, joint.sizes.positions, joint.sizes.speeds
    q, v, step = y[:nq], y[nq : nq + nv], joint.step
    close, right, last = cartesian.settings.closure, joint.right, np.inf
    for i in range(nv):
        step[i] = 0.0
    advance(joint.tree, q, step, joint.rates)
    for iteration in range(NEWTON + 1):
        if evaluate_tree(joint, t, q) or factorize_tree(joint, False):
            return cartesian.failure.status
        error = 0.0
        for r in range(right.shape[0]):
            right[r] = 0.0 if joint.velocity[r] else cartesian.work.phi[joint.row[r]]
            if not joint.dropped[r]:
                error = max(error, abs(right[r]) * cartesian.rows.inverse[joint.row[r]])
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            prescribe_speeds(joint, v)
            project_tree_speeds(joint, v)
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for i in range(nv):
            step[i] = 0.0
        correct(joint, step)
        advance(joint.tree, q, step, joint.rates)
        cartesian.counters.corrections += 1
    cartesian.failure.status = OPEN
    return OPEN


@kernel(internal=True)
def error_norms(joint, y, e, filtered):
    """As in Cartesian coordinates; the tangent space is that of what is cut."""
    cartesian, nq, nv, size = joint.cartesian, joint.sizes.positions, joint.sizes.speeds, joint.size
    v, x, last = y[nq : nq + nv], joint.step, nv - joint.own.source.shape[0]
    position, speed = 1.0 / cartesian.settings.atol, 1.0 / cartesian.settings.rtol
    total, tangent = 0.0, 0.0
    for level in range(2):
        if level == 0:
            speeds_of(joint.tree, y[:nq], e[:nq], x)
        else:
            copy(e[nq : nq + nv], x)
        for i in range(nv):
            if joint.prescribed[i] and i < last:
                x[i] = 0.0
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            total += part * part
        if filtered:
            for r in range(joint.right.shape[0]):
                joint.right[r] = 0.0
            open_along(joint, x)
            correct(joint, x)
        for i in range(nv):
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            tangent += part * part
    n = max(2.0 * nv, 1.0)  # all bodies may be fixed
    e[0], e[1] = max(tangent / n, _rest_of_error(joint, y, e)), total / n
    return FINE


@kernel(internal=True)
def _rest_of_error(joint, y, e):
    """As `error_of_rest`, with the energy of the nodes."""
    first = joint.sizes.positions + joint.sizes.speeds
    return error_of_rest(joint.cartesian, y, e, first, _energy(joint))


@kernel(internal=True)
def _energy(joint):
    tree, energy = joint.tree, energy_of_bodies(joint) + joint.tree.rotor_energy[0]
    for k in range(tree.kind.shape[0]):
        V = tree.V[k]
        nx, ny, nz, fx, fy, fz = inertia_times(tree.inertia[k], V[0], V[1], V[2], V[3], V[4], V[5])
        energy += 0.5 * (nx * V[0] + ny * V[1] + nz * V[2] + fx * V[3] + fy * V[4] + fz * V[5])
    return energy


@kernel(internal=True)
def kinetic_energy(joint, out):
    out[0] = _energy(joint)
    return FINE


@kernel(internal=True)
def row_gradient(joint, row, gradient):
    """Phi of one row, at the last evaluation."""
    for r in range(joint.row.shape[0]):
        if joint.row[r] == row:
            copy(joint.Phi[r], gradient)
    return FINE


@kernel(internal=True)
def event_values(joint, t, y, g):
    """The values of all events at y, then their rates; NaN where a rate is not known."""
    cartesian, nq, nv = joint.cartesian, joint.sizes.positions, joint.sizes.speeds
    circuit = cartesian.events.circuit
    if evaluate_tree(joint, t, y[:nq]):
        return cartesian.failure.status
    prescribe_speeds(joint, y[nq : nq + nv])
    if reads_reactions(cartesian, circuit):
        if factorize_tree(joint, False) or accelerate_tree(joint, t, y, cartesian.spare, True):
            return cartesian.failure.status
        reactions_settled(circuit, cartesian.multipliers)
    copy(y[y.shape[0] - circuit.states.shape[0] :], circuit.states)
    move_tree(joint, t, y[nq : nq + nv])
    return values_of_events(cartesian, t, g)
