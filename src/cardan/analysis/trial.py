"""Whether forces are stiff: the other of two schemes is tried, and the one that gets on faster for its work is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardan.integrators.course import REASON, RUNNING, STEPS, STIFF, TAKEN, H, T
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
    status = RUNNING
    for _ in range(TRIAL if other == "radau" else PROOF):
        run.marked = mark(run)
        status = run.one_step()
        if status != RUNNING:
            break
    if status != STIFF and _pace(run) > BETTER * pace and run.course.count[REASON] == 0:
        run.waiting, run.next_trial, run.marked = AGAIN, int(run.course.count[STEPS]) + AGAIN, mark(run)
        words = "stiff forces" if other == "radau" else "forces that are stiff no more"
        run.account.notes.append(f"at t = {now:.6g} s changed from {before} to {other} because of {words}")
        return
    run.use(before)
    run.course.clock[H] = step
    run.waiting *= 2  # do not ask again for a while
    run.next_trial, run.marked = int(run.course.count[STEPS]) + run.waiting, mark(run)
    if before == "dop853":
        run.memory.note[HIT] = -run.waiting


def mark(run: ForwardRun) -> tuple[float, int]:
    """The time reached, and the work done so far."""
    return float(run.course.clock[T]), int(run.machine.count[EVALUATIONS] + run.machine.count[FACTORIZATIONS])


def _pace(run: ForwardRun) -> float:
    """How far steps lead for their work: the last one of an explicit method, else since the last mark."""
    if run.scheme.name == "dop853":
        return float(run.course.clock[TAKEN]) / EXPLICIT
    now, work = mark(run)
    return (now - run.marked[0]) / max(work - run.marked[1], 1)
