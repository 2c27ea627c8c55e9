"""Many kinematic analyses in one compiled loop: fill the tables, close the mechanism, move it, read the outputs.

    for each sample:   tables <- numbers    q <- nearest closed position    q, v, a at all times    curves <- q, v, a

A sample that is not plain (it does not close at once, stands or comes near a singular position, contradicts itself) is
left to the ordinary analysis, which reports why. One that gets stuck keeps its state, from which that analysis
explains it. Nothing is carried from one sample to the next: a sample gives the same numbers wherever it is computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import FAILED
from cardan.analysis.assembly.nearest import nearest_position
from cardan.analysis.driven.cartesian_march import begin, march, restart
from cardan.analysis.driven.march import RUNNING, STUCK
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.small_lu import forget_pivots
from cardan.numerics.linalg.vector import copy
from cardan.results.compiled_reading import read_parts
from cardan.system.evaluate import evaluate_position

# status of a sample: computed, left to the ordinary analysis, stuck on its way, not at its end yet
DONE, FALLBACK, BLOCKED, UNFINISHED = 0, 1, 2, 3
REGULAR_PIVOT = 1e-4  # smallest pivot, relative to the largest, up to which the start is plainly no singular position
REDUNDANT_ERROR = 1e-6  # error, scaled, and relative gap of velocities up to which rows set aside hold
ENDLESS = 2**62


class Workspace(NamedTuple):
    """All tables and memory of one thread; numbers that parameters change stand in `flat`."""

    flat: np.ndarray
    place: np.ndarray  # uint32: where the numbers of a sample go in `flat`
    soft: Any  # `Bodies` with the rows that the first position must close,
    bodies: Any  # and with those that move the mechanism; the others are set aside as redundant
    floating: np.ndarray  # uint32: rows whose offset is what that position gives
    times: np.ndarray
    start: np.ndarray  # q as stated
    reference: np.ndarray  # turns of angles as stated
    turns: np.ndarray  # and as they change while the mechanism is closed
    q: np.ndarray
    state: Any
    trial: Any
    record: Any
    reading: Any  # see `cardan.results.compiled_reading`


@kernel
def run_samples(workspace, tolerances, closed, numbers, curves, status):
    """Analyze one sample for each line of `numbers`; curves[s, i, o] is output o at time i."""
    flat, place = workspace.flat, workspace.place
    for s in range(numbers.shape[0]):
        for j in range(place.shape[0]):
            flat[place[j]] = numbers[s, j]
        status[s] = move_sample(workspace, tolerances, closed)
        if status[s] == DONE:
            record = workspace.record
            read_parts(
                workspace.reading,
                workspace.times,
                record.q,
                record.v,
                record.a,
                record.turns,
                record.q,
                record.q,
                curves[s],
            )


@kernel(internal=True)
def move_sample(b, tolerances, closed):
    """One analysis: the record gets q, v and a at all times. Returns DONE, FALLBACK or BLOCKED."""
    times, state, bodies, record = b.times, b.state, b.bodies, b.record
    work, active = bodies.work, bodies.active
    if not close_start(b.soft, b.floating, b.start, b.reference, b.q, b.turns, times[0], closed):
        return FALLBACK
    span = times[times.shape[0] - 1] - times[0]
    restart(state, b.q, b.turns, times[0], span if span > 0.0 else 1.0)
    forget_pivots(work.square)
    count, status = begin(bodies, tolerances, state)
    if status or count == FAILED or not state.clock.regularity > REGULAR_PIVOT or _parting(active, work):
        return FALLBACK
    for i in range(state.a.shape[0]):
        if not np.isfinite(state.a[i]):
            return FALLBACK
    for i in range(times.shape[0]):
        record.iterations[i], record.steps[i] = 0, 0
    status, _ = march(bodies, tolerances, times, np.int64(0), np.int64(ENDLESS), state, b.trial, record)
    if status == STUCK and bodies.rows.function.shape[0] == 0 and _aside(active) == 0:
        return BLOCKED  # no function that might end there, no other rows that might say how to move on
    if status != RUNNING or state.clock.now != times[times.shape[0] - 1]:
        return FALLBACK
    return DONE if _aside_hold(b) else FALLBACK


@kernel(internal=True)
def close_start(bodies, floating, start, stated, q, turns, t, closed):
    """Find the closed position nearest to the stated one, with its turns. Returns whether there is one."""
    offset, work = bodies.rows.offset, bodies.work
    copy(start, q)
    copy(stated, turns)
    for k in range(floating.shape[0]):
        offset[floating[k]] = 0.0
    error, status = nearest_position(bodies, start, q, t, turns, closed)
    if status or not error <= closed or evaluate_position(bodies.geometry, bodies.rows, q, t, turns, work):
        return False
    for k in range(floating.shape[0]):
        offset[floating[k]] = work.phi[floating[k]]  # it was evaluated without one
    for m in range(turns.shape[0]):
        turns[m] = work.z[m, 0]
    return True


@kernel(internal=True)
def _parting(active, work):
    """Whether rows set aside ask for other velocities than the active ones give."""
    most = 1e-300
    for r in range(active.shape[0]):
        most = max(most, abs(work.nu[r]))
    for r in range(active.shape[0]):
        if active[r] == 0 and not abs(work.rate[r] - work.nu[r]) <= REDUNDANT_ERROR * most:
            return True
    return False


@kernel(internal=True)
def _aside(active):
    """How many rows are set aside."""
    count = 0
    for r in range(active.shape[0]):
        count += 1 - active[r]
    return count


@kernel(internal=True)
def _aside_hold(b):
    """Whether rows set aside hold at all times."""
    bodies = b.bodies
    if _aside(bodies.active) == 0:
        return True
    record, reference, winding = b.record, b.state.reference, bodies.winding
    for i in range(b.times.shape[0]):
        for k in range(winding.shape[0]):
            reference[winding[k]] = record.turns[i, k]
        evaluate_position(bodies.geometry, bodies.rows, record.q[i], b.times[i], reference, bodies.work)
        for r in range(bodies.active.shape[0]):
            if not abs(bodies.work.phi[r]) * bodies.rows.inverse[r] <= REDUNDANT_ERROR:
                return False
    return True
