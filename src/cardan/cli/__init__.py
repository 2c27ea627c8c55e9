"""The command line: models in, results, tables, pictures and pages out.

    cardan new press.yaml                        write a model file to start from
    cardan schema                                write the JSON schema of model files, for editors
    cardan check press.yaml                      list faults by line and column; `cardan explain C104` explains one
    cardan mobility press.yaml                   count degrees of freedom
    cardan run press.yaml --out results -p rod=0.6
    cardan sweep press.yaml -p rod=0.4:0.8:9     analyze many designs
    cardan plot results/press.nc slider.x --out x.png
    cardan studio press.yaml                     draw, drag and analyze it in the browser
    cardan picture press.yaml --at 0.2 --out press.svg
    cardan view press.yaml                       cardan report results/press.nc --out press.pdf
    cardan export c press.yaml --inputs motor.rate --outputs slider.x
    cardan diff results/press.nc before.nc --rtol 1e-6
    cardan examples slider-crank --copy          cardan bench        cardan warmup

Exit codes: 0 success, 1 the model or its analysis failed (partial results are written) or results differ, 2 wrong
usage. Errors are one line on stderr; --traceback prints the traceback. With --json a command prints one JSON object
and nothing else on stdout. Heavy packages are imported only when they are needed.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cardan.cli.output import CommandOutput
from cardan.cli.usage import UsageError
from cardan.errors import CardanError
from cardan.version import __version__

COMMANDS = (
    "new",
    "check",
    "mobility",
    "run",
    "sweep",
    "plot",
    "picture",
    "view",
    "studio",
    "report",
    "export",
    "diff",
    "explain",
    "schema",
    "examples",
    "bench",
    "warmup",
    "completion",
)


FIRST_STEPS = """\
first steps:
  cardan run slider-crank --out results    analyze an example; write results, a table and a picture
  cardan view slider-crank                 watch it move and drag it, in the browser
  cardan studio                            draw a mechanism
  cardan new press.yaml                    write a model file to start from
  cardan COMMAND --help                    the arguments of a command
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; without one, print the help."""
    given = sys.argv[1:] if argv is None else argv
    if not given:
        parser().print_help()
        return 0
    if not given[0].startswith("-") and given[0] not in COMMANDS:
        print(f"cardan: {_no_command(given[0])}", file=sys.stderr)
        return 2
    arguments = parser().parse_args(given)
    output = arguments.output = CommandOutput(getattr(arguments, "json", False))
    with warnings.catch_warnings():
        warnings.showwarning = _print_warning
        try:
            code = int(arguments.execute(arguments))
        except UsageError as error:
            code = output.error(error, 2, arguments.traceback)
        except BrokenPipeError:  # the reader of the output closed it: `cardan examples | head`
            sys.stdout = open(os.devnull, "w")
            return 0
        except OSError as error:
            code = output.error(error, 1, arguments.traceback, _system_message(error))
        except (CardanError, ImportError) as error:
            code = output.error(error, 1, arguments.traceback)
        except KeyboardInterrupt as error:
            code = output.error(error, 1, arguments.traceback, str(error) or "interrupted before anything was computed")
        output.finish(code)
        return code


def parser() -> argparse.ArgumentParser:
    """The argument parser; each command's module adds its own arguments."""
    found = argparse.ArgumentParser(
        prog="cardan",
        description="Motion and forces of mechanisms.",
        epilog=FIRST_STEPS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"cardan {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--traceback", action="store_true", help="print the traceback of an error")
    commands = found.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"cardan.cli.commands.{name}")
        about = str(module.__doc__).partition("\n")[0]
        command = commands.add_parser(name, parents=[common], help=module.HELP, description=about)
        module.add_arguments(command)
        command.set_defaults(execute=module.execute)
    return found


def _no_command(word: str) -> str:
    """The message about a word that is not a command: a typing error, or a model without a command."""
    from cardan.examples import names  # slow to import

    if word in names() or os.path.exists(word):
        return f"'{word}' is a model or a file, not a command; write `cardan view {word}` or `cardan run {word}`"
    near = difflib.get_close_matches(word, COMMANDS, 1)
    return f"there is no command '{word}'" + (
        f"; did you mean '{near[0]}'?" if near else "; `cardan --help` lists them"
    )


def _system_message(error: OSError) -> str | None:
    if error.filename is None or error.strerror is None:
        return None
    return f"'{error.filename}' cannot be opened or written: {error.strerror[:1].lower()}{error.strerror[1:]}"


def _print_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    print(f"cardan: warning: {message}", file=sys.stderr)
