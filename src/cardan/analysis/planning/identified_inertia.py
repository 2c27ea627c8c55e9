"""The result of `identify_inertia`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cardan.model.measure import Readable
from cardan.model.model import Model


@dataclass(frozen=True, repr=False)
class IdentifiedInertia:
    """Base parameters: what the forces of a mechanism determine about its masses.

    | | |
    |---|---|
    | `base`        | names: "J of 'upper' + 1 m of 'fore'" is J + L^2 m with L = 1                                   |
    | `values`      | their values, in kg, m and s                                                                  |
    | `deviations`  | their standard deviations                                                                     |
    | `condition`   | of the excitation: ratio of the best to the least determined combination, in comparable units |
    | `noise`       | standard deviation of the force along each measure                                            |
    | `residuals`   | measured minus computed forces                                                                |
    | `parameters`  | m, m c and inertia about the origin of each body: nearest to the model, with the same forces  |
    | `impossible`  | names of bodies for which no mass distribution has such parameters                            |
    """

    model: Model
    base: tuple[str, ...]
    values: np.ndarray
    deviations: np.ndarray
    condition: float
    noise: dict[Readable, float]
    residuals: dict[Readable, np.ndarray]
    parameters: dict[str, float]
    bodies: tuple[str, ...]
    impossible: tuple[str, ...]

    def of(self, body: str) -> dict[str, float]:
        """The parameters of one body, by its name: {"m": ..., "m cx": ...}."""
        mark = f" of '{body}'"
        return {name.removesuffix(mark): value for name, value in self.parameters.items() if name.endswith(mark)}

    def __str__(self) -> str:
        width = max(len(name) for name in self.base)
        lines = [f"{'base parameter':{width}}  {'value':>12}  {'deviation':>10}"]
        for name, value, spread in zip(self.base, self.values, self.deviations, strict=True):
            lines.append(f"{name:{width}}  {value:12.6g}  {spread:10.2g}")
        return "\n".join([*lines, f"condition number of the excitation: {self.condition:.3g}"])

    def __repr__(self) -> str:
        return f"<{len(self.base)} base parameters of '{self.model.name}', condition {self.condition:.3g}>"
