"""The linear equations of deviations from a run, at the instants of windows that are short where laws have kinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.linear.ports import Port
from cardan.analysis.sensitivity.slopes import Slopes
from cardan.analysis.sensitivity.windows import Windows, kinks, windows_of
from cardan.results.simulation import Simulation

ROUNDS = 2  # in which windows with kinks are cut into eighths
LOOKED_AT = 4  # directions in which the equations are looked at for kinks


def slopes_along(
    run: Simulation, stages: int, pace: int, ports: Sequence[Port], start: Any, order: int
) -> tuple[Windows, Slopes]:
    """Windows of a run and the slopes at their instants, by differences of an order; `follow` adds parameters."""
    cuts = np.zeros(0)
    start = run.options.get("start") if start is None else start
    windows = windows_of(run, stages, pace)
    slopes = Slopes(windows.run, (), ports, start, order)
    for _ in range(ROUNDS):
        new = kinks(windows, _rates(slopes))
        if not new.size:
            break
        cuts = np.union1d(cuts, new)
        windows = windows_of(run, stages, pace, cuts)
        slopes = Slopes(windows.run, (), ports, start, order)
    return windows, slopes


def _rates(slopes: Slopes) -> np.ndarray:
    """x' of a few deviations of unit size, [instants, rows, deviations], relative to that size."""
    unit = slopes.unit[:, None]
    signs = np.cos(np.arange(1, unit.size + 1)[:, None] ** 2 * np.arange(1, LOOKED_AT + 1))
    found: np.ndarray = slopes.B @ (slopes.left @ (unit * signs)) / unit
    return found
