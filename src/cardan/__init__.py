"""Cardan: kinematics and dynamics of mechanical systems, planar and spatial.

A model is built once, from elements of `cardan.planar` or `cardan.spatial`, and passed to analyses:

    from cardan import assemble, equilibrium, inverse_dynamics, kinematics, mobility

Analyses are loaded on first use, which keeps `cardan --help` fast.
"""

from typing import TYPE_CHECKING

from cardan.analysis import ANALYSES
from cardan.errors import (
    AssemblyError,
    CardanError,
    CardanWarning,
    DegreesWarning,
    EnergyWarning,
    Interrupted,
    LockUp,
    ModelError,
    SimulationError,
    WriteError,
)
from cardan.lazy import lazy_attributes

if TYPE_CHECKING:
    from cardan.analysis.assembly.assemble import assemble
    from cardan.analysis.assembly.initial_conditions import initial_conditions
    from cardan.analysis.assembly.mobility import mobility
    from cardan.analysis.driven.inverse_dynamics import inverse_dynamics
    from cardan.analysis.driven.kinematics import kinematics
    from cardan.analysis.equilibria.equilibrium import equilibrium
    from cardan.analysis.equilibria.equilibrium_path import equilibrium_path
    from cardan.analysis.forward.events.change import Change
    from cardan.analysis.forward.events.event import Event
    from cardan.analysis.forward.simulate import simulate
    from cardan.analysis.inspection.equations import equations
    from cardan.analysis.inspection.symbolic_equations import symbolic_equations
    from cardan.analysis.joint.joint_space import joint_space
    from cardan.analysis.linear.eigenmodes import eigenmodes
    from cardan.analysis.linear.linearize import linearize
    from cardan.analysis.linear.road_spectrum import road_spectrum
    from cardan.analysis.linear.root_locus import root_locus
    from cardan.analysis.planning.identify_inertia import identify_inertia
    from cardan.analysis.planning.plan_motion import plan_motion
    from cardan.analysis.sensitivity.gradient import gradient
    from cardan.analysis.sensitivity.modal_sensitivities import modal_sensitivities
    from cardan.analysis.sensitivity.motion_sensitivities import motion_sensitivities
    from cardan.analysis.sensitivity.optimize import optimize
    from cardan.analysis.sensitivity.peak_sensitivities import peak_sensitivities
    from cardan.analysis.sensitivity.sensitivities import sensitivities
    from cardan.analysis.slow.axle_sweep import axle_sweep
    from cardan.analysis.slow.quasi_static import quasi_static
    from cardan.analysis.slow.steady_cornering import steady_cornering
    from cardan.analysis.steady.periodic_motion import periodic_motion
    from cardan.analysis.steady.steady_motion import steady_motion
    from cardan.analysis.stepping.stepper import Stepper, stepper
    from cardan.analysis.task_space.inverse_kinematics import inverse_kinematics
    from cardan.analysis.task_space.task_space import task_space
    from cardan.elements.control.signals import reaction
    from cardan.export.c_library import export_c
    from cardan.export.fmu import export_fmu
    from cardan.files.faults import FileError
    from cardan.files.model_file import ModelFile, load_model
    from cardan.files.writing.save import save_model
    from cardan.io.mjcf.mjcf import from_mjcf
    from cardan.io.sdf.sdf import from_sdf
    from cardan.io.urdf import from_urdf
    from cardan.methods import HHT, Auto, Bdf, Dop853, GeneralizedAlpha, Radau, RungeKutta, SampledAdams, Symplectic
    from cardan.model.parameter import parameter, tied
    from cardan.planar.cams.cam_design import CamDesign, design_cam
    from cardan.postprocess.suspension import AxleMotion, SuspensionWheel
    from cardan.postprocess.vehicle import VehicleMotion
    from cardan.results.simulation import Checkpoint
    from cardan.storage.recorder import recording
    from cardan.storage.result_files import load_result, open_result
    from cardan.study.study import study
    from cardan.version import __version__ as __version__

__all__ = [
    "HHT",
    "AssemblyError",
    "Auto",
    "AxleMotion",
    "Bdf",
    "CamDesign",
    "CardanError",
    "CardanWarning",
    "DegreesWarning",
    "EnergyWarning",
    "Change",
    "Checkpoint",
    "Dop853",
    "Event",
    "FileError",
    "GeneralizedAlpha",
    "Interrupted",
    "LockUp",
    "ModelError",
    "ModelFile",
    "Radau",
    "RungeKutta",
    "SampledAdams",
    "SimulationError",
    "Stepper",
    "SuspensionWheel",
    "Symplectic",
    "VehicleMotion",
    "WriteError",
    "assemble",
    "axle_sweep",
    "design_cam",
    "eigenmodes",
    "equations",
    "equilibrium",
    "equilibrium_path",
    "export_c",
    "export_fmu",
    "from_mjcf",
    "from_sdf",
    "from_urdf",
    "gradient",
    "identify_inertia",
    "initial_conditions",
    "inverse_dynamics",
    "inverse_kinematics",
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
    "peak_sensitivities",
    "periodic_motion",
    "plan_motion",
    "quasi_static",
    "reaction",
    "recording",
    "road_spectrum",
    "root_locus",
    "save_model",
    "sensitivities",
    "simulate",
    "steady_cornering",
    "steady_motion",
    "stepper",
    "study",
    "symbolic_equations",
    "task_space",
    "tied",
]

# the module that defines each name
_MODULES = {
    **{name: f"analysis.{module}" for name, module in ANALYSES.items()},
    "__version__": "version",
    **dict.fromkeys(("HHT", "Auto", "Bdf", "Dop853", "GeneralizedAlpha"), "methods"),
    **dict.fromkeys(("Radau", "RungeKutta", "SampledAdams", "Symplectic"), "methods"),
    "Checkpoint": "results.simulation",
    "FileError": "files.faults",
    "ModelFile": "files.model_file",
    "AxleMotion": "postprocess.suspension",
    "CamDesign": "planar.cams.cam_design",
    "design_cam": "planar.cams.cam_design",
    "SuspensionWheel": "postprocess.suspension",
    "VehicleMotion": "postprocess.vehicle",
    "export_c": "export.c_library",
    "export_fmu": "export.fmu",
    "from_mjcf": "io.mjcf.mjcf",
    "from_sdf": "io.sdf.sdf",
    "from_urdf": "io.urdf",
    "load_result": "storage.result_files",
    "load_model": "files.model_file",
    "open_result": "storage.result_files",
    "parameter": "model.parameter",
    "reaction": "elements.control.signals",
    "recording": "storage.recorder",
    "save_model": "files.writing.save",
    "study": "study",
    "tied": "model.parameter",
}


__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
