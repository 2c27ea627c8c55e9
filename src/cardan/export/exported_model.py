"""A model prepared for export: its tables at the start as an image, and what cannot leave Python rejected by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.analysis.forward.state import Run
from cardan.analysis.stepping.event_kernels import event_tables
from cardan.analysis.stepping.stepper import Stepper, stepper
from cardan.errors import ModelError
from cardan.export.code import Code
from cardan.export.exchange_kernels import (
    exchange_begin,
    exchange_complete,
    exchange_next,
    exchange_rates,
    exchange_slopes,
    exchange_update,
)
from cardan.export.kernels import ExportOptions, ExportTables, advance_model, refresh_outputs
from cardan.methods import Auto, Method, method_of
from cardan.model import check
from cardan.model.device import Device
from cardan.model.model import Model
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.image import Image, image_of
from cardan.numerics.compiled.settings import CHECKED, COMPILED

ENTRIES = (refresh_outputs, exchange_begin, exchange_rates, exchange_complete, exchange_update, exchange_next)


@dataclass(frozen=True)
class Variable:
    """An input, an output or a state: name, unit and value at the start."""

    name: str
    unit: str
    start: float
    parameter: bool = False  # a number of the model
    nominal: float = 1.0
    driver: bool = False  # prescribes a motion over a step


@dataclass(frozen=True)
class ExportedModel:
    """All that is written."""

    name: str  # of files and functions: a C identifier
    title: str  # of the model
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    states: tuple[Variable, ...]
    indicators: int
    time: float  # of the start
    image: Image
    code: Code
    places: dict[str, int]  # offsets in the image
    derivatives: bool


def exported_model(
    model: Model,
    inputs: Any,
    outputs: Any,
    name: str | None,
    method: Method | str,
    options: dict[str, Any],
    derivatives: bool = False,
) -> ExportedModel:
    """The model as it stands before its first step; with functions for `derivatives` if asked."""
    check.instance(model, Model, "the model to export")
    if not COMPILED or CHECKED:
        raise ModelError("models are exported as machine code: unset NUMBA_DISABLE_JIT and CARDAN_BOUNDSCHECK")
    if isinstance(method_of(method, "the method of an exported model"), Auto):
        raise ModelError(
            "method 'auto' changes the integrator in Python and cannot be exported: use 'dop853', or 'radau' for stiff "
            "forces"
        )
    sim = stepper(model, inputs, outputs, method=method, **options)
    if sim.interpreted_outputs:
        names = ", ".join(f"'{name}'" for name in sim.interpreted_outputs)
        raise ModelError(
            f"outputs {names} are computed in Python and cannot be exported: use measures, forces or signals; joint "
            "reactions need coordinates='cartesian', and no redundant or switching joints"
        )
    states = _states(sim.run)
    tables = block(_tables(sim, [place for place, _ in states], [one.nominal for _, one in states]))
    identifier = _identifier(name or model.name)
    entries = [*ENTRIES, exchange_slopes] if derivatives else ENTRIES
    code = Code(identifier, [(advance_model, (tables, 0.0)), *((entry, (tables,)) for entry in entries)])
    image = image_of(code.number_of, tables)
    if derivatives:
        code.differentiate(len(entries), len(image.data))
    return ExportedModel(
        identifier,
        model.name,
        _inputs(sim),
        tuple(Variable(key, sim.units[key], sim[key]) for key in sim.output_names),
        tuple(one for _, one in states),
        len(sim.run.events),
        sim.time,
        image,
        code,
        _places(sim, tables, image),
        derivatives,
    )


def _tables(sim: Stepper, places: list[int], nominal: list[float]) -> ExportTables:
    """The tables of the stepper, and those of events and states."""
    run, events, count = sim.run, len(sim.run.events), len(places)
    return ExportTables(
        station=sim.station,
        handling=event_tables(run),
        options=ExportOptions(),
        settings=run.machine.settings,
        states=np.array(places, np.int64),
        time=np.array([sim.time, np.inf]),
        x=run.stepper.y[places],
        dx=np.zeros(count),
        indicators=np.ones(events),
        before=np.ones(events),
        nominal=np.array(nominal, float),
    )


def _places(sim: Stepper, tables: Any, image: Image) -> dict[str, int]:
    """Where C finds things in the image."""
    station, clock = sim.station, sim.run.stepper.clock.array
    place = image.place(tables.address)
    assert place is not None
    return {
        "tables": place,
        "inputs": image.offset_of(station.inputs),
        "applied": image.offset_of(station.applied),
        "outputs": image.offset_of(station.outputs),
        "time": image.offset_of(clock) + _field(clock, "now"),
        "exchange_time": image.offset_of(tables.time),
        "x": image.offset_of(tables.x),
        "dx": image.offset_of(tables.dx),
        "indicators": image.offset_of(tables.indicators),
        "opened": image.offset_of(tables.options.array) + _field(tables.options.array, "opened"),
    }


def _inputs(sim: Stepper) -> tuple[Variable, ...]:
    return tuple(
        Variable(one.name, one.unit, sim[one.name], parameter=one.parameter is not None, driver=one.driver is not None)
        for one in sim.listed_inputs
    )


def _states(run: Run) -> list[tuple[int, Variable]]:
    """What another integrator would integrate: places in y, names, values and sizes. Work and held numbers are not."""
    system, y, positions = run.system, run.stepper.y, run.sizes.positions
    joint, space, length = run.mechanism is not run.machine, run.system.space, run.system.length
    found: list[tuple[int, str, float]] = []
    if joint:
        spanning = run.formulation.tables.spanning  # type: ignore[attr-defined]
        sizes = 1.0 / run.mechanism.size
        found += [(k, f"{key}", 1.0) for k, key in enumerate(spanning.coordinates)]
        found += [(positions + k, f"{key}.rate", sizes[k]) for k, key in enumerate(spanning.speeds)]
    else:
        for b, body in enumerate(system.bodies, 1):
            lengths = [length if k < space.dimensions else 1.0 for k in range(space.stored)]
            for k, (key, size) in enumerate(zip(space.names_of(body), lengths, strict=False)):
                found.append((space.stored * b + k, f"{body.name}.{key}", size))
            speeds = space.coordinate_names if body.has_orientation else space.coordinate_names[: space.dimensions]
            for k, key in enumerate(speeds):
                size = length if k < space.dimensions else 1.0
                found.append((positions + system.width * b + k, f"{body.name}.{key}.rate", size))
        for k in range(len(system.contact_coordinates)):
            place = space.stored * (1 + len(system.bodies)) + k
            found += [(place, f"contact{k + 1}", 1.0)]
            found += [(positions + system.width * (1 + len(system.bodies)) + k, f"contact{k + 1}.rate", 1.0)]
    first = y.size - system.states.start.size
    for k, (owner, key) in enumerate(zip(system.states.owner, system.states.name, strict=True)):
        if isinstance(owner, Device):
            found.append((first + k, f"{owner.name or 'device'}.{key}", float(system.states.scale[k])))
    return [
        (place, Variable(f"state.{k + 1}.{key}", "", float(y[place]), nominal=float(size)))
        for k, (place, key, size) in enumerate(sorted(found))
    ]


def _identifier(name: str) -> str:
    """A name as a C identifier."""
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return f"model_{found}" if not found or found[0].isdigit() else found


def _field(record: Any, name: str) -> int:
    return int(record.dtype.fields[name][1])
