"""From instant to instant: the compiled loop of a kinematic analysis.

Each step predicts the position from those before it, closes the mechanism, and is accepted only if

1. Newton converged;
2. position, velocity and acceleration at both ends fit one smooth motion,
       q1 - q0 = h/2 (v0 + v1) - h^2/12 (a1 - a0) + O(h^5),        v1 - v0 = h/2 (a0 + a1) + O(h^3),
   which fails when Newton lands on another branch; a jump of v is accepted if the rate of an input jumps, too;
3. in long steps the inputs are, between the ends, what they seem to be from there, and no contact passes a place where
   its curve is not smooth, except in tiny steps (`cardan.analysis.driven.smoothness` checks 2 and 3);
4. the pivots of J kept their signs: one passes through zero at lock-ups and forks, also between the instants. Of large
   systems the test function 1 / (c^T J^-1 b) is watched instead. With b and c near the singular vectors of the smallest
   singular value it passes through zero exactly where J does.

Otherwise the step is halved. A tiny step means a singular configuration, or an input that jumps: the loop returns, and
`cardan.analysis.driven.singular` decides. Predictions extend the polynomial of fifth degree through q, v and a of the
last two steps (Haug 3.6.13 uses the second): on a fine grid Newton has nothing left to correct.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import FAILED, close_motion, close_position
from cardan.analysis.driven.smoothness import (
    KEPT,
    KINK,
    Junctions,
    inputs_fit,
    is_smooth,
    junctions_of,
    note_junctions,
    passes_junction,
    step_to_junction,
)
from cardan.model.space import advance, displacement, step_rates
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy, copy_to_row, dot
from cardan.system.evaluate import evaluate_position, evaluate_velocity, factorize, solve_columns, solve_rows
from cardan.system.system import System
from cardan.system.turn_kernels import commit_all_rates, commit_rates, turns_fit, write_turns

RUNNING, STUCK, BROKEN = 0, 1, 2
PASSED = -2  # of a step tried: a contact passes a junction, and a shorter step must end before it
FAR = 2.5  # steps ahead that the polynomial through the last one is trusted for
TRUSTED = 1e-3  # of the time span: inputs are looked at within longer steps, too
NEAR = 3.0  # times the root of the tolerance: singular values below it
NARROW = 1e-9  # looser tolerances do not make more positions singular
SMALLEST = 1e-9  # of the time span, or of the time for a way of one model length: shorter steps are not tried


class MarchClock(Record):
    """Time, step sizes, and what decides whether a step is accepted."""

    now: float
    step: float  # size to try next
    shortest: float
    last_step: float
    status: float  # of the last evaluation
    pivot_choice: float  # how often pivots were chosen,
    negative_pivots: float  # and which of them are negative
    input_trust: float  # the longest step in which inputs are not checked
    regularity: float  # the largest distance of J from singular so far
    junction_step: float  # the step that ends before a junction, or infinity
    junction_tries: float
    at_junction: float  # whether the step tried passes a junction


class State(NamedTuple):
    """Where the march stands; changed in place."""

    clock: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    nu: np.ndarray  # what J v had to be
    ahead: np.ndarray  # [3, nv]: coefficients of h^3, h^4, h^5 in the motion from here on
    reference: np.ndarray
    rates: np.ndarray  # of measures
    b: np.ndarray  # one for each row
    c: np.ndarray  # numbered as v


class Trial(NamedTuple):
    """The step that is being tried."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


