"""Points of interest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cardan.model.element import Element


@dataclass(frozen=True, eq=False)
class Point(Element):
    """A point of interest: a marker with a name, for tables, plots and pictures. `trace=True` draws its path."""

    marker: Any
    trace: bool = True

    def bodies(self) -> tuple[Any, ...]:
        return (self.marker.body,)
