"""The course of a run: the loop over steps that all integrators share, with its outputs and events.

    y ----step----> y ----step----> y          a step is an indirect kernel of the integrator; `dense_output` decides
        |  |  |         |  |  |                what holds inside it, and closes and evaluates outputs there
       outputs          outputs

Output times affect neither steps nor each other's results. Steps end where samplers are due and where motions are not
smooth.

The loop calls mechanism and integrator through their addresses and is compiled once. It returns after some steps, for
the keyboard, the clock and views.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.dense_output import (
    begin_again,
    end_of_step,
    go_back,
    motion_at,
    motion_inside,
    remember,
    state_inside,
)
from cardan.integrators.events import look_for_events
from cardan.integrators.stepper import (
    EVENT,
    FAILED,
    FINISHED,
    FULL,
    LAST,
    RUNNING,
    STIFF,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.system.circuit import SLACK
from cardan.system.mechanism import (
    begin_step,
    decide_rank,
    event_values,
    factorize_for_impulse,
    project,
    rates,
    sample_controllers,
)


class OutputRecord(NamedTuple):
    """What is kept: at the times wanted or, if there are none, after every step."""

    wanted: np.ndarray
    times: np.ndarray
    y: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    steps: np.ndarray  # int64: steps taken so far


def output_record(wanted: np.ndarray, capacity: int, size: int, speeds: int, turns: int) -> Any:
    """An empty record."""
    tables = (np.zeros((capacity, size)), np.zeros((capacity, speeds)), np.zeros((capacity, turns)))
    return block(OutputRecord(wanted, np.zeros(capacity), *tables, np.zeros(capacity, np.int64)))


@kernel
def begin_run(mechanism, stepper):
    """Make the start consistent: close the joints, find accelerations and the values of events. Returns a status."""
    clock, y = stepper.clock, stepper.y
    status = decide_rank(mechanism, clock.now, y, stepper.dy)
    status = status or project(mechanism, clock.now, y, stepper.dy)
    status = status or begin_step(mechanism, clock.now, y, stepper.dy)
    copy(stepper.turns, stepper.turns_end)
    if status == 0 and stepper.direction.shape[0] > 0:
        status = event_values(mechanism, clock.now, y, stepper.g[0])
    return status


@kernel
def sample_now(mechanism, stepper):
    """Call the samplers that are due now."""
    return _sample(mechanism, stepper, True)


@kernel
def settle(mechanism, stepper):
    """Find y' and the turns of angles at a state that was set from outside and stays as it is. Returns a status."""
    clock, y, dy = stepper.clock, stepper.y, stepper.dy
    status = rates(mechanism, clock.now, y, dy) or begin_step(mechanism, clock.now, y, dy)
    copy(stepper.turns, stepper.turns_end)
    return status


@kernel
def prepare_impulse(mechanism, stepper):
    """Factorize at the present state, before impulses are applied. Returns a status."""
    return factorize_for_impulse(mechanism, stepper.clock.now, stepper.y, stepper.look)


@kernel
def look_at(mechanism, method, stepper, t):
    """y at an instant within the last step, in stepper.look."""
    remember(stepper)
    status = state_inside(mechanism, method, stepper, t, stepper.look)
    begin_again(stepper)
    return status


@kernel
def write_now(stepper, record):
    """Write the state as it is."""
    _write(stepper.clock.now, stepper.y, stepper.dy, stepper.turns_end, stepper, record)


@kernel
def run_steps(mechanism, method, stepper, record, budget, to_the_end):
    """Take up to `budget` steps. Returns one of the words above; a step cut short by the end only if `to_the_end`."""
    clock, wanted, times = stepper.clock, record.wanted, record.times
    for _ in range(budget):
        if clock.now >= clock.end - clock.shortest:
            clock.now = clock.end
            return FINISHED
        room = times.shape[0] - stepper.counters.written
        if room <= 0 or (wanted.shape[0] == 0 and room < 2):
            return FULL
        if _sample(mechanism, stepper, False):  # an event may have taken place just before
            return FAILED
        due = next_sample(stepper, clock.now, clock.end)
        edge = next_breakpoint(stepper, clock.now)
        before = just_before(edge, clock.now) if edge < np.inf else edge
        clock.stop, clock.sample_due = min(min(clock.end, due), before), due
        if clock.now + clock.step > clock.end and due > clock.end and edge > clock.end and not to_the_end:
            return LAST
        copy(stepper.y, stepper.y_old)
        copy(stepper.dy, stepper.dy_old)
        copy(stepper.turns_end, stepper.turns_old)
        clock.step_start, stepper.flags.nearly_closed = clock.now, 0
        status = call_pointer(method.kernels.step, (mechanism, stepper, method.memory))
        stiff = status == STIFF
        if status and not stiff:
            return FAILED
        stepper.counters.steps += 1
        copy(stepper.turns, stepper.turns_end)
        end_of_step(stepper)
        happened = -1
        if stepper.direction.shape[0] > 0:
            status, happened = look_for_events(mechanism, method, stepper)
            if status:
                stepper.outcome.failure = status
                return FAILED
        if happened < 0 and clock.now >= before and _pass_breakpoint(mechanism, stepper, edge):
            return FAILED
        if due <= clock.now and happened < 0:
            exact = stepper.flags.speeds_unprojected == 0 and stepper.direction.shape[0] == 0
            if _sample(mechanism, stepper, exact):
                return FAILED
        if _outputs(mechanism, method, stepper, record):
            return FAILED
        if happened >= 0:
            stepper.outcome.event = happened
            return EVENT
        if stiff:
            return STIFF
    return RUNNING


