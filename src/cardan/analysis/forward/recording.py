"""What a run has written down, and the result that is made of it.

| piece | piece | record          a piece: instants whose y had other numbers, as motions of bodies
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.analysis.driven.inverse_dynamics import loads_of
from cardan.integrators.stepping import output_record
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot

if TYPE_CHECKING:
    from cardan.analysis.forward.run import ForwardRun

MovedOn = Callable[[Simulation, int, float], Snapshot]


class Piece(NamedTuple):
    """Instants of a run, with motions of bodies and what follows the speeds in y."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    rest: np.ndarray
    turns: np.ndarray
    steps: np.ndarray  # taken up to then


def fresh_record(run: ForwardRun, wanted: np.ndarray, capacity: int) -> None:
    """Give a run an empty record."""
    run.record = output_record(wanted, capacity, run.sizes.y, run.sizes.speeds, run.machine.turns.size)


def enlarge(run: ForwardRun) -> None:
    """Make room for as many instants again."""
    old = run.record
    fresh_record(run, old.wanted, 2 * old.times.size)
    for name in ("times", "y", "a", "turns", "steps"):
        getattr(run.record, name)[: old.times.size] = getattr(old, name)


def instants(run: ForwardRun) -> int:
    """How many instants were written so far."""
    return sum(piece.times.size for piece in run.pieces) + int(run.stepper.counters.written)


def put_by(run: ForwardRun) -> None:
    """Keep what was written as motions of bodies; the record is then empty, for y of another size."""
    run.pieces.append(_written(run))
    run.stepper.counters.written = 0


def result_of(run: ForwardRun, moved_on: MovedOn) -> Simulation:
    """What was computed so far; `moved_on` leads on from one of its instants."""
    written = int(run.stepper.counters.written)
    times = np.concatenate([*(piece.times for piece in run.pieces), run.record.times[:written]])
    first = int(np.searchsorted(times, run.since))  # a run that goes on may begin a step earlier
    result = part_of(run, first, moved_on)
    result.steps[:1] += _steps_before(run, first)  # all that led to the first instant
    result.shifts = [shift._replace(first=max(shift.first - first, 0)) for shift in run.shifts]
    return result


def part_of(run: ForwardRun, first: int, moved_on: MovedOn) -> Simulation:
    """The instants from number `first` on; joints engaged are told with the instants of the whole run."""
    found = _since(run, first)
    stats = replace(run.stats, notes=[*run.stats.notes, *run.scheme.notes(run.memory)])
    counters, work = run.stepper.counters, run.machine.counters
    stats.steps, stats.rejected, stats.loose = map(int, (counters.steps, counters.rejected, counters.unclosed))
    stats.evaluations, stats.iterations = int(work.evaluations), int(work.corrections)
    stats.factorizations = int(work.factorizations)
    result = Simulation(
        run.system,
        *found[:6],
        np.diff(found.steps, prepend=_steps_before(run, first)),
        tuple(np.flatnonzero(run.machine.active < run.machine.engaged).tolist()),
        stats,
        loads_of,
        moved_on,
        run.shifts,
    )
    result.events, result.checkpoint = run.happened, run.checkpoint
    return result


def _since(run: ForwardRun, first: int) -> Piece:
    """All that was written from an instant on."""
    found = []
    for piece in run.pieces:
        found.append(Piece(*(part[max(first, 0) :] for part in piece)))
        first -= piece.times.size
    return Piece(*(np.concatenate(parts) for parts in zip(*found, _written(run, max(first, 0)), strict=True)))


def _steps_before(run: ForwardRun, first: int) -> int:
    """Steps taken up to the instant before."""
    for steps in (*(piece.steps for piece in run.pieces), run.record.steps):
        if 0 < first <= steps.size:
            return int(steps[first - 1])
        first -= steps.size
    return 0


def _written(run: ForwardRun, first: int = 0) -> Piece:
    """What the record holds from an instant on."""
    found, n = run.record, int(run.stepper.counters.written)
    y, rest = found.y[first:n], run.sizes.positions + run.sizes.speeds
    motion = run.in_bodies(y, found.a[first:n])
    turns = run.all_turns(y, found.turns[first:n])
    times, steps = found.times[first:n].copy(), found.steps[first:n].copy()
    return Piece(times, *motion, y[:, rest:].copy(), turns, steps)
