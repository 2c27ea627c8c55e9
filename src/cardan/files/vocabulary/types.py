"""The shipped vocabulary: every type that a file can state, with its arguments, their roles and what it offers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PATH = Path(__file__).parent / "vocabulary.json"
MISSING = "\0"  # the default of an argument that must be stated


class Argument(NamedTuple):
    """An argument of a type."""

    role: str
    default: Any

    @property
    def required(self) -> bool:
        return bool(self.default == MISSING)


class Type(NamedTuple):
    """A type: what it is made of, what it gives, and what others can read of it."""

    name: str
    of: str
    gives: str
    about: str
    arguments: dict[str, Argument]
    group: str
    offers: dict[str, str]
    unit: str
    table: tuple[str, ...] = ()  # arguments that the columns of a table may take the place of
    renamed: Mapping[str, str] = {}  # old names of arguments


@cache
def _data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


class Vocabulary:
    """The types of a space, or the analyses; a type is unpacked when it is first asked for."""

    def __init__(self, space: str) -> None:
        self.space = space
        self._stated: dict[str, Any] = _data()[space]
        self._known: dict[str, Type] = {}
        self.renamed: dict[str, str] = _data()["renamed"]  # old names of types

    def __contains__(self, name: str) -> bool:
        return self.renamed.get(name, name) in self._stated

    def __getitem__(self, name: str) -> Type:
        name = self.renamed.get(name, name)
        if name not in self._known:
            data = self._stated[name]
            arguments = {
                key: Argument(role, default[0] if default else MISSING)
                for key, (role, *default) in data["arguments"].items()
            }
            self._known[name] = Type(
                name,
                data["of"],
                data["gives"],
                data["about"],
                arguments,
                data.get("group", ""),
                data.get("offers", {}),
                data.get("unit", ""),
                tuple(data.get("table", ())),
                data.get("renamed", {}),
            )
        return self._known[name]

    def names(self, *gives: str) -> list[str]:
        """The names of types, of those that give something if that is stated."""
        return [name for name, data in self._stated.items() if not gives or data["gives"] in gives]

    def names_of_group(self, group: str) -> list[str]:
        return [name for name, data in self._stated.items() if data.get("group") == group]


@cache
def vocabulary(space: str) -> Vocabulary:
    """The vocabulary of "planar", "spatial" or "analyses"."""
    return Vocabulary(space)
