"""Outputs of a stepper: columns of results, measures, or any signal of a device.

Columns of bodies, points, joints, measures, forces, drivers and control signals are read in machine code, and so are
joint reactions in Cartesian coordinates, if no joint is redundant and nothing switches. The others, such as powers, are
computed from the whole state in Python, after each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardan.analysis.forward.state import Run
from cardan.analysis.stepping.kernels import MULTIPLIER, SIGNAL, STRENGTH
from cardan.elements.control.source import Source
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Clock, Held, Output, Rate, Signal, Value, upstream
from cardan.model.force import Law
from cardan.model.measure import Measure, Readable
from cardan.model.model import Model, measure_name
from cardan.results.columns import Columns, rate_unit
from cardan.results.compiled_reading import FORCE, MEASURE, TIME, Hint, Part, Y, parts_of, reaction_parts
from cardan.system.cartesian.mechanism_tables import moving_devices
from cardan.system.parallel import Parallel
from cardan.system.system import System

LEVELS = {"value": 0, "rate": 1, "acceleration": 2}


@dataclass(frozen=True)
class StepOutput:
    """One output: what it is called, and a column, a signal, or a measure at a level."""

    name: str
    unit: str
    column: str = ""
    measure: Readable | None = None
    level: int = 0
    signal: Signal | None = None


def stated_outputs(model: Model, stated: Any) -> list[Any]:
    """What the user lists."""
    if isinstance(stated, str | Readable | Signal | Source) or not isinstance(stated, Sequence):
        stated = [stated]
    for item in stated:
        pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Readable)
        if pair:
            check.choice(item[1], tuple(LEVELS), f"what is read of {item[0]}")
        if not pair and not isinstance(item, str | Readable | Signal | Source):
            raise ModelError(
                "an output of stepper() must be the name of a column, a measure, (measure, 'rate'), a signal or a "
                f"block, got {check.describe(item)}"
            )
        measure = item[0] if pair else item
        if isinstance(measure, Readable):
            for _, part in measure.parts():
                if any(marker.body not in model and marker.body is not model.ground for marker in part.markers()):
                    raise ModelError(
                        f"{measure}, an output of stepper(), refers to a body that model '{model.name}' does not have"
                    )
    return list(stated)


def laws_to_read(stated: Sequence[Any]) -> list[Law]:
    """Laws that make the system follow angles and evaluate signals that outputs read."""
    found = []
    for item in stated:
        measure = item[0] if isinstance(item, tuple) else item
        if isinstance(measure, Readable):
            found.append(Law(measure.parts()))
        elif isinstance(item, Signal):
            found.append(Law(tuple((1.0, m) for m in item.measures()), signal=item if item.sources() else None))
    return found


def outputs_of(system: System, stated: Sequence[Any], columns: Columns) -> list[StepOutput]:
    """All outputs, checked against the columns of the model, each once."""
    found = [_resolved(system.model, item, columns) for item in stated]
    names = [one.name for one in found]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise ModelError(f"'{twice}' is listed twice in outputs of stepper(); list it once")
    return found


def parts_in(run: Run, output: StepOutput, columns: Columns, forces: list[tuple[int, int]]) -> list[Part] | None:
    """The parts that machine code reads; forces among them are appended to `forces`. None: the output needs Python."""
    system = run.system
    if output.measure is not None:
        if output.level == 2 and any(m.kind in Measure.TOUCHES for _, m in output.measure.parts()):
            raise ModelError(f"the acceleration of {output.measure} is not known: surfaces that touch have none")
        return [Part(MEASURE, 0, m, output.level, c) for c, m in output.measure.parts()]
    if output.signal is not None:
        return _of_signal(run, output.signal, forces)
    column = columns[output.column]
    if output.column == "time":
        return [Part(TIME)]
    if column.law is not None:
        return _force(forces, STRENGTH, column.law)
    if column.constraint_force is not None:
        rows = system.rows_of(column.constraint_force)
        return None if rows.size != 1 else [_force(forces, MULTIPLIER, int(rows[0]))[0]._replace(factor=-1.0)]
    if column.reaction is not None:
        return _of_reaction(run, *column.reaction, forces)
    if column.signal is not None:
        element, name = column.signal
        if isinstance(element, Source):
            signal = element[name] if name in _outputs(element) else None
            return _of_signal(run, signal, forces) if signal is not None else _of_state(run, element, name)
        return None
    return parts_of(system, output.column, columns)


def hint_of(run: Run, measure: Measure) -> Hint | None:
    """How the value of an angle follows, whole turns included, from what a run follows."""
    system, tables = run.system, getattr(run.formulation, "tables", None)
    known = {m: k for k, m in enumerate(system.measures)}
    terms: tuple[tuple[float, Measure], ...] = ((1.0, measure),)
    constant = 0.0
    if measure not in known:
        relation = Parallel(system.space, system.elements).relation(measure) if measure.kind == "angle" else None
        if relation is None or any(m not in known for _, m in relation[0]):
            return None
        terms, constant = relation
    found: list[tuple[float, int, bool]] = []
    for factor, one in terms:
        place = known[one]
        if tables is None:
            found.append((factor, system.winding.tolist().index(place), False))
            continue
        counting = tables.counting
        counted = counting.measure.tolist()
        if place in counted:
            n = counted.index(place)
            for k in range(int(counting.start[n]), int(counting.start[n + 1])):
                found.append((factor * float(counting.sign[k]), int(counting.place[k]), True))
            constant += factor * float(counting.constant[n])
        else:
            followed = tables.measures[tables.lighter.winding].tolist()
            found.append((factor, followed.index(place), False))
    return Hint(tuple(found), constant)


def _resolved(model: Model, item: Any, columns: Columns) -> StepOutput:
    if isinstance(item, str):
        if item not in columns or item in ("iterations", "steps"):
            near = columns.suggestion(item)
            hint = f"did you mean {near}?" if near else "see run.columns of a simulation"
            raise ModelError(f"'{item}' in outputs of stepper() is not a column of model '{model.name}': {hint}")
        return StepOutput(item, columns[item].unit, column=item)
    if isinstance(item, tuple):
        measure, word = item
        name = measure_name(model, measure)
        full = name if word == "value" else f"{word} of {name}"
        return StepOutput(full, rate_unit(measure.unit, LEVELS[word]), measure=measure, level=LEVELS[word])
    if isinstance(item, Readable):
        return StepOutput(measure_name(model, item), item.unit, measure=item)
    if isinstance(item, Source):
        return StepOutput(item.name, "", signal=item.output)
    if isinstance(item, Value):
        level = 1 if isinstance(item, Rate) else 0
        name = measure_name(model, item.of)
        unit = rate_unit(item.of.unit, level)
        return StepOutput(f"rate of {name}" if level else name, unit, measure=item.of, level=level)
    name = item.name if isinstance(item, Held) else getattr(getattr(item, "device", None), "name", "")
    return StepOutput(name or type(item).__name__.lower(), "", signal=item)


def _force(forces: list[tuple[int, int]], kind: int, place: int) -> list[Part]:
    if (kind, place) not in forces:
        forces.append((kind, place))
    return [Part(FORCE, forces.index((kind, place)))]


def _of_reaction(run: Run, joint: Any, component: int, forces: list[tuple[int, int]]) -> list[Part] | None:
    """A joint reaction, where each row has a multiplier: in Cartesian coordinates without redundant joints."""
    if run.mechanism is not run.machine or not run.machine.active.all() or run.events:
        return None
    kept = list(forces)
    found = reaction_parts(run.system, joint, component, lambda row: _force(forces, MULTIPLIER, row)[0].column)
    if found is None:
        forces[:] = kept
    return found


def _of_signal(run: Run, signal: Signal, forces: list[tuple[int, int]]) -> list[Part] | None:
    if isinstance(signal, Clock):
        return [Part(TIME)]
    if isinstance(signal, Held):
        return [Part(Y, run.sizes.y - run.system.states.start.size + run.system.states.first(signal))]
    if not isinstance(signal, Output):
        return None
    laws = run.system.laws
    wanted = [*(Output(d) for d in moving_devices(run.system)), *(w.signal for w in laws if w.signal is not None)]
    devices = list(upstream(wanted))  # in the order of the circuit
    place = next((k for k, device in enumerate(devices) if device is signal.device), None)
    if place is None:
        return None
    start = run.machine.forces.circuit.output_start
    return _force(forces, SIGNAL, int(start[place]) + signal.place)


def _of_state(run: Run, element: Source, name: str) -> list[Part] | None:
    """A state of the device of a block."""
    states = run.system.states
    for k, (owner, known) in enumerate(zip(states.owner, states.name, strict=True)):
        if any(owner is device for device in element.devices()) and known == name:
            return [Part(Y, run.sizes.y - states.start.size + k)]
    return None


def _outputs(element: Source) -> tuple[str, ...]:
    """Names of what can be read of an element as a signal."""
    found = [name for device in element.devices() for name in device.outputs]
    return tuple(found) if found else element.names()
