"""Kinematics in Cartesian coordinates: the operations of `march`, and its start.

Both ends of a step fit one smooth motion if

    q1 - q0 = h/2 (v0 + v1) - h^2/12 (a1 - a0) + O(h^5),        v1 - v0 = h/2 (a0 + a1) + O(h^3)

The pivots of J keep their signs in a step without a singular configuration: one passes through zero at lock-ups and
bifurcations, also between output times. For large systems the test function 1 / (c^T J^-1 b) is monitored instead. With
b and c near the singular vectors of the smallest singular value, it passes through zero exactly where J does. If the
loop returns there, `cardan.analysis.driven.singular` classifies the configuration.

Predictions extend the quintic polynomial through q, v and a of the last two steps (Haug 3.6.13 uses the second
degree): on a fine grid Newton's method has nothing left to correct.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.assembly.closing import FAILED, close_motion, close_position
from cardan.analysis.driven.march import (
    SMALLEST,
    TRUSTED,
    MarchClock,
    MotionRecord,
    State,
    limit_steps,
    march_on,
    motion_record,
    nearest_allowed,
)
from cardan.analysis.driven.smoothness import KINK, inputs_fit, is_smooth, junctions_of
from cardan.model.space import advance, displacement, step_rates
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy, dot
from cardan.system.evaluate import evaluate_position, evaluate_velocity, factorize, solve_columns, solve_rows
from cardan.system.system import System
from cardan.system.turns import commit_all_rates, commit_rates, turns_fit


def fresh_state(system: System, q: np.ndarray, t: float, span: float) -> State:
    """A state at rest at time t."""
    nq, nv, nr, measures = system.start.size, system.speeds().size, system.row_count, system.reference.size
    sizes: Any = nq, nv, nv, nr, (3, nv), measures, measures, nr, nv
    blocked = block(State(MarchClock(), *map(np.zeros, sizes)))
    restart(blocked, q, system.reference, t, span)
    return blocked


def fresh_record(system: System, times: int) -> MotionRecord:
    """An empty record for a number of output times."""
    return motion_record(times, system.start.size, system.speeds().size, system.winding, junctions_of(system))


@kernel
def restart(state, q, reference, t, span):
    """Reset a state to zero speeds at q and time t."""
    clock = state.clock
    clock.last_step, clock.status, clock.pivot_choice, clock.negative_pivots = 0.0, 0.0, 0.0, 0.0
    clock.regularity, clock.junction_tries, clock.at_junction = 0.0, 0.0, 0.0
    clock.now, clock.step, clock.shortest, clock.input_trust = t, np.inf, SMALLEST * span, TRUSTED * span
    clock.junction_step = np.inf
    copy(q, state.q)
    copy(reference, state.reference)
    for i in range(state.v.shape[0]):
        state.v[i], state.a[i], state.c[i] = 0.0, 0.0, 0.0
        for k in range(3):
            state.ahead[k, i] = 0.0
    for r in range(state.b.shape[0]):
        state.b[r], state.nu[r] = 1.0 / np.sqrt(state.b.shape[0]), 0.0


@kernel
def begin(bodies, tolerances, state):
    """Close the first position and choose b and c. Returns (iterations or FAILED, status)."""
    clock, t, work = state.clock, state.clock.now, bodies.work
    count, status = close_position(bodies, tolerances, state.q, t, state.reference)
    if count == FAILED:
        return FAILED, status
    status = close_motion(bodies, state.v, state.a, t)
    commit_all_rates(work.z, state.reference, state.rates)
    copy(work.nu, state.nu)
    clock.pivot_choice, clock.negative_pivots = work.square.chosen[3], work.square.chosen[4]
    limit_steps(clock, state.v, bodies.vectors.size)
    smallest = turn_borders(bodies, state, np.int64(5))
    clock.regularity = work.square.range[0] if work.mode[0] else smallest
    return count, status


def settle_borders(bodies: Any, state: State) -> None:
    """Set b and c to the singular vectors at the state."""
    evaluate_position(bodies.geometry, bodies.rows, state.q, float(state.clock.now), state.reference, bodies.work)
    factorize(bodies.rows, bodies.solver, bodies.weights, bodies.active, 0.0, bodies.work)
    turn_borders(bodies, state, 30)


@kernel
def march(bodies, tolerances, times, first, budget, state, trial, record):
    """Advance from output time to output time, `budget` steps at most. Returns as `march_on`."""
    steps, operations = (state, trial, record), (_move, _close, _fits, _is_regular, _accept, _is_worn)
    return march_on(bodies, tolerances, times, first, budget, steps, operations)


@kernel(once=True)
def _move(mechanism, q, step):
    advance(mechanism.geometry, q, step)


@kernel(once=True)
def _close(mechanism, tolerances, t, state, trial):
    """Positions, velocities and accelerations of the trial. Returns the number of iterations, or FAILED."""
    count, status = close_position(mechanism, tolerances, trial.q, t, state.reference)
    if count != FAILED:
        status = close_motion(mechanism, trial.v, trial.a, t)
    state.clock.status = status
    return FAILED if status else count


@kernel(once=True)
def _fits(mechanism, t, h, state, trial, record):
    """Whether both ends of the step, and the inputs between them, belong to one smooth motion."""
    work, clock = mechanism.work, state.clock
    if h > clock.input_trust and not inputs_fit(mechanism.rows, t - h, h, work.motion):
        return False
    if not _is_smooth(mechanism.geometry, h, state, trial, record.junctions.contacts[0], work.nu, mechanism.vectors):
        return False
    return turns_fit(work.z, state.reference, state.rates, record.winding, h)


@kernel(once=True)
def _is_smooth(geometry, h, state, trial, contacts, nu, vectors):
    """Whether both ends of the step belong to one smooth motion; at a junction the rates of `contacts` may jump.

    `vectors.other` is set to the displacement from the end back to the start, `rate` and `second` to its derivatives.
    """
    moved, gap, speed, kink, change = 0.0, 0.0, 0.0, 0.0, 0.0
    step, size, clock = vectors.other, vectors.size, state.clock
    v0, v1, a0, a1 = vectors.rate, trial.v, vectors.second, trial.a
    displacement(geometry, trial.q, state.q, step)
    step_rates(geometry, trial.q, step, state.v, state.a, v0, a0)
    for i in range(step.shape[0]):
        miss = step[i] + 0.5 * h * (v0[i] + v1[i]) - h * h / 12.0 * (a1[i] - a0[i])
        moved, gap = max(moved, abs(step[i]) * size[i]), max(gap, abs(miss) * size[i])
        speed = max(speed, max(abs(v0[i]), abs(v1[i])) * size[i])
        kink = max(kink, abs(v1[i] - v0[i] - 0.5 * h * (a0[i] + a1[i])) * size[i])
        change = max(change, abs(v1[i] - v0[i]) * size[i])
    if clock.at_junction != 0.0:
        kink, change = 0.0, 0.0
        for i in range(step.shape[0] - contacts):
            kink = max(kink, abs(v1[i] - v0[i] - 0.5 * h * (a0[i] + a1[i])) * size[i])
            change = max(change, abs(v1[i] - v0[i]) * size[i])
    verdict = is_smooth(moved, gap, speed, kink, change)
    if verdict != 1:
        return verdict == 2
    # The velocity jumps. If the rate of an input jumps, that is the cause; otherwise this is another branch.
    most, jump = 0.0, 0.0
    for r in range(nu.shape[0]):
        most = max(most, max(abs(nu[r]), abs(state.nu[r])))
        jump = max(jump, abs(nu[r] - state.nu[r]))
    return jump > KINK * most


@kernel(once=True)
def _is_regular(mechanism, tolerances, t, state, trial):
    """Whether J has not passed through a singular configuration since the last step, and is not about to."""
    solver, active, work, clock = mechanism.solver, mechanism.active, mechanism.work, state.clock
    nearest = nearest_allowed(tolerances, clock.regularity)
    if work.mode[0]:
        if work.square.chosen[3] != clock.pivot_choice:
            if not _look_back(mechanism, t, state, trial):
                return False
        # If two singular values pass through zero together, the determinant keeps its sign, but the pivots do not.
        # At a junction J jumps: the motion is regular if the determinant keeps its sign, regardless of the pivots.
        kept = work.square.chosen[4] == clock.negative_pivots
        if clock.at_junction != 0.0:
            kept = _is_even(np.int64(float(work.square.chosen[4])) ^ np.int64(clock.negative_pivots))
        return kept and work.square.range[0] > nearest
    width = state.c.shape[0] - (solver.place.shape[0] - active.shape[0])
    step = mechanism.vectors.step
    solve_rows(mechanism.rows, solver, active, state.b, work, step, width)
    found = dot(state.c, step)
    return (found > 0.0 or clock.at_junction != 0.0) and abs(found) * nearest < 1.0


@kernel(once=True)
def _look_back(mechanism, t, state, trial):
    """After new pivots were chosen in this step, find the negative ones at its start. False if they are unsuitable."""
    geometry, rows, solver, work = mechanism.geometry, mechanism.rows, mechanism.solver, mechanism.work
    weights, active = mechanism.weights, mechanism.active
    count = work.square.chosen[3]
    evaluate_position(geometry, rows, state.q, state.clock.now, state.reference, work)
    singular = factorize(rows, solver, weights, active, 0.0, work)
    if singular or work.square.chosen[3] != count:
        return False
    state.clock.pivot_choice, state.clock.negative_pivots = count, work.square.chosen[4]
    evaluate_position(geometry, rows, trial.q, t, state.reference, work)
    evaluate_velocity(geometry, rows, trial.v, t, work)
    return not factorize(rows, solver, weights, active, 0.0, work) and work.square.chosen[3] == count


@kernel(internal=True)
def _is_even(bits):
    """Whether the number of bits that are set is even."""
    even = True
    while bits != 0:
        bits &= bits - 1
        even = not even
    return even


@kernel(once=True)
def _accept(mechanism, h, state, trial, record):
    """The polynomial through both ends of the step; `vectors.other` is the displacement back to the last state."""
    work, vectors = mechanism.work, mechanism.vectors
    back, v0, v1, a0, a1, ahead = vectors.other, vectors.rate, trial.v, vectors.second, trial.a, state.ahead
    d = 1.0 / h
    for i in range(back.shape[0]):
        r0 = (-back[i] - h * (v1[i] - 0.5 * h * a1[i])) * d * d * d
        r1 = (v1[i] - v0[i] - h * a1[i]) * d * d
        r2 = (a0[i] - a1[i]) * d
        ahead[0, i] = 10.0 * r0 + 4.0 * r1 - 0.5 * r2
        ahead[1, i] = (15.0 * r0 + 7.0 * r1 - r2) * d
        ahead[2, i] = (6.0 * r0 + 3.0 * r1 - 0.5 * r2) * d * d
    state.clock.negative_pivots = work.square.chosen[4]
    copy(work.nu, state.nu)
    commit_rates(work.z, state.reference, state.rates, record.winding)
    smallest = work.square.range[0] if work.mode[0] else 0.0
    if not work.mode[0]:
        smallest = turn_borders(mechanism, state, np.int64(1))  # a literal would be compiled separately
    state.clock.regularity = max(state.clock.regularity, smallest)


@kernel(once=True)
def _is_worn(mechanism, clock):
    return False  # rows are exchanged if a run is stuck


@kernel
def turn_borders(bodies, state, times):
    """Inverse iteration for the singular vectors of the smallest singular value of J in the model's units.

    With the scales S of the rows and the units U of the coordinates these are b~ and c~ of S^-1 J U; stored are
    b = S b~ and c = U^-1 c~: c^T J^-1 b is c~^T (S^-1 J U)^-1 b~. Returns the estimated singular value.
    """
    rows, solver, active, work, smallest = bodies.rows, bodies.solver, bodies.active, bodies.work, 0.0
    b, c, scale, size = state.b, state.c, rows.scale, bodies.vectors.size
    width = c.shape[0] - (solver.place.shape[0] - active.shape[0])
    for _ in range(times):
        solve_rows(rows, solver, active, b, work, c, width)
        norm = 0.0
        for i in range(c.shape[0]):
            norm += (size[i] * c[i]) ** 2
        for i in range(c.shape[0]):
            c[i] *= size[i] ** 2 / np.sqrt(norm)
        solve_columns(rows, solver, active, c, work, b, width)
        norm = 0.0
        for r in range(b.shape[0]):
            norm += (scale[r] * b[r]) ** 2 if active[r] else 0.0
        for r in range(b.shape[0]):
            b[r] = b[r] * scale[r] ** 2 / np.sqrt(norm) if active[r] else 0.0
        smallest = 1.0 / np.sqrt(norm)
    return smallest
