"""The operations of a mechanism in Cartesian coordinates: accelerations, projection, rank, errors, events.

    [ M  J^T ] [  a  ]   [ f     ]      f = Q - h
    [ J   0  ] [ lam ] = [ gamma ]                                                          (Haug 6.3.18, 11.3.29)

`cardan.system.mechanism` documents the operations. y is [q | v | w | c]. Projections are orthogonal in the metric of
the masses, x <- x + dx with M dx + J^T mu = 0, J dx = -phi: they do not change momentum.
"""

from __future__ import annotations

import numpy as np

from cardan.model.space import advance, displacement, modal_energy, normalize, position_rates
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import NEARBY_FACTORS, accelerate
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
from cardan.system.turns import commit_turns

NEWTON = 8  # corrections of a position
NEARLY_CLOSED = 0.1  # of the tolerance: violations that may remain from one sample to the next
WORK = 10.0  # by so much work may be less exact than speeds


@kernel(once=True)
def rates(tables, t, y, dy):
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    if evaluate_at(tables, t, y[:nq]) or factorize_masses(tables):
        return tables.failure.status
    if tables.settings.project_stages != 0.0:
        _project_speeds(tables, y[nq : nq + nv])
    return accelerate(tables, t, y, dy, tables.settings.acceleration_refinements, True)


@kernel(once=True)
def rates_unrefined(tables, t, y, dy):
    if evaluate_at(tables, t, y[: tables.place.shape[0]]) or factorize_masses(tables):
        return tables.failure.status
    return accelerate(tables, t, y, dy, 0.0, True)


@kernel(once=True)
def begin_step(tables, t, y, dy):
    commit_turns(tables.work.z, tables.reference)
    before = tables.counters.dropped_rows
    if decide_rank(tables):
        exchanged = tables.counters.dropped_rows == before  # y was closed by rows that depend on each other here
        if project(tables, t, y, False) if exchanged else factorize_masses(tables):
            return tables.failure.status
    status = accelerate(tables, t, y, dy, tables.settings.acceleration_refinements, True)
    _limit(tables, y, dy)
    return status


@kernel(once=True)
def rates_at_projection(tables, t, y, dy, refine):
    commit_turns(tables.work.z, tables.reference)
    status = accelerate(tables, t, y, dy, tables.settings.acceleration_refinements if refine else 0.0, True)
    _limit(tables, y, dy)
    return status


@kernel(once=True)
def decide_rank_at(tables, t, y):
    if evaluate_at(tables, t, y[: tables.place.shape[0]]):
        return tables.failure.status
    decide_rank(tables)
    return FINE


@kernel(once=True)
def decide_rank_here(tables):
    decide_rank(tables)
    return FINE


@kernel(once=True)
def factorize_for_impulse(tables, t, y):
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    if evaluate_at(tables, t, y[:nq]):
        return tables.failure.status
    decide_rank(tables)
    if factorize_masses(tables):
        return tables.failure.status
    return evaluate_velocity(tables.geometry, tables.rows, y[nq : nq + nv], t, tables.work)


@kernel(once=True)
def rates_of_positions(tables, y, dy):
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    position_rates(tables.geometry, y[:nq], y[nq : nq + nv], dy[:nq])
    return FINE


@kernel(internal=True)
def _limit(tables, y, dy):
    """How long the next step may be."""
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    limit_step(tables, dy[nq : nq + nv])
    leave_slowly(tables, y[nq : nq + nv], dy[nq : nq + nv])


@kernel(once=True)
def rates_with_old_factors(tables, t, y, dy):
    """y' at the start of a step, from factors of a place nearby."""
    q = y[: tables.place.shape[0]]
    if evaluate_at(tables, t, q):
        return tables.failure.status
    if _gap(tables) > NEARLY_CLOSED * tables.settings.rtol:
        return OPEN
    copy(tables.place, q)
    commit_turns(tables.work.z, tables.reference)
    fill_whole(tables)
    status = accelerate(tables, t, y, dy, NEARBY_FACTORS, True)
    _limit(tables, y, dy)
    return status


