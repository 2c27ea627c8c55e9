"""Count the freedoms of a model, and name what is redundant."""

from __future__ import annotations

import argparse

from cardan.cli.arguments import add_json, add_model, model_of

HELP = "count freedoms, name what is redundant"
FACTS = (
    "model",
    "coordinates",
    "equations",
    "rank",
    "freedoms",
    "undriven",
    "driver_equations",
    "redundant",
    "redundant_drivers",
    "conflicting",
    "singular",
    "independent",
    "unheld",
    "imperfect_rank",
)


def add(command: argparse.ArgumentParser) -> None:
    add_model(command)
    command.add_argument("--imperfect", action="store_true", help="rank again with slightly wrong dimensions")
    add_json(command)


def act(arguments: argparse.Namespace) -> int:
    model = model_of(arguments)
    from cardan import mobility

    report = mobility(model, imperfect=arguments.imperfect)
    arguments.says.say(report)
    arguments.says.fact(report=str(report), **{name: getattr(report, name) for name in FACTS})
    return 0
