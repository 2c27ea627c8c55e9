"""Where a command writes, and what."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.cli.usage import UsageError


def planned(arguments: argparse.Namespace, name: str, suffixes: Sequence[str]) -> Path | None:
    """Where files go, without suffix; None if nothing shall be written. Nothing that is there may be in the way."""
    if arguments.out is None and not arguments.animate:
        return None
    from cardan.results.file import free, partial_of

    directory = folder(arguments.out or ".")
    for suffix in suffixes:
        free(directory / f"{name}.{suffix}", arguments.force)
    if "nc" in suffixes:
        free(partial_of(directory / f"{name}.nc"), arguments.force)
    return directory / name


def named_for(result: Any, target: Path | None) -> Path | None:
    """Where a result goes: under another name if it is no position of the mechanism, so that nobody takes it for one.

    What an earlier run left under that name says nothing any more, and is written anew.
    """
    from cardan.results.snapshot import Snapshot

    if target is None or not isinstance(result, Snapshot) or not result.open:
        return target
    return target.with_name(f"{target.name}.not-assembled")


def folder(path: str) -> Path:
    """The folder that was named, made if it is not there."""
    if Path(path).exists() and not Path(path).is_dir():
        raise UsageError(f"--out '{path}' is a file, not a folder; choose another name")
    Path(path).mkdir(parents=True, exist_ok=True)
    return Path(path)


def write(
    result: Any, target: Path, suffixes: Sequence[str], arguments: argparse.Namespace, shown: Sequence[str] = ()
) -> None:
    """Write a result in several formats, and say so; what has no file is told, and does not stop the others."""
    from cardan.results.disk.kinds import kind_of
    from cardan.results.file import save

    for suffix in suffixes:
        path = target.with_name(f"{target.name}.{suffix}")
        if suffix == "png":
            picture(result, shown).savefig(path, dpi=130)
        elif suffix in ("gif", "mp4"):
            result.animate(path)
        elif suffix == "nc" and kind_of(result) is None:
            arguments.says.say(f"no file holds a {type(result).__name__}: '{path}' is not written")
            continue
        elif suffix == "html":
            result.save(path, overwrite=True, **page_options(result, shown))
        else:
            save(result, path, overwrite=True)  # what is in the way was refused before anything was computed
        wrote(path, arguments)


def page_options(result: Any, shown: Sequence[str]) -> dict[str, Any]:
    """What a page of a result is told beside it: the curves to show, of a motion."""
    from cardan.results.trajectory import Trajectory

    return {"show": list(shown)} if shown and isinstance(result, Trajectory) else {}


def wrote(path: Path, arguments: argparse.Namespace) -> None:
    arguments.says.say(f"wrote {path}")
    arguments.says.facts.setdefault("written", []).append(str(path))


def picture(result: Any, shown: Sequence[str]) -> Any:
    """A figure that shows a result on a page."""
    from cardan.results.load_path import LoadPath
    from cardan.results.rest import Equilibria, Rest
    from cardan.results.snapshot import Snapshot
    from cardan.results.trajectory import Trajectory

    if isinstance(result, Trajectory):
        from cardan.view.figures.overview import overview

        at = {"time": float(result.times[-1])} if result.stopped is not None else {}  # where it stopped matters
        return overview(result, *(shown or pictured(result, ())), **at)
    if isinstance(result, Rest | Equilibria | LoadPath):
        from cardan.view.figures.equilibria import overview_of

        return overview_of(result, *shown)
    if isinstance(result, Snapshot):
        return result.draw().figure
    found = result.page() if hasattr(type(result), "page") else result.draw() if hasattr(type(result), "draw") else None
    if found is None:
        raise UsageError(f"a {type(result).__name__} has no picture; write it as nc")
    return getattr(found, "figure", found)


def pictured(run: Any, asked: Sequence[str]) -> list[str]:
    """What a picture plots: as asked for, or the first coordinates that are not driven."""
    from cardan.elements.constraints.driver import Driver
    from cardan.results.table import coordinates

    if asked:
        return list(asked)
    driven = {element.measure for element in run.model.constraints if isinstance(element, Driver)}
    return [name for name, measure in coordinates(run).items() if measure not in driven][:2]


def ranges(run: Any, shown: Sequence[str], arguments: argparse.Namespace) -> None:
    """From where to where the shown columns go."""
    from cardan.view.curves import UnknownNameError, curves

    try:
        found = [curve for name in shown for curve in curves(run, name)]
    except UnknownNameError as error:
        raise UsageError(str(error)) from error
    for curve in found:
        low, high = float(curve.values.min()), float(curve.values.max())
        arguments.says.say(f"{curve.name} from {low:.6g} to {high:.6g} {curve.unit}".rstrip())
        arguments.says.facts.setdefault("ranges", {})[curve.name] = [low, high, curve.unit]
