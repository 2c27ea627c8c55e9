"""Bodies that overlap at the start of a run, or pass through a sheet."""

from __future__ import annotations

import numpy as np

from cardan.errors import SimulationError, warn
from cardan.model.force import Force
from cardan.results.measure_series import measure_series
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

TOUCHING = 1e-9  # relative to the model's length: rounding for bodies that just touch
PASSING = (
    0.5  # fraction of the thickness of a sheet by which steps close a gap; a passing step begins or ends this deep
)


def refuse_penetration(system: System, q: np.ndarray, reference: np.ndarray, time: float) -> None:
    """Reject initial positions in which a guarded gap is negative, or warn if the element allows it; the same for all
    other measures that must be in a range at the start of a run."""
    guards, slack = system.guards(), TOUCHING * system.length
    begins = [(force, begin) for force in dict.fromkeys(system.forces) for begin in force.begins()]
    if not guards and not begins:
        return
    work = system.work()
    status = int(evaluate_position(system.geometry, system.rows, q, time, reference, work))
    if status:
        raise system.failure(status, time, work=work)
    for force, guard in guards:
        depth = -float(work.z[system.measures.index(guard.gap), 0])
        if depth > slack:
            what = f"starts with its bodies {depth:.4g} m inside each other at t = {time:g} s"
            _report(force, what, "move them apart, start from equilibrium(),", guard.allowed, time)
    still, turns = system.speeds()[None], work.z[system.winding, 0][None]
    measures = [begin.measure for _, begin in begins]
    tables = measure_series(system, measures, np.array([time]), q[None], still, still, turns) if measures else []
    for (force, begin), table in zip(begins, tables, strict=True):
        value = float(table[0, 0])
        if not begin.low - slack <= value <= begin.high + slack:
            _report(force, f"{begin.beyond(value)} at t = {time:g} s", begin.out, begin.allowed, time)


def warn_of_passing(system: System, deepest: np.ndarray) -> None:
    """Warn about bodies that penetrated a sheet so deeply at the end of a step that they may have passed it."""
    for (force, guard), depth in zip(system.guards(), deepest, strict=True):
        if depth > PASSING * guard.through:
            warn(
                f"{force.title} had a penetration of {depth:.4g} m; at {guard.through:.4g} m a body passes through an "
                "open surface and is pushed out on the other side: increase the stiffness, give the surface a "
                "thickness, or close it"
            )


def _report(force: Force, what: str, out: str, allowed: bool, time: float) -> None:
    message = f"{force.title} {what}"
    if allowed:
        warn(message)
        return
    raise SimulationError(f"{message}: {out} or pass allow_penetration=True", time=time, elements=(force.name,))
