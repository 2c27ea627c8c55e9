"""Accelerations: forces at a state whose position is evaluated and factorized, and y' from them.

y' = [q' | a | powers | rates of states]

Samplers are called where the mechanism was evaluated last, and their outputs change accelerations:

    K [da; dlam] = [-sum df_k dz_k/dq; 0]        df_k: by how much the force of a law changes with what is held

Positions and speeds stay as they are, and so do all forces that are not signals: accelerations are not found anew,
but changed by one solution with the factors at hand.
"""

from __future__ import annotations

import numpy as np

from cardan.model.space import inertia_forces, position_rates
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import BROKEN, FINE, JAMMED, SINGULAR, keep_solution, solve_both, solve_nearby
from cardan.system.circuit import REACTION_ITERATIONS, SIGNAL, reactions_settled
from cardan.system.evaluate import evaluate_velocity
from cardan.system.forces import along, apply_forces
from cardan.system.turns import remember_turns

NEARBY_FACTORS = -1.0  # in place of a number of refinements: the factors are those of a place nearby


@kernel(internal=True)
def accelerate(tables, t, y, dy, refinements, moving):
    """Forces at y, whose position is evaluated and factorized; y' from them.

    Rates of measures are found if `moving`; otherwise they are at hand. Solutions are refined so many times.
    """
    nq, nv, circuit = tables.place.shape[0], tables.force.shape[0], tables.forces.circuit
    v, a, work, gamma = y[nq : nq + nv], dy[nq : nq + nv], tables.work, tables.work.gamma
    first = y.shape[0] - circuit.states.shape[0]
    copy(y[first:], circuit.states)
    alpha, beta = tables.settings.alpha, tables.settings.beta
    right, rate, nu, phi = tables.right, work.rate, work.nu, work.phi
    settled = False
    for attempt in range(REACTION_ITERATIONS):
        for i in range(nv):
            a[i] = 0.0
        if forces_at(tables, t, v, a, moving and attempt == 0):
            return BROKEN
        for r in range(right.shape[0]):
            right[r] = gamma[r] - 2.0 * alpha * (rate[r] - nu[r]) - beta * beta * phi[r]
        if refinements == NEARBY_FACTORS:
            solve_nearby(tables, t, tables.force, a)
        else:
            solve_both(tables, tables.force, a, refinements)
        keep_solution(tables, t)
        settled = reactions_settled(circuit, tables.multipliers)
        if settled:
            break
    if not settled:
        tables.failure.status = JAMMED
        return JAMMED
    position_rates(tables.geometry, y[:nq], v, dy[:nq])
    powers(tables, dy[nq + nv :])
    copy(circuit.rates, dy[first:])
    remember_turns(tables)
    return finite(tables, a)


@kernel(internal=True, inline=True)
def finite(tables, a):
    """FINE, or SINGULAR if an acceleration is none."""
    for i in range(a.shape[0]):
        if not abs(a[i]) < np.inf:
            tables.failure.status = SINGULAR
            return SINGULAR
    return FINE


@kernel(internal=True)
def forces_at(tables, t, v, a, moving):
    """tables.force = Q - h - M a at the position evaluated last; rates of measures are found if `moving`."""
    work, f = tables.work, tables.force
    failed = evaluate_velocity(tables.geometry, tables.rows, v, t, work) if moving else 0
    if failed:
        tables.failure.status, tables.failure.law, tables.failure.row = BROKEN, 0, failed
        return BROKEN
    inertia_forces(tables.geometry, tables.matter, tables.gravity, tables.place, v, a, f)
    failed = apply_forces(tables.forces, t, work, tables.strength, f)
    if failed:
        tables.failure.status, tables.failure.law = BROKEN, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def powers(tables, power):
    """What each force puts in beside its spring and damper, what dampers take out, what moving constraints put in."""
    forces, z, strength = tables.forces, tables.work.z, tables.strength
    linear, taken, laws = forces.linear, 0.0, strength.shape[0]
    for k in range(laws):
        value, rate = along(forces, z, k)
        spring, damper = linear[k, 0] * (value - linear[k, 1]), linear[k, 2] * rate
        power[k] = -(strength[k] - spring - damper) * rate
        taken += damper * rate
    power[laws] = taken
    put, nu = 0.0, tables.work.nu
    for r in range(nu.shape[0]):
        put -= tables.multipliers[r] * nu[r]
    power[laws + 1] = put


