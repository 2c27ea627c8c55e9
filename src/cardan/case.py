"""A case for the command line: a model from a built-in example or a Python file, and what the file says about it."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from cardan.errors import ModelError
from cardan.examples import Headline, analysis, load, names, summary
from cardan.model.model import Model

Variation = Mapping[str, Sequence[float]] | Sequence[Mapping[str, float]]
AT_REST = ("equilibrium", "equilibrium_path")  # analyses without instants


class CaseError(ModelError):
    """What was asked for does not exist: a model, a parameter of build(), a value that it could take."""


@dataclass(frozen=True)
class Case:
    """A model with its name, and what its file may state beside it."""

    name: str
    model: Model
    summary: str = ""
    times: tuple[float, float, int] | None = None
    show: tuple[str, ...] = ()
    headline: Headline | None = None
    analysis: str = "kinematics"
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of its analysis
    variation: Variation = field(default_factory=dict)  # arguments of build() with their values, or a list
    build: Callable[..., Model] | None = None  # what makes the model,
    state: Callable[[Model], Mapping[str, Any]] | None = None  # and what states the options of its analysis

    def compute(self, times: Any = None, analysis: str = "", **changes: Any) -> Any:
        """The result of an analysis, of the one that the file asks for unless another is named.

        `times` are instants, those of the file unless stated. `changes` are further arguments of the analysis.
        """
        import numpy as np

        import cardan

        chosen = analysis or self.analysis
        options = {**(self.options if chosen == self.analysis else {}), **changes}
        if chosen in AT_REST:
            return getattr(cardan, chosen)(self.model, **options)
        if times is None:
            if self.times is None:
                raise CaseError(f"'{self.name}' does not say for how long it moves: state TIMES = (start, end, count)")
            times = np.linspace(*self.times)
        if chosen == "simulate":
            return cardan.simulate(self.model, times[-1], output=times, **options)
        return getattr(cardan, chosen)(self.model, times, **options)


def vary(case: Case, plan: Any = None, outputs: Any = (), times: Any = None, analysis: str = "", **options: Any) -> Any:
    """The study of a case: of the designs that its file states, unless a plan tells others; see `cardan.study`."""
    from cardan.study.study import study

    if plan is None:
        if not case.variation:
            raise CaseError(f"'{case.name}' states no designs: VARIATION = {{'rod': (0.3, 0.27)}}, of build()")
        plan = designs_of(case.variation)
    build = case.build or (lambda: case.model)
    how, stated = asked(case, times, analysis)
    return study(build, plan, how, outputs or case.show, **stated, **options)


def designs_of(variation: Variation) -> Any:
    """The plan of the designs that a file states: every combination of values, or the designs of a list."""
    from cardan.study.sampling import designs, grid

    if isinstance(variation, Mapping):
        return grid({name: list(values) for name, values in variation.items()})
    return designs({name: [design[name] for design in variation] for name in variation[0]})


def asked(case: Case, times: Any = None, analysis: str = "") -> tuple[Any, dict[str, Any]]:
    """The analysis of a case as a study wants it, with its arguments: by name or, where the file states arguments that
    depend on the model, as a function of it."""
    chosen = analysis or case.analysis
    if times is None and case.times is not None and chosen not in (*AT_REST, "assemble"):
        import numpy as np

        times = np.linspace(*case.times)
    if case.state is not None or chosen == "equilibrium_path":
        return computing(case, times, chosen), {} if times is None else {"times": times}
    if times is None:
        return chosen, {}
    return chosen, {"until": times[-1], "output": times} if chosen == "simulate" else {"times": times}


def computing(case: Case, times: Any = None, analysis: str = "") -> Callable[[Model], Any]:
    """The analysis of a case as a function of its model; what its file states of it is asked of each design."""
    chosen = analysis or case.analysis

    def compute(model: Model) -> Any:
        options = {} if case.state is None else case.state(model)
        return replace(case, model=model, options=options).compute(times, chosen, **_quiet(chosen))

    compute.__name__ = chosen
    return compute


def _quiet(analysis: str) -> dict[str, Any]:
    return {"progress": False} if analysis in ("kinematics", "inverse_dynamics", "simulate") else {}


def load_module(source: str) -> tuple[str, ModuleType]:
    """Name and module behind an example's name or a file's path."""
    if source in names():
        return source, load(source)
    path = Path(source)
    if not path.is_file():
        from difflib import get_close_matches

        near = get_close_matches(source, names(), 1)
        hint = f"did you mean '{near[0]}'?" if near else "`cardan examples` lists the examples"
        raise CaseError(f"'{source}' is neither a built-in example nor a file; {hint}")
    return path.stem, _execute(path)


def load_case(source: str, settings: Mapping[str, str]) -> Case:
    """The case behind an example's name or a file's path; `settings` are arguments of its build()."""
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
    )


def _options(module: ModuleType, source: str, model: Model) -> Mapping[str, Any]:
    """Further arguments of the analysis, which a file states by a function of the model."""
    state = getattr(module, "options", None)
    found = {} if state is None else _guarded(Path(source), lambda: state(model))
    if not isinstance(found, Mapping):
        raise CaseError(f"options() of '{source}' must return a dictionary of arguments, got {type(found).__name__}")
    return found


def _execute(path: Path) -> ModuleType:
    """The module that a file defines; the files beside it can be imported."""
    spec = importlib.util.spec_from_file_location(f"cardan_model_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CaseError(f"'{path}' is no Python file; a model file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.resolve().parent))
    _guarded(path, lambda: spec.loader.exec_module(module))  # type: ignore[union-attr]
    return module


def _built(module: ModuleType, source: str, settings: Mapping[str, str]) -> Model:
    build = getattr(module, "build", None)
    if build is not None:
        arguments = _arguments(build, source, settings)
        model = _guarded(Path(source), lambda: build(**arguments))
    else:
        if settings:
            raise CaseError(f"'{source}' has no build() that could take {', '.join(settings)}")
        model = getattr(module, "model", None)
    if not isinstance(model, Model):
        raise ModelError(f"'{source}' must define `model`, or `build()` that returns one; found {type(model).__name__}")
    return model


def _arguments(build: Callable[..., Any], source: str, settings: Mapping[str, str]) -> dict[str, Any]:
    """Texts turned into what the defaults of build() are."""
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


def _guarded(path: Path, action: Callable[[], Any]) -> Any:
    """Errors in a user's file become a sentence with the line."""
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
