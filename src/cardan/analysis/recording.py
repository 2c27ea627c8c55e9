"""What a run has written down, and the result that is made of it.

| piece | piece | record          a piece: instants whose y had other numbers, as motions of bodies
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.analysis.inverse_dynamics import loads_of
from cardan.integrators.course import LOOSE, REJECTED, STEPS, WRITTEN, record
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.machine import CORRECTIONS, EVALUATIONS, FACTORIZATIONS

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun

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
    run.record = record(wanted, capacity, run.sizes.y, run.sizes.speeds, run.machine.turns.size)


def enlarge(run: ForwardRun) -> None:
    """Make room for as many instants again."""
    old = run.record
    fresh_record(run, old.wanted, 2 * old.times.size)
    for name in ("times", "y", "a", "turns", "steps"):
        getattr(run.record, name)[: old.times.size] = getattr(old, name)


def instants(run: ForwardRun) -> int:
    """How many instants were written so far."""
    return sum(piece.times.size for piece in run.pieces) + int(run.course.count[WRITTEN])


def put_by(run: ForwardRun) -> None:
    """Keep what was written as motions of bodies; the record is then empty, for y of another size."""
    run.pieces.append(_written(run))
    run.course.count[WRITTEN] = 0


def result_of(run: ForwardRun, moved_on: MovedOn) -> Simulation:
    """What was computed so far; `moved_on` leads on from one of its instants."""
    count, done = run.course.count, run.machine.count
    whole = Piece(*(np.concatenate(parts) for parts in zip(*run.pieces, _written(run), strict=True)))
    first = int(np.searchsorted(whole.times, run.since))  # a run that goes on may begin a step earlier
    found = Piece(*(part[first:] for part in whole))
    account = replace(run.account, notes=[*run.account.notes, *run.scheme.notes(run.memory)])
    account.steps, account.rejected, account.loose = int(count[STEPS]), int(count[REJECTED]), int(count[LOOSE])
    account.evaluations, account.iterations = int(done[EVALUATIONS]), int(done[CORRECTIONS])
    account.factorizations = int(done[FACTORIZATIONS])
    result = Simulation(
        run.system,
        *found[:6],
        np.diff(found.steps, prepend=0),
        tuple(np.flatnonzero(run.machine.active < run.machine.engaged).tolist()),
        account,
        loads_of,
        moved_on,
        [shift._replace(first=max(shift.first - first, 0)) for shift in run.shifts],
    )
    result.events, result.checkpoint = run.happened, run.checkpoint
    return result


def _written(run: ForwardRun) -> Piece:
    """What the record holds."""
    found, n = run.record, int(run.course.count[WRITTEN])
    y, rest = found.y[:n], run.sizes.positions + run.sizes.speeds
    motion = run.in_bodies(y, found.a[:n])
    return Piece(found.times[:n].copy(), *motion, y[:, rest:].copy(), found.turns[:n].copy(), found.steps[:n].copy())
