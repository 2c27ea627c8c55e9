"""Write a model file to start from: small, commented, ready to check and run.

The JSON schema of model files is written next to it, for editors, unless there is one already.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import MODEL_FILES, add_json
from cardan.cli.usage import UsageError
from cardan.cli.writing import report_written

HELP = "write a model file to start from"
TEMPLATES = Path(__file__).parent / "templates"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="FILE", help="the model file to write, such as press.yaml")
    command.add_argument("--space", choices=("planar", "spatial"), default="planar", help="default: planar")
    command.add_argument("--force", action="store_true", help="overwrite an existing model file")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.files.vocabulary.json_schema import BESIDE, write_schema

    target = Path(arguments.path)
    if target.suffix.lower() not in MODEL_FILES[:2]:
        raise UsageError(f"a new model file ends in .yaml, not '{target.name}'")
    if not target.parent.is_dir():
        raise UsageError(f"folder '{target.parent}' for '{target.name}' does not exist; create it first")
    if target.exists() and not arguments.force:
        raise UsageError(f"the model file '{target}' already exists: choose another name, or use --force")
    text = (TEMPLATES / f"{arguments.space}.yaml").read_text(encoding="utf-8")
    if not target.with_name(BESIDE).exists():
        report_written(write_schema(target.parent), arguments)
    target.write_text(
        f"# yaml-language-server: $schema={BESIDE}\n{text.replace('NAME', target.stem)}", encoding="utf-8"
    )
    report_written(target, arguments)
    arguments.output.line(f"next: cardan check {target}, cardan view {target}, cardan run {target} --out results")
    return 0
