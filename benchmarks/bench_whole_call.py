"""Whole calls of short analyses: `simulate` against its compiled loop, and `kinematics` of a three-body mechanism.

Two falling four-bars run for 10 s, again and again with the same model, as a user does who changes what is shown or how
long it runs; the first call of a model, which compiles and checks it, is shown beside them. CPU times; medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from dynamics_models import state
from dynamics_problems import n_four_bar
from mechanisms import slider_crank
from timing import at_most, conclude, table

from cardan import kinematics, simulate

REPETITIONS = 41
UNTIL = 10.0  # s
TIMES = np.linspace(0.0, 0.2 * np.pi, 361)


def main() -> None:
    problem = n_four_bar(2, UNTIL)
    models = [state(problem).model for _ in range(REPETITIONS)]
    again, ratio = _measured(lambda k: _simulated(models[0]))
    first, _ = _measured(lambda k: _simulated(models[k]))
    crank = slider_crank()
    driven, _ = _measured(lambda k: kinematics(crank, TIMES, progress=False))
    lines = [
        ["simulate, two four-bars, 10 s, a model's first call", 1e3 * first],
        ["simulate, further calls", 1e3 * again],
        ["kinematics, slider-crank, 361 points", 1e3 * driven],
    ]
    table("whole calls", ["", "ms of CPU"], lines)
    conclude(
        [
            at_most("whole call of simulate, relative to its loop", ratio, 1.5, " times"),
            at_most("whole call of kinematics", 1e3 * driven, 3.0, " ms"),
        ]
    )


def _simulated(model: Any) -> Any:
    return simulate(model, UNTIL, output=UNTIL, progress=False)


def _measured(task: Callable[[int], Any]) -> tuple[float, float]:
    """The median CPU time of a task, and of its ratio to that of the compiled loop."""
    for _ in range(3):
        task(0)
    spent, ratios = [], []
    for k in range(1, REPETITIONS):
        begun = time.process_time()
        found = task(k)
        spent.append(time.process_time() - begun)
        ratios.append(spent[-1] / found.stats.seconds if hasattr(found, "stats") else 0.0)
    return statistics.median(spent), statistics.median(ratios)


if __name__ == "__main__":
    main()
