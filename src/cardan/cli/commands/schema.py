"""Write the JSON schema of model files into a folder: editors use it to complete and check the files, offline.

Model files name it in their first line:  # yaml-language-server: $schema=cardan-model.schema.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_json, add_overwrite
from cardan.cli.usage import UsageError
from cardan.cli.writing import report_written

HELP = "write the schema of model files for editors"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="of the model files (default: here)")
    add_overwrite(command)
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.files.vocabulary.json_schema import write_schema

    if not Path(arguments.folder).is_dir():
        raise UsageError(f"folder '{arguments.folder}' does not exist; create it first")
    report_written(write_schema(arguments.folder, arguments.overwrite), arguments)
    return 0
