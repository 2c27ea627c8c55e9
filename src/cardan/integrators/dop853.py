"""The explicit method of Dormand and Prince of order 8, on accelerations, with the constraints kept.

    stage i:   y_i = y + h sum_j a_ij k_j      v_i projected on J v = nu with the factors of its own accelerations
    end:       y + h sum_j b_j k_j             projected on the positions and speeds that the joints allow
    error:     what of the estimates lies on the tangent space of the constraints; the rest counts a 300th

Projecting the stages and the error is what carries a run through singular positions: there an error e of the position
reaches the accelerations as e / d, with d the distance from the position, and would stop any control of the step. The
rank is decided at the start of a step and kept for all of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.course import (
    COLLAPSED,
    END,
    LONGEST,
    LOOSE,
    NQ,
    REASON,
    REJECTED,
    SHORTEST,
    STIFF,
    T_OLD,
    TAKEN,
    WORST,
    H,
    T,
)
from cardan.integrators.dop853_table import E3, E5, EXTENDED, STAGES, A, C, D
from cardan.numerics.block import block
from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy
from cardan.system.matrix import OPEN
from cardan.system.motion import BEGIN, ERROR, PROJECT, RATES

SAFETY, SLOWEST, FASTEST = 0.7, 0.3, 5.0  # of a step's change
RAW = 300.0  # by so much an error across the constraints counts less
PATIENCE = 6  # halvings of a step whose joints do not close, before it is taken all the same
# Stiffness: h |da| / |dv| of two evaluations at the end of a step is greater than accuracy alone makes it, so many
# times. Motions without stiff forces reach 1.6 at a tolerance of 1e-4 and 0.5 at 1e-10; the limit lies above that.
STIFFNESS, HITS, MISSES = 2.0, 15, 6
HIT, MISS, DENSE, WATCHED = range(4)


class Dop853Memory(NamedTuple):
    """The stages of the last step, and the method's numbers."""

    k: np.ndarray  # [16, ny]
    trial: np.ndarray
    e5: np.ndarray
    e3: np.ndarray
    v: np.ndarray  # speeds of the last stage
    dense: np.ndarray  # [7, ny]: the polynomial of the last step
    stiff: np.ndarray  # float64[1]: the limit of h |da| / |dv|
    note: np.ndarray  # int64[4]: hits and misses of the test for stiffness, whether `dense` is there, whether to test
    A: np.ndarray
    C: np.ndarray
    E5: np.ndarray
    E3: np.ndarray
    D: np.ndarray


def dop853_memory(ny: int, nv: int, rtol: float, *, watch_stiffness: bool = False) -> Any:
    """Memory for y of `ny` numbers, `nv` of them speeds."""
    limit = np.array([STIFFNESS * min(1.0, (rtol / 1e-5) ** (1.0 / 11.0))])
    vectors = [np.zeros(ny) for _ in range(3)]
    note = np.array([0, 0, 0, watch_stiffness], np.int64)
    return block(
        Dop853Memory(np.zeros((EXTENDED, ny)), *vectors, np.zeros(nv), np.zeros((7, ny)), limit, note, A, C, E5, E3, D)
    )


@kernel(internal=True)
def dop853_step(machine, act, course, memory):
    """Take one step of a length that the error allows."""
    clock, count, y = course.clock, course.count, course.y
    trial, k, e5, e3, note = memory.trial, memory.k, memory.e5, memory.e3, memory.note
    left = clock[END] - clock[T]
    h = min(min(clock[H], clock[LONGEST]), course.limit[0])
    if h >= 0.999 * left:
        h = left
    note[DENSE] = 0
    copy(course.dy, k[0])
    grow, halvings = FASTEST, 0
    while True:
        if h < clock[SHORTEST]:
            count[REASON] = count[REASON] or COLLAPSED
            return COLLAPSED
        count[REASON] = 0
        t = clock[T] + h
        status = _stages(machine, act, course, memory, h)
        if status == 0:
            status = call_far(act, (machine, PROJECT, t, trial, e5))
        if status == OPEN:
            halvings += 1
            if halvings > PATIENCE:
                count[LOOSE] += 1
                status = 0
        if status == 0:
            _combine(memory.E5, k, h, e5)
            _combine(memory.E3, k, h, e3)
            call_far(act, (machine, ERROR, t, trial, e5))
            call_far(act, (machine, ERROR, t, trial, e3))
            error = max(_estimate(e5[0], e3[0]), _estimate(e5[1], e3[1]) / RAW)
            if error <= 1.0:
                break
            grow = 1.0
            count[REJECTED] += 1
            h *= max(SLOWEST, SAFETY * error**-0.125) if error < np.inf else SLOWEST
        else:
            count[REASON], grow = status, 1.0
            count[REJECTED] += 1
            h *= 0.5
    copy(trial, y)
    clock[T] = clock[END] if h == left else t
    status = call_far(act, (machine, BEGIN, clock[T], y, course.dy))
    if status:
        count[REASON] = status
        return status
    clock[TAKEN], clock[WORST] = h, error
    proposed = h * min(grow, max(SLOWEST, SAFETY * max(error, 1e-30) ** -0.125))
    clock[H] = proposed if h < left else max(proposed, clock[H])
    free = h < min(clock[LONGEST], course.limit[0]) and h < left  # to be longer
    return STIFF if note[WATCHED] and free and _seems_stiff(course, memory, h) else 0


