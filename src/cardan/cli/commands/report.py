"""Write a report of a result: its model, its numbers, its pictures, and what speaks for them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cardan.cli.arguments import add_result, add_target, is_file, load, load_stated, result_file, shown, written_as
from cardan.cli.usage import UsageError
from cardan.cli.writing import wrote

HELP = "write a report of a result, or of all analyses of a model file, as PDF or HTML"


def add(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE", "where it goes, .pdf or .html (default: RESULT.pdf)")


def act(arguments: argparse.Namespace) -> int:
    from cardan.results.file import free
    from cardan.results.registry import view

    target = written_as(arguments.out or Path(arguments.result).with_suffix(".pdf"), (".pdf", ".html"))
    result_file(arguments.result)
    free(target, arguments.force)
    computed: Any = _all_of(load_stated(arguments), arguments) if is_file(arguments.result) else load(arguments)
    view("report")(computed, target, show=shown(arguments))
    wrote(target, arguments)
    return 0


def _all_of(file: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """The results of all analyses that a model file asks for; of one that stops early what was computed."""
    from cardan.errors import CardanError
    from cardan.results.trajectory import Trajectory

    found: dict[str, Any] = {}
    for analysis in file.analyses:
        if analysis.kind == "mobility":  # every report has it
            continue
        try:
            found[analysis.name] = analysis.run()
        except CardanError as error:
            if not isinstance(error.partial, Trajectory) or not len(error.partial):
                raise
            arguments.says.say(f"{analysis.name}: {error}")
            found[analysis.name] = error.partial
    if not found:
        raise UsageError(f"'{arguments.result}' asks for no analysis that has a result: add one to `analyses:`")
    return found
