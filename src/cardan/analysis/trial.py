"""Whether forces are stiff: the other of two schemes is tried, and the one that gets on faster for its work is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardan.integrators.course import REASON, RUNNING, TAKEN, H, T
from cardan.integrators.dop853 import HIT
from cardan.system.machine import EVALUATIONS, FACTORIZATIONS

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun

TRIAL, BETTER, AGAIN = 6, 1.5, 300  # steps to try another scheme, how much better it must be, steps to the next trial
PROOF = 40  # steps after which an explicit method that seems faster would have been stopped by stiffness
EXPLICIT = 26  # evaluations and factorizations of an explicit step


def choose(run: ForwardRun) -> None:
    """Try the other of two schemes for some steps, and keep it if it gets on faster."""
    before, now = run.scheme.name, float(run.course.clock[T])
    other = "radau" if before == "dop853" else "dop853"
    pace, step = _pace(run), float(run.course.clock[H])
    run.use(other)
    run.course.clock[H] = 0.5 * step
    for _ in range(TRIAL if other == "radau" else PROOF):
        if run.one_step() != RUNNING:
            break
    if _pace(run) > BETTER * pace and run.course.count[REASON] == 0:
        words = "stiff forces" if other == "radau" else "forces that are stiff no more"
        run.account.notes.append(f"at t = {now:.6g} s changed from {before} to {other} because of {words}")
        return
    run.use(before)
    run.course.clock[H] = step
    if before == "dop853":
        run.memory.note[HIT] = -AGAIN  # do not ask again for a while


def _pace(run: ForwardRun) -> float:
    """How far the last step led for its work."""
    work = int(run.machine.count[EVALUATIONS] + run.machine.count[FACTORIZATIONS])
    spent = work - run.work_before if run.scheme.name == "radau" else EXPLICIT
    return float(run.course.clock[TAKEN]) / max(spent, 1)
