"""Contradictions that can be seen without solving anything: two conditions on one measure, distances driven to zero."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from cardan.errors import ModelError
from cardan.model.element import Constraint, Equation
from cardan.model.model import Model


def refuse_contradictions(model: Model, times: np.ndarray) -> None:
    """Raise `ModelError` if two elements prescribe one measure differently, or a distance becomes negative."""
    stated: dict[object, list[tuple[Constraint, Equation]]] = defaultdict(list)
    for element in model.constraints:
        for equation in element.equations():
            if equation.function is None and not equation.floating and not equation.period:
                stated[frozenset(equation.terms)].append((element, equation))
    for same in stated.values():
        first, equation = same[0]
        values = prescribed(equation, times)
        for other, repeated in same[1:]:
            gap = np.abs(prescribed(repeated, times) - values)
            k = int(np.argmax(gap))
            if gap[k] > 1e-9 * max(1.0, float(np.abs(values).max())):
                raise ModelError(
                    f"{first.title} and {other.title} contradict each other: at t = {times[k]:g} s they ask for "
                    f"{values[k]:g} and {values[k] + (prescribed(repeated, times) - values)[k]:g} of one measure; drop one",
                    elements=(first.name, other.name),
                )
        _refuse_negative_distance(first, equation, values, times)


def prescribed(equation: Equation, times: np.ndarray) -> np.ndarray:
    """What an equation prescribes for its measures, over time."""
    motion = 0.0 if equation.motion is None else np.asarray(equation.motion(times), float)
    return equation.offset + motion + np.zeros(times.size)


def _refuse_negative_distance(element: Constraint, equation: Equation, values: np.ndarray, times: np.ndarray) -> None:
    coefficient, measure = equation.terms[0]
    if len(equation.terms) > 1 or measure.kind != "length":
        return
    wanted = values / coefficient
    if np.any(wanted <= 0.0):
        k = int(np.flatnonzero(wanted <= 0.0)[0])
        raise ModelError(
            f"{element.title} asks for a distance of {wanted[k]:g} at t = {times[k]:g} s; a distance must stay positive",
            elements=(element.name,),
            time=float(times[k]),
        )
