"""Cardan: kinematics and dynamics of mechanical systems, planar and spatial.

A model is stated once, in the vocabulary of `cardan.planar`, and handed to analyses:

    from cardan import assemble, kinematics, mobility
"""

from cardan.analysis.assemble import assemble
from cardan.analysis.kinematics import kinematics
from cardan.analysis.mobility import mobility
from cardan.errors import AssemblyError, CardanError, CardanWarning, LockUp, ModelError, SimulationError

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "CardanError",
    "CardanWarning",
    "LockUp",
    "ModelError",
    "SimulationError",
    "assemble",
    "kinematics",
    "mobility",
]
