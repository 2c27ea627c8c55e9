"""What a run of forward dynamics has computed so far, as a result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.inverse_dynamics import loads_of
from cardan.integrators.course import LOOSE, REJECTED, STEPS, WRITTEN
from cardan.results.simulation import Simulation
from cardan.system.machine import CORRECTIONS, EVALUATIONS, FACTORIZATIONS

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun


def outcome(run: ForwardRun, first: int, move_on: Callable[..., Any]) -> Simulation:
    """The instants from `first` on; joints engaged are told with the instants of the whole run."""
    count, found, done = run.course.count, run.record, run.machine.count
    n, nq, nv = int(count[WRITTEN]), run.sizes.positions, run.sizes.speeds
    y = found.y[first:n]
    account = replace(run.account, notes=[*run.account.notes, *run.scheme.notes(run.memory)])
    account.steps, account.rejected, account.loose = int(count[STEPS]), int(count[REJECTED]), int(count[LOOSE])
    account.evaluations, account.iterations = int(done[EVALUATIONS]), int(done[CORRECTIONS])
    account.factorizations = int(done[FACTORIZATIONS])
    parts = (*run.in_bodies(y, found.a[first:n]), y[:, nq + nv :].copy())
    result = Simulation(
        run.system,
        found.times[first:n].copy(),
        *parts,
        found.turns[first:n].copy(),
        np.diff(found.steps[first:n], prepend=found.steps[first - 1] if first else 0),
        tuple(np.flatnonzero(run.machine.active < run.machine.engaged).tolist()),
        account,
        loads_of,
        move_on,
        run.shifts,
    )
    result.events, result.checkpoint = run.happened, run.checkpoint
    return result
