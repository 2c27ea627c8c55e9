"""Flexible parts in files: classic netCDF, which other programs read as well.

    save_part(rod, "rod.nc");   rod = load_part("rod.nc")

Arrays are stored as they are; loading reads them at once and checks the part as if it were stated anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.flexible_part import FlexiblePart, Interface, Surface
from cardan.netcdf import Fixed, Layout, Reader, Writer

FORMAT, VERSION = "cardan flexible part", "1"
ARRAYS = {
    "first_moment": ("field", "axis"),
    "second_moment": ("field", "field_b", "axis", "axis_b"),
    "modal_mass": ("mode", "mode_b"),
    "coupling": ("axis", "mode"),
    "rotation_coupling": ("axis", "mode"),
    "inertia": ("axis", "axis_b"),
    "stiffness": ("mode", "mode_b"),
    "damping": ("mode", "mode_b"),
    "frequencies": ("mode",),
}
INTERFACES = {
    "interface_position": ("interface", "axis"),
    "interface_translation": ("interface", "axis", "mode"),
    "interface_rotation": ("interface", "axis", "mode"),
    "interface_orientation": ("interface", "axis", "axis_b"),
}
OPTIONAL = {
    "surface_points": ("point", "axis"),
    "surface_modes": ("point", "axis", "mode"),
    "surface_triangles": ("triangle", "corner"),
    "stress": ("point", "component", "mode"),
    "stiffening_first": ("mode", "mode_b", "axis"),
    "stiffening_second": ("mode", "mode_b", "axis", "axis_b"),
}


def save_part(part: FlexiblePart, path: str | Path) -> Path:
    """Write a part to a file and return its path; an existing file is replaced when the new one is complete."""
    check.instance(part, FlexiblePart, "part")
    target = check.path(path, "path of a part")
    values: dict[str, Any] = {name: getattr(part, name) for name in ARRAYS}
    at = list(part.interfaces.values())
    if at:
        values |= {name: np.stack([getattr(i, name[10:]) for i in at]) for name in INTERFACES}
    if part.surface is not None:
        values |= {f"surface_{name}": getattr(part.surface, name) for name in ("points", "modes")}
        if len(part.surface.triangles):
            values["surface_triangles"] = part.surface.triangles
    if part.stress is not None:
        values["stress"] = part.stress
    if part.stiffening is not None:
        values["stiffening_first"], values["stiffening_second"] = part.stiffening
    dims = ARRAYS | INTERFACES | OPTIONAL
    fixed = {"mass": Fixed(("one",), np.array([part.mass]))} | {k: Fixed(dims[k], v) for k, v in values.items()}
    if at:
        fixed["interface_name"] = Fixed(("interface",), list(part.interfaces))
    about = {"format": FORMAT, "version": VERSION, "name": part.name, "frame": part.frame}
    with atomic_write(target) as temporary:
        Writer(temporary, Layout("unused", about, fixed)).finish({})
    return target


def load_part(path: str | Path) -> FlexiblePart:
    """The part of a file that `save_part` wrote.

    >>> import tempfile, os
    >>> from cardan.flexible import beam
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save_part(beam(1.0, 0.02).reduce(modes=4), os.path.join(folder, "rod.nc"))
    ...     load_part(file)
    FlexiblePart('beam', 16 modes, interfaces: left, right)
    """
    file = check.path(path, "path of a part")
    try:
        reader = Reader(file)
    except OSError as error:
        raise ModelError(f"'{file}' cannot be read: {error.strerror or error}") from None
    except ModelError as error:
        raise ModelError(f"{error} (a flexible part, as save_part writes it, was expected)") from None
    with reader:
        about = reader.attributes
        if about.get("format") != FORMAT:
            raise ModelError(f"'{file}' is not a flexible part: write one with save_part")
        if about.get("version") != VERSION:
            raise ModelError(f"'{file}' has version {about.get('version')!r}, but this program reads version {VERSION}")
        there = set(reader.names())
        missing = [name for name in ("mass", *ARRAYS) if name not in there]
        if missing:
            raise ModelError(f"'{file}' is incomplete: {', '.join(missing)} missing")
        return _part(file, reader, there)


def _part(file: Path, reader: Reader, there: set[str]) -> FlexiblePart:
    found = {name: reader.fixed(name) for name in (*ARRAYS, *INTERFACES, *OPTIONAL, "mass") if name in there}
    if any(not isinstance(value, np.ndarray) for value in found.values()) or found["mass"].shape != (1,):
        raise ModelError(f"'{file}' is not a readable part: its numbers are broken")
    names = reader.fixed("interface_name") if "interface_name" in there else []
    if names and (not set(INTERFACES) <= there or not isinstance(names, list)):
        raise ModelError(f"'{file}' is incomplete: its interfaces lack positions or modes")
    if any(len(found[name]) != len(names) for name in INTERFACES if name in found) or len(set(names)) < len(names):
        raise ModelError(f"'{file}' is not a readable part: the names of its interfaces do not fit")
    interfaces = {
        name: Interface(*(found[key][k] for key in INTERFACES)) for k, name in enumerate(names)
    }  # position, translation, rotation, orientation
    surface = None
    if {"surface_points", "surface_modes"} <= there:
        triangles = found.get("surface_triangles", np.zeros((0, 3), dtype=np.int64))
        surface = Surface(found["surface_points"], found["surface_modes"], triangles)
    stiffening = None
    if {"stiffening_first", "stiffening_second"} <= there:
        stiffening = found["stiffening_first"], found["stiffening_second"]
    return FlexiblePart(
        name=reader.attributes.get("name", file.stem),
        mass=float(found["mass"][0]),
        **{name: found[name] for name in ARRAYS},
        interfaces=interfaces,
        stiffening=stiffening,
        frame=reader.attributes.get("frame", "mean"),
        surface=surface,
        stress=found.get("stress"),
    )
