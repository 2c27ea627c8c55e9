"""The steps of an exported model: those of a stepper, with the decisions that Python makes for one.

Contacts and friction switch as in `simulate`, see `mode_kernels`; `exchange_kernels` has what other integrators call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.stepping.event_kernels import handle_event
from cardan.analysis.stepping.kernels import apply_inputs, prepare_step, read_now
from cardan.integrators.stepper import EVENT, FINISHED, RUNNING, STIFF
from cardan.integrators.stepping import run_steps, write_now
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record

MAX_STEPS = 1_000_000  # steps of the integrator within one step of the model


class ExportOptions(Record):
    """Numbers of an instance."""

    opened: int  # of another integrator's states: 1: they are off the constraints


class ExportTables(NamedTuple):
    """All that an instance of an exported model needs."""

    station: Any
    handling: Any  # `EventTables`
    options: Any
    settings: Any  # tolerances of the mechanism
    states: np.ndarray  # int64[states]: places in y of what another integrator integrates,
    time: np.ndarray  # float64[2]: its time, and that of the next sample,
    x: np.ndarray  # float64[states]: the states,
    dx: np.ndarray  # and their rates
    indicators: np.ndarray  # float64[events]: values that pass through zero at events
    before: np.ndarray  # float64[events]: the same after the last step or event
    nominal: np.ndarray  # float64[states]


@kernel
def advance_model(tables, duration):
    """Advance by a duration with the inputs as they are, and read the outputs.

    Returns FINISHED, or why not: a status of `prepare_step`, `run_steps` or `handle_event`; RUNNING means too many
    steps.
    """
    station = tables.station
    status = prepare_step(station, duration)
    if status:
        return np.int64(status)
    counters = station.stepper.counters
    last, status = counters.steps + MAX_STEPS, RUNNING
    while (status == RUNNING or status == STIFF) and counters.steps < last:
        budget = last - counters.steps
        status = run_steps(station.mechanism, station.method, station.stepper, station.record, budget, True)
        if status == EVENT:
            found = handle_event(station.mechanism, station.stepper, tables.handling)
            if found:
                return np.int64(found)
            status = RUNNING
    if status == FINISHED:
        if counters.written == 0:  # an event took place at the end
            write_now(station.stepper, station.record)
        read_now(station)
    return np.int64(status)


@kernel
def refresh_outputs(tables):
    """Read the outputs at the present time with the inputs as they are; drivers follow theirs in the next step."""
    station = tables.station
    status = apply_inputs(station)
    if status:
        return np.int64(status)
    station.stepper.counters.written = 0
    write_now(station.stepper, station.record)
    read_now(station)
    return np.int64(FINISHED)
