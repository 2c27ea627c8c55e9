"""The steps of an exported model: those of a stepper, with the decisions that Python makes for one.

Contacts and friction switch as in `simulate`, see `mode_kernels`; `exchange_kernels` has what other integrators call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.forward.events.mode_kernels import settle_modes
from cardan.analysis.stepping.kernels import apply_inputs, prepare_step, read_now
from cardan.integrators.stepper import EVENT, FINISHED, RUNNING, STIFF
from cardan.integrators.stepping import prepare_impulse, run_steps, write_now
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.memory import restore_memory
from cardan.system.mechanism import kinetic_energy

MAX_STEPS = 1_000_000  # steps of the integrator within one step of the model
# As in `handling`: numbers of events at nearly the same time that count as chatter, or jam a contact; and what is
# nearly the same, relative to the time left, also if impacts do not weaken.
CHATTER, JAM, NEARLY, SOON = 200, 8, 1e-6, 1e-4
CHATTERS = 35  # `advance_model` returns, in addition to the statuses of `settle_modes`: an event occurs endlessly


class ExportOptions(Record):
    """Numbers of the integrator."""

    recalls: int  # whether its steps depend on earlier ones
    order: float
    rtol: float
    fixed_step: float  # 0: steps vary
    dissipated: int  # the place of the dissipated energy in y
    opened: int  # of another integrator's states: 1: they are off the constraints


class ExportTables(NamedTuple):
    """All that an instance of an exported model needs."""

    station: Any
    switches: Any
    options: Any
    settings: Any  # tolerances of the mechanism
    speed_scale: np.ndarray
    fresh: Any  # the empty memory of the integrator
    event_time: np.ndarray  # float64[events, CHATTER]: when events occurred last,
    event_energy: np.ndarray  # and the kinetic energy then
    event_count: np.ndarray  # int64[events]
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

    Returns FINISHED, or why not: a status of `prepare_step`, `run_steps` or `settle_modes`; RUNNING means too many
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
            found = _handle_event(tables)
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


@kernel(internal=True)
def _handle_event(tables):
    """Switch an element; the lost kinetic energy counts as dissipated. Returns a status."""
    station, switches = tables.station, tables.switches
    mechanism, stepper = station.mechanism, station.stepper
    k = stepper.outcome.event
    before = energy_of(mechanism, stepper)
    tables.event_time[k, tables.event_count[k] % CHATTER] = stepper.clock.now
    tables.event_energy[k, tables.event_count[k] % CHATTER] = before
    tables.event_count[k] += 1
    first = tables.event_energy[k, tables.event_count[k] % CHATTER]
    if _recent(tables, k, CHATTER, NEARLY) or (_recent(tables, k, CHATTER, SOON) and before >= first):
        return CHATTERS
    switches.occurred[k] = 1
    status = settle_modes(mechanism, stepper, switches, _recent(tables, k, JAM, NEARLY))
    if status:
        return status
    stepper.y[tables.options.dissipated] += before - energy_of(mechanism, stepper)
    if tables.options.recalls:
        restore_memory(tables.fresh)
        stepper.clock.step = min(first_step(tables), stepper.clock.step)
    return 0


@kernel(internal=True)
def _recent(tables, k, count, share):
    """Whether an event occurred `count` times, including now, within a fraction of the time left."""
    total, times, clock = tables.event_count[k], tables.event_time, tables.station.stepper.clock
    if total < count:
        return False
    first = times[k, (total - count) % CHATTER]
    return clock.now - first < share * (clock.end - first)


@kernel(internal=True)
def energy_of(mechanism, stepper):
    """The kinetic energy of the present state."""
    if prepare_impulse(mechanism, stepper):
        return 0.0
    kinetic_energy(mechanism, stepper.clock.now, stepper.y, stepper.look)
    return stepper.look[0]


@kernel(internal=True)
def first_step(tables):
    """An initial step size in which the motion changes little: see `forward.stepping`."""
    stepper, options, scale = tables.station.stepper, tables.options, tables.speed_scale
    if options.fixed_step > 0.0:
        return options.fixed_step
    first, pace = stepper.sizes.positions, 0.0
    for i in range(scale.shape[0]):
        pace = max(pace, abs(stepper.y[first + i]) * scale[i], np.sqrt(abs(stepper.dy[first + i]) * scale[i]))
    return 0.3 * options.rtol ** (1.0 / options.order) / pace if pace > 0.0 else np.inf
