"""The course of a run: the loop over steps that all integrators share, with its outputs and events.

    y ----step----> y ----step----> y          a step is a far kernel of the integrator; what holds inside it is up to
        |  |  |         |  |  |                `dense_output`; an output is closed and evaluated there
       outputs          outputs

Outputs change no step: what is returned at an instant does not depend on the other instants asked for.

Mechanism, integrator and its memory are known here as addresses only, so that this loop is compiled once. It returns
after some steps, so that the keyboard, the clock and views get their turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.clock import (
    AJAR,
    DUE,
    END,
    EVENT,
    FAILED,
    FINISHED,
    FULL,
    HAPPENED,
    JUMPED,
    LAST,
    LONGEST,
    NEXT,
    NQ,
    NV,
    REASON,
    ROUGH,
    RUNNING,
    SHORTEST,
    STEPS,
    STIFF,
    STOP,
    T_END,
    T_OLD,
    WRITTEN,
    H,
    T,
)
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
from cardan.integrators.samples import next_sample
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import call_far
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.system.cartesian.motion import BEGIN, PROJECT, RATES, SAMPLED, START, WATCH


class Course(NamedTuple):
    """Where a run stands."""

    clock: np.ndarray
    limit: np.ndarray  # float64[1]: how long a step may be so that turns of angles are not lost; the mechanism's own
    count: np.ndarray  # int64[16]
    y: np.ndarray
    dy: np.ndarray  # y' at y
    y_old: np.ndarray  # the same before the last step
    dy_old: np.ndarray
    y_end: np.ndarray  # and after it, before events and samplers changed anything
    dy_end: np.ndarray
    turns: np.ndarray  # values of angles whose turns are remembered, where the mechanism was evaluated last; its own
    turns_end: np.ndarray  # the same at y, and before the last step
    turns_old: np.ndarray
    look: np.ndarray  # where outputs and events are evaluated
    look_rate: np.ndarray
    g: np.ndarray  # [4, 2 events]: values and rates of events at the end and the start of a part of a step, elsewhere,
    # and where the part was cut
    side: np.ndarray  # float64[events]: on which side of zero they are after they took place
    direction: np.ndarray  # int64[events]: -1 falling, 1 rising, 0 both, OFF neither
    sample: np.ndarray  # float64[samplers, 2]: offset and period,
    sampled: np.ndarray  # int64[samplers]: and the place in y of how often each was called
    inside: Any  # what `dense_output` needs


class Record(NamedTuple):
    """What is kept: at the instants wanted or, if there are none, after every step."""

    wanted: np.ndarray
    times: np.ndarray
    y: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    steps: np.ndarray  # int64: steps taken so far


def course(
    t: float,
    y: np.ndarray,
    positions: int,
    speeds: int,
    limit: np.ndarray,
    turns: np.ndarray,
    directions: Sequence[int],
    sample: np.ndarray,
    sampled: np.ndarray,
    inside: Any,
) -> Any:
    """A run that is about to start at y, which has so many positions and speeds."""
    clock, count = np.zeros(11), np.zeros(16, np.int64)
    clock[T] = clock[T_END] = t
    clock[LONGEST] = np.inf
    count[NQ], count[NV] = positions, speeds
    events = np.array(directions, np.int64)
    tables = Course(
        clock=clock,
        limit=limit,
        count=count,
        y=y.copy(),
        dy=np.zeros_like(y),
        y_old=y.copy(),
        dy_old=np.zeros_like(y),
        y_end=y.copy(),
        dy_end=np.zeros_like(y),
        turns=turns,
        turns_end=turns.copy(),
        turns_old=turns.copy(),
        look=np.zeros_like(y),
        look_rate=np.zeros_like(y),
        g=np.zeros((4, 2 * events.size)),
        side=np.zeros(events.size),
        direction=events,
        sample=sample,
        sampled=sampled,
        inside=inside,
    )
    return block(tables)


def record(wanted: np.ndarray, capacity: int, size: int, speeds: int, turns: int) -> Any:
    """An empty record."""
    tables = (np.zeros((capacity, size)), np.zeros((capacity, speeds)), np.zeros((capacity, turns)))
    return block(Record(wanted, np.zeros(capacity), *tables, np.zeros(capacity, np.int64)))


@kernel
def begin_course(act, machine, course):
    """Make the start consistent: close the joints, find accelerations and the values of events. Returns a status."""
    clock, y = course.clock, course.y
    status = call_far(act, (machine, START, clock[T], y, course.dy))
    status = status or call_far(act, (machine, PROJECT, clock[T], y, course.dy))
    status = status or call_far(act, (machine, BEGIN, clock[T], y, course.dy))
    copy(course.turns, course.turns_end)
    if status == 0 and course.direction.shape[0] > 0:
        status = call_far(act, (machine, WATCH, clock[T], y, course.g[0]))
    return status


@kernel
def sample_now(act, machine, course):
    """Call the samplers that are due now."""
    return _sample(act, machine, course, True)


@kernel
def settle(act, machine, course):
    """Find y' and the turns of angles at a state that was set from outside and stays as it is. Returns a status."""
    clock, y, dy = course.clock, course.y, course.dy
    status = call_far(act, (machine, RATES, clock[T], y, dy)) or call_far(act, (machine, BEGIN, clock[T], y, dy))
    copy(course.turns, course.turns_end)
    return status


