"""The engaged joints of a run, and their history."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.forward.recording import written_times
from cardan.analysis.forward.state import Run
from cardan.analysis.forward.stepping import raise_failure
from cardan.integrators.stepping import prepare_impulse
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Simulation


def engage(run: Run, rows: Any, on: bool) -> None:
    """Engage or release rows; the state must then be made consistent."""
    run.machine.engaged[rows] = run.machine.active[rows] = int(on)


def evaluate(run: Run) -> None:
    """Evaluate and factorize the mechanism in its current state."""
    raise_failure(run, prepare_impulse(run.operations, run.stepper))


def note_shift(run: Run) -> None:
    """Record which joints are engaged from here on, if they have changed."""
    machine, local, offset = run.machine, run.system.geometry.local, run.system.rows.offset
    first, now = written_times(run), run.now
    if not run.shifts:
        every = np.ones_like(machine.engaged)
        if np.array_equal(machine.engaged, every):
            return
        run.shifts.append(Shift(-np.inf, 0, every, every, *run.stated_markers))
    last = run.shifts[-1]
    if np.array_equal(last.engaged, machine.engaged) and np.array_equal(last.local, local):
        return
    held = machine.engaged.copy(), machine.active.copy(), local.copy(), offset.copy()
    run.shifts.append(Shift(now, first, *held))


def shift_at(run: Simulation, when: float | int) -> Shift | None:
    """The engagement at a time or output time; None if all joints were always engaged."""
    before = [s for s in run.shifts if (s.first <= when if isinstance(when, int) else s.time <= when)]
    return before[-1] if before else None
