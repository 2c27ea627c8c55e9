"""A model file that was loaded: the model, and the analyses that the file asks for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from cardan.errors import CardanError, CardanWarning
from cardan.files.building.build import Builder, build
from cardan.files.building.functions import Functions
from cardan.files.building.lifting import Lifted
from cardan.files.faults import Fault, FileError, Place
from cardan.files.reading import parsed as stated
from cardan.files.reading.reader import examine
from cardan.model.model import Model


@dataclass(frozen=True)
class StatedAnalysis:
    """An analysis that a file asks for: its name, its kind and its arguments."""

    name: str
    kind: str
    arguments: Mapping[str, Any]
    file: ModelFile = field(repr=False)

    def run(self, **changes: Any) -> Any:
        """The result; `changes` are further arguments. What it starts from is computed first."""
        return self.file.run(self.name, **changes)


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a file states: `.model`, `.analyses`, `.parameters` by name, `.outputs` by name and `.show`."""

    path: Path
    model: Model
    parameters: Mapping[str, float]
    outputs: Mapping[str, Any]
    show: tuple[str, ...]
    _builder: Builder = field(repr=False)
    _reload: Any = field(repr=False)
    _lifted: Lifted | None = field(repr=False, default=None)

    @property
    def analyses(self) -> tuple[StatedAnalysis, ...]:
        """The analyses in the order of the file."""
        sheet = self._builder.sheet
        return tuple(StatedAnalysis(a.name, a.type, self._arguments(a), self) for a in sheet.analyses)

    def run(self, name: str, **changes: Any) -> Any:
        """The result of an analysis by its name. Results that others start from are kept."""
        import cardan

        found = {analysis.name: analysis for analysis in self._builder.sheet.analyses}
        if name not in found:
            from cardan.errors import ModelError
            from cardan.files.faults import near

            raise ModelError(f"'{self.path}' has no analysis called '{name}'; {near(name, found)}".rstrip("; "))
        analysis = found[name]
        for value in analysis.arguments.values():
            if isinstance(value, stated.Made) and value.type == "result":
                earlier = value.arguments["name"]
                if earlier not in self._builder.results:
                    self._builder.results[earlier] = self.run(earlier)
        arguments = {**self._arguments(analysis), **changes}
        function = getattr(cardan, analysis.type)
        if analysis.type in FROM_RESULT or analysis.type == "root_locus":
            result = function(**arguments)
        else:
            result = function(self.model, **arguments)
        self._builder.results[name] = result
        return result

    def _arguments(self, analysis: stated.Analysis) -> dict[str, Any]:
        """The arguments as the analysis takes them; results that are not there yet stay names."""
        found: dict[str, Any] = {}
        for key, value in analysis.arguments.items():
            if isinstance(value, stated.Made) and value.type == "result":
                name = value.arguments["name"]
                found[key] = self._builder.results.get(name, name)
            elif isinstance(value, stated.Made) and value.type == "builder":
                found[key] = partial(_with, self._reload, value.arguments["parameter"])
            else:
                made = self._builder.value(value)
                found[key] = made if self._lifted is None else self._lifted.value(made)
        return found


FROM_RESULT = ("sensitivities", "motion_sensitivities")


def load_model(
    path: str | Path,
    parameters: Mapping[str, Any] | None = None,
    functions: ModuleType | Mapping[str, Any] | str | Path | None = None,
    allow: Sequence[str | Path] = (),
) -> ModelFile:
    """The model of a YAML or JSON file, with its analyses.

    `parameters` give parameters of the file other values: numbers in the unit that they have there, or texts such as
    "25 mm". `functions` is the module, or the path of the file, in which the functions are that the model names: a
    model file itself never executes anything. Files that it names must lie in its folder, or in those of `allow`.
    A file at fault raises `FileError`, which lists all that is wrong by line and column.

    >>> from cardan import load_model
    >>> from cardan.examples import data
    >>> file = load_model(data("slider-crank.yaml"), parameters={"rod": 0.6})
    >>> file.model
    <planar model 'slider-crank': 3 bodies, 5 constraints>
    >>> motion = file.analyses[0].run()
    >>> round(float(motion["slider"].acceleration[0, 0]), 3)
    -26.667
    """
    sheet, faults = examine(path, parameters, allow)
    if sheet is None or faults:
        raise FileError(faults)
    own = functions if isinstance(functions, Functions) else Functions(functions)
    builder = build(sheet, own)
    outputs = {name: builder.value(value) for name, value in sheet.outputs.items()}
    lifted: Lifted | None = None
    if (place := sheet.lift) is not None:
        lifted = builder.guarded(Place(str(path)), lambda: Lifted(builder, place))
        outputs = lifted.value(outputs)
    _tell(sheet.doubts)

    def reload(settings: Mapping[str, Any]) -> Model:
        return load_model(path, {**(parameters or {}), **settings}, own, allow).model  # type: ignore[arg-type]

    model = builder.model if lifted is None else lifted.model
    return ModelFile(Path(path), model, dict(sheet.parameters), outputs, sheet.show, builder, reload, lifted)


def _tell(doubts: Sequence[Fault]) -> None:
    """Warn of what should be looked at: the first in full, the others by their number."""
    if doubts:
        others = f" ({len(doubts) - 1} more like it: `cardan check` lists them)" if len(doubts) > 1 else ""
        warnings.warn(f"{doubts[0]}{others}", CardanWarning, stacklevel=3)


def _with(reload: Any, name: str, value: float) -> Model:
    """The model with another value of one parameter."""
    model: Model = reload({name: value})
    return model


__all__ = ["CardanError", "ModelFile", "StatedAnalysis", "load_model"]
