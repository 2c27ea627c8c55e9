"""Generalized-alpha, and the method of Hilber, Hughes and Taylor: implicit, of second order, on positions (index 3).

    delta = h v + h^2 ((1/2 - beta) b + beta b'),      v' = v + h ((1 - gamma) b + gamma b')
    (1 - am) b' + am b = (1 - af) a' + af a            M a' + J^T lambda = f(q', v', t'),    phi(q', t') = 0

with q' = q (+) delta (Arnold and Bruls 2007). High frequencies are damped by rho per step; rho = 1 damps none. b runs
ahead of the accelerations, b = a(t + (am - af) h), and is moved along when h changes. Rows of motion are multiplied by
h^2 beta', which makes the conditioning independent of the step size.

Newton's matrix is renewed once in a step; a step is done when the remaining correction, estimated from how fast
corrections shrink, is small against the error of the method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.stepper import (
    COLLAPSED,
)
from cardan.numerics.compiled.block import allocated, zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.implicit import filter_error, finish_iterations, iterate
from cardan.system.mechanism import decide_rank_here

ENOUGH = 0.02  # of the method's own error may be left of Newton's
FLOOR = 1e-14  # corrections below it are rounding
STALLED = 1e-6  # corrections below it that do not shrink any more are rounding, too
ITERATIONS = 12
RAW = 30.0  # by so much an error across the constraints counts less
LONGER, SHORTER = 1.6, 0.6  # factors by which a step changes


class AlphaControl(Record):
    """Parameters of the method, and the course of Newton's iterations."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    convergence: float  # ratio of successive corrections
    fixed: float  # whether the step size is fixed
    tolerance: float  # of positions, otherwise
    noise: float  # corrections that were found to be rounding
    extra_iterations: float  # at least, beyond the first: fewer make stiff forces and loops unstable
    last_step: float  # 0 if there was none


class AlphaMemory(NamedTuple):
    """What a step needs beside y; the vectors of an iterate are shared with the mechanism."""

    newton: Any  # see `cardan.system.implicit`
    control: Any
    size: np.ndarray  # float64[nv]
    scales: Any  # of the mechanism, as are the next ones
    v: np.ndarray
    a: np.ndarray
    delta: np.ndarray
    bar: np.ndarray
    step: np.ndarray
    bar_step: np.ndarray
    b: np.ndarray = zeros("nv")  # the method's own accelerations
    b_start: np.ndarray = zeros("nv")  # the same for the length of this step,
    b_new: np.ndarray = zeros("nv")  # and at its end
    a_old: np.ndarray = zeros("nv")  # accelerations one step before the last
    trial: np.ndarray = zeros("ny")
    trial_rate: np.ndarray = zeros("ny")
    lam: np.ndarray = zeros("rows")  # multipliers at the start of the step


def alpha_memory(
    newton: Any,
    tables: Any,
    ny: int,
    size: np.ndarray,
    am: float,
    af: float,
    fixed: bool,
    tolerance: float,
    careful: bool,
) -> Any:
    """Memory of a run; `newton` is the mechanism with Newton's matrix, `tables` its tables; `careful` where one
    iteration of a step is never enough."""
    gamma = 0.5 - am + af
    beta = 0.25 * (1.0 - am + af) ** 2
    nv = size.size
    return allocated(
        AlphaMemory,
        {"nv": nv, "ny": ny, "rows": tables.bar.size},
        newton=newton,
        control=AlphaControl(
            alpha_m=am,
            alpha_f=af,
            beta=beta,
            gamma=gamma,
            convergence=0.1,
            fixed=fixed,
            tolerance=tolerance,
            extra_iterations=careful,
        ),
        size=size,
        scales=tables.scales,
        v=tables.v,
        a=tables.a,
        delta=tables.delta,
        bar=tables.bar,
        step=tables.step,
        bar_step=tables.bar_step,
    )


@kernel(internal=True)
def alpha_step(mechanism, stepper, memory):
    """One step of fixed length, or of one that the error allows."""
    clock, control = stepper.clock, memory.control
    left = clock.stop - clock.now
    h = min(min(clock.step, clock.longest), stepper.limit[0])
    if control.fixed != 0.0:
        h = clock.step
    if h >= 0.999999 * left:
        h = left
    if control.last_step == 0.0 or stepper.flags.forces_jumped:
        control.last_step, stepper.flags.forces_jumped = 0.0, 0
        first = stepper.sizes.positions
        for i in range(memory.b.shape[0]):
            memory.b[i] = stepper.dy[first + i]
            memory.a_old[i] = stepper.dy[first + i]
    while True:
        if h < clock.shortest:
            stepper.outcome.failure = stepper.outcome.failure or COLLAPSED
            return COLLAPSED
        stepper.outcome.failure = 0
        status = _newton(stepper, memory, h)
        if status == 0:
            error = _error(stepper, memory, h)
            if control.fixed != 0.0 or error <= 1.0:
                break
            h *= SHORTER if error < SHORTER**-3.0 else SHORTER**2
        else:
            stepper.outcome.failure = status
            h *= 0.5
            if control.fixed != 0.0:
                return status
        stepper.counters.rejected += 1
    _accept(stepper, memory, h)
    clock.now = clock.stop if h == left else clock.now + h
    clock.step_taken, clock.error = h, error
    if control.fixed == 0.0:  # multipliers of index 3 react to each change of the step size: changes are rare
        proposed = LONGER * h if error < LONGER**-4.0 else h
        clock.step = max(proposed, clock.step) if h == left else proposed
    return decide_rank_here(mechanism, clock.now, stepper.y, stepper.dy)


