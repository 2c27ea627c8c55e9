"""Reading markers.

crank                                    the origin of a body
crank@(0.1, 0)                           a point in its frame; in the plane also angle= or toward=
crank@(0, 0, 1, z=(1, 0, 0))             in space with axes x=, y=, z=, or with orientation=
crank@tip                                a marker that the body names under `markers`
{crank: [0.1, 0]}                        the same as a mapping
{body: crank, at: [0.1, 0], angle: 30 deg}
{body: crank, world: [0.3, 0.1]}         a point in the global frame, for the stated position of the body
blade@tip, blade@(tip, angle=30 deg)     an interface of a flexible body; {blade: tip}, {body: blade, at: tip, ...}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import FaultError, did_you_mean, short_repr
from cardan.files.reading import parsed
from cardan.files.text.grammar import At, Word
from cardan.files.text.nodes import List, Map, Scalar, TextNode

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

AXES = {
    "planar": {"angle": "number(angle)", "toward": "point(length)"},
    "spatial": {"x": "point(1)", "y": "point(1)", "z": "point(1)", "orientation": "orientation"},
}
POINTS = {"P": "point(length)", "Q": "point(length)", "R": "point(length)", "axes": "text"}  # three points, in space


def read_marker(reader: Reader, node: TextNode, what: str) -> Any:
    """A marker."""
    if isinstance(node, Scalar):
        exact = reader.scope.element([node.text])  # a name may contain signs
        if exact is not None and not exact[1]:
            return _at_origin(reader, Word(node, node.column, (node.text,)))
    tree = reader.tree(node)
    if isinstance(tree, Word):
        found = reader.scope.element(tree.parts)
        if found is not None and not found[1]:
            return _at_origin(reader, tree)
        return _named_marker(reader, reader.scope.full(tree.text), tree, tree.text)
    if isinstance(tree, At):
        body = reader.scope.body(tree.body)
        if isinstance(tree.point, str):
            return _named_marker(reader, f"{body}@{tree.point}", tree, tree.point)
        return _at_point(reader, body, tree.point.listed, tree.point.named, tree.point, what)
    if isinstance(tree, Map):
        return _mapped(reader, tree, what)
    raise FaultError(node, "C107", f"{what} must be a marker", "write crank@(0.1, 0), or {crank: [0.1, 0]}")


def _at_origin(reader: Reader, word: Word) -> Any:
    return _marker(reader, reader.scope.body(word), "at", {}, word)


def _named_marker(reader: Reader, key: str, node: TextNode, name: str) -> Any:
    """A marker that is defined elsewhere, read in the scope of its definition."""
    shared, scope = reader.shared, reader.scope
    if key not in shared.markers:
        body, at, _ = key.partition("@")
        if at and _is_flexible(reader, body):
            return _marker(reader, body, "at", {"at": name}, node)
        if not at:
            markers = [k.removeprefix(scope.prefix) for k in shared.markers if "@" not in k]
            raise scope.unknown(node, name, "body or marker", [*scope.own_bodies(), *markers])
        known = [k.partition("@")[2] for k in shared.markers if k.startswith(f"{body}@")]
        hint = did_you_mean(name, known, "define it under the markers of the body")
        raise FaultError(node, "C201", f"body {short_repr(body)} has no marker called {short_repr(name)}", hint)
    definition, own = shared.markers[key]
    if key in own.open:
        raise FaultError(node, "C203", f"the marker {short_repr(name)} refers to itself")
    own.open.append(key)
    try:
        inner = type(reader)(own)
        if "@" not in key:
            return read_marker(inner, definition, f"marker '{name}'")
        return _on_body(inner, key.partition("@")[0], definition, f"marker '{name}'")
    finally:
        own.open.pop()


def _at_point(
    reader: Reader, body: str, listed: list[TextNode], named: dict[str, TextNode], node: TextNode, what: str
) -> parsed.Marker:
    """body@(0.1, 0), or (x, y, angle) in the plane, as `body.at` takes it."""
    point = listed[0].items if len(listed) == 1 and isinstance(listed[0], List) else listed
    named = dict(named)
    if len(point) == 1 and isinstance(point[0], Word) and _is_flexible(reader, body):
        return _with_axes(reader, body, {"at": point[0], **named}, node, what)
    if reader.shared.size == 2 and len(point) == 3 and "angle" not in named:
        named["angle"], point = point[2], point[:2]
    if point:
        named["at"] = List(node.path, node.line, node.column, point)
    return _with_axes(reader, body, named, node, what)


def _mapped(reader: Reader, node: Map, what: str) -> Any:
    stated = isinstance(node.items.get("body"), Scalar)  # otherwise a body may be called 'body'
    if not stated and len(node.items) == 1:
        (name, value), (_, key) = *node.items.items(), *node.keys.items()
        return _on_body(reader, reader.scope.body(Word(key, key.column, _parts(reader, name))), value, what)
    named = dict(node.items)
    word = named.pop("body", None)
    if not isinstance(word, Scalar):
        hint = "write {crank: [0.1, 0]}, or with axes {body: crank, at: [0.1, 0, 0], z: [0, 1, 0]}"
        raise FaultError(node, "C106", f"{what} needs the body of the marker", hint)
    body = reader.scope.body(Word(word, word.column, _parts(reader, word.text)))
    return _with_axes(reader, body, named, node, what)


def _parts(reader: Reader, name: str) -> tuple[str, ...]:
    """The whole name if there is such an element, otherwise its parts between dots."""
    return (name,) if reader.scope.full(name) in reader.shared.types else tuple(name.split("."))


def _on_body(reader: Reader, body: str, node: TextNode, what: str) -> Any:
    """The value after the name of a body: a point, the name of a marker, or a mapping."""
    if isinstance(node, Scalar) and f"{body}@{node.text}" in reader.shared.markers:
        return _named_marker(reader, f"{body}@{node.text}", node, node.text)
    if _names_interface(reader, body, node):
        return _with_axes(reader, body, {"at": node}, node, what)
    tree = reader.tree(node)
    if isinstance(tree, Map):
        return _with_axes(reader, body, dict(tree.items), tree, what)
    if isinstance(tree, List):
        return _at_point(reader, body, tree.items, {}, tree, what)
    if isinstance(tree, Word):
        return _named_marker(reader, f"{body}@{tree.text}", tree, tree.text)
    raise FaultError(node, "C107", f"{what} must be a point, [0.1, 0] for example")


def _with_axes(reader: Reader, body: str, named: dict[str, TextNode], node: TextNode, what: str) -> parsed.Marker:
    space = reader.shared.space
    known = {"at": "point(length)", "world": "point(length)", **AXES[space]}
    method = "world" if "world" in named else "at"
    if space == "spatial" and any(name in named for name in "PQR"):
        known, method = dict(POINTS), "marker"
    if "world" in named and "at" in named:
        raise FaultError(node, "C105", f"{what} takes at or world, not both")
    for name in named.keys() - known.keys():
        raise FaultError(named[name], "C105", f"a marker has no {short_repr(name)}", did_you_mean(name, known))
    if "at" in named and _names_interface(reader, body, named["at"]):
        known["at"] = "text"
    values = reader.faults.each(lambda name: reader.read(known[name], named[name], f"{name} of {what}"), named)
    return _marker(reader, body, method, dict(zip(named, values, strict=True)), node)


def _marker(reader: Reader, body: str, method: str, arguments: dict[str, Any], node: TextNode) -> parsed.Marker:
    pose = reader.scope.pose if body == "ground" or method == "world" else None
    return parsed.Marker(body, method, arguments, node, pose)


def _is_flexible(reader: Reader, body: str) -> bool:
    return reader.shared.types[body].name == "flexible_body"


def _names_interface(reader: Reader, body: str, node: TextNode) -> bool:
    """Whether a value is the name of an interface of a flexible body, and not a point."""
    named = isinstance(node, Word) or (isinstance(node, Scalar) and not node.text.lstrip().startswith(("(", "[")))
    return named and _is_flexible(reader, body)
