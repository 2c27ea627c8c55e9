"""By how much a planned motion exceeds limits between its points, where motions are quintic polynomials in time.

The mechanism is driven by these motions at times in each interval; speeds, accelerations and forces there are those of
inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.planning.path import Path, PathForces
from cardan.analysis.planning.planned_motion import PlannedMotion
from cardan.errors import warn
from cardan.model.measure import Readable

BETWEEN = (0.06, 0.19, 0.38, 0.62, 0.81, 0.94)  # of each interval
LIMIT_TOLERANCE = 1e-4  # relative to a limit

Stated = Mapping[str, Mapping[Readable, tuple[float, float]]]


class Excess(NamedTuple):
    """By how much a quantity exceeds its limits in each interval; 0 where it stays within."""

    values: np.ndarray
    relative: np.ndarray  # to the limit that is exceeded


def excess_of(path: Path, plan: PlannedMotion, stated: Stated, actuators: list[Readable]) -> dict[str, Excess]:
    """The excess of each limited quantity in each interval."""
    lengths = np.diff(plan.times)
    inside = plan.times[:-1, None] + np.multiply.outer(lengths, BETWEEN)
    times = np.concatenate([[0.0], inside.ravel()])
    run = path.driven(plan.motions, times)
    found = {}
    for kind, word, level in (("speeds", "speed", "rate"), ("accelerations", "acceleration", "acceleration")):
        for measure, limits in stated[kind].items():
            found[f"the {word} of {measure}"] = _violation(getattr(run[measure], level), limits)
    for measure, limits in stated["jerks"].items():
        found[f"the jerk of {measure}"] = _violation(plan.motion(measure).jerk(times), limits)
    if stated["forces"]:
        one = np.ones(times.size)
        forces = PathForces(run, actuators).at(one, 0.0 * one, times)
        for k, measure in enumerate(actuators):
            if measure in stated["forces"]:
                found[f"the force along {measure}"] = _violation(forces[:, k], stated["forces"][measure])
    return found


def warn_of_excess(plan: PlannedMotion) -> None:
    """Warn of limits that are exceeded."""
    beyond = {name: part for name, part in plan.excess.items() if part > LIMIT_TOLERANCE}
    if beyond:
        listed = ", ".join(f"{name} by {100.0 * part:.2g} %" for name, part in beyond.items())
        warn(
            f"the planned motion of '{plan.run.model.name}' exceeds limits between its points: {listed}; raise points= "
            f"above {plan.s.size - 1}, or reduce these limits"
        )


def _violation(values: Any, limits: tuple[float, float]) -> Excess:
    """The violation, relative to the limit that is violated, or to the range where that limit is zero."""
    inside = np.asarray(values)[1:].reshape(-1, len(BETWEEN))
    worst, relative = np.zeros(len(inside)), np.zeros(len(inside))
    for side, limit in zip((-1.0, 1.0), limits, strict=True):
        if np.isfinite(limit):
            beyond = (side * (inside - limit)).max(axis=1)
            worst = np.maximum(worst, beyond)
            relative = np.maximum(relative, beyond / (abs(limit) or limits[1] - limits[0]))
    return Excess(worst, relative)
