"""The instants at which a stepper must stop: for its samplers, and where motions are not smooth."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.circuit import SLACK

NEAREST = 4.0  # times the shortest step
BEFORE = 2e-15  # relative to the time: more than the rounding of periodic motions


@kernel(internal=True)
def next_sample(stepper, now, end):
    """The instant at which a sampler is called next; exactly now, or exactly the end, if it is as good as that."""
    sample, sampled, y, first = stepper.sample, stepper.sampled, stepper.y, np.inf
    for k in range(sampled.shape[0]):
        instant, slack = sample[k, 0] + y[sampled[k]] * sample[k, 1], SLACK * sample[k, 1]
        for mark in (now, end):
            if abs(instant - mark) <= slack:
                instant = mark
        first = min(first, instant)
    return first


@kernel(internal=True)
def next_breakpoint(stepper, now):
    """The next instant at which a motion is not smooth; those closer than the shortest steps count as now."""
    breakpoints, first = stepper.breakpoints, np.inf
    if stepper.flags.ignores_breakpoints:
        return first
    passed = now + NEAREST * stepper.clock.shortest
    for k in range(breakpoints.shape[0]):
        instant, period = breakpoints[k, 0], breakpoints[k, 1]
        if instant <= passed and period < np.inf:
            instant += period * np.ceil((passed - instant) / period)
        if instant > passed:
            first = min(first, instant)
    return first


@kernel(internal=True)
def just_before(instant, now):
    """The end of the step before a breakpoint, where motions are those before it."""
    return instant - BEFORE * max(abs(instant), abs(now))
