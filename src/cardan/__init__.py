"""Cardan: kinematics and dynamics of mechanical systems, planar and spatial.

A model is stated once, in the vocabulary of `cardan.planar` or `cardan.spatial`, and handed to analyses:

    from cardan import assemble, equilibrium, inverse_dynamics, kinematics, mobility

The analyses are loaded when they are first asked for, so that `cardan --help` need not wait for them.
"""

from typing import TYPE_CHECKING

from cardan.errors import (
    AssemblyError,
    CardanError,
    CardanWarning,
    EnergyWarning,
    Interrupted,
    LockUp,
    ModelError,
    SimulationError,
    WriteError,
)
from cardan.late import late

if TYPE_CHECKING:
    from cardan.analysis.assemble import assemble
    from cardan.analysis.change import Change
    from cardan.analysis.eigenmodes import eigenmodes
    from cardan.analysis.equilibrium import equilibrium
    from cardan.analysis.event import Event
    from cardan.analysis.gradient import gradient
    from cardan.analysis.initial import initial_conditions
    from cardan.analysis.inverse_dynamics import inverse_dynamics
    from cardan.analysis.joint_space import joint_space
    from cardan.analysis.kinematics import kinematics
    from cardan.analysis.linearize import linearize
    from cardan.analysis.load_path import equilibrium_path
    from cardan.analysis.mobility import mobility
    from cardan.analysis.modal_sensitivities import modal_sensitivities
    from cardan.analysis.motion_sensitivities import motion_sensitivities
    from cardan.analysis.optimize import optimize
    from cardan.analysis.periodic_motion import periodic_motion
    from cardan.analysis.road_spectrum import road_spectrum
    from cardan.analysis.root_locus import root_locus
    from cardan.analysis.sensitivities import sensitivities
    from cardan.analysis.simulate import simulate
    from cardan.analysis.steady_motion import steady_motion
    from cardan.elements.control.signals import reaction
    from cardan.files.faults import FileError
    from cardan.files.model_file import ModelFile, load_model
    from cardan.files.save import save_model
    from cardan.io.mjcf import from_mjcf
    from cardan.io.urdf import from_urdf
    from cardan.model.parameter import parameter, tied
    from cardan.results.disk.recorder import recording
    from cardan.results.file import load_result, open_result
    from cardan.results.simulation import Checkpoint
    from cardan.results.vehicle import VehicleMotion
    from cardan.study.study import study

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "CardanError",
    "CardanWarning",
    "EnergyWarning",
    "Change",
    "Checkpoint",
    "Event",
    "FileError",
    "Interrupted",
    "LockUp",
    "ModelError",
    "ModelFile",
    "SimulationError",
    "VehicleMotion",
    "WriteError",
    "assemble",
    "eigenmodes",
    "equilibrium",
    "equilibrium_path",
    "from_mjcf",
    "from_urdf",
    "gradient",
    "initial_conditions",
    "inverse_dynamics",
    "joint_space",
    "kinematics",
    "linearize",
    "load_result",
    "load_model",
    "mobility",
    "modal_sensitivities",
    "motion_sensitivities",
    "open_result",
    "optimize",
    "parameter",
    "periodic_motion",
    "reaction",
    "recording",
    "road_spectrum",
    "root_locus",
    "save_model",
    "sensitivities",
    "simulate",
    "steady_motion",
    "study",
    "tied",
]

# where each analysis, and what belongs to it, is found
_ANALYSES = {
    "Change": "analysis.change",
    "Checkpoint": "results.simulation",
    "Event": "analysis.event",
    "FileError": "files.faults",
    "ModelFile": "files.model_file",
    "VehicleMotion": "results.vehicle",
    "assemble": "analysis.assemble",
    "eigenmodes": "analysis.eigenmodes",
    "equilibrium": "analysis.equilibrium",
    "equilibrium_path": "analysis.load_path",
    "from_mjcf": "io.mjcf",
    "from_urdf": "io.urdf",
    "gradient": "analysis.gradient",
    "initial_conditions": "analysis.initial",
    "inverse_dynamics": "analysis.inverse_dynamics",
    "joint_space": "analysis.joint_space",
    "kinematics": "analysis.kinematics",
    "linearize": "analysis.linearize",
    "load_result": "results.file",
    "load_model": "files.model_file",
    "mobility": "analysis.mobility",
    "modal_sensitivities": "analysis.modal_sensitivities",
    "motion_sensitivities": "analysis.motion_sensitivities",
    "open_result": "results.file",
    "optimize": "analysis.optimize",
    "parameter": "model.parameter",
    "periodic_motion": "analysis.periodic_motion",
    "reaction": "elements.control.signals",
    "recording": "results.disk.recorder",
    "road_spectrum": "analysis.road_spectrum",
    "root_locus": "analysis.root_locus",
    "save_model": "files.save",
    "sensitivities": "analysis.sensitivities",
    "simulate": "analysis.simulate",
    "steady_motion": "analysis.steady_motion",
    "study": "study",
    "tied": "model.parameter",
}


__getattr__ = late(__name__, _ANALYSES)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
