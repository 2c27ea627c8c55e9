"""Explicit methods of low order, for steps that something else keeps short, such as a controller that samples.

    "rk3"  Ralston's method of order 3, three stages; its error is estimated by the midpoint rule within it
    "rk5"  the method of Cash and Karp of order 5, six stages; its error by the formula of order 4 within it

    k_i = f(y + h sum_j a_ij k_j)        y + h sum_j b_j k_j        error: h sum_j e_j k_j

Stages, end and error are projected as in `dop853.py`. A step costs a quarter, or half, of what it costs there. Between
its ends y is a polynomial of degree 4 through values and rates at both ends and the rate at one place in between.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.stepper import (
    COLLAPSED,
    INACCURATE,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import OPEN
from cardan.system.mechanism import begin_step, error_norms, project, rates, rates_unrefined

SAFETY, SLOWEST, FASTEST = 0.85, 0.2, 5.0  # of a step's change
RAW = 300.0  # by so much an error across the constraints counts less
PATIENCE = 6  # halvings of a step whose joints do not close, before it is taken all the same
BETWEEN = 0.5 - 0.5 / np.sqrt(3.0)  # of a step: where the polynomials of degrees 3 and 4 differ most
KNOWN = 2  # of the polynomial; or 0, or INACCURATE
GAP = 0.25  # of what the rate misses times the step: an error of y
MISS_ALLOWED = 300.0  # tolerances by which it may miss

# Ralston, Math. Comp. 16 (1962) 431; Cash and Karp, ACM Trans. Math. Software 16 (1990) 201. Rows a_i, then b, then e.
RALSTON = np.array([[0, 0, 0], [1 / 2, 0, 0], [0, 3 / 4, 0], [2 / 9, 1 / 3, 4 / 9], [2 / 9, -2 / 3, 4 / 9]])
CASH_KARP = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [3 / 10, -9 / 10, 6 / 5, 0, 0, 0],
        [-11 / 54, 5 / 2, -70 / 27, 35 / 27, 0, 0],
        [1631 / 55296, 175 / 512, 575 / 13824, 44275 / 110592, 253 / 4096, 0],
        [37 / 378, 0, 250 / 621, 125 / 594, 0, 512 / 1771],
        [
            37 / 378 - 2825 / 27648,
            0,
            250 / 621 - 18575 / 48384,
            125 / 594 - 13525 / 55296,
            -277 / 14336,
            512 / 1771 - 1 / 4,
        ],
    ]
)


class RungeKuttaMemory(NamedTuple):
    """The stages of the last step, and the method's numbers."""

    k: np.ndarray  # [stages, ny]
    trial: np.ndarray
    e: np.ndarray
    dense: np.ndarray  # [4, ny]: the polynomial of the last step
    known: np.ndarray  # int64[1]: what is known of that
    table: np.ndarray  # a_i, b and e
    order: np.ndarray  # float64[1]


def runge_kutta_memory(ny: int, order: int) -> Any:
    """Memory for y of `ny` numbers."""
    table = RALSTON if order == 3 else CASH_KARP
    vectors = np.zeros((table.shape[1], ny)), np.zeros(ny), np.zeros(ny), np.zeros((4, ny))
    return block(RungeKuttaMemory(*vectors, np.zeros(1, np.int64), table, np.array([float(order)])))


@kernel(internal=True)
def runge_kutta_step(mechanism, stepper, memory):
    """Take one step of a length that the error allows."""
    clock, trial, e = stepper.clock, memory.trial, memory.e
    left, power = clock.stop - clock.now, -1.0 / memory.order[0]
    h = _length(stepper, left)
    memory.known[0] = 0
    copy(stepper.dy, memory.k[0])
    grow, halvings = FASTEST, 0
    while True:
        if h < clock.shortest:
            stepper.outcome.failure = stepper.outcome.failure or COLLAPSED
            return COLLAPSED
        stepper.outcome.failure = 0
        t = clock.now + h
        status = run_stages(mechanism, stepper, memory, h, False)
        if status == 0:
            status = project(mechanism, t, trial, e)
        if status == OPEN:
            halvings += 1
            if halvings > PATIENCE:
                stepper.counters.unclosed += 1
                status = 0
        if status == 0:
            estimate_error(memory, h, e)
            error_norms(mechanism, t, trial, e)
            error = max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)
            if error <= 1.0:
                break
            h *= max(SLOWEST, SAFETY * error**power) if error < np.inf else SLOWEST
        else:
            stepper.outcome.failure = status
            h *= 0.5
        grow = 1.0
        stepper.counters.rejected += 1
    copy(trial, stepper.y)
    clock.now = clock.stop if h == left else t
    status = begin_step(mechanism, clock.now, stepper.y, stepper.dy)
    stepper.outcome.failure = status
    clock.step_taken, clock.error = h, error
    proposed = h * min(grow, max(SLOWEST, SAFETY * max(error, 1e-30) ** power))
    clock.step = proposed if h < left else max(proposed, clock.step)
    return status


