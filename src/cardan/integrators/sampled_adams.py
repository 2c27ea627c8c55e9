"""Steps from sample to sample of a controller, at the price of one evaluation each: Adams' formulas across the jumps.

        f |    __/          forces jump where a controller samples; otherwise f(t) would be smooth. The jump of f at an
          | __/  :          instant, d, is known, for f is found before and after the controller has acted. Earlier
          |/  :  d          values are moved by d: as if what is held now had been held before.
          +---+--+-- t

    y + h sum_i b_i f_i           f_0 now, f_i as i steps ago, moved
    error: h g (f - sum_i c_i f_i)     what f at the end differs from what the f_i predict

A jump d of accelerations moves the speeds of i steps ago, which are the rates of positions, by -i h d. How jumps have
changed f by way of speeds and positions since is left out: the error estimate shows when it matters. Without jumps the
formula is of order 4, for positions of order 5: wheels that spin ask for it, and a higher order for speeds would not be
stable where forces are stiff. It needs steps of one length; where there are none yet, or where the error is too large,
steps are those of Cash and Karp ("rk5"), in haste at first: joints stay ajar at their ends, too, and speeds at their
stages.

From one sample to the next the matrix of the mechanism changes little. Its factors serve for several samples, if
accelerations that are found by them, from those of the last two samples, agree with those found by factors of their
own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.runge_kutta import (
    FASTEST,
    RAW,
    SAFETY,
    SLOWEST,
    estimate_error,
    run_stages,
    runge_kutta_interpolate,
    runge_kutta_memory,
    runge_kutta_step,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import (
    begin_step,
    error_norms,
    position_rates,
    project,
    project_if_open,
    rates,
    rates_at_projection,
    rates_at_projection_unrefined,
    rates_with_old_factors,
    total_error_norm,
)

ORDER = 4
# Of Adams and Bashforth, for positions and for all else; the polynomials through these values, one step on; and what
# their miss counts in the error.
FORMULA = np.array([[1901.0, -2774.0, 2616.0, -1274.0, 251.0], [1650.0, -1770.0, 1110.0, -270.0, 0.0]]) / 720.0
PREDICTED = np.array([[5.0, -10.0, 10.0, -5.0, 1.0], [4.0, -6.0, 4.0, -1.0, 0.0]])
GAP_OF_POSITIONS, GAP_OF_SPEEDS = 95.0 / 288.0, 251.0 / 720.0
SAME = 1e-9  # of a step: lengths that differ by less are one
PATIENCE, LONGEST_WAIT = 4, 64  # steps of "rk5" after one that failed, doubled each time until one succeeds; at most
CLOSED = 32  # steps after which joints are closed, and the rank is decided
BLUNT = 1e-3  # of the tolerance: what is gained by refinements or new factors is less than that, and not worth it
USED = 16  # samples for which factors may serve


class SampledNotes(Record):
    """What is known of earlier steps, and which shortcuts are accurate enough."""

    known: int  # earlier values of y'
    wait: int  # steps of "rk5" still to take,
    delay: int  # and how many after the next failure
    since_closed: int  # steps since joints were closed
    unrefined: int  # whether accelerations are accurate enough without refinement
    factor_age: int  # samples for which the factors have been used,
    factor_limit: int  # and may be used
    tested: int  # whether that was tested since joints were closed


class LastStep(Record):
    """Size and end of the last step."""

    size: float
    end: float


class SampledMemory(NamedTuple):
    """What is known of the last steps."""

    other: Any  # memory of "rk5"
    f: np.ndarray  # [5, ny]: y' now and at the starts of the last steps, moved by all jumps since
    end: np.ndarray  # float64[ny]: y' where the last step ended, before it jumped
    trial: np.ndarray
    e: np.ndarray
    last: Any
    notes: Any
    formula: np.ndarray  # times the length of a step
    miss: np.ndarray  # what the f_i count in the error, times that length


def sampled_memory(ny: int) -> Any:
    """Memory for y of `ny` numbers."""
    vectors = np.zeros((ORDER + 1, ny)), np.zeros(ny), np.zeros(ny), np.zeros(ny)
    notes = SampledNotes(delay=PATIENCE, since_closed=CLOSED, factor_limit=1)
    miss = -np.array([[GAP_OF_POSITIONS], [GAP_OF_SPEEDS]]) * PREDICTED
    return block(SampledMemory(runge_kutta_memory(ny, 5), *vectors, LastStep(), notes, FORMULA, miss))


@kernel(internal=True)
def sampled_step(mechanism, stepper, memory):
    """Take a step to the next sample, or as far as the error allows."""
    clock, notes, last, f = stepper.clock, memory.notes, memory.last, memory.f
    left = clock.stop - clock.now
    if last.end != clock.now:
        notes.known = 0
    if notes.known:
        _move(mechanism, stepper, memory)
    copy(stepper.dy, f[0])
    fits = abs(left - last.size) <= SAME * left
    if notes.known >= ORDER and fits and notes.wait == 0 and left <= stepper.limit[0]:
        if _formula_step(mechanism, stepper, memory, left):
            stepper.flags.nearly_closed = notes.since_closed != 0
            _remember(stepper, memory, left)
            notes.delay = PATIENCE
            return 0
        notes.wait, notes.delay = notes.delay, min(2 * notes.delay, LONGEST_WAIT)
    status = 0
    longest = min(min(clock.step, clock.longest), stepper.limit[0])
    if left > longest or not _hasty_step(mechanism, stepper, memory, left):
        status = runge_kutta_step(mechanism, stepper, memory.other)
        notes.since_closed, notes.factor_age = 0, 0
    stepper.flags.nearly_closed = notes.since_closed != 0
    if status == 0:
        h = clock.step_taken
        if abs(h - last.size) > SAME * h:
            notes.known = 0
        if notes.wait > 0:
            notes.wait -= 1
        _remember(stepper, memory, h)
    return status


@kernel(internal=True)
def sampled_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step."""
    return runge_kutta_interpolate(mechanism, stepper, memory.other, t, out)


