"""limit(model, parameter, (low, high)): where a mechanism begins to fail, or a number reaches a level.

works   o---o---o--o-oo|xx-x--x---x---x   fails       bisection: one side works, the other does not
f(p) - level = 0                                      Brent's method: an output crosses a level
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from cardan.errors import ModelError, SimulationError
from cardan.model import check
from cardan.study.job import Job
from cardan.study.outputs import outputs_of

MAX_ANALYSES = 200  # analyses in one search


@dataclass(frozen=True)
class ParameterLimit:
    """The value of a parameter at a limit; `float(limit)` is that value."""

    parameter: str
    value: float
    works: float  # the last value known to work, or on the low side of the level
    fails: float  # the first one known to fail, or on its high side
    reason: str  # why designs beyond it fail; empty where a level is reached
    analyses: int

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        said = f"limit of {self.parameter}: {self.value:.10g} after {self.analyses} analyses"
        return f"{said}; beyond it, {self.reason}" if self.reason else said


def limit(
    model: Any,
    parameter: Any,
    between: tuple[float, float],
    analysis: Any = "kinematics",
    output: Any = None,
    *,
    level: float = 0.0,
    tolerance: float = 1e-8,
    **options: Any,
) -> ParameterLimit:
    """The value of a parameter between two at which the analysis begins to fail, or `output` reaches `level`.

    Of the two values one must work and the other fail, or the output must lie on both sides of the level. The value is
    found to `tolerance` times the size of the interval.

    >>> from cardan.examples import load
    >>> from cardan.study import limit
    >>> found = limit(lambda rod: load("slider-crank").build(crank=0.2, rod=rod), "rod", (0.15, 0.3),
    ...               times=[0.0, 0.1, 0.2, 0.3], tolerance=1e-4)
    >>> round(found.value, 4)                                # a rod shorter than the crank locks
    0.2
    """
    what = "limit()"
    low, high = check.vector(between, 2, "the values between which limit() searches")
    if low == high:
        raise ModelError(f"limit() is given {low:g} twice; state two values between which the limit lies")
    tolerance = check.positive(tolerance, "the tolerance of limit()")
    outputs = outputs_of([lambda result: 0.0] if output is None else output)
    job = Job(model, (parameter,), analysis, outputs, options).checked()
    search = _Search(job, outputs[0].name, check.number(level, "the level of limit()"))
    name = getattr(parameter, "name", str(parameter))
    if output is None:
        return search.by_halves(name, low, high, tolerance * abs(high - low), what)
    return search.by_level(name, low, high, tolerance * abs(high - low))


class _Search:
    def __init__(self, job: Job, name: str, level: float) -> None:
        self.job, self.name, self.level = job, name, level
        self.count, self.reason = 0, ""

    def works(self, value: float) -> bool:
        self.count += 1
        found, reason = self.job.sample([value])
        self.reason = reason or self.reason
        return found is not None

    def by_halves(self, name: str, low: float, high: float, width: float, what: str) -> ParameterLimit:
        good, bad = self.works(low), self.works(high)
        if good == bad:
            state = "work" if good else f"fail ({self.reason})"
            raise ModelError(f"'{name}' = {low:g} and {high:g} both {state}: {what} needs one that works and one not")
        inside, outside = (low, high) if good else (high, low)
        while abs(outside - inside) > width and self.count < MAX_ANALYSES:
            middle = 0.5 * (inside + outside)
            if self.works(middle):
                inside = middle
            else:
                outside = middle
        return ParameterLimit(name, 0.5 * (inside + outside), inside, outside, self.reason, self.count)

    def above(self, value: float) -> float:
        self.count += 1
        found, reason = self.job.sample([value])
        if found is None:
            raise SimulationError(f"limit() cannot compute '{self.name}' where {value:g} is tried: {reason}")
        if found[0].shape:
            raise ModelError(f"'{self.name}' is a curve; state how it counts, such as '{self.name}:max'")
        return float(found[0]) - self.level

    def by_level(self, name: str, low: float, high: float, width: float) -> ParameterLimit:
        ends = self.above(low), self.above(high)
        if np.sign(ends[0]) == np.sign(ends[1]):
            a, b = ends[0] + self.level, ends[1] + self.level
            raise ModelError(
                f"'{self.name}' is {a:g} at '{name}' = {low:g} and {b:g} at {high:g}: it does not pass "
                f"{self.level:g} between them"
            )
        root = float(brentq(self.above, low, high, xtol=width, maxiter=MAX_ANALYSES))
        return ParameterLimit(name, root, *((low, high) if ends[0] < 0.0 else (high, low)), "", self.count)
