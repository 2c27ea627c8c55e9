"""Explain the code of a fault in a model file: what the rule is, why, and how to keep it."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from cardan.cli.arguments import add_json
from cardan.cli.usage import UsageError

HELP = "what a code of `cardan check` means"


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("code", metavar="CODE", nargs="?", help="such as C104; without one, all codes are listed")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    from cardan.files import codes

    says = arguments.says
    if arguments.code is None:
        for code, (title, _) in sorted(codes.items()):
            says.say(f"{code}  {title}")
        says.fact(codes={code: title for code, (title, _) in sorted(codes.items())})
        return 0
    code = arguments.code.upper()
    if code not in codes:
        near = get_close_matches(code, codes, 1)
        hint = f"did you mean {near[0]}?" if near else "`cardan explain` lists all codes"
        raise UsageError(f"there is no code '{arguments.code}'; {hint}")
    title, text = codes[code]
    says.say(f"{code}: {title}\n\n{text.strip()}")
    says.fact(code=code, title=title, text=text.strip())
    return 0
