"""The stated configuration: estimates of all coordinates, and what depends on the turn that an angle is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.motion import Motion
from cardan.model.space import Space, position_pass


def start_values(
    model: Model,
    elements: Sequence[Constraint],
    equations: Sequence[Equation],
    measures: Sequence[Measure],
    geometry: Any,
    time: float,
    start: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q as stated or as given by `start`, the offsets of all rows, and the reference values of multi-turn angles."""
    space = model.space
    q = _stated(model, elements) if start is None else start.copy()
    place = {measure: k for k, measure in enumerate(measures)}
    z = _values(space, geometry, q, _prescribed(space, equations, place, time))
    offsets = np.array([_offset(equation, place, z) for equation in equations], float)
    return q, offsets, z


def _stated(model: Model, elements: Sequence[Constraint]) -> np.ndarray:
    bodies = (model.ground, *model.bodies)
    poses = {id(body): model.space.pose(body) for body in bodies}
    contacts = [u for element in elements for u in element.own_start(lambda body: poses[id(body)])]
    return np.concatenate([poses[id(body)] for body in bodies] + [np.array(contacts, float)])


def _prescribed(space: Space, equations: Sequence[Equation], place: dict[Measure, int], time: float) -> np.ndarray:
    """The value that a hold or driver asks of each multi-turn angle, or near which it is stated; NaN means zero."""
    wanted = np.array([np.nan if measure.near is None else measure.near for measure in place], float)
    asked: set[Measure] = set()
    for equation in equations:
        if len(equation.terms) != 1 or equation.function is not None or equation.floating or equation.period:
            continue
        (coefficient, measure) = equation.terms[0]
        if measure.kind in space.winding and measure not in asked:
            value = equation.offset + (_at(equation.motion, time) if equation.motion is not None else 0.0)
            wanted[place[measure]] = value / coefficient
            asked.add(measure)
    return wanted


def _at(motion: Motion, time: float) -> float:
    try:
        return float(motion(time))
    except CardanError:  # a table that does not reach there: the analysis says so
        return float("nan")


def _values(space: Space, geometry: Any, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    z = np.zeros((reference.size, 3))
    frames = np.zeros((geometry.body.size, space.marker_columns))
    position_pass(geometry, q, reference, frames, z, np.zeros((reference.size, 2 * space.width + 2)))
    return z[:, 0].copy()


def _offset(equation: Equation, place: dict[Measure, int], z: np.ndarray) -> float:
    """The offset of an equation; where it counts modulo a period, that nearest the stated configuration."""
    value = sum(c * z[place[m]] for c, m in equation.terms)
    if equation.floating:
        return float(value)
    if equation.period == 0.0:
        return equation.offset
    offsets = np.array([equation.offset])
    if equation.turn:
        turns = np.round(z[place[equation.terms[-1][1]]] / (2.0 * np.pi)) + np.array([-1.0, 0.0, 1.0])
        offsets = equation.offset + equation.turn * turns
    offsets = offsets + equation.period * np.round((value - offsets) / equation.period)
    return float(offsets[np.argmin(np.abs(value - offsets))])
