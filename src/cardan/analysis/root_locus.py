"""root_locus(build, values): how eigenvalues wander as a parameter of a model changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cardan.analysis.linearize import linearize
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.results.locus import RootLocus


def root_locus(
    build: Callable[[float], Model],
    values: Sequence[float],
    *,
    at: Callable[[Model], Any] | None = None,
    name: str = "parameter",
) -> RootLocus:
    """The eigenvalues of build(value) for each value, sorted so that each column is one branch.

    `build` makes a model from the value of the parameter; `at(model)` finds where each is linearized, such as
    `equilibrium`; without it models are linearized where they are stated.

    >>> from cardan import root_locus
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> def build(damping):
    ...     model = Model("oscillator")
    ...     mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    ...     guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    ...     model.add(Spring(guide.travel, 1.0, damping=damping, free_length=0.0), name="spring")
    ...     return model
    >>> root_locus(build, [1.0, 1.6, 2.5]).roots[:, 0].round(4).tolist()
    [(-0.5+0.866j), (-0.8+0.6j), (-0.5+0j)]
    """
    if not callable(build):
        raise ModelError(f"root_locus() takes a function that makes a model of a number, got {check.shown(build)}")
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(f"the values of root_locus() must be a list of numbers, got {check.told(values)}")
    numbers = [check.number(value, "a value of root_locus()") for value in values]
    if not numbers:
        raise ModelError("root_locus() is given no values of the parameter; list some")
    roots: list[np.ndarray] = []
    for value in numbers:
        model = build(value)
        check.instance(model, Model, f"what the function of root_locus() makes of {value:g}")
        found = linearize(model, None if at is None else at(model)).eigenvalues()
        if roots and found.size != roots[0].size:
            raise ModelError(
                f"the model of root_locus() has {found.size} states for {name} = {value:g}, but {roots[0].size} for "
                f"{numbers[0]:g}: branches cannot be followed"
            )
        roots.append(found if not roots else _matched(roots[-1], found))
    return RootLocus(np.array(numbers), np.array(roots), name)


def _matched(before: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The order in which roots have wandered least."""
    _, order = linear_sum_assignment(np.abs(before[:, None] - found[None, :]))
    return np.asarray(found[order])
