"""Built-in mechanisms, one page each, in folders by purpose: `cardan examples` lists them, `cardan run NAME` runs one.

An example module has

    build(...)     the model; dimensions are keyword arguments, set by `cardan run NAME -p crank=0.3`
    TIMES          start, end and number of output times; equilibrium analyses have none
    SHOW           the columns that its picture plots
    HEADLINE       one number with its closed form, which a test compares
    ANALYSIS       "kinematics" unless stated, or "inverse_dynamics", "simulate", "equilibrium", "equilibrium_path"
    VARIATION      a design variation, {"rod": (0.3, 0.27, 0.24)}: arguments of build() with their values;
                   `cardan sweep NAME` overlays the motions
    options(model) further arguments of the analysis: events, tolerances, the load that grows

    from cardan.examples import load
    model = load("slider-crank").build(rod=0.6)

`cardan.case.load_case(name, {}).compute()` is the result that its page shows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from cardan.errors import ModelError

# The folders, in the order of the gallery: title and what they contain.
GROUPS = {
    "linkages": ("Linkages", "Bars, pins and sliders in the plane: how they move, and where they lock up."),
    "transmissions": ("Gears, cams and shafts", "Machine elements that turn one motion into another."),
    "spatial_mechanisms": ("Spatial mechanisms", "Closed loops in space, including some that should not move."),
    "machine_forces": ("Forces in machines", "Motor torques and joint reactions for a prescribed motion."),
    "free_motion": ("Free motion", "Pendulums, tops, rolling bodies: motion under gravity and initial velocities."),
    "flexible_bodies": (
        "Flexible bodies",
        "Rods, arms, blades and frames that bend while they move, and their stress.",
    ),
    "contact": ("Contact, impact and friction", "Bodies that touch, bounce, stick, slip, catch and release."),
    "control": ("Motors and control", "Controllers, electric motors and hydraulic cylinders coupled to mechanisms."),
    "vehicles": ("Vehicles", "Tires, suspensions, complete cars, a truck and two-wheelers."),
    "equilibrium": ("Equilibrium and design", "Static equilibria, load paths, and designs found by optimization."),
}


class Headline(NamedTuple):
    """A number that shows whether the analysis is right. `expected` holds for the default dimensions."""

    name: str
    unit: str
    compute: Callable[[Any], float]  # of the result
    expected: float
    tolerance: float


def names(group: str | None = None) -> list[str]:
    """The names of all examples, or of one group."""
    return sorted(name for name, path in _paths().items() if group in (None, path.parent.name))


def summary(name: str) -> str:
    """The first line of an example's docstring; the module is not imported."""
    text = ast.get_docstring(ast.parse(_path(name).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def load(name: str) -> Any:
    """The module of an example."""
    path = _path(name)
    return import_module(f"cardan.examples.{path.parent.name}.{path.stem}")


def source(name: str) -> str:
    """The Python file of an example."""
    return _path(name).read_text(encoding="utf-8")


def data(name: str) -> Path:
    """A file that belongs to the examples: "arm.urdf", "leg.xml"."""
    path = Path(__file__).parent / "files" / name
    if not path.is_file():
        there = ", ".join(sorted(found.name for found in path.parent.iterdir()))
        raise ModelError(f"there is no example file '{name}'; available: {there}")
    return path


def analysis(example: Any) -> str:
    """The name of the analysis that an example or a user's file requests."""
    return getattr(example, "ANALYSIS", "kinematics")


def __getattr__(name: str) -> Any:
    """Example modules by their names, without their folders: `from cardan.examples import slider_crank`."""
    example = name.replace("_", "-")
    if example not in _paths():
        raise AttributeError(f"module 'cardan.examples' has no attribute '{name}'")
    return load(example)


def _path(name: str) -> Path:
    paths = _paths()
    if name not in paths:
        from difflib import get_close_matches

        near = get_close_matches(str(name), paths, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"there is no example called '{name}'{hint}")
    return paths[name]


@cache
def _paths() -> dict[str, Path]:
    """The file of every example, by its name."""
    found = (path for group in GROUPS for path in (Path(__file__).parent / group).glob("*.py"))
    return {path.stem.replace("_", "-"): path for path in found if path.stem != "__init__"}
