"""The JSON schema of model files (draft 2020-12), generated from the vocabulary, for editors.

    # yaml-language-server: $schema=cardan-model.schema.json          the first line of a file in the same folder

`write_schema(folder)`, `cardan schema` and `cardan new` write it there: editors need no network. It covers sections,
types and arguments; `check` also checks names and units.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cardan.display_units import KNOWN
from cardan.errors import ModelError
from cardan.files.vocabulary.kind import Kind, parse_kind

IDENTITY = "urn:cardan:model:1"
BESIDE = "cardan-model.schema.json"  # its name in the folder of a model file
PATH = Path(__file__).parent / "schema.json"
TEXT = {"type": "string"}
NUMBER = {"anyOf": [{"type": "number"}, {"type": "string"}]}  # an expression, or a number with a unit
OBJECTS = (
    "motion",
    "segment",
    "condition",
    "follower",
    "signal",
    "matter",
    "profile",
    "surface",
    "road",
    "tire_data",
    "outline",
    "pulley",
    "touch",
    "event",
    "part",
    "section",
    "material",
)
GROUPS = ("bodies", "joints", "drivers", "forces", "control")
AXES = ("at", "to", "angle", "orientation", "x", "y", "z", "x_b", "y_b", "z_b")
SPACES = ("planar", "spatial")
SINGLE = {
    "tire_data": "tire_data",
    "outline": "profile",
    "pulley": "pulley",
    "event": "event",
    "condition": "condition",
    "material": "material",
}  # kinds that need no type


def schema() -> dict[str, Any]:
    """The published schema.

    >>> schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def write_schema(folder: str | Path = ".", overwrite: bool = True) -> Path:
    """Write the schema into the folder of model files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_schema(folder).name
    'cardan-model.schema.json'
    """
    target = Path(folder) / BESIDE
    if not target.parent.is_dir():
        raise ModelError(f"folder '{target.parent}' for '{BESIDE}' does not exist; create it first")
    text = PATH.read_text(encoding="utf-8")
    if target.exists() and not overwrite and target.read_text(encoding="utf-8", errors="replace") != text:
        raise ModelError(f"'{target}' already exists, from another version: remove it, or allow overwriting")
    target.write_text(text, encoding="utf-8")
    return target


def beside(path: Path) -> str:
    """The name of the schema in the folder of a model file, or nothing."""
    return BESIDE if path.with_name(BESIDE).is_file() else ""


