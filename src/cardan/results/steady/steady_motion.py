"""Steady motions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.results.loads import Loads
from cardan.results.steady.equilibrium import Balanced
from cardan.system.system import System


class SteadyMotion(Balanced):
    """A motion in which the mechanism rotates as a rigid body with spinning parts: a snapshot at one time.

    `motion[body].position`, `.velocity`, `.acceleration`, `motion[joint].force`, `motion[spring].force` are those at
    that time. `spin` is the angular velocity about `axis` through the point `through`, `travel` the additional constant
    velocity, `rates[hinge]` the rate of each spinning hinge, `values[element]` the solution for each free element,
    `residual` the largest relative imbalance of forces. `simulate(model, 10.0, start=motion)` continues the motion.
    """

    def __init__(
        self,
        system: System,
        time: float,
        state: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        loads: Loads,
        *,
        spin: float,
        axis: tuple[float, ...],
        through: tuple[float, ...],
        travel: tuple[float, ...],
        rates: dict[Any, float],
        values: dict[Any, float],
        residual: float,
        iterations: int,
        neutral: int,
    ) -> None:
        super().__init__(system, time, *state)
        self.loads = loads
        self.spin, self.axis, self.through, self.travel = spin, axis, through, travel
        self.rates, self.values = rates, values
        self.residual, self.iterations = residual, iterations
        self.given: tuple[Any, ...] = ()  # the measures with conditions
        self.equations: Callable[[System], Any] | None = None  # its equations, for another system
        self.neutral = neutral  # displacements within the mechanism without effect

    def __repr__(self) -> str:
        first, *bodies = super().__repr__().splitlines()
        axis, point = (", ".join(f"{c:.6g}" for c in vector) for vector in (self.axis, self.through))
        words = [f"spin {self.spin:.9g} rad/s about ({axis}) through ({point})"]
        if any(self.travel):
            words.append(f"travel ({', '.join(f'{c:.6g}' for c in self.travel)}) m/s")
        words += [f"{_name(key)} at {rate:.9g} rad/s" for key, rate in self.rates.items()]
        words += [f"{_name(key)} = {value:.9g}" for key, value in self.values.items()]
        words.append(f"{self.residual:.1e} of the forces unbalanced")
        if self.neutral:
            words.append(f"{self.neutral} of its degrees of freedom are arbitrary")
        return "\n".join([first, f"  in steady motion: {', '.join(words)}", *bodies])


def _name(key: Any) -> str:
    return f"'{key.name}'" if getattr(key, "name", "") else str(key)
