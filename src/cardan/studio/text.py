"""A model file as text that is edited in place.

    text = ModelText("bodies:\\n  crank: {mass: 1}  # steel\\n")
    text.put(("bodies", "crank", "mass"), 2)        bodies:\\n  crank: {mass: 2}  # steel\\n

A change replaces the characters of one value, or adds or removes one entry: comments, order, spelling and sections that
this program does not know stay as they are. YAML and JSON are edited the same way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import yaml

from cardan.errors import ModelError
from cardan.files.text.nodes import MAX_LEVELS, MAX_REPEATED
from cardan.files.writing.yaml_text import flow, scalar

if TYPE_CHECKING:
    from yaml import Node

Path = Sequence[str | int]
SHALLOW = 1000  # brackets, dashes and blanks that cannot nest deeply enough to exhaust a stack
ORDER = (
    "cardan name about space units gravity include parameters assemblies instances markers bodies joints drivers forces"
    " control elements outputs lift analyses show"
).split()


class ModelText:
    """The text of a model file; `.text` changes with each edit."""

    def __init__(self, text: str) -> None:
        self._text, self._root = "", None
        self.text = text

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            _require_shallow(text, loader)
            root = yaml.compose(text, Loader=loader)
            if root is not None and "*" in text and _size(root, {}, frozenset()) > MAX_REPEATED:
                raise ModelError(f"the aliases of the text stand for more than {MAX_REPEATED} entries")
        except (yaml.YAMLError, RecursionError) as error:
            problem = " ".join(str(getattr(error, "problem", "") or "it is not valid").split())
            mark = getattr(error, "problem_mark", None)
            place = f" in line {mark.line + 1}" if mark is not None else ""
            raise ModelError(f"the text is not YAML{place}: {problem}") from None
        if root is not None and not isinstance(root, yaml.MappingNode):
            raise ModelError("a model file must be a mapping of names to values")
        self._text, self._root = text, root

    @property
    def is_json(self) -> bool:
        return self._text.lstrip().startswith("{")

    # --- reading ---------------------------------------------------------------------------------------------------

    def has(self, *path: str | int) -> bool:
        return self._find(path) is not None

    def keys(self, *path: str | int) -> list[str]:
        """The names of a mapping in order; empty if there is no mapping."""
        node = self._find(path)
        return [str(key.value) for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []

    def data(self, *path: str | int) -> Any:
        """A part as lists, dictionaries and text, as it is written; None if it is missing or empty."""
        node = self._find(path)
        return None if node is None else _data(node)

    def source(self, *path: str | int) -> str:
        """The characters of a value; "" if it is missing."""
        node = self._find(path)
        return "" if node is None else self._text[node.start_mark.index : _end(node)]

    def _find(self, path: Path) -> Any:
        node: Any = self._root
        for key in path:
            pair = _entry(node, key)
            if pair is None:
                return None
            node = pair[1]
        return node

    # --- changes ---------------------------------------------------------------------------------------------------

    def put(self, path: Path, value: object) -> None:
        """Replace a value, or add it with the sections around it."""
        *above, key = path
        parent = self._parent(above)
        pair = _entry(parent, key)
        if pair is not None and not _empty(pair[1]):
            self._reject_alias(parent, pair)
            start, end = pair[1].start_mark.index, _end(pair[1])
            inside = not isinstance(parent, yaml.MappingNode) or parent.flow_style
            block = isinstance(pair[1], yaml.CollectionNode) and not pair[1].flow_style
            text = self._written(value, flat=bool(inside))
            if block and not inside:  # a block under its name becomes one line, or stays a block
                start = _end(pair[0]) + self._text[_end(pair[0]) : start].index(":") + 1
                text = f" {text}"
            return self._splice(start, end, text)
        if pair is not None:
            colon = self._text.index(":", _end(pair[0])) + 1
            return self._splice(colon, colon, f" {self._written(value)}")
        self._add(parent, above, str(key), value)

    def drop(self, path: Path) -> None:
        """Remove an entry; a section that becomes empty is removed with it."""
        *above, key = path
        parent = self._find(above)
        pair = _entry(parent, key)
        if pair is None:
            return
        self._reject_alias(parent, pair)
        if len(parent.value) == 1 and above:
            return self.drop(above)
        start = pair[0].start_mark.index if isinstance(parent, yaml.MappingNode) else pair[1].start_mark.index
        end = _end(pair[1])
        if parent.flow_style:
            return self._splice(*self._with_comma(start, end), "")
        begin = self._text.rfind("\n", 0, start) + 1
        stop = self._text.find("\n", end)
        first = self._text[begin:start].strip(" -")
        self._splice(start if first else begin, len(self._text) if stop < 0 else stop + 1, "")

    def rename(self, path: Path, name: str) -> None:
        """Give an entry of a mapping another name."""
        *above, key = path
        pair = _entry(self._find(above), key)
        if pair is None:
            raise ModelError(f"there is no '{key}' to rename")
        self._splice(pair[0].start_mark.index, _end(pair[0]), self._name(name))

    def append(self, path: Path, value: object) -> None:
        """Add an item at the end of a list."""
        node = self._find(path)
        if node is None or _empty(node):
            return self.put(path, [value])
        if not isinstance(node, yaml.SequenceNode):
            return self.put(path, [_data(node), value])
        text = self._written(value, flat=bool(node.flow_style))
        if not node.value:
            return self._splice(node.start_mark.index, _end(node), f"[{text}]")
        end = _end(node.value[-1])
        if node.flow_style:
            return self._splice(end, end, f", {text}")
        first = node.value[0].start_mark
        dash = self._text.rfind("-", 0, first.index)
        indent = dash - (self._text.rfind("\n", 0, dash) + 1)
        self._splice(self._line_end(end), self._line_end(end), f"\n{' ' * indent}- {text}")

    # ---------------------------------------------------------------------------------------------------------------

    def _parent(self, above: Path) -> Any:
        """The mapping or list of an entry; missing sections are added."""
        if self._root is None:
            self.text = "cardan: 1\n"
        for depth in range(1, len(above) + 1):
            node = self._find(above[:depth])
            if node is None or _empty(node):
                self.put(above[:depth], {})
        node = self._find(above)
        if not isinstance(node, yaml.CollectionNode):
            raise ModelError(f"'{above[-1]}' has no entries that could be changed: {self.source(*above)}")
        return node

    def _add(self, parent: Any, above: Path, key: str, value: object) -> None:
        if not isinstance(parent, yaml.MappingNode):
            raise ModelError(f"{'.'.join(map(str, above))} has no entry {key}")
        if parent.flow_style:
            text = f"{self._name(key)}: {self._written(value, flat=True)}"
            if not parent.value:
                if above and not self.is_json and len(above) == 1:  # a section gets one line per element
                    return self._begin_block(above, key, value)
                return self._splice(parent.start_mark.index, _end(parent), f"{{{text}}}")
            end = _end(parent.value[-1][1])
            wide = self.is_json and "\n" in self._text[parent.start_mark.index : end]
            column = parent.value[0][0].start_mark.column
            return self._splice(end, end, f",\n{' ' * column}{text}" if wide else f", {text}")
        column = parent.value[0][0].start_mark.column
        text = f"{' ' * column}{self._name(key)}: {self._written(value)}"
        before = [pair for pair in parent.value if not above and _rank(pair[0].value) > _rank(key)]
        if before:  # sections have a usual order
            at = self._text.rfind("\n", 0, before[0][0].start_mark.index) + 1
            if before[0][0] is parent.value[0][0]:
                return self._splice(at, at, f"{text}\n")
            last = parent.value[[p[0] for p in parent.value].index(before[0][0]) - 1]
            at = self._line_end(_end(last[1]))
            return self._splice(at, at, f"\n{text}")
        at = self._line_end(_end(parent.value[-1][1]))
        self._splice(at, at, f"\n{text}")

    def _begin_block(self, above: Path, key: str, value: object) -> None:
        pair = _entry(self._root, above[0])
        assert pair is not None
        colon = self._text.index(":", _end(pair[0])) + 1
        self._splice(colon, _end(pair[1]), f"\n  {self._name(key)}: {self._written(value)}")

    def _with_comma(self, start: int, end: int) -> tuple[int, int]:
        """The range of an entry between brackets with the comma that separates it."""
        after = end
        while self._text[after] in " \t\r\n":
            after += 1
        if self._text[after] == ",":
            after += 1
            while self._text[after] in " \t\r\n":
                after += 1
            return start, after
        before = start
        while self._text[before - 1] in " \t\r\n":
            before -= 1
        return (before - 1 if self._text[before - 1] == "," else before), end

    def _reject_alias(self, parent: Any, pair: Any) -> None:
        """An alias stands for a part elsewhere in the file: changing that would change both."""
        lower = pair[0].start_mark.index if isinstance(parent, yaml.MappingNode) else parent.start_mark.index
        if not lower <= pair[1].start_mark.index <= _end(parent):
            raise ModelError(f"'{pair[0].value}' is an alias of another part of the file: change it in the file")

    def _line_end(self, index: int) -> int:
        stop = self._text.find("\n", index)
        return len(self._text) if stop < 0 else stop

    def _written(self, value: object, flat: bool = True) -> str:
        return json.dumps(value, ensure_ascii=False) if self.is_json else flow(value)

    def _name(self, name: str) -> str:
        return json.dumps(name, ensure_ascii=False) if self.is_json else scalar(name)

    def _splice(self, start: int, end: int, text: str) -> None:
        self.text = self._text[:start] + text + self._text[end:]


def _require_shallow(text: str, loader: Any) -> None:
    """Reject deep nesting, at which composing would exhaust the stack of the interpreter."""
    opening = sum(text.count(mark) for mark in ("[", "{", "- ", "-\t", "? ", "?\t"))
    indent = max((len(line) - len(line.lstrip()) for line in text.splitlines()), default=0)
    if opening + indent <= SHALLOW:
        return
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_LEVELS:
            line = event.start_mark.line + 1
            raise ModelError(f"the text is nested in more than {MAX_LEVELS} levels in line {line}")


def _size(node: Node, known: dict[int, int], above: frozenset[int]) -> int:
    """The number of entries of a node, with those that aliases repeat."""
    if id(node) in above:
        raise ModelError(f"the part of the text in line {node.start_mark.line + 1} is an alias of itself")
    if id(node) not in known:
        pairs = isinstance(node, yaml.MappingNode)
        inner = [part for pair in node.value for part in pair] if pairs else node.value
        parts = inner if isinstance(node, yaml.CollectionNode) else ()
        known[id(node)] = 1 + sum(_size(part, known, above | {id(node)}) for part in parts)
    return known[id(node)]


def _rank(key: str) -> int:
    return ORDER.index(key) if key in ORDER else -1


def _entry(node: Node, key: str | int) -> tuple[Any, Any] | None:
    """Name and value of an entry."""
    if isinstance(node, yaml.MappingNode):
        return next(((name, value) for name, value in node.value if name.value == str(key)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and 0 <= key < len(node.value):
        return node.value[key], node.value[key]
    return None


def _empty(node: Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style is None and node.value in ("", "null", "~")


def _end(node: Node) -> int:
    """Where the characters of a node end; the mark of a block is behind the comments that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        if isinstance(last, tuple):
            return max(_end(last[0]), _end(last[1]))
        return _end(last)
    return int(node.end_mark.index)


def _data(node: Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _data(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_data(item) for item in node.value]
    return None if _empty(node) else node.value
