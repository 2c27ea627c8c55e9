"""The shipped vocabulary: every type of model files, with its arguments and the measures and signals it offers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PATH = Path(__file__).parent / "vocabulary.json"
MISSING = "\0"  # the default of a required argument


class Argument(NamedTuple):
    """An argument of a type; `kind` is the text that `parse_kind` takes."""

    kind: str
    default: Any = MISSING

    @property
    def required(self) -> bool:
        return bool(self.default == MISSING)


class Type(NamedTuple):
    """A type."""

    name: str
    path: str  # of the class or function: module:name
    gives: str  # the kind of its objects
    about: str
    arguments: dict[str, Argument]
    group: str = ""  # the section of an element
    offers: dict[str, str] = {}  # dimensions of the measures that it offers; 'signal' for signals
    unit: str = ""  # the dimension of a measure
    table: tuple[str, ...] = ()  # arguments that columns of a table can replace
    renamed: dict[str, str] = {}  # old names of arguments, which are still accepted


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


class Vocabulary:
    """The types of a space, or the analyses; a type is unpacked when it is first used."""

    def __init__(self, space: str) -> None:
        self.space = space
        self.renamed: dict[str, str] = _data()["renamed"]
        self._data: dict[str, Any] = _data()[space]
        self._known: dict[str, Type] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def __getitem__(self, name: str) -> Type:
        if name not in self._known:
            data = self._data[name]
            arguments = {key: Argument(*entry) for key, entry in data["arguments"].items()}
            self._known[name] = Type(name, **{**data, "arguments": arguments, "table": tuple(data.get("table", ()))})
        return self._known[name]

    def names(self, *gives: str) -> list[str]:
        """The names of all types, or of those that give one of some kinds."""
        return [name for name, data in self._data.items() if not gives or data["gives"] in gives]

    def names_of_group(self, group: str) -> list[str]:
        return [name for name, data in self._data.items() if data.get("group") == group]


@cache
def vocabulary(space: str) -> Vocabulary:
    """The vocabulary of "planar", "spatial" or "analyses"."""
    return Vocabulary(space)
