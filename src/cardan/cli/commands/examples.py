"""List the built-in mechanisms, print one, or copy it to a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError
from cardan.errors import ModelError

HELP = "list the built-in mechanisms, print or copy one"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="the example to print")
    command.add_argument("--copy", action="store_true", help="copy it to a file in this folder, or to --out")
    command.add_argument("--file", action="store_true", help="as a model file (.yaml) instead of Python")
    command.add_argument("--out", metavar="PATH", help="the path of the copy")
    command.add_argument("--force", action="store_true", help="overwrite an existing file")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.examples import names, summary

    output = arguments.output
    if arguments.name is None:
        if arguments.copy or arguments.file or arguments.out:
            raise UsageError(
                "name an example: `cardan examples` lists them, `cardan examples slider-crank --copy` copies one"
            )
        width = 2 + max(len(name) for name in names())
        for name in names():
            output.line(f"{name:<{width}}{summary(name).partition(': ')[2]}")
        output.add(examples={name: summary(name).partition(": ")[2] for name in names()})
        return 0
    suffix = ".yaml" if arguments.file else ".py"
    target = Path(arguments.out) if arguments.out else Path(f"{arguments.name.replace('-', '_')}{suffix}")
    try:
        text = _text(arguments)
    except ModelError as error:
        raise UsageError(str(error)) from error
    if not (arguments.copy or arguments.out):
        output.line(text)
        output.add(name=arguments.name, text=text)
        return 0
    _write(text, target, arguments)
    return 0


def _text(arguments: argparse.Namespace) -> str:
    from cardan import examples

    if not arguments.file:
        return examples.source(arguments.name)
    try:
        return examples.data(f"{arguments.name}.yaml").read_text(encoding="utf-8")
    except ModelError:
        return _model_file_text(arguments.name)


def _model_file_text(name: str) -> str:
    """The model of an example as the text of a model file."""
    from cardan.examples import load
    from cardan.files.writing.save import model_text

    functions: dict[str, Any] = {}
    text = model_text(load(name).build(), functions)
    if not text or functions:
        raise ModelError(f"the example '{name}' uses Python functions: copy it without --file")
    return text


def _write(text: str, target: Path, arguments: Any) -> None:
    from cardan.output_path import in_folder

    if in_folder(target).exists() and not arguments.force:
        raise UsageError(f"'{target}' already exists: choose another name with --out, or use --force")
    target.write_text(text, encoding="utf-8")
    arguments.output.line(f"wrote {target}")
    arguments.output.add(written=[str(target)])
