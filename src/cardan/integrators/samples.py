"""The instants at which a stepper must stop for its samplers."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.circuit import SLACK


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
