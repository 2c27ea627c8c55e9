"""The vocabulary of model files, generated from the public classes: their signatures, docstrings and properties.

    python -m cardan.files.vocabulary.describe          writes vocabulary.json and schema.json

`vocabulary.json` is shipped, and files are checked in milliseconds, without importing the classes. A test compares it
with the classes.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from cardan import analysis as analysis_functions
from cardan.deprecation import CLASSES, old_arguments
from cardan.elements.tires.magic_formula_data import MagicFormula
from cardan.errors import CardanError
from cardan.files.vocabulary.analysis_kinds import ANALYSES, ANALYSIS_KINDS
from cardan.files.vocabulary.argument_kinds import kind_of
from cardan.files.vocabulary.samples import number_range, sample
from cardan.methods.shorthand import OLD_OPTIONS
from cardan.model.body import RigidBody
from cardan.model.curves.curve import ParametricCurve
from cardan.model.curves.motion import Motion
from cardan.model.curves.motion_segments import Segment
from cardan.model.device import Device, Signal
from cardan.model.element import Constraint, Element
from cardan.model.measure import Readable
from cardan.model.surfaces.surface_pair import Surface
from cardan.planar.cams.cam_followers import Follower

HERE = Path(__file__).parent
UNITS = {"m": "length", "rad": "angle", "": "1"}
METHODS = ("moved", "turned", "scaled")  # of matter
ORIENTATIONS = (
    *("from_axis_angle", "from_rotation_vector", "from_angles", "from_points", "from_axes", "from_matrix"),
    "with_turns",
)
LEFT_OUT = {
    "Model",
    "Marker",
    "constraint",
    "velocity_constraint",
    "controller",
    "lift",
    "matter",
    "rotation",
}
LEFT_OUT |= {"Section", "add_planetary", "add_rod"}  # stated by the elements that they add
# arguments of @constraint; the function comes from the module that the caller names
OWN = {"function": ["function"], "measures": ["[measure]", []], "parameters": ["{number(any)}", {}]}
OWN |= {"derivatives": ["text", "exact"]}
TABLES = {  # arguments that columns of a .csv file can replace
    "Spline": ["times", "values"],
    "PolarTable": ["angles", "radii"],
    "CurveThrough": ["points"],
    "road.along": ["x", "heights"],
    "road.tracks": ["x", "left", "right"],
}
SURFACES = {"Disk": "disk_surface"}
METHODS_OF_SIMULATE = (
    *("Auto", "Dop853", "RungeKutta", "SampledAdams", "Radau", "GeneralizedAlpha", "HHT", "Symplectic", "Bdf"),
)
HISTORICAL = ("Partitioning", "Direct", "Baumgarte", "Hybrid")
HIDDEN = ("what", "planar")  # arguments that only appear in messages, or that the space of the model states


def vocabulary() -> dict[str, Any]:
    """All types of both spaces, and the analyses."""
    spaces = {space: dict(sorted(_types(space))) for space in ("planar", "spatial")}
    renamed = {snake(old): snake(new) for old, new in CLASSES.items()}
    return spaces | {"analyses": _analyses(), "methods": _methods(), "renamed": renamed}


def _types(space: str) -> Iterator[tuple[str, dict[str, Any]]]:
    module = import_module(f"cardan.{space}")
    for name in sorted(set(module.__all__) - LEFT_OUT):
        thing = getattr(module, name)
        yield snake(name), _described(thing, f"{space}:{name}", space)
    for name in ("constraint", "velocity_constraint"):
        about = _about(getattr(module, name))
        yield name, {"path": f"{space}:{name}", "gives": "element", "group": "joints", "about": about, "arguments": OWN}
    for name, thing in vars(module.matter).items():
        if inspect.isfunction(thing) and str(inspect.signature(thing).return_annotation).endswith("Matter"):
            yield name, _described(thing, f"{space}:matter.{name}", space, "matter")
    kind = next(v for k, v in vars(module.matter).items() if k.endswith("alMatter") or k.endswith("arMatter"))
    yield "matter", _described(kind, f"{space}:matter.{kind.__name__}", space, "matter", "matter")
    for name in METHODS:
        yield f".{name}", _described(getattr(kind, name), f".{name}", space, "matter", name)
    if space == "spatial":
        for name in ORIENTATIONS:
            yield name, _described(getattr(module.rotation, name), f"{space}:rotation.{name}", space, "orientation")
        for name in ("flat", "along", "bump", "tracks", "grid"):
            key = f"road.{name}"
            yield key, _described(getattr(module.Road, name), f"{space}:Road.{name}", space, "road", key)
    yield from _flexible(space)
    yield (
        "profile",
        {
            "path": "files.building.build:profile",
            "gives": "outline",
            "about": "A curve fixed to a body, in the frame of a marker: a cam, a slot, a wire.",
            "arguments": {"on": ["marker"], "curve": ["profile"]},
        },
    )
    yield (
        "event",
        _described(
            _load("analysis.forward.events.event", "Event"), "analysis.forward.events.event:Event", space, "event"
        ),
    )
    yield "device", _described(_load("model.device", "Device"), "model.device:Device", space, "device")
    yield "measure", _described(_load("model.measure", "Measure"), "model.measure:Measure", space, "measure", "measure")


def _flexible(space: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What a flexible body needs: parts, sections, materials, interfaces, and the measure of its modes."""
    module = "files.building.flexible_parts"
    for name in ("part_file", "beam_part", *(("plate_part",) if space == "spatial" else ())):
        yield name, _described(_load(module, name), f"{module}:{name}", space, "part", name)
    for name in ("rectangle", "circle", "tube"):
        key = f"{name}_section"
        yield key, _described(_load("flexible", name), f"flexible:{name}", space, "section", key)
    for name, key in (("Section", "section"), ("Material", "material"), ("Connection", "connection")):
        yield key, _described(_load("flexible", name), f"flexible:{name}", space, key, key)
    entry = _described(_load(module, "modal_coordinate"), f"{module}:modal_coordinate", space, "part")
    yield "modal_coordinate", entry | {"gives": "measure", "unit": "si"}


