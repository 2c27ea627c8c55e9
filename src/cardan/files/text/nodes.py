"""A YAML or JSON file as a tree of nodes, each with its line and column.

    crank: {mass: 1 kg}         Map {crank: Map {mass: Scalar '1 kg'}}

No part of a file is converted to objects: no tags, no constructors. A plain word stays text until an argument reads it
as a word, a number or an expression; `no`, `on` and `1e-3` keep their spelling. Aliases may repeat a part, but the
number of repeated nodes is limited, because a few lines could otherwise stand for billions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardan.files.faults import FaultError, Faults, SourceLocation, short_repr
from cardan.untrusted import contents

MAX_BYTES = 64 * 2**20  # of a file
MAX_LEVELS = 60  # levels of nesting
MAX_NODES = 1_000_000  # of a file: some seconds and 300 MB; larger tables belong in .csv files
MAX_REPEATED = 100_000  # nodes that aliases, or instances of assemblies, may stand for


class TextNode:
    """A part of a file with its place."""

    __slots__ = ("path", "line", "column", "weight")

    def __init__(self, path: str, line: int, column: int) -> None:
        self.path, self.line, self.column, self.weight = path, line, column, 1


class Scalar(TextNode):
    """A word, a number or a text, with or without quotes."""

    __slots__ = ("text", "quoted")

    def __init__(self, path: str, line: int, column: int, text: str, quoted: bool = False) -> None:
        super().__init__(path, line, column)
        self.text, self.quoted = text, quoted


class List(TextNode):
    """A sequence."""

    __slots__ = ("items",)

    def __init__(self, path: str, line: int, column: int, items: list[Any] | None = None) -> None:
        super().__init__(path, line, column)
        self.items: list[TextNode] = [] if items is None else items


class Map(TextNode):
    """A mapping; `keys` are the nodes of the names."""

    __slots__ = ("items", "keys", "_open")

    def __init__(self, path: str, line: int, column: int) -> None:
        super().__init__(path, line, column)
        self.items: dict[str, TextNode] = {}
        self.keys: dict[str, TextNode] = {}
        self._open: Scalar | None = None

    def get(self, name: str) -> TextNode | None:
        """The node of a name; None if it is missing or empty."""
        found = self.items.get(name)
        return None if found is None or is_empty(found) else found


def is_empty(node: TextNode) -> bool:
    """Whether nothing is stated: `key:` or `key: null`."""
    return isinstance(node, Scalar) and not node.quoted and node.text in ("", "null", "~", "None")


def read(path: str, faults: Faults, text: str | None = None) -> TextNode:
    """The root of a file; `text` is its content if it is not saved yet."""
    if text is None:
        text = _file_text(path)
    if path.lower().endswith(".json"):
        _check_json(text, path)
    return _compose(text, path, faults)


def _file_text(path: str) -> str:
    source = Path(path)
    try:
        if source.stat().st_size > MAX_BYTES:
            raise FaultError(SourceLocation(path), "C002", f"the file is larger than {MAX_BYTES >> 20} MB")
        data = contents(source)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FaultError(SourceLocation(path), "C001", f"the file cannot be read: {reason}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise FaultError(SourceLocation(path, line, column), "C002", "the file is not UTF-8 text") from None


def _check_json(text: str, path: str) -> None:
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        raise FaultError(
            SourceLocation(path, error.lineno, error.colno), "C003", f"invalid JSON: {error.msg}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise FaultError(SourceLocation(path), "C003", f"invalid JSON: {short_repr(error)}") from None


def _compose(text: str, path: str, faults: Faults) -> TextNode:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(path, faults)
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event, type(event).__name__)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = SourceLocation(path, mark.line + 1, mark.column + 1) if mark else SourceLocation(path)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        message = f"invalid YAML: {' '.join(str(problem).split())}"
        line = text.splitlines()[mark.line : mark.line + 1] if mark else []
        raise FaultError(place, "C003", message, _yaml_hint(str(problem), "".join(line))) from None
    if builder.root is None:
        raise FaultError(
            SourceLocation(path), "C004", "the file is empty", "a model begins with cardan: 1, name: ..., space: ..."
        )
    return builder.root


def _yaml_hint(problem: str, line: str) -> str:
    if line.lstrip(" ").startswith("\t"):
        return "indent with spaces, not tabs"
    if "mapping values" in problem:
        return "put text that contains ': ' in quotes, and indent lines of the same level equally"
    return ""


class _Builder:
    """Builds nodes from the events of the YAML parser."""

    def __init__(self, path: str, faults: Faults) -> None:
        self.path, self.faults = path, faults
        self.root: TextNode | None = None
        self.open: list[Any] = []
        self.anchors: dict[str, TextNode | None] = {}  # None while the node is open
        self.names: list[str | None] = []
        self.repeated, self.documents, self.nodes = 0, 0, 0

    def take(self, event: Any, kind: str) -> None:
        if kind == "ScalarEvent":
            mark = event.start_mark
            node = Scalar(self.path, mark.line + 1, mark.column + 1, event.value, bool(event.style))
            self._reject_tag(event, node)
            if event.anchor is not None:
                self.anchors[event.anchor] = node
            self._put(node)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._begin(event, Map if kind[0] == "M" else List)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            node, name = self.open.pop(), self.names.pop()
            if name is not None:
                self.anchors[name] = node
            self._put(node)
        elif kind == "AliasEvent":
            self._alias(event)
        elif kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                place = SourceLocation(self.path, event.start_mark.line + 1, 1)
                raise FaultError(place, "C004", "the file has a second document", "a file states one model")

    def _begin(self, event: Any, kind: Any) -> None:
        node = kind(self.path, event.start_mark.line + 1, event.start_mark.column + 1)
        if len(self.open) >= MAX_LEVELS:
            raise FaultError(node, "C005", f"the file is nested deeper than {MAX_LEVELS} levels")
        self.open.append(node)
        self.names.append(event.anchor)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self._reject_tag(event, node)

    def _reject_tag(self, event: Any, node: TextNode) -> None:
        if event.tag is not None and event.tag != "!":
            raise FaultError(
                node, "C006", f"the tag {short_repr(event.tag)} is not allowed: a model file is plain data"
            )

    def _alias(self, event: Any) -> None:
        place = SourceLocation(self.path, event.start_mark.line + 1, event.start_mark.column + 1)
        node = self.anchors.get(event.anchor)
        if node is None:
            inside = (
                "a part that contains it" if event.anchor in self.anchors else "a part that is not defined before it"
            )
            raise FaultError(place, "C005", f"the alias *{event.anchor} stands for {inside}")
        self.repeated += node.weight
        if self.repeated > MAX_REPEATED:
            message = f"the aliases of the file stand for more than {MAX_REPEATED} entries"
            raise FaultError(place, "C005", message, "repeat parts of a model with assemblies and instances")
        self._put(node)

    def _put(self, node: TextNode) -> None:
        """Add a complete node to its parent."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise FaultError(
                node, "C002", f"the file has more than {MAX_NODES} entries", "move large tables to .csv files"
            )
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        parent.weight += node.weight
        if isinstance(parent, List):
            parent.items.append(node)
        elif parent._open is None:
            if not isinstance(node, Scalar):
                raise FaultError(node, "C007", "a name must be a word, not a list or a mapping")
            if node.text in parent.keys:
                self.faults.add(node, "C008", f"{short_repr(node.text)} is stated twice", "remove one of them")
            parent._open = node
        else:
            key, parent._open = parent._open, None
            parent.keys.setdefault(key.text, key)
            parent.items.setdefault(key.text, node)
