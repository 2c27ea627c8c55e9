"""From instant to instant: the compiled loop of a kinematic analysis.

Each step predicts q + h v + h^2/2 a + h^3/6 j (Haug 3.6.13 with the jerk j from the last step), closes the mechanism,
and is accepted only if

1. Newton converged;
2. position, velocity and acceleration at both ends fit one smooth motion,
       q1 - q0 = h/2 (v0 + v1) - h^2/12 (a1 - a0) + O(h^5),
   which fails when Newton lands on another branch;
3. the test function 1 / (c^T J^-1 b) kept its sign. With b and c near the singular vectors of the smallest singular
   value it passes through zero exactly where J does, at lock-ups and forks, also between the instants.

Otherwise the step is halved. A step that has become tiny is a singular position, or an input that jumps: the loop
returns and `cardan.analysis.singular` finds out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.analysis.closing import FAILED, close_motion, close_position, displacement_size
from cardan.model.space import advance, displacement
from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy, copy_to_row, dot
from cardan.system.evaluate import solve_columns, solve_rows
from cardan.system.system import System

RUNNING, STUCK, BROKEN = 0, 1, 2
FIT = 0.02  # how far a step may miss the smooth motion, relative to its length ...
FIT_FLOOR = 1e-4  # ... or relative to the mechanism, so that inputs with corners can be passed
SMALLEST = 1e-9  # of the time span: shorter steps are not tried


class State(NamedTuple):
    """Where the march stands; changed in place."""

    clock: np.ndarray  # t, step to try, smallest step, status of the last evaluation
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    jerk: np.ndarray
    reference: np.ndarray
    b: np.ndarray  # one for each row
    c: np.ndarray  # numbered as v


class Trial(NamedTuple):
    """The step that is being tried."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


class Record(NamedTuple):
    """What is kept of each instant."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    iterations: np.ndarray
    steps: np.ndarray


def fresh_state(system: System, q: np.ndarray, t: float, span: float) -> State:
    """A state at rest at time t."""
    nv = system.speeds().size
    clock = np.array([t, np.inf, SMALLEST * span, 0.0])
    zeros = [np.zeros(nv) for _ in range(3)]
    b = np.ones(system.row_count) / np.sqrt(max(system.row_count, 1))
    return State(clock, q.copy(), *zeros, system.reference.copy(), b, np.zeros(nv))


def fresh_trial(state: State) -> Trial:
    return Trial(state.q.copy(), state.v.copy(), state.a.copy())


@kernel
def begin(geometry, rows, solver, weights, active, tolerances, state, work, vectors):
    """Close the first instant and choose b and c. Returns (iterations or FAILED, status)."""
    t = state.clock[0]
    count, status = close_position(
        geometry, rows, solver, weights, active, tolerances, state.q, state.v, t, state.reference, work, vectors
    )
    if count == FAILED:
        return FAILED, status
    status = close_motion(geometry, rows, solver, active, state.q, state.v, state.a, t, state.reference, work, vectors)
    for m in range(work.z.shape[0]):
        state.reference[m] = work.z[m, 0]
    for _ in range(5):
        _turn_borders(solver, active, state, work, vectors)
    return count, status


@kernel
def march(geometry, rows, solver, weights, active, tolerances, times, first, last, state, trial, record, work, vectors):
    """Advance from instant to instant. Returns (RUNNING, STUCK or BROKEN, number of the next instant)."""
    clock = state.clock
    for i in range(first, last):
        record.iterations[i], record.steps[i] = 0, 0
        while clock[0] < times[i]:
            left = times[i] - clock[0]
            h = left if clock[1] > 0.999 * left else min(clock[1], 0.5 * left)
            count = _try_step(
                geometry, rows, solver, weights, active, tolerances, clock[0] + h, h, state, trial, work, vectors
            )
            if count == FAILED:
                clock[1] = 0.5 * h
                if clock[3] != 0.0:
                    return BROKEN, i
                if clock[1] < clock[2]:
                    return STUCK, i
                continue
            _accept(geometry, solver, active, h, state, trial, work, vectors)
            clock[0] = times[i] if h == left else clock[0] + h
            clock[1] = max(clock[1], 2.0 * h)
            record.iterations[i] += count
            record.steps[i] += 1
        copy_to_row(state.q, record.q, i)
        copy_to_row(state.v, record.v, i)
        copy_to_row(state.a, record.a, i)
    return RUNNING, last


@kernel
def _try_step(geometry, rows, solver, weights, active, tolerances, t, h, state, trial, work, vectors):
    """Predict, close and judge one step. Returns the number of iterations, or FAILED."""
    step = vectors.other
    for i in range(step.shape[0]):
        step[i] = h * (state.v[i] + h * (0.5 * state.a[i] + h / 6.0 * state.jerk[i]))
        trial.v[i] = state.v[i]
    copy(state.q, trial.q)
    advance(geometry, trial.q, step)
    count, status = close_position(
        geometry, rows, solver, weights, active, tolerances, trial.q, trial.v, t, state.reference, work, vectors
    )
    if count == FAILED:
        state.clock[3] = status
        return FAILED
    status = close_motion(geometry, rows, solver, active, trial.q, trial.v, trial.a, t, state.reference, work, vectors)
    if status:
        state.clock[3] = status
        return FAILED
    displacement(geometry, state.q, trial.q, step)
    moved = displacement_size(step, vectors.size)
    for i in range(step.shape[0]):
        step[i] -= 0.5 * h * (state.v[i] + trial.v[i]) - h * h / 12.0 * (trial.a[i] - state.a[i])
    if not displacement_size(step, vectors.size) <= FIT * moved + FIT_FLOOR:
        return FAILED
    solve_rows(solver, active, state.b, work, step, step.shape[0] - weights.shape[0])
    if not dot(state.c, step) > 0.0:
        return FAILED
    return count


@kernel
def _accept(geometry, solver, active, h, state, trial, work, vectors):
    """Make the trial the state; `vectors.other` holds J^-1 b."""
    for i in range(state.v.shape[0]):
        state.jerk[i] = (trial.a[i] - state.a[i]) / h
        state.v[i], state.a[i] = trial.v[i], trial.a[i]
    copy(trial.q, state.q)
    for m in range(work.z.shape[0]):
        state.reference[m] = work.z[m, 0]
    _turn_borders(solver, active, state, work, vectors)


@kernel
def _turn_borders(solver, active, state, work, vectors):
    """One step of inverse iteration toward the singular vectors of the smallest singular value: c, then b."""
    width = state.c.shape[0] - (solver.place.shape[0] - active.shape[0])
    solve_rows(solver, active, state.b, work, state.c, width)
    norm = np.sqrt(dot(state.c, state.c))
    for i in range(state.c.shape[0]):
        state.c[i] /= norm
    solve_columns(solver, state.c, work, state.b, width)
    norm = np.sqrt(dot(state.b, state.b))
    for r in range(state.b.shape[0]):
        state.b[r] = state.b[r] / norm if active[r] else 0.0
