"""Accelerations of a mechanism in joint coordinates: freely by its tree, then by the rows of what is cut."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import powers
from cardan.system.cartesian.matrix import BROKEN, FINE, JAMMED, SINGULAR
from cardan.system.circuit import REACTION_ITERATIONS, reactions_settled
from cardan.system.forces import apply_forces
from cardan.system.tree.bodies import accelerate_bodies, hand_to_nodes
from cardan.system.tree.charts import position_rates
from cardan.system.tree.contact_coordinates import lean_on_rows
from cardan.system.tree.recursion.articulated import fold_forces, spread, start_forces
from cardan.system.tree.recursion.kernels import SLIDE
from cardan.system.tree.recursion.masses import over_mass
from cardan.system.tree.recursion.modal_bodies import inverse_dynamics, push_modal_coordinates
from cardan.system.tree.recursion.rows import correct, open_along
from cardan.system.tree.state import move_tree
from cardan.system.turns import remember_turns


@kernel(internal=True)
def accelerate_tree(joint, t, y, dy, moving):
    """y' where positions were evaluated and factorized; velocities are if not `moving`."""
    cartesian, tree, nq, nv = joint.cartesian, joint.tree, joint.sizes.positions, joint.sizes.speeds
    circuit = cartesian.forces.circuit
    q, v, a = y[:nq], y[nq : nq + nv], dy[nq : nq + nv]
    first = y.shape[0] - circuit.states.shape[0]
    copy(y[first:], circuit.states)
    if moving and move_tree(joint, t, v):
        return BROKEN
    settled = False
    for _ in range(REACTION_ITERATIONS):
        if push_nodes(joint, t):
            return BROKEN
        _accelerate_freely(joint, a)
        if joint.row.shape[0]:
            correct(joint, a)
            for r in range(joint.row.shape[0]):
                cartesian.multipliers[joint.row[r]] = joint.right[r]
        settled = reactions_settled(circuit, cartesian.multipliers)
        if settled:
            break
    if not settled:
        cartesian.failure.status = JAMMED
        return JAMMED
    if joint.prescribed_row.shape[0]:
        _find_drives(joint, a)
    position_rates(tree, q, v, dy)
    powers(cartesian, dy[nq + nv :])
    copy(circuit.rates, dy[first:])
    remember_turns(cartesian)
    for i in range(nv):
        if not abs(a[i]) < np.inf:
            cartesian.failure.status = SINGULAR
            return SINGULAR
    return FINE


@kernel(internal=True)
def push_nodes(joint, t):
    """Forces of the model on the nodes, in their axes."""
    cartesian, push, outer = joint.cartesian, joint.push, joint.tree.outer
    for i in range(push.shape[0]):
        push[i] = 0.0
    failed = apply_forces(cartesian.forces, t, cartesian.work, cartesian.strength, push)
    if failed:
        cartesian.failure.status, cartesian.failure.law = BROKEN, failed
        return BROKEN
    for k in range(outer.shape[0]):
        for j in range(6):
            outer[k, j] = 0.0
    if cartesian.strength.shape[0]:
        hand_to_nodes(joint, push, outer)
        push_modal_coordinates(joint, push, outer)
    return FINE


@kernel(internal=True)
def _accelerate_freely(joint, a):
    """Accelerations without the rows, and joint.right = J a - gamma of them."""
    tree, g = joint.tree, joint.tree.gravity
    if joint.sizes.shallow:
        for i in range(a.shape[0]):
            a[i] = 0.0
        for k in range(joint.prescribed_row.shape[0]):
            a[tree.first_v[joint.prescribed_node[k]]] = joint.prescribed_value[k, 2]
        inverse_dynamics(joint, a, joint.load)
        lean_on_rows(joint, joint.push, joint.load, 1.0)
        if joint.row.shape[0]:
            accelerate_bodies(joint)
            open_by(joint)
        over_mass(joint, joint.load, joint.answer)
        for i in range(a.shape[0]):
            joint.answer[i] = -joint.answer[i]
            a[i] += joint.answer[i]
        open_along(joint, joint.answer)
        return
    for k in range(joint.prescribed_row.shape[0]):  # part of C, as prescribed joints pass on all of their inertia
        node = joint.prescribed_node[k]
        x = tree.sign[node] * joint.prescribed_value[k, 2]
        if tree.kind[node] == SLIDE:
            tree.C[node, 5] += x
        else:
            tree.C[node, 2] += x
            tree.C[node, 5] += tree.lead[node] * x
    for i in range(a.shape[0]):
        joint.load[i] = 0.0
    lean_on_rows(joint, joint.push, joint.load, -1.0)
    start_forces(tree)
    fold_forces(tree, joint.load, tree.C)
    spread(tree, tree.C, g[0], g[1], g[2], a)
    for k in range(joint.prescribed_row.shape[0]):
        a[tree.first_v[joint.prescribed_node[k]]] = joint.prescribed_value[k, 2]
    if joint.row.shape[0]:
        accelerate_bodies(joint)
        open_by(joint)


@kernel(internal=True)
def open_by(joint):
    """joint.right = J a - gamma with the accelerations of bodies found last."""
    cartesian, right, own = joint.cartesian, joint.right, joint.own
    solver, coefficient, jac = cartesian.solver, cartesian.work.coefficient, cartesian.work.jac
    for r in range(right.shape[0]):
        total = -cartesian.work.gamma[joint.row[r]]
        for k in range(joint.entry_start[joint.touch_start[r]], joint.entry_start[joint.touch_start[r + 1]]):
            e = joint.entry[k]
            total += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * joint.a[solver.column[e]]
        for k in range(own.start[r], own.start[r + 1]):
            e = own.entry[k]
            total += coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * joint.a[solver.column[e]]
        right[r] = total


@kernel(internal=True)
def _find_drives(joint, a):
    """Multipliers of the rows that prescribe motions of joints: the forces that these motions require."""
    tree, load = joint.tree, joint.load
    inverse_dynamics(joint, a, load)
    for r in range(joint.right.shape[0]):
        for j in range(load.shape[0]):
            load[j] += joint.Phi[r, j] * joint.right[r]
    for k in range(joint.prescribed_row.shape[0]):
        share = joint.prescribed_share[k]
        joint.cartesian.multipliers[joint.prescribed_row[k]] = -load[tree.first_v[joint.prescribed_node[k]]] / share


@kernel(internal=True)
def sample_tree(joint, t, y, dy):
    """Call the samplers that are due where the mechanism was evaluated last; y' with what they give."""
    cartesian, circuit = joint.cartesian, joint.cartesian.forces.circuit
    row = circuit.sample_row
    for k in range(row.shape[0]):
        circuit.multipliers[row[k]] = cartesian.multipliers[row[k]]
    failed = call_pointer(circuit.kernels.sample, (circuit, t, cartesian.work.z))
    if failed:
        cartesian.failure.status, cartesian.failure.law = BROKEN, cartesian.strength.shape[0] + failed
        return BROKEN
    copy(circuit.states, y[y.shape[0] - circuit.states.shape[0] :])
    return accelerate_tree(joint, t, y, dy, False)