def _load(module: str, name: str) -> Any:
    return getattr(import_module(f"cardan.{module}"), name)


def _described(thing: Any, of: str, space: str, gives: str = "", name: str = "") -> dict[str, Any]:
    gives = gives or _gives(thing)
    title = name or getattr(thing, "__name__", of)
    found: dict[str, Any] = {"path": of, "gives": gives, "about": _about(thing), "arguments": {}}
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.name == "self" or (parameter.name in HIDDEN and not inspect.isclass(thing)):
            continue
        kind = _kind(title, parameter, gives)
        if kind is None:
            raise LookupError(f"add the kind of '{parameter.name}' of {title} to argument_kinds.py")
        entry: list[Any] = [kind]
        if parameter.default is not parameter.empty:
            entry.append(_default(parameter.default))
        elif parameter.kind is parameter.VAR_POSITIONAL:
            entry.append([])
        found["arguments"][parameter.name] = entry
    if old_arguments(thing):
        found["renamed"] = old_arguments(thing)
    if title in TABLES:
        found["table"] = TABLES[title]
    if inspect.isclass(thing) and issubclass(thing, Element):
        found |= _of_element(thing, found["arguments"], space)
    if inspect.isclass(thing) or gives == "matter":
        for key, entry in found["arguments"].items():
            first, *others = entry[0].split(" | ")
            entry[0] = " | ".join([first + number_range(thing, found["arguments"], key, space), *others])
    if gives == "measure":
        found["unit"] = "si" if name == "measure" else UNITS[sample(thing, found["arguments"], space).unit]
    return found


def _kind(title: str, parameter: inspect.Parameter, gives: str) -> str | None:
    if gives == "matter" and parameter.name in ("mass", "density", "area") and title not in ("matter", "scaled"):
        # the density of flat matter may be per area, that of thin matter per length
        return {"mass": "number(mass)", "density": "number(si)", "area": "number(length^2)"}[parameter.name]
    return kind_of(title, parameter.name, str(parameter.annotation))


