"""List the built-in mechanisms, show one, or copy it into a file of your own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError
from cardan.errors import ModelError

HELP = "list the built-in mechanisms, show or copy one"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", nargs="?", help="an example to show")
    command.add_argument("--copy", action="store_true", help="write it to a file in this directory, or to --out")
    command.add_argument("--file", action="store_true", help="as a model file, .yaml, instead of Python")
    command.add_argument("--out", metavar="PATH", help="where the copy goes")
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    from cardan.examples import names, summary

    says = arguments.says
    if arguments.name is None:
        if arguments.copy or arguments.file or arguments.out:
            raise UsageError(
                "which example? `cardan examples` lists them, `cardan examples slider-crank --copy` copies"
            )
        width = 2 + max(len(name) for name in names())
        for name in names():
            says.say(f"{name:<{width}}{summary(name).partition(': ')[2]}")
        says.fact(examples={name: summary(name).partition(": ")[2] for name in names()})
        return 0
    suffix = ".yaml" if arguments.file else ".py"
    target = Path(arguments.out) if arguments.out else Path(f"{arguments.name.replace('-', '_')}{suffix}")
    try:
        text = _text(arguments)
    except ModelError as error:
        raise UsageError(str(error)) from error
    if not (arguments.copy or arguments.out):
        says.say(text)
        says.fact(name=arguments.name, text=text)
        return 0
    _write(text, target, arguments)
    return 0


def _text(arguments: argparse.Namespace) -> str:
    from cardan import examples

    if not arguments.file:
        return examples.source(arguments.name)
    stated = f"{arguments.name}.yaml"
    try:
        return examples.data(stated).read_text(encoding="utf-8")
    except ModelError:
        return _stated(arguments.name)


def _stated(name: str) -> str:
    """The model of an example, written as a file."""
    from cardan.examples import load
    from cardan.results.disk.saving import model_text

    functions: dict[str, Any] = {}
    text = model_text(load(name).build(), functions)
    if not text or functions:
        raise ModelError(f"the example '{name}' names functions of Python: copy it without --file")
    return text


def _write(text: str, target: Path, arguments: Any) -> None:
    from cardan.results.file import free, in_folder

    free(in_folder(target), arguments.force)
    target.write_text(text, encoding="utf-8")
    arguments.says.say(f"wrote {target}")
    arguments.says.fact(written=[str(target)])
