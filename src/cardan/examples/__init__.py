"""Built-in mechanisms, a page each: `cardan examples` lists them, `cardan run NAME` analyzes one.

Every example module has

    build(...)     the model; dimensions are keyword arguments, set by `cardan run NAME -p crank=0.3`
    TIMES          start, end and number of instants of its analysis; an equilibrium has none
    SHOW           what its picture plots
    HEADLINE       one number with its closed form, which a test compares
    ANALYSIS       what it asks for: "kinematics" where it does not say, or "inverse_dynamics", "simulate",
                   "equilibrium", "equilibrium_path"
    VARIATION      how the book varies the design: {"rod": (0.3, 0.27, 0.24)}, arguments of build() with their values;
                   `cardan sweep NAME` overlays their motions
    options(model) further arguments of that analysis, if it needs any: events, tolerances, which load grows

    from cardan.examples import load
    model = load("slider-crank").build(rod=0.6)

`cardan.case.load_case(name, {}).compute()` is the result that the page shows.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from cardan.errors import ModelError


class Headline(NamedTuple):
    """A number that says whether the analysis is right. `expected` holds for the stated dimensions."""

    name: str
    unit: str
    compute: Callable[[Any], float]  # of the result
    expected: float
    tolerance: float


def names() -> list[str]:
    """The names of all examples."""
    return sorted(_name(path) for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")


def summary(name: str) -> str:
    """What an example is, in one line; nothing of it is run."""
    text = ast.get_docstring(ast.parse(_path(name).read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def load(name: str) -> Any:
    """The module of an example."""
    return import_module(f"cardan.examples.{_path(name).stem}")


def source(name: str) -> str:
    """The Python file of an example."""
    return _path(name).read_text(encoding="utf-8")


def data(name: str) -> Path:
    """A file that belongs to the examples: "arm.urdf", "leg.xml"."""
    path = Path(__file__).parent / "files" / name
    if not path.is_file():
        there = ", ".join(sorted(found.name for found in path.parent.iterdir()))
        raise ModelError(f"the examples have no file '{name}'; there are {there}")
    return path


def analysis(example: Any) -> str:
    """The name of the analysis that an example, or a model's file, asks for."""
    return getattr(example, "ANALYSIS", "kinematics")


def _path(name: str) -> Path:
    path = Path(__file__).parent / f"{str(name).replace('-', '_')}.py"
    if name not in names():
        from difflib import get_close_matches

        near = get_close_matches(str(name), names(), 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise ModelError(f"there is no example called '{name}'{hint}")
    return path


def _name(path: Path) -> str:
    return path.stem.replace("_", "-")
