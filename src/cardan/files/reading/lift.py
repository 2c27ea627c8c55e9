"""Where a planar model lies in space: the section `lift` of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cardan.files.faults import near, told
from cardan.files.text.nodes import List, Map, Node, Scalar

if TYPE_CHECKING:
    from cardan.files.reading.values import Reader

ROLES = {"origin": "numbers(length)", "x": "numbers(1)", "z": "numbers(1)"}


def read_lift(reader: Reader, node: Node | None) -> dict[str, Any] | None:
    """What `lift` says, None where the model stays in its plane."""
    if node is None or (isinstance(node, Scalar) and node.text == "false"):
        return None
    if reader.shared.size == 3:
        reader.faults.add(node, "C105", "a spatial model cannot be lifted: it lies in space", "leave lift out")
        return None
    if isinstance(node, Scalar) and node.text == "true":
        return {}
    if not isinstance(node, Map):
        reader.faults.add(node, "C107", "lift must be true, or a mapping", "write lift: {z: [0, -1, 0]}")
        return None
    found = {}
    for name, item in node.items.items():
        if name not in ROLES:
            reader.faults.add(node.keys[name], "C105", f"lift has no {told(name)}", near(name, ROLES))
        elif not isinstance(item, List) or len(item.items) != 3:
            reader.faults.add(item, "C107", f"{name} of lift must be a list of 3 numbers")
        else:
            found[name] = reader.read(ROLES[name], item, f"{name} of lift")
    return found
