r"""Frequency weightings of human exposure to vibration, ISO 2631-1:1997, Annex A.

H = H_band  H_transition  H_step,       s = i 2 pi f,  w_k = 2 pi f_k,  Q_1 = Q_2 = 1 / sqrt(2)

H_band = 1 / (1 + w_1 / (Q_1 s) + (w_1 / s)^2) / (1 + s / (Q_2 w_2) + (s / w_2)^2)        band limits
H_transition = (1 + s / w_3) / (1 + s / (Q_4 w_4) + (s / w_4)^2)      acceleration below f_4, velocity above
H_step = (w_5 / w_6)^2 (1 + s / (Q_5 w_5) + (s / w_5)^2) / (1 + s / (Q_6 w_6) + (s / w_6)^2)         upward step

Wk   vertical on the seat, and vertical and lateral on the floor      Wc   fore and aft on the backrest
Wd   horizontal on the seat                                            We   rotation
Wf   vertical, motion sickness                                         Wj   under the head of a lying person
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan.errors import ModelError
from cardan.model import check

BUTTERWORTH = math.sqrt(0.5)
NO_CORNER = math.inf  # a corner frequency that the weighting does not have
FORGOTTEN_AFTER = 8.0  # time constants of the slowest pole after which a signal is forgotten


@dataclass(frozen=True)
class Weighting:
    """A frequency weighting by its corner frequencies in Hz and quality factors; see `WEIGHTINGS`.

    >>> from cardan.vehicles import WEIGHTINGS
    >>> [round(float(WEIGHTINGS["Wk"].gain(f)), 3) for f in (1.0, 6.3, 40.0)]
    [0.482, 1.054, 0.314]
    """

    name: str
    lowest: float  # f_1
    highest: float  # f_2
    velocity: float  # f_3
    turn: float  # f_4
    turn_quality: float  # Q_4
    step_from: float = NO_CORNER  # f_5
    step_from_quality: float = 1.0
    step_to: float = NO_CORNER  # f_6
    step_to_quality: float = 1.0

    def response(self, hertz: ArrayLike) -> NDArray[np.complex128]:
        """H(i 2 pi f): gain and phase at frequencies in Hz; zero at f = 0."""
        f = np.asarray(hertz, float)
        s = 1j * f
        below = s**2 / (s**2 + s * self.lowest / BUTTERWORTH + self.lowest**2)
        found = below * self._reciprocal(s, self.highest, BUTTERWORTH)
        found = found * self._reciprocal(s, self.turn, self.turn_quality) * (1.0 + s / self.velocity)
        if self.step_from < NO_CORNER:
            up = self._reciprocal(s, self.step_to, self.step_to_quality) * (self.step_from / self.step_to) ** 2
            found = found * up / self._reciprocal(s, self.step_from, self.step_from_quality)
        return np.asarray(found)

    @staticmethod
    def _reciprocal(s: NDArray[np.complex128], corner: float, quality: float) -> NDArray[np.complex128]:
        return np.asarray(1.0 / (1.0 + s / (quality * corner) + (s / corner) ** 2))

    def gain(self, hertz: ArrayLike) -> NDArray[np.float64]:
        """The magnitude of H at frequencies in Hz."""
        return np.abs(self.response(hertz))

    def weighted(self, values: ArrayLike, interval: float) -> NDArray[np.float64]:
        """The weighted signal of equally spaced `values`, at rest before the first.

        The signal is taken as band-limited: its transform is multiplied by H at each frequency, after enough zeros are
        appended for the weighting to forget the end before the start. Gains are exact up to half the sampling rate.
        """
        signal = np.asarray(values, float)
        if signal.ndim != 1 or signal.size < 2 or not np.isfinite(signal).all():
            raise ModelError(f"{self.name} weights a list of at least two finite values, got shape {signal.shape}")
        step = check.positive(interval, "the interval between values")
        forgotten = FORGOTTEN_AFTER / (2.0 * math.pi * self._slowest)
        count = signal.size + math.ceil(forgotten / step)
        spectrum = np.fft.rfft(signal, count) * self.response(np.fft.rfftfreq(count, step))
        found: NDArray[np.float64] = np.fft.irfft(spectrum, count)[: signal.size]
        return found

    @property
    def _slowest(self) -> float:
        """The smallest decay rate of all poles, over 2 pi."""
        pairs = [(self.lowest, BUTTERWORTH), (self.turn, self.turn_quality), (self.step_to, self.step_to_quality)]
        rates = [corner / (2.0 * quality) for corner, quality in pairs if corner < NO_CORNER]  # complex: all Q > 1/2
        return min(rates)

    def rms(self, density: ArrayLike, frequencies: ArrayLike) -> float:
        """The weighted root mean square of an acceleration with a one-sided power spectral density over the angular
        frequency, as returned by `linear.spectrum()`, by the trapezoidal rule over `frequencies` in rad/s.

        White noise of 1 (m/s2)^2 s/rad between 1 and 80 Hz:

        >>> import numpy as np
        >>> from cardan.vehicles import WEIGHTINGS
        >>> w = 2.0 * np.pi * np.linspace(1.0, 80.0, 10001)
        >>> round(WEIGHTINGS["Wk"].rms(np.ones_like(w), w), 3)
        11.304
        """
        w, power = check_spectrum(density, frequencies)
        return math.sqrt(float(np.trapezoid(power * self.gain(w / (2.0 * math.pi)) ** 2, w)))


def check_spectrum(density: Any, frequencies: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Growing angular frequencies and the density at each."""
    w, power = np.asarray(frequencies, float), np.asarray(density, float)
    if w.ndim != 1 or w.size < 2 or not (np.isfinite(w).all() and (np.diff(w) > 0.0).all() and w[0] >= 0.0):
        raise ModelError("frequencies must be at least two growing numbers in rad/s")
    if power.shape != w.shape or not (np.isfinite(power).all() and (power >= 0.0).all()):
        raise ModelError(
            f"a power spectral density has one value, not negative, for each of {w.size} frequencies, got shape "
            f"{power.shape}; take one column of linear.spectrum()"
        )
    return w, power


WEIGHTINGS = {
    each.name: each
    for each in (
        Weighting("Wk", 0.4, 100.0, 12.5, 12.5, 0.63, 2.37, 0.91, 3.35, 0.91),
        Weighting("Wd", 0.4, 100.0, 2.0, 2.0, 0.63),
        Weighting("Wf", 0.08, 0.63, NO_CORNER, 0.25, 0.86, 0.0625, 0.80, 0.1, 0.80),
        Weighting("Wc", 0.4, 100.0, 8.0, 8.0, 0.63),
        Weighting("We", 0.4, 100.0, 1.0, 1.0, 0.63),
        Weighting("Wj", 0.4, 100.0, NO_CORNER, NO_CORNER, 1.0, 3.75, 0.91, 5.32, 0.91),
    )
}


def weighting(name: object) -> Weighting:
    """A weighting, or the one with this name."""
    if isinstance(name, Weighting):
        return name
    return WEIGHTINGS[check.choice(name, tuple(WEIGHTINGS), "a frequency weighting")]
