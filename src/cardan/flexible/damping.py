"""Damping of modes: a ratio for all, ratios by frequency, or proportional to mass and stiffness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check


@dataclass(frozen=True)
class Rayleigh:
    """Damping B = mass * M + stiffness * K: ratios zeta = mass / (2 omega) + stiffness * omega / 2.

    >>> Rayleigh(stiffness=1e-5).ratios(np.array([100.0])).round(6)   # at 100 Hz
    array([0.003142])
    """

    mass: float = 0.0  # 1/s
    stiffness: float = 0.0  # s

    def ratios(self, frequencies: np.ndarray) -> np.ndarray:
        omega = 2.0 * np.pi * np.asarray(frequencies)
        return self.mass / (2.0 * omega) + 0.5 * self.stiffness * omega


def damping_ratios(stated: Any, frequencies: np.ndarray) -> np.ndarray:
    """The damping ratio of each mode. `stated` is None, a number, "graded", a Rayleigh, a list, or a function of Hz.

    "graded" are the ratios that Adams uses by default: 1 % below 100 Hz, 10 % to 1 kHz, critical above.

    >>> damping_ratios("graded", np.array([50.0, 500.0, 5000.0]))
    array([0.01, 0.1 , 1.  ])
    """
    f = np.asarray(frequencies, dtype=float)
    if stated is None:
        return np.zeros(len(f))
    if isinstance(stated, Rayleigh):
        for name in ("mass", "stiffness"):
            if check.number(getattr(stated, name), f"{name} of Rayleigh") < 0.0:
                raise ModelError(f"{name} of Rayleigh must not be negative, got {getattr(stated, name):g}")
        return stated.ratios(f)
    if isinstance(stated, str):
        check.choice(stated, ("graded",), "damping")
        return np.where(f < 100.0, 0.01, np.where(f < 1000.0, 0.1, 1.0))
    if callable(stated):
        ratios = np.array([check.number(stated(float(each)), "a damping ratio") for each in f])
    elif np.ndim(stated) == 0:
        ratios = np.full(len(f), check.number(stated, "damping"))
    else:
        ratios = np.array(check.vector(stated, len(f), f"damping (one ratio for each of the {len(f)} modes)"))
    if len(ratios) and ratios.min() < 0.0:
        raise ModelError(f"damping ratios must not be negative, got {ratios.min():g}")
    return ratios
