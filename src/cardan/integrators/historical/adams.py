"""Adams' method with variable order (1 to 12) and variable step: predict, evaluate, correct, evaluate.

    y' = f(t, y)        status = integrated_rates(mechanism, t, y, dy)      0 on success; y may be corrected

The order is raised and lowered by what the estimated errors of the orders k - 2 to k + 1 would be (Haug 7.4.16;
Shampine and Gordon 1975, chapters 7 and 10); at the start it grows by one and the step doubles with each step until an
estimate objects:

    k = 1   2     3          4                  the error of a step is held below one tolerance, and the next step is
    |-|--|----|--------|----------------|--->   chosen for a half: doubled, kept, or shortened by 10 to 50 percent

Tolerances: the error e_i of a component counts as control_i e_i / (atol_i + rtol_i |y_i|), and the root mean square
over the components with control_i > 0 must not exceed 1. The others ride along; atol_i + rtol_i |y_i| must not be zero.

    memory = adams_memory(n)
    status = adams_restart(mechanism, memory, t, y, rtol, atol, control, 0.0, limit)
    while status == ACCEPTED and memory.clock.now < limit:
        status = adams_step(mechanism, memory, rtol, atol, control, limit)
        adams_interpolate(memory, t, y, dy)                                        at any time within the step
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.historical.adams_formula import (
    HIGHEST_ORDER,
    correct,
    difference_norm,
    error_norms,
    integrate_polynomial,
    moulton_coefficients,
    move_on,
    predict,
    step_coefficients,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import integrated_rates

ACCEPTED, RHS_FAILED, TOO_SMALL = 0, 1, 2  # what adams_step and adams_restart return
VARIABLE, FIXED, FIXED_PREDICTOR = 0, 1, 2  # rules: error control; fixed order and step; the predictor alone

EPSILON = 2.0**-52
PER_ORDER = tuple(abs(float(c)) for c in moulton_coefficients(HIGHEST_ORDER + 2))  # error of order k: |gamma*_k|
AIM = 0.5  # tolerances that the next step is chosen for
WHOLE = 0.999999  # a step that covers this part of the way to the limit covers all of it


class AdamsClock(Record):
    """Time and step sizes."""

    now: float
    step: float  # size to try next; negative: backward
    longest: float
    shortest: float  # worth trying
    error: float  # of the last step, in tolerances


class AdamsCounters(Record):
    """Orders, rules and counts."""

    order: int  # of the next step
    last_order: int
    equal_steps: int  # that came last
    starting: int  # whether the order still grows with each step
    rule: int  # VARIABLE, FIXED or FIXED_PREDICTOR
    highest_order: int
    status: int  # of the last evaluation
    evaluations: int
    steps: int
    rejected: int


class AdamsMemory(NamedTuple):
    """The state of an integration. A copy continues with the same digits."""

    clock: Any
    counters: Any
    y: np.ndarray  # float64[n]: the present state, as corrected; its rate is differences[:, 0]
    differences: np.ndarray  # float64[n, HIGHEST_ORDER + 2]: modified divided differences of the rates
    steps: np.ndarray  # float64[HIGHEST_ORDER + 1]: lengths of the last steps, the last one first
    shift: np.ndarray  # float64[n]: by how much the last rate must grow to lead from the last state to this one
    weight: np.ndarray  # float64[n]: control / (tolerance sqrt(number of controlled components))
    ahead: np.ndarray  # float64[n]: of the step that is being tried: the rate expected at its end,
    predicted: np.ndarray  # float64[n]: the state predicted there,
    trial: np.ndarray  # float64[n]: the state to evaluate,
    rate: np.ndarray  # float64[n]: and its rate,
    beta: np.ndarray  # float64[HIGHEST_ORDER + 2]: and coefficients
    sigma: np.ndarray
    g: np.ndarray
    ratio: np.ndarray
    moment: np.ndarray


def adams_memory(n: int, rule: int = VARIABLE, order: int = HIGHEST_ORDER, longest: float = math.inf) -> Any:
    """The block of memory for n components; `order` is the highest one, or the fixed one (of the predictor)."""
    return block(adams_tables(n, rule, order, longest))


def adams_tables(n: int, rule: int = VARIABLE, order: int = HIGHEST_ORDER, longest: float = math.inf) -> AdamsMemory:
    """The same before it becomes a block."""
    if not 1 <= order <= HIGHEST_ORDER:
        raise ValueError(f"the order of Adams' method must be between 1 and {HIGHEST_ORDER}, not {order}")
    clock, counters = AdamsClock(longest=longest), AdamsCounters(rule=rule, highest_order=order)
    states = [np.zeros(n) for _ in range(6)]
    coefficients = [np.zeros(HIGHEST_ORDER + 2) for _ in range(5)]
    differences, steps = np.zeros((n, HIGHEST_ORDER + 2)), np.zeros(HIGHEST_ORDER + 1)
    memory = AdamsMemory(clock, counters, np.zeros(n), differences, steps, *states, *coefficients)
    return memory


@kernel
def adams_restart(mechanism, memory, t, y, rtol, atol, control, step, limit):
    """Start, or start again, at t and y toward `limit` with a first step of the given length, 0 to estimate one.

    The last evaluation is at t and y. The rule, the longest step, and the counts of evaluations and steps are kept.
    `limit` must be finite unless steps are fixed: it defines which step is too short.
    """
    clock, counters = memory.clock, memory.counters
    clock.now, clock.error, clock.shortest = t, 0.0, 4.0 * EPSILON * max(abs(t), abs(limit))
    counters.order, counters.last_order, counters.equal_steps, counters.starting = 1, 0, 0, 1
    for i in range(memory.steps.shape[0]):
        memory.steps[i] = 0.0
    for j in range(y.shape[0]):
        memory.y[j] = memory.trial[j] = y[j]
        memory.shift[j] = 0.0
        for i in range(memory.differences.shape[1]):
            memory.differences[j, i] = 0.0
    if _evaluate(mechanism, memory, t) != 0:
        return RHS_FAILED
    _begin_with(memory)
    clock.step = step if limit >= t else -step
    if step == 0.0:
        _weigh(memory, rtol, atol, control)
        if not _estimate_first_step(mechanism, memory, limit - t):
            return RHS_FAILED
        copy(memory.y, memory.trial)
        if _evaluate(mechanism, memory, t) != 0:
            return RHS_FAILED
        _begin_with(memory)
    return ACCEPTED


@kernel
def adams_step(mechanism, memory, rtol, atol, control, limit):
    """One accepted step, however many it takes to try; no time beyond `limit` is looked at.

    RHS_FAILED: the memory is that of the last accepted step, `counters.status` is the status of the evaluation, and the
    next step is a quarter as long (unless steps are fixed): one may try again. TOO_SMALL: the step cannot be made
    shorter, because evaluations fail if `counters.status` is not 0.
    """
    clock, counters = memory.clock, memory.counters
    variable = counters.rule == VARIABLE
    failures = 0
    if variable:
        _weigh(memory, rtol, atol, control)
    while True:
        k, h = counters.order, _step_length(memory, limit)
        t = limit if h == limit - clock.now else clock.now + h
        step_coefficients(memory, h, k)
        predict(memory, h, k)
        if _evaluate(mechanism, memory, t) != 0:
            return _give_up(memory, h)
        error = own = lower = 0.0
        wanted = k
        if variable:
            error, own, lower, wanted = _errors(memory, h, k)
            if not error <= 1.0:  # also if it is not a number
                failures += 1
                _shorten(memory, h, wanted, own, failures)
                if abs(clock.step) < clock.shortest:
                    return TOO_SMALL
                continue
        if counters.rule != FIXED_PREDICTOR:
            correct(memory, h, k)
            if _evaluate(mechanism, memory, t) != 0:
                return _give_up(memory, h)
        move_on(memory, h, k)
        _count_step(memory, t, k, error)
        if variable:
            _choose_next(memory, h, k, wanted, own, lower)
        else:
            counters.order = min(k + 1, counters.highest_order)
        return ACCEPTED


@kernel
def adams_interpolate(memory, t, y, dy):
    """y and dy at a time t within the last step, from the corrector's polynomial through k + 1 rates.

    y passes through the accepted states at both ends, dy through their rates: from step to step, neither jumps.
    """
    integrate_polynomial(memory, t - memory.clock.now, memory.counters.last_order + 1, y, dy)


@kernel(internal=True)
def _evaluate(mechanism, memory, t):
    """The rate at the trial state, which may be corrected."""
    memory.counters.evaluations += 1
    memory.counters.status = integrated_rates(mechanism, t, memory.trial, memory.rate)
    return memory.counters.status


@kernel(internal=True)
def _begin_with(memory):
    """The state that was tried and its rate are the first point."""
    copy(memory.trial, memory.y)
    for j in range(memory.y.shape[0]):
        memory.differences[j, 0] = memory.rate[j]


@kernel(internal=True)
def _weigh(memory, rtol, atol, control):
    """What an error of each component counts, in tolerances."""
    weight = memory.weight
    controlled = 0
    for j in range(weight.shape[0]):
        weight[j] = 0.0
        if control[j] > 0.0:
            weight[j] = control[j] / (atol[j] + rtol[j] * abs(memory.y[j]))
            controlled += 1
    for j in range(weight.shape[0]):
        weight[j] /= max(1, controlled) ** 0.5


@kernel(internal=True)
def _estimate_first_step(mechanism, memory, span):
    """The step at which order 1 has a quarter of a tolerance as its error, h^2/2 |y''|; at most a tenth of the span.

    y'' comes from an Euler step that moves y by one tolerance: whatever the units, it stays close to the start.
    """
    speed = difference_norm(memory, 0)
    h = 1e-6 * abs(span)
    if speed * h > 1.0:
        h = 1.0 / speed
    h = h if span >= 0.0 else -h
    for j in range(memory.y.shape[0]):
        memory.trial[j] = memory.y[j] + h * memory.differences[j, 0]
    if _evaluate(mechanism, memory, memory.clock.now + h) != 0:
        return False
    for j in range(memory.y.shape[0]):
        memory.differences[j, 1] = memory.rate[j] - memory.differences[j, 0]
    change = difference_norm(memory, 1)
    for j in range(memory.y.shape[0]):
        memory.differences[j, 1] = 0.0
    first = 0.1 * abs(span)
    if change > 0.0:
        first = min(first, (0.5 * abs(h) / change) ** 0.5)
    memory.clock.step = first if span >= 0.0 else -first
    return True


@kernel(internal=True)
def _step_length(memory, limit):
    """The step planned, if it is not too long, or what reaches the limit in one or in two equal steps."""
    clock = memory.clock
    h, way = clock.step, limit - clock.now
    if abs(h) > clock.longest:
        h = clock.longest if h > 0.0 else -clock.longest
    if abs(h) >= WHOLE * abs(way):
        return way
    if memory.counters.rule == VARIABLE and abs(h) > 0.5 * abs(way):
        return 0.5 * way
    return h


@kernel(internal=True)
def _give_up(memory, h):
    """The evaluation failed: nothing has changed; a shorter step may succeed."""
    if memory.counters.rule == VARIABLE:
        memory.clock.step = 0.25 * h
        memory.counters.starting = 0
        if abs(memory.clock.step) < memory.clock.shortest:
            return TOO_SMALL
    return RHS_FAILED


@kernel(internal=True)
def _errors(memory, h, k):
    """The error of the step, what orders k and k - 1 make of it on equal steps, and the order that seems wanted."""
    missed, lower_missed, lowest_missed = error_norms(memory, k)
    sigma, g = memory.sigma, memory.g
    error = abs(h) * (g[k - 1] - g[k]) * missed
    own = abs(h) * sigma[k] * PER_ORDER[k] * missed
    lower = abs(h) * sigma[k - 1] * PER_ORDER[k - 1] * lower_missed
    wanted = k
    if k == 2 and lower <= 0.5 * own:
        wanted = 1
    if k > 2 and max(lower, abs(h) * sigma[k - 2] * PER_ORDER[k - 2] * lowest_missed) <= own:
        wanted = k - 1
    return error, own, lower, wanted


@kernel(internal=True)
def _shorten(memory, h, wanted, own, failures):
    """Plan a shorter step after one that was rejected; from the third time on with order 1, which trusts no past."""
    memory.counters.rejected += 1
    memory.counters.starting = 0
    memory.counters.order = wanted if failures < 3 else 1
    factor = 0.5
    if failures > 3 and own > AIM / factor**2:
        factor = (AIM / own) ** 0.5
    memory.clock.step = factor * h


@kernel(internal=True)
def _count_step(memory, t, k, error):
    """Keep the books of an accepted step."""
    clock, counters, steps = memory.clock, memory.counters, memory.steps
    counters.equal_steps = min(counters.equal_steps, counters.last_order) + 1 if steps[0] == steps[1] else 1
    counters.last_order = k
    counters.steps += 1
    clock.now, clock.error = t, error


@kernel(internal=True)
def _choose_next(memory, h, k, wanted, own, lower):
    """Order and length of the next step.

    The error of order k + 1 can be estimated only after k + 1 equal steps; a higher order must promise less than both
    neighbors, a lower one is taken as soon as it is as good.
    """
    counters, highest = memory.counters, memory.counters.highest_order
    if wanted < k or k == highest:
        counters.starting = 0
    if counters.starting:
        counters.order = k + 1
        memory.clock.step = 2.0 * h
        return
    order, expected = k, own
    if wanted < k:
        order, expected = k - 1, lower
    elif counters.equal_steps > k and k < highest:
        higher = abs(h) * PER_ORDER[k + 1] * difference_norm(memory, k + 1)
        if k > 1 and lower <= min(own, higher):
            order, expected = k - 1, lower
        elif higher < (own if k > 1 else 0.5 * own):
            order, expected = k + 1, higher
    counters.order = order
    memory.clock.step = h * _growth(order, expected)


@kernel(internal=True)
def _growth(order, expected):
    """The ratio of the next step to this one: rarely changed, for the sake of equal steps."""
    if expected * 2.0 ** (order + 1) <= AIM:
        return 2.0
    if expected <= AIM:
        return 1.0
    return max(0.5, min(0.9, (AIM / expected) ** (1.0 / (order + 1))))
