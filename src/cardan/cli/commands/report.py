"""Write a report on a result, or on all analyses of a model file: model, numbers, figures and checks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardan.cli.arguments import (
    add_result,
    add_target,
    default_columns,
    is_model_file,
    load,
    load_analyses,
    output_path,
    require_source,
)
from cardan.cli.usage import UsageError
from cardan.cli.writing import report_written

if TYPE_CHECKING:
    from cardan.files.model_file import ModelFile

HELP = "write a report on a result, or on all analyses of a model file, as PDF or HTML"


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_result(command)
    add_target(command, "FILE", "the report, .pdf or .html (default: RESULT.pdf)")


def execute(arguments: argparse.Namespace) -> int:
    from cardan.output_path import free
    from cardan.view.report import report

    target = output_path(arguments.out or Path(arguments.result).with_suffix(".pdf"), (".pdf", ".html"))
    require_source(arguments.result)
    free(target, arguments.overwrite)
    whole_file = is_model_file(arguments.result)
    computed: Any = _all_results(load_analyses(arguments), arguments) if whole_file else load(arguments)
    report(computed, target, show=default_columns(arguments))
    report_written(target, arguments)
    return 0


def _all_results(file: ModelFile, arguments: argparse.Namespace) -> dict[str, Any]:
    """The results of all analyses of a model file; partial results of those that stop early."""
    from cardan.errors import CardanError
    from cardan.results.trajectory import Trajectory

    found: dict[str, Any] = {}
    for analysis in file.analyses:
        if analysis.kind == "mobility":  # part of every report
            continue
        try:
            found[analysis.name] = analysis.run()
        except CardanError as error:
            if not isinstance(error.partial, Trajectory) or not len(error.partial):
                raise
            arguments.output.line(f"{analysis.name}: {error}")
            found[analysis.name] = error.partial
    if not found:
        raise UsageError(f"'{arguments.result}' states no analysis that has a result: add one to `analyses:`")
    return found
