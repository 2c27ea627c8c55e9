"""The command line: built-in examples and models in Python files, analyzed, with tables and pictures.

    cardan examples
    cardan run slider-crank --out results
    cardan run my_model.py --until 2 --step 0.01 -p crank=0.3 --format csv,nc --animate gif
    cardan run my_model.py --until 2 --analysis simulate --method radau --rtol 1e-6
    cardan run my_model.py --analysis equilibrium
    cardan mobility my_model.py --imperfect

Exit codes: 0 done, 1 the model or its analysis failed (what was computed is still written), 2 wrong usage. Errors are
one sentence on stderr; --traceback shows where they come from. Nothing heavy is loaded before it is needed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan import __version__
from cardan.errors import AssemblyError, CardanError
from cardan.usage import UsageError, formats, grid, instants, setting, words

MOTIONS = ("kinematics", "inverse_dynamics", "simulate")  # analyses over time
RESTS = ("equilibrium", "equilibrium_path")
ANALYSES = (*MOTIONS, *RESTS, "assemble", "mobility")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = _parser().parse_args(argv)
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        try:
            return int(arguments.action(arguments))
        except UsageError as error:
            return _fail(error, 2, arguments.traceback)
        except BrokenPipeError:  # the reader of our output has seen enough: `cardan examples | head`
            sys.stdout = open(os.devnull, "w")
            return 0
        except (CardanError, ImportError, OSError) as error:
            return _fail(error, 1, arguments.traceback)
        except KeyboardInterrupt as error:
            return _fail(error, 1, arguments.traceback, "interrupted before anything was computed")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cardan", description="Motion and forces of mechanisms stated in Python.")
    parser.add_argument("--version", action="version", version=f"cardan {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--traceback", action="store_true", help="show where in the code an error comes from")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    examples = commands.add_parser("examples", parents=[common], help="list the built-in mechanisms")
    examples.set_defaults(action=_examples)

    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("model", metavar="MODEL", help="a built-in example, or a Python file with `model` or `build()`")
    model.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="an argument of build()"
    )

    run = commands.add_parser("run", parents=[model, common], help="analyze a model, write tables and pictures")
    run.add_argument("--analysis", choices=ANALYSES, help="default: what the model asks for, else kinematics")
    run.add_argument("--method", metavar="NAME", help="of simulate or equilibrium, such as radau or newton")
    run.add_argument("--rtol", type=float, metavar="TOL", help="relative tolerance of simulate")
    run.add_argument("--until", type=float, metavar="T", help="end of the motion in s")
    run.add_argument("--step", type=float, metavar="DT", help="time between instants in s (default: T / 200)")
    run.add_argument("--times", type=grid, metavar="A:B:N", help="N instants from A to B, in place of --until")
    run.add_argument("--out", metavar="DIR", help="directory for tables and pictures (default: write nothing)")
    run.add_argument("--format", type=formats, default=["csv"], metavar="csv,nc", help="formats of the table")
    run.add_argument("--plot", type=words, metavar="NAME,...", help="what the picture plots, such as slider.ax")
    run.add_argument("--animate", choices=("gif", "mp4"), help="also write a moving picture")
    run.set_defaults(action=_run)

    mobility = commands.add_parser("mobility", parents=[model, common], help="count freedoms, name what is redundant")
    mobility.add_argument("--imperfect", action="store_true", help="rank again with slightly wrong dimensions")
    mobility.set_defaults(action=_mobility)
    return parser


def _examples(arguments: argparse.Namespace) -> int:
    from cardan.examples import names, summary

    width = 2 + max(len(name) for name in names())
    for name in names():
        print(f"{name:<{width}}{summary(name).partition(': ')[2]}")
    return 0


def _mobility(arguments: argparse.Namespace) -> int:
    model = _load(arguments).model
    from cardan import mobility

    print(mobility(model, imperfect=arguments.imperfect))
    return 0


def _run(arguments: argparse.Namespace) -> int:
    if arguments.analysis == "mobility":
        _refuse_animation(arguments, "mobility")
        arguments.imperfect = False
        return _mobility(arguments)
    case = _load(arguments)
    chosen = arguments.analysis or case.analysis
    _refuse_animation(arguments, chosen)
    target = _target(arguments, case)
    if case.summary:
        print(case.summary)
    analyze = _assemble if chosen == "assemble" else _rest if chosen in RESTS else _motion
    try:
        return analyze(case, target, arguments)
    except AssemblyError as error:
        if target and error.partial is not None:  # the position that comes nearest to closing shows what is wrong
            _save_picture(error.partial.draw().figure, target)
        raise


def _refuse_animation(arguments: argparse.Namespace, analysis: str) -> None:
    if arguments.animate and analysis in ("assemble", "mobility", *RESTS):
        raise UsageError(
            f"--animate shows a motion: it goes with --analysis {', '.join(MOTIONS[:-1])} or {MOTIONS[-1]}"
        )


def _assemble(case: Any, target: Path | None, arguments: argparse.Namespace) -> int:
    from cardan import assemble

    snapshot = assemble(case.model)
    print(snapshot)
    if target:
        _save_tables(snapshot.as_trajectory(), target, arguments.format)
        _save_picture(snapshot.draw().figure, target)
    return 0


def _rest(case: Any, target: Path | None, arguments: argparse.Namespace) -> int:
    """One equilibrium, several, or those along a growing load."""
    analysis = arguments.analysis or case.analysis
    changes = _changes(arguments, ("method",))
    if analysis == "equilibrium_path" and "load" not in case.options:
        raise UsageError(
            f"'{case.name}' does not say which load grows: give it ANALYSIS = 'equilibrium_path' and a function "
            "options(model) that returns {'load': 'gravity'}, or a load of the model"
        )
    if arguments.format != ["csv"]:
        raise UsageError("equilibria are written as csv")
    from cardan import mobility
    from cardan.view.rests import overview_of, save_table, table_of

    print(_freedoms(mobility(case.model)))
    found = case.compute(analysis=analysis, **changes)
    print(found)
    _print_headline(case, found, arguments)
    table, shown = table_of(found), arguments.plot or case.show
    for name in shown:
        if name not in table:
            raise UsageError(f"the equilibria of '{case.name}' have no column called {name!r}")
        print(f"{name} from {table[name].min():.6g} to {table[name].max():.6g}")
    if target:
        path = target.with_name(f"{target.name}.csv")
        save_table(table, path)
        print(f"wrote {path}")
        _save_picture(overview_of(found, *shown), target)
    return 0


def _freedoms(report: Any) -> str:
    """The report without its last words: what moves under forces misses no drivers."""
    return str(report).partition(" Missing drivers")[0]


def _changes(arguments: argparse.Namespace, allowed: Sequence[str]) -> dict[str, Any]:
    """Arguments of the analysis from the command line; only those that it has."""
    stated = {name: getattr(arguments, name) for name in ("method", "rtol") if getattr(arguments, name) is not None}
    for name in stated:
        if name not in allowed:
            raise UsageError(f"--{name} is nothing that this analysis takes")
    return stated


def _motion(case: Any, target: Path | None, arguments: argparse.Namespace) -> int:
    times = instants(arguments, case)
    analysis = arguments.analysis or case.analysis
    if analysis not in MOTIONS:
        raise UsageError(
            f"ANALYSIS of '{case.name}' must be {', '.join((*MOTIONS, RESTS[0]))} or {RESTS[1]}, not {analysis!r}"
        )
    changes = _changes(arguments, ("method", "rtol") if analysis == "simulate" else ())
    import cardan

    report = cardan.mobility(case.model)
    print(_freedoms(report) if analysis == "simulate" else report)
    begun = time.perf_counter()
    stop: CardanError | None = None
    try:
        run = case.compute(times, analysis, **changes)
    except CardanError as error:
        if error.partial is None or isinstance(error, AssemblyError):
            raise
        run, stop = error.partial, error
    _report(case, run, time.perf_counter() - begun, stop, arguments)
    if stop is not None and target is not None:
        at = run.times[-1] if len(run) else times[0]
        print(f"stopped after t = {at:.6g} s; what was computed is being written", flush=True)
    if len(run):
        _save_results(case, run, target, arguments)
    return 0 if stop is None else _fail(stop, 1, arguments.traceback)


def _report(case: Any, run: Any, seconds: float, stop: Any, arguments: argparse.Namespace) -> None:
    """The numbers of a result, a line each."""
    if len(run) == 0:
        print("no instant was computed")
        return
    if run.analysis == "dynamics":
        print(f"{run} ({seconds:.2g} s)")
    else:
        worst = run.violations().max(initial=0.0)
        print(
            f"{run.analysis} from {run.times[0]:g} s to {run.times[-1]:g} s: {len(run)} instants in {seconds:.2g} s, "
            f"{int(run.iterations.sum())} Newton iterations, worst violation {worst:.1e}"
        )
    if stop is None:
        _print_headline(case, run, arguments)


def _print_headline(case: Any, result: Any, arguments: argparse.Namespace) -> None:
    """The number that an example states in closed form, if it was run as stated."""
    asked = arguments.analysis in (None, case.analysis)
    as_stated = asked and not arguments.parameters and arguments.until is None and arguments.times is None
    if case.headline and as_stated:
        line = case.headline
        value = f"{line.compute(result):.8g} {line.unit}".rstrip()
        print(f"{line.name}: {value} (closed form {line.expected:.8g})")


def _save_results(case: Any, run: Any, target: Path | None, arguments: argparse.Namespace) -> None:
    """Tables first: they do not depend on what shall be shown."""
    if target:
        _save_tables(run, target, arguments.format)
    shown = _shown(case, run, arguments)
    _print_ranges(run, shown)
    if target is None:
        return
    from cardan.view.overview import overview

    at = {"time": float(run.times[-1])} if run.stopped is not None else {}  # where it stopped is what matters
    _save_picture(overview(run, *shown, **at), target)
    if arguments.animate and len(run) > 1:
        print(f"wrote {run.animate(target.with_name(f'{target.name}.{arguments.animate}'))}")


def _print_ranges(run: Any, shown: Sequence[str]) -> None:
    from cardan.view.curves import UnknownNameError, curves

    try:
        found = [curve for name in shown for curve in curves(run, name)]
    except UnknownNameError as error:
        raise UsageError(str(error)) from error
    for curve in found:
        print(f"{curve.name} from {curve.values.min():.6g} to {curve.values.max():.6g} {curve.unit}".rstrip())


def _save_tables(run: Any, target: Path, formats: Sequence[str]) -> None:
    for suffix in formats:
        path = target.with_name(f"{target.name}.{suffix}")
        run.save(path)
        print(f"wrote {path}")


def _save_picture(figure: Any, target: Path) -> None:
    path = target.with_name(f"{target.name}.png")
    figure.savefig(path, dpi=130)
    print(f"wrote {path}")


def _shown(case: Any, run: Any, arguments: argparse.Namespace) -> Sequence[str]:
    """What the picture plots: as asked for, as the model says, or the first coordinates that are not driven."""
    from cardan.elements.driver import Driver
    from cardan.results.table import coordinates

    if arguments.plot:
        return list(arguments.plot)
    if case.show:
        return list(case.show)
    driven = {element.measure for element in run.model.constraints if isinstance(element, Driver)}
    return [name for name, measure in coordinates(run).items() if measure not in driven][:2]


def _load(arguments: argparse.Namespace) -> Any:
    from cardan.case import CaseError, load_case

    settings = dict(setting(text) for text in arguments.parameters)
    try:
        return load_case(arguments.model, settings)
    except CaseError as error:
        raise UsageError(str(error)) from error


def _target(arguments: argparse.Namespace, case: Any) -> Path | None:
    """Where files go, without suffix; None if nothing shall be written."""
    if arguments.out is None and not arguments.animate:
        return None
    directory = Path(arguments.out or ".")
    directory.mkdir(parents=True, exist_ok=True)
    return directory / case.name


def _fail(error: BaseException, code: int, traceback: bool, sentence: str | None = None) -> int:
    if traceback:
        import traceback as lines

        lines.print_exception(error)
    else:
        print(f"cardan: {sentence or error}", file=sys.stderr)
    return code


def _warn(message: Any, *where: Any, **more: Any) -> None:
    print(f"cardan: warning: {message}", file=sys.stderr)
