"""Loading a model file: its model and its analyses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from cardan import analysis as analysis_functions
from cardan.errors import ModelError, warn
from cardan.files.building.build import Builder, build
from cardan.files.building.functions import Functions
from cardan.files.building.lifted import Lifted
from cardan.files.faults import Fault, FileError, SourceLocation, did_you_mean
from cardan.files.reading import parsed
from cardan.files.reading.reader import examine
from cardan.model.model import Model


@dataclass(frozen=True)
class FileAnalysis:
    """An analysis of a file: its name, its kind and its arguments."""

    name: str
    kind: str
    arguments: Mapping[str, Any]
    file: ModelFile = field(repr=False)

    def run(self, **changes: Any) -> Any:
        """Run the analysis; `changes` are further arguments. Analyses that it starts from are run first."""
        return self.file.run(self.name, **changes)


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model file: `.model`, `.analyses`, `.parameters` by name, `.outputs` by name and `.show`."""

    path: Path
    model: Model
    parameters: Mapping[str, float]
    outputs: Mapping[str, object]
    show: tuple[str, ...]
    _builder: Builder = field(repr=False)
    _reload: Any = field(repr=False)
    _lifted: Lifted | None = field(repr=False, default=None)

    @property
    def analyses(self) -> tuple[FileAnalysis, ...]:
        """The analyses in the order of the file."""
        analyses = self._builder.file.analyses
        return tuple(FileAnalysis(a.name, a.type, self._arguments(a), self) for a in analyses)

    def run(self, name: str, **changes: Any) -> Any:
        """Run an analysis by name. Its result is kept for analyses that start from it."""
        found = {analysis.name: analysis for analysis in self._builder.file.analyses}
        if name not in found:
            raise ModelError(f"'{self.path}' has no analysis called '{name}'; {did_you_mean(name, found)}".rstrip("; "))
        analysis = found[name]
        for value in analysis.arguments.values():
            if isinstance(value, parsed.Object) and value.type == "result":
                earlier = value.arguments["name"]
                if earlier not in self._builder.results:
                    self._builder.results[earlier] = self.run(earlier)
        arguments = {**self._arguments(analysis), **changes}
        function = getattr(analysis_functions, analysis.type)
        if analysis.type in FROM_RESULT or analysis.type == "root_locus":
            result = function(**arguments)
        else:
            result = function(self.model, **arguments)
        self._builder.results[name] = result
        return result

    def _arguments(self, analysis: parsed.Analysis) -> dict[str, Any]:
        """The arguments of the function; results that are not computed yet are names."""
        found: dict[str, Any] = {}
        for key, value in analysis.arguments.items():
            if isinstance(value, parsed.Object) and value.type == "result":
                name = value.arguments["name"]
                found[key] = self._builder.results.get(name, name)
            elif isinstance(value, parsed.Object) and value.type == "builder":
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
    text: str | None = None,
) -> ModelFile:
    """Load the model and the analyses of a YAML or JSON file.

    `parameters` are other values for parameters of the file: numbers in the unit that they have in the file, or text
    such as "25 mm". `functions` is the module, or the path of the Python file, that defines the functions that the
    model names: a model file never executes code. Files that it refers to must be in its folder or in those of
    `allow`. `text` is loaded instead of the content of the file, for editors that have not saved it. `FileError` lists
    all faults by line and column.

    >>> from cardan import load_model
    >>> from cardan.examples import data
    >>> file = load_model(data("slider-crank.yaml"), parameters={"rod": 0.6})
    >>> file.model
    <planar model 'slider-crank': 3 bodies, 5 constraints>
    >>> motion = file.analyses[0].run()
    >>> round(float(motion["slider"].acceleration[0, 0]), 3)
    -26.667
    """
    content, faults = examine(path, parameters, allow, text)
    if content is None or faults:
        raise FileError(faults)
    own = functions if isinstance(functions, Functions) else Functions(functions)
    builder = build(content, own)
    outputs = {name: builder.value(value) for name, value in content.outputs.items()}
    lifted: Lifted | None = None
    if (place := content.lift) is not None:
        lifted = builder.guarded(SourceLocation(str(path)), lambda: Lifted(builder, place))
        outputs = lifted.value(outputs)
    _warn(content.warnings)

    def reload(settings: Mapping[str, Any]) -> Model:
        return load_model(path, {**(parameters or {}), **settings}, own, allow, text).model  # type: ignore[arg-type]

    model = builder.model if lifted is None else lifted.model
    model.show_in(**(content.display or {}))
    return ModelFile(Path(path), model, dict(content.parameters), outputs, content.show, builder, reload, lifted)


def _warn(found: Sequence[Fault]) -> None:
    """Emit the first warning in full and the number of the others."""
    if found:
        others = f" ({len(found) - 1} more; `cardan check` lists them)" if len(found) > 1 else ""
        warn(f"{found[0]}{others}")


def _with(reload: Any, name: str, value: float) -> Model:
    """The model with another value of a parameter."""
    model: Model = reload({name: value})
    return model
