"""A planar model file that asks to be lifted: its model lies in a plane of space, and moves there identically.

    space: planar
    lift: {origin: [0, 0, 300 mm], x: [1, 0, 0], z: [0, -1, 0]}       or lift: true, the xy plane

The file goes on to speak of the plane: the measures, signals and elements that its outputs and analyses name become
those of the lifted model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cardan.files.faults import near, told
from cardan.files.nodes import List, Map, Node, Scalar

if TYPE_CHECKING:
    from cardan.files.build import Builder
    from cardan.files.values import Reader

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


class Lifted:
    """The model of a file in space, and what the objects of the planar one are there."""

    def __init__(self, builder: Builder, place: dict[str, Any]) -> None:
        from cardan.spatial.lift import laid

        self.flat = builder.model
        self.model, self.plane = laid(builder.model, **place)  # type: ignore[arg-type]

    def value(self, value: Any) -> Any:
        """An element, a measure, a signal or an event of the plane as that of space; all else as it is."""
        from cardan.analysis.forward.event import Event
        from cardan.model.device import Signal
        from cardan.model.element import Element
        from cardan.model.measure import Readable

        if isinstance(value, Element):
            return self.model.ground if value is self.flat.ground else self.model[value.name]
        if isinstance(value, Readable):
            return self.plane.readable(value)
        if isinstance(value, Signal):
            return self.plane.signal(value)
        if isinstance(value, Event):
            return replace(value, what=self.value(value.what), of=self.value(value.of))
        if isinstance(value, dict):
            return {self.value(key): self.value(item) for key, item in value.items()}
        return tuple(self.value(item) for item in value) if type(value) in (tuple, list) else value
