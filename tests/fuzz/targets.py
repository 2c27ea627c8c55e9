"""What is fuzzed: for each format, how a file of it is read. Any error but `CardanError` is a fault of the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan import FileError, from_mjcf, from_sdf, from_urdf, load_model, load_result
from cardan.elements.tires.magic_formula_data import MagicFormula
from cardan.files import check
from cardan.flexible import beam, load_part, save_part
from cardan.flexible.elements.meshes import read_mesh
from cardan.flexible.importers.abaqus import read_abaqus
from cardan.flexible.importers.calculix import read_calculix
from cardan.flexible.importers.input_deck import read_input_deck
from cardan.flexible.importers.nastran import read_nastran
from cardan.io.mjcf.mesh_matter import RULES, mesh_matter
from cardan.io.surface import edges_of, read_surface
from cardan.results.simulation import Checkpoint
from cardan.studio.document import Document
from cardan.studio.properties import describe_parameters, settings_of
from cardan.studio.stated import space_of
from cardan.studio.text import ModelText
from cardan.study.store import opened
from cardan.view.web.question import read_question


class Target(NamedTuple):
    """The name that a file of the format gets, and what reads it; `library` if that is written in C."""

    name: str
    read: Callable[[Path], Any]
    library: bool = False


def _model(path: Path) -> None:
    faults = check(path)
    if faults:
        raise FileError(faults)
    load_model(path)


def _table(path: Path) -> None:
    motion = f"{{type: spline, table: {path.name}}}"
    text = "cardan: 1\nname: a\nspace: planar\nbodies: {b: {mass: 1}}\njoints:\n  j: revolute(ground, b)\n"
    model = path.with_name("table-model.yaml")
    model.write_text(f"{text}drivers: {{d: {{measure: j.angle, motion: {motion}}}}}\n", encoding="utf-8")
    _model(model)


def _mesh(path: Path) -> None:
    surface = read_surface(path)
    edges_of(surface)
    for rule in RULES:
        mesh_matter(surface, rule, density=1.0)


def _store(path: Path) -> None:
    folder = path.with_name("store")
    folder.mkdir(exist_ok=True)
    (folder / "study.json").write_bytes(path.read_bytes())
    store = opened(folder)
    store.done()
    for part in range(min(store.parts, 2)):
        store.read(part)


def _part(path: Path) -> None:
    """A part of a store whose manifest is sound."""
    folder = path.with_name("parts")
    folder.mkdir(exist_ok=True)
    (folder / "study.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    (folder / "part-00000000.nc").write_bytes(path.read_bytes())
    opened(folder).read(0)


def _matrix(path: Path) -> None:
    """The stiffness matrix of a job whose other files are sound."""
    for ending, text in {
        ".inp": "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n",
        ".dof": "1.1\n1.2\n1.3\n2.1\n2.2\n2.3\n",
        ".mas": "1 1 1.0\n6 6 1.0\n",
    }.items():
        path.with_suffix(ending).write_text(text, encoding="utf-8")
    read_calculix(path)


def _punch(path: Path) -> None:
    nodes = path.with_suffix(".bdf")
    nodes.write_text("GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\n", encoding="utf-8")
    read_nastran(path, nodes)


def _abaqus(path: Path) -> None:
    """The stiffness matrix of a job whose deck and mass matrix are sound."""
    deck, mass = path.with_suffix(".inp"), path.with_name("mass.mtx")
    deck.write_text("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n", encoding="utf-8")
    mass.write_text("1 1 1.0\n6 6 1.0\n", encoding="utf-8")
    read_abaqus(path, mass, deck)


def _studio(path: Path) -> None:
    """A drawing that is opened in the studio, and what its page shows of the text."""
    document = Document.open(path, journal=path.with_name("new.journal"))
    document.close()
    text = ModelText(document.text)
    text.data()
    space_of(text), settings_of(text), describe_parameters(text)


def _journal(path: Path) -> None:
    """The journal of a session that crashed; opening replaces it."""
    drawing = path.with_name("crashed.yaml")
    drawing.write_text("cardan: 1\nname: a\nspace: planar\n", encoding="utf-8")
    Document.open(drawing, journal=path).close()


def _message(path: Path) -> None:
    read_question(path.read_bytes(), 2, 3, 2, 1)


def _version() -> str:
    from cardan import __version__

    return __version__


MANIFEST: dict[str, Any] = {
    "format": 1, "version": _version(), "plan": {"parameters": ["p"], "count": 3}, "analysis": "kinematics",
    "options": {}, "model": "m", "outputs": ["o"], "units": [""], "dimensions": [[]], "probe": [[0.0]], "chunk": 3,
    "times": [],
}  # fmt: skip
TARGETS: dict[str, Target] = {
    "yaml": Target("m.yaml", _model),
    "json": Target("m.json", _model),
    "csv": Target("t.csv", _table),
    "urdf": Target("m.urdf", from_urdf),
    "mjcf": Target("m.xml", from_mjcf),
    "sdf": Target("m.sdf", from_sdf),
    "stl": Target("m.stl", _mesh),
    "obj": Target("m.obj", _mesh),
    "netcdf": Target("r.nc", load_result),
    "checkpoint": Target("c.npz", Checkpoint.load),
    "store": Target("s.json", _store),
    "part": Target("p.nc", _part, library=True),  # HDF5
    "message": Target("q.json", _message),
    "flexible-part": Target("f.nc", load_part),
    "input-deck": Target("d.inp", read_input_deck),
    "calculix": Target("k.sti", _matrix),
    "punch": Target("k.pch", _punch),
    "op4": Target("k.op4", _punch),
    "abaqus": Target("k.mtx", _abaqus),
    "tire": Target("t.tir", MagicFormula.load),
    "gmsh": Target("m.msh", read_mesh),
    "studio": Target("s.yaml", _studio),
    "journal": Target("s.journal", _journal),
}


DECK = b"""*Node, nset=ALL
1, 0., 0., 0.
2, 1.5, 0, 0
*Nset, nset=A, generate
1, 2, 1
*NSET, NSET=B
A, 2
*Element, type=C3D4
1, 1, 2, 1, 2
"""
PUNCH = b"""DMIG    KAAX           0       6       2       0
DMIG*   KAAX                           1               1
*                      1               1 1.000000000D+00
*                      2               3-2.500000000D-01
DMIG    MAAX           0       6       2       0
DMIG*   MAAX                           2               6
*                      2               6 3.000000000D+00
"""
OP4 = b"""      12      12       6       2KAAX    1P,3E23.16
       1       1       2
 1.0000000000000000E+00 2.0000000000000000E+00
       2       0       3
      196610
 1.0000000000000000E+00
      13       1       1
 1.0000000000000000E+00