@kernel(internal=True)
def _gap(tables):
    """By how much joints are open, where the mechanism was evaluated last."""
    phi, inverse, active, error = tables.work.phi, tables.rows.inverse, tables.active, 0.0
    for r in range(active.shape[0]):
        if active[r]:
            error = max(error, abs(phi[r]) * inverse[r])
    return error


@kernel(once=True)
def project(tables, t, y, lenient):
    """Close the joints at position and velocity level, if they are open or not `lenient`; leaves the factors there."""
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    phi, right = tables.work.phi, tables.right
    place, close = tables.place, tables.settings.closure
    last = np.inf
    for iteration in range(NEWTON + 1):
        if evaluate_at(tables, t, q) or factorize_masses(tables):
            return tables.failure.status
        copy(place, q)
        error = _gap(tables)
        if lenient and iteration == 0 and error <= NEARLY_CLOSED * tables.settings.rtol:
            return FINE
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            _project_speeds(tables, v)
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for r in range(right.shape[0]):
            right[r] = -phi[r]
        solve_rows(tables, tables.step)
        advance(tables.geometry, q, tables.step)
        tables.counters.corrections += 1
        if error <= tables.settings.one_correction:  # squared, it is nothing
            copy(q, place)
            normalize(tables.geometry, place)
            copy(place, q)
            _project_speeds(tables, v)
            return FINE
    tables.failure.status = OPEN
    return OPEN


@kernel(once=True)
def impulse(tables, dy):
    """M dv + J^T p = impulse, J dv = 0, with the factors at hand."""
    right, first = tables.right, tables.place.shape[0]
    for r in range(right.shape[0]):
        right[r] = 0.0
    part = dy[first : first + tables.force.shape[0]]
    solve_both(tables, part, part, tables.settings.acceleration_refinements)
    return FINE


@kernel(once=True)
def row_gradient(tables, row, gradient):
    """J of one row, at the last evaluation."""
    solver, work = tables.solver, tables.work
    for i in range(gradient.shape[0]):
        gradient[i] = 0.0
    for k in range(solver.row.shape[0]):
        if solver.row[k] == row:
            gradient[solver.column[k]] += (
                work.coefficient[solver.entry[k]] * work.jac[solver.measure[k], solver.part[k]]
            )
    return FINE


@kernel(once=True)
def kinetic_energy(tables, y, out):
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    width = nv - tables.weights.shape[0]
    out[0] = kinetic(tables.geometry, tables.matter, tables.mass, y[nq : nq + nv], width)
    return FINE


@kernel(once=True)
def error_norms(tables, y, e, filtered):
    """Replace the error e of y by squared norms: e[0] of its part tangent to the constraints, if `filtered`, and e[1]
    of all of it.

    Positions count relative to the absolute tolerance, speeds relative to rtol (1 + speed), work relative to the
    kinetic energy. The factors are those of the last projection.
    """
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    v, ev = y[nq : nq + nv], e[nq : nq + nv]
    place, other, size = tables.place, tables.other, tables.size
    for i in range(nq):
        e[i] += y[i]
    copy(y[:nq], place)
    displacement(tables.geometry, place, e[:nq], other)
    position, speed = 1.0 / tables.settings.atol, 1.0 / tables.settings.rtol
    width = nv - tables.weights.shape[0]
    total, tangent = 0.0, 0.0
    for level in range(2):
        x = other if level == 0 else ev
        for i in range(width, nv):
            part = x[i] * size[i] * (position if level == 0 else speed / (1.0 + abs(v[i]) * size[i]))
            total += part * part
        if not filtered:
            tangent = total
            continue
        rows_times(tables.solver, tables.work, x, tables.right)
        for r in range(tables.right.shape[0]):
            tables.right[r] = -tables.right[r]
        solve_rows(tables, tables.step)
        for i in range(width, nv):
            part = (x[i] + tables.step[i]) * size[i]
            part *= position if level == 0 else speed / (1.0 + abs(v[i]) * size[i])
            tangent += part * part
    n = 2.0 * (nv - width)
    rest = error_of_rest(tables, y, e, nq + nv, kinetic(tables.geometry, tables.matter, tables.mass, v, width))
    e[0], e[1] = max(tangent / n, rest), total / n
    return FINE


