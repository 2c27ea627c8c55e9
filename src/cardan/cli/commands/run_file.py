"""Run the analyses that a model file asks for, one after the other, each with a result of its own.

Motions are written while they are computed: a run that dies leaves `name.partial.nc`, Ctrl-C a result up to there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.cli.usage import UsageError, instants, lasted
from cardan.cli.writing import named_for, planned, ranges, write, wrote
from cardan.errors import CardanError, Interrupted

OPTIONS = {"method": ("simulate", "equilibrium"), "rtol": ("simulate",)}
OVER_TIME = ("kinematics", "inverse_dynamics", "simulate")


def run_file(file: Any, arguments: argparse.Namespace) -> int:
    """All analyses of the file, or the one that was asked for."""
    chosen = _chosen(file, arguments)
    arguments.format = arguments.format or ["nc"]
    says = arguments.says
    says.fact(model=file.model.name, file=str(file.path), results=[])
    animated = [arguments.animate] if arguments.animate else []
    stem = file.path.stem
    names = [stem if len(chosen) == 1 else f"{stem}-{analysis.name}" for analysis in chosen]
    targets = [planned(arguments, name, [*arguments.format, *animated]) for name in names]
    for analysis, target in zip(chosen, targets, strict=True):
        before = dict(says.facts)
        begun = time.perf_counter()
        result, stop = _computed(analysis, file.show, target, arguments)
        target = named_for(result, target)
        if stop is None or _holds_something(result):
            named = "" if str(result).startswith(analysis.name.replace("_", " ")) else f"{analysis.name}: "
            says.say(f"{named}{result} ({lasted(time.perf_counter() - begun)})")
        says.facts = {"analysis": analysis.name, "kind": analysis.kind, "result": str(result)}
        says.fact(seconds=time.perf_counter() - begun)
        _show(file, result, target, animated, arguments)
        before["results"].append(says.facts)
        says.facts = before
        if stop is not None:
            return int(says.fail(stop, 1, arguments.traceback))
    return 0


def _holds_something(result: Any) -> bool:
    """Whether there is more than the beginning that failed."""
    from cardan.results.trajectory import Trajectory

    return not isinstance(result, Trajectory) or len(result) > 0


def _chosen(file: Any, arguments: argparse.Namespace) -> list[Any]:
    wanted, analyses = arguments.analysis, [*file.analyses]
    if wanted is None:
        if not analyses:
            raise UsageError(
                f"'{file.path}' asks for no analysis: give it a list `analyses:`, or look at it with cardan mobility"
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
    """The result, or the part that was computed and why it stopped."""
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
        if error.partial is None or not hasattr(error.partial, "save"):
            raise
        return error.partial, error


def _changes(analysis: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command line says otherwise than the file."""
    changes: dict[str, Any] = {}
    for option, kinds in OPTIONS.items():
        value = getattr(arguments, option)
        if value is not None:
            if analysis.kind not in kinds:
                raise UsageError(f"--{option} is nothing that {analysis.kind} takes")
            changes[option] = value
    if arguments.until is None and arguments.times is None:
        if arguments.step is not None:
            raise UsageError("--step needs --until")
        return changes
    if analysis.kind not in OVER_TIME:
        raise UsageError(f"{analysis.kind} has no instants: leave --until and --times out")
    times = instants(arguments, analysis)
    if analysis.kind == "simulate":
        return changes | {"until": float(times[-1]), "output": times}
    return changes | {"times": times}


def _show(file: Any, result: Any, target: Path | None, animated: list[str], arguments: argparse.Namespace) -> None:
    """Columns that are shown, then all that is to be written beside the recorded result."""
    from cardan.results.trajectory import Trajectory

    shown = arguments.plot or file.show
    motion = isinstance(result, Trajectory)
    if motion and len(result) and shown:
        ranges(result, shown, arguments)
    if target is None or (motion and not len(result)):
        return
    recorded = target.with_name(f"{target.name}.nc")
    if "nc" in arguments.format and recorded.exists() and motion:
        wrote(recorded, arguments)
        formats = [name for name in arguments.format if name != "nc"]
    else:
        formats = list(arguments.format)
    write(result, target, [*formats, *animated], arguments, shown)
