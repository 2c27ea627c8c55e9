"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardan.cli.usage import UsageError, setting

FILES = (".yaml", ".yml", ".json")


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object instead of sentences")


def add_model(command: argparse.ArgumentParser) -> None:
    """A model, its parameters, and what its file may use."""
    what = "a model file (.yaml, .json), an example, or a Python file with `model` or `build()`"
    command.add_argument("model", metavar="MODEL", help=what)
    command.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the model"
    )
    add_trust(command)


def add_trust(command: argparse.ArgumentParser) -> None:
    """Which folders and functions a model file may use."""
    command.add_argument(
        "--allow", metavar="PATH", action="append", default=[], help="a folder outside the model's own that it may read"
    )
    command.add_argument("--functions", metavar="MODULE", help="Python file or module with the functions it names")


def add_result(command: argparse.ArgumentParser) -> None:
    """A result in a file, and where its model comes from if the file cannot state it."""
    source = "a result that `cardan run` wrote, .nc, or a model file, whose last analysis is run"
    command.add_argument("result", metavar="RESULT", help=source)
    what = "the model that it was computed with, if that names functions of Python (default: the example of its name)"
    command.add_argument("--model", metavar="MODEL", help=what)
    command.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the model"
    )
    add_trust(command)


def add_target(command: argparse.ArgumentParser, metavar: str, about: str) -> None:
    """Where a command writes, and whether over what is there."""
    command.add_argument("--out", metavar=metavar, help=about)
    command.add_argument("--force", action="store_true", help="overwrite what is there")
    add_json(command)


def settings(arguments: argparse.Namespace) -> dict[str, str]:
    """The parameters, as texts."""
    return dict(setting(text) for text in arguments.parameters)


def stated(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters as model files take them: plain numbers, in the units of the file, or texts with a unit."""
    return {name: _number(text) for name, text in settings(arguments).items()}


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def is_file(source: str) -> bool:
    """Whether a source is a model file."""
    return Path(source).suffix.lower() in FILES


def trust(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `load_model` and `load_result` take beside a path."""
    given = arguments.functions
    if given is None or given.endswith(".py"):
        return {"functions": given, "allow": arguments.allow}
    from importlib import import_module

    try:
        return {"functions": import_module(given), "allow": arguments.allow}
    except ModuleNotFoundError as error:
        raise UsageError(f"--functions: there is no Python file or module '{given}' ({error})") from None


def load_file(arguments: argparse.Namespace) -> Any:
    """The model file that was named."""
    from cardan.files import load_model

    refuse_missing(arguments.model)
    return load_model(arguments.model, stated(arguments), **trust(arguments))


def refuse_missing(path: str) -> None:
    """Refuse a model file that is not there."""
    if Path(path).is_dir():
        raise UsageError(f"'{path}' is a folder, not a model file")
    if not Path(path).is_file():
        raise UsageError(f"there is no model file '{path}'; `cardan new {path}` writes one")


def load_case(arguments: argparse.Namespace) -> Any:
    """The example or Python file that was named."""
    from cardan.case import CaseError, load_case

    try:
        return load_case(arguments.model, settings(arguments))
    except CaseError as error:
        raise UsageError(str(error)) from error


def model_of(arguments: argparse.Namespace) -> Any:
    """The model alone, of whatever was named."""
    return (load_file(arguments) if is_file(arguments.model) else load_case(arguments)).model


def result_file(path: str) -> Path:
    """The file of a result, which must be there."""
    if Path(path).is_dir():
        raise UsageError(f"'{path}' is a folder, not a result")
    if not Path(path).is_file():
        raise UsageError(f"there is no result '{path}'; `cardan run MODEL --out results` writes one")
    return Path(path)


def written_as(path: str | Path, endings: Sequence[str]) -> Path:
    """Where a command writes, if the ending says what it can."""
    if Path(path).suffix.lower() not in endings:
        raise UsageError(f"--out must end in {' or '.join(endings)}, not '{Path(path).name}'")
    return Path(path)


def load(arguments: argparse.Namespace) -> Any:
    """The result that was named; functions of its model come from --functions, or from --model."""
    from cardan import load_result
    from cardan.errors import ModelError
    from cardan.examples import names

    result_file(arguments.result)
    if is_file(arguments.result):
        return _computed(arguments)
    given = {name: value for name, value in trust(arguments).items() if value}
    if arguments.model is not None:
        return load_result(arguments.result, model=model_of(arguments), **given)
    try:
        return load_result(arguments.result, **given)
    except ModelError:
        name = Path(arguments.result).stem
        if given or name not in names():
            raise
        arguments.model = name  # it is compared with what the file says of its model
        return load_result(arguments.result, model=model_of(arguments))


def _computed(arguments: argparse.Namespace) -> Any:
    """The result of the last analysis that a model file asks for."""
    return load_stated(arguments).analyses[-1].run()


def load_stated(arguments: argparse.Namespace) -> Any:
    """The model file that stands in place of a result; it must ask for an analysis."""
    result_file(arguments.result)
    if arguments.model is not None:
        raise UsageError(f"'{arguments.result}' is a model itself: leave --model out")
    arguments.model = arguments.result
    file = load_file(arguments)
    if not file.analyses:
        raise UsageError(f"'{arguments.result}' asks for no analysis: give it a list `analyses:`")
    return file


def shown(arguments: argparse.Namespace) -> Sequence[str]:
    """The curves that the example of a result, or its model file, wants to be seen."""
    if arguments.model is None:
        return ()
    found: Sequence[str] = (load_file(arguments) if is_file(arguments.model) else load_case(arguments)).show
    return found
