"""Lifted models: a planar model placed in a plane of space, where it moves identically.

    space: planar
    lift: {origin: [0, 0, 300 mm], x: [1, 0, 0], z: [0, -1, 0]}       or lift: true, the xy plane

Outputs and analyses of the file state measures, signals and elements of the planar model; they are replaced by those of
the lifted model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardan.files.building.build import Builder


class Lifted:
    """The lifted model, and its counterparts of objects of the planar model."""

    def __init__(self, builder: Builder, place: dict[str, Any]) -> None:
        from cardan.spatial.lifting import laid

        self.flat = builder.model
        self.model, self.plane = laid(builder.model, **place)  # type: ignore[arg-type]

    def value(self, value: Any) -> Any:
        """The counterpart of an element, a measure, a signal or an event; other values are unchanged."""
        from cardan.analysis.forward.events.event import Event
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
