"""Generalized forces of laws on one body: -f dz/dq, dz/dq = the rate of z under a unit speed of the body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.model.measure import Combination, Readable
from cardan.results.measure_series import measure_series

if TYPE_CHECKING:
    from cardan.results.loads import Loads
    from cardan.results.trajectory import Trajectory


def laws_on(run: Trajectory, loads: Loads, body: Any, elements: Sequence[Any]) -> dict[Any, np.ndarray]:
    """The generalized forces on a body of the laws of some elements, by element: shape (output times, speeds)."""
    system, chosen = run.system, {id(element) for element in elements}
    mine = [k for k, element in enumerate(system.forces) if id(element) in chosen]
    laws = [k for k in mine if any(_touches(measure, body) for _, measure in system.laws[k].terms)]
    along = [Combination(system.laws[k].terms) for k in laws]
    sums: dict[Any, np.ndarray] = {}
    for k, gradient in zip(laws, gradients(run, along, body), strict=True):
        more, element = -loads.strengths[:, k, None] * gradient, system.forces[k]
        sums[element] = sums[element] + more if element in sums else more
    return sums


def gradients(run: Trajectory, along: Sequence[Readable], body: Any) -> list[np.ndarray]:
    """dz/dq of each measure, in the speeds of the body: shape (output times, speeds)."""
    system = run.system
    found = [np.zeros((run.times.size, system.width)) for _ in along]
    still = np.zeros_like(run.a)
    for c in range(system.width if along else 0):
        unit = np.zeros_like(run.v)
        unit[:, system.width * system.body_number(body) + c] = 1.0
        for gradient, values in zip(
            found, measure_series(system, along, run.times, run.q, unit, still, run.turns), strict=True
        ):
            gradient[:, c] = values[:, 1]
    return found


def _touches(measure: Any, body: Any) -> bool:
    return any(marker.body is body for marker in measure.markers())