class MotionRecord(NamedTuple):
    """What is kept of each instant."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray  # values of the measures whose turns are remembered
    iterations: np.ndarray
    steps: np.ndarray
    winding: np.ndarray  # uint32: which measures these are
    junctions: Junctions  # of the curves of contacts, and when they were passed


def fresh_state(system: System, q: np.ndarray, t: float, span: float) -> State:
    """A state at rest at time t."""
    nq, nv, nr, measures = system.start.size, system.speeds().size, system.row_count, system.reference.size
    sizes: Any = nq, nv, nv, nr, (3, nv), measures, measures, nr, nv
    blocked = block(State(MarchClock(), *map(np.zeros, sizes)))
    restart(blocked, q, system.reference, t, span)
    return blocked


def fresh_record(system: System, instants: int) -> MotionRecord:
    """An empty record of so many instants."""
    nv, winding = system.speeds().size, system.winding
    motion: Any = (np.zeros((instants, size)) for size in (system.start.size, nv, nv, winding.size))
    counts: Any = np.zeros(instants, np.int64), np.zeros(instants, np.int64)
    return block(MotionRecord._make((*motion, *counts, winding, junctions_of(system))))


@kernel
def restart(state, q, reference, t, span):
    """Bring a state to rest at q and time t; nothing stays of what it was used for before."""
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
def begin(geometry, rows, solver, weights, active, tolerances, state, work, vectors):
    """Close the first instant and choose b and c. Returns (iterations or FAILED, status)."""
    clock, t = state.clock, state.clock.now
    count, status = close_position(
        geometry, rows, solver, weights, active, tolerances, state.q, t, state.reference, work, vectors
    )
    if count == FAILED:
        return FAILED, status
    status = close_motion(geometry, rows, solver, active, state.v, state.a, t, work, vectors)
    commit_all_rates(work.z, state.reference, state.rates)
    copy(work.nu, state.nu)
    clock.pivot_choice, clock.negative_pivots = work.square.chosen[3], work.square.chosen[4]
    speed = 0.0  # model lengths, or rad, in a second
    for i in range(state.v.shape[0]):
        speed = max(speed, abs(state.v[i]) * vectors.size[i])
    if speed > 0.0:
        clock.shortest = min(clock.shortest, SMALLEST / speed)
    smallest = turn_borders(rows, solver, active, state, work, vectors, np.int64(5))
    clock.regularity = work.square.range[0] if work.mode[0] else smallest
    return count, status


def settle_borders(tables: tuple, state: State, work: Any, vectors: Any) -> None:
    """Bring b and c to the singular vectors at the state."""
    geometry, rows, solver, weights, active, _ = tables
    evaluate_position(geometry, rows, state.q, float(state.clock.now), state.reference, work)
    factorize(rows, solver, weights, active, 0.0, work)
    turn_borders(rows, solver, active, state, work, vectors, 30)


def fresh_trial(state: State) -> Trial:
    return block(Trial(state.q.copy(), state.v.copy(), state.a.copy()))


@kernel
def march(
    geometry, rows, solver, weights, active, tolerances, times, first, budget, state, trial, record, work, vectors
):
    """Advance from instant to instant, `budget` steps at most.

    Returns (RUNNING, STUCK or BROKEN, number of the next instant).
    """
    clock, junctions = state.clock, record.junctions
    watched = junctions.behind.shape[0] > 0  # whether curves of contacts have junctions
    for i in range(first, times.shape[0]):
        held = False  # whether the instant is at a junction, and keeps the rates from before
        while clock.now < times[i]:
            if budget == 0 or (watched and junctions.written[0] > KEPT - 10):
                return RUNNING, i
            budget -= 1
            left = times[i] - clock.now
            h = left if clock.step > 0.999 * left else min(clock.step, 0.5 * left)
            if watched:
                h = min(h, clock.junction_step)
            count = _try_step(
                geometry, rows, solver, weights, active, tolerances, clock.now + h, h, state, trial, record.winding,
                junctions, watched, work, vectors,
            )  # fmt: skip
            if count == PASSED:
                continue
            if watched:
                clock.junction_step, clock.junction_tries = np.inf, 0.0
            if count == FAILED:
                clock.step = 0.5 * h
                if clock.step < clock.shortest:
                    return BROKEN if clock.status != 0.0 else STUCK, i
                continue
            if watched and clock.at_junction != 0.0:
                note_junctions(junctions, clock.now, state.q, state.v, trial.q)
                held = h == left
                if held:
                    copy_to_row(state.v, record.v, i)
                    copy_to_row(state.a, record.a, i)
            _accept(geometry, rows, solver, active, h, state, trial, record.winding, work, vectors)
            clock.now = times[i] if h == left else clock.now + h
            clock.step = max(clock.step, 2.0 * h)
            record.iterations[i] += count
            record.steps[i] += 1
        copy_to_row(state.q, record.q, i)
        if not held:
            copy_to_row(state.v, record.v, i)
            copy_to_row(state.a, record.a, i)
        write_turns(state.reference, record.winding, record.turns[i])
    return RUNNING, times.shape[0]


@kernel(once=True)
def _try_step(
    geometry, rows, solver, weights, active, tolerances, t, h, state, trial, turn, junctions, watched, work, vectors
):
    """Predict, close and check one step. Returns the number of iterations, FAILED or PASSED."""
    step, v, a, ahead, clock = vectors.other, state.v, state.a, state.ahead, state.clock
    clock.status, clock.at_junction = 0.0, 0.0
    # A polynomial through a short step says nothing about a long one.
    trust = h if h <= FAR * state.clock.last_step else 0.0
    for i in range(step.shape[0]):
        far = trust * (ahead[0, i] + h * (ahead[1, i] + h * ahead[2, i]))
        step[i] = h * (v[i] + h * (0.5 * a[i] + far))
    copy(state.q, trial.q)
    advance(geometry, trial.q, step)
    count, status = close_position(
        geometry, rows, solver, weights, active, tolerances, trial.q, t, state.reference, work, vectors
    )
    if count == FAILED:
        state.clock.status = status
        return FAILED
    status = close_motion(geometry, rows, solver, active, trial.v, trial.a, t, work, vectors)
    if status:
        state.clock.status = status
        return FAILED
    if watched and passes_junction(junctions, state.q, trial.q):
        limits = clock.shortest, clock.junction_tries
        clock.junction_step = step_to_junction(junctions, state.q, v, a, trial.q, h, *limits)
        clock.junction_tries += 1.0
        if clock.junction_step > 0.0:
            return PASSED
        clock.at_junction = 1.0
    if h > state.clock.input_trust and not inputs_fit(rows, t - h, h, work.motion):
        return FAILED
    smooth = _fits(geometry, h, state, trial, junctions.contacts[0], work.nu, vectors)
    if not (smooth and turns_fit(work.z, state.reference, state.rates, turn, h)):
        return FAILED
    if work.mode[0] and work.square.chosen[3] != state.clock.pivot_choice:
        if not _look_back(geometry, rows, solver, weights, active, t, state, trial, work):
            return FAILED
    return count if _same_side(rows, solver, active, tolerances, state, work, vectors) else FAILED


@kernel(once=True)
def _fits(geometry, h, state, trial, contacts, nu, vectors):
    """Whether both ends of the step belong to one smooth motion; at a junction the rates of `contacts` may jump.

    `vectors.other` gets the displacement from the end back to the start, `rate` and `second` its derivatives there.
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
    # The velocity jumps. That is an input's doing if its own rate does; otherwise this is another branch.
    most, jump = 0.0, 0.0
    for r in range(nu.shape[0]):
        most = max(most, max(abs(nu[r]), abs(state.nu[r])))
        jump = max(jump, abs(nu[r] - state.nu[r]))
    return jump > KINK * most


