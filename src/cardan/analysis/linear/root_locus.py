"""root_locus(model, values, parameter=...): eigenvalues as functions of a parameter of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cardan.analysis.linear.linearize import linearize
from cardan.analysis.linear.point import OperatingPoint
from cardan.errors import Interrupted, ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameter, ParameterName, changed, parameters_of
from cardan.results.linear.root_locus import RootLocus


def root_locus(
    build: Model | Callable[[float], Model],
    values: Sequence[float],
    *,
    parameter: ParameterName | None = None,
    at: Callable[[Model], OperatingPoint] | None = None,
    name: str = "parameter",
) -> RootLocus:
    """The eigenvalues of a model for each value of a parameter, one branch per column.

    `build` is the model, whose `parameter` is named as for sensitivities(), "spring.damping"; or a function that builds
    a model for a value. `at(model)` returns the linearization point, such as `equilibrium`; by default models are
    linearized in their given positions. The model itself is not changed.

    >>> from cardan import root_locus
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 1.0, rest_length=0.0), name="spring")
    >>> root_locus(model, [1.0, 1.6, 2.5], parameter="spring.damping").roots[:, 0].round(4).tolist()
    [(-0.5+0.866j), (-0.8+0.6j), (-0.5+0j)]
    """
    if isinstance(values, str) or not isinstance(values, Iterable) or np.shape(values) == ():
        raise ModelError(f"the values of root_locus() must be a list of numbers, got {check.short_repr(values)}")
    numbers = [check.number(value, "a value of root_locus()") for value in values]
    if not numbers:
        raise ModelError("root_locus() needs at least one value of the parameter")
    if at is not None:
        check.function(at, 1, "at= of root_locus()")
    chosen = _parameter(build, parameter)
    name = name if chosen is None or name != "parameter" else chosen.name
    roots: list[np.ndarray] = []
    for value in numbers:
        try:
            with _changed_model(build, chosen, value) as model:
                found = linearize(model, None if at is None else at(model)).eigenvalues()
        except KeyboardInterrupt:
            if not roots:
                raise
            partial = RootLocus(np.array(numbers[: len(roots)]), np.array(roots), name)
            raise Interrupted(
                f"interrupted at {name} = {value:g}: .partial has the roots so far", partial=partial
            ) from None
        if roots and found.size != roots[0].size:
            raise ModelError(
                f"the model of root_locus() has {found.size} states for {name} = {value:g}, but {roots[0].size} for "
                f"{numbers[0]:g}: branches cannot be followed"
            )
        roots.append(found if not roots else _matched(roots[-1], found))
    return RootLocus(np.array(numbers), np.array(roots), name)


def _parameter(build: Any, stated: Any) -> Parameter | None:
    """The parameter that varies; None if a function builds the models."""
    if isinstance(build, Model):
        if stated is None:
            raise ModelError(
                f"root_locus() of '{build.name}' needs the parameter that has these values: parameter='spring.damping'"
            )
        chosen = parameters_of(build, stated, "root_locus()")
        if len(chosen) != 1:
            raise ModelError(f"root_locus() varies one parameter, got {len(chosen)}; tied() varies several together")
        return chosen[0]
    if not callable(build):
        raise ModelError(
            f"root_locus() takes a model, or a function that builds a model from a number, got {check.describe(build)}"
        )
    if stated is not None:
        raise ModelError("root_locus() takes parameter= only with a model; a function receives the value itself")
    return None


@contextmanager
def _changed_model(build: Any, chosen: Parameter | None, value: float) -> Iterator[Model]:
    """The model for one value."""
    if chosen is not None:
        with changed(build, {chosen: value}) as model:
            yield model
    else:
        model = build(value)
        check.instance(model, Model, f"the result of the function of root_locus() for {value:g}")
        yield model


def _matched(before: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The order in which the roots move least."""
    _, order = linear_sum_assignment(np.abs(before[:, None] - found[None, :]))
    return np.asarray(found[order])
