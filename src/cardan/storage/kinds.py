"""The kinds of results that files keep: how each is taken apart, and put together again.

A kind is found by the name of its class, and its page is loaded when it is needed: what a motion needs is little.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.storage.content import Content


class Kind(NamedTuple):
    """A kind of result: the name of its class, and on which page of this folder it is taken apart and put together."""

    type: str
    page: str
    apart: str
    together: str


KINDS = {
    "simulation": Kind("Simulation", "motion", "content", "simulation"),
    "trajectory": Kind("Trajectory", "motion", "content", "trajectory"),
    "rest": Kind("Rest", "rest", "rest_content", "rest"),
    "steady motion": Kind("SteadyMotion", "rest", "steady_content", "steady"),
    "snapshot": Kind("Snapshot", "rest", "snapshot_content", "snapshot"),
    "equilibria": Kind("Equilibria", "rest", "equilibria_content", "equilibria"),
    "load path": Kind("LoadPath", "rest", "path_content", "path"),
    "periodic motion": Kind("PeriodicMotion", "rest", "periodic_content", "periodic"),
    "linearization": Kind("Linearization", "linear", "linear_content", "linear"),
    "modes": Kind("Modes", "linear", "modes_content", "modes"),
    "root locus": Kind("RootLocus", "linear", "locus_content", "locus"),
    "sensitivities": Kind("Sensitivities", "linear", "sensitivities_content", "sensitivities"),
    "gradient": Kind("Gradient", "linear", "gradient_content", "gradient"),
}


def apart(result: Any) -> Content:
    """A result taken apart."""
    kind = kind_of(result)
    if kind is None:
        raise ModelError(f"a {type(result).__name__} cannot be written to a file; there are: {', '.join(KINDS)}")
    found: Content = getattr(_page(kind), kind.apart)(result)
    return found


def kind_of(result: Any) -> Kind | None:
    """The kind of a result; None for what no file holds."""
    known = {kind.type: kind for kind in KINDS.values()}
    for parent in type(result).__mro__:
        if parent.__module__.startswith("cardan.") and parent.__name__ in known:
            return known[parent.__name__]
    return None


def together(content: Content) -> Any:
    """The result again."""
    kind = KINDS[content.kind]
    return getattr(_page(kind), kind.together)(content)


def _page(kind: Kind) -> Any:
    return import_module(f"cardan.storage.{kind.page}")
