"""A position of rest in the making: where the mechanism stands, the turns of its angles, and what acts there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.analysis.assemble import CLOSED
from cardan.analysis.nearest import Closing
from cardan.analysis.statics import Point, Statics
from cardan.errors import SimulationError


@dataclass
class Place:
    """A closed position, evaluated."""

    q: np.ndarray
    reference: np.ndarray
    point: Point

    @property
    def imbalance(self) -> float:
        """The largest force left over, relative to the largest force that acts, or is carried by a joint."""
        point = self.point
        size = max(point.size, float(np.abs(point.multipliers).max(initial=0.0)))
        return float(np.abs(point.residual).max(initial=0.0)) / size if size else 0.0


class Ways:
    """Moves places of a mechanism, joints closed."""

    def __init__(self, statics: Statics, tolerance: float = CLOSED) -> None:
        system = statics.system
        self.statics, self.system = statics, system
        self.closing = Closing(system, statics.time, system.weights, statics.active)
        self.tolerance = max(tolerance, system.rounding)

    def start(self, q: np.ndarray, reference: np.ndarray) -> Place:
        """The place of an assembled position. What redundant joints miss there, they may miss everywhere; forces are
        compared with those that act there, as springs may all be at rest in the end."""
        place = Place(q, reference, self.statics.at(q, reference))
        self.statics.usual = place.point.size
        self.tolerance = max(self.tolerance, 2.0 * float(np.abs(place.point.phi).max(initial=0.0)))
        return place

    def moved(self, place: Place, step: np.ndarray) -> Place | None:
        """The place after a scaled step, reclosed; None where the joints do not close or a force has no value."""
        q, reference = self.statics.moved(place.q, step), place.reference.copy()
        q, error, status = self.closing.close(q, reference, 0.01 * self.tolerance)
        if status or not error <= self.tolerance:
            return None
        try:
            point = self.statics.at(q, reference)
        except SimulationError:
            return None
        reference[:] = point.z
        return Place(q, reference, point)
