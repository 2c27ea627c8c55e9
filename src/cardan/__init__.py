"""Cardan: kinematics and dynamics of mechanical systems, planar and spatial.

A model is stated once, in the vocabulary of `cardan.planar` or `cardan.spatial`, and handed to analyses:

    from cardan import assemble, inverse_dynamics, kinematics, mobility

The analyses are loaded when they are first asked for, so that `cardan --help` need not wait for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from cardan.errors import AssemblyError, CardanError, CardanWarning, LockUp, ModelError, SimulationError

if TYPE_CHECKING:
    from cardan.analysis.assemble import assemble
    from cardan.analysis.inverse_dynamics import inverse_dynamics
    from cardan.analysis.kinematics import kinematics
    from cardan.analysis.mobility import mobility

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "CardanError",
    "CardanWarning",
    "LockUp",
    "ModelError",
    "SimulationError",
    "assemble",
    "inverse_dynamics",
    "kinematics",
    "mobility",
]

_ANALYSES = ("assemble", "inverse_dynamics", "kinematics", "mobility")  # each in the module of its name


def __getattr__(name: str) -> object:
    if name not in _ANALYSES:
        raise AttributeError(f"module 'cardan' has no attribute {name!r}")
    found = getattr(import_module(f"cardan.analysis.{name}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
