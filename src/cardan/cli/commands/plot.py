"""Plot columns of a result into a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_result, add_target, load, result_file, written_as
from cardan.cli.usage import UsageError
from cardan.cli.writing import picture, wrote

HELP = "plot columns of a result"
PICTURES = (".png", ".svg", ".pdf")


def add(command: argparse.ArgumentParser) -> None:
    add_result(command)
    command.add_argument("names", metavar="NAME", nargs="*", help="columns, such as slider.x (default: an overview)")
    command.add_argument("--list", action="store_true", help="list the columns, with their ranges")
    add_target(command, "FILE", "the picture, .png, .svg or .pdf (default: RESULT.png)")


def act(arguments: argparse.Namespace) -> int:
    from cardan.results.disk.tables import table_of
    from cardan.results.file import free, in_folder
    from cardan.results.trajectory import Trajectory
    from cardan.view.curves import UnknownNameError

    says, target = arguments.says, None
    if not arguments.list:  # judged before anything is loaded or computed
        target = in_folder(written_as(arguments.out or Path(arguments.result).with_suffix(".png"), PICTURES))
        result_file(arguments.result)
        free(target, arguments.force)
    result = load(arguments)
    if target is None:
        table, units = table_of(result)
        facts = {name: [float(c.min()), float(c.max()), units.get(name, "")] for name, c in table.items() if len(c)}
        for name, (low, high, unit) in facts.items():
            says.say(f"{name} from {low:.6g} to {high:.6g} {unit}".rstrip())
        says.fact(columns=facts)
        return 0
    try:
        if arguments.names and isinstance(result, Trajectory):
            axes = result.plot(*arguments.names)
            figure = (axes if hasattr(axes, "figure") else axes[0]).figure
        else:
            figure = picture(result, arguments.names)
    except UnknownNameError as error:
        raise UsageError(str(error)) from error
    figure.savefig(target, dpi=130)
    wrote(target, arguments)
    return 0
