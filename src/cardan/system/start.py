"""The stated configuration: estimates of all coordinates, and what depends on the turn that an angle is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import position_pass


def start_values(
    model: Model,
    elements: Sequence[Constraint],
    equations: Sequence[Equation],
    measures: Sequence[Measure],
    geometry: Any,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q as stated, the offsets of all rows, and the reference values of multi-turn angles."""
    space = model.space
    bodies = (model.ground, *model.bodies)
    poses = {id(body): space.pose(body) for body in bodies}
    contacts = [u for element in elements for u in element.own_start(lambda body: poses[id(body)])]
    q = np.concatenate([poses[id(body)] for body in bodies] + [np.array(contacts, float)])
    z = _values(space, geometry, q, len(measures))
    place = {measure: k for k, measure in enumerate(measures)}
    offsets = np.array([_offset(equation, place, z) for equation in equations], float)
    return q, offsets, z


def _values(space: Any, geometry: Any, q: np.ndarray, count: int) -> np.ndarray:
    z = np.zeros((count, 3))
    frames = np.zeros((geometry.body.size, space.marker_columns))
    # Without a reference (NaN) multi-turn angles begin on the turn around zero.
    position_pass(geometry, q, np.full(count, np.nan), frames, z, np.zeros((count, 2 * space.width + 2)))
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