@kernel
def ask(act, machine, course, what):
    """Let the mechanism do something at the present state with what stands in course.look: BRACE, IMPULSE. A status."""
    return call_far(act, (machine, np.int64(what), course.clock[T], course.y, course.look))


@kernel
def look_at(interpolate, act, machine, course, memory, t):
    """y at an instant within the last step, in course.look."""
    remember(course)
    status = state_inside(interpolate, act, machine, course, memory, t, course.look)
    begin_again(course)
    return status


@kernel
def write_now(course, record):
    """Write the state as it is."""
    _write(course.clock[T], course.y, course.dy, course.turns_end, course, record)


@kernel
def drive(step, interpolate, act, machine, course, memory, record, budget, to_the_end):
    """Take up to `budget` steps. Returns one of the words above; a step cut short by the end only if `to_the_end`."""
    clock, count, wanted, times = course.clock, course.count, record.wanted, record.times
    for _ in range(budget):
        if clock[T] >= clock[END] - clock[SHORTEST]:
            clock[T] = clock[END]
            return FINISHED
        room = times.shape[0] - count[WRITTEN]
        if room <= 0 or (wanted.shape[0] == 0 and room < 2):
            return FULL
        if _sample(act, machine, course, False):  # an event may have taken place just before
            return FAILED
        due = next_sample(course, clock[T], clock[END])
        clock[STOP], clock[DUE] = min(clock[END], due), due
        if clock[T] + clock[H] > clock[END] and due > clock[END] and not to_the_end:
            return LAST
        copy(course.y, course.y_old)
        copy(course.dy, course.dy_old)
        copy(course.turns_end, course.turns_old)
        clock[T_OLD], count[AJAR] = clock[T], 0
        status = call_far(step, (machine, act, course, memory))
        stiff = status == STIFF
        if status and not stiff:
            return FAILED
        count[STEPS] += 1
        copy(course.turns, course.turns_end)
        end_of_step(course)
        happened = -1
        if course.direction.shape[0] > 0:
            status, happened = look_for_events(interpolate, act, machine, course, memory)
            if status:
                count[REASON] = status
                return FAILED
        if due <= clock[T] and happened < 0:
            if _sample(act, machine, course, count[ROUGH] == 0 and course.direction.shape[0] == 0):
                return FAILED
        if _outputs(interpolate, act, machine, course, memory, record):
            return FAILED
        if happened >= 0:
            count[HAPPENED] = happened
            return EVENT
        if stiff:
            return STIFF
    return RUNNING


@kernel(internal=True)
def _sample(act, machine, course, exact):
    """Call the samplers that are due; the mechanism was evaluated at y last if that is `exact`. Returns a status."""
    clock, count = course.clock, course.count
    if course.sampled.shape[0] == 0 or next_sample(course, clock[T], clock[END]) > clock[T]:
        return 0
    status = 0
    if not exact:
        copy(course.y, course.look)
        status = call_far(act, (machine, RATES, clock[T], course.look, course.look_rate))
    if status == 0:
        status = call_far(act, (machine, SAMPLED, clock[T], course.y, course.dy))
    count[JUMPED], count[REASON] = 1, status
    return status


@kernel(internal=True)
def _outputs(interpolate, act, machine, course, memory, record):
    """Write what is wanted within the last step, its end included. Returns a status."""
    clock, count, wanted = course.clock, course.count, record.wanted
    every = wanted.shape[0] == 0
    if not every and (count[NEXT] >= wanted.shape[0] or wanted[count[NEXT]] > clock[T]):
        return 0
    remember(course)
    status = 0
    while count[WRITTEN] < record.times.shape[0] and status == 0:
        instant = clock[T]
        if not every:
            if count[NEXT] >= wanted.shape[0] or wanted[count[NEXT]] > clock[T]:
                break
            instant = wanted[count[NEXT]]
        status = _output(interpolate, act, machine, course, memory, record, instant)
        begin_again(course)
        count[NEXT] += 1 if status == 0 else 0
        if every:
            break
    go_back(course)
    if status:
        count[REASON] = status
    return status


@kernel(internal=True)
def _output(interpolate, act, machine, course, memory, record, t):
    """Write the state at an instant within the last step."""
    clock, look, rate, status = course.clock, course.look, course.look_rate, 0
    if t == clock[T_OLD]:
        _write(t, course.y_old, course.dy_old, course.turns_old, course, record)
        return 0
    if t == clock[T]:
        if course.count[ROUGH] == 0 and course.count[AJAR] == 0:
            _write(t, course.y, course.dy, course.turns_end, course, record)
            return 0
        copy(course.y, look)
        status = motion_at(act, machine, course, t, look, rate)
    else:
        status = motion_inside(interpolate, act, machine, course, memory, t, look, rate)
    if status == 0:
        _write(t, look, rate, course.turns, course, record)
    return status


@kernel(internal=True)
def _write(t, y, dy, turns, course, record):
    count, a = course.count, record.a
    i, first = count[WRITTEN], count[NQ]
    record.times[i] = t
    copy_to_row(y, record.y, i)
    for k in range(a.shape[1]):
        a[i, k] = dy[first + k]
    copy_to_row(turns, record.turns, i)
    record.steps[i] = count[STEPS]
    count[WRITTEN] += 1
