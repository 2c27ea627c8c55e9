r"""ride_comfort(run, {column: weighting}): the vibration that passengers feel, ISO 2631-1:1997.

    a_w  = (1/T integral a_w(t)^2 dt)^(1/2)                      weighted root mean square (6.1)
    MTVV = max over t of (1/tau integral from t - tau to t of a_w^2)^(1/2),   tau = 1 s        (6.3.1)
    VDV  = (integral a_w^4 dt)^(1/4)                             fourth power vibration dose value (6.3.2)
    MSDV = (integral a_w^2 dt)^(1/2)                             motion sickness dose value, with Wf (9.1)
    a_v  = (sum k^2 a_w^2)^(1/2)                                 of all directions (6.5)

Peaks count for more than a_w says if the crest factor exceeds 9, MTVV / a_w exceeds 1.5 or VDV / (a_w T^(1/4)) exceeds
1.75 (6.2, 6.3.3). Signals are at rest before the first output time: leave out what settles with `after`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.postprocess.signals import column_values, even_interval
from cardan.results.trajectory import Trajectory
from cardan.vehicles.weighting import Weighting, weighting

RUNNING_RMS_TIME = 1.0  # s: integration time of the running root mean square
MAX_LOST_POWER = 0.05  # share of the weighted power above half the highest frequency that the output times resolve
CREST, TRANSIENT, DOSE = 9.0, 1.5, 1.75  # limits above which a_w alone is not enough
# Annex C.2.3, public transport: total values below which reactions are likely, m/s2
REACTIONS = (
    (0.315, "not uncomfortable"),
    (0.5, "a little uncomfortable"),
    (0.8, "fairly uncomfortable"),
    (1.25, "uncomfortable"),
    (2.0, "very uncomfortable"),
    (math.inf, "extremely uncomfortable"),
)


@dataclass(frozen=True, eq=False)
class WeightedVibration:
    """One column, weighted: `times` and `values` of the weighted acceleration, its `weighting` and its `factor` k."""

    name: str
    unit: str
    weighting: Weighting
    factor: float
    times: NDArray[np.float64]
    values: NDArray[np.float64]

    @property
    def duration(self) -> float:
        return float(self.times[-1] - self.times[0])

    @property
    def rms(self) -> float:
        """a_w, the root mean square."""
        return math.sqrt(self._integral(2) / self.duration)

    @property
    def peak(self) -> float:
        return float(np.abs(self.values).max())

    @property
    def crest_factor(self) -> float:
        """Peak over root mean square."""
        return self.peak / self.rms if self.rms > 0.0 else 0.0

    @property
    def running_rms(self) -> NDArray[np.float64]:
        """The root mean square over the second before each time, or since the first time if that is later."""
        energy = _accumulated(self.values**2, self.times)
        start = np.maximum(self.times - RUNNING_RMS_TIME, self.times[0])
        over = energy - np.interp(start, self.times, energy)
        return np.sqrt(np.maximum(over, 0.0) / RUNNING_RMS_TIME)

    @property
    def mtvv(self) -> float:
        """The maximum transient vibration value: the largest running root mean square."""
        return float(self.running_rms.max())

    @property
    def vdv(self) -> float:
        """The vibration dose value, in m/s^1.75."""
        return self._integral(4) ** 0.25

    @property
    def msdv(self) -> float:
        """The motion sickness dose value, in m/s^1.5: meant for the weighting Wf."""
        return math.sqrt(self._integral(2))

    @property
    def has_shocks(self) -> bool:
        """Whether peaks count for more than the root mean square says: also report `mtvv` or `vdv`."""
        if self.rms == 0.0:
            return False
        dose = self.vdv / (self.rms * self.duration**0.25)
        return self.crest_factor > CREST or self.mtvv / self.rms > TRANSIENT or dose > DOSE

    def _integral(self, power: int) -> float:
        return float(np.trapezoid(self.values**power, self.times))

    def __repr__(self) -> str:
        return (
            f"<{self.name} weighted by {self.weighting.name}: {self.rms:.4g} {self.unit} rms, MTVV {self.mtvv:.4g}, "
            f"VDV {self.vdv:.4g}, crest factor {self.crest_factor:.3g}>"
        )


@dataclass(frozen=True, eq=False)
class RideComfort:
    """The weighted vibration of several columns; `comfort["seat.az"]` is one. Made by `ride_comfort`."""

    vibrations: Mapping[str, WeightedVibration]

    def __getitem__(self, column: str) -> WeightedVibration:
        if column not in self.vibrations:
            raise ModelError(f"this evaluation has the columns {', '.join(self.vibrations)}, not '{column}'")
        return self.vibrations[column]

    @property
    def total(self) -> float:
        """The vibration total value a_v."""
        return math.sqrt(sum((each.factor * each.rms) ** 2 for each in self.vibrations.values()))

    @property
    def reaction(self) -> str:
        """The likely reaction to the total value in public transport; the ranges of Annex C overlap: their upper
        limits are used here."""
        return next(words for limit, words in REACTIONS if self.total < limit)

    def table(self) -> dict[str, dict[str, float]]:
        """Numbers by column: factor, rms, mtvv, vdv, msdv, peak and crest factor."""
        words = ("factor", "rms", "mtvv", "vdv", "msdv", "peak", "crest_factor")
        return {name: {word: float(getattr(each, word)) for word in words} for name, each in self.vibrations.items()}

    def __repr__(self) -> str:
        lines = [f"  {each!r}" for each in self.vibrations.values()]
        return "\n".join([f"<ride comfort: total {self.total:.4g} m/s2, {self.reaction}>", *lines])


def ride_comfort(
    run: Trajectory,
    columns: Mapping[str, Any],
    factors: Mapping[str, float] | None = None,
    after: float | None = None,
) -> RideComfort:
    """Weight columns of a run, usually accelerations, by frequency, and evaluate them.

    `columns` maps each column to "Wk", "Wd", "Wf", "Wc", "We" or "Wj". `factors` are the multiplying factors k of the
    total value, 1 by default; for the health of seated persons 1.4 is usual for horizontal columns. Output times must
    be equally spaced. The evaluation begins `after` a time; the weighting has the whole run. A warning states if
    output times are too far apart for the vibration.

    A sine of 8 Hz and 1 m/s2 has the weighted root mean square 1.036 / sqrt(2):

    >>> import numpy as np
    >>> from cardan import kinematics
    >>> from cardan.planar import Body, Driver, Harmonic, Model, Translational
    >>> from cardan.vehicles import ride_comfort
    >>> model, w = Model("shaker"), 2.0 * np.pi * 8.0
    >>> seat = model.add(Body(), name="seat")
    >>> guide = model.add(Translational(model.ground.at(angle=np.pi / 2), seat.at(angle=np.pi / 2)), name="guide")
    >>> shake = model.add(Driver(guide.travel, Harmonic(w**-2, w)), name="shake")
    >>> comfort = ride_comfort(kinematics(model, np.linspace(0.0, 20.0, 4001)), {"seat.ay": "Wk"}, after=10.0)
    >>> round(comfort["seat.ay"].rms, 3), comfort.reaction
    (0.733, 'fairly uncomfortable')
    """
    check.instance(run, Trajectory, "the run of ride_comfort()", hint="simulate() returns one")
    if not isinstance(columns, Mapping) or not columns:
        raise ModelError(f"ride_comfort() needs columns with weightings, {{'seat.az': 'Wk'}}, got {columns!r}")
    stated = {} if factors is None else dict(factors)
    unknown = [name for name in stated if name not in columns]
    if unknown:
        raise ModelError(f"ride_comfort() has a factor for '{unknown[0]}', which is not among its columns")
    interval = even_interval(run, "ride_comfort()")
    first = 0 if after is None else int(np.searchsorted(run.times, check.number(after, "after")))
    if run.times.size - first < 2:
        raise ModelError(f"'{run.model.name}' has less than two output times after {after:g} s")
    found = {}
    for name, word in columns.items():
        values, unit = column_values(run, name)
        how = weighting(word)
        weighted = how.weighted(values, interval)
        _warn_if_coarse(weighted, interval, name, how)
        factor = check.number(stated.get(name, 1.0), f"the factor of '{name}'")
        found[name] = WeightedVibration(name, unit, how, factor, run.times[first:], weighted[first:])
    return RideComfort(found)


def _warn_if_coarse(weighted: NDArray[np.float64], interval: float, name: str, how: Weighting) -> None:
    """Warns if the output times are too far apart: much of the weighted power is near the highest frequency."""
    power = np.abs(np.fft.rfft(weighted * np.hanning(weighted.size))) ** 2
    high = float(power[power.size // 2 :].sum())
    if high > MAX_LOST_POWER * float(power.sum()):
        share, limit = high / float(power.sum()), 0.5 / interval
        warn(
            f"{share:.0%} of the power of '{name}', weighted by {how.name}, is above {limit / 2:.3g} Hz, close to the "
            f"highest frequency that output times {interval:g} s apart resolve: state a smaller output="
        )


def _accumulated(values: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The integral from the first time, by the trapezoidal rule."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times))])
