"""One step of a stepper as machine code: write the inputs, advance to the end of the step, read the outputs.

    u --> table entries --> run_steps --> y, y', turns --> outputs

A `Station` is all that a step needs, in flat arrays: a C program or an FMU can step the same tables with the same
kernel. The loop over steps is that of `cardan.integrators.stepping`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.integrators.dense_output import begin_again, remember
from cardan.integrators.stepper import FINISHED
from cardan.integrators.stepping import run_steps
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Address, Record
from cardan.numerics.linalg.vector import copy
from cardan.numerics.memory import block_at
from cardan.results.compiled_reading import read_parts
from cardan.system.mechanism import begin_step, rates
from cardan.system.tree.recursion.batch import move_bodies_to

# `take_step` returns, in addition to the words of `run_steps`: the duration is not positive and finite, an input is not
# finite, the mechanism cannot be evaluated with the new inputs.
BAD_DURATION, BAD_INPUT, BROKEN_INPUT = 20, 21, 22
SHORTEST_STEP = 1e-14  # of the time: steps are not shorter
STRENGTH, SIGNAL, MULTIPLIER = range(3)  # forces that outputs read
VALUE, RATE, ACCELERATION = range(3)  # what an input prescribes of a driver
# where the interval of a driver's cubic begins among the parameters of its term; coefficients follow
INTERVAL_PLACE = 5


class Control(Record):
    """Numbers of a stepper that are not part of the integrator."""

    last_step: int  # steps of the integrator up to which it needs no decision,
    most: int  # and how many of them a step may take before Python can be interrupted
    needs_forces: int  # whether outputs read forces
    failed: int  # the input that is not finite
    bodies: Address  # of `tree_bodies` in joint coordinates; 0: bodies are in y as they are


class Entries(NamedTuple):
    """Numbers in tables that follow inputs: table[place] = base + slope u."""

    input: np.ndarray  # uint32
    table: np.ndarray  # uint32: one of the tables of a `Station`, in their order
    place: np.ndarray  # uint32
    base: np.ndarray
    slope: np.ndarray


class Station(NamedTuple):
    """All that a step needs."""

    mechanism: Any
    method: Any
    stepper: Any
    record: Any
    tree: Any  # opaque: the tables of joint coordinates, or the mechanism
    control: Any
    inputs: np.ndarray  # float64[inputs]
    applied: np.ndarray  # the same as written to the tables
    entries: Any
    driver_input: np.ndarray  # uint32[drivers]: inputs that prescribe the motion of a driver,
    driver_order: np.ndarray  # uint32: VALUE, RATE or ACCELERATION,
    driver_place: np.ndarray  # uint32: and where the parameters of its term begin
    force_motions: np.ndarray  # tables that inputs are written to
    force_linear: np.ndarray
    signal_motions: np.ndarray
    signal_parameters: np.ndarray
    matter: np.ndarray
    gravity: np.ndarray
    states: np.ndarray  # y
    driver_motions: np.ndarray
    reading: Any  # outputs that are read here
    force: np.ndarray  # uint32[forces, 2]: STRENGTH, SIGNAL or MULTIPLIER, and its place
    strength: np.ndarray  # of the mechanism
    signals: np.ndarray
    multipliers: np.ndarray
    q: np.ndarray  # [1, ..]: bodies at the end of the step
    v: np.ndarray
    a: np.ndarray
    forces: np.ndarray  # [1, forces]
    outputs: np.ndarray  # [1, outputs]


TABLES = (
    "force_motions", "force_linear", "signal_motions", "signal_parameters", "matter", "gravity", "states",
)  # fmt: skip


@kernel
def take_step(station, duration):
    """Advance by a duration with the inputs as they are, and read the outputs. Returns FINISHED, or why not."""
    status = prepare_step(station, duration)
    if status:
        return np.int64(status)
    stepper, control = station.stepper, station.control
    budget = max(min(control.last_step - stepper.counters.steps, control.most), 1)
    status = run_steps(station.mechanism, station.method, stepper, station.record, budget, True)
    if status == FINISHED:
        _read_outputs(station)
    return np.int64(status)


@kernel
def prepare_step(station, duration):
    """Write the inputs, and set the end of the step. Returns a status."""
    clock, counters = station.stepper.clock, station.stepper.counters
    if not (duration > 0.0 and duration < np.inf):
        return BAD_DURATION
    status = _write_inputs(station, duration)
    clock.end = clock.now + duration
    clock.shortest = SHORTEST_STEP * max(duration, abs(clock.end))
    station.record.wanted[0] = clock.end
    counters.next_output = counters.written = 0
    return status


@kernel
def take_steps(station, duration, inputs, outputs):
    """Take one step for each line of inputs, and write the outputs after each. Returns FINISHED, or why not, and how
    many steps were taken; the next one has begun, and `Stepper.complete` completes it."""
    for k in range(inputs.shape[0]):
        copy(inputs[k], station.inputs)
        status = take_step(station, duration)
        if status != FINISHED:
            return status, k
        copy(station.outputs[0], outputs[k])
    return np.int64(FINISHED), inputs.shape[0]


@kernel
def step_stations(take, stations, duration, statuses):
    """Take one step at each of many addresses of stations of one type; `take` is the address of `take_step`."""
    for k in range(stations.shape[0]):
        statuses[k] = call_pointer(take, (block_at(stations[k]), duration))


@kernel
def read_now(station):
    """Read the outputs of the state that was written last."""
    _read_outputs(station)


@kernel
def tree_bodies(joint, y, a, q, v, a_bodies):
    """Positions, velocities and accelerations of bodies from joint coordinates. Returns 0."""
    state, first = y[0], joint.sizes.positions
    move_bodies_to(joint, state[:first], state[first : first + a.shape[1]], a[0])
    copy(joint.cartesian.place, q[0])
    copy(joint.v, v[0])
    copy(joint.a, a_bodies[0])
    return np.int64(0)


@kernel(internal=True)
def _write_inputs(station, duration):
    """Write inputs that have changed, and the cubics of drivers. Returns a status."""
    status, changed = _write_entries(station)
    drivers = station.driver_input.shape[0]
    for k in range(drivers if status == 0 else 0):
        _drive(station, k, duration)
    return status or (_evaluate(station) if changed or drivers > 0 else 0)


@kernel
def apply_inputs(station):
    """Write inputs that have changed, except those of drivers, and evaluate the mechanism. Returns a status."""
    status, changed = _write_entries(station)
    return status or (_evaluate(station) if changed else 0)


@kernel(internal=True)
def _write_entries(station):
    """Write inputs that have changed to the tables. Returns a status, and whether any has."""
    inputs, applied, entries, changed = station.inputs, station.applied, station.entries, False
    for k in range(inputs.shape[0]):
        if not np.isfinite(inputs[k]):
            station.control.failed = k
            return BAD_INPUT, False
        changed = changed or inputs[k] != applied[k]
    if not changed:
        return 0, False
    for e in range(entries.input.shape[0]):
        k = entries.input[e]
        if inputs[k] != applied[k]:
            _write(station, entries.table[e], entries.place[e], entries.base[e] + entries.slope[e] * inputs[k])
    copy(inputs, applied)
    return 0, True


@kernel(internal=True)
def _evaluate(station):
    """Evaluate the mechanism at the present state with other inputs. Returns a status."""
    stepper = station.stepper
    now, y, dy, look = stepper.clock.now, stepper.y, stepper.dy, stepper.look
    copy(y, look)
    status = rates(station.mechanism, now, look, dy) or begin_step(station.mechanism, now, look, dy)
    stepper.flags.forces_jumped = 1
    if status:
        stepper.outcome.failure = status
        return BROKEN_INPUT
    return 0


@kernel(internal=True)
def _write(station, table, place, value):
    if table == 0:
        station.force_motions[place] = value
    elif table == 1:
        station.force_linear[place] = value
    elif table == 2:
        station.signal_motions[place] = value
    elif table == 3:
        station.signal_parameters[place] = value
    elif table == 4:
        station.matter[place] = value
    elif table == 5:
        station.gravity[place] = value
    else:
        station.states[place] = value


@kernel(internal=True)
def _drive(station, k, duration):
    """Continue the motion of a driver from its present value and rate by a cubic over the step.

    value: it reaches the target at the end of the step at the mean speed of the step; rate: it reaches that at constant
    acceleration; acceleration: it keeps that.
    """
    p, first, now = station.driver_motions, station.driver_place[k] + INTERVAL_PLACE, station.stepper.clock.now
    width = p[first + 1] - p[first]
    s = (now - p[first]) / width
    c0, c1, c2, c3 = p[first + 2], p[first + 3], p[first + 4], p[first + 5]
    value = c0 + s * (c1 + s * (c2 + s * c3))
    rate = (c1 + s * (2.0 * c2 + 3.0 * s * c3)) / width
    target, order, h = station.inputs[station.driver_input[k]], station.driver_order[k], duration
    second, third = 0.0, 0.0
    if order == VALUE:
        mean = (target - value) / h
        second, third = 2.0 * (mean - rate) * h, (rate - mean) * h
    elif order == RATE:
        second = 0.5 * (target - rate) * h
    else:
        second = 0.5 * target * h * h
    p[first], p[first + 1] = now, now + h
    p[first + 2], p[first + 3], p[first + 4], p[first + 5] = value, rate * h, second, third


@kernel(internal=True)
def _read_outputs(station):
    """Outputs of the last row of the record."""
    stepper, record, control = station.stepper, station.record, station.control
    row = stepper.counters.written - 1
    times, y, a, turns = record.times[row : row + 1], record.y[row : row + 1], record.a[row : row + 1], record.turns
    q, v, accelerations = station.q, station.v, station.a
    if control.bodies:
        call_pointer(control.bodies, (station.tree, y, a, q, v, accelerations))
    else:
        positions = stepper.sizes.positions
        for i in range(q.shape[1]):
            q[0, i] = y[0, i]
        for i in range(v.shape[1]):
            v[0, i], accelerations[0, i] = y[0, positions + i], a[0, i]
    if control.needs_forces:
        _read_forces(station, times[0], y[0])
    read_parts(
        station.reading, times, q, v, accelerations, turns[row : row + 1], y, station.forces, station.outputs
    )  # fmt: skip


@kernel(internal=True)
def _read_forces(station, t, y):
    """Evaluate the forces at y; what the mechanism remembers is restored."""
    stepper, force = station.stepper, station.force
    remember(stepper)
    copy(y, stepper.look)
    rates(station.mechanism, t, stepper.look, stepper.look_rate)
    for k in range(force.shape[0]):
        kind, place = force[k, 0], force[k, 1]
        if kind == STRENGTH:
            station.forces[0, k] = station.strength[place]
        elif kind == SIGNAL:
            station.forces[0, k] = station.signals[place]
        else:
            station.forces[0, k] = station.multipliers[place]
    begin_again(stepper)
