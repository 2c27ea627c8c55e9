"""Whether forces are stiff: the other of two schemes is tried, and the one that gets on faster for its work is kept.

A trial is some steps of the run like all others: events, outputs, the end and checkpoints may fall among them. Only a
step that fails is taken back, and the trial with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cardan.analysis.forward.checkpoint import Kept, put_back
from cardan.integrators.stepper import EVENT, STIFF

if TYPE_CHECKING:
    from cardan.analysis.forward.run import ForwardRun

TRIAL, BETTER, AGAIN = 6, 1.5, 300  # steps to try another scheme, how much better it must be, steps to the next trial
LONGEST = 2**20  # steps between two trials at most
PROOF = 40  # steps after which an explicit method that seems faster would have been stopped by stiffness
EXPLICIT = 26  # evaluations and factorizations of an explicit step


@dataclass
class Choice:
    """What is known of the two schemes; all of it numbers, so that a checkpoint can hold it."""

    waiting: float = AGAIN  # steps from a trial to the next one,
    next_trial: float = AGAIN  # and the step at which that is
    marked: float = 0.0  # the time where the pace began to be measured,
    work: float = 0.0  # and the work done up to then
    left: float = 0.0  # steps that a trial still takes; 0: there is none
    begun: float = 0.0  # when it began,
    step: float = 0.0  # with which step and pace of the scheme before,
    pace: float = 0.0
    found: float = 0.0  # and the pace of the scheme that is tried

    @property
    def trying(self) -> bool:
        return self.left > 0


def begin_trial(run: ForwardRun) -> None:
    """Go on with the other of the two schemes for some steps."""
    choice, clock = run.choice, run.stepper.clock
    choice.begun, choice.step, choice.pace, choice.found = float(clock.now), float(clock.step), _pace(run), 0.0
    run.use(_other(run))
    choice.left = TRIAL if run.scheme.name == "radau" else PROOF
    clock.step = 0.5 * choice.step
    _mark(run)


def go_on_trying(run: ForwardRun, status: int) -> None:
    """Judge a step of a trial by how it ended; the last one decides."""
    choice = run.choice
    if status == STIFF:
        _give_up(run)
        return
    if status != EVENT:  # which cuts a step short
        choice.found = _pace(run)
    _mark(run)
    choice.left -= 1
    if choice.left > 0:
        return
    if choice.found <= BETTER * choice.pace:
        _give_up(run)
        return
    choice.waiting, choice.next_trial = AGAIN, int(run.stepper.counters.steps) + AGAIN
    words = "stiff forces" if run.scheme.name == "radau" else "forces that are stiff no more"
    run.stats.notes.append(
        f"at t = {choice.begun:.6g} s changed from {_other(run)} to {run.scheme.name} because of {words}"
    )


def take_back(run: ForwardRun, before: Kept) -> None:
    """A step of a trial failed: it has not taken place. If it was not the trial's fault the other scheme will tell."""
    put_back(before)
    _give_up(run)


def _give_up(run: ForwardRun) -> None:
    """Back to the scheme before; do not ask again for a while."""
    choice = run.choice
    run.use(_other(run))
    run.stepper.clock.step = choice.step
    choice.left = 0
    choice.waiting = min(2 * choice.waiting, LONGEST)
    choice.next_trial = int(run.stepper.counters.steps) + choice.waiting
    _mark(run)
    if run.scheme.name == "dop853":
        run.memory.notes.hits = -choice.waiting


def _mark(run: ForwardRun) -> None:
    """Measure the pace from here on."""
    run.choice.marked, run.choice.work = float(run.stepper.clock.now), _work(run)


def _other(run: ForwardRun) -> str:
    return "radau" if run.scheme.name == "dop853" else "dop853"


def _work(run: ForwardRun) -> float:
    """Evaluations and factorizations so far; those for outputs are not the scheme's."""
    done = run.machine.counters
    return float(done.evaluations + done.factorizations - run.stepper.counters.output_work)


def _pace(run: ForwardRun) -> float:
    """How far steps lead for their work: the last one of an explicit method, else since the last mark."""
    if run.scheme.name == "dop853":
        return float(run.stepper.clock.step_taken) / EXPLICIT
    return (float(run.stepper.clock.now) - run.choice.marked) / max(_work(run) - run.choice.work, 1.0)
