"""The compiled loop of a kinematic analysis over the output times, in either kind of coordinates.

Each step predicts the position from earlier ones, closes the mechanism, and is accepted only if

1. Newton's method converged;
2. position, velocity and acceleration at both ends fit one smooth motion, which fails on another branch; a jump of v is
   accepted if the rate of an input also jumps;
3. in long steps the inputs between the ends fit this motion, and no contact passes a point where its curve is not
   smooth, except in tiny steps (`cardan.analysis.driven.smoothness` checks 2 and 3);
4. the Jacobian did not pass through a singular configuration.

Otherwise the step is halved. A tiny step means a singular configuration, or an input that jumps: the loop returns.

`cartesian_march` and `joint_kinematics` have the two kernels. Both pass their operations to `march_on`, which is
compiled into each of them:

    move(mechanism, q, step)                                move positions by a displacement numbered as the speeds
    close(mechanism, tolerances, t, state, trial)           find q, v and a of the trial: iterations, or FAILED
    fits(mechanism, t, h, state, trial, record)             checks 2 and 3 of a step h that ends at t
    is_regular(mechanism, tolerances, t, state, trial)      check 4
    accept(mechanism, h, state, trial, record)              extend the motion beyond the trial, which becomes the state
    is_worn(mechanism, clock)                               whether other rows may be better conditioned
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import FAILED
from cardan.analysis.driven.smoothness import KEPT, Junctions, note_junctions, passes_junction, step_to_junction
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.system.turns import write_turns

RUNNING, STUCK, BROKEN = 0, 1, 2
OTHERS = 7  # an additional status: other rows may be better conditioned
JUNCTION_PASSED = -2  # status of a trial step: a contact passes a junction, and a shorter step must end before it
EXTRAPOLATION_LIMIT = 2.5  # number of steps ahead for which the polynomial through the last one is used
TRUSTED = 1e-3  # relative to the time span: inputs are also checked within longer steps
NEAR_SINGULAR_FACTOR = 3.0  # times the root of the tolerance: singular values below it
MAX_SINGULAR_TOLERANCE = 1e-9  # looser tolerances do not make more positions singular
SMALLEST = 1e-9  # shortest step, relative to the time span or to the time for a motion of one model length


class MarchClock(Record):
    """Time, step sizes, and data for the acceptance of steps."""

    now: float
    step: float  # size to try next
    shortest: float
    last_step: float
    status: float  # of the last evaluation
    pivot_choice: float  # how often pivots were chosen,
    negative_pivots: float  # and which of them are negative
    input_trust: float  # the longest step in which inputs are not checked
    regularity: float  # the largest distance of J from singularity so far
    junction_step: float  # the step that ends before a junction, or infinity
    junction_tries: float
    at_junction: float  # whether the trial step passes a junction


class State(NamedTuple):
    """The current state of the march; changed in place."""

    clock: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    nu: np.ndarray  # required value of J v
    ahead: np.ndarray  # [3, nv]: coefficients of h^3, h^4, h^5 in the motion from here on
    reference: np.ndarray
    rates: np.ndarray  # of measures
    b: np.ndarray  # one for each row
    c: np.ndarray  # numbered as v


class Trial(NamedTuple):
    """A trial step."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    step: np.ndarray


