"""Plot columns of a result into a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_result, add_target, load, output_path, require_source
from cardan.cli.usage import UsageError
from cardan.cli.writing import picture, report_written

HELP = "plot columns of a result"
PICTURES = (".png", ".svg", ".pdf")


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_result(command)
    command.add_argument("names", metavar="NAME", nargs="*", help="columns, such as slider.x (default: an overview)")
    command.add_argument("--list", action="store_true", help="list the columns with their ranges")
    add_target(command, "FILE", "the picture, .png, .svg or .pdf (default: RESULT.png)")


def execute(arguments: argparse.Namespace) -> int:
    import numpy as np

    from cardan.output_path import free, in_folder
    from cardan.results.trajectory import Trajectory
    from cardan.storage.tables import table_of
    from cardan.view.curves import UnknownNameError

    output, target = arguments.output, None
    if not arguments.list:  # check before anything is loaded or computed
        target = in_folder(output_path(arguments.out or Path(arguments.result).with_suffix(".png"), PICTURES))
        require_source(arguments.result)
    result = load(arguments)
    if target is None:
        table = table_of(result)
        ranges = {name: (float(values.min()), float(values.max())) for name, values in table.items() if len(values)}
        columns = {name: [*ends, table.units.get(name, "")] for name, ends in ranges.items()}
        for name, (low, high, unit) in columns.items():
            output.line(f"{name} from {low:.6g} to {high:.6g} {unit}".rstrip())
        output.add(columns=columns)
        return 0
    try:
        if arguments.names and isinstance(result, Trajectory):
            figure = np.ravel(result.plot(*arguments.names))[0].figure
        else:
            figure = picture(result, arguments.names)
    except UnknownNameError as error:
        raise UsageError(str(error)) from error
    free(target, arguments.overwrite)  # after the names: a wrong column is reported first
    figure.savefig(target, dpi=130)
    report_written(target, arguments)
    return 0