@kernel(internal=True)
def error_of_rest(tables, y, e, first, energy):
    """The error of the work, which begins at place `first` of y, relative to the energy in the motion and to WORK times
    the tolerance, squared; or that of a state, if it is larger."""
    scale, worst, behind = tables.scale, 0.0, y.shape[0] - tables.scale.shape[0]
    energy += tables.settings.least_energy
    for i in range(first, behind):
        energy, worst = max(energy, abs(y[i])), max(worst, abs(e[i]))
    worst = worst / (WORK * energy) if energy > 0.0 else 0.0
    for k in range(scale.shape[0]):
        worst = max(worst, abs(e[behind + k]) / (scale[k] + abs(y[behind + k])))
    return (worst / tables.settings.rtol) ** 2


@kernel(internal=True)
def kinetic(geometry, matter, mass, v, width):
    """v^T M v / 2, with the lower triangles of all blocks of M, ground's first and left out."""
    energy = modal_energy(geometry, mass, v)
    for k in range(1, matter.shape[0]):
        place, i = 0, width * k
        for row in range(width):
            for column in range(row + 1):
                part = mass[k, place] * v[i + row] * v[i + column]
                energy += 0.5 * part if row == column else part
                place += 1
    return energy


@kernel(once=True)
def event_values(tables, t, y, g):
    """The values of all events at y, then their rates; NaN where a rate is not known."""
    nq, nv, circuit = tables.place.shape[0], tables.force.shape[0], tables.events.circuit
    if evaluate_at(tables, t, y[:nq]):
        return tables.failure.status
    if reads_reactions(tables, circuit):
        refinements = tables.settings.acceleration_refinements
        if factorize_masses(tables) or accelerate(tables, t, y, tables.spare, refinements, True):
            return tables.failure.status
        reactions_settled(circuit, tables.multipliers)
    copy(y[y.shape[0] - circuit.states.shape[0] :], circuit.states)
    evaluate_velocity(tables.geometry, tables.rows, y[nq : nq + nv], t, tables.work)
    return values_of_events(tables, t, g)


@kernel(internal=True)
def values_of_events(tables, t, g):
    """The same where measures and their rates were evaluated."""
    failed = strengths(tables.events, t, tables.work, tables.happening)
    copy(tables.happening, g)
    events, z, count = tables.events, tables.work.z, tables.happening.shape[0]
    for k in range(count):
        g[count + k] = along(events, z, k)[1] if events.linear[k, 0] != 0.0 else np.nan
    if failed:
        tables.failure.status, tables.failure.law = BROKEN, -failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def reads_reactions(tables, circuit):
    """Whether events depend on reactions; those of rows that are released are nothing."""
    found, row, engaged = False, circuit.row, tables.engaged
    for k in range(row.shape[0]):
        if engaged[row[k]]:
            found = True
        else:
            circuit.multipliers[row[k]] = 0.0
    return found


@kernel(internal=True)
def evaluate_at(tables, t, q):
    """Evaluate positions."""
    copy(q, tables.place)
    normalize(tables.geometry, tables.place)
    tables.counters.evaluations += 1
    failed = evaluate_position(tables.geometry, tables.rows, tables.place, t, tables.reference, tables.work)
    if failed:
        tables.failure.status, tables.failure.law, tables.failure.row = BROKEN, 0, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def _project_speeds(tables, v):
    """v on the velocity equations, with the factors at hand."""
    right, nu = tables.right, tables.work.nu
    rows_times(tables.solver, tables.work, v, right)
    for r in range(right.shape[0]):
        right[r] = nu[r] - right[r]
    solve_rows(tables, tables.step)
    for i in range(v.shape[0]):
        v[i] += tables.step[i]
