"""Stiffness detection: the other of two schemes is tried, and the more efficient one is kept.

A trial consists of ordinary steps of the run, which may contain events, outputs, the end and checkpoints. Only a failed
step is undone, and the trial with it.
"""

from __future__ import annotations

from cardan.analysis.forward.checkpoint import Kept, put_back
from cardan.analysis.forward.state import TRIAL_INTERVAL, Run
from cardan.analysis.forward.stepping import use_scheme
from cardan.integrators.stepper import EVENT, STIFF

TRIAL, BETTER = 6, 1.5  # steps of a trial, and the gain that the other method must have
LONGEST = 2**20  # largest number of steps between two trials
PROOF = 40  # steps after which stiffness would have stopped an explicit method that seems faster
EXPLICIT = 26  # cost of an explicit step, in evaluations and factorizations


def begin_trial(run: Run) -> None:
    """Continue with the other of the two schemes for some steps."""
    choice, clock = run.trials, run.stepper.clock
    choice.begun, choice.step, choice.pace, choice.found = float(clock.now), float(clock.step), _pace(run), 0.0
    use_scheme(run, _other(run))
    choice.left = TRIAL if run.scheme.name == "radau" else PROOF
    clock.step = 0.5 * choice.step
    _mark(run)


def go_on_trying(run: Run, status: int) -> None:
    """Evaluate a step of a trial by its outcome; the last one decides."""
    choice = run.trials
    if status == STIFF:
        _give_up(run)
        return
    if status != EVENT:  # which shortens a step
        choice.found = _pace(run)
    _mark(run)
    choice.left -= 1
    if choice.left > 0:
        return
    if choice.found <= BETTER * choice.pace:
        _give_up(run)
        return
    choice.waiting, choice.next_trial = TRIAL_INTERVAL, int(run.stepper.counters.steps) + TRIAL_INTERVAL
    words = "stiff forces" if run.scheme.name == "radau" else "forces that are no longer stiff"
    run.stats.notes.append(
        f"at t = {choice.begun:.6g} s changed from {_other(run)} to {run.scheme.name} because of {words}"
    )


def take_back(run: Run, before: Kept) -> None:
    """Undo a failed step of a trial; the other scheme repeats it."""
    put_back(before)
    _give_up(run)


def _give_up(run: Run) -> None:
    """Return to the previous scheme, and wait before the next trial."""
    choice = run.trials
    use_scheme(run, _other(run))
    run.stepper.clock.step = choice.step
    choice.left = 0
    choice.waiting = min(2 * choice.waiting, LONGEST)
    choice.next_trial = int(run.stepper.counters.steps) + choice.waiting
    _mark(run)
    if run.scheme.name == "dop853":
        run.memory.notes.hits = -choice.waiting


def _mark(run: Run) -> None:
    """Measure the pace from here on."""
    run.trials.marked, run.trials.work = run.now, _work(run)


def _other(run: Run) -> str:
    return "radau" if run.scheme.name == "dop853" else "dop853"


def _work(run: Run) -> float:
    """Evaluations and factorizations so far, without those for outputs."""
    done = run.machine.counters
    return float(done.evaluations + done.factorizations - run.stepper.counters.output_work)


def _pace(run: Run) -> float:
    """The progress per unit of work: of the last step for an explicit method, otherwise since the last mark."""
    if run.scheme.name == "dop853":
        return float(run.stepper.clock.step_taken) / EXPLICIT
    return (run.now - run.trials.marked) / max(_work(run) - run.trials.work, 1.0)
