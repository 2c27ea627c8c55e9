"""Cardan's side of the dynamics benchmarks: CPU time, error, steps and iterations of `simulate`.

The time counted is that of the compiled loop, as with the rivals, whose models are built beforehand. The whole call,
in which the model becomes arrays, is assembled and its rank judged, is told beside it.
"""

from __future__ import annotations

import math
import statistics
import time
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from dynamics_models import Stated, state
from dynamics_problems import Problem

from cardan import CardanError, CardanWarning, simulate

Options = dict[str, Any]


class Measured(NamedTuple):
    """One run."""

    options: Options
    error: float  # m, of the tip at the end; NaN if the run stopped
    cpu: float  # s, of the loop
    call: float  # s, of everything
    steps: int
    iterations: int
    stopped: str | None = None


def measured(problem: Problem, exact: np.ndarray, runs: Sequence[Options], repetitions: int = 3) -> list[Measured]:
    """Each run several times, in turn, after one that does not count; medians."""
    stated = state(problem)
    for options in runs:
        _timed(stated, problem, options)
    tries = [[_timed(stated, problem, options) for options in runs] for _ in range(repetitions)]
    found = []
    for k, options in enumerate(runs):
        seconds, run, stopped = statistics.median(each[k][0] for each in tries), *tries[-1][k][1:]
        if run is None:
            found.append(Measured(options, math.nan, math.nan, seconds, 0, 0, stopped))
            continue
        error = float(np.abs(place(stated, run) - exact).max())
        loop = statistics.median(each[k][1].stats.seconds or each[k][0] for each in tries)
        found.append(Measured(options, error, loop, seconds, run.stats.steps, run.stats.iterations))
    return found


def final(problem: Problem, **options: Any) -> np.ndarray:
    """Where the tip is at the end."""
    stated = state(problem)
    return place(stated, simulate(stated.model, problem.until, output=problem.until, **options))


def place(stated: Stated, run: Any) -> np.ndarray:
    return np.asarray(run[stated.tip].position[-1])


def cost_at(error: float, curve: Sequence[Measured]) -> float:
    """CPU seconds for an error, read off the log-log curve through the runs that no other run beats in both.

    Where even the coarsest run is better, its time; where none is good enough, NaN, which passes no verdict.
    """
    front: list[Measured] = []
    for run in sorted((run for run in curve if run.stopped is None), key=lambda run: run.cpu):
        if not front or run.error < front[-1].error:
            front.append(run)
    if not front or front[-1].error > error:
        return math.nan
    errors = [math.log(max(run.error, 1e-300)) for run in reversed(front)]
    return math.exp(np.interp(math.log(error), errors, [math.log(run.cpu) for run in reversed(front)]))


def _timed(stated: Stated, problem: Problem, options: Options) -> tuple[float, Any, str | None]:
    """CPU seconds of the whole call, and the run or the sentence with which it stopped."""
    until = problem.until
    begun = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CardanWarning)  # what is dropped or refused shows in the error
            run = simulate(stated.model, until, output=until, **options)
    except CardanError as stop:
        return time.process_time() - begun, None, str(stop)
    return time.process_time() - begun, run, None
