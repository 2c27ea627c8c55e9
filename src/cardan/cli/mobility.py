"""Count the freedoms of a model, and name what is redundant."""

from __future__ import annotations

import argparse
from dataclasses import fields, is_dataclass

from cardan.cli.arguments import add_json, add_model, model_of

HELP = "count freedoms, name what is redundant"


def add(command: argparse.ArgumentParser) -> None:
    add_model(command)
    command.add_argument("--imperfect", action="store_true", help="rank again with slightly wrong dimensions")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    model = model_of(arguments)
    from cardan import mobility

    report = mobility(model, imperfect=arguments.imperfect)
    arguments.says.say(report)
    names = [part.name for part in fields(report)] if is_dataclass(report) else [*getattr(report, "_fields", ())]
    arguments.says.fact(model=model.name, report=str(report), **{name: getattr(report, name) for name in names})
    return 0