@kernel(once=True)
def _move(mechanism, stepper, memory):
    """Move what is known by the jump of y' at this instant."""
    f, jump, turned, h, first = memory.f, memory.trial, memory.e, memory.last.size, stepper.sizes.positions
    for i in range(jump.shape[0]):
        jump[i] = stepper.dy[i] - memory.end[i]
    copy(stepper.y[:first], jump[:first])
    position_rates(mechanism, stepper.clock.now, jump, turned)
    for age in range(1, memory.notes.known + 1):
        for i in range(first):
            f[age, i] -= age * h * turned[i]
        for i in range(first, jump.shape[0]):
            f[age, i] += jump[i]


@kernel(once=True)
def _formula_step(mechanism, stepper, memory, h):
    """Try a step by the formula. Returns whether its error is small enough; if not, nothing has happened."""
    copy(stepper.y, memory.trial)
    _add(stepper, memory.formula, memory.f, h, memory.trial)
    return _ends(mechanism, stepper, memory, h, False) <= 1.0


@kernel(once=True)
def _hasty_step(mechanism, stepper, memory, h):
    """Try a step of Cash and Karp. Returns whether its error is small enough; if not, nothing has happened."""
    clock, other = stepper.clock, memory.other
    copy(stepper.dy, other.k[0])
    memory.notes.factor_age = USED
    if run_stages(mechanism, stepper, other, h, memory.notes.unrefined != 0):
        _go_back(mechanism, stepper)
        return False
    copy(other.trial, memory.trial)
    error = _ends(mechanism, stepper, memory, h, True)
    if not error <= 1.0:
        return False
    clock.step = max(clock.step, h * min(FASTEST, max(SLOWEST, SAFETY * max(error, 1e-30) ** (-1.0 / other.order[0]))))
    return True


@kernel(once=True)
def _ends(mechanism, stepper, memory, h, hasty):
    """End a step at `trial` if its error allows it. Returns the error, relative to what is allowed."""
    clock, trial, e = stepper.clock, memory.trial, memory.e
    error = np.inf
    if _evaluate(mechanism, stepper, memory, h) == 0:
        _miss(stepper, memory, h, hasty)
        total_error_norm(mechanism, clock.stop, trial, e)
        error = np.sqrt(e[0])
        if not error <= 1.0:  # it may lie across the constraints
            _miss(stepper, memory, h, hasty)
            error_norms(mechanism, clock.stop, trial, e)
            error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)
            memory.notes.since_closed = CLOSED
    if not error <= 1.0:
        _go_back(mechanism, stepper)
        memory.notes.factor_age = 0
        return np.inf
    copy(trial, stepper.y)
    copy(memory.end, stepper.dy)
    clock.now, clock.step_taken, clock.error = clock.stop, h, error
    clock.step = max(clock.step, h)
    memory.other.known[0], stepper.outcome.failure = 0, 0
    return error


