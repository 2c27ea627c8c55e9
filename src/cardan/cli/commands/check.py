"""Check a model file without loading what computes: every fault with its line, its column, its code and the way out."""

from __future__ import annotations

import argparse
from typing import Any

from cardan.cli.arguments import add_json, add_trust, is_file, refuse_missing, stated
from cardan.cli.usage import UsageError

HELP = "list the faults of a model file, by line and column"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("models", metavar="FILE", nargs="+", help="model files, .yaml or .json")
    command.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the model"
    )
    add_trust(command)
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    from cardan.files.reading.reader import examine

    says, found = arguments.says, []
    doubts: list[Any] = []
    for path in arguments.models:
        if not is_file(path):
            raise UsageError(f"'{path}' is no model file: these end in .yaml or .json")
        refuse_missing(path)
        sheet, faults = examine(path, stated(arguments), arguments.allow)
        doubted = () if sheet is None else sheet.doubts
        for fault in faults:
            says.say(fault)
        for doubt in doubted:
            says.say(f"warning: {doubt}")
        if not faults:
            says.say(f"{path}: no fault found")
        found += faults
        doubts += doubted
    says.fact(faults=[fault._asdict() for fault in found], warnings=[doubt._asdict() for doubt in doubts])
    if found:
        codes = sorted({fault.code for fault in found})
        says.say(f"{len(found)} fault{'s' if len(found) > 1 else ''}; `cardan explain {codes[0]}` says more")
    return 1 if found else 0
