"""Analyze many designs of a model: grids, random samples, tables of designs, limits.

    cardan sweep slider-crank -p rod=0.3:0.6:7 --output slider.x --output slider.ax:peak --out results
    cardan sweep slider-crank -p rod=0.4,0.5,0.6 -p crank=0.1:0.2:3 --analysis kinematics
    cardan sweep my_model.py -p rod=normal:0.5:0.01 --random 1000 --seed 3 --store study --resume
    cardan sweep slider-crank -p rod=0.3:0.6:200 --output slider.ax:peak --watch slider.ax:peak
    cardan sweep spatial-slider-crank --limit rod=0.2:0.3

Parameters are those of a model file, arguments of build() or, with a dot, numbers of the model: `-p
spring.stiffness=90:110:5`. Without -p a Python file states the designs: VARIATION = {"rod": (0.3, 0.27)}.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.cli.arguments import (
    MODEL_HELP,
    add_json,
    add_overwrite,
    add_trust,
    is_model_file,
    load_case,
    require_model_file,
    trust,
)
from cardan.cli.usage import UsageError, output_times
from cardan.cli.writing import make_folder, report_written

if TYPE_CHECKING:
    from cardan.model.model import Model

HELP = "analyze many designs of a model"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    command.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUES", action="append", default=[],
        help="low:high:count or 1,2,3; with --random low:high or normal:mean:deviation",
    )  # fmt: skip
    command.add_argument("--designs", metavar="FILE", help="a .csv table of designs instead of -p")
    command.add_argument("--random", metavar="COUNT", type=int, help="random samples instead of a grid")
    command.add_argument("--quasi-random", metavar="COUNT", type=int, help="Sobol samples instead of a grid")
    command.add_argument("--seed", type=int, default=0, help="seed of random samples (default: 0)")
    kept = "outputs of each result, such as slider.x or slider.ax:peak (default: the columns the model shows)"
    command.add_argument("--output", dest="outputs", metavar="COLUMN[:HOW]", action="append", default=[], help=kept)
    command.add_argument("--analysis", help="default: the analysis that the model states, else kinematics")
    command.add_argument("--until", type=float, help="end of the motion in s")
    command.add_argument("--step", type=float, help="time between outputs in s")
    command.add_argument("--limit", metavar="NAME=LOW:HIGH", help="find the value at which the analysis starts to fail")
    command.add_argument("--threads", type=int, help="default: all cores")
    command.add_argument("--store", metavar="FOLDER", help="store parts there as they are computed")
    command.add_argument("--resume", action="store_true", help="continue the study in --store")
    command.add_argument("--watch", metavar="OUTPUT", help="plot an output on the terminal as samples arrive")
    command.add_argument("--out", metavar="FOLDER", help="folder for a table and pictures")
    add_overwrite(command)
    add_trust(command)
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    swept = _of_file(arguments) if is_model_file(arguments.model) else _of_case(arguments)
    if arguments.limit:
        from cardan.study.search.limits import limit

        name, ends = _named(arguments.limit)
        low, high = _floats(name, ends.split(":"), 2)
        edge = limit(swept.build, name, (low, high), swept.analysis, **swept.options)
        arguments.output.line(edge)
        arguments.output.add(limit=str(edge), parameter=name, value=edge.value)
        return 0
    from cardan.study.study import study

    outputs = arguments.outputs or list(swept.show)
    if not outputs:
        raise UsageError(f"'{swept.name}' states no columns; add --output slider.x")
    targets = _targets(arguments, swept.name, outputs)
    options = {name: getattr(arguments, name) for name in ("threads", "store", "resume", "watch")}
    found = study(swept.build, _plan(arguments, swept), swept.analysis, outputs, **swept.options, **options)
    arguments.output.line(found)
    arguments.output.add(study=str(found), samples=len(found.fine), failed=int((~found.fine).sum()))
    _print_ranges(found, arguments.output)
    if targets:
        _save(found, targets, arguments)
    return 1 if not found.fine.any() else 0


class Swept(NamedTuple):
    """How a design is built and analyzed, and the columns and designs that its source states."""

    name: str
    build: Callable[..., Any]
    analysis: Any
    options: Mapping[str, Any]
    show: tuple[str, ...]
    variation: Any


def _of_case(arguments: argparse.Namespace) -> Swept:
    """An example or a Python file."""
    from cardan.case import AT_REST, study_analysis

    case = load_case(argparse.Namespace(model=arguments.model, parameters=[]))
    analysis = arguments.analysis or case.analysis
    still = analysis in (*AT_REST, "assemble")
    stated = argparse.Namespace(times=None, until=arguments.until, step=arguments.step)
    times = None if still else output_times(stated, case)
    build = case.build or (lambda: case.model)
    return Swept(case.name, build, *study_analysis(case, times, analysis), tuple(case.show), case.variation)


def _of_file(arguments: argparse.Namespace) -> Swept:
    """A model file, loaded again for each design, because anything in it may depend on its parameters."""
    from cardan.files import load_model

    for name in ("until", "step"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name}: the analysis in '{arguments.model}' states its duration")
    require_model_file(arguments.model)
    file = load_model(arguments.model, **trust(arguments))
    known = {analysis.name: analysis for analysis in file.analyses}
    if not known or arguments.analysis not in (None, *known):
        raise UsageError(
            f"'{file.path}' has no analysis {arguments.analysis or 'to sweep'}; it has: {', '.join(known)}"
        )
    chosen = known[arguments.analysis or next(iter(known))]
    for name in (_named(text)[0] for text in arguments.parameters):
        if "." not in name and name not in file.parameters:
            raise UsageError(f"'{file.path}' has no parameter '{name}'; it has: {', '.join(file.parameters) or 'none'}")
    loaded: dict[int, Any] = {}

    def build(**values: float) -> Any:
        made = load_model(arguments.model, values, **trust(arguments))
        loaded[id(made.model)] = made
        return made.model

    def compute(model: Model) -> Any:
        return loaded.pop(id(model)).run(chosen.name)

    keyword = inspect.Parameter.KEYWORD_ONLY
    stated = [inspect.Parameter(name, keyword, default=value) for name, value in file.parameters.items()]
    build.__signature__ = inspect.Signature(stated)  # type: ignore[attr-defined]
    build.__name__, compute.__name__ = file.model.name, chosen.kind
    times = chosen.arguments.get("times")
    return Swept(file.path.stem, build, compute, {} if times is None else {"times": times}, tuple(file.show), {})


def _plan(arguments: argparse.Namespace, swept: Swept) -> Any:
    """The samples of the command line, or those that the file states."""
    from cardan.case import designs_of
    from cardan.study.sampling import designs, grid, normal, quasi_random, random_samples

    ways = [arguments.designs, arguments.random, arguments.quasi_random]
    if sum(way is not None for way in ways) > 1:
        raise UsageError("--designs, --random and --quasi-random exclude each other; give one of them")
    if arguments.designs:
        return designs(arguments.designs)
    stated = dict(_named(text) for text in arguments.parameters)
    if not stated:
        if not swept.variation:
            known = ", ".join(inspect.signature(swept.build).parameters) or "none"
            raise UsageError(f"nothing to sweep; add -p NAME=low:high:count; '{swept.name}' has: {known}")
        return designs_of(swept.variation)
    if arguments.random is None and arguments.quasi_random is None:
        return grid({name: _axis(name, text) for name, text in stated.items()})
    spreads: dict[Any, Any] = {}
    for name, text in stated.items():
        words = text.split(":")
        gaussian = words[0] == "normal"
        low, high = _floats(name, words[1:] if gaussian else words, 2)
        spreads[name] = normal(low, high) if gaussian else (low, high)
    if arguments.random is not None:
        return random_samples(spreads, arguments.random, seed=arguments.seed)
    return quasi_random(spreads, arguments.quasi_random, seed=arguments.seed)


def _axis(name: str, text: str) -> Any:
    words = text.split(":")
    if len(words) == 1:
        return _floats(name, text.split(","), None)
    if len(words) != 3 or not words[2].isdigit():
        raise UsageError(f"write '{name}' as low:high:count or 1,2,3, not {text!r}")
    low, high = _floats(name, words[:2], 2)
    return (low, high, int(words[2]))


def _floats(name: str, words: list[str], count: int | None) -> list[float]:
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise UsageError(f"the values of '{name}' must be numbers, not {':'.join(words)!r}") from None
    if count is not None and len(found) != count:
        raise UsageError(f"'{name}' needs {count} numbers, low:high, not {':'.join(words)!r}")
    return found


def _named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise UsageError(f"write -p as name=values, not {text!r}")
    return name, value


def _print_ranges(found: Any, output: Any) -> None:
    """Print the range of each output over all samples, and where it is smallest."""
    import numpy as np

    for name, shape in zip(found.outputs, found.shapes, strict=True):
        values = found[name]
        if not np.isfinite(values).any():
            continue
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        output.line(f"{name} from {low:.6g} to {high:.6g}")
        output.data.setdefault("ranges", {})[name] = [low, high]
        if shape == ():
            best = found.best(name)
            where = ", ".join(f"{parameter} = {best[parameter]:.6g}" for parameter in found.parameters)
            output.line(f"  smallest at {where}")
            output.data.setdefault("least", {})[name] = {parameter: best[parameter] for parameter in found.parameters}


def _targets(arguments: argparse.Namespace, name: str, outputs: list[str]) -> list[Path]:
    """The paths of the table and the pictures; with --no-clobber they must not exist."""
    if arguments.out is None:
        return []
    from cardan.output_path import free

    place = make_folder(arguments.out)
    plain = [output.replace(":", "-").replace("/", "-") for output in outputs]
    found = [place / f"{name}-sweep.csv", *(place / f"{name}-{output}.png" for output in plain)]
    for path in found:
        free(path, arguments.overwrite)
    return found


def _save(found: Any, targets: list[Path], arguments: argparse.Namespace) -> None:
    table, *pictures = targets
    found.save(table, overwrite=True)  # _targets() applied --no-clobber
    report_written(table, arguments)
    for output, picture in zip(found.outputs, pictures, strict=True):
        found.plot(output).figure.savefig(picture, dpi=130)
        report_written(picture, arguments)
