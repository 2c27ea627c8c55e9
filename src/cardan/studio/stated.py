"""Elements as a text states them: their section, type and arguments, in both forms.

B: revolute(crank@B, rod@B)                                a call
B: {type: revolute, a: crank@B, b: rod@B}                  a mapping
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cardan.errors import ModelError
from cardan.files.reading.parts import SECTIONS
from cardan.files.vocabulary.types import vocabulary
from cardan.files.writing.yaml_text import flow
from cardan.studio.text import ModelText

USUAL = {"bodies": "body", "drivers": "driver"}
CALL = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)


@dataclass
class Stated:
    """An element of a text; arguments are text, lists or dictionaries."""

    section: str
    name: str
    type: str
    arguments: dict[str, Any]
    is_call: bool

    @property
    def path(self) -> tuple[str, str]:
        return self.section, self.name


def space_of(text: ModelText) -> str:
    return "spatial" if text.data("space") == "spatial" else "planar"


def elements(text: ModelText) -> Iterator[Stated]:
    """All elements of a text in order; those of included files and instances are not among them."""
    known = vocabulary(space_of(text))
    for section in SECTIONS:
        entries = text.data(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            if name == "ground":
                continue
            if isinstance(entry, dict):
                kind = str(entry.get("type") or USUAL.get(section, ""))
                arguments = {key: value for key, value in entry.items() if key != "type"}
                yield Stated(section, name, kind, arguments, False)
            elif entry is None or isinstance(entry, str):
                kind, listed, named = split_call(entry or USUAL.get(section, ""))
                names = list(known[kind].arguments) if kind in known else []
                extra = [f"argument {k + 1}" for k in range(len(names), len(listed))]
                positional = dict(zip([*names, *extra], listed, strict=False))
                yield Stated(section, name, kind, positional | named, True)


def find(text: ModelText, name: str) -> Stated:
    for element in elements(text):
        if element.name == name:
            return element
    raise ModelError(f"the file itself states no '{name}': parts of included files and instances are changed there")


def set_argument(text: ModelText, name: str, argument: str, value: object) -> None:
    """Set an argument of an element, or remove it with None; the form of the element stays."""
    found = find(text, name)
    if not found.is_call:
        path = (*found.path, *argument.split("."))  # motion.rate is an entry of the mapping under motion
        return text.drop(path) if value is None else text.put(path, value)
    arguments = {**found.arguments}
    if value is None:
        arguments.pop(argument, None)
    else:
        arguments[argument] = inline(value)
    text.put(found.path, call_text(text, found.type, arguments))


def call_text(text: ModelText, kind: str, arguments: dict[str, Any]) -> str:
    """An element as a call; leading arguments in order are not named."""
    known = vocabulary(space_of(text))
    order = list(known[kind].arguments) if kind in known else []
    words, in_order = [], True
    for k, name in enumerate(sorted(arguments, key=lambda n: order.index(n) if n in order else 99)):
        in_order = in_order and k < len(order) and order[k] == name
        words.append(inline(arguments[name]) if in_order else f"{name}={inline(arguments[name])}")
    return f"{kind}({', '.join(words)})" if words else kind


def inline(value: object) -> str:
    """A value inside a call."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{', '.join(inline(item) for item in value)}]"
    if isinstance(value, dict):
        kind = value.get("type")
        if kind is None:
            raise ModelError(f"{flow(value)} cannot be stated inside a call")
        return f"{kind}({', '.join(f'{k}={inline(v)}' for k, v in value.items() if k != 'type')})"
    return flow(value)


def split_call(call: str) -> tuple[str, list[str], dict[str, str]]:
    """The type, the arguments in order, and those with names, of a text such as revolute(a, b)."""
    match = CALL.fullmatch(call)
    if match is None:
        return call, [], {}
    listed: list[str] = []
    named: dict[str, str] = {}
    for part in split(match[2] or ""):
        found = NAMED.fullmatch(part)
        if found:
            named[found[1]] = found[2].strip()
        elif part.strip():
            listed.append(part.strip())
    return match[1], listed, named


def split(inside: str) -> list[str]:
    """Parts between commas that are not inside brackets or quotes."""
    parts, depth, quote, begin = [], 0, "", 0
    for k, sign in enumerate(inside):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(inside[begin:k])
            begin = k + 1
    return [*parts, inside[begin:]] if inside.strip() else []


def fresh(text: ModelText, stem: str, taken: set[str] | None = None) -> str:
    """A name that no element has: stem, or stem1, stem2, ..."""
    used = {element.name for element in elements(text)} | {"ground"} | set(text.keys("instances")) | (taken or set())
    if len(stem) == 1 and stem not in used:
        return stem
    number = 1 if len(stem) > 1 else 2
    while f"{stem}{number}" in used:
        number += 1
    return f"{stem}{number}"


def quoted(name: str) -> str:
    """A name as it is written inside text."""
    return name if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", name) else f"'{name}'"
