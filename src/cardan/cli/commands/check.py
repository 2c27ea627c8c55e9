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
    warnings: list[Any] = []
    for path in arguments.models:
        if not is_model_file(path):
            raise UsageError(f"'{path}' is not a model file: model files end in .yaml or .json")
        require_model_file(path)
        content, faults = examine(path, file_parameters(arguments), arguments.allow)
        warned = () if content is None else content.warnings
        for fault in faults:
            output.line(fault)
        for warning in warned:
            output.line(f"warning: {warning}")
        if not faults:
            output.line(f"{path}: no fault found")
        found += faults
        warnings += warned
    output.add(faults=[fault._asdict() for fault in found], warnings=[warning._asdict() for warning in warnings])
    if found:
        codes = sorted({fault.code for fault in found})
        output.line(f"{plural(len(found), 'fault')}; `cardan explain {codes[0]}` explains the first code")
    return 1 if found else 0
