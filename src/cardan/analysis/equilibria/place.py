"""A position in the search for an equilibrium, with the turns of its angles and its forces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.nearest import Closing
from cardan.analysis.equilibria.statics import StaticPoint, Statics
from cardan.errors import SimulationError

ALMOST = 1e-9  # imbalance at which a search stopped by rounding counts as converged
BISECTIONS = 40  # bisections of a step in which a gap closes


@dataclass
class Place:
    """A closed position, evaluated."""

    q: np.ndarray
    reference: np.ndarray
    point: StaticPoint

    @property
    def imbalance(self) -> float:
        """The largest residual force, relative to the largest applied force or joint reaction."""
        point = self.point
        size = max(point.size, float(np.abs(point.multipliers).max(initial=0.0)))
        return float(np.abs(point.residual).max(initial=0.0)) / size if size else 0.0


class Gap(NamedTuple):
    """A sum of measures that must not fall below a value, and its element."""

    element: Any
    terms: tuple[tuple[float, int], ...]  # factor and index of each measure
    below: float

    def at(self, z: np.ndarray) -> float:
        return float(sum(c * z[m] for c, m in self.terms)) - self.below


class GapCloses(Exception):
    """Raised when a search closes a gap: the element, and the position where it closes."""

    def __init__(self, element: Any, q: np.ndarray, reference: np.ndarray) -> None:
        super().__init__(f"the gap of {element.title} closes")
        self.element, self.q, self.reference = element, q, reference


class Ways:
    """Moves positions of a mechanism with joints closed. Raises `GapCloses` where a gap would be passed."""

    def __init__(self, statics: Statics, tolerance: float = CLOSED, gaps: tuple[Gap, ...] = ()) -> None:
        system = statics.system
        self.statics, self.system, self.gaps = statics, system, gaps
        self.closing = Closing(system, statics.time, system.weights, statics.active)
        self.tolerance = max(tolerance, system.rounding)
        self.repetitions = [
            (tuple((c, system.measures.index(m)) for c, m in r.measure.parts()), r.middle, r.period)
            for r in system.repetitions()
        ]

    def start(self, q: np.ndarray, reference: np.ndarray) -> Place:
        """The evaluation of an assembled position. Errors of redundant joints there are allowed everywhere; forces are
        compared with those that act there, because all springs may be unstressed in the end."""
        place = Place(q, reference, self.statics.at(q, reference))
        self.statics.usual = place.point.size
        self.tolerance = max(self.tolerance, 2.0 * float(np.abs(place.point.phi).max(initial=0.0)))
        passed = self._passed(place)
        if passed is not None:
            raise GapCloses(passed.element, place.q, place.reference)
        return place

    def moved(self, place: Place, step: np.ndarray) -> Place | None:
        """The position after a scaled step, closed again; None if the joints do not close, a force has no value, or
        teeth would have passed each other."""
        there = self._reached(place, step)
        if there is not None and self._period(there) != self._period(place):
            return None
        if there is not None and self._passed(there) is not None:
            raise self._closing(place, step, there)
        return there

    def _period(self, place: Place) -> list[int]:
        """In which of their periods forces are that repeat."""
        z = place.point.z
        return [
            math.floor((sum(c * z[m] for c, m in terms) - middle) / period + 0.5)
            for terms, middle, period in self.repetitions
        ]

    def _closing(self, place: Place, step: np.ndarray, beyond: Place) -> GapCloses:
        """The point on a step where the first gap closes, by bisection; unchanged if joints do not close."""
        low, high = 0.0, 1.0
        for _ in range(BISECTIONS):
            trial = self._reached(place, 0.5 * (low + high) * step)
            if trial is None:
                break
            if self._passed(trial) is None:
                low = 0.5 * (low + high)
            else:
                high, beyond = 0.5 * (low + high), trial
        passed = self._passed(beyond)
        assert passed is not None
        return GapCloses(passed.element, beyond.q, beyond.reference)

    def _passed(self, place: Place) -> Gap | None:
        """The gap with the largest penetration, if there is one."""
        worst = min(self.gaps, key=lambda gap: gap.at(place.point.z), default=None)
        touch = self.tolerance * self.system.length
        return worst if worst is not None and worst.at(place.point.z) < -touch else None

    def _reached(self, place: Place, step: np.ndarray) -> Place | None:
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
