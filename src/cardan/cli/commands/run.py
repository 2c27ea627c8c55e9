"""Analyze a model, write results, tables and pictures."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.cli.arguments import add_json, add_model, is_file, load_case, load_file
from cardan.cli.usage import UsageError, formats, grid, instants, lasted, words
from cardan.cli.writing import named_for, pictured, planned, ranges, write
from cardan.errors import AssemblyError, CardanError, Interrupted

HELP = "analyze a model, write results, tables and pictures"
MOTIONS = ("kinematics", "inverse_dynamics", "simulate")  # analyses over time
RESTS = ("equilibrium", "equilibrium_path")
ANALYSES = (*MOTIONS, *RESTS, "assemble", "mobility")


def add(command: argparse.ArgumentParser) -> None:
    add_model(command)
    command.add_argument("--analysis", metavar="NAME", help="default: what the model asks for, else kinematics")
    command.add_argument("--method", metavar="NAME", help="of simulate or equilibrium, such as radau or newton")
    command.add_argument("--rtol", type=float, metavar="TOL", help="relative tolerance of simulate")
    command.add_argument("--until", type=float, metavar="T", help="end of the motion in s")
    command.add_argument("--step", type=float, metavar="DT", help="time between instants in s (default: T / 200)")
    command.add_argument("--times", type=grid, metavar="A:B:N", help="N instants from A to B, in place of --until")
    command.add_argument("--out", metavar="DIR", help="directory for what is written (default: write nothing)")
    what = "nc, csv, parquet, mat, png, html, pdf (default: nc of model files; else csv, and png beside it)"
    command.add_argument("--format", type=formats, metavar="nc,csv,...", help=what)
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    command.add_argument("--plot", type=words, metavar="NAME,...", help="what the picture plots, such as slider.ax")
    command.add_argument("--animate", choices=("gif", "mp4"), help="also write a moving picture")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    if is_file(arguments.model):
        from cardan.cli.commands.run_file import run_file

        return run_file(load_file(arguments), arguments)
    if arguments.analysis is not None and arguments.analysis not in ANALYSES:
        raise UsageError(f"--analysis is one of {', '.join(ANALYSES)}, not {arguments.analysis!r}")
    arguments.pictured = arguments.format is None or "png" not in arguments.format
    arguments.format = arguments.format or ["csv"]
    if arguments.analysis == "mobility":
        _refuse_animation(arguments, "mobility")
        from cardan.cli.commands import mobility

        arguments.imperfect = False
        return mobility.act(arguments)
    return _run(load_case(arguments), arguments)


def _run(case: Any, arguments: argparse.Namespace) -> int:
    chosen = arguments.analysis or case.analysis
    _refuse_animation(arguments, chosen)
    suffixes = [*arguments.format, *(["png"] if arguments.pictured else [])]
    target = planned(arguments, case.name, [*suffixes, *([arguments.animate] if arguments.animate else [])])
    if case.summary:
        arguments.says.say(case.summary)
    arguments.says.fact(model=case.name, analysis=chosen)
    analyze = _assemble if chosen == "assemble" else _rest if chosen in RESTS else _motion
    try:
        return analyze(case, target, arguments)
    except AssemblyError as error:
        if target and error.partial is not None:  # the position that comes nearest to closing shows what is wrong
            write(error.partial, named_for(error.partial, target) or target, ["png"], arguments)
        raise


def _refuse_animation(arguments: argparse.Namespace, analysis: str) -> None:
    if arguments.animate and analysis in ("assemble", "mobility", *RESTS):
        raise UsageError(
            f"--animate shows a motion: it goes with --analysis {', '.join(MOTIONS[:-1])} or {MOTIONS[-1]}"
        )


def _assemble(case: Any, target: Path | None, arguments: argparse.Namespace) -> int:
    from cardan import assemble

    snapshot = assemble(case.model)
    arguments.says.say(snapshot)
    arguments.says.fact(result=str(snapshot))
    if target:
        write(snapshot, target, _all_formats(arguments), arguments)
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
    from cardan import mobility
    from cardan.results.disk.tables import rest_columns

    says = arguments.says
    says.say(_freedoms(mobility(case.model)))
    found = case.compute(analysis=analysis, **changes)
    says.say(found)
    says.fact(result=str(found))
    _print_headline(case, found, arguments)
    table, shown = rest_columns(found), arguments.plot or case.show
    for name in shown:
        if name not in table:
            raise UsageError(f"the equilibria of '{case.name}' have no column called {name!r}")
        says.say(f"{name} from {table[name].min():.6g} to {table[name].max():.6g}")
    if target:
        write(found, target, _all_formats(arguments), arguments, shown)
    return 0


def _all_formats(arguments: argparse.Namespace) -> list[str]:
    return [*arguments.format, *(["png"] if arguments.pictured else [])]


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
    arguments.says.say(_freedoms(report) if analysis == "simulate" else report)
    begun = time.perf_counter()
    stop: CardanError | Interrupted | None = None
    try:
        run = case.compute(times, analysis, **changes)
    except (CardanError, Interrupted) as error:
        if error.partial is None or isinstance(error, AssemblyError):
            raise
        run, stop = error.partial, error
    run.show = tuple(case.show)
    _report(case, run, time.perf_counter() - begun, stop, arguments)
    if stop is not None and target is not None:
        at = run.times[-1] if len(run) else times[0]
        arguments.says.say(f"stopped after t = {at:.6g} s; what was computed is being written")
    if len(run):
        _save_results(case, run, target, arguments)
    return 0 if stop is None else int(arguments.says.fail(stop, 1, arguments.traceback))


def _report(case: Any, run: Any, seconds: float, stop: Any, arguments: argparse.Namespace) -> None:
    """The numbers of a result, a line each."""
    says = arguments.says
    says.fact(result=str(run), seconds=seconds, instants=len(run))
    if len(run) == 0:
        says.say("no instant was computed")
        return
    if run.analysis == "dynamics":
        says.say(f"{run} ({lasted(seconds)})")
    else:
        worst = run.violations().max(initial=0.0)
        says.say(
            f"{run.analysis} from {run.times[0]:g} s to {run.times[-1]:g} s: {len(run)} instants in {lasted(seconds)}, "
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
        found = line.compute(result)
        value = f"{found:.8g} {line.unit}".rstrip()
        arguments.says.say(f"{line.name}: {value} (closed form {line.expected:.8g})")
        arguments.says.fact(headline={"name": line.name, "value": found, "unit": line.unit, "expected": line.expected})


def _save_results(case: Any, run: Any, target: Path | None, arguments: argparse.Namespace) -> None:
    """Tables first: they do not depend on what shall be shown."""
    if target:
        first = [name for name in arguments.format if name != "png"]
        write(run, target, first, arguments, arguments.plot or case.show)
    shown = pictured(run, arguments.plot or case.show)
    ranges(run, shown, arguments)
    if target is None:
        return
    write(run, target, ["png"], arguments, shown)
    if arguments.animate and len(run) > 1:
        write(run, target, [arguments.animate], arguments)