@kernel(once=True)
def _look_back(geometry, rows, solver, weights, active, t, state, trial, work):
    """Pivots were chosen anew in this step: find which of them are negative at its start. False if they do not suit."""
    count = work.square.chosen[3]
    evaluate_position(geometry, rows, state.q, state.clock.now, state.reference, work)
    singular = factorize(rows, solver, weights, active, 0.0, work)
    if singular or work.square.chosen[3] != count:
        return False
    state.clock.pivot_choice, state.clock.negative_pivots = count, work.square.chosen[4]
    evaluate_position(geometry, rows, trial.q, t, state.reference, work)
    evaluate_velocity(geometry, rows, trial.v, t, work)
    return not factorize(rows, solver, weights, active, 0.0, work) and work.square.chosen[3] == count


@kernel(once=True)
def _same_side(rows, solver, active, tolerances, state, work, vectors):
    """Whether J has not passed through a singular position since the last step, and is not about to.

    phi is quadratic where two branches meet: closer than the root of the tolerance they cannot be distinguished. Long
    chains of short links have small singular values everywhere: they are compared with the largest so far.
    """
    nearest = NEAR * np.sqrt(min(tolerances.equation, NARROW)) * min(1.0, state.clock.regularity)
    if work.mode[0]:
        # Two singular values that pass through zero at once leave the determinant its sign, but not the pivots theirs.
        # At a junction J jumps: the motion is regular if the determinant keeps its sign, whatever the pivots do.
        kept = work.square.chosen[4] == state.clock.negative_pivots
        if state.clock.at_junction != 0.0:
            kept = _is_even(np.int64(float(work.square.chosen[4])) ^ np.int64(state.clock.negative_pivots))
        return kept and work.square.range[0] > nearest
    width = state.c.shape[0] - (solver.place.shape[0] - active.shape[0])
    solve_rows(rows, solver, active, state.b, work, vectors.step, width)
    found = dot(state.c, vectors.step)
    return (found > 0.0 or state.clock.at_junction != 0.0) and abs(found) * nearest < 1.0


