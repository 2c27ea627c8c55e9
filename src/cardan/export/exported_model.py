"""A model prepared for export: its tables at the start as an image, and what cannot leave Python rejected by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cardan.analysis.stepping.stepper import Stepper, stepper
from cardan.errors import ModelError
from cardan.export.code import Code
from cardan.export.image import Image, image_of
from cardan.export.kernels import advance_model, refresh_outputs
from cardan.methods import Auto, Method, method_of
from cardan.model import check
from cardan.model.model import Model
from cardan.numerics.compiled.settings import CHECKED, COMPILED


@dataclass(frozen=True)
class Variable:
    """An input or output: name, unit and value at the start."""

    name: str
    unit: str
    start: float
    parameter: bool = False  # a number of the model


@dataclass(frozen=True)
class ExportedModel:
    """All that is written."""

    name: str  # of files and functions: a C identifier
    title: str  # of the model
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    time: float  # of the start
    image: Image
    code: Code
    places: dict[str, int]  # offsets in the image


def exported_model(
    model: Model, inputs: Any, outputs: Any, name: str | None, method: Method | str, options: dict[str, Any]
) -> ExportedModel:
    """The model as it stands before its first step."""
    check.instance(model, Model, "the model to export")
    if not COMPILED or CHECKED:
        raise ModelError("models are exported as machine code: unset NUMBA_DISABLE_JIT and CARDAN_BOUNDSCHECK")
    if isinstance(method_of(method, "the method of an exported model"), Auto):
        raise ModelError(
            "method 'auto' changes the integrator in Python and cannot be exported: use 'dop853', or 'radau' for stiff "
            "forces"
        )
    sim = stepper(model, inputs, outputs, method=method, **options)
    _require_no_decisions(sim)
    identifier = _identifier(name or model.name)
    code = Code(identifier, [(advance_model, (sim.station, 0.0)), (refresh_outputs, (sim.station,))])
    image = image_of(sim.station, code.number_of)
    station, clock = sim.station, sim.run.stepper.clock.array
    place = image.place(station.address)
    assert place is not None
    places = {
        "station": place,
        "inputs": image.offset_of(station.inputs),
        "outputs": image.offset_of(station.outputs),
        "time": image.offset_of(clock) + _field(clock, "now"),
        "failure": image.offset_of(sim.run.stepper.outcome.array) + _field(sim.run.stepper.outcome.array, "failure"),
        "failed_input": image.offset_of(station.control.array) + _field(station.control.array, "failed"),
    }
    numbers = {one.name for one in sim.listed_inputs if one.parameter is not None}
    return ExportedModel(
        identifier,
        model.name,
        tuple(Variable(key, sim.units[key], sim[key], key in numbers) for key in sim.input_names),
        tuple(Variable(key, sim.units[key], sim[key]) for key in sim.output_names),
        sim.time,
        image,
        code,
        places,
    )


def _require_no_decisions(sim: Stepper) -> None:
    """Reject what Python does during a run."""
    if sim.interpreted_outputs:
        names = ", ".join(f"'{name}'" for name in sim.interpreted_outputs)
        raise ModelError(
            f"outputs {names} are computed in Python and cannot be exported: use measures, forces or signals"
        )
    if sim.run.events:
        titles = ", ".join(dict.fromkeys(event.title for event in sim.run.events))
        raise ModelError(
            f"{titles} cannot be exported: Python handles events during a run. Use contacts with a stiffness and "
            "friction with a creep speed"
        )


def _identifier(name: str) -> str:
    """A name as a C identifier."""
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return f"model_{found}" if not found or found[0].isdigit() else found


def _field(record: Any, name: str) -> int:
    return int(record.dtype.fields[name][1])


def names_of(variables: Sequence[Variable]) -> list[str]:
    return [variable.name for variable in variables]