@kernel(once=True)
def _go_back(mechanism, stepper):
    """Turns and rank are those of the start again."""
    now, look, look_rate = stepper.clock.now, stepper.look, stepper.look_rate
    stepper.counters.rejected += 1
    copy(stepper.y, look)
    rates(mechanism, now, look, look_rate)
    begin_step(mechanism, now, look, look_rate)


@kernel(once=True)
def _evaluate(mechanism, stepper, memory, h):
    """y' at `trial`. Joints are closed there if they are open, and from time to time."""
    notes, stop, trial, end, e = memory.notes, stepper.clock.stop, memory.trial, memory.end, memory.e
    notes.since_closed += 1
    if notes.since_closed >= CLOSED:
        notes.since_closed, notes.factor_age, notes.tested = 0, 0, 0
        status = project(mechanism, stop, trial, e) or rates_at_projection_unrefined(mechanism, stop, trial, e)
        status = status or begin_step(mechanism, stop, trial, end)
        notes.unrefined = status == 0 and _agree(mechanism, stepper, memory, h)
        return status
    notes.factor_age += 1
    glides = False
    if notes.unrefined and (notes.factor_age < notes.factor_limit or not notes.tested):
        glides = rates_with_old_factors(mechanism, stop, trial, end) == 0
        if glides and notes.factor_age < notes.factor_limit:
            return 0
        copy(end, e)
    notes.factor_age = 0
    status = project_if_open(mechanism, stop, trial, memory.other.e)
    if status == 0 and notes.unrefined:
        status = rates_at_projection_unrefined(mechanism, stop, trial, end)
    elif status == 0:
        status = rates_at_projection(mechanism, stop, trial, end)
    if glides and status == 0:
        fits, notes.tested = _agree(mechanism, stepper, memory, h), 1
        notes.factor_limit = min(2 * notes.factor_limit, USED) if fits else max(notes.factor_limit // 2, 1)
    return status


@kernel(once=True)
def _agree(mechanism, stepper, memory, h):
    """Whether y' as found in `e` is as good as that in `end`."""
    e, end = memory.e, memory.end
    for i in range(e.shape[0]):
        e[i] = h * (e[i] - end[i])
    total_error_norm(mechanism, stepper.clock.stop, memory.trial, e)
    return e[0] <= BLUNT * BLUNT


@kernel(internal=True)
def _miss(stepper, memory, h, hasty):
    """The error of y: what its rates at the end differ from what was predicted, or what Cash and Karp say."""
    e, end = memory.e, memory.end
    if hasty:
        estimate_error(memory.other, h, e)
        return
    first = stepper.sizes.positions
    for i in range(e.shape[0]):
        e[i] = h * (GAP_OF_POSITIONS if i < first else GAP_OF_SPEEDS) * end[i]
    _add(stepper, memory.miss, memory.f, h, e)


@kernel(internal=True)
def _add(stepper, weights, f, factor, out):
    """out += factor sum_k weight_k f_k, in two sweeps: positions, and all else."""
    f0, f1, f2, f3, f4, first = f[0], f[1], f[2], f[3], f[4], stepper.sizes.positions
    for part in range(2):
        weight = weights[part]
        w0, w1, w2, w3, w4 = weight[0], weight[1], weight[2], weight[3], weight[4]
        for i in range(first if part else 0, out.shape[0] if part else first):
            out[i] += factor * (w0 * f0[i] + w1 * f1[i] + w2 * f2[i] + w3 * f3[i] + w4 * f4[i])


@kernel(internal=True)
def _remember(stepper, memory, h):
    """Push the start of the step that was just taken among the values known."""
    f, notes, last = memory.f, memory.notes, memory.last
    for age in range(min(notes.known + 1, ORDER), 0, -1):
        copy(f[age - 1], f[age])
    notes.known = min(notes.known + 1, ORDER)
    copy(stepper.dy, memory.end)
    last.size, last.end = h, stepper.clock.now
