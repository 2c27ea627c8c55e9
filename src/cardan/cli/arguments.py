"""Arguments that several commands share, and the models and results that they name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cardan.cli.usage import UsageError, setting

MODEL_FILES = (".yaml", ".yml", ".json")
MODEL_HELP = "a model file (.yaml, .json), an example, or a Python file with `model` or `build()`"


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def add_model(command: argparse.ArgumentParser) -> None:
    """A model, its parameters, and the files and functions that it may use."""
    command.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    add_parameters(command)


def add_parameters(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the model"
    )
    add_trust(command)


def add_trust(command: argparse.ArgumentParser) -> None:
    """The folders and functions that a model file may use."""
    command.add_argument(
        "--allow", metavar="PATH", action="append", default=[], help="another folder that the model file may read"
    )
    command.add_argument("--functions", metavar="MODULE", help="Python file or module with the functions it names")


def add_result(command: argparse.ArgumentParser) -> None:
    """A result, or a model whose analysis is run, and the model of a result that does not contain it."""
    source = "a result (.nc), or a model file, an example or a Python file, whose last analysis is run"
    command.add_argument("result", metavar="RESULT", help=source)
    model = "the model of the result, if that uses Python functions (default: the example of the same name)"
    command.add_argument("--model", metavar="MODEL", help=model)
    add_parameters(command)


def add_target(command: argparse.ArgumentParser, metavar: str, about: str) -> None:
    """The output file."""
    command.add_argument("--out", metavar=metavar, help=about)
    add_overwrite(command)
    add_json(command)


def add_overwrite(command: argparse.ArgumentParser) -> None:
    """Output files are overwritten unless --no-clobber is given; --force, the former opposite, has no effect."""
    command.add_argument("--no-clobber", dest="overwrite", action="store_false", help="do not overwrite existing files")
    command.add_argument("--force", dest="overwrite", action="store_true", default=True, help=argparse.SUPPRESS)


def settings(arguments: argparse.Namespace) -> dict[str, str]:
    """The parameters as text."""
    return dict(setting(text) for text in arguments.parameters)


def file_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters as `load_model` takes them: numbers in the units of the file, or text with a unit."""
    return {name: _number(text) for name, text in settings(arguments).items()}


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def is_model_file(source: str) -> bool:
    return Path(source).suffix.lower() in MODEL_FILES


def trust(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments `functions` and `allow` of `load_model` and `load_result`."""
    given = arguments.functions
    if given is None or given.endswith(".py"):
        return {"functions": given, "allow": arguments.allow}
    from importlib import import_module

    try:
        return {"functions": import_module(given), "allow": arguments.allow}
    except ModuleNotFoundError as error:
        raise UsageError(f"--functions: there is no Python file or module '{given}' ({error})") from None


def load_file(arguments: argparse.Namespace) -> Any:
    """The model file that the command names."""
    from cardan.files import load_model

    require_model_file(arguments.model)
    return load_model(arguments.model, file_parameters(arguments), **trust(arguments))


def require_model_file(path: str) -> None:
    if Path(path).is_dir():
        raise UsageError(f"'{path}' is a folder, not a model file")
    if not Path(path).is_file():
        raise UsageError(f"model file '{path}' does not exist; `cardan new {path}` writes one")


def load_case(arguments: argparse.Namespace) -> Any:
    """The example or Python file that the command names."""
    from cardan.case import CaseError, load_case

    try:
        return load_case(arguments.model, settings(arguments))
    except CaseError as error:
        raise UsageError(str(error)) from error


def load_source(arguments: argparse.Namespace) -> Any:
    """The model file, example or Python file that the command names."""
    return load_file(arguments) if is_model_file(arguments.model) else load_case(arguments)


def require_result(path: str) -> Path:
    """The file of a result; it must exist."""
    if Path(path).is_dir():
        raise UsageError(f"'{path}' is a folder, not a result")
    if not Path(path).is_file():
        raise UsageError(f"result '{path}' does not exist; `cardan run MODEL --out results` writes one")
    return Path(path)


def require_source(path: str) -> None:
    """A result, a model file, a Python file or an example; it must exist."""
    from cardan.examples import names

    if path in names():
        return
    near = get_close_matches(path, names(), 1, 0.7)
    if near and not Path(path).exists():
        raise UsageError(f"'{path}' is neither a result nor an example; did you mean '{near[0]}'?")
    require_result(path)


def output_path(path: str | Path, endings: Sequence[str]) -> Path:
    """The path of an output file, with one of the given endings."""
    if Path(path).suffix.lower() not in endings:
        raise UsageError(f"--out must end in {' or '.join(endings)}, not '{Path(path).name}'")
    return Path(path)


def load(arguments: argparse.Namespace, or_model: bool = False) -> Any:
    """The result that the command names, or that of the last analysis of the model that it names.

    With `or_model`, a model without an analysis is returned itself.
    """
    require_source(arguments.result)
    if Path(arguments.result).suffix.lower() == ".nc":
        return _stored(arguments)
    source = load_analyses(arguments, or_model)
    if is_model_file(arguments.result):
        return source.analyses[-1].run() if source.analyses else source.model
    if source.results:
        return source.results[-1]
    return source.model if or_model and not source.has_times else source.compute()


def _stored(arguments: argparse.Namespace) -> Any:
    """A result file; Python functions of its model come from --functions, --model, or the example of its name."""
    from cardan import load_result
    from cardan.errors import ModelError
    from cardan.examples import names

    given = {name: value for name, value in trust(arguments).items() if value}
    if arguments.model is not None:
        return load_result(arguments.result, model=load_source(arguments).model, **given)
    try:
        return load_result(arguments.result, **given)
    except ModelError:
        name = Path(arguments.result).stem
        if given or name not in names():
            raise
        arguments.model = name  # load_result compares it with the digest in the file
        return load_result(arguments.result, model=load_source(arguments).model)


def load_analyses(arguments: argparse.Namespace, or_model: bool = False) -> Any:
    """The model that is named instead of a result; a model file must state an analysis unless `or_model`."""
    require_source(arguments.result)
    if arguments.model is not None:
        raise UsageError(f"'{arguments.result}' is a model: omit --model")
    arguments.model = arguments.result
    source = load_source(arguments)
    if is_model_file(arguments.result) and not source.analyses and not or_model:
        raise UsageError(f"'{arguments.result}' states no analysis: add a list `analyses:`")
    return source


def default_columns(arguments: argparse.Namespace) -> Sequence[str]:
    """The columns that the model of a result states under `show`."""
    if arguments.model is None:
        return ()
    found: Sequence[str] = load_source(arguments).show
    return found
