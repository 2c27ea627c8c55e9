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

from cardan.integrators.dop853_table import E3, E5, E6, E7, EXTENDED, SETTLED, STAGES, A, C, D
from cardan.integrators.stepper import (
    COLLAPSED,
    INACCURATE,
    STIFF,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import OPEN
from cardan.system.mechanism import begin_step, error_norms, project, rates, total_error_norm

SAFETY, SLOWEST, FASTEST = 0.7, 0.3, 5.0  # of a step's change
RAW = 300.0  # by so much an error across the constraints counts less
NEGLIGIBLE = 0.01  # of the squared estimate of order 5
LARGEST = 5.0  # tolerances that the differences may reach; smooth motions reach 3 at a tolerance of 1e-6
PATIENCE = 6  # halvings of a step whose joints do not close, before it is taken all the same
VISIBLE = 20.0  # tolerances: an estimate of order 5 behind which no kink hides; its error is at most 14 times as large
# Stiffness: h |da| / |dv| of two evaluations at the end of a step is greater than accuracy alone makes it, so many
# times. Motions without stiff forces reach 1.6 at a tolerance of 1e-4 and 0.5 at 1e-10; the limit lies above that.
STIFFNESS, HITS, MISSES = 2.0, 15, 6
UNKNOWN, KNOWN = 0, 2  # of the polynomial; or INACCURATE
MISS_ALLOWED = 300.0  # tolerances by which the polynomial may miss its stages, whose order is lower


class Dop853Notes(Record):
    """The test for stiffness, and the polynomial of the last step."""

    hits: int
    misses: int
    polynomial: int  # UNKNOWN, KNOWN or INACCURATE
    watch_stiffness: int
    stiffness: float  # the limit of h |da| / |dv|


class Tableau(NamedTuple):
    """The constants of the method."""

    A: np.ndarray
    C: np.ndarray
    E7: np.ndarray
    E6: np.ndarray
    E5: np.ndarray
    E3: np.ndarray
    D: np.ndarray


class Dop853Memory(NamedTuple):
    """The stages of the last step."""

    k: np.ndarray  # [16, ny]
    trial: np.ndarray
    e5: np.ndarray
    e3: np.ndarray
    v: np.ndarray  # speeds of the last stage,
    c: np.ndarray  # and states of devices
    weight: np.ndarray  # float64[states]: what one unit of a state counts as
    dense: np.ndarray  # [7, ny]: the polynomial of the last step
    notes: Any
    tableau: Any


def dop853_memory(ny: int, nv: int, rtol: float, scale: np.ndarray | None = None, watch_stiffness: bool = False) -> Any:
    """Memory for y of `ny` numbers, `nv` of them speeds; the last ones are states that count by their `scale`."""
    limit = STIFFNESS * min(1.0, (rtol / 1e-5) ** (1.0 / 11.0))
    vectors = [np.zeros(ny) for _ in range(3)]
    notes = Dop853Notes(watch_stiffness=watch_stiffness, stiffness=limit)
    weight = np.zeros(0) if scale is None else 1.0 / scale
    last = np.zeros(nv), np.zeros(weight.size), weight
    tableau = block(Tableau(A, C, E7, E6, E5, E3, D))
    return block(Dop853Memory(np.zeros((EXTENDED, ny)), *vectors, *last, np.zeros((7, ny)), notes, tableau))


@kernel(internal=True)
def dop853_step(mechanism, stepper, memory):
    """Take one step of a length that the error allows."""
    clock, y = stepper.clock, stepper.y
    trial, notes = memory.trial, memory.notes
    left = clock.stop - clock.now
    h = min(min(clock.step, clock.longest), stepper.limit[0])
    if h >= 0.999 * left:
        h = left
    notes.polynomial = UNKNOWN
    copy(stepper.dy, memory.k[0])
    grow, halvings = FASTEST, 0
    while True:
        if h < clock.shortest:
            stepper.outcome.failure = stepper.outcome.failure or COLLAPSED
            return COLLAPSED
        stepper.outcome.failure = 0
        t = clock.now + h
        status = dop853_end(mechanism, memory, clock.now, y, h, stepper.sizes.positions)
        if status == OPEN:
            halvings += 1
            if halvings > PATIENCE:
                stepper.counters.unclosed += 1
                status = 0
        if status == 0:
            error = dop853_error(mechanism, memory, t, h)
            if error <= 1.0:
                break
            grow = 1.0
            stepper.counters.rejected += 1
            h *= max(SLOWEST, SAFETY * error**-0.125) if error < np.inf else SLOWEST
        else:
            stepper.outcome.failure, grow = status, 1.0
            stepper.counters.rejected += 1
            h *= 0.5
    copy(trial, y)
    clock.now = clock.stop if h == left else t
    status = begin_step(mechanism, clock.now, y, stepper.dy)
    if status:
        stepper.outcome.failure = status
        return status
    clock.step_taken, clock.error = h, error
    proposed = h * min(grow, max(SLOWEST, SAFETY * max(error, 1e-30) ** -0.125))
    clock.step = proposed if h < left else max(proposed, clock.step)
    free = h < min(clock.longest, stepper.limit[0]) and h < left  # to be longer
    return STIFF if notes.watch_stiffness and free and _seems_stiff(stepper, memory, h) else 0


@kernel(internal=True)
def dop853_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step, by the method's polynomial of degree 7, which takes three more stages. Returns
    INACCURATE if the polynomial is not as accurate as the step."""
    clock, y_old, notes, h = stepper.clock, stepper.y_old, memory.notes, stepper.clock.step_taken
    if notes.polynomial == UNKNOWN:
        miss = dop853_polynomial(mechanism, memory, clock.step_start, y_old, stepper.y_end, stepper.dy_end, h)
        notes.polynomial = KNOWN if miss <= 1.0 else INACCURATE
    if notes.polynomial == INACCURATE:
        return INACCURATE
    dop853_between(memory, y_old, (t - clock.step_start) / h, out)
    return 0


@kernel(internal=True)
def dop853_end(mechanism, memory, t, y, h, first):
    """The end of a step from y, whose rates are k[0], in `trial`, closed. Speeds begin at place `first`. A status."""
    k, A, C, trial = memory.k, memory.tableau.A, memory.tableau.C, memory.trial
    for i in range(1, STAGES):
        _advance(A[i], k, i, h, y, trial)
        status = rates(mechanism, t + C[i] * h, trial, k[i])
        if status:
            return status
    v, c = memory.v, memory.c
    for i in range(v.shape[0]):
        v[i] = trial[first + i]
    for i in range(c.shape[0]):
        c[i] = trial[trial.shape[0] - c.shape[0] + i]
    _advance(A[STAGES], k, STAGES, h, y, trial)
    return project(mechanism, t + h, trial, memory.e5)


@kernel(internal=True)
def dop853_error(mechanism, memory, t, h):
    """The error of the step that has led to `trial` at t, relative to what is allowed.

    Where a rate has a kink inside the step, the estimate of order 5 may vanish although the error does not; the
    difference of order 6 then does not. In smooth motions it is negligible; its norm without the constraints shows this
    at little cost. Both differences also have a limit of their own: the quotient of the estimates has order 7 in smooth
    motions only, and where a smooth part makes that of order 3 large, it may be any fraction of the error that a kink
    leaves.
    """
    trial, e5, e3 = memory.trial, memory.e5, memory.e3
    _combine(memory.tableau.E6, memory.k, h, e5)
    total_error_norm(mechanism, t, trial, e5)
    unfiltered = e5[1]
    _combine(memory.tableau.E5, memory.k, h, e5)
    error_norms(mechanism, t, trial, e5)
    along, total, kink = e5[0], e5[1], 0.0
    if unfiltered > min(NEGLIGIBLE * along, LARGEST**2):
        _combine(memory.tableau.E6, memory.k, h, e5)
        error_norms(mechanism, t, trial, e5)
        along, total = along + e5[0], total + e5[1]
        kink = max(np.sqrt(e5[0]), np.sqrt(e5[1]) / RAW) / LARGEST
    _combine(memory.tableau.E3, memory.k, h, e3)
    error_norms(mechanism, t, trial, e3)
    error = max(_estimate(along, e3[0]), _estimate(total, e3[1]) / RAW)
    if kink > 1.0:
        return max(error, kink)
    hidden = max(along, total / RAW**2) > VISIBLE**2  # a kink in it may be
    return max(error, _late_kink(mechanism, memory, t, h)) if hidden and error <= 1.0 else error


@kernel(internal=True)
def _late_kink(mechanism, memory, t, h):
    """The difference of order 7 relative to its limit; zero if it is small.

    It sees kinks in the last seventh of a step, which of all stages the last one alone does, and those of which the
    difference of order 6 vanishes. In smooth motions the stages' own errors exceed the limit in some steps; the rate at
    the end of the step, one more evaluation, distinguishes them from a kink.
    """
    k, e, end = memory.k, memory.e5, memory.dense[0]
    _combine(memory.tableau.E7, k, h, e)
    total_error_norm(mechanism, t, memory.trial, e)
    if e[1] <= LARGEST**2:
        return 0.0
    copy(memory.trial, end)
    if rates(mechanism, t, end, k[STAGES]):
        return np.inf
    _combine(memory.tableau.E7, k, h, e)
    for i in range(e.shape[0]):
        e[i] += SETTLED * h * (k[STAGES, i] - k[STAGES - 1, i])
    error_norms(mechanism, t, memory.trial, e)
    late = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW) / LARGEST
    return late if late > 1.0 else 0.0


@kernel(internal=True)
def dop853_polynomial(mechanism, memory, t, y, y_end, dy_end, h):
    """The coefficients of the polynomial of a step. Returns its error relative to what is allowed.

    The step's own error says nothing about the three stages that the polynomial takes beyond it: where forces are stiff
    or change suddenly, they may see what no stage of the step has seen. But each of them was led to a state of order 6
    at its own instant, and the polynomial must pass close by.
    """
    k, F, trial = memory.k, memory.dense, memory.trial
    A, C, D = memory.tableau.A, memory.tableau.C, memory.tableau.D
    copy(dy_end, k[STAGES])
    for i in range(STAGES + 1, EXTENDED):
        _advance(A[i], k, i, h, y, trial)
        if rates(mechanism, t + C[i] * h, trial, k[i]):
            return np.inf
    for i in range(y.shape[0]):
        change = y_end[i] - y[i]
        F[0, i] = change
        F[1, i] = h * k[0, i] - change
        F[2, i] = 2.0 * change - h * (k[STAGES, i] + k[0, i])
        for p in range(4):
            total = 0.0
            for j in range(EXTENDED):
                total += D[p, j] * k[j, i]
            F[3 + p, i] = h * total
    miss, e = 0.0, memory.e5
    for i in range(STAGES + 1, EXTENDED):
        for filtered in (False, True):  # filtering costs more, and does not count what joints forbid
            _advance(A[i], k, i, h, y, trial)
            dop853_between(memory, y, C[i], e)
            for n in range(e.shape[0]):
                e[n] -= trial[n]
            if filtered:
                error_norms(mechanism, t + C[i] * h, trial, e)
            else:
                total_error_norm(mechanism, t + C[i] * h, trial, e)
            error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW) / MISS_ALLOWED
            if error <= 1.0:
                break
        if not error <= miss:
            miss = error
    return miss


@kernel(internal=True)
def dop853_between(memory, y, x, out):
    """y at the part x of a step from y, by the polynomial."""
    F = memory.dense
    for i in range(out.shape[0]):
        value = 0.0
        for p in range(6, -1, -1):
            value = (value + F[p, i]) * (x if p % 2 == 0 else 1.0 - x)
        out[i] = y[i] + value


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
def _seems_stiff(stepper, memory, h):
    """Whether steps are shorter than their accuracy asks for, again and again."""
    k, v, notes, dy, y = memory.k, memory.v, memory.notes, stepper.dy, stepper.y
    first = stepper.sizes.positions
    accelerations, speeds = 0.0, 0.0
    for i in range(v.shape[0]):
        accelerations += (dy[first + i] - k[STAGES - 1, first + i]) ** 2
        speeds += (y[first + i] - v[i]) ** 2
    rates, states, before = 0.0, 0.0, y.shape[0] - memory.c.shape[0]
    for i in range(memory.c.shape[0]):
        weight = memory.weight[i]
        rates += (weight * (dy[before + i] - k[STAGES - 1, before + i])) ** 2
        states += (weight * (y[before + i] - memory.c[i])) ** 2
    limit = notes.stiffness**2
    if (h * h * accelerations > limit * speeds and speeds > 0.0) or (h * h * rates > limit * states and states > 0.0):
        notes.hits += 1
        notes.misses = 0
    else:
        notes.misses += 1
        if notes.misses == MISSES:
            notes.hits = min(notes.hits, 0)  # less than none: a trial was in vain, and none is wanted for a while
    if notes.hits < HITS:
        return False
    notes.hits = 0
    return True
