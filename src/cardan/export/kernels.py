"""The steps of an exported model: those of a stepper, without decisions that Python makes."""

from __future__ import annotations

import numpy as np

from cardan.analysis.stepping.kernels import apply_inputs, prepare_step, read_now
from cardan.integrators.stepper import FINISHED, RUNNING, STIFF
from cardan.integrators.stepping import run_steps, write_now
from cardan.numerics.compiled.jit import kernel

SLICE, SLICES = 10_000, 100  # steps of the integrator at a time, and how many times within one step of the model


@kernel
def advance_model(station, duration):
    """Advance by a duration with the inputs as they are, and read the outputs.

    Returns FINISHED, or why not: a status of `prepare_step` or `run_steps`; RUNNING means too many steps.
    """
    status = prepare_step(station, duration)
    if status:
        return np.int64(status)
    for _ in range(SLICES):
        status = run_steps(station.mechanism, station.method, station.stepper, station.record, SLICE, True)
        if status != RUNNING and status != STIFF:
            break
    if status == FINISHED:
        read_now(station)
    return np.int64(status)


@kernel
def refresh_outputs(station):
    """Read the outputs at the present time with the inputs as they are; drivers follow theirs in the next step."""
    status = apply_inputs(station)
    if status:
        return np.int64(status)
    station.stepper.counters.written = 0
    write_now(station.stepper, station.record)
    read_now(station)
    return np.int64(FINISHED)