class MotionRecord(NamedTuple):
    """The record of each output time."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray  # values of multi-turn measures
    iterations: np.ndarray
    steps: np.ndarray
    winding: np.ndarray  # uint32: indices of these measures
    junctions: Junctions  # of the curves of contacts, and the times at which they were passed


def motion_record(times: int, positions: int, speeds: int, winding: np.ndarray, junctions: Junctions) -> Any:
    """An empty record."""
    q, v, a, turns = (np.zeros((times, size)) for size in (positions, speeds, speeds, winding.size))
    counts = np.zeros(times, np.int64), np.zeros(times, np.int64)
    return block(MotionRecord(q, v, a, turns, *counts, winding, junctions))


def fresh_trial(state: State) -> Trial:
    return block(Trial(state.q.copy(), state.v.copy(), state.a.copy(), state.v.copy()))


@kernel(once=True)
def march_on(mechanism, tolerances, times, first, budget, steps, move, close, fits, is_regular, accept, is_worn):
    """Advance from output time to output time, `budget` steps at most; `steps` are the state, the trial, the record.

    Returns (RUNNING, STUCK, BROKEN or OTHERS, number of the next output time).
    """
    state, trial, record = steps
    clock, junctions = state.clock, record.junctions
    watched = junctions.behind.shape[0] > 0  # whether curves of contacts have junctions
    for i in range(first, times.shape[0]):
        held = False  # whether the output time is at a junction and keeps the rates before it
        while clock.now < times[i]:
            if budget == 0 or (watched and junctions.written[0] > KEPT - 10):
                return RUNNING, i
            if is_worn(mechanism, clock):
                return OTHERS, i
            budget -= 1
            left = times[i] - clock.now
            h = left if clock.step > 0.999 * left else min(clock.step, 0.5 * left)
            if watched:
                h = min(h, clock.junction_step)
            count = _try_step(mechanism, tolerances, clock.now + h, h, steps, move, close, fits, is_regular)
            if count == JUNCTION_PASSED:
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
            accept(mechanism, h, state, trial, record)
            make_state(h, state, trial)
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
def _try_step(mechanism, tolerances, t, h, steps, move, close, fits, is_regular):
    """Predict, close and check one step. Returns the number of iterations, FAILED or JUNCTION_PASSED."""
    state, trial, record = steps
    step, v, a, ahead, clock, junctions = trial.step, state.v, state.a, state.ahead, state.clock, record.junctions
    clock.status, clock.at_junction = 0.0, 0.0
    # A polynomial through a short step is not valid for a long one.
    trust = h if h <= EXTRAPOLATION_LIMIT * clock.last_step else 0.0
    for i in range(step.shape[0]):
        far = trust * (ahead[0, i] + h * (ahead[1, i] + h * ahead[2, i]))
        step[i] = h * (v[i] + h * (0.5 * a[i] + far))
    copy(state.q, trial.q)
    move(mechanism, trial.q, step)
    count = close(mechanism, tolerances, t, state, trial)
    if count == FAILED:
        return FAILED
    if junctions.behind.shape[0] > 0 and passes_junction(junctions, state.q, trial.q):
        limits = clock.shortest, clock.junction_tries
        clock.junction_step = step_to_junction(junctions, state.q, v, a, trial.q, h, *limits)
        clock.junction_tries += 1.0
        if clock.junction_step > 0.0:
            return JUNCTION_PASSED
        clock.at_junction = 1.0
    if fits(mechanism, t, h, state, trial, record) and is_regular(mechanism, tolerances, t, state, trial):
        return count
    return FAILED


@kernel(internal=True, inline=True)
def make_state(h, state, trial):
    """The trial becomes the state."""
    clock = state.clock
    clock.last_step = h if clock.at_junction == 0.0 else 0.0
    copy(trial.q, state.q)
    copy(trial.v, state.v)
    copy(trial.a, state.a)


@kernel(internal=True, inline=True)
def limit_steps(clock, v, size):
    """The shortest step of a mechanism with the speeds v, where `size` is the unit of each."""
    speed = 0.0  # model lengths, or rad, in a second
    for i in range(v.shape[0]):
        speed = max(speed, abs(v[i]) * size[i])
    if speed > 0.0:
        clock.shortest = min(clock.shortest, SMALLEST / speed)


@kernel(internal=True, inline=True)
def nearest_allowed(tolerances, regularity):
    """The smallest allowed distance of J from singularity.

    phi is quadratic where two branches meet: closer than the root of the tolerance they cannot be distinguished. Long
    chains of short links have small singular values everywhere: they are compared with the largest so far.
    """
    return NEAR_SINGULAR_FACTOR * np.sqrt(min(tolerances.equation, MAX_SINGULAR_TOLERANCE)) * min(1.0, regularity)
