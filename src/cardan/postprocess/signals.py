"""Spectra and load cycles of any column of a run.

    run.spectrum("mass.y")        amplitudes and power spectral densities over the frequency in Hz
    run.rainflow("spring.force")  load cycles by rainflow counting, ASTM E1049-85, 5.4.4

Spectra are those of scipy.signal: the periodogram, or with several segments Welch's average.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

EVEN_SPACING = 1e-6  # of the interval: output times that differ less are equally spaced


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The spectrum of a column: `frequencies` in Hz, `amplitudes` of harmonics in its unit, and the one-sided power
    spectral `density` in its unit squared per Hz, whose integral is the mean square."""

    name: str
    unit: str
    window: str
    frequencies: np.ndarray
    amplitudes: np.ndarray
    density: np.ndarray

    @property
    def peak(self) -> float:
        """The frequency of the largest amplitude, in Hz; its accuracy is the distance of two frequencies."""
        return float(self.frequencies[int(np.argmax(self.amplitudes))])

    @property
    def mean_square(self) -> float:
        """The mean square of the column without its mean."""
        return float(self.density.sum() * self.frequencies[1])

    def __repr__(self) -> str:
        step = self.frequencies[1]
        return (
            f"<spectrum of {self.name}: {self.frequencies.size} frequencies to {self.frequencies[-1]:g} Hz, every "
            f"{step:g} Hz, window {self.window}; largest amplitude {self.amplitudes.max():.6g} {self.unit} at "
            f"{self.peak:g} Hz>"
        )


@dataclass(frozen=True, eq=False)
class Rainflow:
    """Load cycles of a column in the order in which they close: `ranges` and `means` in its unit, `counts` 1 or 0.5."""

    name: str
    unit: str
    ranges: np.ndarray
    means: np.ndarray
    counts: np.ndarray

    def histogram(self, edges: Any) -> np.ndarray:
        """The number of cycles with ranges between each two `edges`; a range on an edge counts above it."""
        stated = np.asarray(edges, float)
        if stated.ndim != 1 or stated.size < 2 or not (np.diff(stated) > 0.0).all():
            raise ModelError(f"edges of a histogram must be at least two increasing numbers, got {edges!r}")
        return np.asarray(np.histogram(self.ranges, stated, weights=self.counts)[0])

    def damage(self, exponent: float, reference: float) -> float:
        """Miner's sum of (range / reference)^exponent: 1 for one cycle of the reference range."""
        m, size = check.positive(exponent, "the exponent"), check.positive(reference, "the reference range")
        return float(np.sum(self.counts * (self.ranges / size) ** m))

    def __repr__(self) -> str:
        largest = self.ranges.max(initial=0.0)
        return f"<{self.counts.sum():g} cycles of {self.name}, largest range {largest:.6g} {self.unit}>"


def spectrum(run: Trajectory, column: str, window: str = "hann", segments: int = 1) -> Spectrum:
    """The spectrum of a column without its mean; output times must be equally spaced.

    `window` is one of scipy.signal: "boxcar" for whole periods, "hann" in general, "flattop" for amplitudes.
    With `segments` the run is divided into as many parts that overlap by half, whose densities are averaged.

    >>> import numpy as np
    >>> from cardan import simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> mass = model.add(Body(mass=1.0, inertia=1.0, position=(0.1, 0)), name="mass")
    >>> guide = model.add(Translational(model.ground.at(), mass.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, (2.0 * np.pi * 2.0) ** 2, rest_length=0.0), name="spring")
    >>> found = simulate(model, 9.99, output=0.01).spectrum("mass.x", window="boxcar")
    >>> round(found.peak, 9), round(float(found.amplitudes.max()), 6)
    (2.0, 0.1)
    """
    from scipy import signal

    values, unit = column_values(run, column)
    check.text(window, "the window of a spectrum")
    segments = check.count(segments, "segments")
    interval = even_interval(run)
    length = 2 * values.size // (segments + 1)
    if length < 4:
        raise ModelError(f"a spectrum needs at least 4 points in each segment, got {length}")
    try:
        shape = signal.get_window(window, length)
    except ValueError as error:
        raise ModelError(f"'{window}' is not a window of scipy.signal: {error}; use 'hann' or 'boxcar'") from None
    options = {"window": shape, "nperseg": length, "noverlap": length // 2, "detrend": "constant"}
    frequencies, density = signal.welch(values, 1.0 / interval, scaling="density", **options)
    _, power = signal.welch(values, 1.0 / interval, scaling="spectrum", **options)
    amplitudes = np.sqrt(2.0 * power)
    if length % 2 == 0:
        amplitudes[-1] = np.sqrt(power[-1])
    return Spectrum(column, unit, window, frequencies, amplitudes, density)


def rainflow(run: Trajectory, column: str) -> Rainflow:
    """Count the load cycles of a column by the rainflow method; half cycles at both ends count 0.5."""
    values, unit = column_values(run, column)
    cycles = rainflow_cycles(values)
    return Rainflow(column, unit, *(np.array([cycle[k] for cycle in cycles], float) for k in range(3)))


def rainflow_cycles(values: np.ndarray) -> list[tuple[float, float, float]]:
    """Range, mean and count of each cycle of a sequence (ASTM E1049-85, 5.4.4)."""
    found: list[tuple[float, float, float]] = []
    stack: list[float] = []
    for point in _reversals(np.asarray(values, float)):
        stack.append(point)
        while len(stack) >= 3:
            newest, before = abs(stack[-1] - stack[-2]), abs(stack[-2] - stack[-3])
            if newest < before:
                break
            middle = 0.5 * (stack[-2] + stack[-3])
            if len(stack) == 3:  # the range contains the starting point
                found.append((before, middle, 0.5))
                del stack[0]
            else:
                found.append((before, middle, 1.0))
                del stack[-3:-1]
    found += [(abs(b - a), 0.5 * (a + b), 0.5) for a, b in zip(stack, stack[1:], strict=False)]
    return found


def _reversals(values: np.ndarray) -> list[float]:
    """The first and last value and those at which the direction changes; repeated values count once."""
    kept = values[np.append(True, np.diff(values) != 0.0)]
    if kept.size < 3:
        return [float(value) for value in kept]
    turning = np.flatnonzero(np.diff(np.sign(np.diff(kept)))) + 1
    return [float(kept[k]) for k in (0, *turning.tolist(), kept.size - 1)]


def column_values(run: Trajectory, column: str) -> tuple[np.ndarray, str]:
    """The values of a column, which must be finite, and its unit."""
    if not isinstance(column, str) or column not in run.columns:
        near = run.columns.suggestion(column) if isinstance(column, str) else ""
        hint = f"; did you mean {near}?" if near else ""
        raise ModelError(f"the result of '{run.model.name}' has no column called {check.short_repr(column)}{hint}")
    values = np.asarray(run.columns[column].read(run), float)
    if values.size < 2:
        raise ModelError(f"'{column}' of '{run.model.name}' has {values.size} values: at least two are needed")
    if not np.isfinite(values).all():
        raise ModelError(f"'{column}' of '{run.model.name}' is not finite everywhere")
    return values, run.columns[column].unit


def even_interval(run: Trajectory, what: str = "a spectrum") -> float:
    """The interval between output times, which must be equally spaced."""
    steps = np.diff(run.times)
    if np.ptp(steps) > EVEN_SPACING * steps.mean():
        raise ModelError(
            f"{what} needs equally spaced output times; those of '{run.model.name}' are {steps.min():g} s to "
            f"{steps.max():g} s apart: state output= or times at equal distances"
        )
    return float(steps.mean())
