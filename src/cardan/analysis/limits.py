"""Ranges in which elements hold, such as the ends of a face, or the distance of shafts at which teeth mesh."""

from __future__ import annotations

import numpy as np

from cardan.errors import warn
from cardan.results.measure_series import measure_series
from cardan.results.trajectory import Trajectory


def warn_of_limits(result: Trajectory, *, parts: int = 1) -> None:
    """Warn about measures that leave their range, at the output times and at `parts` - 1 times between each two.

    Elements that are not engaged all the time are ignored.
    """
    system = result.system
    engaged = np.all([shift.engaged for shift in result.shifts], axis=0) if result.shifts else np.ones(system.row_count)
    open_at_times = set(system.owner[engaged == 0].tolist())
    closed = [element for k, element in enumerate(system.elements) if k not in open_at_times]
    limits = [limit for element in closed for limit in element.limits()]
    if not limits or not len(result):
        return
    times, *motion = result.between(parts) if parts > 1 else (result.times, result.q, result.v, result.a)
    values = measure_series(system, [limit.measure for limit in limits], times, *motion)
    others = iter(measure_series(system, [limit.less for limit in limits if limit.less], times, *motion))
    for limit, value in zip(limits, values, strict=True):
        if limit.less:
            value[:, 0] = np.sqrt(np.maximum(value[:, 0] ** 2 - next(others)[:, 0] ** 2, 0.0))
        out = np.flatnonzero((value[:, 0] < limit.low) | (value[:, 0] > limit.high))
        if out.size:
            k = int(out[0])
            warn(
                f"at t = {times[k]:.6g} s {limit.what}: {value[k, 0]:.4g} is not between {limit.low:.4g} and "
                f"{limit.high:.4g}"
            )
