"""A case: the model of an example or a Python file, with the analysis, output times and columns that it states."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cardan.errors import ModelError
from cardan.examples import Headline, analysis, load, names, summary
from cardan.model.model import Model

if TYPE_CHECKING:
    from cardan.study.sampling import Grid, Table
    from cardan.study.study import Study

Variation = Mapping[str, Sequence[float]] | Sequence[Mapping[str, float]]
READERS = {".urdf": "from_urdf", ".sdf": "from_sdf", ".xml": "from_mjcf"}  # files of robots are read by scripts
AT_REST = ("equilibrium", "equilibrium_path")  # analyses without output times


class CaseError(ModelError):
    """A model, a parameter of build(), or a value of it does not exist."""


@dataclass(frozen=True)
class Case:
    """A model, its name and what its file defines: TIMES, SHOW, HEADLINE, ANALYSIS, VARIATION, build(), options()."""

    name: str
    model: Model
    summary: str = ""
    times: tuple[float, float, int] | None = None
    show: tuple[str, ...] = ()
    headline: Headline | None = None
    analysis: str = "kinematics"
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of its analysis
    variation: Variation = field(default_factory=dict)  # values of arguments of build(), or a list of designs
    build: Callable[..., Model] | None = None
    state: Callable[[Model], Mapping[str, Any]] | None = None  # options() of the file
    results: tuple[Any, ...] = ()  # motions that the file computed itself

    @property
    def has_times(self) -> bool:
        """Whether the analysis of the case can be run as the file states it."""
        return self.times is not None or self.analysis in AT_REST

    def compute(self, times: Any = None, analysis: str = "", **changes: Any) -> Any:
        """Run an analysis, by default that of the file.

        `times` are output times, by default those of the file. `changes` are further arguments of the analysis.
        """
        import numpy as np

        import cardan
        from cardan.results.trajectory import Trajectory

        chosen = analysis or self.analysis
        options = {**(self.options if chosen == self.analysis else {}), **changes}
        if chosen in AT_REST:
            return getattr(cardan, chosen)(self.model, **options)
        if times is None:
            if self.times is None:
                raise CaseError(f"'{self.name}' does not state how long it moves: define TIMES = (start, end, count)")
            times = np.linspace(*self.times)
        if chosen == "simulate":
            run = cardan.simulate(self.model, times[-1], output=times, **options)
        else:
            run = getattr(cardan, chosen)(self.model, times, **options)
        if isinstance(run, Trajectory):
            run.show = tuple(self.show)  # what its page draws first
        return run


def vary(
    case: Case, plan: Any = None, outputs: Any = (), times: Any = None, analysis: str = "", **options: Any
) -> Study:
    """Run a study of a case, by default of the designs that its file states; see `cardan.study`."""
    from cardan.study.study import study

    if plan is None:
        if not case.variation:
            raise CaseError(f"'{case.name}' states no designs: define VARIATION = {{'rod': (0.3, 0.27)}}")
        plan = designs_of(case.variation)
    build = case.build or (lambda: case.model)
    function, arguments = study_analysis(case, times, analysis)
    return study(build, plan, function, outputs or case.show, **arguments, **options)


def designs_of(variation: Variation) -> Grid | Table:
    """The plan of the designs that a file states: all combinations of values, or a list of designs."""
    from cardan.study.sampling import designs, grid

    if isinstance(variation, Mapping):
        return grid({name: list(values) for name, values in variation.items()})
    return designs({name: [design[name] for design in variation] for name in variation[0]})


def study_analysis(case: Case, times: Any = None, analysis: str = "") -> tuple[Any, dict[str, Any]]:
    """The analysis of a case and its arguments as `study` takes them: by name or, if options depend on the model, as a
    function of the model."""
    chosen = analysis or case.analysis
    if times is None and case.times is not None and chosen not in (*AT_REST, "assemble"):
        import numpy as np

        times = np.linspace(*case.times)
    if case.state is not None or chosen == "equilibrium_path":
        return analysis_function(case, times, chosen), {} if times is None else {"times": times}
    if times is None:
        return chosen, {}
    return chosen, {"until": times[-1], "output": times} if chosen == "simulate" else {"times": times}


def analysis_function(case: Case, times: Any = None, analysis: str = "") -> Callable[[Model], Any]:
    """The analysis of a case as a function of the model; options() of the file is called for each design."""
    chosen = analysis or case.analysis

    def compute(model: Model) -> Any:
        options = {} if case.state is None else case.state(model)
        return replace(case, model=model, options=options).compute(times, chosen, **_without_progress(chosen))

    compute.__name__ = chosen
    return compute


def _without_progress(analysis: str) -> dict[str, Any]:
    return {"progress": False} if analysis in ("kinematics", "inverse_dynamics", "simulate") else {}


def load_module(source: str) -> tuple[str, ModuleType]:
    """The name and module of an example or a Python file."""
    if source in names():
        return source, load(source)
    path = Path(source)
    if not path.is_file():
        from difflib import get_close_matches

        near = get_close_matches(source, names(), 1)
        hint = f"did you mean '{near[0]}'?" if near else "`cardan examples` lists the examples"
        raise CaseError(f"'{source}' is neither an example nor a file; {hint}")
    return path.stem, _execute(path)


def load_case(source: str, settings: Mapping[str, str]) -> Case:
    """The case of an example or a Python file; `settings` are arguments of its build()."""
    name, module = load_module(source)
    about = summary(source) if source in names() else ""
    model = _built(module, source, settings)
    return Case(
        name=name,
        model=model,
        summary=about,
        times=getattr(module, "TIMES", None),
        show=tuple(getattr(module, "SHOW", ())),
        headline=getattr(module, "HEADLINE", None),
        analysis=analysis(module),
        options=_options(module, source, model),
        variation=getattr(module, "VARIATION", {}),
        build=getattr(module, "build", None),
        state=getattr(module, "options", None),
        results=_results(module) if "build" not in vars(module) else (),
    )


def _results(module: ModuleType) -> tuple[Any, ...]:
    """The motions among the variables of a script."""
    from cardan.results.trajectory import Trajectory

    return tuple(value for value in vars(module).values() if isinstance(value, Trajectory))


def _options(module: ModuleType, source: str, model: Model) -> Mapping[str, Any]:
    """Further arguments of the analysis, which options(model) of the file returns."""
    state = getattr(module, "options", None)
    found = {} if state is None else _located_error(Path(source), lambda: state(model))
    if not isinstance(found, Mapping):
        raise CaseError(f"options() of '{source}' must return a dictionary of arguments, got {type(found).__name__}")
    return found


def _execute(path: Path) -> ModuleType:
    """Execute a Python file; it can import the files next to it."""
    spec = importlib.util.spec_from_file_location(f"cardan_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        reader = READERS.get(path.suffix.lower())
        raise CaseError(
            f"'{path}' is not a Python file; "
            + (f"write one that contains model = {reader}('{path.name}')" if reader else "its name must end in .py")
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.resolve().parent))
    _located_error(path, lambda: spec.loader.exec_module(module))  # type: ignore[union-attr]
    return module


def _built(module: ModuleType, source: str, settings: Mapping[str, str]) -> Model:
    build = getattr(module, "build", None)
    if build is not None:
        arguments = _arguments(build, source, settings)
        model = _located_error(Path(source), lambda: build(**arguments))
    else:
        if settings:
            raise CaseError(f"'{source}' has no build() for the parameter {', '.join(settings)}")
        model = getattr(module, "model", None)
        if model is None and (found := _results(module)):
            model = found[-1].model
    if not isinstance(model, Model):
        raise ModelError(f"'{source}' must define `model`, or `build()` that returns one; found {type(model).__name__}")
    return model


def _arguments(build: Callable[..., Any], source: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Convert text to the types of the defaults of build()."""
    known = inspect.signature(build).parameters
    arguments = {}
    for name, text in settings.items():
        if name not in known:
            offered = ", ".join(known) or "none"
            raise CaseError(f"build() of '{source}' has no parameter '{name}'; it has: {offered}")
        default = known[name].default
        kind = type(default) if isinstance(default, int | float | str) and not isinstance(default, bool) else float
        try:
            arguments[name] = text if kind is str else kind(text)
        except ValueError:
            raise CaseError(f"parameter '{name}' of '{source}' must be a number, not {text!r}") from None
    return arguments


def _located_error(path: Path, action: Callable[[], Any]) -> Any:
    """Convert an error in a user's file to a message with the line."""
    try:
        return action()
    except (ModelError, ImportError):
        raise
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == path.name]
        line = error.lineno if isinstance(error, SyntaxError) else (frames[-1].lineno if frames else None)
        place = f"'{path}', line {line}" if line else f"'{path}'"
        text = error.msg if isinstance(error, SyntaxError) else error
        raise ModelError(f"{place}: {type(error).__name__}: {text}") from error
