"""Write the JSON schema of model files into a folder: editors complete and check the files beside it, offline.

Model files name it in their first line:  # yaml-language-server: $schema=cardan-model.schema.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError
from cardan.cli.writing import wrote

HELP = "write the schema of model files for editors"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="FOLDER", nargs="?", default=".", help="of the model files (default: here)")
    command.add_argument("--force", action="store_true", help="overwrite one of another version")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    from cardan.files.vocabulary.json_schema import write_schema

    if not Path(arguments.folder).is_dir():
        raise UsageError(f"there is no folder '{arguments.folder}' to write the schema into; make it first")
    wrote(write_schema(arguments.folder, arguments.force), arguments)
    return 0
