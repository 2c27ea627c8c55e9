"""The kinds of results in files, and the functions that convert them to the content of a file and back.

A kind is found by the name of its class; its module is imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.storage.content import Content


class ResultKind(NamedTuple):
    """A kind of result: the name of its class, its module, and the functions for writing and reading."""

    type: str
    module: str
    write: str
    read: str


KINDS = {
    "simulation": ResultKind("Simulation", "motion", "content", "simulation"),
    "quasi-static": ResultKind("QuasiStatic", "motion", "content", "quasi_static"),
    "trajectory": ResultKind("Trajectory", "motion", "content", "trajectory"),
    "rest": ResultKind("Equilibrium", "equilibria", "rest_content", "rest"),
    "steady motion": ResultKind("SteadyMotion", "equilibria", "steady_content", "steady"),
    "snapshot": ResultKind("Snapshot", "equilibria", "snapshot_content", "snapshot"),
    "equilibria": ResultKind("Equilibria", "equilibria", "equilibria_content", "equilibria"),
    "load path": ResultKind("LoadPath", "equilibria", "path_content", "path"),
    "periodic motion": ResultKind("PeriodicMotion", "equilibria", "periodic_content", "periodic"),
    "linearization": ResultKind("Linearization", "linear", "linear_content", "linear"),
    "modes": ResultKind("Modes", "linear", "modes_content", "modes"),
    "root locus": ResultKind("RootLocus", "linear", "locus_content", "locus"),
    "sensitivities": ResultKind("Sensitivities", "linear", "sensitivities_content", "sensitivities"),
    "gradient": ResultKind("Gradient", "linear", "gradient_content", "gradient"),
}


def content_of(result: object) -> Content:
    """The content of the file of a result."""
    kind = kind_of(result)
    if kind is None:
        raise ModelError(f"a {type(result).__name__} cannot be written to a file; supported are: {', '.join(KINDS)}")
    found: Content = getattr(_module(kind), kind.write)(result)
    return found


def kind_of(result: object) -> ResultKind | None:
    """The kind of a result; None if it cannot be stored."""
    known = {kind.type: kind for kind in KINDS.values()}
    for parent in type(result).__mro__:
        if parent.__module__.startswith("cardan.") and parent.__name__ in known:
            return known[parent.__name__]
    return None


def result_of(content: Content) -> Any:
    """The result of the content of a file."""
    kind = KINDS[content.kind]
    return getattr(_module(kind), kind.read)(content)


def _module(kind: ResultKind) -> Any:
    return import_module(f"cardan.storage.{kind.module}")
