"""The method `Auto`, composed of three schemes: DOP853, Radau for stiff forces, "sampled" between frequent samples.

Where forces may be stiff, the other of DOP853 and Radau is tried for some steps, and the one that advances faster for
its work is kept. A trial is part of the run: events, outputs, the end and checkpoints may fall among its steps. Only a
step that fails is taken back, and the trial with it.

A step of DOP853 costs twelve evaluations. Where its error would allow steps much longer than the period of a sampler
they are wasted: the scheme "sampled" needs one evaluation from sample to sample. Where samples lie far apart, or where
that scheme needs several steps from one to the next, DOP853 is better again, and only DOP853 detects stiffness.
"""

from __future__ import annotations

from cardan.analysis.forward.checkpoint import Kept, copied, put_back
from cardan.analysis.forward.state import CHECK_INTERVAL, TRIAL_INTERVAL, Run, SampledSteps
from cardan.analysis.forward.stepping import use_scheme
from cardan.integrators.stepper import EVENT, FAILED, RUNNING, STIFF
from cardan.methods import Auto

TRIAL, BETTER = 6, 1.5  # steps of a trial, and the gain that the other method must have
MAX_TRIAL_INTERVAL = 2**20  # largest number of steps between two trials
PROOF = 40  # steps after which stiffness would have stopped an explicit method that seems faster
EXPLICIT = 26  # cost of an explicit step, in evaluations and factorizations
LONGEST_INTERVAL = 1280  # steps between two checks
LONGER = 2.5  # possible step of DOP853, in periods, from which it is wasteful
MANY = 2.5  # steps per period of the scheme "sampled" from which it is inefficient


def allowed_steps(run: Run, budget: int) -> int:
    """Steps up to the next trial or check, at most `budget`: these must not depend on how fast the computer is."""
    if run.trials.trying:
        return 1
    taken = int(run.stepper.counters.steps)
    if run.sampled_steps is not None:
        budget = min(budget, int(run.sampled_steps.next_look) - taken)
    if _may_leave_radau(run):
        budget = min(budget, int(run.trials.next_trial) - taken)
    return max(budget, 1)


def state_before(run: Run) -> Kept:
    """What is needed to take back the next steps: nothing, unless they are a trial."""
    return copied(run) if run.trials.trying else []


def choose_scheme(run: Run, status: int, before: Kept) -> bool:
    """Change the scheme by how the last steps ended. False if they failed and were not a trial."""
    if status == FAILED:
        if not run.trials.trying:
            return False
        put_back(before)
        _give_up(run)
        return True
    if not isinstance(run.settings.method, Auto):
        return True
    if status == RUNNING:
        _compare_with_samples(run)
    if run.trials.trying:
        _continue_trial(run, status)
    elif status == STIFF or (_may_leave_radau(run) and run.stepper.counters.steps >= run.trials.next_trial):
        _begin_trial(run)
    return True


def _may_leave_radau(run: Run) -> bool:
    """Whether stiffness may have ended, which Radau cannot detect."""
    return isinstance(run.settings.method, Auto) and run.scheme.name == "radau"


def _begin_trial(run: Run) -> None:
    """Continue with the other of the two schemes for some steps."""
    choice, clock = run.trials, run.stepper.clock
    choice.begun, choice.step, choice.pace, choice.found = float(clock.now), float(clock.step), _pace(run), 0.0
    use_scheme(run, _other(run))
    choice.left = TRIAL if run.scheme.name == "radau" else PROOF
    clock.step = 0.5 * choice.step
    _mark(run)


def _continue_trial(run: Run, status: int) -> None:
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


def _give_up(run: Run) -> None:
    """Return to the previous scheme, and wait before the next trial."""
    choice = run.trials
    use_scheme(run, _other(run))
    run.stepper.clock.step = choice.step
    choice.left = 0
    choice.waiting = min(2 * choice.waiting, MAX_TRIAL_INTERVAL)
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


def _compare_with_samples(run: Run) -> None:
    """Change the scheme if the other one seems more efficient."""
    cutting, steps, now = run.sampled_steps, int(run.stepper.counters.steps), run.now
    if cutting is None or steps < cutting.next_look:
        return
    in_a_period = cutting.period * (steps - cutting.steps) / max(now - cutting.last, 1e-300)
    cutting.last, cutting.steps, cutting.every = now, steps, min(2 * cutting.every, LONGEST_INTERVAL)
    if run.trials.trying or run.scheme.name == "radau":
        pass
    elif cutting.waiting > 0:
        cutting.waiting -= 1
    elif run.scheme.name == "dop853" and run.stepper.clock.step > LONGER * cutting.period:
        _change_to(run, cutting, "sampled")
    elif run.scheme.name == "sampled" and in_a_period > MANY:
        cutting.waiting, cutting.patience = cutting.patience, 2 * cutting.patience
        _change_to(run, cutting, "dop853")
    cutting.next_look = steps + cutting.every


def _change_to(run: Run, cutting: SampledSteps, name: str) -> None:
    """Continue with the other scheme, and check it again soon."""
    step, now = float(run.stepper.clock.step), run.now
    run.stats.notes.append(f"at t = {now:.6g} s changed from {run.scheme.name} to {name} because of samples")
    use_scheme(run, name)
    run.stepper.clock.step, cutting.every = step, CHECK_INTERVAL
