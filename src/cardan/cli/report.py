"""Write a report of a result: its model, its numbers, its pictures, and what speaks for them."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_json, add_result, load, written_as
from cardan.cli.writing import wrote

HELP = "write a report of a result as PDF"


def add(command: argparse.ArgumentParser) -> None:
    add_result(command)
    command.add_argument("--out", metavar="FILE.pdf", help="where it goes (default: RESULT.pdf)")
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    target = written_as(arguments.out or Path(arguments.result).with_suffix(".pdf"), (".pdf",))
    load(arguments).save(target, overwrite=arguments.force)
    wrote(target, arguments)
    return 0
