"""Runs that samplers divide into short steps: `auto` chooses a suitable scheme.

A step of DOP853 costs twelve evaluations. If its error would allow steps much longer than the period of a sampler, most
are wasted: the scheme "sampled" needs one evaluation per sample. If samples are far apart, or if that scheme needs
several steps per sample, DOP853 is better, and it also detects stiffness.
"""

from __future__ import annotations

from cardan.analysis.forward.state import CHECK_INTERVAL, Run, SampledSteps
from cardan.analysis.forward.stepping import use_scheme

LONGEST_INTERVAL = 1280  # steps between two checks
LONGER = 2.5  # possible step of DOP853, in periods, from which it is wasteful
MANY = 2.5  # steps per period of the scheme "sampled" from which it is inefficient


def look_at_steps(run: Run) -> None:
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
        _change(run, cutting, "sampled")
    elif run.scheme.name == "sampled" and in_a_period > MANY:
        cutting.waiting, cutting.patience = cutting.patience, 2 * cutting.patience
        _change(run, cutting, "dop853")
    cutting.next_look = steps + cutting.every


def _change(run: Run, cutting: SampledSteps, name: str) -> None:
    """Continue with the other scheme, and check it again soon."""
    step, now = float(run.stepper.clock.step), run.now
    run.stats.notes.append(f"at t = {now:.6g} s changed from {run.scheme.name} to {name} because of samples")
    use_scheme(run, name)
    run.stepper.clock.step, cutting.every = step, CHECK_INTERVAL