@kernel(internal=True)
def call_samplers(tables, t, y, dy):
    """Call the samplers that are due where the mechanism was evaluated last; y', which is known, with what they give.

    Returns a status.
    """
    circuit, laws, nv = tables.forces.circuit, tables.strength.shape[0], tables.force.shape[0]
    nq, first, row = tables.place.shape[0], y.shape[0] - circuit.states.shape[0], circuit.sample_row
    for k in range(row.shape[0]):
        circuit.multipliers[row[k]] = tables.multipliers[row[k]]
    change = tables.spare[:laws]
    for k in range(laws):
        change[k] = 0.0
    _add_signals(circuit, -1.0, change)
    failed = call_pointer(circuit.kernels.sample, (circuit, t, tables.work.z))
    if failed == 0:
        copy(circuit.states, y[first:])
        if circuit.row.shape[0]:  # forces depend on reactions: both are found together
            return accelerate(tables, t, y, dy, tables.settings.acceleration_refinements, False)
        failed = call_pointer(circuit.kernels.run, (circuit, t, tables.work.z)) if circuit.devices[0] else 0
    if failed:
        tables.failure.status, tables.failure.law = BROKEN, laws + failed
        return BROKEN
    _add_signals(circuit, 1.0, change)
    copy(circuit.rates, dy[first:])
    if not _push(tables, change):
        return FINE
    _solve_change(tables)
    a, step = dy[nq : nq + nv], tables.step
    for i in range(nv):
        a[i] += step[i]
    powers(tables, dy[nq + nv :])
    return finite(tables, a)


@kernel(internal=True)
def _add_signals(circuit, factor, change):
    """Add the signals that are forces, as they are now, times a factor."""
    law, signals, states = circuit.law, circuit.signals, circuit.states
    for k in range(law.shape[0]):
        change[law[k, 0]] += factor * (signals[law[k, 2]] if law[k, 1] == SIGNAL else states[law[k, 2]])


@kernel(internal=True)
def _push(tables, change):
    """tables.force from the change of the laws' strengths. Returns whether there is any."""
    forces, force, strength, jac = tables.forces, tables.force, tables.strength, tables.work.jac
    start, measure, coefficient, columns = forces.start, forces.measure, forces.coefficient, forces.columns
    found = False
    for i in range(force.shape[0]):
        force[i] = 0.0
    for k in range(strength.shape[0]):
        if change[k] != 0.0:
            found = True
            strength[k] += change[k]
            for e in range(start[k], start[k + 1]):
                m, factor = measure[e], -change[k] * coefficient[e]
                for c in range(columns.shape[1]):
                    force[columns[m, c]] += factor * jac[m, c]
    return found


@kernel(internal=True)
def _solve_change(tables):
    """The change of accelerations in tables.step; multipliers change with them. A change needs fewer digits."""
    right, known, multipliers, latest, x = (
        tables.right, tables.known, tables.multipliers, tables.latest, tables.work.x,
    )  # fmt: skip
    refinements = max(tables.settings.refinements - 1.0, 0.0)
    for r in range(right.shape[0]):
        right[r] = 0.0
    copy(multipliers, known)
    solve_both(tables, tables.force, tables.step, refinements)
    for r in range(right.shape[0]):
        multipliers[r] += known[r]
    for k in range(x.shape[0]):
        latest[0, k] += x[k]
        latest[1, k] += x[k]
