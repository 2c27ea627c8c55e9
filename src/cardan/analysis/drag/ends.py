"""Limits of dragging: ends of stops, and gaps of contacts that must not close further.

      o ---> |           z <= upper, z >= lower       a stop
     hand    | end       gap >= 0                     impacts, contacts, tires on their roads

Each is an equation z = end that is engaged when a step would pass it, and released when the hand pulls away from it.
A measure that starts beyond its end, such as the deflection of a tire, has its initial value as its end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import quantity
from cardan.elements.constraints.switchable import SwitchedConstraint
from cardan.elements.contact.impact import Impact
from cardan.elements.forces.stop import Stop
from cardan.model.model import Model
from cardan.model.surfaces.surface_pair import SurfacePair
from cardan.system.system import System

STOP_TOLERANCE = 1e-9  # relative to the model's length, or rad


@dataclass
class End:
    """A limit of a measure, the equation that holds it there, and its index in a system."""

    element: Any
    held: SwitchedConstraint
    lower: float
    upper: float
    row: int = -1


class Ends:
    """The ends of a model, in the rows of a system that has them."""

    def __init__(self, model: Model) -> None:
        self.ends = [end for element in model if (end := _end_of(element)) is not None]

    @property
    def rows(self) -> list[SwitchedConstraint]:
        return [end.held for end in self.ends]

    def bind(self, system: System, phi: np.ndarray) -> None:
        """Set the rows of a system; `phi` holds its initial errors."""
        self.system = system
        for end in self.ends:
            end.row = int(system.rows_of(end.held)[0])
            value = float(phi[end.row] + system.rows.offset[end.row])
            end.lower, end.upper = min(end.lower, value), max(end.upper, value)

    def engage(self, phi: np.ndarray, active: np.ndarray) -> bool:
        """Engage the ends that a position, with errors `phi`, has passed. Returns whether there were any."""
        offset, found = self.system.rows.offset, False
        for end in self.ends:
            if not active[end.row]:
                value, room = float(phi[end.row] + offset[end.row]), STOP_TOLERANCE * self.system.rows.scale[end.row]
                if value < end.lower - room or value > end.upper + room:
                    offset[end.row] = end.lower if value < end.lower else end.upper
                    active[end.row], found = 1, True
        return found

    def release(self, push: np.ndarray, active: np.ndarray) -> bool:
        """Release ends from which the hand pulls away, given its force along each row. Returns whether there were
        any."""
        found = False
        for end in self.ends:
            upper = self.system.rows.offset[end.row] == end.upper
            if active[end.row] and (push[end.row] < 0.0 if upper else push[end.row] > 0.0):
                active[end.row], found = 0, True
        return found

    def words(self, active: np.ndarray) -> str:
        """A description of the ends that stop the mechanism; "" if there are none."""
        limits = []
        for end in self.ends:
            if active[end.row]:
                value = quantity(float(self.system.rows.offset[end.row]), self.system.equations[end.row].unit)
                limits.append(
                    f"'{end.element.name}' stops it" + (f" at {value}" if isinstance(end.element, Stop) else "")
                )
        return " and ".join(limits[:3])


def _end_of(element: Any) -> End | None:
    touch = getattr(element, "pair", getattr(element, "touch", None))
    if isinstance(element, Stop):
        low = -math.inf if element.lower is None else float(element.lower)
        high = math.inf if element.upper is None else float(element.upper)
        measure = element.measure
    elif isinstance(element, Impact):
        measure, low, high = element.measure, float(element.below), math.inf
    elif isinstance(touch, SurfacePair):
        measure, low, high = touch.gap, 0.0, math.inf
    else:
        return None
    held = SwitchedConstraint(measure, "end")
    object.__setattr__(held, "name", element.name)
    return End(element, held, low, high)