@kernel(internal=True)
def _is_even(bits):
    """Whether the number of bits that are set is even."""
    even = True
    while bits != 0:
        bits &= bits - 1
        even = not even
    return even


@kernel(once=True)
def _accept(geometry, rows, solver, active, h, state, trial, turn, work, vectors):
    """Make the trial the state, with the polynomial through both; `vectors.other` leads back to the last state."""
    back, v0, v1, a0, a1, ahead = vectors.other, vectors.rate, trial.v, vectors.second, trial.a, state.ahead
    d = 1.0 / h
    for i in range(back.shape[0]):
        r0 = (-back[i] - h * (v1[i] - 0.5 * h * a1[i])) * d * d * d
        r1 = (v1[i] - v0[i] - h * a1[i]) * d * d
        r2 = (a0[i] - a1[i]) * d
        ahead[0, i] = 10.0 * r0 + 4.0 * r1 - 0.5 * r2
        ahead[1, i] = (15.0 * r0 + 7.0 * r1 - r2) * d
        ahead[2, i] = (6.0 * r0 + 3.0 * r1 - 0.5 * r2) * d * d
    state.clock.last_step = h if state.clock.at_junction == 0.0 else 0.0
    state.clock.negative_pivots = work.square.chosen[4]
    copy(trial.q, state.q)
    copy(v1, state.v)
    copy(a1, state.a)
    copy(work.nu, state.nu)
    commit_rates(work.z, state.reference, state.rates, turn)
    smallest = work.square.range[0] if work.mode[0] else 0.0
    if not work.mode[0]:
        smallest = turn_borders(rows, solver, active, state, work, vectors, np.int64(1))  # a literal compiles anew
    state.clock.regularity = max(state.clock.regularity, smallest)


@kernel
def turn_borders(rows, solver, active, state, work, vectors, times):
    """Inverse iteration toward the singular vectors of the smallest singular value of J in the model's own units.

    With S the scales of the rows and U the units of the coordinates these are b~ and c~ of S^-1 J U; kept are
    b = S b~ and c = U^-1 c~: c^T J^-1 b is c~^T (S^-1 J U)^-1 b~. Returns the singular value as estimated.
    """
    smallest = 0.0
    b, c, scale, size = state.b, state.c, rows.scale, vectors.size
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
