"""The stated configuration: estimates of all coordinates, and what depends on the turn that an angle is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import CardanError
from cardan.model.element import Constraint, Equation
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.model.space import Space, position_pass


class Start(NamedTuple):
    """Positions to start from, and what else a run that goes on must know."""

    q: np.ndarray
    turns: dict[Measure, float]  # the values of multi-turn angles
    offsets: dict[Equation, float]  # of equations whose offset counts modulo a period
    left_out: dict[tuple[str, str], float] = {}  # misfits of equations left out, by element and label; never changed


def start_values(
    model: Model,
    elements: Sequence[Constraint],
    equations: Sequence[Equation],
    measures: Sequence[Measure],
    geometry: Any,
    time: float,
    start: Start | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q as stated or as given by `start`, the offsets of all rows, and the reference values of multi-turn angles."""
    space = model.space
    q = _stated(model, elements) if start is None else start.q.copy()
    place = {measure: k for k, measure in enumerate(measures)}
    wanted = _prescribed(space, equations, place, {} if start is None else start.turns, time)
    z = _values(space, geometry, q, wanted)
    _choose_turns(space, equations, place, z, ~np.isnan(wanted), time)
    known = {} if start is None else start.offsets
    offsets = np.array([known.get(e, _offset(e, place, z)) for e in equations], float)
    return q, offsets, z


def _stated(model: Model, elements: Sequence[Constraint]) -> np.ndarray:
    bodies = (model.ground, *model.bodies)
    poses = {id(body): model.space.pose(body) for body in bodies}
    contacts = [u for element in elements for u in element.own_start(lambda body: poses[id(body)])]
    return np.concatenate([poses[id(body)] for body in bodies] + [np.array(contacts, float)])


def _prescribed(
    space: Space, equations: Sequence[Equation], place: dict[Measure, int], known: dict[Measure, float], time: float
) -> np.ndarray:
    """The value that a hold or driver asks of each multi-turn angle, or near which it is known to be; NaN: unknown."""
    stated = [known.get(measure, measure.near) for measure in place]
    wanted = np.array([np.nan if value is None else value for value in stated], float)
    asked: set[Measure] = set()
    for equation in equations:
        if len(equation.terms) != 1 or not _decides(equation):
            continue
        (coefficient, measure) = equation.terms[0]
        if measure.kind in space.winding and measure not in asked:
            wanted[place[measure]] = _asked(equation, time) / coefficient
            asked.add(measure)
    return wanted


def _choose_turns(
    space: Space,
    equations: Sequence[Equation],
    place: dict[Measure, int],
    z: np.ndarray,
    decided: np.ndarray,
    time: float,
) -> None:
    """Move angles whose turn is open to the one that closes an equation in which all others are decided; z changes."""
    open_rows = [e for e in equations if _decides(e)]
    found = True
    while found:
        found = False
        for equation in open_rows:
            free = [(c, place[m]) for c, m in equation.terms if m.kind in space.winding and not decided[place[m]]]
            if len(free) == 1:
                coefficient, k = free[0]
                gap = _asked(equation, time) - sum(c * z[place[m]] for c, m in equation.terms)
                if np.isfinite(gap):
                    z[k] += 2.0 * np.pi * np.round(gap / coefficient / (2.0 * np.pi))
                decided[k] = found = True


def _decides(equation: Equation) -> bool:
    """Whether an equation can say which turn an angle is on."""
    return equation.function is None and not (equation.floating or equation.period or equation.velocity)


def _asked(equation: Equation, time: float) -> float:
    """What the terms of an equation shall add up to; NaN where its motion has no value: the analysis says so."""
    try:
        return equation.offset + (0.0 if equation.motion is None else float(equation.motion(time)))
    except CardanError:
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
