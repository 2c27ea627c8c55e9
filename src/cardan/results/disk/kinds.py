"""The kinds of results that files keep: how each is taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cardan.errors import ModelError
from cardan.results.disk import linear, motion, rest
from cardan.results.disk.content import Content
from cardan.results.linear import Linearization
from cardan.results.load_path import LoadPath
from cardan.results.locus import RootLocus
from cardan.results.modes import Modes
from cardan.results.periodic import PeriodicMotion
from cardan.results.rest import Equilibria, Rest
from cardan.results.sensitivity import Gradient, Sensitivities
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.steady import SteadyMotion
from cardan.results.trajectory import Trajectory


class Kind(NamedTuple):
    """A kind of result, by its class."""

    type: type
    apart: Callable[[Any], Content]
    together: Callable[[Content], Any]


# The first whose class fits takes a result apart: those that build on others come first.
KINDS = {
    "simulation": Kind(Simulation, motion.content, motion.simulation),
    "trajectory": Kind(Trajectory, motion.content, motion.trajectory),
    "rest": Kind(Rest, rest.rest_content, rest.rest),
    "steady motion": Kind(SteadyMotion, rest.steady_content, rest.steady),
    "snapshot": Kind(Snapshot, rest.snapshot_content, rest.snapshot),
    "equilibria": Kind(Equilibria, rest.equilibria_content, rest.equilibria),
    "load path": Kind(LoadPath, rest.path_content, rest.path),
    "periodic motion": Kind(PeriodicMotion, rest.periodic_content, rest.periodic),
    "linearization": Kind(Linearization, linear.linear_content, linear.linear),
    "modes": Kind(Modes, linear.modes_content, linear.modes),
    "root locus": Kind(RootLocus, linear.locus_content, linear.locus),
    "sensitivities": Kind(Sensitivities, linear.sensitivities_content, linear.sensitivities),
    "gradient": Kind(Gradient, linear.gradient_content, linear.gradient),
}


def apart(result: Any) -> Content:
    """A result taken apart."""
    for kind in KINDS.values():
        if isinstance(result, kind.type):
            return kind.apart(result)
    raise ModelError(f"a {type(result).__name__} cannot be written to a file; there are: {', '.join(KINDS)}")
