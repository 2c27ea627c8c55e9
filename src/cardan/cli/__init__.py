"""The command line: a model as a file or an example goes in; numbers, tables, pictures and pages come out.

    cardan new press.yaml                        a model file to begin with
    cardan schema                                what editors complete model files with
    cardan check press.yaml                      its faults, by line and column; `cardan explain C104` says more
    cardan mobility press.yaml
    cardan run press.yaml --out results -p rod=0.6
    cardan sweep press.yaml -p rod=0.4:0.8:9     many designs
    cardan plot results/press.nc slider.x --out x.png
    cardan view results/press.nc                 cardan report results/press.nc --out press.pdf
    cardan diff results/press.nc before.nc --rtol 1e-6
    cardan examples slider-crank --copy          cardan bench        cardan warmup

Exit codes: 0 done, 1 the model or its analysis failed (what was computed is still written), or results differ, 2 wrong
usage. Errors are one sentence on stderr; --traceback shows where they come from. With --json a command prints one JSON
object and nothing else on stdout. Nothing heavy is loaded before it is needed.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cardan import __version__
from cardan.cli.messages import Says
from cardan.cli.usage import UsageError
from cardan.errors import CardanError

COMMANDS = (
    "new",
    "check",
    "mobility",
    "run",
    "sweep",
    "plot",
    "view",
    "report",
    "diff",
    "explain",
    "schema",
    "examples",
    "bench",
    "warmup",
    "completion",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    arguments = parser().parse_args(argv)
    says = arguments.says = Says(getattr(arguments, "json", False))
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        try:
            code = int(arguments.action(arguments))
        except UsageError as error:
            code = says.fail(error, 2, arguments.traceback)
        except BrokenPipeError:  # the reader of our output has seen enough: `cardan examples | head`
            sys.stdout = open(os.devnull, "w")
            return 0
        except OSError as error:
            code = says.fail(error, 1, arguments.traceback, _barred(error))
        except (CardanError, ImportError) as error:
            code = says.fail(error, 1, arguments.traceback)
        except KeyboardInterrupt as error:
            code = says.fail(error, 1, arguments.traceback, str(error) or "interrupted before anything was computed")
        says.end(code)
        return code


def parser() -> argparse.ArgumentParser:
    """What the command line takes; each command's module adds its own."""
    found = argparse.ArgumentParser(prog="cardan", description="Motion and forces of mechanisms.")
    found.add_argument("--version", action="version", version=f"cardan {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--traceback", action="store_true", help="show where in the code an error comes from")
    commands = found.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"cardan.cli.commands.{name}")
        about = str(module.__doc__).partition("\n")[0]
        command = commands.add_parser(name, parents=[common], help=module.HELP, description=about)
        module.add(command)
        command.set_defaults(action=module.act)
    return found


def _barred(error: OSError) -> str | None:
    """What the system refused, in a sentence."""
    if error.filename is None or error.strerror is None:
        return None
    return f"'{error.filename}' cannot be opened or written: {error.strerror[:1].lower()}{error.strerror[1:]}"


def _warn(message: Any, *where: Any, **more: Any) -> None:
    print(f"cardan: warning: {message}", file=sys.stderr)
