"""An exported model for other integrators (model exchange): rates of states, events, discrete changes.

    x  --joints closed-->  y  --rates-->  x', outputs, event indicators

States are all positions and speeds, also dependent ones. They are evaluated where joints are closed: errors of the
other integrator that open them stay as they are and do not grow. Where they exceed a tolerance, an event closes the
joints.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.forward.events.mode_kernels import FALLING, settle_modes
from cardan.analysis.stepping.event_kernels import energy_of
from cardan.analysis.stepping.kernels import BROKEN_INPUT, apply_inputs, read_now
from cardan.integrators.dense_output import begin_again, motion_at, remember
from cardan.integrators.stepper import FINISHED
from cardan.integrators.stepping import begin_run, next_sample, sample_now
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.mechanism import begin_step, event_values, project

OPENED = 1e-6  # nominal values: states that are farther off the constraints are corrected by an event
NEVER = -1.0  # a tolerance of joints that is not met
IDLE = 1.0  # the indicator of an event that cannot occur at present


@kernel
def exchange_begin(tables):
    """Take the states and the time from the model as it is. Returns FINISHED."""
    stepper = tables.station.stepper
    for k in range(tables.states.shape[0]):
        tables.x[k] = stepper.y[tables.states[k]]
    tables.time[0] = stepper.clock.now
    remember(stepper)
    return np.int64(FINISHED)


@kernel
def exchange_rates(tables):
    """Rates, outputs and event indicators at the states, time and inputs as they are. Returns a status."""
    station = tables.station
    status = apply_inputs(station)
    if status:
        return np.int64(status)
    begin_again(station.stepper)
    return np.int64(_take_states(tables) or _evaluate(tables))


@kernel
def exchange_slopes(tables):
    """The same for derivatives: its code is run on dual numbers, see `tangents`. Returns a status.

    Joints that are closed would not be corrected, and their states would keep derivatives along which joints open. With
    a tolerance that is never met, all corrections are made. What they change, and reactions that forces depend on,
    begin with the derivatives of the last call.
    """
    station = tables.station
    status = apply_inputs(station)
    if status:
        return np.int64(status)
    begin_again(station.stepper)
    status = _take_states(tables)
    if status:
        return np.int64(status)
    close = tables.settings.closure
    tables.settings.closure = NEVER
    project(station.mechanism, tables.time[0], station.stepper.look, station.stepper.look_rate)
    tables.settings.closure = close
    status = _evaluate(tables)
    remember(station.stepper)
    return np.int64(status)


@kernel
def exchange_complete(tables):
    """Accept the states as the end of a step. Returns FINISHED, or why not; `options.opened` asks for an event."""
    station = tables.station
    mechanism, stepper = station.mechanism, station.stepper
    status = exchange_rates(tables)
    if status != FINISHED:
        return np.int64(status)
    tables.options.opened = 0
    for k in range(tables.states.shape[0]):
        if not abs(tables.x[k] - stepper.look[tables.states[k]]) <= OPENED * tables.nominal[k]:
            tables.options.opened = 1
    for k in range(tables.before.shape[0]):  # an event of this time is handled later
        if tables.indicators[k] > 0.0:
            tables.before[k] = tables.indicators[k]
    return np.int64(FINISHED if _accept(tables, mechanism, stepper) == 0 else BROKEN_INPUT)


@kernel
def exchange_update(tables):
    """Handle the events of this time: samplers, contacts and friction. Returns FINISHED, or why not."""
    station, switches = tables.station, tables.handling.switches
    mechanism, stepper = station.mechanism, station.stepper
    status = exchange_rates(tables)
    if status != FINISHED:
        return np.int64(status)
    if _accept(tables, mechanism, stepper):
        return np.int64(BROKEN_INPUT)
    events = stepper.direction.shape[0]
    for k in range(events):
        falls = stepper.direction[k] == FALLING and stepper.g[0, k] <= 0.0
        switches.occurred[k] = 1 if falls and tables.before[k] > 0.0 else 0
    if sample_now(mechanism, stepper):
        return np.int64(BROKEN_INPUT)
    if events:
        switches.found.lenient = 1
        before = energy_of(mechanism, stepper)
        status = settle_modes(mechanism, stepper, switches, False)
        if status:
            return np.int64(status)
        stepper.y[tables.handling.options.dissipated] += before - energy_of(mechanism, stepper)
    elif begin_run(mechanism, stepper):
        return np.int64(BROKEN_INPUT)
    remember(stepper)
    for k in range(tables.states.shape[0]):
        tables.x[k] = stepper.y[tables.states[k]]
    tables.options.opened = 0
    status = exchange_rates(tables)
    copy(tables.indicators, tables.before)
    return status


@kernel
def exchange_next(tables):
    """Write the time of the next sample to `time[1]`. Returns FINISHED."""
    stepper = tables.station.stepper
    tables.time[1] = next_sample(stepper, tables.time[0], np.inf)
    return np.int64(FINISHED)


@kernel(internal=True)
def _take_states(tables):
    """y at x in `look`. Returns a status."""
    stepper = tables.station.stepper
    copy(stepper.y, stepper.look)
    for k in range(tables.states.shape[0]):
        if not np.isfinite(tables.x[k]):
            return BROKEN_INPUT
        stepper.look[tables.states[k]] = tables.x[k]
    return 0


@kernel(internal=True)
def _evaluate(tables):
    """Close the joints at `look`; rates, outputs and event indicators there. Returns FINISHED, or why not."""
    station = tables.station
    stepper = station.stepper
    status = project(station.mechanism, tables.time[0], stepper.look, stepper.look_rate)
    status = status or motion_at(station.mechanism, stepper, tables.time[0], stepper.look, stepper.look_rate)
    if status:
        stepper.outcome.failure = status
        return BROKEN_INPUT
    for k in range(tables.states.shape[0]):
        tables.dx[k] = stepper.look_rate[tables.states[k]]
    stepper.counters.written = 0
    _write_look(tables)
    read_now(station)
    return FINISHED if _indicators(tables, stepper.look) == 0 else BROKEN_INPUT


@kernel(internal=True)
def _accept(tables, mechanism, stepper):
    """Make the state in `look` that of the model. Returns a status."""
    t = tables.time[0]
    copy(stepper.look, stepper.y)
    stepper.clock.now = t
    status = project(mechanism, t, stepper.y, stepper.dy) or begin_step(mechanism, t, stepper.y, stepper.dy)
    copy(stepper.turns, stepper.turns_end)
    if status == 0 and stepper.direction.shape[0] > 0:
        status = event_values(mechanism, t, stepper.y, stepper.g[0])
    remember(stepper)
    return status


@kernel(internal=True)
def _indicators(tables, y):
    """Values of events at y; those that cannot occur at present have a constant one. Returns a status."""
    stepper = tables.station.stepper
    events = stepper.direction.shape[0]
    if events == 0:
        return 0
    status = event_values(tables.station.mechanism, tables.time[0], y, stepper.g[2])
    for k in range(events):
        tables.indicators[k] = stepper.g[2, k] if stepper.direction[k] == FALLING else IDLE
    return status


@kernel(internal=True)
def _write_look(tables):
    """Write the state in `look` for outputs."""
    stepper, record, first = tables.station.stepper, tables.station.record, tables.station.stepper.sizes.positions
    record.times[0] = tables.time[0]
    for i in range(stepper.look.shape[0]):
        record.y[0, i] = stepper.look[i]
    for i in range(record.a.shape[1]):
        record.a[0, i] = stepper.look_rate[first + i]
    for i in range(stepper.turns.shape[0]):
        record.turns[0, i] = stepper.turns[i]
    stepper.counters.written = 1
