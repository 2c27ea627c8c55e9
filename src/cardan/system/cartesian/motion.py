"""The operations of a mechanism in Cartesian coordinates: accelerations, projection, rank, errors, events.

    [ M  J^T ] [  a  ]   [ f     ]      f = Q - h
    [ J   0  ] [ lam ] = [ gamma ]                                                          (Haug 6.3.18, 11.3.29)

`cardan.system.mechanism` documents the operations. y is [q | v | w | c]. Projections are orthogonal in the metric of
the masses, x <- x + dx with M dx + J^T mu = 0, J dx = -phi: they do not change momentum.
"""

from __future__ import annotations

import numpy as np

from cardan.model.space import (
    advance,
    displacement,
    normalize,
    position_rates,
)
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import NEARBY, accelerate
from cardan.system.cartesian.matrix import (
    BROKEN,
    FINE,
    OPEN,
    decide_rank,
    factorize_masses,
    fill_whole,
    solve_both,
    solve_rows,
)
from cardan.system.cartesian.step_limits import leave_slowly, limit_step
from cardan.system.circuit import reactions_settled
from cardan.system.evaluate import evaluate_position, evaluate_velocity, rows_times
from cardan.system.forces import along, strengths
from cardan.system.turn_kernels import commit_turns

NEWTON = 8  # corrections of a position
NEARLY_CLOSED = 0.1  # of the tolerance: violations that may remain from one sample to the next
WORK = 10.0  # by so much work may be less exact than speeds


@kernel(once=True)
def rates(machine, t, y, dy):
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    if evaluate_at(machine, t, y[:nq]) or factorize_masses(machine):
        return machine.failure.status
    if machine.settings.project_stages != 0.0:
        _project_speeds(machine, y[nq : nq + nv])
    return accelerate(machine, t, y, dy, machine.settings.acceleration_refinements, True)


@kernel(once=True)
def rates_unrefined(machine, t, y, dy):
    if evaluate_at(machine, t, y[: machine.place.shape[0]]) or factorize_masses(machine):
        return machine.failure.status
    return accelerate(machine, t, y, dy, 0.0, True)


@kernel(once=True)
def begin_step(machine, t, y, dy):
    commit_turns(machine.work.z, machine.reference)
    if decide_rank(machine) and factorize_masses(machine):
        return machine.failure.status
    status = accelerate(machine, t, y, dy, machine.settings.acceleration_refinements, True)
    _limit(machine, y, dy)
    return status


@kernel(once=True)
def rates_at_projection(machine, t, y, dy, refine):
    commit_turns(machine.work.z, machine.reference)
    status = accelerate(machine, t, y, dy, machine.settings.acceleration_refinements if refine else 0.0, True)
    _limit(machine, y, dy)
    return status


@kernel(once=True)
def decide_rank_at(machine, t, y):
    if evaluate_at(machine, t, y[: machine.place.shape[0]]):
        return machine.failure.status
    decide_rank(machine)
    return FINE


@kernel(once=True)
def decide_rank_here(machine):
    decide_rank(machine)
    return FINE


@kernel(once=True)
def factorize_for_impulse(machine, t, y):
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    if evaluate_at(machine, t, y[:nq]):
        return machine.failure.status
    decide_rank(machine)
    if factorize_masses(machine):
        return machine.failure.status
    return evaluate_velocity(machine.geometry, machine.rows, y[nq : nq + nv], t, machine.work)


@kernel(once=True)
def rates_of_positions(machine, y, dy):
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    position_rates(machine.geometry, y[:nq], y[nq : nq + nv], dy[:nq])
    return FINE


@kernel(internal=True)
def _limit(machine, y, dy):
    """How long the next step may be."""
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    limit_step(machine, dy[nq : nq + nv])
    leave_slowly(machine, y[nq : nq + nv], dy[nq : nq + nv])


@kernel(once=True)
def rates_with_old_factors(machine, t, y, dy):
    """y' at the start of a step, from factors of a place nearby."""
    q = y[: machine.place.shape[0]]
    if evaluate_at(machine, t, q):
        return machine.failure.status
    if _gap(machine) > NEARLY_CLOSED * machine.settings.rtol:
        return OPEN
    copy(machine.place, q)
    commit_turns(machine.work.z, machine.reference)
    fill_whole(machine)
    status = accelerate(machine, t, y, dy, NEARBY, True)
    _limit(machine, y, dy)
    return status


@kernel(internal=True)
def _gap(machine):
    """By how much joints are open, where the mechanism was evaluated last."""
    phi, inverse, active, error = machine.work.phi, machine.rows.inverse, machine.active, 0.0
    for r in range(active.shape[0]):
        if active[r]:
            error = max(error, abs(phi[r]) * inverse[r])
    return error


@kernel(once=True)
def project(machine, t, y, lenient):
    """Close the joints at position and velocity level, if they are open or not `lenient`; leaves the factors there."""
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    phi, right = machine.work.phi, machine.right
    place, close = machine.place, machine.settings.closure
    last = np.inf
    for iteration in range(NEWTON + 1):
        if evaluate_at(machine, t, q) or factorize_masses(machine):
            return machine.failure.status
        copy(place, q)
        error = _gap(machine)
        if lenient and iteration == 0 and error <= NEARLY_CLOSED * machine.settings.rtol:
            return FINE
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            _project_speeds(machine, v)
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for r in range(right.shape[0]):
            right[r] = -phi[r]
        solve_rows(machine, machine.step)
        advance(machine.geometry, q, machine.step)
        machine.counters.corrections += 1
        if error <= machine.settings.one_correction:  # squared, it is nothing
            copy(q, place)
            normalize(machine.geometry, place)
            copy(place, q)
            _project_speeds(machine, v)
            return FINE
    machine.failure.status = OPEN
    return OPEN


