"""Contradictions found without solving equations: two conditions on one measure, distances driven to zero."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cardan.errors import ModelError, SimulationError
from cardan.model.element import Constraint, Equation
from cardan.model.model import Model

BETWEEN = 2000  # number of intervals at which motions are checked in addition to the output times

Statement = tuple[Constraint, Equation]


def refuse_contradictions(model: Model, times: np.ndarray) -> None:
    """Raise `ModelError` if two elements prescribe one measure differently, or a distance becomes negative."""
    stated: dict[object, list[Statement]] = defaultdict(list)
    for element in model.constraints:
        for equation in element.equations():
            _refuse_outside(element, equation, times)
            if equation.function is None and not equation.floating and not equation.period:
                stated[equation.velocity, frozenset(equation.terms)].append((element, equation))
    # The output times come first: users recognize them.
    grids = (times, np.linspace(times[0], times[-1], BETWEEN + 1))
    for first, *others in stated.values():
        for grid in grids if others or _is_distance(first[1]) else ():
            _refuse_differences(first, others, grid)
            _refuse_negative_distance(first, grid)


def prescribed(element: Constraint, equation: Equation, times: np.ndarray) -> np.ndarray:
    """The value that an equation prescribes for its measures, as a function of time."""
    if equation.motion is None:
        return np.full(times.size, equation.offset)
    try:
        return equation.offset + np.asarray(equation.motion(times), float)
    except SimulationError as failure:
        message = f"{element.title} cannot be evaluated: {failure}"
        raise SimulationError(message, time=failure.time, elements=(element.name,)) from failure


def _refuse_outside(element: Constraint, equation: Equation, times: np.ndarray) -> None:
    """Find tables that end too early. The analysis itself reports errors of user functions, with partial results."""
    if equation.motion is not None and not any(term.function for term in equation.motion.terms()):
        prescribed(element, equation, times)


def _refuse_differences(first: Statement, others: list[Statement], times: np.ndarray) -> None:
    values = prescribed(*first, times)
    for other in others:
        asked = prescribed(*other, times)
        gap = np.abs(asked - values)
        k = int(np.argmax(gap))
        if gap[k] > 1e-9 * max(1.0, float(np.abs(values).max())):
            one, two = first[0], other[0]
            unit = f" {first[1].unit}" if first[1].unit else ""
            unit += "/s" if unit and first[1].velocity else ""
            raise ModelError(
                f"{one.title} and {two.title} contradict each other: at t = {times[k]:g} s they prescribe "
                f"{values[k]:g} and {asked[k]:g}{unit} for {first[1].words}; remove one of them",
                elements=(one.name, two.name),
            )


def _refuse_negative_distance(statement: Statement, times: np.ndarray) -> None:
    element, equation = statement
    if not _is_distance(equation):
        return
    wanted = prescribed(element, equation, times) / equation.terms[0][0]
    if np.any(wanted <= 0.0):
        k = int(np.flatnonzero(wanted <= 0.0)[0])
        value = round(float(wanted[k]), 12) + 0.0  # neither -1e-16 nor -0
        raise ModelError(
            f"{element.title} prescribes a distance of {value:g} m at t = {times[k]:g} s; it must be positive",
            time=float(times[k]),
            elements=(element.name,),
        )


def _is_distance(equation: Equation) -> bool:
    return len(equation.terms) == 1 and equation.terms[0][1].kind == "length" and not equation.velocity
