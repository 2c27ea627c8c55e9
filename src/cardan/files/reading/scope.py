"""The names that a part of a file can use: its elements, markers, parameters and outputs.

A model file is one scope. Every instance of an assembly is a scope of its own, whose element names begin with the name
of the instance. A name is looked up among the names of the scope, then among those that the instance connects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.files.faults import FaultError, Faults, did_you_mean, short_repr
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Word
from cardan.files.text.nodes import TextNode
from cardan.files.vocabulary.types import Type, Vocabulary


class Names:
    """The names of all scopes of a file."""

    def __init__(self, space: str, known: Vocabulary, faults: Faults, folders: Any) -> None:
        self.space, self.known, self.faults, self.folders = space, known, faults, folders
        self.size = 2 if space == "planar" else 3
        self.types: dict[str, Type] = {}  # of all elements by full name
        self.prefixes: set[str] = set()  # parts of full names before a dot: instances
        self.expanded = 0  # nodes that instances have repeated so far
        self.markers: dict[str, tuple[TextNode, Scope]] = {}  # named markers: 'body@name', or 'name' alone
        self.outputs: dict[str, tuple[TextNode, Scope]] = {}
        self.results: dict[str, str] = {}  # types of the analyses so far, by name
        self.numbered: dict[str, int] = {}  # the last number of an analysis without a name, by type

    def declare(self, full: str, kind: Type) -> None:
        """Add an element."""
        self.types[full] = kind
        place = full.rfind(".")
        while place > 0 and full[:place] not in self.prefixes:
            self.prefixes.add(full[:place])
            place = full.rfind(".", 0, place)


class Scope:
    """One part of a file."""

    def __init__(self, shared: Names, numbers: Numbers, prefix: str = "", pose: Any = None) -> None:
        self.shared, self.numbers, self.prefix, self.pose = shared, numbers, prefix, pose
        self.connected: dict[str, str] = {"ground": "ground"}
        self.open: list[str] = []  # markers and outputs that are being read, to detect circles

    @property
    def faults(self) -> Faults:
        return self.shared.faults

    def full(self, name: str) -> str:
        """The name of an element of this scope in the whole model."""
        return f"{self.prefix}{name}"

    def element(self, parts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """The element with the longest matching name, and the remaining parts."""
        types = self.shared.types
        for k in range(len(parts), 0, -1):
            name = ".".join(parts[:k])
            for full in (self.full(name), self.connected.get(name, "")):
                if full in types:
                    return full, tuple(parts[k:])
        first = self.connected.get(parts[0])
        if first is not None and len(parts) > 1:  # an element of a connected instance
            for k in range(len(parts), 1, -1):
                full = ".".join([first, *parts[1:k]])
                if full in types:
                    return full, tuple(parts[k:])
        return None

    def own_names(self) -> list[str]:
        """Names of elements as they are written in this scope."""
        there = [name.removeprefix(self.prefix) for name in self.shared.types if name.startswith(self.prefix)]
        return [*dict.fromkeys([*there, *self.connected])]

    def own_bodies(self) -> list[str]:
        """Names of bodies as they are written in this scope."""
        return [name for name in self.own_names() if self._is_body(name)]

    def unknown(self, node: TextNode, name: str, what: str, known: Sequence[str] | None = None) -> FaultError:
        """The fault of an unknown name."""
        hint = did_you_mean(name, self.own_names() if known is None else known)
        if not hint and "-" in name:
            hint = "put a name that contains signs in quotes"
        return FaultError(node, "C201", f"there is no {what} called {short_repr(name)}", hint)

    def body(self, word: Word) -> str:
        """The full name of a body."""
        found = self.element(word.parts)
        if found is None or found[1]:
            raise self.unknown(word, word.text, "body", self.own_bodies())
        kind = self.shared.types[found[0]]
        if kind.group != "bodies":
            raise FaultError(word, "C204", f"a body is expected, but {short_repr(word.text)} is a {kind.name}")
        return found[0]

    def _is_body(self, name: str) -> bool:
        found = self.element(name.split("."))
        return found is not None and not found[1] and self.shared.types[found[0]].group == "bodies"
