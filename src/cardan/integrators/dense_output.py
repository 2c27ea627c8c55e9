"""What holds inside a step: the one rule for outputs, events and searches, whatever the method.

    t_old |-----x--------------| t_end          y_old, dy_old and y_end, dy_end are the step as its method left it;
          |--|--x-|                             events and samplers do not change them

1. Between the ends the state is that of the method's polynomial, if the method guarantees its accuracy.
2. Where it does not, as with stiff forces or friction that begins to slip inside the step, the state is found by
   shorter steps from the start of the step under control of their error, the last of which ends at the instant.
3. What is asked of a step changes nothing for the next one: what a mechanism remembers from one evaluation to the next
   is put back, and the work is counted apart.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.dop853 import (
    RAW,
    SAFETY,
    SLOWEST,
    dop853_end,
    dop853_error,
    dop853_memory,
)
from cardan.integrators.stepper import INACCURATE
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import error_norms, project, rates, total_error_norm

FIRST, SHORTEST = 0.25, 1e-3  # of a step: the first of the shorter ones, and one that is short enough in any case
NEARBY = 1e-4  # of a step: from values so near each other on both sides the slope of the polynomial is found,
BESIDE = 1e-7  # or on one side: errors of truncation and of rounding are both some 1e-9 of y
GAP, MISFIT = 0.25, 300.0  # of a slope times the step: an error of y; and how many tolerances it may be


class Substep(Record):
    """The shorter step at hand."""

    start: float
    end: float  # -inf: none
    next_size: float


class SavedWork(Record):
    """Counters of evaluations and factorizations, saved while a state inside a step is searched for."""

    remembered: int  # when the copy was made,
    restored: int  # and when it was last put back


class Inside(NamedTuple):
    """What a mechanism remembers between evaluations, with room for a copy, and the shorter steps within a step."""

    done: Any  # of the mechanism: its work counters,
    multipliers: np.ndarray
    reactions: np.ndarray  # multipliers as devices see them,
    latest: np.ndarray  # its last solutions,
    when: np.ndarray
    lower: np.ndarray  # and factors
    pivots: np.ndarray
    kept_multipliers: np.ndarray
    kept_reactions: np.ndarray
    kept_latest: np.ndarray
    kept_when: np.ndarray
    kept_lower: np.ndarray
    kept_pivots: np.ndarray
    work: Any
    substep: Any
    y: np.ndarray  # where it starts,
    dy: np.ndarray
    y_end: np.ndarray  # and ends
    dy_end: np.ndarray
    rate: np.ndarray
    steps: Any  # memory of DOP853


def inside(machine: Any, ny: int, speeds: int) -> Any:
    """The tables of a run of a mechanism, with y of `ny` numbers."""
    remembered = (
        machine.multipliers, machine.forces.circuit.multipliers, machine.latest.reshape(-1), machine.when,
        machine.work.lower, machine.work.pivots,
    )  # fmt: skip
    copies = [part.copy() for part in remembered]
    states = [np.zeros(ny) for _ in range(5)]
    records = SavedWork(), Substep(end=-np.inf)
    memory = dop853_memory(ny, speeds, 1.0)
    return block(Inside(machine.counters, *remembered, *copies, *records, *states, memory))


@kernel(internal=True)
def end_of_step(stepper):
    """Remember the step that was just taken."""
    copy(stepper.y, stepper.y_end)
    copy(stepper.dy, stepper.dy_end)
    stepper.clock.step_end, stepper.flags.refined = stepper.clock.now, 0
    if stepper.direction.shape[0] > 0:  # outputs remember the state where they need it
        remember(stepper)


@kernel(internal=True)
def state_inside(mechanism, method, stepper, t, out):
    """y at an instant within the last step. Returns a status."""
    clock = stepper.clock
    if t == clock.step_start:
        copy(stepper.y_old, out)
        return 0
    if t == clock.step_end:
        copy(stepper.y_end, out)
        return 0
    if not stepper.flags.refined:
        status = call_pointer(method.kernels.interpolate, (mechanism, stepper, method.memory, t, out))
        if status != INACCURATE:
            return status
        _refine(stepper)
    return call_pointer(method.kernels.refine, (mechanism, stepper, t, out))


@kernel(internal=True)
def motion_inside(mechanism, method, stepper, t, y, dy):
    """y and y' at an instant within the last step, joints closed unless the method leaves them open. A status."""
    status = state_inside(mechanism, method, stepper, t, y)
    begin_again(stepper)
    copy(y, stepper.inside.steps.e3)
    status = status or motion_at(mechanism, stepper, t, y, dy)
    if stepper.flags.refined:
        return status
    if status == 0 and (stepper.flags.explicit == 0 or _fits(mechanism, method, stepper, t, y, dy)):
        return 0
    # The polynomial leads where nothing can be evaluated, or where forces are other than it predicts.
    stepper.inside.substep.end = -np.inf
    status = call_pointer(method.kernels.refine, (mechanism, stepper, t, y))
    begin_again(stepper)
    return status or motion_at(mechanism, stepper, t, y, dy)


