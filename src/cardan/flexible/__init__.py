"""Flexible parts: finite element models reduced to a few modes, for `FlexibleBody`.

    rod = beam(0.5, rectangle(0.02, 0.01), "steel").reduce(up_to=500.0)

Parts come from beams, plates and solids of a few parameters, from meshes, and from the matrices of other programs;
`save_part` and `load_part` keep them in files.
"""

from typing import TYPE_CHECKING

from cardan.lazy import lazy_imports

if TYPE_CHECKING:
    from cardan.flexible.component_modes import Reduction, reduce, reduction
    from cardan.flexible.connection import Connection
    from cardan.flexible.damping import Rayleigh
    from cardan.flexible.elements.beams import beam
    from cardan.flexible.elements.material import Material, Section, circle, rectangle, tube
    from cardan.flexible.elements.meshes import Mesh, box, cylinder, mesh_stl, read_mesh
    from cardan.flexible.elements.solids import plate, solid
    from cardan.flexible.fe_model import FiniteElementModel
    from cardan.flexible.importers.abaqus import read_abaqus
    from cardan.flexible.importers.calculix import read_calculix
    from cardan.flexible.importers.nastran import read_nastran
    from cardan.flexible.load_cases import Instant, LoadCase, load_case
    from cardan.flexible.mass_check import check_mass_properties
    from cardan.flexible.mode_table import summary
    from cardan.flexible.part_file import load_part, save_part
    from cardan.flexible.run_instants import instant_of
    from cardan.flexible.stress import StressPeaks, principal, strain_energy, stress_at, stress_peaks, von_mises
    from cardan.model.flexible_part import FlexiblePart, Interface, Surface

__all__ = [
    "Connection",
    "FiniteElementModel",
    "FlexiblePart",
    "Instant",
    "Interface",
    "LoadCase",
    "Material",
    "Mesh",
    "Rayleigh",
    "Reduction",
    "Section",
    "StressPeaks",
    "Surface",
    "beam",
    "box",
    "check_mass_properties",
    "circle",
    "cylinder",
    "instant_of",
    "load_case",
    "load_part",
    "mesh_stl",
    "plate",
    "principal",
    "read_abaqus",
    "read_calculix",
    "read_mesh",
    "read_nastran",
    "rectangle",
    "reduce",
    "reduction",
    "save_part",
    "solid",
    "strain_energy",
    "stress_at",
    "stress_peaks",
    "summary",
    "tube",
    "von_mises",
]

__getattr__ = lazy_imports(__name__, __file__)
