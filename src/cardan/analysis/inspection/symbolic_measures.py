"""Measures as SymPy expressions of the frames of their markers.

| | |
|---|---|
| coordinate | component of r_b, or of r_b - r_a, along a global axis |
| component  | along an axis of a                                       |
| length     | sqrt(d . d)                                              |
| dot        | of two axes                                              |
| angle, bearing | atan2, on the turn of the principal value            |
| tilt       | asin of a dot product                                    |
"""

from __future__ import annotations

from typing import Any

from cardan.analysis.inspection.symbolic_frames import Frame, composed, matrix, number
from cardan.errors import ModelError
from cardan.model.marker import Marker
from cardan.model.measure import Measure
from cardan.system.system import System

KINDS = ("coordinate", "component", "length", "dot", "angle", "bearing", "tilt")


class MeasureExpressions:
    """Values of measures for given frames of bodies."""

    def __init__(self, system: System, frames: list[Frame]) -> None:
        self.system, self.frames = system, frames
        self.known: dict[int, Frame] = {}

    def combination(self, terms: tuple[tuple[float, Measure], ...], owner: str) -> Any:
        """Sum of c z."""
        import sympy as sp

        return sum((number(c) * self.value(measure, owner) for c, measure in terms), sp.Integer(0))

    def value(self, measure: Measure, owner: str) -> Any:
        """z; `owner` is what needs it, for messages."""
        import sympy as sp

        if measure.kind not in KINDS or not all(type(marker).__name__ == "Marker" for marker in measure.markers()):
            raise ModelError(
                f"{owner} uses {measure}, which symbolic_equations() does not support; it supports {', '.join(KINDS)} "
                "of markers on rigid bodies"
            )
        axes_b, b = self._frame(measure.b)
        if measure.a is None:
            return b["xyz".index(measure.axes)]
        axes_a, a = self._frame(measure.a)
        d = b - a
        if measure.kind == "coordinate":
            return d["xyz".index(measure.axes)]
        if measure.kind == "length":
            return sp.sqrt(sum(c**2 for c in d))
        if measure.kind == "component":
            return axes_a[:, "xyz".index(measure.axes)].dot(d)
        if measure.kind in ("dot", "tilt"):
            first, second = ("xyz".index(axis) for axis in measure.axes)
            product = axes_a[:, first].dot(axes_b[:, second])
            return product if measure.kind == "dot" else sp.asin(product)
        about, zero, of = ("xyz".index(axis) for axis in measure.axes or "zxx")
        quarter = axes_a[:, about].cross(axes_a[:, zero])
        seen = axes_b[:, of] if measure.kind == "angle" else d
        return sp.atan2(quarter.dot(seen), axes_a[:, zero].dot(seen))

    def _frame(self, marker: Marker) -> Frame:
        if id(marker) not in self.known:
            axes, place = self.system.space.marker_in_space(marker)
            body = self.frames[self.system.number[id(marker.body)]]
            self.known[id(marker)] = composed(body, (matrix(axes), matrix(place)))
        return self.known[id(marker)]
