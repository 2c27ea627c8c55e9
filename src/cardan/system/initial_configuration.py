"""The stated configuration: estimates of all coordinates, and what depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space, position_pass
from cardan.system.turns import Angles, Specified, first_turns


class Start(NamedTuple):
    """Positions to start from, and what else a run that goes on must know."""

    q: np.ndarray
    turns: Angles  # the values of angles there
    offsets: dict[Equation, float]  # of equations whose offset counts modulo a period
    misfits: dict[tuple[str, str], float] = {}  # of redundant equations, by element and label; never changed


def start_values(given: Specified, geometry: Any, start: Start | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q as stated or as given by `start`, the offsets of all rows, and the values of all measures there."""
    q = _stated(given.model, given.elements) if start is None else start.q.copy()
    space = given.model.space
    nowhere = np.full(len(given.measures), np.nan)
    z = first_turns(given, measured(space, geometry, q, nowhere, space.row_length(given.measures)))
    place = {measure: k for k, measure in enumerate(given.measures)}
    known = {} if start is None else start.offsets
    offsets = np.array([known.get(e, _offset(e, place, z)) for e in given.equations], float)
    return q, offsets, z


def _stated(model: Model, elements: Sequence[Constraint]) -> np.ndarray:
    bodies = (model.ground, *model.bodies)
    poses = {id(body): model.space.pose(body) for body in bodies}
    contacts = [u for element in elements for u in element.contact_start(lambda body: poses[id(body)])]
    contacts += [eta for body in model.bodies if body.modal_coordinates for eta in body.deformation]
    return np.concatenate([poses[id(body)] for body in bodies] + [np.array(contacts, float)])


def measured(space: Space, geometry: Any, q: np.ndarray, reference: np.ndarray, columns: int) -> np.ndarray:
    """The values of measures at a position; angles are on the turn nearest to their reference.

    `columns` is the length of a row of jac: see `Space.row_length`.
    """
    z = np.zeros((reference.size, 3))
    frames = np.zeros((geometry.body.size, space.marker_columns))
    position_pass(geometry, q, reference, frames, z, np.zeros((reference.size, columns)))
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
