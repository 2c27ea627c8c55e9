"""The devices of a system as tables, and their evaluation: signals and rates of states from measures, time and states.

Devices stand in an order in which each comes after those it reads. A state is a number of y; what is held is a state
without a rate. Which measures, rows and states there are is the system's affair; a circuit may leave devices out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.device import Clock, Device, Held, Multiplier, Output, Rate, Signal, Value, upstream
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.numerics.block import block
from cardan.numerics.far import far_address
from cardan.numerics.function import call_address
from cardan.numerics.jit import kernel
from cardan.system.tables import starts

VALUE, RATE, TIME, SIGNAL, STATE, MULTIPLIER = range(6)  # what an input is
SETTLE, SETTLED = 60, 1e-13  # solutions until forces that depend on reactions agree with them, and how well
STEP = 1e-7  # of an input, to find how an output depends on it


class Circuit(NamedTuple):
    """Devices and what they read."""

    call: np.ndarray  # uint64[2]: the addresses of `run_devices` and `device_slopes`, 0 where there are no devices
    address: np.ndarray  # uint64[nd]: of each device's function
    input_start: np.ndarray  # uint32[nd + 1]
    input: np.ndarray  # uint32[ni, 2]: what it is, and its place
    sum_start: np.ndarray  # uint32[ns + 1]: sums of measures that inputs are values or rates of
    sum_measure: np.ndarray  # uint32
    sum_coefficient: np.ndarray  # float64
    parameter_start: np.ndarray  # uint32[nd + 1]
    parameter: np.ndarray  # float64
    output_start: np.ndarray  # uint32[nd + 1]: places in `signals`
    state_start: np.ndarray  # uint32[nd + 1]: places in a list of
    state: np.ndarray  # uint32: places in `states`
    law: np.ndarray  # uint32[n, 3]: a law, and the kind and the place of the signal that is its strength
    own: (
        np.ndarray
    )  # uint32[n, 5]: a law, its device, the output, and the input along its own measure, by value or rate
    own_factor: np.ndarray  # float64[n]: of the law's measure in that input
    row: np.ndarray  # uint32: equations whose multipliers are read
    signals: np.ndarray  # float64: all outputs
    states: np.ndarray  # float64: all states of the system, then what is held
    rates: np.ndarray  # float64: their rates
    multipliers: np.ndarray  # float64[nr + 1]: as devices see them; the last one is that of rows without a part
    arguments: np.ndarray
    results: np.ndarray


class States(NamedTuple):
    """All states of a system, in their order in y."""

    owner: tuple[Device | Held, ...]
    name: tuple[str, ...]
    start: np.ndarray
    scale: np.ndarray

    def first(self, owner: Device | Held) -> int:
        """The place of the first state of a device, or of what is held."""
        return next(k for k, other in enumerate(self.owner) if other is owner)


def states_of(devices: Sequence[Device], signals: Sequence[Signal]) -> States:
    """The states of all devices, then all that they and the `signals` hold."""
    found: list[tuple[Device | Held, str, float, float]] = []
    for device in devices:
        found += [(device, state.name, state.start, state.scale) for state in device.states]
    held: dict[int, Held] = {
        id(s): s for s in (*signals, *(s for d in devices for s in d.inputs)) if isinstance(s, Held)
    }
    found += [(signal, signal.name, signal.start, max(1.0, abs(signal.start))) for signal in held.values()]
    owner, name, start, scale = zip(*found, strict=True) if found else ((), (), (), ())
    return States(tuple(owner), tuple(name), np.array(start, float), np.array(scale, float))


class Wiring(NamedTuple):
    """Where in a system the signals of devices come from: the number of each measure and row, and the states."""

    measures: dict[Measure, int]
    rows: dict[tuple[int, str], int]  # by id(element) and label
    states: States


def circuit(
    laws: Sequence[Law],
    devices: Sequence[Device],
    wiring: Wiring,
    states: np.ndarray | None = None,
    multipliers: np.ndarray | None = None,
) -> Any:
    """The block of all devices that the laws need, and of those stated beside."""
    needed = tuple(upstream([*(Output(d) for d in devices), *(w.signal for w in laws if w.signal is not None)]))
    number = {id(device): k for k, device in enumerate(needed)}
    output_start = starts(len(device.outputs) for device in needed)
    sums: list[tuple[tuple[float, Measure], ...]] = []

    def place(signal: Signal) -> tuple[int, int]:
        if isinstance(signal, Value):
            sums.append(signal.of.parts())
            return (RATE if isinstance(signal, Rate) else VALUE), len(sums) - 1
        if isinstance(signal, Clock):
            return TIME, 0
        if isinstance(signal, Output):
            return SIGNAL, int(output_start[number[id(signal.device)]]) + signal.place
        if isinstance(signal, Multiplier):
            return MULTIPLIER, _row(signal, wiring)
        assert isinstance(signal, Held)
        return STATE, wiring.states.first(signal)

    inputs = [place(signal) for device in needed for signal in device.inputs]
    acting = [(k, *place(law.signal)) for k, law in enumerate(laws) if law.signal is not None]
    own = _own(laws, needed, number)
    functions = [device.code(device.parameters, device.name) for device in needed]
    owned = [wiring.states.first(d) + k for d in needed for k in range(len(d.states))]
    longest = max((len(d.inputs) + len(d.states) + len(d.parameters) for d in needed), default=0)
    tables = Circuit(
        call=np.zeros(2, np.uint64),
        address=np.array([function.address for function in functions], np.uint64),
        input_start=starts(len(device.inputs) for device in needed),
        input=np.array(inputs, np.uint32).reshape(-1, 2),
        sum_start=starts(len(terms) for terms in sums),
        sum_measure=np.array([wiring.measures[m] for terms in sums for _, m in terms], np.uint32),
        sum_coefficient=np.array([c for terms in sums for c, _ in terms], float),
        parameter_start=starts(len(device.parameters) for device in needed),
        parameter=np.array([p for device in needed for p in device.parameters], float),
        output_start=output_start,
        state_start=starts(len(device.states) for device in needed),
        state=np.array(owned, np.uint32),
        law=np.array(acting, np.uint32).reshape(-1, 3),
        own=np.array([line[:5] for line in own], np.uint32).reshape(-1, 5),
        own_factor=np.array([line[5] for line in own], float),
        row=np.array(sorted({k for kind, k in inputs if kind == MULTIPLIER} - {len(wiring.rows)}), np.uint32),
        signals=np.zeros(int(output_start[-1])),
        states=wiring.states.start.copy() if states is None else states,
        rates=np.zeros(wiring.states.start.size),
        multipliers=np.zeros(len(wiring.rows) + 1) if multipliers is None else multipliers,
        arguments=np.zeros(longest + 1),
        results=np.zeros(max((len(d.outputs) + len(d.states) for d in needed), default=0) + 1),
    )
    made = block(tables)
    if needed:
        z = np.zeros((1, 3))
        tables.call[:] = far_address(run_devices, made, 0.0, z), far_address(device_slopes, made, 0.0, z, z)
    return made


def _row(signal: Multiplier, wiring: Wiring) -> int:
    """The row of a multiplier; beyond all rows if it is in reserve and takes no part in the analysis."""
    found = wiring.rows.get((id(signal.element), signal.label))
    if found is not None:
        return found
    if signal.element.switched:
        return len(wiring.rows)
    labels = [label for key, label in wiring.rows if key == id(signal.element)]
    title = signal.element.title
    if not labels:
        raise ModelError(f"the reaction of {title} is asked for, which is not part of the model: add it")
    raise ModelError(f"{title} has no equation '{signal.label}': it has {', '.join(map(repr, labels))}")


def _own(
    laws: Sequence[Law], devices: Sequence[Device], number: dict[int, int]
) -> list[tuple[int, int, int, int, int, float]]:
    """Inputs of devices along the measure on which they act: what makes a force stiff."""
    found = []
    for k, law in enumerate(laws):
        if not isinstance(law.signal, Output):
            continue
        d = number[id(law.signal.device)]
        for i, signal in enumerate(devices[d].inputs):
            parts = signal.of.parts() if isinstance(signal, Value) else ()
            if parts and law.terms and [m for _, m in parts] == [m for _, m in law.terms]:
                factor = parts[0][0] / law.terms[0][0]
                pairs = zip(parts, law.terms, strict=True)
                if all(abs(c - factor * mine) < 1e-12 * abs(c) for (c, _), (mine, _) in pairs):
                    found.append((k, d, law.signal.place, i, int(isinstance(signal, Rate)), factor))
    return found


@kernel(internal=True)
def run_devices(circuit, t, z):
    """Fill signals and rates. Returns 0, or 1 + the device that failed."""
    first, last, state = circuit.output_start, circuit.state_start, circuit.state
    signals, rates, results = circuit.signals, circuit.rates, circuit.results
    for d in range(circuit.address.shape[0]):
        _read(circuit, d, t, z)
        if call_address(circuit.address[d], circuit.arguments, circuit.arguments, results):
            return 1 + d
        n = np.int64(first[d + 1]) - np.int64(first[d])
        for k in range(n):
            signals[first[d] + k] = results[k]
        for k in range(last[d], last[d + 1]):
            rates[state[k]] = results[n + k - np.int64(last[d])]
    return 0


@kernel(internal=True)
def device_slopes(circuit, t, z, slope):
    """Add to the stiffness and damping of each law what its device does along the law's own measure, by differences."""
    own, arguments, results = circuit.own, circuit.arguments, circuit.results
    for k in range(own.shape[0]):
        law, d, output, place, level = own[k, 0], own[k, 1], own[k, 2], own[k, 3], own[k, 4]
        _read(circuit, d, t, z)
        value = arguments[place]
        step = STEP * max(abs(value), 1e-3)
        middle = circuit.signals[circuit.output_start[d] + output]
        arguments[place] = value + step
        if call_address(circuit.address[d], arguments, arguments, results) == 0:
            slope[law, level] += (results[output] - middle) / step * circuit.own_factor[k]
    return 0


