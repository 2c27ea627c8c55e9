"""Write a model file to begin with: small, commented, ready to check and to run."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardan.cli.arguments import FILES, add_json
from cardan.cli.usage import UsageError

HELP = "write a model file to begin with"
TEMPLATES = Path(__file__).parent / "templates"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="FILE", help="the model file to write, such as press.yaml")
    command.add_argument("--space", choices=("planar", "spatial"), default="planar", help="default: planar")
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    target = Path(arguments.path)
    if target.suffix.lower() not in FILES[:2]:
        raise UsageError(f"a new model file ends in .yaml, not '{target.name}'")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder '{target.parent}' to write '{target.name}' into; make it first")
    if target.exists() and not arguments.force:
        raise UsageError(f"'{target}' is there already: choose another name, or say --force")
    text = (TEMPLATES / f"{arguments.space}.yaml").read_text(encoding="utf-8")
    target.write_text(text.replace("NAME", target.stem), encoding="utf-8")
    says = arguments.says
    says.say(f"wrote {target}\nnext: cardan check {target}, cardan run {target} --out results")
    says.fact(written=[str(target)])
    return 0
