"""Mechanisms of one freedom, reduced to one equation and integrated by SciPy: another way to the same motion.

T = M(phi) phi'^2 / 2        M phi'' + M' phi'^2 / 2 = Q(phi, phi')
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp


def reduced(
    inertia: Callable[[float], tuple[float, float]],
    push: Callable[[float, float], float],
    start: tuple[float, float],
    until: float,
    longest: float = np.inf,
    **options: Any,
) -> Any:
    """SciPy's solution [phi, phi'] with dense output; `inertia` gives M and M' at an angle, `push` is Q."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        M, slope = inertia(y[0])
        return [y[1], (push(y[0], y[1]) - 0.5 * slope * y[1] ** 2) / M]

    tolerance = {"rtol": 1e-11, "atol": 1e-12, "max_step": longest}
    return solve_ivp(rates, (0.0, until), start, "DOP853", dense_output=True, **tolerance, **options)


def tabulated(inertia: Callable[[np.ndarray], np.ndarray], count: int = 720) -> Callable[[float], tuple[float, float]]:
    """M and M' of a periodic M(phi), as the Fourier series through `count` samples: exact to rounding if smooth."""
    samples = inertia(2 * np.pi * np.arange(count) / count)
    series = np.fft.rfft(samples) / count
    keep = int(np.max(np.flatnonzero(np.abs(series) > 1e-14 * np.abs(series[0])))) + 1
    orders = np.arange(keep)
    series = np.where(orders == 0, 1.0, 2.0) * series[:keep]

    def at(phi: float) -> tuple[float, float]:
        waves = series * np.exp(1j * orders * phi)
        return float(waves.real.sum()), float((1j * orders * waves).real.sum())

    return at