@kernel(internal=True)
def _fits(mechanism, method, stepper, t, y, dy):
    """Whether y' at y agrees with the slope of the polynomial at t, whose value there is in `steps.e3`.

    A difference to one side is usually enough to see it, and costs little; otherwise one to both sides decides, without
    what joints forbid.
    """
    before, length = stepper.inside.steps.e3, stepper.clock.step_taken
    if _misfit(mechanism, method, stepper, False, t, t, t + BESIDE * length, y, dy) <= MISFIT:
        return True
    first, last = t - NEARBY * length, t + NEARBY * length
    call_pointer(method.kernels.interpolate, (mechanism, stepper, method.memory, first, before))
    return _misfit(mechanism, method, stepper, True, t, first, last, y, dy) <= MISFIT


@kernel(internal=True)
def _misfit(mechanism, method, stepper, filtered, t, first, last, y, dy):
    """By how much, in tolerances, y' misses the slope of the polynomial between two times; `steps.e3` is the first
    value."""
    e, before, length = stepper.inside.rate, stepper.inside.steps.e3, stepper.clock.step_taken
    call_pointer(method.kernels.interpolate, (mechanism, stepper, method.memory, last, e))
    per_time = 1.0 / (last - first)
    for i in range(e.shape[0]):
        e[i] = GAP * length * ((e[i] - before[i]) * per_time - dy[i])
    if filtered:
        error_norms(mechanism, t, y, e)
    else:
        total_error_norm(mechanism, t, y, e)
    return max(np.sqrt(e[0]), np.sqrt(e[1]) / RAW)


@kernel(internal=True)
def motion_at(mechanism, stepper, t, y, dy):
    """y' at y, with joints closed first unless the method leaves them open. Returns a status."""
    if stepper.flags.outputs_unprojected == 0:
        project(mechanism, t, y, dy)
    return rates(mechanism, t, y, dy)


@kernel(internal=True)
def remember(stepper):
    """Copy what the mechanism remembers, before it is evaluated for outputs."""
    own = stepper.inside
    copy(own.multipliers, own.kept_multipliers)
    copy(own.reactions, own.kept_reactions)
    copy(own.latest, own.kept_latest)
    copy(own.when, own.kept_when)
    copy(own.lower, own.kept_lower)
    copy(own.pivots, own.kept_pivots)
    own.work.remembered = own.done.evaluations + own.done.factorizations
    own.work.restored = own.work.remembered


@kernel(internal=True)
def begin_again(stepper):
    """Let the next evaluation begin as if none had been made since `remember`."""
    own = stepper.inside
    done = own.done.evaluations + own.done.factorizations
    if done == own.work.restored:
        return
    own.work.restored = done
    copy(own.kept_multipliers, own.multipliers)
    copy(own.kept_reactions, own.reactions)
    copy(own.kept_latest, own.latest)
    copy(own.kept_when, own.when)
    copy(own.kept_lower, own.lower)
    copy(own.kept_pivots, own.pivots)


@kernel(internal=True)
def go_back(stepper):
    """The same after all outputs of a step: their work does not count as that of the method."""
    own = stepper.inside
    begin_again(stepper)
    stepper.counters.output_work += own.done.evaluations + own.done.factorizations - own.work.remembered


@kernel(internal=True)
def _refine(stepper):
    """From now on the last step is made of shorter ones."""
    stepper.flags.refined = 1
    stepper.inside.substep.end = -np.inf


@kernel(internal=True)
def refined_state(mechanism, stepper, t, out):
    """y at t within the last step, by shorter steps from its start, the last of which ends there. Returns a status."""
    own, clock = stepper.inside, stepper.clock
    substep = own.substep
    shortest = SHORTEST * (clock.step_end - clock.step_start)
    if substep.end == -np.inf or t < substep.start:
        copy(stepper.y_old, own.y_end)
        copy(stepper.dy_old, own.dy_end)
        substep.end, substep.next_size = clock.step_start, FIRST * (clock.step_end - clock.step_start)
    while substep.end < t:  # steps that do not depend on t
        copy(own.y_end, own.y)
        copy(own.dy_end, own.dy)
        substep.start = substep.end
        status = _shorter_step(mechanism, stepper, clock.step_end, shortest, own.y_end, own.dy_end)
        if status:
            return status
    copy(own.y_end, out)
    if t == substep.end:
        return 0
    after, follows = substep.end, substep.next_size
    copy(own.y, out)
    copy(own.dy, own.rate)
    substep.end, substep.next_size, status = substep.start, t - substep.start, 0
    while substep.end < t and status == 0:
        status = _shorter_step(mechanism, stepper, t, shortest, out, own.rate)
    substep.end, substep.next_size = after, follows
    return status


@kernel(internal=True)
def _shorter_step(mechanism, stepper, end, shortest, y, dy):
    """Lead y and y' on from the time substep.end by a step, to `end` at most, whose error is small, or which is short
    enough in any case. Returns a status."""
    own = stepper.inside
    substep, steps = own.substep, own.steps
    start = substep.end
    left = end - start
    h = min(substep.next_size, left)
    begin_again(stepper)
    while True:
        if h >= 0.999 * left:
            h = left
        copy(dy, steps.k[0])
        status, error = dop853_end(mechanism, steps, start, y, h, stepper.sizes.positions), np.inf
        if status == 0:
            error = dop853_error(mechanism, steps, start + h, h)
            if error <= 1.0 or h <= shortest:
                break
        elif h <= shortest:
            return status
        h *= max(SLOWEST, SAFETY * error**-0.125) if error < np.inf else 0.5
    copy(steps.trial, y)
    substep.end = end if h == left else start + h
    substep.next_size = h * min(2.0, max(SLOWEST, SAFETY * max(error, 1e-30) ** -0.125))
    return rates(mechanism, substep.end, y, dy)
