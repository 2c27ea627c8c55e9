"""What a body costs per time point as a mechanism grows from 10 to 1,000 members."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from marching import Loop
from timing import at_most, interleaved, repeated, table

from cardan.analysis.assembly.closing import Tolerances
from cardan.model.model import Model
from cardan.results.trajectory import Trajectory

SIZES = (10, 100, 1000)
CLOSED, CHANGED = 1e-10, 1e-5  # m, rad: the tolerances of equations and of steps, the same for every length
RUNS = 7


class Cost(NamedTuple):
    """Of one size."""

    seconds: float  # CPU time per body and time point
    error: float  # the largest, against the closed form


def costs(
    title: str,
    build: Callable[[int], Model],
    times: np.ndarray,
    bodies: Callable[[int], int],
    length: Callable[[int], float],
    error: Callable[[int, Trajectory], float],
) -> dict[int, Cost]:
    """Time the compiled loop of all sizes in turn, check the motions, print the table.

    Cardan compares lengths with the size of the model; `length` says how long it is, so that the same is asked for in
    metres, however long it gets.
    """
    loops = {n: Loop(build(n), times, Tolerances(CLOSED / length(n), CHANGED)) for n in SIZES}
    passes = {n: SIZES[-1] // n for n in SIZES}
    seconds = interleaved({str(n): repeated(loop, passes[n]) for n, loop in loops.items()}, RUNS)
    each = {n: seconds[str(n)] / passes[n] / bodies(n) / (times.size - 1) for n in SIZES}
    motions = {n: loop() for n, loop in loops.items()}
    errors = {n: error(n, motion) for n, motion in motions.items()}
    iterations = {n: float(motion.iterations[1:].mean()) for n, motion in motions.items()}
    table(
        f"{title}, CPU time per body and time point (medians of {RUNS} interleaved runs)",
        ("members", "bodies", "ns", "against 10", "Newton iterations", "error in m, rad"),
        [(n, bodies(n), 1e9 * each[n], each[n] / each[10], iterations[n], f"{errors[n]:.1e}") for n in SIZES],
    )
    return {n: Cost(each[n], errors[n]) for n in SIZES}


def verdicts(found: dict[int, Cost], members: str) -> list[bool]:
    ratio, worst = found[1000].seconds / found[10].seconds, max(cost.error for cost in found.values())
    return [
        at_most(f"cost per body of 1000 {members} against 10", ratio, 1.5, "x"),
        at_most("largest error against the closed form", worst, 1e-9),
    ]


def report_time(task: Callable[[Model], Any], build: Callable[[int], Model]) -> tuple[Any, float]:
    """What `task` makes of 1,000 members that are stated already, and its CPU time."""
    model = build(1000)
    task(build(2))  # what is loaded on the first call does not count
    begun = time.process_time()
    found = task(model)
    return found, time.process_time() - begun
