"""Angles about parallel axes: what one of them is, known from others.

    ground --theta_1-- A --theta_2-- B           about parallel axes:  angle(ground, B) = theta_1 + theta_2 + constant

The axis of a hinge is fixed in both of its bodies, so whether axes stay parallel, and the constants between markers,
are matters of the model alone. The constant is taken in (-pi, pi]: where the hinges stand at zero, so is the sum.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.element import Constraint
from cardan.model.measure import Measure
from cardan.model.space import Space

TURN = 2.0 * math.pi
ALIGNED = 1e-6  # sine of the angle between axes that count as parallel
HALF_TURN = math.pi * (1.0 + 1e-9)  # rounding must not decide between half a turn and minus half a turn

Row = tuple[tuple[tuple[float, Measure], ...], float]


def principal(angle: float) -> float:
    """The same direction in (-pi, pi]."""
    found = angle - TURN * round(angle / TURN)
    return found + TURN if found <= HALF_TURN - TURN else found


class _End(NamedTuple):
    """One end of an angle: in the frame of its body the axis and the direction that is looked at."""

    axis: np.ndarray
    direction: np.ndarray


class Parallel:
    """The hinges of a mechanism, and angles that follow from theirs. In the plane there is nothing to follow."""

    def __init__(self, space: Space, elements: Sequence[Constraint]) -> None:
        self.space = space
        self.angles: dict[Measure, tuple[int, int]] = {}  # of hinges, with the bodies that they join, by identity
        self._known: dict[Measure, tuple[_End, _End]] = {}
        self._at: dict[int, list[Measure]] = {}
        if "angle" in space.winding:
            for element in elements:
                self._add(element)

    def _add(self, element: Constraint) -> None:
        turns = [step for step in element.steps() or () if step.kind in ("turn", "screw")]
        measure = getattr(element, turns[0].name, None) if len(turns) == 1 else None
        if not isinstance(measure, Measure) or measure.kind != "angle" or measure in self.angles:
            return
        a, b = measure.markers()
        self.angles[measure] = id(a.body), id(b.body)
        for body in self.angles[measure]:
            self._at.setdefault(body, []).append(measure)

    def rows(self, measures: Iterable[Measure]) -> list[Row]:
        """Equations terms = constant between each angle and those of hinges, where its axes stay parallel to theirs."""
        found = []
        for measure in measures:
            relation = self.relation(measure)
            if relation is not None:
                terms, constant = relation
                found.append((((1.0, measure), *((-sign, other) for sign, other in terms)), constant))
        return found

    def relation(self, measure: Measure) -> tuple[tuple[tuple[float, Measure], ...], float] | None:
        """The hinges whose angles, with a constant, add up to an angle; None if none do.

        A hinge beside another one between the same bodies follows from it.
        """
        if not self.angles or any(marker.contact_coordinate is not None for marker in measure.markers()):
            return None
        first, last = (id(marker.body) for marker in measure.markers())
        direct, seen = measure in self.angles, {first}  # chains of many hinges would be searched in vain for another
        ways: deque[Any] = deque([(first, None, None, 0.0, ())])
        while ways:
            body, axis, direction, total, terms = ways.popleft()
            for hinge in self._at.get(body, ()):
                a, b = self.angles[hinge]
                other = b if a == body else a
                if other in seen or hinge == measure or (direct and other != last):
                    continue
                if axis is None:
                    start, goal = self._ends(measure)
                    axis, direction = start.axis, start.direction
                here, there = self._ends(hinge)
                sign = 1.0
                if a != body:
                    here, there, sign = there, here, -1.0
                way = float(here.axis @ axis)
                if abs(way) < 1.0 - ALIGNED:
                    continue
                way = math.copysign(1.0, way)
                angle = total + _between(axis, direction, here.direction)
                further = (*terms, (sign * way, hinge))
                if other != last:
                    seen.add(other)
                    ways.append((other, way * there.axis, there.direction, angle, further))
                elif abs(float(goal.direction @ there.axis)) <= ALIGNED:
                    return further, principal(angle + _between(way * there.axis, there.direction, goal.direction))
        return None

    def carried(self, measure: Measure, low: float, high: float) -> tuple[Measure, float, float]:
        """A range of an angle as one of the hinge that it follows; the same where it follows none, or several."""
        relation = self.relation(measure)
        if relation is None or len(relation[0]) != 1:
            return measure, low, high
        ((sign, hinge),), constant = relation
        ends = sorted((sign * (low - constant), sign * (high - constant)))
        return hinge, ends[0], ends[1]

    def stated(self, measure: Measure) -> float | None:
        """By how much the orientations of the bodies, as stated, turn an angle's directions apart; None: it is open."""
        markers: tuple[Any, Any] = measure.a, measure.b
        if any(
            marker.contact_coordinate is not None or getattr(marker.body, "turned", None) is None for marker in markers
        ):
            return None
        if not any(any(marker.body.turned) or any(marker.turned) for marker in markers):
            return 0.0
        turned = []
        for marker, end in zip(markers, self._ends(measure), strict=True):
            vector = marker.body.turned
            axes, _ = self.space.in_space(self.space.pose(marker.body))
            turned.append((axes @ end.axis, np.array(vector) + axes @ np.array(marker.turned)))
        axis = turned[0][0]
        for _, vector in turned:
            if float(np.linalg.norm(vector - (vector @ axis) * axis)) > ALIGNED * (1.0 + float(np.linalg.norm(vector))):
                return None
        return float((turned[1][1] - turned[0][1]) @ axis)

    def _ends(self, measure: Measure) -> tuple[_End, _End]:
        """Where an angle begins and ends; the axis is that of a, and on b the one of the same name."""
        if measure not in self._known:
            about, zero, of = ("xyz".index(letter) for letter in measure.axes or "zxx")
            a, b = (self.space.marker_in_space(marker)[0] for marker in (measure.a, measure.b))
            self._known[measure] = _End(a[:, about], a[:, zero]), _End(b[:, about], b[:, of])
        return self._known[measure]


def _between(axis: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The angle about an axis from one direction to another."""
    return math.atan2(float(axis @ np.cross(first, second)), float(first @ second))
