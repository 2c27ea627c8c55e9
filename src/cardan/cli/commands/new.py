"""Write a model file to begin with: small, commented, ready to check and to run.

Beside it goes the JSON schema of model files, by which editors complete and check; one that lies there is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import FILES, add_json
from cardan.cli.usage import UsageError
from cardan.cli.writing import wrote

HELP = "write a model file to begin with"
TEMPLATES = Path(__file__).parent / "templates"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="FILE", help="the model file to write, such as press.yaml")
    command.add_argument("--space", choices=("planar", "spatial"), default="planar", help="default: planar")
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    from cardan.files.vocabulary.json_schema import BESIDE, write_schema

    target = Path(arguments.path)
    if target.suffix.lower() not in FILES[:2]:
        raise UsageError(f"a new model file ends in .yaml, not '{target.name}'")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder '{target.parent}' to write '{target.name}' into; make it first")
    if target.exists() and not arguments.force:
        raise UsageError(f"'{target}' is there already: choose another name, or say --force")
    text = (TEMPLATES / f"{arguments.space}.yaml").read_text(encoding="utf-8")
    if not target.with_name(BESIDE).exists():
        wrote(write_schema(target.parent), arguments)
    target.write_text(
        f"# yaml-language-server: $schema={BESIDE}\n{text.replace('NAME', target.stem)}", encoding="utf-8"
    )
    wrote(target, arguments)
    arguments.says.say(f"next: cardan check {target}, cardan run {target} --out results")
    return 0
