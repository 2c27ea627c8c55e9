"""Steps from sample to sample of a controller, at the price of one evaluation each: Adams' formulas across the jumps.

        f |    __/          forces jump where a controller samples; otherwise f(t) would be smooth. The jump of f at an
          | __/  :          instant, d, is known, for f is found before and after the controller has acted. Earlier
          |/  :  d          values are moved by d: as if what is held now had been held before.
          +---+--+-- t

    y + h sum_i b_i f_i           f_0 now, f_i as i steps ago, moved
    error: h g (f - sum_i c_i f_i)     what f at the end differs from what the f_i foretell

A jump d of accelerations moves the speeds of i steps ago, which are the rates of positions, by -i h d. How jumps have
changed f by way of speeds and positions since is left out: the error tells when it matters. The formula is of order 4
where nothing jumps. It needs steps of one length; where there are none yet, or where the error is too large, steps
are those of Cash and Karp ("rk5").
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.course import NQ, REASON, REJECTED, STOP, TAKEN, WORST, H, T
from cardan.integrators.runge_kutta import (
    RAW,
    runge_kutta_interpolate,
    runge_kutta_memory,
    runge_kutta_step,
)
from cardan.numerics.block import block
from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy
from cardan.system.motion import AGAIN, BEGIN, ERROR, PROJECT, RATES, TURNED, WHOLE

ORDER = 4
FORMULA = np.array([55.0, -59.0, 37.0, -9.0]) / 24.0  # of Adams and Bashforth
FORETOLD = np.array([4.0, -6.0, 4.0, -1.0])  # the cubic through the last four values, one step on
GAP = 251.0 / 720.0  # what its miss counts in the error
SAME = 1e-9  # of a step: lengths that differ by less are one
PATIENCE = 4  # steps of "rk5" after one that failed, doubled each time until one succeeds
RANKS = 8  # steps for which the rank is decided once
KNOWN, WAIT, DELAY, SINCE = range(4)
LENGTH, REACHED = range(2)


class BetweenMemory(NamedTuple):
    """What is known of the last steps."""

    other: Any  # memory of "rk5"
    f: np.ndarray  # [5, ny]: y' now and at the starts of the last steps, moved by all jumps since
    end: np.ndarray  # float64[ny]: y' where the last step ended, before it jumped
    trial: np.ndarray
    e: np.ndarray
    past: np.ndarray  # float64[2]: the length of these steps, and when the last one ended
    # int64[4]: how many values are known; steps of "rk5" to go, and how many after the next failure; steps since the
    # rank was decided
    note: np.ndarray
    formula: np.ndarray
    foretold: np.ndarray


def between_memory(ny: int) -> Any:
    """Memory for y of `ny` numbers."""
    vectors = np.zeros((ORDER + 1, ny)), np.zeros(ny), np.zeros(ny), np.zeros(ny)
    note = np.array([0, 0, PATIENCE, 0], np.int64)
    return block(BetweenMemory(runge_kutta_memory(ny, 5), *vectors, np.zeros(2), note, FORMULA, FORETOLD))


@kernel(internal=True)
def between_step(machine, act, course, memory):
    """Take a step to the next sample, or as far as the error allows."""
    clock, note, past, f = course.clock, memory.note, memory.past, memory.f
    left = clock[STOP] - clock[T]
    if past[REACHED] != clock[T]:
        note[KNOWN] = 0
    if note[KNOWN]:
        _move(machine, act, course, memory)
    copy(course.dy, f[0])
    fits = abs(left - past[LENGTH]) <= SAME * left
    if note[KNOWN] >= ORDER - 1 and fits and note[WAIT] == 0 and left <= course.limit[0]:
        if _formula_step(machine, act, course, memory, left):
            _remember(course, memory, left)
            note[DELAY] = PATIENCE
            return 0
        note[WAIT], note[DELAY] = note[DELAY], 2 * note[DELAY]
    status = runge_kutta_step(machine, act, course, memory.other)
    if status == 0:
        h = clock[TAKEN]
        if abs(h - past[LENGTH]) > SAME * h:
            note[KNOWN] = 0
        if note[WAIT] > 0:
            note[WAIT] -= 1
        _remember(course, memory, h)
    return status


@kernel(internal=True)
def between_interpolate(machine, act, course, memory, t, out):
    """y at t within the last step."""
    return runge_kutta_interpolate(machine, act, course, memory.other, t, out)


@kernel(once=True)
def _move(machine, act, course, memory):
    """Move what is known by the jump of y' at this instant."""
    f, jump, turned, h, first = memory.f, memory.trial, memory.e, memory.past[LENGTH], course.count[NQ]
    for i in range(jump.shape[0]):
        jump[i] = course.dy[i] - memory.end[i]
    copy(course.y[:first], jump[:first])
    call_far(act, (machine, TURNED, course.clock[T], jump, turned))
    for age in range(1, memory.note[KNOWN] + 1):
        for i in range(first):
            f[age, i] -= age * h * turned[i]
        for i in range(first, jump.shape[0]):
            f[age, i] += jump[i]


@kernel(once=True)
def _formula_step(machine, act, course, memory, h):
    """Try a step by the formula. Returns whether its error is small enough; if not, nothing has happened."""
    clock, count, trial, e, f, end = course.clock, course.count, memory.trial, memory.e, memory.f, memory.end
    for i in range(trial.shape[0]):
        total = 0.0
        for k in range(ORDER):
            total += memory.formula[k] * f[k, i]
        trial[i] = course.y[i] + h * total
    status = call_far(act, (machine, PROJECT, clock[STOP], trial, e))
    if status == 0:
        note = memory.note
        note[SINCE] = (note[SINCE] + 1) % RANKS  # steps are so short that the rank need not be decided in each
        status = call_far(act, (machine, AGAIN if note[SINCE] else BEGIN, clock[STOP], trial, end))
    error = np.inf
    if status == 0:
        _miss(memory, h)
        call_far(act, (machine, WHOLE, clock[STOP], trial, e))
        error = np.sqrt(e[0])
        if not error <= 1.0:  # it may lie across the constraints
            _miss(memory, h)
            call_far(act, (machine, ERROR, clock[STOP], trial, e))
            error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)
    if not error <= 1.0:
        count[REJECTED] += 1
        copy(course.y, course.look)  # turns and rank are those of the start again
        call_far(act, (machine, RATES, clock[T], course.look, course.look_rate))
        call_far(act, (machine, BEGIN, clock[T], course.look, course.look_rate))
        return False
    copy(trial, course.y)
    copy(end, course.dy)
    clock[T], clock[TAKEN], clock[WORST] = clock[STOP], h, error
    clock[H] = max(clock[H], h)
    memory.other.known[0], count[REASON] = 0, 0
    return True


@kernel(internal=True)
def _miss(memory, h):
    """What y' at the end differs from what was foretold, as an error of y."""
    e, f = memory.e, memory.f
    for i in range(e.shape[0]):
        total = memory.end[i]
        for k in range(ORDER):
            total -= memory.foretold[k] * f[k, i]
        e[i] = h * GAP * total


@kernel(internal=True)
def _remember(course, memory, h):
    """Push the start of the step that was just taken among the values known."""
    f, note, past = memory.f, memory.note, memory.past
    for age in range(min(note[KNOWN] + 1, ORDER), 0, -1):
        copy(f[age - 1], f[age])
    note[KNOWN] = min(note[KNOWN] + 1, ORDER)
    copy(course.dy, memory.end)
    past[LENGTH], past[REACHED] = h, course.clock[T]