def _of_element(kind: type, arguments: dict[str, Any], space: str) -> dict[str, Any]:
    """The section of an element, and the measures and signals that it offers."""
    group = "bodies" if issubclass(kind, RigidBody) else _group(kind)
    offers: dict[str, Any] = {}
    example = None if group == "bodies" else sample(kind, arguments, space)
    names = [n for n in dir(kind) if not n.startswith("_") and isinstance(inspect.getattr_static(kind, n), property)]
    for name in names:
        try:
            value = getattr(example, name)
        except (CardanError, AttributeError):
            continue
        if isinstance(value, Readable):
            offers[name] = UNITS[value.unit]
        elif isinstance(value, Signal):
            offers[name] = "signal"
    device = getattr(example, "device", None)
    if isinstance(device, Device):
        offers |= dict.fromkeys(device.outputs, "signal")
    if group == "control":
        named = {"outputs", "states"} & set(arguments) or kind.__name__ in ("StateSpace", "SecondOrder")
        offers |= {"*": "signal"} if named else dict.fromkeys(example.names(), "signal")  # type: ignore[union-attr]
    return {"group": group, "offers": offers}


def _group(kind: type) -> str:
    if issubclass(kind, Constraint):
        return "drivers" if kind.drives else "joints"
    from cardan.elements.control.source import Source

    return "control" if issubclass(kind, Source) else "forces"


def _gives(thing: Any) -> str:
    if not inspect.isclass(thing):
        given = str(inspect.signature(thing).return_annotation)
        return {"Measure": "measure", "Rate": "signal", "Output": "signal", "WheelRoadPair": "touch"}[given]
    bases = {
        Element: "element",
        Motion: "motion",
        Segment: "segment",
        Follower: "follower",
        ParametricCurve: "profile",
        Surface: "surface",
        MagicFormula: "tire_data",
    }
    for base, kind in bases.items():
        if issubclass(thing, base):
            return kind
    return snake(thing.__name__)


def _about(thing: Callable[..., Any]) -> str:
    text = inspect.getdoc(thing) or ""
    first = re.split(r"\n\s*\n", text)[0]
    return " ".join(first.split())


def _default(value: object) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_default(item) for item in value]
    return None


def _analyses() -> dict[str, Any]:
    found = {}
    for name in ANALYSES:
        function = getattr(analysis_functions, name)
        arguments = _options(function, name)
        arguments |= {old: [ANALYSIS_KINDS[old], None] for old in getattr(function, OLD_OPTIONS, ())}
        entry = {"path": f"cardan:{name}", "gives": "result", "about": _about(function), "arguments": arguments}
        if old_arguments(function):
            entry["renamed"] = old_arguments(function)
        found[name] = entry
    return found


def _methods() -> dict[str, Any]:
    """The methods of simulate()."""
    found = {}
    for module, names in (("methods", METHODS_OF_SIMULATE), ("methods.historical", HISTORICAL)):
        for name in names:
            kind = _load(module, name)
            path, about = f"{module}:{name}", _about(kind)
            found[snake(name)] = {"path": path, "gives": "method", "about": about, "arguments": _options(kind, name)}
    return found


def _options(function: Callable[..., Any], name: str) -> dict[str, list[Any]]:
    """The arguments of an analysis or method that a file can state."""
    found = {}
    for parameter in inspect.signature(function).parameters.values():
        role = ANALYSIS_KINDS.get(f"{name}.{parameter.name}", ANALYSIS_KINDS.get(parameter.name))
        if role is None:
            raise LookupError(f"analysis_kinds.py lacks '{parameter.name}' of {name}")
        if role:
            default = [] if parameter.default is parameter.empty else [_default(parameter.default)]
            found[parameter.name] = [role, *default]
    return found


def snake(name: str) -> str:
    """'RollingWheel' is 'rolling_wheel', 'PID' is 'pid'; 'disk' is matter, the surface is 'disk_surface'."""
    return SURFACES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def write() -> None:
    """Write the data files of the package."""
    from cardan.files.vocabulary.json_schema import schema_of

    known = vocabulary()
    for name, data in (("vocabulary.json", known), ("schema.json", schema_of(known))):
        (HERE / name).write_text(text_of(data), encoding="utf-8")


def text_of(data: dict[str, Any]) -> str:
    """JSON with a line for each type, for short differences."""
    lines = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return re.sub(r'(?<=[}]),(?="[^"]+":{"(?:path|type|anyOf)")', ",\n", lines) + "\n"


if __name__ == "__main__":
    write()
