"""Run the analyses of a model file in order; each writes its own result.

Motions are written during the computation: a killed run leaves `name.partial.nc`, Ctrl-C a partial result.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardan.cli.output import for_command_line
from cardan.cli.usage import Stopwatch, UsageError, output_times
from cardan.cli.writing import plan_files, print_ranges, report_written, require_columns, result_path, write
from cardan.errors import CardanError, Interrupted
from cardan.numerics.announcement import announcement
from cardan.shortcuts import Savable

if TYPE_CHECKING:
    from cardan.files.model_file import ModelFile

OPTIONS = {
    "method": ("simulate", "equilibrium"),
    "rtol": ("simulate",),
    "at_bifurcation": ("kinematics", "inverse_dynamics"),
}
OVER_TIME = ("kinematics", "inverse_dynamics", "simulate")


def run_file(file: ModelFile, arguments: argparse.Namespace) -> int:
    """Run all analyses of the file, or the one that --analysis names."""
    chosen = _chosen(file, arguments)
    arguments.format = arguments.format or ["nc"]
    output = arguments.output
    output.add(model=file.model.name, file=str(file.path), results=[])
    animated = [arguments.animate] if arguments.animate else []
    stem = file.path.stem
    names = [stem if len(chosen) == 1 else f"{stem}-{analysis.name}" for analysis in chosen]
    targets = [plan_files(arguments, name, [*arguments.format, *animated]) for name in names]
    for analysis in chosen:
        if analysis.kind in OVER_TIME:
            require_columns(file.model, arguments.plot or file.show, analysis.kind != "kinematics")
    announcement.plan(file.model, *(analysis.name for analysis in chosen))
    for analysis, target in zip(chosen, targets, strict=True):
        before = dict(output.data)
        watch = Stopwatch()
        result, stop = _computed(analysis, file.show, target, arguments)
        target = result_path(result, target)
        if stop is None or _has_data(result):
            named = "" if str(result).startswith(analysis.name.replace("_", " ")) else f"{analysis.name}: "
            output.line(f"{named}{for_command_line(result)} ({watch})")
        output.data = {"analysis": analysis.name, "kind": analysis.kind, "result": str(result)}
        output.add(seconds=watch.seconds, compilation=watch.compiling)
        _show(file, result, target, animated, arguments)
        before["results"].append(output.data)
        output.data = before
        if stop is not None:
            return int(output.error(stop, 1, arguments.traceback))
    return 0


def _has_data(result: object) -> bool:
    """Whether at least one output time was computed."""
    from cardan.results.trajectory import Trajectory

    return not isinstance(result, Trajectory) or len(result) > 0


def _chosen(file: ModelFile, arguments: argparse.Namespace) -> list[Any]:
    wanted, analyses = arguments.analysis, [*file.analyses]
    if wanted is None:
        if not analyses:
            raise UsageError(
                f"'{file.path}' states no analysis: add a list `analyses:`, or use `cardan view` or `cardan mobility`"
            )
        return analyses
    found = [analysis for analysis in analyses if wanted in (analysis.name, analysis.kind)]
    if not found:
        names = ", ".join(dict.fromkeys(analysis.name for analysis in analyses)) or "none"
        raise UsageError(f"'{file.path}' has no analysis '{wanted}'; it has: {names}")
    return found


def _computed(
    analysis: Any, show: Sequence[str], target: Path | None, arguments: argparse.Namespace
) -> tuple[Any, CardanError | Interrupted | None]:
    """The result and None, or the partial result and the error that stopped the analysis."""
    changes = _changes(analysis, arguments)
    try:
        if target is None or "nc" not in arguments.format or analysis.kind not in OVER_TIME:
            return analysis.run(**changes), None
        from cardan import recording

        path = target.with_name(f"{target.name}.nc")
        with recording(path, overwrite=True) as record:
            result = analysis.run(**changes)
            result.show = tuple(show)
            return record.keep(result), None
    except (CardanError, Interrupted) as error:
        if error.partial is None or not isinstance(error.partial, Savable):
            raise
        return error.partial, error


def _changes(analysis: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Arguments of the analysis that the command line overrides."""
    changes: dict[str, Any] = {}
    for option, kinds in OPTIONS.items():
        value = getattr(arguments, option)
        if value is not None:
            if analysis.kind not in kinds:
                raise UsageError(f"{analysis.kind} does not take --{option.replace('_', '-')}")
            changes[option] = value
    if arguments.until is None and arguments.times is None:
        if arguments.step is not None:
            raise UsageError("--step needs --until")
        return changes
    if analysis.kind not in OVER_TIME:
        raise UsageError(f"{analysis.kind} has no output times: omit --until and --times")
    times = output_times(arguments, analysis)
    if analysis.kind == "simulate":
        return changes | {"until": float(times[-1]), "output": times}
    return changes | {"times": times}


def _show(
    file: ModelFile, result: Any, target: Path | None, animated: list[str], arguments: argparse.Namespace
) -> None:
    """Print the ranges of columns, then write all formats except a recorded result."""
    from cardan.results.trajectory import Trajectory

    shown = arguments.plot or file.show
    motion = isinstance(result, Trajectory)
    if motion and len(result) and shown:
        print_ranges(result, shown, arguments)
    if target is None or (motion and not len(result)):
        return
    recorded = target.with_name(f"{target.name}.nc")
    if "nc" in arguments.format and recorded.exists() and motion:
        report_written(recorded, arguments)
        formats = [name for name in arguments.format if name != "nc"]
    else:
        formats = list(arguments.format)
    write(result, target, [*formats, *animated], arguments, shown)
