"""Resonances: local maxima of frequency responses.

A fine grid, denser near the modes, brackets each maximum of |G(i w)|; bounded minimization locates it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.results.linear.linearization import Linearization

GRID = 400  # frequencies of the grid, evenly on a logarithmic scale
NEAR = np.concatenate([-np.geomspace(3.0, 0.1, 8), [0.0], np.geomspace(0.1, 3.0, 8)])  # half widths around a mode


class ResponsePeak(NamedTuple):
    """A maximum of the response of `output` to `input`: its frequency in Hz, gain in SI units, and gain in dB."""

    output: str
    input: str
    hertz: float
    gain: float
    decibels: float


def response_peaks(linear: Linearization, low: float, high: float) -> list[ResponsePeak]:
    """The maxima of all responses between two frequencies in Hz, the largest gain of each response first."""
    low, high = check.positive(low, "the lowest frequency"), check.positive(high, "the highest frequency")
    if not low < high:
        raise ModelError(f"response_peaks() needs a lowest frequency below the highest, got {low:g} and {high:g} Hz")
    s = linear.eigenvalues()
    around = (s.imag[:, None] + NEAR * np.abs(s.real)[:, None]).ravel() / (2.0 * np.pi)
    grid = np.unique(np.concatenate([np.geomspace(low, high, GRID), around[(around > low) & (around < high)]]))
    gains = np.abs(linear.frequency_response(2.0 * np.pi * grid))
    found = []
    for i, output in enumerate(linear.outputs):
        for j, name in enumerate(linear.input_names):
            line = gains[:, i, j]
            tops = 1 + np.flatnonzero((line[1:-1] > line[:-2]) & (line[1:-1] >= line[2:]))
            peaks = [_refined(linear, i, j, grid[k - 1], grid[k + 1]) for k in tops]
            known = [ResponsePeak(output, name, f, g, 20.0 * float(np.log10(g))) for f, g in peaks if g > 0.0]
            found += sorted(known, key=lambda peak: -peak.gain)
    return found


def _refined(linear: Linearization, i: int, j: int, low: float, high: float) -> tuple[float, float]:
    """The frequency and gain of the maximum between two frequencies."""

    def gain(hertz: float) -> float:
        return float(np.abs(linear.frequency_response(2.0 * np.pi * hertz)[0, i, j]))

    best = minimize_scalar(lambda f: -gain(f), bounds=(low, high), method="bounded", options={"xatol": 1e-10 * high})
    return float(best.x), gain(float(best.x))