"""
TIRE = b"""[MDI_HEADER]
FILE_TYPE = 'tir'            $ a comment
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
[MODEL]
FITTYP = 61
[DIMENSION]
UNLOADED_RADIUS = 330
[SHAPE]
{radial width}
 1.0 0.0
[VERTICAL]
VERTICAL_STIFFNESS = 250
FNOMIN = 4000
LONGVL = 16700
[LONGITUDINAL_COEFFICIENTS]
PCX1 = 1.6
PDX1 = 1.1
PKX1 = 21.5
PCY1 = 1.3
PDY1 = -0.95
PKY1 = -18.9
PKY2 = 1.7
"""
GMSH = b"""$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "root"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
2
1 2 2 1 1 1 2 3
2 4 2 0 1 1 2 3 4
$EndElements
"""
DRAWING = b"""cardan: 1
name: bar   # a comment
space: planar
units: {length: mm, angle: deg}
parameters: {length: 50 mm}
bodies:
  bar: &bar {mass: 1, position: [0, length]}
  twin: *bar
joints:
  - pin: revolute(ground, bar)
"""
JOURNAL = b"""{"cardan-studio": 1, "path": "", "text": "cardan: 1\\nname: a\\nspace: planar\\n"}
{"splice": [16, 1, "b"], "about": "name"}
{"undo": true}
{"redo": true}
"""
TEXTS = {
    "input-deck": [DECK],
    "calculix": [b"1 1 4.0\n1 2 -1.0\n2 2 4.0\n6 6 1e3\n"],
    "punch": [PUNCH],
    "abaqus": [b"1 1 4.0\n1 2 -1.0\n2 2 4.0\n6 6 1e3\n", b"1, 1, 1, 1, 4.0\n1, 1, 2, 1, -1.0\n2, 6, 2, 6, 2.0\n"],
    "tire": [TIRE],
    "gmsh": [GMSH],
    "studio": [DRAWING],
    "journal": [JOURNAL],
    "op4": [OP4 + OP4.replace(b"KAAX", b"MAAX")],
}


def seeds() -> dict[str, list[bytes]]:
    """Sound files of formats that are made anew, since they hold versions and much empty room."""
    import tempfile

    from cardan import equilibrium, kinematics
    from cardan.examples import load
    from cardan.study.batch.chunk import Chunk
    from cardan.study.store import _netcdf

    found: dict[str, list[bytes]] = {"store": [json.dumps(MANIFEST).encode()]} | TEXTS
    chunk = Chunk(0, np.ones((3, 1)), [np.zeros(3)], ["", "", "no"])
    with tempfile.TemporaryDirectory() as folder:
        run = kinematics(load("slider-crank").build(), np.linspace(0.0, 0.1, 3))
        run.save(Path(folder) / "run.nc")
        equilibrium(load("lamp-equilibrium").build()).save(Path(folder) / "rest.nc")
        part = beam(1.0, 0.02, elements=2).reduce(modes=1, frame="tangent", stress=True, stiffening=True)
        found["flexible-part"] = [save_part(part, Path(folder) / "part.nc").read_bytes()]
        found["netcdf"] = [(Path(folder) / name).read_bytes() for name in ("run.nc", "rest.nc")]
    try:
        found["part"] = [_netcdf(chunk, MANIFEST)]
    except ImportError:
        found["part"] = []
    return found
