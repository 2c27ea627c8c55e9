"""Derivatives of smooth formulas by sixth-order central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETER_STEP = 2.0**-8  # relative to a parameter, or to its unit if it is zero
FORMULA = ((1, 3.0 / 4.0), (2, -3.0 / 20.0), (3, 1.0 / 60.0))
CHECK_STEP = 2.0**-12  # relative to that step: step of the difference for comparison
AGREE, DERIVATIVE_ROUNDING = 1e-5, 1e-8  # relative to a derivative, and to the largest: allowed difference of both


def difference_step(size: float, length: float = 0.0, speed: float = 0.0) -> float:
    """A power of two that is small relative to a size, and moves a point with `speed` little relative to `length`."""
    step = min(PARAMETER_STEP * size, PARAMETER_STEP * length / speed) if speed else PARAMETER_STEP * size
    return float(2.0 ** np.floor(np.log2(step)))


def differentiated(read: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """d/ds of a quantity at s = 0, by sixth-order differences with step h.

    A quantity with a kink within these steps, such as the force of a tire that lifts off the road, has no such
    difference: a short second-order difference is compared, and used where both disagree.
    """
    total: Any = 0.0
    for k, weight in FORMULA:
        for sign in (1.0, -1.0):
            total = total + (sign * weight / h) * read(sign * k * h)
    short = (read(CHECK_STEP * h) - read(-CHECK_STEP * h)) / (2.0 * CHECK_STEP * h)
    apart, size = np.abs(short - total), np.abs(total)
    return np.where(apart > AGREE * size + DERIVATIVE_ROUNDING * size.max(initial=0.0), short, total)
