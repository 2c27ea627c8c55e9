"""Explain a fault code of `cardan check`: the rule, the reason, a wrong and a right example."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError

HELP = "explain a fault code of `cardan check`"


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("code", metavar="CODE", nargs="?", help="such as C104 (default: list all codes)")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.files import codes

    output = arguments.output
    if arguments.code is None:
        for code, (title, _) in sorted(codes.items()):
            output.line(f"{code}  {title}")
        output.add(codes={code: title for code, (title, _) in sorted(codes.items())})
        return 0
    code = arguments.code.upper()
    if code not in codes:
        near = get_close_matches(code, codes, 1)
        hint = f"did you mean {near[0]}?" if near else "`cardan explain` lists all codes"
        raise UsageError(f"unknown code '{arguments.code}'; {hint}")
    title, text = codes[code]
    output.line(f"{code}: {title}\n\n{text.strip()}")
    output.add(code=code, title=title, text=text.strip())
    return 0