@kernel(internal=True)
def alpha_interpolate(mechanism, stepper, memory, t, out):
    """y at t within the last step: a polynomial through values and rates at both ends."""
    clock, y, y_old, dy, dy_old = stepper.clock, stepper.y_end, stepper.y_old, stepper.dy_end, stepper.dy_old
    h = clock.step_taken
    x = (t - clock.step_start) / h
    for i in range(out.shape[0]):
        d, r0, r1 = y[i] - y_old[i], h * dy_old[i], h * dy[i]
        out[i] = y_old[i] + x * (r0 + x * (3.0 * d - 2.0 * r0 - r1 + x * (r0 + r1 - 2.0 * d)))
    return 0


@kernel(once=True)
def _newton(stepper, memory, h):
    """Solve for the end of a step of length h. Returns a status."""
    control, v, a, delta, b, b_new = memory.control, memory.v, memory.a, memory.delta, memory.b_start, memory.b_new
    am, af, beta, gamma = control.alpha_m, control.alpha_f, control.beta, control.gamma
    scales, step, bar, bar_step, size = memory.scales, memory.step, memory.bar, memory.bar_step, memory.size
    first, t, y, dy = stepper.sizes.positions, stepper.clock.now + h, stepper.y, stepper.dy
    share = (1.0 - af) / (1.0 - am)
    r, s = h * h * beta * share, h * gamma * share
    for k in range(bar.shape[0]):
        bar[k] = r * memory.lam[k]
    scales.speed, scales.position, scales.step = s, r, h
    ahead = h / control.last_step if control.last_step > 0.0 else 0.0
    for i in range(v.shape[0]):
        now = dy[first + i]
        change = ahead * (now - memory.a_old[i])  # in this step, as in the last one
        a[i] = now + change
        b[i] = memory.b[i] + (am - af) * (1.0 - control.last_step / h) * change
        b_new[i] = ((1.0 - af) * a[i] + af * now - am * b[i]) / (1.0 - am)
        delta[i] = h * y[first + i] + h * h * ((0.5 - beta) * b[i] + beta * b_new[i])
        v[i] = y[first + i] + h * ((1.0 - gamma) * b[i] + gamma * b_new[i])
    last, own = 0.0, 0.0
    for iteration in range(ITERATIONS):
        status = iterate(memory.newton, iteration == 0 or control.convergence > 0.3, t, y, dy)
        if status:
            return status
        change, own = 0.0, 0.0
        for i in range(v.shape[0]):
            delta[i] += step[i]
            v[i] += s / r * step[i]
            a[i] += step[i] / r
            b_new[i] += (1.0 - af) / (1.0 - am) * step[i] / r
            change = max(change, abs(step[i]) * size[i])
            own = max(own, abs(a[i] - dy[first + i]) * size[i])
        for k in range(bar.shape[0]):
            bar[k] += bar_step[k]
        if iteration > 0 and last > 0.0:
            control.convergence = max(0.3 * control.convergence, change / last)
        if not change < 1.0:
            return COLLAPSED
        rest = change * min(control.convergence, 0.5) / (1.0 - min(control.convergence, 0.5))
        small = rest <= ENOUGH * h * h * abs(beta - 1.0 / 6.0) * own + FLOOR or change < 3.0 * control.noise
        if small and iteration >= control.extra_iterations:
            return 0
        if iteration > 1 and change > 0.25 * last and change < STALLED:
            control.convergence, control.noise = 0.1, change
            return 0  # what is left is rounding, which long chains magnify
        last = change
    control.convergence = 0.1
    return COLLAPSED


@kernel(once=True)
def _error(stepper, memory, h):
    """The error of the positions, relative to what is allowed: the first term that the method leaves out."""
    control, y, step, size = memory.control, memory.trial, memory.step, memory.size
    first = stepper.sizes.positions
    finish_iterations(memory.newton, stepper.clock.now + h, y, memory.trial_rate)
    if control.fixed != 0.0:
        return 0.0
    raw = 0.0
    for i in range(step.shape[0]):
        step[i] = h * h * abs(control.beta - 1.0 / 6.0) * (memory.a[i] - stepper.dy[first + i])
        raw += (step[i] * size[i] / RAW) ** 2  # where all is driven, nothing else limits the step
    filter_error(memory.newton, stepper.clock.now + h, y, memory.trial_rate)
    total = 0.0
    for i in range(step.shape[0]):
        total += (step[i] * size[i]) ** 2
    return np.sqrt(max(total, raw) / step.shape[0]) / control.tolerance


@kernel(once=True)
def _accept(stepper, memory, h):
    first, control = stepper.sizes.positions, memory.control
    for i in range(memory.b.shape[0]):
        memory.a_old[i] = stepper.dy[first + i]
        memory.b[i] = memory.b_new[i]
    for i in range(first + memory.b.shape[0], stepper.y.shape[0]):  # work, by trapezoids
        memory.trial[i] = stepper.y[i] + 0.5 * h * (stepper.dy[i] + memory.trial_rate[i])
    copy(memory.trial, stepper.y)
    copy(memory.trial_rate, stepper.dy)
    control.last_step = h
    for k in range(memory.lam.shape[0]):
        memory.lam[k] = memory.bar[k] / memory.scales.position
