"""Markers as a file states them.

crank                                    the origin of a body
crank@(0.1, 0)                           a point of its frame; in the plane also angle= or toward=
crank@(0, 0, 1, z=(1, 0, 0))             in space with axes x=, y=, z=, or with orientation=
crank@tip                                a marker that the body names under `markers`
{crank: [0.1, 0]}                        the same as a mapping
{body: crank, at: [0.1, 0], angle: 30 deg}
{body: crank, world: [0.3, 0.1]}         a point of the world, where the body is stated
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import near, told
from cardan.files.reading import parsed as stated
from cardan.files.text.grammar import At, Call, Word
from cardan.files.text.nodes import List, Map, Node, Scalar

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

AXES = {
    "planar": {"angle": "number(angle)", "toward": "point(length)"},
    "spatial": {"x": "point(1)", "y": "point(1)", "z": "point(1)", "orientation": "orientation"},
}
POINTS = {"P": "point(length)", "Q": "point(length)", "R": "point(length)", "axes": "text"}  # the books' way, in space


def read_marker(reader: Reader, node: Node, what: str) -> Any:
    """A marker, or None with a fault."""
    if isinstance(node, Scalar):
        exact = reader.scope.element([node.text])  # a name may have signs in it
        if exact is not None and not exact[1]:
            return _at_origin(reader, Word(node, node.column, (node.text,)))
    tree = reader.tree(node)
    if isinstance(tree, Word):
        return _named(reader, tree)
    if isinstance(tree, At):
        return _at(reader, tree, what)
    if isinstance(tree, Map):
        return _mapped(reader, tree, what)
    if tree is not None:
        reader.faults.add(node, "C107", f"{what} must be a marker", "write crank@(0.1, 0), or {crank: [0.1, 0]}")
    return None


def _named(reader: Reader, word: Word) -> Any:
    found = reader.scope.element(word.parts)
    if found is not None and not found[1]:
        return _at_origin(reader, word)
    return known_marker(reader, reader.scope.full(word.text), word, word.text)


def _at_origin(reader: Reader, word: Word) -> Any:
    body = reader.scope.body(word)
    return None if body is None else _made(reader, body, "at", {}, word)


def known_marker(reader: Reader, key: str, node: Node, name: str) -> Any:
    """A marker that is stated under a name elsewhere, read where it is stated."""
    shared = reader.shared
    if key not in shared.markers:
        scope, own = reader.scope, key.partition("@")[0]
        known = [k.partition("@")[2] for k in shared.markers if k.startswith(f"{own}@")] if "@" in key else None
        if known is None:
            markers = [k.removeprefix(scope.prefix) for k in shared.markers if "@" not in k]
            scope.unknown(node, name, "body or marker", [*scope.own_bodies(), *markers])
        else:
            sentence = f"body {told(own)} has no marker called {told(name)}"
            reader.faults.add(node, "C201", sentence, near(name, known, "state it under its markers"))
        return None
    stated_at, scope = shared.markers[key]
    if key in scope.open:
        reader.faults.add(node, "C203", f"the marker {told(name)} leads to itself")
        return None
    scope.open.append(key)
    try:
        inner = type(reader)(scope)
        if "@" not in key:
            return read_marker(inner, stated_at, f"marker '{name}'")
        return _on_body(inner, key.partition("@")[0], stated_at, f"marker '{name}'")
    finally:
        scope.open.pop()


def _at(reader: Reader, tree: At, what: str) -> Any:
    body = reader.scope.body(tree.body)
    if body is None:
        return None
    if isinstance(tree.stated, str):
        return known_marker(reader, f"{body}@{tree.stated}", tree, tree.stated)
    return _called(reader, body, tree.stated, what)


def _called(reader: Reader, body: str, call: Call, what: str) -> Any:
    size, point = reader.shared.size, List(call.path, call.line, call.column)
    point.items = list(call.listed)
    if len(point.items) == 1 and isinstance(point.items[0], List):
        point = point.items[0]
    if size == 2 and len(point.items) == 3 and "angle" not in call.named:  # (x, y, angle), as body.at takes it
        call.named["angle"] = point.items.pop()
    named: dict[str, Node] = dict(call.named)
    if point.items:
        named["at"] = point
    return _stated(reader, body, named, call, what)


def _mapped(reader: Reader, node: Map, what: str) -> Any:
    stated_body = isinstance(node.items.get("body"), Scalar)  # else there may be a body called 'body'
    if not stated_body and len(node.items) == 1:
        (name, value), (_, key) = *node.items.items(), *node.keys.items()
        body = reader.scope.body(Word(key, key.column, _parts(reader, name)))
        return None if body is None else _on_body(reader, body, value, what)
    named = dict(node.items)
    word = named.pop("body", None)
    if not isinstance(word, Scalar):
        hint = "write {crank: [0.1, 0]}, or with more than a point {body: crank, at: [0.1, 0, 0], z: [0, 1, 0]}"
        reader.faults.add(node, "C106", f"{what} lacks the body of the marker", hint)
        return None
    body = reader.scope.body(Word(word, word.column, _parts(reader, word.text)))
    return None if body is None else _stated(reader, body, named, node, what)


def _parts(reader: Reader, name: str) -> tuple[str, ...]:
    """A name as it stands if there is such an element, else at its dots."""
    return (name,) if reader.scope.full(name) in reader.shared.types else tuple(name.split("."))


def _on_body(reader: Reader, body: str, node: Node, what: str) -> Any:
    """What follows the name of a body: a point, the name of one of its markers, or more."""
    if isinstance(node, Scalar) and f"{body}@{node.text}" in reader.shared.markers:
        return known_marker(reader, f"{body}@{node.text}", node, node.text)
    tree = reader.tree(node)
    if isinstance(tree, Map):
        return _stated(reader, body, dict(tree.items), tree, what)
    if isinstance(tree, List):
        call = Call(tree, tree.column, body)
        call.listed = list(tree.items)
        return _called(reader, body, call, what)
    if isinstance(tree, Word):
        return known_marker(reader, f"{body}@{tree.text}", tree, tree.text)
    if tree is not None:
        reader.faults.add(node, "C107", f"{what} must be a point, [0.1, 0] for example")
    return None


def _stated(reader: Reader, body: str, named: dict[str, Node], node: Node, what: str) -> Any:
    space = reader.shared.space
    known = {"at": "point(length)", "world": "point(length)", **AXES[space]}
    way = "world" if "world" in named else "at"
    if space == "spatial" and any(name in named for name in "PQR"):
        known, way = dict(POINTS), "marker"
    if "world" in named and "at" in named:
        reader.faults.add(node, "C105", f"{what} takes at or world, not both")
        return None
    found = {}
    for name, item in named.items():
        if name not in known:
            reader.faults.add(item, "C105", f"a marker has no {told(name)}", near(name, known))
            return None
        found[name] = reader.read(known[name], item, f"{name} of {what}")
    return None if any(value is None for value in found.values()) else _made(reader, body, way, found, node)


def _made(reader: Reader, body: str, way: str, arguments: dict[str, Any], node: Node) -> stated.MarkerAt:
    pose = reader.scope.pose if body == "ground" or way == "world" else None
    return stated.MarkerAt(body, way, arguments, node, pose)