@kernel(internal=True)
def dop853_interpolate(machine, act, course, memory, t, out):
    """y at t within the last step, by the method's polynomial of degree 7; it takes three more stages."""
    clock, y_old, F, note = course.clock, course.y_old, memory.dense, memory.note
    h = clock[TAKEN]
    if note[DENSE] == 0:
        _prepare(machine, act, course, memory, h)
        note[DENSE] = 1
    x = (t - clock[T_OLD]) / h
    for i in range(out.shape[0]):
        value = 0.0
        for p in range(6, -1, -1):
            value = (value + F[p, i]) * (x if p % 2 == 0 else 1.0 - x)
        out[i] = y_old[i] + value
    return 0


@kernel(once=True)
def _prepare(machine, act, course, memory, h):
    """The coefficients of the polynomial."""
    k, A, C, D, F, trial = memory.k, memory.A, memory.C, memory.D, memory.dense, memory.trial
    y, y_old, start = course.y, course.y_old, course.clock[T_OLD]
    copy(course.dy, k[STAGES])
    for i in range(STAGES + 1, EXTENDED):
        _advance(A[i], k, i, h, y_old, trial)
        call_far(act, (machine, RATES, start + C[i] * h, trial, k[i]))
    for i in range(y.shape[0]):
        change = y[i] - y_old[i]
        F[0, i] = change
        F[1, i] = h * k[0, i] - change
        F[2, i] = 2.0 * change - h * (k[STAGES, i] + k[0, i])
        for p in range(4):
            total = 0.0
            for j in range(EXTENDED):
                total += D[p, j] * k[j, i]
            F[3 + p, i] = h * total


@kernel(once=True)
def _stages(machine, act, course, memory, h):
    """The rates of all stages, and y at the end in `trial`."""
    k, A, C, trial, t = memory.k, memory.A, memory.C, memory.trial, course.clock[T]
    for i in range(1, STAGES):
        _advance(A[i], k, i, h, course.y, trial)
        status = call_far(act, (machine, RATES, t + C[i] * h, trial, k[i]))
        if status:
            return status
    first, v = course.count[NQ], memory.v
    for i in range(v.shape[0]):
        v[i] = trial[first + i]
    _advance(A[STAGES], k, STAGES, h, course.y, trial)
    return 0


@kernel(internal=True)
def _advance(weights, k, stages, h, y, out):
    """out = y + h sum_j weights_j k_j."""
    copy(y, out)
    for j in range(stages):
        factor = h * weights[j]
        if factor != 0.0:
            for i in range(out.shape[0]):
                out[i] += factor * k[j, i]


@kernel(internal=True)
def _combine(weights, k, h, out):
    """out = h sum_j weights_j k_j."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    _advance(weights, k, STAGES, h, out, out)


@kernel(internal=True, inline=True)
def _estimate(e5, e3):
    """The error of order 7 from those of order 5 and 3, all as mean squares."""
    return e5 / np.sqrt(e5 + 0.01 * e3) if e5 > 0.0 else e5


@kernel(once=True)
def _seems_stiff(course, memory, h):
    """Whether steps are shorter than their accuracy asks for, again and again."""
    count, k, v, note, dy, y = course.count, memory.k, memory.v, memory.note, course.dy, course.y
    first = count[NQ]
    accelerations, speeds = 0.0, 0.0
    for i in range(v.shape[0]):
        accelerations += (dy[first + i] - k[STAGES - 1, first + i]) ** 2
        speeds += (y[first + i] - v[i]) ** 2
    if h * h * accelerations > memory.stiff[0] ** 2 * speeds and speeds > 0.0:
        note[HIT] += 1
        note[MISS] = 0
    else:
        note[MISS] += 1
        if note[MISS] == MISSES:
            note[HIT] = min(note[HIT], 0)  # less than none: a trial was in vain, and none is wanted for a while
    if note[HIT] < HITS:
        return False
    note[HIT] = 0
    return True
