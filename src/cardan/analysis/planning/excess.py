"""By how much a planned motion exceeds its limits between the points of the plan.

Limits hold at the points. Between them motions are quintic polynomials in time, and the path is curved: the mechanism
is driven by these motions at three times in each interval, and speeds, accelerations and forces there are those of
inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.analysis.planning.path import Path
from cardan.analysis.planning.path_forces import PathForces
from cardan.analysis.planning.planned_motion import PlannedMotion
from cardan.errors import warn
from cardan.model.measure import Readable

BETWEEN = (0.25, 0.5, 0.75)  # of each interval
NOTABLE = 0.01  # relative to a limit: an excess that is reported

Stated = Mapping[str, Mapping[Readable, tuple[float, float]]]


def excess_of(path: Path, plan: PlannedMotion, stated: Stated, actuators: list[Readable]) -> dict[str, float]:
    """The largest excess of each limited quantity, relative to its limit; 0 of those that stay within."""
    lengths = np.diff(plan.times)
    inside = plan.times[:-1, None] + np.multiply.outer(lengths, BETWEEN)
    times = np.concatenate([[0.0], inside.ravel()])
    run = path.driven(plan.motions, times)
    found = {}
    for kind, word, level in (("speeds", "speed", "rate"), ("accelerations", "acceleration", "acceleration")):
        for measure, limits in stated[kind].items():
            found[f"the {word} of {measure}"] = _beyond(getattr(run[measure], level), limits)
    if stated["forces"]:
        one = np.ones(times.size)
        forces = PathForces(run, actuators).at(one, 0.0 * one, times)
        for k, measure in enumerate(actuators):
            if measure in stated["forces"]:
                found[f"the force along {measure}"] = _beyond(forces[:, k], stated["forces"][measure])
    return found


def warn_of_excess(plan: PlannedMotion) -> None:
    """Warn of limits that are exceeded notably."""
    beyond = {name: part for name, part in plan.excess.items() if part > NOTABLE}
    if beyond:
        listed = ", ".join(f"{name} by {100.0 * part:.2g} %" for name, part in beyond.items())
        warn(
            f"the planned motion of '{plan.run.model.name}' exceeds limits between its points: {listed}; raise points= "
            f"above {plan.s.size - 1}, or reduce these limits"
        )


def _beyond(values: Any, limits: tuple[float, float]) -> float:
    """The largest violation, relative to the limit that is violated, or to the range where that limit is zero."""
    worst = 0.0
    for side, limit in zip((-1.0, 1.0), limits, strict=True):
        if np.isfinite(limit):
            size = abs(limit) or limits[1] - limits[0]
            worst = max(worst, float((side * (np.asarray(values)[1:] - limit)).max()) / size)
    return worst