def schema_of(known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a vocabulary."""
    definitions: dict[str, Any] = {}
    for space in SPACES:
        for name, data in known[space].items():
            single = name in ("body", "driver", *SINGLE.values())
            definitions[f"{space} {name}"] = _typed(name, data, space, single)
        for group in (*GROUPS, "elements"):
            definitions[f"{space} {group}"] = _section(known[space], group, space)
        for kind in OBJECTS:
            definitions[f"{space} any {kind}"] = _object(known[space], kind, space)
    definitions["analysis"] = _analysis(known["analyses"])
    definitions["method"] = {
        "anyOf": [TEXT, *(_typed(name, data, "planar") for name, data in known["methods"].items())]
    }
    definitions["marker"] = {"type": ["string", "object"], "description": "crank@(0.1, 0), or {crank: [0.1, 0]}"}
    for space in SPACES:
        definitions[f"{space} part"] = {"properties": _part(space)}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": IDENTITY,
        "title": "A Cardan model",
        "type": "object",
        "required": ["cardan", "name", "space"],
        "properties": {
            "$schema": TEXT,
            "cardan": {"const": 1, "description": "The version of the format."},
            "name": TEXT,
            "about": TEXT,
            "space": {"enum": list(SPACES)},
            "units": _units(),
            "display": _units(KNOWN, "Units in which results are shown; those of `units` by default."),
            "gravity": {"type": "array", "items": NUMBER, "description": "A vector, in length per time squared."},
            "lift": _lift(),
            "include": {"anyOf": [TEXT, {"type": "array", "items": TEXT}]},
            **dict.fromkeys(("assemblies", "instances", "markers", "outputs", "parameters"), True),
            **dict.fromkeys((*GROUPS, "elements"), True),
            "analyses": {"type": "array", "items": {"$ref": "#/$defs/analysis"}},
            "show": {"type": "array", "items": TEXT, "description": "Columns that pictures plot, such as slider.x."},
        },
        "additionalProperties": False,
        "if": {"properties": {"space": {"const": "spatial"}}},
        "then": {"$ref": "#/$defs/spatial part"},
        "else": {"$ref": "#/$defs/planar part"},
        "$defs": definitions,
    }


def _part(space: str) -> dict[str, Any]:
    """The sections of a model or an assembly."""
    sections: dict[str, Any] = {group: {"$ref": f"#/$defs/{space} {group}"} for group in (*GROUPS, "elements")}
    return sections | {
        "parameters": {"type": "object", "additionalProperties": NUMBER},
        "markers": {"type": "object", "additionalProperties": {"$ref": "#/$defs/marker"}},
        "outputs": {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{space} any signal"}},
        "assemblies": {"type": "object", "additionalProperties": {"$ref": f"#/$defs/{space} part"}},
        "instances": {"type": "object", "additionalProperties": _instance()},
        "needs": {"type": "array", "items": TEXT},
    }


def _instance() -> dict[str, Any]:
    names = ("parameters", "position", "angle", "orientation", "connect")
    properties = {"assembly": TEXT, **dict.fromkeys(names, True)}
    return {"type": "object", "required": ["assembly"], "properties": properties, "additionalProperties": False}


def _lift() -> dict[str, Any]:
    axes = {name: {"type": "array", "items": NUMBER} for name in ("origin", "x", "z")}
    about = "Place a planar model in space: true, or the origin, x axis and normal z of its plane."
    mapping = {"type": "object", "properties": axes, "additionalProperties": False}
    return {"anyOf": [{"type": "boolean"}, mapping], "description": about}


def _units(words: Iterable[str] = (), about: str = "") -> dict[str, Any]:
    from cardan.files.text.units import BASE, DECLARED, UNITS

    choices = {word: {"enum": [u for u, (_, d) in UNITS.items() if d == BASE[word]]} for word in words or DECLARED}
    found = {"type": "object", "properties": choices, "additionalProperties": False}
    return found | ({"description": about} if about else {})


def _section(types: dict[str, Any], group: str, space: str) -> dict[str, Any]:
    """Elements by name, each with its type and arguments."""
    there = {n: t for n, t in types.items() if t["gives"] == "element" and group in (t["group"], "elements")}
    entries = [{"$ref": f"#/$defs/{space} {name}"} for name in there]
    entry = {
        "anyOf": [{"type": ["string", "null"], "description": "a call, such as revolute(ground, crank)"}, *entries]
    }
    properties = (
        {"ground": {"type": "object", "properties": {"markers": {"type": "object"}}}} if group == "bodies" else {}
    )
    return {"type": "object", "properties": properties, "additionalProperties": entry}


def _typed(name: str, data: dict[str, Any], space: str, usual: bool = False) -> dict[str, Any]:
    """A mapping with a type, which may be omitted if `usual`, and its arguments."""
    arguments = {key: _described(parse_kind(stated[0]), stated, space) for key, stated in data["arguments"].items()}
    properties: dict[str, Any] = {"type": {"const": name}, **arguments}
    required = [key for key, stated in data["arguments"].items() if len(stated) == 1]
    if data.get("group") == "bodies":
        properties["markers"] = {"type": "object", "additionalProperties": True}
    found: dict[str, Any] = {"type": "object", "description": data["about"], "properties": properties}
    found |= {"additionalProperties": False}
    if data.get("group") == "joints" and [*data["arguments"]][:2] == ["a", "b"]:  # between two bodies
        properties["between"] = {"type": "array", "items": TEXT, "minItems": 2, "maxItems": 2}
        properties |= {axis: True for axis in AXES if axis not in properties}
        required = [key for key in required if key not in "ab"]
    if "table" in data:  # a table instead of lists; a motion from a table is a spline
        properties |= {"table": TEXT, "columns": {"type": "array"}}
        listed = [key for key in required if key in data["table"]]
        required = [key for key in required if key not in listed]
        typed = [["table"], ["type", *listed]] if name == "spline" else [["type", "table"], ["type", *listed]]
        return found | {"anyOf": [{"required": [*keys, *required]} for keys in typed]}
    return found | {"required": required if usual else ["type", *required]}


def _described(wanted: Kind, stated: list[Any], space: str) -> Any:
    found = _of_kind(wanted, space)
    if found is not True and len(stated) > 1 and stated[1] is not None:
        found = {**found, "default": stated[1]}
    unit = wanted.value
    return {**found, "description": unit} if found is not True and unit and unit not in ("si", "any", "1") else found


def _of_kind(wanted: Kind, space: str) -> Any:
    """The schema of a value."""
    if wanted.others:
        return {"anyOf": [_of_kind(one, space) for one in (wanted._replace(others=()), *wanted.others)]}
    kind = wanted.name
    if kind in ("number", "integer"):
        limit = {">": {"exclusiveMinimum": 0}, ">=": {"minimum": 0}}.get("" if wanted.unless else wanted.least)
        return {"anyOf": [{"type": "number", **limit}, TEXT]} if limit else NUMBER
    if kind == "flag":
        return {"type": "boolean"}
    if kind in ("text", "path", "function", "element", "parameter", "builder"):
        return TEXT
    if kind == "measure":
        return {"type": ["string", "object"], "description": "hinge.angle, or length(ground@(0, 0), crank@(0.1, 0))"}
    if kind in ("marker", "method"):
        return {"$ref": f"#/$defs/{kind}"}
    if kind == "list" and wanted.inner is not None:
        inner = _of_kind(wanted.inner, space)
        return {"anyOf": [{"type": "array", "items": {"anyOf": [inner, {"type": "null"}]}}, inner]}
    if kind == "mapping":
        return {"type": "object"}
    if kind == "point":
        return {"anyOf": [{"type": "array", "items": NUMBER}, TEXT]}
    return {"$ref": f"#/$defs/{space} any {kind}"} if kind in OBJECTS else True


def _object(types: dict[str, Any], kind: str, space: str) -> dict[str, Any]:
    """A motion, a curve, ...: a text, a mapping with its type, or a number if that serves."""
    gives = {"signal": ("signal", "measure", "motion", "device")}.get(kind, (kind,))
    there = [n for n, t in types.items() if t["gives"] in gives and not n.startswith(".")]
    plain = ["string", "number"] if kind in ("motion", "signal") else ["string"]
    return {"anyOf": [{"type": plain}, *({"$ref": f"#/$defs/{space} {name}"} for name in there)]}


def _analysis(types: dict[str, Any]) -> dict[str, Any]:
    entries = []
    for name, data in types.items():
        entry = _typed(name, data, "planar")
        entry["properties"].setdefault("name", TEXT)
        entries.append(entry)
    return {"anyOf": entries}
