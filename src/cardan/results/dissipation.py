"""What single dampers have taken: shares of the sum that the integrator has counted.

    p = c z'^2,    h (p_0 + p_1) / 2 + h^2 (p_0' - p_1') / 12          between two instants, h apart

The formula is Hermite's and errs by h^5; it only tells how the sum is shared, so that one damper alone has all of it
and many have no less and no more. What impacts and joints that catch have taken, at instants of their own, is known of
each event and left out before.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import CardanWarning
from cardan.model.measure import Combination
from cardan.results.probe import sample

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


COARSE = 0.1  # by which shares may miss their sum


def taken_at_events(run: Trajectory, losses: list[tuple[Any, float, float]], element: object = None) -> np.ndarray:
    """What events have taken up to each instant: those of one element, or all. `losses` are (element, time, energy)."""
    found = np.zeros(run.times.size)
    for owner, time, energy in losses:
        if element is None or owner is element:
            found[run.times > time] += energy  # what is kept of that instant is from before
    return found


def dissipation(run: Trajectory, dissipated: np.ndarray, laws: list[int]) -> np.ndarray:
    """The part of `dissipated`, what all dampers have taken at each instant, that some laws took."""
    system = run.system
    damped = [k for k, law in enumerate(system.laws) if law.damping != 0.0]
    if not set(damped) & set(laws):
        return np.zeros(run.times.size)
    measures = [Combination(system.laws[k].terms) for k in damped]
    tables = sample(system, measures, run.times, run.q, run.v, run.a, run.turns)
    parts = [_between(run.times, system.laws[k].damping, table) for k, table in zip(damped, tables, strict=True)]
    whole, counted = np.sum(parts, axis=0), np.diff(dissipated)
    if np.abs(whole - counted).sum() > COARSE * np.abs(counted).sum():
        warnings.warn(
            f"instants of the result of '{run.model.name}' are too far apart to tell what single dampers took: ask for "
            "more with output=",
            CardanWarning,
            stacklevel=4,
        )
    own = np.sum([part for k, part in zip(damped, parts, strict=True) if k in laws], axis=0)
    share = np.divide(own, whole, out=np.zeros_like(own), where=whole != 0.0)
    return np.concatenate([[0.0], np.cumsum(counted * share)])


def _between(times: np.ndarray, damping: float, table: np.ndarray) -> np.ndarray:
    """What a damper takes between one instant and the next."""
    rate, second = table[:, 1], np.nan_to_num(table[:, 2])
    power, change, h = damping * rate**2, 2.0 * damping * rate * second, np.diff(times)
    part = 0.5 * h * (power[:-1] + power[1:]) + h**2 / 12.0 * (change[:-1] - change[1:])
    return np.asarray(np.maximum(part, 0.0) if damping > 0.0 else np.minimum(part, 0.0))
