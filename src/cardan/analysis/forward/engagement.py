"""Which joints are engaged in a run, and the memory of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.forward.recording import instants
from cardan.integrators.stepping import prepare_impulse
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Simulation

if TYPE_CHECKING:
    from cardan.analysis.forward.run import ForwardRun


def engage(run: ForwardRun, rows: Any, on: bool) -> None:
    """Engage or release rows; the state must then be made consistent."""
    run.machine.engaged[rows] = run.machine.active[rows] = int(on)


def evaluate(run: ForwardRun) -> None:
    """Evaluate and factorize the mechanism as it is now, with its velocities."""
    status = prepare_impulse(run.operations, run.stepper)
    if status:
        run.stepper.outcome.failure = status
        raise run.failure()


def gradients_of(run: ForwardRun, rows: np.ndarray) -> np.ndarray:
    """Rows of the Jacobian by the speeds of bodies, where the mechanism was evaluated last."""
    solver, work, nv = run.system.solver, run.machine.work, run.sizes.speeds
    found = np.zeros((rows.size, nv))
    for k, row in enumerate(rows.tolist()):
        own = np.flatnonzero(solver.row == row)
        values = work.coefficient[solver.entry[own]] * work.jac[solver.measure[own], solver.part[own]]
        found[k] = np.bincount(solver.column[own], values, nv)
    return found


def note_shift(run: ForwardRun) -> None:
    """Remember which joints are engaged from here on, if they are others than before."""
    machine, local, offset = run.machine, run.system.geometry.local, run.system.rows.offset
    first, now = instants(run), float(run.stepper.clock.now)
    if not run.shifts:
        every = np.ones_like(machine.engaged)
        if np.array_equal(machine.engaged, every):
            return
        run.shifts.append(Shift(-np.inf, 0, every, every, run.stated_local, run.stated_offset))
    last = run.shifts[-1]
    if np.array_equal(last.engaged, machine.engaged) and np.array_equal(last.local, local):
        return
    held = machine.engaged.copy(), machine.active.copy(), local.copy(), offset.copy()
    run.shifts.append(Shift(now, first, *held))


def shift_at(run: Simulation, when: float | int) -> Shift | None:
    """What was engaged at a time, or at the instant of that number; None if all joints always were."""
    before = [s for s in run.shifts if (s.first <= when if isinstance(when, int) else s.time <= when)]
    return before[-1] if before else None
