"""User-defined velocity constraints: a Python function of measures, their rates and time.

    @velocity_constraint
    def no_slip(x_rate, turn_rate, r=0.3):
        return x_rate - r * turn_rate

    model.add(no_slip(x=component(road, wheel.at(), "x"), turn=angle(wheel.at(), road), r=0.25), name="rolling")

An argument `x_rate` is the rate of the measure x, an argument `x` its value; each measure is given once, in the order
in which its name first occurs, or by its name. The rest is as for `@constraint`. The condition F(z, z', t) = 0 must be
linear in the rates, F = J v - nu, which gives the acceleration equation J a = gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, overload

import numpy as np

from cardan.elements.constraints.user_constraint import ConstraintTemplate, UserConstraint
from cardan.errors import ModelError
from cardan.model.element import RATE, TIME, VALUE, Equation
from cardan.model.measure import Readable

SUFFIX = "_rate"
TEST_STATES = 12  # number of states in which the function is tested
MAX_NONLINEARITY = 1e-9  # largest nonlinearity, relative to the values


@overload
def velocity_constraint(function: Callable[..., float], *, derivatives: str = ...) -> VelocityConstraintTemplate: ...
@overload
def velocity_constraint(
    function: None = None, *, derivatives: str = ...
) -> Callable[[Callable[..., float]], VelocityConstraintTemplate]: ...
def velocity_constraint(
    function: Callable[..., float] | None = None, *, derivatives: str = "exact"
) -> VelocityConstraintTemplate | Callable[[Callable[..., float]], VelocityConstraintTemplate]:
    """Turn a Python function of measures and their rates into an element; the equation is function(...) = 0.

    `derivatives="differences"` accepts functions that jets do not support, at the cost of accuracy.

    >>> import math
    >>> from cardan import mobility
    >>> from cardan.planar import Body, Model, angle, velocity_constraint, x, y
    >>> @velocity_constraint
    ... def skate(x_rate, y_rate, heading):
    ...     return y_rate * math.cos(heading) - x_rate * math.sin(heading)
    >>> model = Model("sleigh")
    >>> sleigh = model.add(Body(), name="sleigh")
    >>> tip = sleigh.at(0.5, 0)
    >>> blade = model.add(skate(x(tip), y(tip), angle(model.ground.at(), tip)), name="blade")
    >>> mobility(model).degrees_of_freedom
    2
    """
    if function is None:
        return lambda f: velocity_constraint(f, derivatives=derivatives)
    return VelocityConstraintTemplate(function, derivatives)


class VelocityConstraintTemplate(ConstraintTemplate):
    """The result of `@velocity_constraint`: call it with measures to get an element for a model."""

    word: ClassVar[str] = "velocity constraint"

    def __init__(self, function: Callable[..., float], derivatives: str) -> None:
        super().__init__(function, derivatives)
        if all(level != RATE for _, level in self.arguments):
            raise ModelError(
                f"the velocity constraint '{self.name}' takes no rate; name an argument {self.measures[0]}{SUFFIX}, or "
                "use @constraint"
            )

    def read(self, argument: str) -> tuple[str, int]:
        name = argument.removesuffix(SUFFIX)
        return (name, RATE) if name and name != argument else (argument, VALUE)

    def element(self, measures: tuple[Readable, ...], parameters: tuple[tuple[str, float], ...]) -> UserConstraint:
        return UserVelocityConstraint(self, measures, parameters)


@dataclass(frozen=True, eq=False)
class UserVelocityConstraint(UserConstraint):
    """A user function of measures and their rates, kept at zero."""

    def check(self) -> None:
        super().check()
        self._require_linear()

    def equations(self) -> tuple[Equation, ...]:
        return tuple(replace(equation, velocity=True) for equation in super().equations())

    def _require_linear(self) -> None:
        """Check F(u) + F(w) = F(u + w) + F(0) for rates u and w, in a few states that the function accepts."""
        random, function = np.random.default_rng(0), self.compiled()
        rates = np.array([level == RATE for _, level in self.source.arguments])
        timed = np.array([level == TIME for _, level in self.source.arguments])
        for size in np.geomspace(0.1, 10.0, TEST_STATES):
            still = np.where(rates, 0.0, random.uniform(-1.0, 1.0, rates.size))
            still[timed] = np.abs(still[timed])
            u, w = (np.where(rates, size * random.uniform(0.5, 1.5, rates.size) * side, 0.0) for side in (1.0, -0.7))
            tried = [function.evaluate((still + part).tolist()) for part in (u, w, u + w, 0.0 * u)]
            values = [float(out[0, 0]) for status, out in tried if status == 0]
            if len(values) < len(tried):
                continue
            bend = values[0] + values[1] - values[2] - values[3]
            if abs(bend) > MAX_NONLINEARITY * sum(abs(value) for value in values):
                raise ModelError(
                    f"{self.title} is not linear in the rates that it takes: where they are about {size:.2g} it bends "
                    f"by {abs(bend):.3g}; an equation on velocities must be linear, a force by an Action need not"
                )
