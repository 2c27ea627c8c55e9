"""Count the degrees of freedom of a model and name redundant constraints."""

from __future__ import annotations

import argparse

from cardan.cli.arguments import add_json, add_model, load_source

HELP = "count degrees of freedom, name redundant constraints"
REPORTED = (
    "model",
    "coordinates",
    "equations",
    "rank",
    "degrees_of_freedom",
    "undriven",
    "driver_equations",
    "redundant",
    "redundant_drivers",
    "conflicting",
    "singular",
    "independent",
    "unconstrained_bodies",
    "imperfect_rank",
)


def add_arguments(command: argparse.ArgumentParser) -> None:
    add_model(command)
    command.add_argument("--imperfect", action="store_true", help="repeat with slightly perturbed dimensions")
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    model = load_source(arguments).model
    from cardan import mobility

    report = mobility(model, imperfect=arguments.imperfect)
    arguments.output.line(report)
    arguments.output.add(report=str(report), **{name: getattr(report, name) for name in REPORTED})
    return 0
