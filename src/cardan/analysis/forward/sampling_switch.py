"""Runs that samplers cut into short steps: `auto` chooses a scheme that suits them.

A step of DOP853 costs twelve evaluations. Where its error would allow steps much longer than the period of a sampler
they are wasted: the scheme "sampled" gets from sample to sample with one. Where samples lie far apart, or where that
scheme needs several steps from one to the next, DOP853 is better again, and it is the one that notices stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cardan.analysis.forward.run import ForwardRun

LOOK, SELDOM = 20, 1280  # steps between two looks, at first and at most
LONGER = 2.5  # periods that a step of DOP853 could be long, where it is cut
MANY = 2.5  # steps per period, of the scheme "sampled"
PATIENCE = 4  # looks before it is tried again, doubled each time


@dataclass
class Cutting:
    """What is known of a run that samplers cut; all of it numbers, so that a checkpoint can hold it."""

    period: float  # the shortest
    next_look: float = LOOK  # the step at which it is,
    every: float = LOOK  # and how many lie between two
    last: float = 0.0  # the time of the last one,
    steps: float = 0.0  # and the steps up to then
    patience: float = PATIENCE
    waiting: float = 0.0


def look_at_steps(run: ForwardRun) -> None:
    """Change the scheme if the other of the two promises more."""
    cutting, steps, now = run.cutting, int(run.stepper.counters.steps), float(run.stepper.clock.now)
    if cutting is None or steps < cutting.next_look:
        return
    in_a_period = cutting.period * (steps - cutting.steps) / max(now - cutting.last, 1e-300)
    cutting.last, cutting.steps, cutting.every = now, steps, min(2 * cutting.every, SELDOM)
    if run.choice.trying or run.scheme.name == "radau":
        pass
    elif cutting.waiting > 0:
        cutting.waiting -= 1
    elif run.scheme.name == "dop853" and run.stepper.clock.step > LONGER * cutting.period:
        _change(run, cutting, "sampled")
    elif run.scheme.name == "sampled" and in_a_period > MANY:
        cutting.waiting, cutting.patience = cutting.patience, 2 * cutting.patience
        _change(run, cutting, "dop853")
    cutting.next_look = steps + cutting.every


def _change(run: ForwardRun, cutting: Cutting, name: str) -> None:
    """Go on with the other scheme, and look soon how it gets on."""
    step, now = float(run.stepper.clock.step), float(run.stepper.clock.now)
    run.stats.notes.append(f"at t = {now:.6g} s changed from {run.scheme.name} to {name} because of samples")
    run.use(name)
    run.stepper.clock.step, cutting.every = step, LOOK
