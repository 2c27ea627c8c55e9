"""A planar model file that asks to be lifted: its model lies in a plane of space, and moves there identically.

    space: planar
    lift: {origin: [0, 0, 300 mm], x: [1, 0, 0], z: [0, -1, 0]}       or lift: true, the xy plane

The file goes on to speak of the plane: the measures, signals and elements that its outputs and analyses name become
those of the lifted model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardan.files.building.build import Builder


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
