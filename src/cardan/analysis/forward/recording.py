"""The record of a run, and the result built from it.

| segment | segment | record          a segment holds motions of bodies, written while y had another layout
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cardan.analysis.forward.state import Run, Segment
from cardan.analysis.loads.cartesian import loads_of
from cardan.errors import SimulationError
from cardan.integrators.stepping import output_record
from cardan.results.simulation import Simulation


def fresh_record(run: Run, wanted: np.ndarray, capacity: int) -> None:
    """Give a run an empty record."""
    run.record = output_record(wanted, capacity, run.sizes.y, run.sizes.speeds, run.machine.turns.size)


def enlarge(run: Run) -> None:
    """Double the capacity of the record."""
    old = run.record
    fresh_record(run, old.wanted, 2 * old.times.size)
    for name in ("times", "y", "a", "turns", "steps"):
        getattr(run.record, name)[: old.times.size] = getattr(old, name)


def written_times(run: Run) -> int:
    """The number of output times written so far."""
    return sum(segment.times.size for segment in run.segments) + int(run.stepper.counters.written)


def close_segment(run: Run) -> None:
    """Convert the record to motions of bodies and empty it, for another layout of y."""
    run.segments.append(_written(run))
    run.stepper.counters.written = 0


def result_of(run: Run) -> Simulation:
    """The result so far."""
    written = int(run.stepper.counters.written)
    times = np.concatenate([*(segment.times for segment in run.segments), run.record.times[:written]])
    first = int(np.searchsorted(times, run.since))  # a continued run may begin a step earlier
    result = part_of(run, first)
    result.steps[:1] += _steps_before(run, first)  # everything up to the first output time
    result.shifts = [shift._replace(first=max(shift.first - first, 0)) for shift in run.shifts]
    return result


def part_of(run: Run, first: int) -> Simulation:
    """The part from output time `first` on; `shifts` refer to the whole run."""
    found = _since(run, first)
    stats = replace(run.stats, notes=[*run.stats.notes, *run.scheme.notes(run.memory)])
    counters, work = run.stepper.counters, run.machine.counters
    stats.steps, stats.rejected, stats.unclosed = map(int, (counters.steps, counters.rejected, counters.unclosed))
    stats.evaluations, stats.iterations = int(work.evaluations), int(work.corrections)
    stats.factorizations = int(work.factorizations)
    result = Simulation(
        run.system,
        *found[:6],
        np.diff(found.steps, prepend=_steps_before(run, first)),
        _set_aside(run),
        stats,
        loads_of,
        run.move_on,
        run.shifts,
    )
    result.events, result.checkpoint = run.happened, run.checkpoint
    return result


def _set_aside(run: Run) -> tuple[int, ...]:
    """Rows that others imply."""
    dependent = np.flatnonzero(run.machine.active < run.machine.engaged).tolist()
    return tuple(sorted({*dependent, *run.system.misfits}))


def _since(run: Run, first: int) -> Segment:
    """The record from output time `first` on, including segments."""
    found = []
    for segment in run.segments:
        found.append(Segment(*(part[max(first, 0) :] for part in segment)))
        first -= segment.times.size
    return Segment(*(np.concatenate(parts) for parts in zip(*found, _written(run, max(first, 0)), strict=True)))


def _steps_before(run: Run, first: int) -> int:
    """Steps taken up to the output time before `first`."""
    for steps in (*(segment.steps for segment in run.segments), run.record.steps):
        if 0 < first <= steps.size:
            return int(steps[first - 1])
        first -= steps.size
    return 0


def _written(run: Run, first: int = 0) -> Segment:
    """The record from output time `first` on, as motions of bodies."""
    found, n = run.record, int(run.stepper.counters.written)
    y, rest = found.y[first:n], run.sizes.positions + run.sizes.speeds
    motion = run.formulation.bodies(y, found.a[first:n])
    turns = run.formulation.turns(y, found.turns[first:n])
    times, steps = found.times[first:n].copy(), found.steps[first:n].copy()
    return Segment(times, *motion, y[:, rest:].copy(), turns, steps)


def stopped(run: Run, message: str, elements: tuple[str, ...] = ()) -> SimulationError:
    """The error that ends a run, with the result so far."""
    partial = result_of(run)
    error = SimulationError(message, time=run.now, elements=elements, partial=partial)
    partial.stopped = error
    return error
