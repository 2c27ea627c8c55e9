"""`cardan sweep`: a study from the command line.

    cardan sweep slider-crank -p rod=0.3:0.6:7 --output slider.x --output slider.ax:peak --out results
    cardan sweep slider-crank -p rod=0.4,0.5,0.6 -p crank=0.1:0.2:3 --analysis kinematics
    cardan sweep my_model.py -p rod=normal:0.5:0.01 --random 1000 --seed 3 --store study --resume
    cardan sweep spatial-slider-crank --limit rod=0.2:0.3

Parameters are arguments of build() or, with a dot, numbers of the model: `-p spring.stiffness=90:110:5`. Without -p the
sweep is the one that the model's file states, VARIATION = {"rod": (0.3, 0.27, 0.24)}.
"""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

from cardan.usage import UsageError


def add_sweep(commands: Any, common: Any = None) -> None:
    """Add the command to those of `cardan`; `common` is the parser of options that all commands share."""
    parents = [] if common is None else [common]
    sweep = commands.add_parser("sweep", parents=parents, help="analyze many designs of a model")
    sweep.add_argument("model", metavar="MODEL", help="a built-in example, or a Python file with `model` or `build()`")
    sweep.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUES", action="append", default=[],
        help="low:high:count, a list 1,2,3, for --random low:high or normal:mean:deviation",
    )  # fmt: skip
    sweep.add_argument("--designs", metavar="FILE", help="a .csv table of designs in place of -p")
    sweep.add_argument("--random", metavar="COUNT", type=int, help="so many random samples in place of a grid")
    sweep.add_argument("--quasi-random", metavar="COUNT", type=int, help="so many samples of Sobol's sequence")
    sweep.add_argument("--seed", type=int, default=0, help="of random samples (default 0)")
    kept = "what is kept of each result: slider.x, slider.ax:peak; default: what the model shows"
    sweep.add_argument("--output", dest="outputs", metavar="COLUMN[:HOW]", action="append", default=[], help=kept)
    sweep.add_argument("--analysis", help="default: what the model asks for, else kinematics")
    sweep.add_argument("--until", type=float, help="end of the motion in s")
    sweep.add_argument("--step", type=float, help="time between two instants in s")
    sweep.add_argument("--limit", metavar="NAME=LOW:HIGH", help="where between two values the analysis begins to fail")
    sweep.add_argument("--threads", type=int, help="default: all cores")
    sweep.add_argument("--store", metavar="FOLDER", help="keep parts there as they are computed")
    sweep.add_argument("--resume", action="store_true", help="go on with the study in --store")
    sweep.add_argument("--out", metavar="FOLDER", help="write a table and pictures there")
    sweep.set_defaults(action=run_sweep)


def run_sweep(arguments: argparse.Namespace) -> int:
    """The command itself; returns its exit code."""
    case = _load(arguments)
    times = _times(arguments, case)
    analysis = arguments.analysis or case.analysis
    if arguments.limit:
        from cardan.case import computing
        from cardan.study.limits import limit

        name, ends = _named(arguments.limit)
        low, high = _floats(name, ends.split(":"), 2)
        print(limit(case.build or (lambda: case.model), name, (low, high), computing(case, times, analysis)))
        return 0
    from cardan.case import vary

    outputs = arguments.outputs or list(case.show)
    if not outputs:
        raise UsageError(f"'{case.name}' does not say what it shows; state --output slider.x")
    kept = {"threads": arguments.threads, "store": arguments.store, "resume": arguments.resume}
    found = vary(case, _plan(arguments, case), outputs, times, analysis, **kept)
    print(found)
    _print_numbers(found)
    if arguments.out:
        _save(found, Path(arguments.out), case.name)
    return 1 if not found.fine.any() else 0


def _load(arguments: argparse.Namespace) -> Any:
    from cardan.case import CaseError, load_case

    try:
        return load_case(arguments.model, {})
    except CaseError as error:
        raise UsageError(str(error)) from error


def _times(arguments: argparse.Namespace, case: Any) -> Any:
    """The instants of the analysis; a rest has none."""
    from cardan.case import AT_REST
    from cardan.usage import instants

    if (arguments.analysis or case.analysis) in (*AT_REST, "assemble"):
        return None
    return instants(argparse.Namespace(times=None, until=arguments.until, step=arguments.step), case)


def _plan(arguments: argparse.Namespace, case: Any) -> Any:
    """The samples that are asked for; None for those that the model's file states."""
    from cardan.study.sampling import designs, grid, normal, quasi_random, random_samples

    ways = [arguments.designs, arguments.random, arguments.quasi_random]
    if sum(way is not None for way in ways) > 1:
        raise UsageError("--designs, --random and --quasi-random exclude each other; state one of them")
    if arguments.designs:
        return designs(arguments.designs)
    stated = dict(_named(text) for text in arguments.parameters)
    if not stated:
        if not case.variation:
            known = ", ".join(inspect.signature(case.build).parameters) if case.build else "none"
            raise UsageError(f"nothing is swept; state -p NAME=low:high:count; build() of '{case.name}' has: {known}")
        return None
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
        raise UsageError(f"state '{name}' as low:high:count or as a list 1,2,3, not {text!r}")
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


def _print_numbers(found: Any) -> None:
    """A line for each number: its range over all samples, and where it is least and largest."""
    import numpy as np

    for name, shape in zip(found.outputs, found.shapes, strict=True):
        values = found[name]
        if not np.isfinite(values).any():
            continue
        print(f"{name} from {np.nanmin(values):.6g} to {np.nanmax(values):.6g}")
        if shape == ():
            best = found.best(name)
            where = ", ".join(f"{parameter} = {best[parameter]:.6g}" for parameter in found.parameters)
            print(f"  least where {where}")


def _save(found: Any, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"{name}-sweep.csv"
    found.save(table)
    print(f"wrote {table}")
    for output in found.outputs:
        picture = folder / f"{name}-{output.replace(':', '-').replace('/', '-')}.png"
        found.plot(output).figure.savefig(picture, dpi=130)
        print(f"wrote {picture}")