@kernel(internal=True)
def runge_kutta_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step. Returns INACCURATE if the polynomial is not as accurate as the step."""
    clock, y_old, dense = stepper.clock, stepper.y_old, memory.dense
    if memory.known[0] == 0:
        memory.known[0] = KNOWN if _prepare(mechanism, stepper, memory) <= 1.0 else INACCURATE
    if memory.known[0] == INACCURATE:
        return INACCURATE
    x = (t - clock.step_start) / clock.step_taken
    for i in range(out.shape[0]):
        bubble = dense[3, i] * (x * (1.0 - x)) ** 2
        out[i] = y_old[i] + x * (dense[0, i] + x * (dense[1, i] + x * dense[2, i])) + bubble
    return 0


@kernel(once=True)
def _prepare(mechanism, stepper, memory):
    """The coefficients of the polynomial: a cubic, and what times (x (1 - x))^2 its rate misses in between.

    Returns what its rate misses in another place, as an error relative to what is allowed.
    """
    dense, trial, rate, h, x = memory.dense, memory.trial, memory.e, stepper.clock.step_taken, BETWEEN
    y, y_old, dy, dy_old = stepper.y_end, stepper.y_old, stepper.dy_end, stepper.dy_old
    for i in range(trial.shape[0]):
        d, r0, r1 = y[i] - y_old[i], h * dy_old[i], h * dy[i]
        dense[0, i], dense[1, i], dense[2, i], dense[3, i] = r0, 3.0 * d - 2.0 * r0 - r1, r0 + r1 - 2.0 * d, 0.0
    for place in range(2):
        x = BETWEEN if place == 0 else 1.0 - BETWEEN
        for i in range(trial.shape[0]):
            bubble = dense[3, i] * (x * (1.0 - x)) ** 2
            trial[i] = y_old[i] + x * (dense[0, i] + x * (dense[1, i] + x * dense[2, i])) + bubble
        if rates(mechanism, stepper.clock.step_start + x * h, trial, rate):
            return np.inf
        slope = 2.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
        for i in range(trial.shape[0]):
            missed = h * rate[i] - dense[0, i] - x * (2.0 * dense[1, i] + 3.0 * x * dense[2, i]) - slope * dense[3, i]
            if place == 0:
                dense[3, i] = missed / slope
            else:
                rate[i] = GAP * missed
    error_norms(mechanism, stepper.clock.step_start + x * h, trial, rate)
    return max(np.sqrt(rate[0]), np.sqrt(rate[1]) / RAW) / MISS_ALLOWED


@kernel(once=True)
def _length(stepper, left):
    """The step size to try: samples are reached in equal steps, which leaves no short one; the end as it comes."""
    clock = stepper.clock
    h, whole = min(min(clock.step, clock.longest), stepper.limit[0]), clock.sample_due - clock.now
    if whole < 3.0 * h:
        h = whole / max(np.ceil(whole / h - 1e-3), 1.0)
    return left if h >= 0.999 * left else h


@kernel(once=True)
def run_stages(mechanism, stepper, memory, h, hasty):
    """The rates of all stages, unrefined if `hasty`, and y at the end in `trial`."""
    k, table, trial = memory.k, memory.table, memory.trial
    stages = k.shape[0]
    for i in range(1, stages + 1):
        copy(stepper.y, trial)
        _advance(table[i], k, h, trial, False)
        if i == stages:
            break
        c = 0.0
        for j in range(i):
            c += table[i, j]
        t = stepper.clock.now + c * h
        if hasty:
            status = rates_unrefined(mechanism, t, trial, k[i])
        else:
            status = rates(mechanism, t, trial, k[i])
        if status:
            return status
    return 0


@kernel(internal=True)
def estimate_error(memory, h, out):
    """The error of the step whose stages are known."""
    _advance(memory.table[memory.k.shape[0] + 1], memory.k, h, out, True)


@kernel(internal=True)
def _advance(weights, k, h, out, anew):
    """out += h sum_j weights_j k_j, from zero if `anew`."""
    if anew:
        for i in range(out.shape[0]):
            out[i] = 0.0
    for j in range(k.shape[0]):
        factor = h * weights[j]
        if factor != 0.0:
            for i in range(out.shape[0]):
                out[i] += factor * k[j, i]