@kernel(internal=True)
def reactions_settled(circuit, multipliers):
    """Whether devices have seen the multipliers that came out; they see these next."""
    row, seen = circuit.row, circuit.multipliers
    change, largest = 0.0, 0.0
    for k in range(row.shape[0]):
        r = row[k]
        change, largest = max(change, abs(multipliers[r] - seen[r])), max(largest, abs(multipliers[r]))
        seen[r] = multipliers[r]
    return change <= SETTLED * largest


@kernel(internal=True)
def _read(circuit, d, t, z):
    """The arguments of a device: inputs, states, parameters."""
    arguments, inputs, n = circuit.arguments, circuit.input, 0
    start, measure, coefficient = circuit.sum_start, circuit.sum_measure, circuit.sum_coefficient
    for i in range(circuit.input_start[d], circuit.input_start[d + 1]):
        kind, place = inputs[i, 0], inputs[i, 1]
        value = t
        if kind <= RATE:
            value, level = 0.0, 1 if kind == RATE else 0
            for e in range(start[place], start[place + 1]):
                value += coefficient[e] * z[measure[e], level]
        elif kind == SIGNAL:
            value = circuit.signals[place]
        elif kind == STATE:
            value = circuit.states[place]
        elif kind == MULTIPLIER:
            value = circuit.multipliers[place]
        arguments[n] = value
        n += 1
    for k in range(circuit.state_start[d], circuit.state_start[d + 1]):
        arguments[n] = circuit.states[circuit.state[k]]
        n += 1
    for k in range(circuit.parameter_start[d], circuit.parameter_start[d + 1]):
        arguments[n] = circuit.parameter[k]
        n += 1
