"""Cardan: kinematics and dynamics of mechanical systems, planar and spatial.

A model is stated once, in the vocabulary of `cardan.planar` or `cardan.spatial`, and handed to analyses:

    from cardan import assemble, equilibrium, inverse_dynamics, kinematics, mobility

The analyses are loaded when they are first asked for, so that `cardan --help` need not wait for them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from cardan.errors import AssemblyError, CardanError, CardanWarning, LockUp, ModelError, SimulationError

if TYPE_CHECKING:
    from cardan.analysis.assemble import assemble
    from cardan.analysis.equilibrium import equilibrium
    from cardan.analysis.initial import initial_conditions
    from cardan.analysis.inverse_dynamics import inverse_dynamics
    from cardan.analysis.kinematics import kinematics
    from cardan.analysis.load_path import equilibrium_path
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
    "equilibrium",
    "equilibrium_path",
    "initial_conditions",
    "inverse_dynamics",
    "kinematics",
    "mobility",
]

# Each analysis and the module that it is in.
_ANALYSES = {
    "assemble": "assemble",
    "equilibrium": "equilibrium",
    "equilibrium_path": "load_path",
    "initial_conditions": "initial",
    "inverse_dynamics": "inverse_dynamics",
    "kinematics": "kinematics",
    "mobility": "mobility",
}


def __getattr__(name: str) -> object:
    if name not in _ANALYSES:
        raise AttributeError(f"module 'cardan' has no attribute {name!r}")
    found = getattr(import_module(f"cardan.analysis.{_ANALYSES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
