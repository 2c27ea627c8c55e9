"""The kinds of results in files, and the functions that convert them to the content of a file and back.

A kind is found by the name of its class; its module is imported when it is needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.storage.content import Content


class Kind(NamedTuple):
    """A kind of result: the name of its class, its module, and the functions for writing and reading."""

    type: str
    module: str
    write: str
    read: str


KINDS = {
    "simulation": Kind("Simulation", "motion", "content", "simulation"),
    "trajectory": Kind("Trajectory", "motion", "content", "trajectory"),
    "rest": Kind("Equilibrium", "equilibria", "rest_content", "rest"),
    "steady motion": Kind("SteadyMotion", "equilibria", "steady_content", "steady"),
    "snapshot": Kind("Snapshot", "equilibria", "snapshot_content", "snapshot"),
    "equilibria": Kind("Equilibria", "equilibria", "equilibria_content", "equilibria"),
    "load path": Kind("LoadPath", "equilibria", "path_content", "path"),
    "periodic motion": Kind("PeriodicMotion", "equilibria", "periodic_content", "periodic"),
    "linearization": Kind("Linearization", "linear", "linear_content", "linear"),
    "modes": Kind("Modes", "linear", "modes_content", "modes"),
    "root locus": Kind("RootLocus", "linear", "locus_content", "locus"),
    "sensitivities": Kind("Sensitivities", "linear", "sensitivities_content", "sensitivities"),
    "gradient": Kind("Gradient", "linear", "gradient_content", "gradient"),
}


def content_of(result: Any) -> Content:
    """The content of the file of a result."""
    kind = kind_of(result)
    if kind is None:
        raise ModelError(f"a {type(result).__name__} cannot be written to a file; supported are: {', '.join(KINDS)}")
    found: Content = getattr(_module(kind), kind.write)(result)
    return found


def kind_of(result: Any) -> Kind | None:
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


def _module(kind: Kind) -> Any:
    return import_module(f"cardan.storage.{kind.module}")
