"""Output files of commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.cli.usage import UsageError


def plan_files(arguments: argparse.Namespace, name: str, suffixes: Sequence[str]) -> Path | None:
    """The path of the output files without suffix, or None if none are written.

    With --no-clobber an existing file is an error, before anything is computed.
    """
    if arguments.out is None and not arguments.animate:
        return None
    from cardan.output_path import free, partial_of

    directory = make_folder(arguments.out or ".")
    for suffix in suffixes:
        free(directory / f"{name}.{suffix}", arguments.overwrite)
    if "nc" in suffixes:
        free(partial_of(directory / f"{name}.nc"), arguments.overwrite)
    return directory / name


def result_path(result: object, target: Path | None) -> Path | None:
    """The path of a result; a configuration that does not assemble gets another name than a solution."""
    from cardan.results.snapshot import Snapshot

    if target is None or not isinstance(result, Snapshot) or not result.open:
        return target
    return target.with_name(f"{target.name}.not-assembled")


def make_folder(path: str) -> Path:
    """A folder, created if it does not exist."""
    if Path(path).exists() and not Path(path).is_dir():
        raise UsageError(f"--out '{path}' is a file, not a folder; choose another name")
    Path(path).mkdir(parents=True, exist_ok=True)
    return Path(path)


def write(
    result: Any, target: Path, suffixes: Sequence[str], arguments: argparse.Namespace, columns: Sequence[str] = ()
) -> None:
    """Write a result in several formats and report each file; formats that do not apply are skipped."""
    from cardan.storage.kinds import kind_of
    from cardan.storage.result_files import save

    for suffix in suffixes:
        path = target.with_name(f"{target.name}.{suffix}")
        if suffix == "png":
            picture(result, columns).savefig(path, dpi=130)
        elif suffix in ("gif", "mp4"):
            result.animate(path)
        elif suffix == "nc" and kind_of(result) is None:
            arguments.output.line(f"a {type(result).__name__} cannot be stored: '{path}' is not written")
            continue
        elif suffix == "html":
            result.save(path, overwrite=True, **page_options(result, columns))
        else:
            save(result, path, overwrite=True)  # plan_files() applied --no-clobber
        report_written(path, arguments)


def page_options(result: object, columns: Sequence[str]) -> dict[str, Any]:
    """The options of a page: the columns that it plots, if the result is a motion."""
    from cardan.results.trajectory import Trajectory

    return {"show": list(columns)} if columns and isinstance(result, Trajectory) else {}


def report_written(path: Path, arguments: argparse.Namespace) -> None:
    arguments.output.line(f"wrote {path}")
    arguments.output.data.setdefault("written", []).append(str(path))


def picture(result: object, columns: Sequence[str]) -> Any:
    """A figure of a result on one page."""
    from cardan.results.steady.equilibrium import Equilibria, Equilibrium
    from cardan.results.steady.load_path import LoadPath
    from cardan.results.trajectory import Trajectory
    from cardan.shortcuts import Diagram, Drawable, LinearShortcuts

    if isinstance(result, Trajectory):
        from cardan.view.figures.overview import overview

        at = {"time": float(result.times[-1])} if result.stopped is not None else {}  # draw where it stopped
        return overview(result, *(columns or plot_columns(result, ())), **at)
    if isinstance(result, Equilibrium | Equilibria | LoadPath):
        from cardan.view.figures.equilibria import overview_of

        return overview_of(result, *columns)
    if isinstance(result, LinearShortcuts):
        return result.page()
    if isinstance(result, Drawable | Diagram):
        found = result.draw()
        return getattr(found, "figure", found)
    raise UsageError(f"a {type(result).__name__} cannot be drawn; write it as nc")


def plot_columns(run: Any, requested: Sequence[str]) -> list[str]:
    """The requested columns, or the first two joint coordinates that are not driven."""
    from cardan.results.columns import free_coordinates

    return list(requested) or free_coordinates(run.system)[:2]


def require_columns(model: Any, columns: Sequence[str], forces: bool) -> None:
    """Reject unknown columns, before anything is computed."""
    if not columns:
        return
    from cardan.results.columns import Columns
    from cardan.system.compile import compile
    from cardan.view.curves import UnknownNameError, require_known

    known = Columns(compile(model, forces=True), forces)
    try:
        for name in columns:
            require_known(model, known, name)
    except UnknownNameError as error:
        raise UsageError(str(error)) from error


def print_ranges(run: Any, columns: Sequence[str], arguments: argparse.Namespace) -> None:
    """Print the smallest and largest value of each column."""
    from cardan.view.curves import UnknownNameError, curves

    try:
        found = [curve for name in columns for curve in curves(run, name)]
    except UnknownNameError as error:
        raise UsageError(str(error)) from error
    for curve in found:
        low, high = float(curve.values.min()), float(curve.values.max())
        arguments.output.line(f"{curve.name} from {low:.6g} to {high:.6g} {curve.unit}".rstrip())
        arguments.output.data.setdefault("ranges", {})[curve.name] = [low, high, curve.unit]
