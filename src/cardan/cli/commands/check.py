"""Check model files: list every fault with line, column, code and remedy.

Text, names, units and the range of each number are checked without importing the solver; faults that involve several
values are reported when the model is built.
"""

from __future__ import annotations

import argparse
from typing import Any

from cardan.cli.arguments import add_json, add_parameters, file_parameters, is_model_file, require_model_file
from cardan.cli.output import plural
from cardan.cli.usage import UsageError

HELP = "list the faults of a model file, by line and column"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("models", metavar="FILE", nargs="+", help="model files, .yaml or .json")
    add_parameters(command)
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.files.reading.reader import examine

    output = arguments.output
    found: list[Any] = []
    doubts: list[Any] = []
    for path in arguments.models:
        if not is_model_file(path):
            raise UsageError(f"'{path}' is not a model file: model files end in .yaml or .json")
        require_model_file(path)
        sheet, faults = examine(path, file_parameters(arguments), arguments.allow)
        doubted = () if sheet is None else sheet.doubts
        for fault in faults:
            output.line(fault)
        for doubt in doubted:
            output.line(f"warning: {doubt}")
        if not faults:
            output.line(f"{path}: no fault found")
        found += faults
        doubts += doubted
    output.add(faults=[fault._asdict() for fault in found], warnings=[doubt._asdict() for doubt in doubts])
    if found:
        codes = sorted({fault.code for fault in found})
        output.line(f"{plural(len(found), 'fault')}; `cardan explain {codes[0]}` explains the first code")
    return 1 if found else 0
