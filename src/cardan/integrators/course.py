"""The course of a run: the loop over steps that all integrators share, with its outputs and events.

    y ----step----> y ----step----> y          a step is a far kernel of the integrator, an output between two steps
        |  |  |         |  |  |                is interpolated by it, projected, and evaluated once more
       outputs          outputs

Mechanism, integrator and its memory are known here as addresses only, so that this loop is compiled once. It returns
after some steps, so that the keyboard, the clock and views get their turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.samples import next_sample, stops_at
from cardan.numerics.block import block
from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy, copy_to_row
from cardan.system.motion import BEGIN, PROJECT, RATES, SAMPLED, START, WATCH

# What `drive` returns: the budget is used up, the end is reached, the record is full, an event took place, the next
# step would be cut short by the end, the integrator suspects stiffness, or failed.
RUNNING, FINISHED, FULL, EVENT, LAST, STIFF, FAILED = range(7)
# The clock: now, the step to try next, the end, the start of the last step, the longest and the shortest step allowed,
# the step that was last taken, and the error of that step relative to what is allowed; where the next step must stop,
# and when a sampler is due.
T, H, END, T_OLD, LONGEST, SHORTEST, TAKEN, WORST, STOP, DUE = range(10)
# What is counted: steps, steps that were rejected, the status behind a failure, the event that took place, steps whose
# joints could not be closed as asked; the numbers of positions and of speeds; the next output and how many are written;
# whether speeds after a step still need to be projected; whether outputs stay as the integrator has them; whether
# forces have jumped since the last step, so that its memory is worth nothing; whether a step may end at an output.
STEPS, REJECTED, REASON, HAPPENED, LOOSE, NQ, NV, NEXT, WRITTEN, ROUGH, AS_IS, JUMPED, SHOWN = range(13)
# Why a step fails, beside what a mechanism may say: it became too small, or led too far from the constraints.
COLLAPSED, DRIFTED = 10, 11
LOOKS = 4  # parts of a step in which events are looked for
TRIES = 100  # to find the instant of an event
TINY = 1e-150  # the value of an event that has just taken place
TURNS = 4  # looks for an extremum between two looks
OFF = 2  # the direction of an event that is not looked for at present


class Course(NamedTuple):
    """Where a run stands."""

    clock: np.ndarray
    limit: np.ndarray  # float64[1]: how long a step may be so that turns of angles are not lost; the mechanism's own
    count: np.ndarray  # int64[13]
    y: np.ndarray
    dy: np.ndarray  # y' at y
    y_old: np.ndarray  # the same before the last step
    dy_old: np.ndarray
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
) -> Any:
    """A run that is about to start at y, which has so many positions and speeds."""
    clock, count = np.zeros(10), np.zeros(13, np.int64)
    clock[T], clock[LONGEST] = t, np.inf
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
    return call_far(interpolate, (machine, act, course, memory, t, course.look))


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
        count[SHOWN] = wanted.shape[0] == 0 or stops_at(wanted, count[NEXT], clock[STOP])
        copy(course.y, course.y_old)
        copy(course.dy, course.dy_old)
        copy(course.turns_end, course.turns_old)
        clock[T_OLD] = clock[T]
        status = call_far(step, (machine, act, course, memory))
        stiff = status == STIFF
        if status and not stiff:
            return FAILED
        count[STEPS] += 1
        copy(course.turns, course.turns_end)
        happened = -1
        if course.direction.shape[0] > 0:
            status, happened = _look_for_events(interpolate, act, machine, course, memory)
            if status:
                count[REASON] = status
                return FAILED
        before = count[NEXT]
        if due <= clock[T] and happened < 0:
            if _outputs(interpolate, act, machine, course, memory, record, False):
                return FAILED
            exact = before == count[NEXT] and count[ROUGH] == 0 and course.direction.shape[0] == 0
            if _sample(act, machine, course, exact):
                return FAILED
        if _outputs(interpolate, act, machine, course, memory, record, True):
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
def _outputs(interpolate, act, machine, course, memory, record, last):
    """Write what is wanted within the last step, its end included if it is the `last` part. Returns a status."""
    clock, count, wanted = course.clock, course.count, record.wanted
    status = 0
    if wanted.shape[0] == 0:
        if last:
            status = _output(interpolate, act, machine, course, memory, record, clock[T])
    else:
        while count[NEXT] < wanted.shape[0] and count[WRITTEN] < record.times.shape[0] and status == 0:
            instant = wanted[count[NEXT]]
            if instant > clock[T] or (instant == clock[T] and not last):
                break
            status = _output(interpolate, act, machine, course, memory, record, instant)
            count[NEXT] += 1 if status == 0 else 0
    if status:
        count[REASON] = status
    return status


@kernel(internal=True)
def _output(interpolate, act, machine, course, memory, record, t):
    """Write the state at an instant within the last step."""
    clock, look, rate = course.clock, course.look, course.look_rate
    if t == clock[T_OLD]:
        _write(t, course.y_old, course.dy_old, course.turns_old, course, record)
        return 0
    if t == clock[T]:
        if course.count[ROUGH] == 0:
            _write(t, course.y, course.dy, course.turns_end, course, record)
            return 0
        copy(course.y, look)
    else:
        call_far(interpolate, (machine, act, course, memory, t, look))
    if course.count[AS_IS] == 0:
        call_far(act, (machine, PROJECT, t, look, rate))
    status = call_far(act, (machine, RATES, t, look, rate))
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


@kernel(once=True)
def _look_for_events(interpolate, act, machine, course, memory):
    """Find the first event within the last step and go back to it. Returns (status, the event or -1)."""
    clock, g, look = course.clock, course.g, course.look
    start, end = clock[T_OLD], clock[T]
    low = start
    copy(g[0], g[1])
    for part in range(1, LOOKS + 1):
        high = start + (end - start) * part / LOOKS if part < LOOKS else end
        if part < LOOKS:
            call_far(interpolate, (machine, act, course, memory, high, look))
        else:
            copy(course.y, look)
        status = call_far(act, (machine, WATCH, high, look, g[0]))
        if status:
            return status, -1
        event, instant = -1, high
        for k in range(course.direction.shape[0]):
            found = _first_crossing(interpolate, act, machine, course, memory, k, low, high)
            if found < instant or (event < 0 and found <= instant):
                event, instant = k, found
        if event >= 0:
            status = _stop_at(interpolate, act, machine, course, memory, instant)
            g[0, event] = TINY * course.side[event]  # which the projection may have changed by a hair
            return status, event
        copy(g[0], g[1])
        low = high
    return 0, -1


@kernel(once=True)
def _first_crossing(interpolate, act, machine, course, memory, k, low, high):
    """When event k takes place between two looks, the values of which are g[1] and g[0]; infinity if it does not."""
    g, look, events = course.g, course.look, course.direction.shape[0]
    if course.direction[k] == OFF:
        return np.inf
    before, after = g[1, k], g[0, k]
    if before * after < 0.0 or after == 0.0:
        if _crosses(before, after, course.direction[k]):
            return _instant(interpolate, act, machine, course, memory, k, low, high, before)
        return np.inf
    # Both have one sign: it may pass there and back, if it goes toward zero first and away from it in the end.
    slope, slope_after = g[1, events + k], g[0, events + k]
    for _ in range(TURNS):
        if not (slope * before < 0.0 and slope_after * after > 0.0):
            return np.inf
        middle = low + (high - low) * slope / (slope - slope_after)
        call_far(interpolate, (machine, act, course, memory, middle, look))
        call_far(act, (machine, WATCH, middle, look, g[3]))
        value, rate = g[3, k], g[3, events + k]
        if value * before <= 0.0:
            if _crosses(before, value, course.direction[k]):
                return _instant(interpolate, act, machine, course, memory, k, low, middle, before)
            return _instant(interpolate, act, machine, course, memory, k, middle, high, value)
        if rate * before < 0.0:
            low, before, slope = middle, value, rate
        else:
            high, after, slope_after = middle, value, rate
    return np.inf


@kernel(internal=True)
def _crosses(before, after, direction):
    return (before < 0.0 <= after and direction >= 0) or (before > 0.0 >= after and direction <= 0)


@kernel(internal=True)
def _instant(interpolate, act, machine, course, memory, k, low, high, before):
    """The instant at which event k takes place, from the side behind it: false position, halved where it sticks."""
    g, look = course.g, course.look
    sign = 1.0 if before < 0.0 else -1.0
    course.side[k] = sign
    call_far(interpolate, (machine, act, course, memory, high, look))
    call_far(act, (machine, WATCH, high, look, g[2]))
    after = g[2, k]
    if not sign * after >= 0.0:  # the polynomial misses the end of the step by a hair
        return high
    side = 0
    for _ in range(TRIES):
        if high - low <= 4e-16 * max(abs(high), abs(low)) or after == 0.0:
            break
        middle = high - after * (high - low) / (after - before)
        if abs(before) <= TINY or not low < middle < high:  # an event that starts at zero passes there and back
            middle = 0.5 * (low + high)
        call_far(interpolate, (machine, act, course, memory, middle, look))
        call_far(act, (machine, WATCH, middle, look, g[2]))
        value = g[2, k]
        if sign * value >= 0.0:
            high, after, before = middle, value, before * (0.5 if side == 1 else 1.0)
            side = 1
        else:
            low, before, after = middle, value, after * (0.5 if side == -1 else 1.0)
            side = -1
    return high


@kernel(once=True)
def _stop_at(interpolate, act, machine, course, memory, t):
    """End the last step early."""
    y = course.y
    if t < course.clock[T]:
        call_far(interpolate, (machine, act, course, memory, t, course.look))
        copy(course.look, y)
        course.clock[T] = t
        call_far(act, (machine, START, t, y, course.dy))  # other rows may depend on each other than at the end
    call_far(act, (machine, PROJECT, t, y, course.dy))
    status = call_far(act, (machine, BEGIN, t, y, course.dy))
    copy(course.turns, course.turns_end)
    return status or call_far(act, (machine, WATCH, t, y, course.g[0]))
