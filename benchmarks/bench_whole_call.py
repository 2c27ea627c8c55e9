"""Whole calls of short analyses: `simulate` against its compiled loop, and `kinematics` of a three-body mechanism.

Two falling four-bars run for 10 s. CPU times; medians.
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
    bars, crank = state(n_four_bar(2, UNTIL)).model, slider_crank()
    falling, ratio = _measured(lambda: simulate(bars, UNTIL, output=UNTIL, progress=False))
    driven, _ = _measured(lambda: kinematics(crank, TIMES, progress=False))
    lines = [
        ["simulate, two four-bars, 10 s", 1e3 * falling],
        ["kinematics, slider-crank, 361 points", 1e3 * driven],
    ]
    table("whole calls", ["", "ms of CPU"], lines)
    conclude(
        [
            at_most("whole call of simulate, relative to its loop", ratio, 1.5, " times"),
            at_most("whole call of kinematics", 1e3 * driven, 3.0, " ms"),
        ]
    )


def _measured(task: Callable[[], Any]) -> tuple[float, float]:
    """The median CPU time of a task, and of its ratio to that of the compiled loop."""
    for _ in range(3):
        task()
    spent, ratios = [], []
    for _ in range(REPETITIONS):
        begun = time.process_time()
        found = task()
        spent.append(time.process_time() - begun)
        ratios.append(spent[-1] / found.stats.seconds if hasattr(found, "stats") else 0.0)
    return statistics.median(spent), statistics.median(ratios)


if __name__ == "__main__":
    main()
