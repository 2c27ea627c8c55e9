"""The text of a model file as nodes that know their place: YAML, of which JSON is a part.

    crank: {mass: 1 kg}         Map {crank: Map {mass: Scalar '1 kg'}}, each with line and column

Nothing of a file is turned into objects: no tags, no constructors. A plain word is a text, a number or an expression as
the place asks for it, so that `no`, `on` and `1e-3` mean what they look like. Aliases may repeat a part, but what they
expand to is limited: a few lines could otherwise stand for billions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cardan.files.faults import Faults, Place, told
from cardan.untrusted import contents

LARGEST = 64 * 2**20  # bytes of a file
DEEPEST = 60  # levels of nesting
MOST_NODES = 1_000_000  # of a file: some seconds and 300 MB; longer tables belong into files of their own
REPEATED = 100_000  # nodes that aliases, and instances of assemblies, may stand for


class Node:
    """A part of a file with its place."""

    __slots__ = ("path", "line", "column", "weight")

    def __init__(self, path: str, line: int, column: int) -> None:
        self.path, self.line, self.column, self.weight = path, line, column, 1


class Scalar(Node):
    """A word, a number or a text; `quoted` if it stands in quotes."""

    __slots__ = ("text", "quoted")

    def __init__(self, path: str, line: int, column: int, text: str, quoted: bool = False) -> None:
        super().__init__(path, line, column)
        self.text, self.quoted = text, quoted

    @property
    def empty(self) -> bool:
        """Nothing is stated: `key:` or `key: null`."""
        return not self.quoted and self.text in ("", "null", "~", "None")


class List(Node):
    """Entries in their order."""

    __slots__ = ("items",)

    def __init__(self, path: str, line: int, column: int) -> None:
        super().__init__(path, line, column)
        self.items: list[Node] = []


class Map(Node):
    """Entries by name; `keys` are the nodes of the names."""

    __slots__ = ("items", "keys", "_open")

    def __init__(self, path: str, line: int, column: int) -> None:
        super().__init__(path, line, column)
        self.items: dict[str, Node] = {}
        self.keys: dict[str, Node] = {}
        self._open: Scalar | None = None

    def get(self, name: str) -> Node | None:
        """What is stated under a name; None where it is left out or left empty."""
        found = self.items.get(name)
        return None if isinstance(found, Scalar) and found.empty else found


def read(path: str, faults: Faults) -> Node | None:
    """The root of a file, or None with faults."""
    source = Path(path)
    try:
        if source.stat().st_size > LARGEST:
            faults.add(Place(path), "C002", f"the file has more than {LARGEST >> 20} MB")
            return None
        data = contents(source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        faults.add(Place(path), "C001", f"the file cannot be read: {reason}")
        return None
    return parse(data, path, faults)


def parse(data: bytes, path: str, faults: Faults) -> Node | None:
    """The root of a text, or None with faults."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        faults.add(Place(path, line, column), "C002", "the file is no text in UTF-8")
        return None
    if path.lower().endswith(".json") and not _is_json(text, path, faults):
        return None
    return _compose(text, path, faults)


def _is_json(text: str, path: str, faults: Faults) -> bool:
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        faults.add(Place(path, error.lineno, error.colno), "C003", f"this is no JSON: {error.msg}")
        return False
    except (RecursionError, ValueError) as error:
        faults.add(Place(path), "C003", f"this is no JSON: {told(error)}")
        return False
    return True


def _compose(text: str, path: str, faults: Faults) -> Node | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(path, faults)
    try:
        for event in yaml.parse(text, Loader=loader):
            if not builder.take(event, type(event).__name__):
                return None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        faults.add(place, "C003", f"this is no YAML: {' '.join(str(problem).split())}", _yaml_hint(str(problem)))
        return None
    if builder.root is None:
        faults.add(Place(path), "C004", "the file is empty", "state a model: cardan: 1, name: ..., space: planar")
    return builder.root


def _yaml_hint(problem: str) -> str:
    if "\\t" in problem:
        return "indent with spaces, not with tabs"
    if "mapping values" in problem:
        return "a text with ': ' in it needs quotes, and lines of one level the same indentation"
    return ""


class _Builder:
    """Takes what the YAML parser reports, one event after the other."""

    def __init__(self, path: str, faults: Faults) -> None:
        self.path, self.faults = path, faults
        self.root: Node | None = None
        self.open: list[Any] = []
        self.anchors: dict[str, Node | None] = {}  # None while what they name is still open
        self.names: list[str | None] = []
        self.repeated, self.documents, self.nodes = 0, 0, 0

    def take(self, event: Any, kind: str) -> bool:
        """Whether to go on."""
        if kind == "ScalarEvent":
            mark = event.start_mark
            node = Scalar(self.path, mark.line + 1, mark.column + 1, event.value, bool(event.style))
            return self._tagged(event, node) and self._anchored(event, node) and self._put(node)
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            mark, make = event.start_mark, Map if kind[0] == "M" else List
            return self._begin(event, make(self.path, mark.line + 1, mark.column + 1))
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            node, name = self.open.pop(), self.names.pop()
            if name is not None:
                self.anchors[name] = node
            return self._put(node)
        if kind == "AliasEvent":
            return self._alias(event)
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                place = Place(self.path, event.start_mark.line + 1, 1)
                self.faults.add(place, "C004", "the file has a second document", "one file states one model")
                return False
        return True

    def _begin(self, event: Any, node: Node) -> bool:
        if len(self.open) >= DEEPEST:
            self.faults.add(node, "C005", f"the file is nested deeper than {DEEPEST} levels")
            return False
        self.open.append(node)
        self.names.append(event.anchor)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        return self._tagged(event, node)

    def _tagged(self, event: Any, node: Node) -> bool:
        if event.tag is not None and event.tag != "!":
            self.faults.add(node, "C006", f"the tag {told(event.tag)} asks for an object; a model file is data alone")
            return False
        return True

    def _anchored(self, event: Any, node: Node) -> bool:
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return True

    def _alias(self, event: Any) -> bool:
        place = Place(self.path, event.start_mark.line + 1, event.start_mark.column + 1)
        node = self.anchors.get(event.anchor)
        if node is None:
            inside = "its own part" if event.anchor in self.anchors else "a part that is not stated before"
            self.faults.add(place, "C005", f"the alias *{event.anchor} stands for {inside}")
            return False
        self.repeated += node.weight
        if self.repeated > REPEATED:
            self.faults.add(
                place,
                "C005",
                f"the aliases of the file stand for more than {REPEATED} entries",
                "assemblies and instances repeat parts of a model",
            )
            return False
        return self._put(node)

    def _put(self, node: Node) -> bool:
        """Hand a finished node to the one that holds it."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            hint = "put large tables into .csv files"
            self.faults.add(node, "C002", f"the file has more than {MOST_NODES} entries", hint)
            return False
        if not self.open:
            self.root = node
            return True
        holder = self.open[-1]
        holder.weight += node.weight
        if isinstance(holder, List):
            holder.items.append(node)
        elif holder._open is None:
            if not isinstance(node, Scalar):
                self.faults.add(node, "C007", "a name must be a word, not a list or a mapping")
                return False
            if node.text in holder.keys:
                self.faults.add(node, "C008", f"{told(node.text)} is stated twice in one place", "keep one of them")
            holder._open = node
        else:
            key, holder._open = holder._open, None
            holder.keys.setdefault(key.text, key)
            holder.items.setdefault(key.text, node)
        return True


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    if isinstance(node, List):
        for item in node.items:
            yield from walk(item)
    elif isinstance(node, Map):
        for item in node.items.values():
            yield from walk(item)
