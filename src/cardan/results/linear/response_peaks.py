"""Resonances: local maxima of frequency responses.

A fine grid, denser near the modes, brackets each maximum of |G(i w)|; bounded minimization locates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.results.linear.linearization import Linearization

NEWTON_STEPS, MAX_POLISH_STEP = 3, 1e-4  # steps of Newton's method at a peak, each at most this part of its frequency
GRID_FREQUENCIES = 400  # frequencies of the grid, evenly on a logarithmic scale
NEAR = np.concatenate([-np.geomspace(3.0, 0.1, 8), [0.0], np.geomspace(0.1, 3.0, 8)])  # half widths around a mode


class ResponsePeak(NamedTuple):
    """A maximum of the response of `output` to `input`: its frequency in Hz, gain in SI units, and gain in dB."""

    output: str
    input: str
    hertz: float
    gain: float
    decibels: float


class PeakSensitivities:
    """Derivatives of resonances by parameters.

    `peaks` are the resonances, `parameters` the names. `hertz`, `gain` and `decibels` have a line for each peak and a
    column for each parameter; `found[k, "spring.damping"]` is (d hertz, d gain) of one.
    """

    def __init__(self, peaks: Sequence[ResponsePeak], parameters: Sequence[str], slopes: np.ndarray) -> None:
        self.peaks, self.parameters = tuple(peaks), tuple(parameters)
        self.hertz, self.gain = slopes[..., 0], slopes[..., 1]

    @property
    def decibels(self) -> np.ndarray:
        """The derivatives of 20 log10 |G|."""
        gains = np.array([peak.gain for peak in self.peaks]).reshape(-1, 1)
        return np.asarray(20.0 / np.log(10.0) * self.gain / gains)

    def __len__(self) -> int:
        return len(self.peaks)

    def __getitem__(self, key: tuple[int, str]) -> tuple[float, float]:
        if not isinstance(key, tuple) or len(key) != 2 or key[1] not in self.parameters:
            raise ModelError(
                f"peak sensitivities are indexed by peak and parameter, found[0, {self.parameters[0]!r}], not by "
                f"{key!r}"
            )
        place = key[0], self.parameters.index(key[1])
        return float(self.hertz[place]), float(self.gain[place])

    def __repr__(self) -> str:
        lines = [f"{len(self)} peaks by {', '.join(self.parameters)}"]
        for k, peak in enumerate(self.peaks):
            lines.append(f"  {peak.output} by {peak.input}: {peak.hertz:.6g} Hz, {peak.decibels:.4g} dB")
            for name, f, g in zip(self.parameters, self.hertz[k], self.decibels[k], strict=True):
                lines.append(f"    {name}: {f:.4g} Hz, {g:.4g} dB per unit")
        return "\n".join(lines)


def response_peaks(linear: Linearization, low: float, high: float) -> list[ResponsePeak]:
    """The maxima of all responses between two frequencies in Hz, the largest gain of each response first."""
    low, high = check.positive(low, "the lowest frequency"), check.positive(high, "the highest frequency")
    if not low < high:
        raise ModelError(f"response_peaks() needs a lowest frequency below the highest, got {low:g} and {high:g} Hz")
    s = linear.eigenvalues()
    around = (s.imag[:, None] + NEAR * np.abs(s.real)[:, None]).ravel() / (2.0 * np.pi)
    grid = np.unique(
        np.concatenate([np.geomspace(low, high, GRID_FREQUENCIES), around[(around > low) & (around < high)]])
    )
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
    w = 2.0 * np.pi * float(best.x)
    for _ in range(NEWTON_STEPS):  # the top is flat: values of g do not locate it to more than half the digits
        G, first, second = linear.response_derivatives(w)[:, i, j]
        curved = abs(first) ** 2 + (np.conj(G) * second).real
        step = -(np.conj(G) * first).real / curved if curved < 0.0 else 0.0
        if abs(step) > MAX_POLISH_STEP * w:
            break
        w += step
    return w / (2.0 * np.pi), gain(w / (2.0 * np.pi))
