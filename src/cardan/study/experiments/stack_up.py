"""tolerance_stack_up(): by how much tolerances change a result at worst and statistically, and which one contributes.

    worst case     f_0 + sum max(f(up_i), f(down_i), f_0) - f_0            all dimensions at their unfavorable limit
    statistical    sigma^2 = sum (slope_i sigma_i)^2,  share_i = (slope_i sigma_i)^2 / sigma^2      root sum of squares

sigma_i is a third of a symmetric tolerance (normal), or the deviation of a uniform distribution between unequal limits.
Both sums assume that effects add up: the two worst corners are computed as well, and a warning reports a difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError, warn
from cardan.model.model import Model
from cardan.study.experiments.numbers_of import text_table
from cardan.study.sampling import Table, tolerance_limits
from cardan.study.study import study

NONLINEAR = 0.1  # of the band: difference between the computed corners and the sum of effects above which we warn


@dataclass(frozen=True)
class StackUp:
    """The effect of tolerances on one number."""

    output: str
    unit: str
    parameters: tuple[str, ...]
    nominal: float
    effects: np.ndarray  # [parameters, 2]: change of the output at the lower and at the upper limit
    worst: tuple[float, float]  # least and largest value by the sum of effects
    corners: tuple[float, float]  # and computed with all dimensions at these limits
    mean: float
    deviation: float
    contributions: np.ndarray  # shares of the variance, which add up to 1

    @property
    def statistical(self) -> tuple[float, float]:
        """mean +- 3 deviations: 99.73 % of the products."""
        return self.mean - 3.0 * self.deviation, self.mean + 3.0 * self.deviation

    def __repr__(self) -> str:
        order = np.argsort(-self.contributions, kind="stable")
        cells = [[self.parameters[k], *self.effects[k], f"{100 * self.contributions[k]:.1f} %"] for k in order]
        unit = f" {self.unit}" if self.unit else ""
        low, high = self.statistical
        return (
            f"{self.output}: {self.nominal:.6g}{unit}\n"
            f"worst case {self.worst[0]:.6g} to {self.worst[1]:.6g}, computed {self.corners[0]:.6g} to "
            f"{self.corners[1]:.6g}\nstatistical (3 sigma) {low:.6g} to {high:.6g}\n"
            + text_table(["dimension", "at low", "at high", "share"], cells)
        )


def tolerance_stack_up(
    model: Model, parameters: Mapping[Any, Any], output: Any, analysis: Any = "kinematics", **options: Any
) -> StackUp:
    """The worst case and the deviation of an output for parameters within +-tolerance or (down, up).

    `output`, `analysis` and `options` as in `study`; the output must be a number. It takes 2 n + 3 analyses for n
    parameters.

    >>> from cardan.examples import load
    >>> from cardan.study import tolerance_stack_up
    >>> dimensions = {"B.a.x": 0.001, "B.b.x": 0.002, "C.a.x": 0.002}       # a chain of lengths at the dead point
    >>> found = tolerance_stack_up(load("slider-crank").build(), dimensions, "slider.x:first", times=[0.0, 0.01])
    >>> print(found)
    slider.x:first: 0.7 m
    worst case 0.695 to 0.705, computed 0.695 to 0.705
    statistical (3 sigma) 0.697 to 0.703
    dimension  at low  at high   share
    B.b.x       0.002   -0.002  44.4 %
    C.a.x      -0.002    0.002  44.4 %
    B.a.x      -0.001    0.001  11.1 %
    """
    limits = tolerance_limits(model, parameters, "tolerance_stack_up()")
    keys, nominal, low, high = limits.keys, limits.nominal, limits.low, limits.high
    count = nominal.size
    ends = [np.where(np.arange(count) == k, end, nominal) for k in range(count) for end in (low, high)]
    found = study(model, Table(keys, np.array([nominal, *ends]), "each"), analysis, output, progress=False, **options)
    name, f = found.outputs[0], _numbers(found)
    effects = f[1:].reshape(-1, 2) - f[0]
    up = np.where(effects[:, 1] >= effects[:, 0], high, low)  # the limit at which the output is larger
    down = np.where(effects[:, 1] >= effects[:, 0], low, high)
    at_corners = Table(keys, np.array([down, up]), "worst")
    corners = _numbers(study(model, at_corners, analysis, output, progress=False, **options))
    worst = (
        float(f[0] + np.minimum(effects, 0.0).min(axis=1).sum()),
        float(f[0] + np.maximum(effects, 0.0).max(axis=1).sum()),
    )
    slopes = (effects[:, 1] - effects[:, 0]) / (high - low)
    variances = (slopes * limits.deviations) ** 2
    total = float(variances.sum())
    result = StackUp(
        output=name,
        unit=found.units[name],
        parameters=tuple(limits.names),
        nominal=float(f[0]),
        effects=effects,
        worst=worst,
        corners=(float(corners[0]), float(corners[1])),
        mean=float(f[0] + np.sum(slopes * (0.5 * (low + high) - nominal))),
        deviation=math.sqrt(total),
        contributions=variances / total if total else np.zeros(count),
    )
    _warn_of_interaction(result)
    return result


def _numbers(found: Any) -> np.ndarray:
    """One number for each design; a design that fails has no place in a stack-up."""
    if len(found.outputs) != 1 or found.shapes[0] != ():
        raise ModelError(
            f"tolerance_stack_up() needs one number, got {', '.join(found.outputs)} of shapes {found.shapes}; reduce a "
            "curve, such as 'slider.x:max'"
        )
    if found.failures:
        k, reason = next(iter(found.failures.items()))
        values = ", ".join(f"{name} = {found.values[name][k]:.6g}" for name in found.parameters)
        raise ModelError(f"within the tolerances the analysis fails, at {values}: {reason}")
    numbers = found[found.outputs[0]]
    if not np.isfinite(numbers).all():
        raise ModelError(f"'{found.outputs[0]}' is not finite within the tolerances")
    return np.asarray(numbers, float)


def _warn_of_interaction(found: StackUp) -> None:
    """Warn if effects do not add up."""
    band = found.worst[1] - found.worst[0]
    missed = max(abs(a - b) for a, b in zip(found.worst, found.corners, strict=True))
    if missed > NONLINEAR * band:
        warn(
            f"effects of tolerances on '{found.output}' do not add up: with all dimensions at their limits it is "
            f"{found.corners[0]:.6g} to {found.corners[1]:.6g}, by the sum of effects {found.worst[0]:.6g} to "
            f"{found.worst[1]:.6g}; study tolerances(model, {{...}}, 'worst') and 'random'"
        )
