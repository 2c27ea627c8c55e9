"""Reading `lift`: the plane of space in which a planar model is placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import FaultError, did_you_mean, short_repr
from cardan.files.text.nodes import List, Map, Scalar, TextNode

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

KINDS = {"origin": "numbers(length)", "x": "numbers(1)", "z": "numbers(1)"}


def read_lift(reader: Reader, node: TextNode | None) -> dict[str, Any] | None:
    """The arguments of `lift`; None if the model stays in its plane."""
    if node is None or (isinstance(node, Scalar) and node.text == "false"):
        return None
    if reader.shared.size == 3:
        raise FaultError(node, "C105", "a spatial model cannot be lifted", "omit lift")
    if isinstance(node, Scalar) and node.text == "true":
        return {}
    if not isinstance(node, Map):
        raise FaultError(node, "C107", "lift must be true or a mapping", "write lift: {z: [0, -1, 0]}")
    found = {}
    for name, item in node.items.items():
        with reader.faults.collect():
            if name not in KINDS:
                hint = did_you_mean(name, KINDS)
                raise FaultError(node.keys[name], "C105", f"lift has no {short_repr(name)}", hint)
            if not isinstance(item, List) or len(item.items) != 3:
                raise FaultError(item, "C107", f"{name} of lift must be a list of 3 numbers")
            found[name] = reader.read(KINDS[name], item, f"{name} of lift")
    return found