@kernel(once=True)
def impulse(machine, dy):
    """M dv + J^T p = impulse, J dv = 0, with the factors at hand."""
    right, first = machine.right, machine.place.shape[0]
    for r in range(right.shape[0]):
        right[r] = 0.0
    part = dy[first : first + machine.force.shape[0]]
    solve_both(machine, part, part, machine.settings.acceleration_refinements)
    return FINE


@kernel(once=True)
def error_norms(machine, y, e, filtered):
    """Replace the error e of y by squared norms: e[0] of its part tangent to the constraints, if `filtered`, and e[1]
    of all of it.

    Positions count relative to the absolute tolerance, speeds relative to rtol (1 + speed), work relative to the
    kinetic energy. The factors are those of the last projection.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    v, ev = y[nq : nq + nv], e[nq : nq + nv]
    place, other, size = machine.place, machine.other, machine.size
    for i in range(nq):
        e[i] += y[i]
    copy(y[:nq], place)
    displacement(machine.geometry, place, e[:nq], other)
    position, speed = 1.0 / machine.settings.atol, 1.0 / machine.settings.rtol
    width = nv - machine.weights.shape[0]
    total, tangent = 0.0, 0.0
    for level in range(2):
        x = other if level == 0 else ev
        for i in range(width, nv):
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            total += part * part
        if not filtered:
            tangent = total
            continue
        rows_times(machine.solver, machine.work, x, machine.right)
        for r in range(machine.right.shape[0]):
            machine.right[r] = -machine.right[r]
        solve_rows(machine, machine.step)
        for i in range(width, nv):
            part = (x[i] + machine.step[i]) * size[i]
            part *= position if level == 0 else speed / (1.0 + abs(v[i]) * size[i])
            tangent += part * part
    n = 2.0 * (nv - width)
    rest = error_of_rest(machine, y, e, nq + nv, kinetic(machine.mass, v, width))
    e[0], e[1] = max(tangent / n, rest), total / n
    return FINE


@kernel(internal=True)
def error_of_rest(machine, y, e, first, energy):
    """The error of the work, which begins at place `first` of y, relative to the energy in the motion and to WORK times
    the tolerance, squared; or that of a state, if it is larger."""
    scale, worst, behind = machine.scale, 0.0, y.shape[0] - machine.scale.shape[0]
    energy += machine.settings.least_energy
    for i in range(first, behind):
        energy, worst = max(energy, abs(y[i])), max(worst, abs(e[i]))
    worst = worst / (WORK * energy) if energy > 0.0 else 0.0
    for k in range(scale.shape[0]):
        worst = max(worst, abs(e[behind + k]) / (scale[k] + abs(y[behind + k])))
    return (worst / machine.settings.rtol) ** 2


@kernel(internal=True)
def kinetic(mass, v, width):
    """v^T M v / 2, with the lower triangles of all blocks of M, ground's first and left out."""
    energy = 0.0
    for k in range(1, mass.shape[0]):
        place, i = 0, width * k
        for row in range(width):
            for column in range(row + 1):
                part = mass[k, place] * v[i + row] * v[i + column]
                energy += 0.5 * part if row == column else part
                place += 1
    return energy


@kernel(once=True)
def event_values(machine, t, y, g):
    """The values of all events at y, then their rates; NaN where a rate is not known."""
    nq, nv, circuit = machine.place.shape[0], machine.force.shape[0], machine.events.circuit
    if evaluate_at(machine, t, y[:nq]):
        return machine.failure.status
    if reads_reactions(machine, circuit):
        refinements = machine.settings.acceleration_refinements
        if factorize_masses(machine) or accelerate(machine, t, y, machine.spare, refinements, True):
            return machine.failure.status
        reactions_settled(circuit, machine.multipliers)
    copy(y[y.shape[0] - circuit.states.shape[0] :], circuit.states)
    evaluate_velocity(machine.geometry, machine.rows, y[nq : nq + nv], t, machine.work)
    return values_of_events(machine, t, g)


@kernel(internal=True)
def values_of_events(machine, t, g):
    """The same where measures and their rates were evaluated."""
    failed = strengths(machine.events, t, machine.work, machine.happening)
    copy(machine.happening, g)
    events, z, count = machine.events, machine.work.z, machine.happening.shape[0]
    for k in range(count):
        g[count + k] = along(events, z, k)[1] if events.linear[k, 0] != 0.0 else np.nan
    if failed:
        machine.failure.status, machine.failure.law = BROKEN, -failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def reads_reactions(machine, circuit):
    """Whether events depend on reactions; those of rows that are released are nothing."""
    found, row, engaged = False, circuit.row, machine.engaged
    for k in range(row.shape[0]):
        if engaged[row[k]]:
            found = True
        else:
            circuit.multipliers[row[k]] = 0.0
    return found


@kernel(internal=True)
def evaluate_at(machine, t, q):
    """Evaluate positions."""
    copy(q, machine.place)
    normalize(machine.geometry, machine.place)
    machine.counters.evaluations += 1
    failed = evaluate_position(machine.geometry, machine.rows, machine.place, t, machine.reference, machine.work)
    if failed:
        machine.failure.status, machine.failure.law, machine.failure.row = BROKEN, 0, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def _project_speeds(machine, v):
    """v on the velocity equations, with the factors at hand."""
    right, nu = machine.right, machine.work.nu
    rows_times(machine.solver, machine.work, v, right)
    for r in range(right.shape[0]):
        right[r] = nu[r] - right[r]
    solve_rows(machine, machine.step)
    for i in range(v.shape[0]):
        v[i] += machine.step[i]