@kernel(internal=True)
def _pass_breakpoint(mechanism, stepper, edge):
    """Continue from a step that ended just before a breakpoint with the accelerations behind it. Returns a status."""
    clock, look = stepper.clock, stepper.look
    clock.now, stepper.flags.forces_jumped = min(edge, clock.end), 1
    copy(stepper.y, look)
    status = rates(mechanism, clock.now, look, stepper.dy)
    status = status or begin_step(mechanism, clock.now, look, stepper.dy)
    stepper.outcome.failure = status
    return status


@kernel(internal=True)
def _sample(mechanism, stepper, exact):
    """Call the samplers that are due; the mechanism was evaluated at y last if that is `exact`. Returns a status."""
    clock = stepper.clock
    if stepper.sampled.shape[0] == 0 or next_sample(stepper, clock.now, clock.end) > clock.now:
        return 0
    status = 0
    if not exact:
        copy(stepper.y, stepper.look)
        status = rates(mechanism, clock.now, stepper.look, stepper.look_rate)
    if status == 0:
        status = sample_controllers(mechanism, clock.now, stepper.y, stepper.dy)
    stepper.flags.forces_jumped, stepper.outcome.failure = 1, status
    return status


@kernel(internal=True)
def _outputs(mechanism, method, stepper, record):
    """Write what is wanted within the last step, its end included. Returns a status."""
    clock, counters, wanted = stepper.clock, stepper.counters, record.wanted
    every = wanted.shape[0] == 0
    if not every and (counters.next_output >= wanted.shape[0] or wanted[counters.next_output] > clock.now):
        return 0
    remember(stepper)
    status = 0
    while counters.written < record.times.shape[0] and status == 0:
        instant = clock.now
        if not every:
            if counters.next_output >= wanted.shape[0] or wanted[counters.next_output] > clock.now:
                break
            instant = wanted[counters.next_output]
        status = _output(mechanism, method, stepper, record, instant)
        begin_again(stepper)
        counters.next_output += 1 if status == 0 else 0
        if every:
            break
    go_back(stepper)
    if status:
        stepper.outcome.failure = status
    return status


@kernel(internal=True)
def _output(mechanism, method, stepper, record, t):
    """Write the state at an instant within the last step."""
    clock, look, rate, status = stepper.clock, stepper.look, stepper.look_rate, 0
    if t == clock.step_start:
        _write(t, stepper.y_old, stepper.dy_old, stepper.turns_old, stepper, record)
        return 0
    if t == clock.now:
        if stepper.flags.speeds_unprojected == 0 and stepper.flags.nearly_closed == 0:
            _write(t, stepper.y, stepper.dy, stepper.turns_end, stepper, record)
            return 0
        copy(stepper.y, look)
        status = motion_at(mechanism, stepper, t, look, rate)
    else:
        status = motion_inside(mechanism, method, stepper, t, look, rate)
    if status == 0:
        _write(t, look, rate, stepper.turns, stepper, record)
    return status


@kernel(internal=True)
def _write(t, y, dy, turns, stepper, record):
    a = record.a
    i, first = stepper.counters.written, stepper.sizes.positions
    record.times[i] = t
    copy_to_row(y, record.y, i)
    for k in range(a.shape[1]):
        a[i, k] = dy[first + k]
    copy_to_row(turns, record.turns, i)
    record.steps[i] = stepper.counters.steps
    stepper.counters.written += 1


NEAREST = 4.0  # times the shortest step
BEFORE = 2e-15  # relative to the time: more than the rounding of periodic motions


@kernel(internal=True)
def next_sample(stepper, now, end):
    """The instant at which a sampler is called next; exactly now, or exactly the end, if it is as good as that."""
    sample, sampled, y, first = stepper.sample, stepper.sampled, stepper.y, np.inf
    for k in range(sampled.shape[0]):
        instant, slack = sample[k, 0] + y[sampled[k]] * sample[k, 1], SLACK * sample[k, 1]
        for mark in (now, end):
            if abs(instant - mark) <= slack:
                instant = mark
        first = min(first, instant)
    return first


@kernel(internal=True)
def next_breakpoint(stepper, now):
    """The next instant at which a motion is not smooth; those closer than the shortest steps count as now."""
    breakpoints, first = stepper.breakpoints, np.inf
    if stepper.flags.ignores_breakpoints:
        return first
    passed = now + NEAREST * stepper.clock.shortest
    for k in range(breakpoints.shape[0]):
        instant, period = breakpoints[k, 0], breakpoints[k, 1]
        if instant <= passed and period < np.inf:
            instant += period * np.ceil((passed - instant) / period)
        if instant > passed:
            first = min(first, instant)
    return first


@kernel(internal=True)
def just_before(instant, now):
    """The end of the step before a breakpoint, where motions are those before it."""
    return instant - BEFORE * max(abs(instant), abs(now))
