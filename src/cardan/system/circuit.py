"""The devices of a system as tables, and their evaluation: signals and rates of states from measures, time and states.

Devices stand in an order in which each comes after those it reads. A state is a number of y; what is held is a state
without a rate. The system determines which measures, rows and states there are; a circuit may leave devices out.
Samplers follow the devices in the same tables: they are run when they are due alone, and write what is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model.device import (
    Clock,
    CurveSignal,
    Device,
    Held,
    Multiplier,
    Output,
    Rate,
    Sampler,
    Signal,
    Value,
    upstream,
)
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Address, Record
from cardan.numerics.curves.motions import MotionTable, motion, motion_table
from cardan.numerics.functions.function import call_address
from cardan.system.tables import starts

VALUE, RATE, TIME, SIGNAL, STATE, MULTIPLIER, CURVE = range(7)  # what an input is
REACTION_ITERATIONS, REACTION_TOLERANCE = (
    60,
    1e-13,
)  # solutions until forces that depend on reactions agree with them, and how well
SLACK = 1e-9  # of a period: times closer than that are one


class CircuitKernels(Record):
    """Addresses of kernels, 0 where there is nothing to do."""

    run: Address  # `run_devices`
    sample: Address  # `run_samplers`
    slopes: Address  # the kernels of `device_slopes`, for implicit methods
    bend: Address
    push: Address
    pull: Address


class Circuit(NamedTuple):
    """Devices and what they read."""

    kernels: Any
    devices: np.ndarray  # uint32[1]: how many there are; samplers follow them
    address: np.ndarray  # uint64[nd]: of each device's function
    input_start: np.ndarray  # uint32[nd + 1]
    input: np.ndarray  # uint32[ni, 2]: what it is, and its place
    sum_start: np.ndarray  # uint32[ns + 1]: sums of measures that inputs are values or rates of
    sum_measure: np.ndarray  # uint32
    sum_coefficient: np.ndarray  # float64
    curve: np.ndarray  # uint32[nc, 4]: at what a motion is read, as an input, its first term and the one after its last
    motions: MotionTable
    curve_out: np.ndarray  # float64[3]
    parameter_start: np.ndarray  # uint32[nd + 1]
    parameter: np.ndarray  # float64
    output_start: np.ndarray  # uint32[nd + 1]: places in `signals`
    state_start: np.ndarray  # uint32[nd + 1]: places in a list of
    state: np.ndarray  # uint32: places in `states`
    law: np.ndarray  # uint32[n, 3]: a law, and the kind and the place of the signal that is its strength
    # Inputs along a law's own measure: uint32[n, 5]: the law, its device, the output, the input, 0 or 1 for its rate
    own: np.ndarray
    own_factor: np.ndarray  # float64[n]: of the law's measure in that input
    own_push: np.ndarray  # float64[n, most]: how the law depends on the states of its device,
    own_pull: np.ndarray  # and their rates on that input
    block_start: np.ndarray  # uint32[nd + 1]: places in
    block: np.ndarray  # float64: how the rates of each device's states depend on these, row by row
    matrix: np.ndarray  # complex128[most, most + 1]: scratch
    sample: np.ndarray  # float64[samplers, 2]: offset and period of each;
    sampled: np.ndarray  # uint32[samplers]: the place in `states` of how often it was called,
    keeps: np.ndarray  # uint32[samplers]: and how many states it has; its outputs follow them
    row: np.ndarray  # uint32: equations whose multipliers devices read: forces and multipliers are solved together
    sample_row: np.ndarray  # uint32: those that samplers read
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
    read = (s.at if isinstance(s, CurveSignal) else s for d in devices for s in d.inputs)
    held: dict[int, Held] = {id(s): s for s in (*signals, *read) if isinstance(s, Held)}
    found += [(signal, signal.name, signal.start, max(1.0, abs(signal.start))) for signal in held.values()]
    owner, name, start, scale = zip(*found, strict=True) if found else ((), (), (), ())
    return States(tuple(owner), tuple(name), np.array(start, float), np.array(scale, float))


class Wiring(NamedTuple):
    """Where in a system the signals of devices come from: the number of each measure and row, and the states."""

    measures: dict[Measure, int]
    rows: dict[tuple[int, str], int]  # by id(element) and label
    states: States

    @property
    def beyond(self) -> int:
        """A place behind all rows."""
        return 1 + max(self.rows.values(), default=-1)


def circuit(
    laws: Sequence[Law],
    devices: Sequence[Device],
    wiring: Wiring,
    states: np.ndarray | None = None,
    multipliers: np.ndarray | None = None,
    samplers: Sequence[Sampler] = (),
) -> Any:
    """The block of all devices that the laws need, and of those stated beside, and of samplers."""
    needed = tuple(upstream([*(Output(d) for d in devices), *(w.signal for w in laws if w.signal is not None)]))
    readers: tuple[Device | Sampler, ...] = (*needed, *samplers)
    number = {id(device): k for k, device in enumerate(needed)}
    output_start = starts(len(device.outputs) for device in needed)
    place = _Places(wiring, number, output_start)
    inputs = [place(signal) for reader in readers for signal in reader.inputs]
    devices_read = sum(len(device.inputs) for device in needed)
    acting = [(k, *place(law.signal)) for k, law in enumerate(laws) if law.signal is not None]
    own = _stiff_inputs(laws, needed, number)
    functions = [reader.code(reader.parameters, reader.name) for reader in readers]
    owned = [wiring.states.first(d) + k for d in needed for k in range(len(d.states))]
    held = [wiring.states.first(held) for sampler in samplers for held in (*sampler.states, *sampler.outputs)]
    longest = max((len(d.inputs) + len(d.states) + len(d.parameters) for d in readers), default=0)
    most = max((len(d.states) for d in needed), default=0)
    tables = Circuit(
        kernels=CircuitKernels(),
        devices=np.array([len(needed)], np.uint32),
        address=np.array([function.address for function in functions], np.uint64),
        input_start=starts(len(reader.inputs) for reader in readers),
        input=np.array(inputs, np.uint32).reshape(-1, 2),
        sum_start=starts(len(parts) for parts in place.sums),
        sum_measure=np.array([wiring.measures[m] for parts in place.sums for _, m in parts], np.uint32),
        sum_coefficient=np.array([c for parts in place.sums for c, _ in parts], float),
        curve=np.array(place.curves, np.uint32).reshape(-1, 4),
        motions=motion_table(place.terms),
        curve_out=np.zeros(3),
        parameter_start=starts(len(reader.parameters) for reader in readers),
        parameter=np.array([p for reader in readers for p in reader.parameters], float),
        output_start=output_start,
        state_start=starts([*(len(d.states) for d in needed), *(len(s.states) + len(s.outputs) for s in samplers)]),
        state=np.array([*owned, *held], np.uint32),
        law=np.array(acting, np.uint32).reshape(-1, 3),
        own=np.array([line[:5] for line in own], np.uint32).reshape(-1, 5),
        own_factor=np.array([line[5] for line in own], float),
        own_push=np.zeros((len(own), most)),
        own_pull=np.zeros((len(own), most)),
        block_start=starts(len(device.states) ** 2 for device in needed),
        block=np.zeros(sum(len(device.states) ** 2 for device in needed)),
        matrix=np.zeros((most, most + 1), complex),
        sample=np.array([(sampler.offset, sampler.period) for sampler in samplers], float).reshape(-1, 2),
        sampled=np.array([wiring.states.first(sampler.count) for sampler in samplers], np.uint32),
        keeps=np.array([len(sampler.states) for sampler in samplers], np.uint32),
        row=_rows([*inputs[:devices_read], *(line[:2] for line in place.curves)], wiring),
        sample_row=_rows(inputs[devices_read:], wiring),
        signals=np.zeros(int(output_start[-1])),
        states=wiring.states.start.copy() if states is None else states,
        rates=np.zeros(wiring.states.start.size),
        multipliers=np.zeros(wiring.beyond + 1) if multipliers is None else multipliers,
        arguments=np.zeros(longest + 1),
        results=np.zeros(max((len(d.outputs) + len(d.states) for d in readers), default=0) + 1),
    )
    made, z = block(tables), np.zeros((1, 3))
    if needed:
        tables.kernels.run = pointer_to(run_devices, made, 0.0, z)
    if samplers:
        tables.kernels.sample = pointer_to(run_samplers, made, 0.0, z)
    return made


class _Places:
    """Where signals stand, as kind and place; collects the sums of measures and the curves that some of them are."""

    def __init__(self, wiring: Wiring, number: dict[int, int], output_start: np.ndarray) -> None:
        self.wiring, self.number, self.output_start = wiring, number, output_start
        self.sums: list[tuple[tuple[float, Measure], ...]] = []
        self.curves: list[tuple[int, int, int, int]] = []
        self.terms: list[Any] = []

    def __call__(self, signal: Signal) -> tuple[int, int]:
        if isinstance(signal, Value):
            self.sums.append(signal.of.parts())
            return (RATE if isinstance(signal, Rate) else VALUE), len(self.sums) - 1
        if isinstance(signal, Clock):
            return TIME, 0
        if isinstance(signal, Output):
            return SIGNAL, int(self.output_start[self.number[id(signal.device)]]) + signal.place
        if isinstance(signal, Multiplier):
            return MULTIPLIER, _row(signal, self.wiring)
        if isinstance(signal, CurveSignal):
            first = len(self.terms)
            self.terms.extend(signal.motion.terms())
            self.curves.append((*self(signal.at), first, len(self.terms)))
            return CURVE, len(self.curves) - 1
        assert isinstance(signal, Held)
        return STATE, self.wiring.states.first(signal)


def _rows(inputs: Sequence[tuple[int, int]], wiring: Wiring) -> np.ndarray:
    """Equations whose multipliers are among the inputs; beyond all rows are those that take no part."""
    found = {place for kind, place in inputs if kind == MULTIPLIER} - {wiring.beyond}
    return np.array(sorted(found), np.uint32)


def _row(signal: Multiplier, wiring: Wiring) -> int:
    """The row of a multiplier; beyond all rows if it is in reserve and takes no part in the analysis."""
    found = wiring.rows.get((id(signal.element), signal.label))
    if found is not None:
        return found
    if signal.element.switched:
        return wiring.beyond
    labels = [label for key, label in wiring.rows if key == id(signal.element)]
    title = signal.element.title
    if not labels:
        raise ModelError(f"the reaction of {title} is asked for, which is not part of the model: add it")
    raise ModelError(f"{title} has no equation '{signal.label}': it has {', '.join(map(repr, labels))}")


def _stiff_inputs(
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
    for d in range(circuit.devices[0]):
        if read_inputs(circuit, d, t, z, circuit.state_start[d + 1]):
            return 1 + d
        if call_address(circuit.address[d], circuit.arguments, circuit.arguments, results):
            return 1 + d
        n = np.int64(first[d + 1]) - np.int64(first[d])
        for k in range(n):
            signals[first[d] + k] = results[k]
        for k in range(last[d], last[d + 1]):
            rates[state[k]] = results[n + k - np.int64(last[d])]
    return 0


@kernel(internal=True)
def run_samplers(circuit, t, z):
    """Call all samplers that are due, and hold what they give. Returns 0, or 1 + the one that failed, after devices."""
    first, state, states, results = circuit.state_start, circuit.state, circuit.states, circuit.results
    devices = np.int64(circuit.devices[0])
    for k in range(circuit.sample.shape[0]):
        count, d = circuit.sampled[k], devices + k
        if circuit.sample[k, 0] + (states[count] - SLACK) * circuit.sample[k, 1] > t:
            continue
        kept = np.int64(circuit.keeps[k])
        if read_inputs(circuit, d, t, z, first[d] + kept):
            return 1 + d
        if call_address(circuit.address[d], circuit.arguments, circuit.arguments, results):
            return 1 + d
        outputs = np.int64(first[d + 1]) - np.int64(first[d]) - kept
        for j in range(kept):
            states[state[first[d] + j]] = results[outputs + j]
        for j in range(outputs):
            states[state[first[d] + kept + j]] = results[j]
        states[count] += 1.0
    return 0


@kernel(internal=True)
def reactions_settled(circuit, multipliers):
    """Whether devices have seen the multipliers that came out; they see these next.

    The change is compared with the largest of all: a reaction that passes through zero has their rounding errors.
    """
    row, seen = circuit.row, circuit.multipliers
    change, largest = 0.0, 0.0
    for k in range(row.shape[0]):
        r = row[k]
        change = max(change, abs(multipliers[r] - seen[r]))
        seen[r] = multipliers[r]
    for r in range(multipliers.shape[0]):
        largest = max(largest, abs(multipliers[r]))
    return change <= REACTION_TOLERANCE * largest


@kernel(internal=True)
def read_inputs(circuit, d, t, z, last_state):
    """The arguments of a device or sampler: inputs, states up to `last_state`, parameters. Returns a status."""
    arguments, inputs, curve, n = circuit.arguments, circuit.input, circuit.curve, 0
    for i in range(circuit.input_start[d], circuit.input_start[d + 1]):
        kind, place = inputs[i, 0], inputs[i, 1]
        if kind == CURVE:
            at, total = _number(circuit, curve[place, 0], curve[place, 1], t, z), 0.0
            for term in range(curve[place, 2], curve[place, 3]):
                if motion(circuit.motions, term, at, circuit.curve_out):
                    return 1
                total += circuit.curve_out[0]
            arguments[n] = total
        else:
            arguments[n] = _number(circuit, kind, place, t, z)
        n += 1
    for k in range(circuit.state_start[d], last_state):
        arguments[n] = circuit.states[circuit.state[k]]
        n += 1
    for k in range(circuit.parameter_start[d], circuit.parameter_start[d + 1]):
        arguments[n] = circuit.parameter[k]
        n += 1
    return 0


@kernel(internal=True)
def _number(circuit, kind, place, t, z):
    """A signal that is not a curve."""
    start, measure, coefficient = circuit.sum_start, circuit.sum_measure, circuit.sum_coefficient
    if kind <= RATE:
        value, level = 0.0, 1 if kind == RATE else 0
        for e in range(start[place], start[place + 1]):
            value += coefficient[e] * z[measure[e], level]
        return value
    if kind == SIGNAL:
        return circuit.signals[place]
    if kind == STATE:
        return circuit.states[place]
    if kind == MULTIPLIER:
        return circuit.multipliers[place]
    return t
