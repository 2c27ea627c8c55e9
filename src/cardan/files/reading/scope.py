"""The names that a part of a file can use: its elements, markers, parameters and outputs.

A model file is one scope; every instance of an assembly is a scope of its own, whose elements have its name before
theirs. Within it a name is looked for among its own, then among those that the instance connects to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.files.faults import Faults, near, told
from cardan.files.text.expressions import Numbers
from cardan.files.text.grammar import Word
from cardan.files.text.nodes import Node
from cardan.files.vocabulary.types import Type, Vocabulary


class Names:
    """What all scopes of a file share."""

    def __init__(self, space: str, known: Vocabulary, faults: Faults, folders: Any) -> None:
        self.space, self.known, self.faults, self.folders = space, known, faults, folders
        self.size = 2 if space == "planar" else 3
        self.types: dict[str, Type] = {}  # of all elements by their full name
        self.holders: set[str] = set()  # what stands before a dot in these names: instances and the like
        self.expanded = 0  # nodes that instances have repeated so far
        self.markers: dict[str, tuple[Node, Scope]] = {}  # named markers: 'body@name', or 'name' alone
        self.outputs: dict[str, tuple[Node, Scope]] = {}
        self.results: dict[str, str] = {}  # analyses so far, by name: their type
        self.numbered: dict[str, int] = {}  # the last number that an analysis without a name got, by type
        self.needs: dict[str, set[str]] = {}

    def declare(self, full: str, kind: Type) -> None:
        """Note the type of an element."""
        self.types[full] = kind
        place = full.rfind(".")
        while place > 0 and full[:place] not in self.holders:
            self.holders.add(full[:place])
            place = full.rfind(".", 0, place)


class Scope:
    """One part of a file."""

    def __init__(self, shared: Names, numbers: Numbers, prefix: str = "", pose: Any = None) -> None:
        self.shared, self.numbers, self.prefix, self.pose = shared, numbers, prefix, pose
        self.connected: dict[str, str] = {"ground": "ground"}
        self.open: list[str] = []  # markers and outputs that are being read: they may not lead to themselves

    @property
    def faults(self) -> Faults:
        return self.shared.faults

    def full(self, name: str) -> str:
        """The name of an own element in the whole model."""
        return f"{self.prefix}{name}"

    def element(self, parts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
        """The element that names with dots lead to, and what follows: the longest that there is."""
        types = self.shared.types
        for k in range(len(parts), 0, -1):
            name = ".".join(parts[:k])
            for full in (self.full(name), self.connected.get(name, "")):
                if full in types:
                    return full, tuple(parts[k:])
        first = self.connected.get(parts[0])
        if first is not None and len(parts) > 1:  # a part of an instance that was connected
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
        """Those of them that are bodies."""
        return [name for name in self.own_names() if self._is_body(name)]

    def unknown(self, node: Node, name: str, what: str, known: Sequence[str] | None = None) -> None:
        """Note that a name is not known."""
        names = self.own_names() if known is None else list(known)
        hint = near(name, names)
        if not hint and "-" in name:
            hint = "put a name with signs in quotes"
        self.faults.add(node, "C201", f"there is no {what} called {told(name)}", hint)

    def body(self, word: Word) -> str | None:
        """The full name of a body; None with a fault."""
        found = self.element(word.parts)
        if found is None or found[1]:
            self.unknown(word, word.text, "body", self.own_bodies())
            return None
        if self.shared.types[found[0]].group != "bodies":
            kind = self.shared.types[found[0]].name
            self.faults.add(word, "C204", f"{told(word.text)} is a {kind}, where a body is expected")
            return None
        return found[0]

    def _is_body(self, name: str) -> bool:
        found = self.element(name.split("."))
        return found is not None and not found[1] and self.shared.types[found[0]].group == "bodies"
