"""Analyze a model and write results, tables and pictures."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardan.cli.arguments import add_json, add_model, add_overwrite, is_model_file, load_case, load_file
from cardan.cli.output import plural
from cardan.cli.usage import Stopwatch, UsageError, formats, grid, output_times, words
from cardan.cli.writing import plan_files, plot_columns, print_ranges, require_columns, result_path, write
from cardan.errors import AssemblyError, CardanError, Interrupted
from cardan.numerics.announcement import announcement

if TYPE_CHECKING:
    from cardan.case import Case
    from cardan.results.trajectory import Trajectory

HELP = "analyze a model and write results, tables and pictures"
MOTIONS = ("kinematics", "inverse_dynamics", "simulate")  # analyses over time
EQUILIBRIA = ("equilibrium", "equilibrium_path")
ANALYSES = (*MOTIONS, *EQUILIBRIA, "assemble", "mobility")


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_model(command)
    command.add_argument("--analysis", metavar="NAME", help="default: as the model states, else kinematics")
    command.add_argument("--method", metavar="NAME", help="method of simulate or equilibrium, such as radau or newton")
    command.add_argument("--rtol", type=float, metavar="TOL", help="relative tolerance of simulate")
    command.add_argument(
        "--at-bifurcation", choices=("stop", "smooth"), help="where motions cross: stop, or continue smoothly"
    )
    command.add_argument("--until", type=float, metavar="T", help="end of the motion in s")
    command.add_argument("--step", type=float, metavar="DT", help="time between outputs in s (default: T / 200)")
    command.add_argument("--times", type=grid, metavar="A:B:N", help="N output times from A to B, instead of --until")
    command.add_argument("--out", metavar="DIR", help="output folder (default: write nothing)")
    what = "nc, csv, parquet, mat, png, html, pdf (default: nc for model files, otherwise csv and png)"
    command.add_argument("--format", type=formats, metavar="nc,csv,...", help=what)
    add_overwrite(command)
    command.add_argument("--plot", type=words, metavar="NAME,...", help="columns of the picture, such as slider.ax")
    command.add_argument("--animate", choices=("gif", "mp4"), help="also write an animation")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    if is_model_file(arguments.model):
        from cardan.cli.run_file import run_file

        return run_file(load_file(arguments), arguments)
    if arguments.analysis is not None and arguments.analysis not in ANALYSES:
        raise UsageError(f"--analysis must be one of {', '.join(ANALYSES)}, not {arguments.analysis!r}")
    arguments.pictured = arguments.format is None or "png" not in arguments.format
    arguments.format = arguments.format or ["csv"]
    if arguments.analysis == "mobility":
        _check_animation(arguments, "mobility")
        from cardan.cli.commands import mobility

        arguments.imperfect = False
        return mobility.execute(arguments)
    return _run(load_case(arguments), arguments)


def _run(case: Case, arguments: argparse.Namespace) -> int:
    chosen = arguments.analysis or case.analysis
    _check_animation(arguments, chosen)
    suffixes = [*arguments.format, *(["png"] if arguments.pictured else [])]
    target = plan_files(arguments, case.name, [*suffixes, *([arguments.animate] if arguments.animate else [])])
    if case.summary:
        arguments.output.line(case.summary)
    arguments.output.add(model=case.name, analysis=chosen)
    announcement.plan(case.model, "mobility", chosen)
    analyze = _assemble if chosen == "assemble" else _equilibrium if chosen in EQUILIBRIA else _motion
    try:
        return analyze(case, target, arguments)
    except AssemblyError as error:
        if target and error.partial is not None:  # the nearest configuration shows which joints stay open
            write(error.partial, result_path(error.partial, target) or target, ["png"], arguments)
        raise


def _check_animation(arguments: argparse.Namespace, analysis: str) -> None:
    if arguments.animate and analysis in ("assemble", "mobility", *EQUILIBRIA):
        raise UsageError(f"--animate needs a motion: use --analysis {', '.join(MOTIONS[:-1])} or {MOTIONS[-1]}")


def _assemble(case: Case, target: Path | None, arguments: argparse.Namespace) -> int:
    from cardan import assemble

    snapshot = assemble(case.model)
    arguments.output.line(snapshot)
    arguments.output.add(result=str(snapshot))
    if target:
        write(snapshot, target, _all_formats(arguments), arguments)
    return 0


def _equilibrium(case: Case, target: Path | None, arguments: argparse.Namespace) -> int:
    """One equilibrium, several, or a load path."""
    analysis = arguments.analysis or case.analysis
    changes = _changes(arguments, ("method",))
    if analysis == "equilibrium_path" and "load" not in case.options:
        raise UsageError(
            f"'{case.name}' does not state which load grows: define ANALYSIS = 'equilibrium_path' and options(model) "
            "that returns {'load': 'gravity'} or {'load': <a load of the model>}"
        )
    from cardan import mobility

    output = arguments.output
    output.line(_without_missing_drivers(mobility(case.model)))
    found = case.compute(analysis=analysis, **changes)
    output.line(found)
    output.add(result=str(found))
    _print_headline(case, found, arguments)
    table, shown = found.table(), arguments.plot or case.show
    for name in shown:
        if name not in table:
            raise UsageError(f"the equilibria of '{case.name}' have no column {name!r}")
        output.line(f"{name} from {table[name].min():.6g} to {table[name].max():.6g}")
    if target:
        write(found, target, _all_formats(arguments), arguments, shown)
    return 0


def _all_formats(arguments: argparse.Namespace) -> list[str]:
    return [*arguments.format, *(["png"] if arguments.pictured else [])]


def _without_missing_drivers(report: Any) -> str:
    """The mobility report without its remark on missing drivers, which dynamics does not need."""
    return str(report).partition(" Missing drivers")[0]


def _changes(arguments: argparse.Namespace, allowed: Sequence[str]) -> dict[str, Any]:
    """Arguments of the analysis from the command line."""
    options = ("method", "rtol", "at_bifurcation")
    stated = {name: getattr(arguments, name) for name in options if getattr(arguments, name) is not None}
    for name in stated:
        if name not in allowed:
            raise UsageError(f"this analysis does not take --{name.replace('_', '-')}")
    return stated


def _motion(case: Case, target: Path | None, arguments: argparse.Namespace) -> int:
    times = output_times(arguments, case)
    analysis = arguments.analysis or case.analysis
    if analysis not in MOTIONS:
        raise UsageError(
            f"ANALYSIS of '{case.name}' must be one of {', '.join((*MOTIONS, *EQUILIBRIA))}, not {analysis!r}"
        )
    changes = _changes(arguments, ("method", "rtol") if analysis == "simulate" else ("at_bifurcation",))
    require_columns(case.model, arguments.plot or case.show, analysis != "kinematics")
    import cardan

    report = cardan.mobility(case.model)
    arguments.output.line(_without_missing_drivers(report) if analysis == "simulate" else report)
    watch = Stopwatch()
    stop: CardanError | Interrupted | None = None
    try:
        run = case.compute(times, analysis, **changes)
    except (CardanError, Interrupted) as error:
        if error.partial is None or isinstance(error, AssemblyError):
            raise
        run, stop = error.partial, error
    run.show = tuple(case.show)
    _report(case, run, watch, stop, arguments)
    if stop is not None and target is not None:
        at = run.times[-1] if len(run) else times[0]
        arguments.output.line(f"stopped after t = {at:.6g} s; writing the partial result")
    if len(run):
        _save_results(case, run, target, arguments)
    return 0 if stop is None else int(arguments.output.error(stop, 1, arguments.traceback))


def _report(case: Case, run: Trajectory, watch: Stopwatch, stop: Any, arguments: argparse.Namespace) -> None:
    """Print the numbers of a result."""
    output = arguments.output
    output.add(result=str(run), seconds=watch.seconds, compilation=watch.compiling, instants=len(run))
    if len(run) == 0:
        output.line("no output time was computed")
        return
    if run.analysis == "dynamics":
        output.line(f"{run} ({watch})")
    else:
        worst = run.violations().max(initial=0.0)
        output.line(
            f"{run.analysis} from {run.times[0]:g} s to {run.times[-1]:g} s: "
            f"{plural(len(run), 'output time')} in {watch}, "
            f"{plural(int(run.iterations.sum()), 'Newton iteration')}, worst violation {worst:.1e}"
        )
    if stop is None:
        _print_headline(case, run, arguments)


def _print_headline(case: Case, result: object, arguments: argparse.Namespace) -> None:
    """Print the number of an example and its closed form, if the example was run unchanged."""
    asked = arguments.analysis in (None, case.analysis)
    as_stated = asked and not arguments.parameters and arguments.until is None and arguments.times is None
    if case.headline and as_stated:
        line = case.headline
        found = line.compute(result)
        value = f"{found:.8g} {line.unit}".rstrip()
        arguments.output.line(f"{line.name}: {value} (closed form {line.expected:.8g})")
        arguments.output.add(headline={"name": line.name, "value": found, "unit": line.unit, "expected": line.expected})


def _save_results(case: Case, run: Trajectory, target: Path | None, arguments: argparse.Namespace) -> None:
    """Write tables first: unlike the picture, they do not depend on the chosen columns."""
    if target:
        first = [name for name in arguments.format if name != "png"]
        write(run, target, first, arguments, arguments.plot or case.show)
    shown = plot_columns(run, arguments.plot or case.show)
    print_ranges(run, shown, arguments)
    if target is None:
        return
    write(run, target, ["png"], arguments, shown)
    if arguments.animate and len(run) > 1:
        write(run, target, [arguments.animate], arguments)
