"""Write a report of a result: its model, its numbers, its pictures, and what speaks for them."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_result, add_target, load, result_file, shown, written_as
from cardan.cli.writing import wrote

HELP = "write a report of a result as PDF or HTML"


def add(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE", "where it goes, .pdf or .html (default: RESULT.pdf)")


def act(arguments: argparse.Namespace) -> int:
    from cardan.results.file import free
    from cardan.results.registry import view

    target = written_as(arguments.out or Path(arguments.result).with_suffix(".pdf"), (".pdf", ".html"))
    result_file(arguments.result)
    free(target, arguments.force)
    result = load(arguments)
    view("report")(result, target, show=shown(arguments))
    wrote(target, arguments)
    return 0
