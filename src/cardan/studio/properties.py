"""What the page lists of a file: its elements with their arguments, its parameters and settings."""

from __future__ import annotations

import math
import re
from typing import Any

from cardan.errors import CardanError
from cardan.files.text.units import ANY, SI, Declared
from cardan.files.vocabulary.kind import parse_kind
from cardan.files.vocabulary.types import vocabulary
from cardan.files.writing.yaml_text import flow
from cardan.studio.solved import Solved
from cardan.studio.stated import Stated, elements, space_of
from cardan.studio.text import ModelText
from cardan.studio.values import NUMBER, Values, is_number

SETTINGS = ("name", "about", "gravity", "units", "show")


def describe_elements(text: ModelText, solved: Solved) -> list[dict[str, Any]]:
    """Every element with its arguments as they are written."""
    found = []
    for element in elements(text):
        arguments = {k: v for k, v in element.arguments.items() if k != "markers"}
        entry: dict[str, Any] = {
            "name": element.name,
            "section": element.section,
            "type": element.type,
            "arguments": {key: shown(value) for key, value in arguments.items()},
            "units": _units(text, element, solved),
            "facts": _facts(solved, element.name),
        }
        markers = element.arguments.get("markers")
        if element.section == "bodies":
            listed = markers.items() if isinstance(markers, dict) else ()
            entry["markers"] = {key: shown(value) for key, value in listed}
            if (length := _length(text, element.name)) is not None:
                entry["length"] = length
        found.append(entry)
    ground = text.data("bodies", "ground", "markers")
    if isinstance(ground, dict):
        nothing: dict[str, Any] = {"arguments": {}, "units": {}, "facts": []}
        places = {key: shown(value) for key, value in ground.items()}
        found.append({"name": "ground", "section": "bodies", "type": "ground", **nothing, "markers": places})
    return found


def _length(text: ModelText, body: str) -> str | None:
    """The length of a bar as it is written: the x coordinate of its second point."""
    markers = text.data("bodies", body, "markers")
    places = [*markers.values()][:2] if isinstance(markers, dict) else []
    if len(places) < 2 or not all(isinstance(place, list) and len(place) == 2 for place in places):
        return None
    values = Values(text)
    first, second = values.point(places[0]), values.point(places[1])
    if first is None or second is None or math.hypot(*first) > 1e-12 or abs(second[1]) > 1e-12 or second[0] <= 0.0:
        return None
    return shown(places[1][0])


def _units(text: ModelText, element: Stated, solved: Solved) -> dict[str, str]:
    """The units of bare numbers, by argument; those of a motion as "motion.rate"."""
    known, declared = vocabulary(space_of(text)), Values(text).units
    if element.type not in known:
        return {}
    symbols, found = _symbols(solved, element.name), {}
    for name, argument in known[element.type].arguments.items():
        kind, stated = parse_kind(argument.kind), element.arguments.get(name)
        if kind.name in ("number", "numbers", "point"):
            found[name] = _unit(declared, kind.value, symbols)
        elif kind.name == "motion" and isinstance(stated, dict) and str(stated.get("type")) in known:
            inner = {"V": _insert(kind.value, symbols), "X": _insert(kind.argument, symbols)}
            for key, one in known[stated["type"]].arguments.items():
                found[f"{name}.{key}"] = _unit(declared, parse_kind(one.kind).value, inner)
    return {name: unit for name, unit in found.items() if unit}


def _symbols(solved: Solved, name: str) -> dict[str, str]:
    """The dimensions of the measure of an element and of the force along it."""
    element = solved.model[name] if solved.model is not None and name in solved.model else None
    unit = getattr(getattr(element, "measure", None), "unit", "")
    return {"m": {"V": "length", "W": "force"}, "rad": {"V": "angle", "W": "force*length"}}.get(unit, {})


def _insert(dimension: str, symbols: dict[str, str]) -> str:
    return re.sub(r"\b[VXW]\b", lambda match: f"({symbols.get(match[0], SI)})", dimension)


def _unit(declared: Declared, dimension: str, symbols: dict[str, str]) -> str:
    """N/mm rather than N mm^-1; "" for numbers without a unit and for unknown ones."""
    if not dimension or dimension in (ANY, "1"):
        return ""
    above: list[str] = []
    below: list[str] = []
    for word in declared.wanted(_insert(dimension, symbols)).unit.split():
        unit, _, power = word.partition("^")
        (below if power.startswith("-") else above).append(unit + power.removeprefix("-").removeprefix("1"))
    parts = " ".join(above) or "1"
    return "" if SI in above or not (above or below) else "/".join([parts, *below])


def _facts(solved: Solved, name: str) -> list[str]:
    """Numbers that follow from the arguments."""
    try:
        element = solved.model[name] if solved.model is not None and name in solved.model else None
    except CardanError:
        return []
    matter = getattr(element, "matter", None)
    if matter is None or not matter.mass:
        return []
    found = [f"mass {matter.mass:.6g} kg"]
    if isinstance(matter.inertia, int | float):
        found.append(f"inertia {matter.inertia:.6g} kg m²")
    return found


def describe_parameters(text: ModelText) -> list[dict[str, Any]]:
    """Every parameter with a range for its slider: a fifth to twice its value, or -1 to 1 about zero."""
    stated = text.data("parameters")
    found = []
    for name, value in stated.items() if isinstance(stated, dict) else ():
        written = shown(value)
        match = NUMBER.fullmatch(written)
        entry: dict[str, Any] = {"name": name, "text": written, "value": None, "unit": ""}
        if match and is_number(written):
            number = float(match[1])
            ends = sorted((0.2 * number, 2.0 * number)) if number else [-1.0, 1.0]
            entry |= {"value": number, "unit": match[2] or "", "low": ends[0], "high": ends[1]}
        found.append(entry)
    return found


def settings_of(text: ModelText) -> dict[str, str]:
    return {name: shown(text.data(name)) if text.has(name) else "" for name in SETTINGS}


def shown(value: object) -> str:
    """A value in one line, as it can be typed."""
    if isinstance(value, str):
        return value
    return "" if value is None else _flow(value)


def _flow(value: object) -> str:
    """Lists and mappings whose numbers are written without quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return str(value) if is_number(value) else flow(value)
