"""Blocks that shape a signal: limits, tables, sensors."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cardan.elements.control.signals import SignalLike, as_signal
from cardan.elements.control.source import Block, limits_of, not_negative
from cardan.model import check
from cardan.model.curves.motion import Motion
from cardan.model.device import CurveSignal, State
from cardan.model.dimensions import Duration


@dataclass(frozen=True, eq=False)
class Saturation(Block):
    """The input, limited to `low` and `high`."""

    input: SignalLike
    low: float
    high: float

    def __post_init__(self) -> None:
        limits = limits_of((self.low, self.high), "the limits of a Saturation")
        self._make(_saturation, (as_signal(self.input, "the input of a Saturation"),), limits)


@dataclass(frozen=True, eq=False)
class LookupTable(Block):
    """A curve evaluated at a signal: `LookupTable(rate(hinge.angle), Spline(speeds, torques))`; any motion works."""

    input: SignalLike
    curve: Motion

    def __post_init__(self) -> None:
        check.instance(self.curve, Motion, "the curve of a LookupTable", hint="a Spline, for example")
        self._make(_same, (CurveSignal(self.curve, as_signal(self.input, "the input of a LookupTable")),))


@dataclass(frozen=True, eq=False)
class Sensor(Block):
    """An instrument that reads a signal: lag, then gain and offset, then range, then resolution.

        tau x' + x = u          y = resolution round(clip(gain x + offset) / resolution)

    Each is optional. With a resolution y jumps: use it with a `Sampled` controller, which reads it only at its sampling
    times; a continuous controller would make the integrator locate each jump.
    """

    of: SignalLike
    gain: float = 1.0
    offset: float = 0.0
    time_constant: Duration = 0.0
    limits: tuple[float, float] | None = None
    resolution: float = 0.0
    start: float = 0.0  # of x
    scale: float = 1.0  # unit of x in error control

    def __post_init__(self) -> None:
        signal = as_signal(self.of, "the input of a Sensor")
        tau = not_negative(self.time_constant, "the time constant of a Sensor")
        numbers = (
            check.number(self.gain, "the gain of a Sensor"),
            check.number(self.offset, "the offset of a Sensor"),
            *limits_of(self.limits, "the limits of a Sensor"),
            not_negative(self.resolution, "the resolution of a Sensor"),
        )
        start, scale = (
            check.number(self.start, "the start of a Sensor"),
            check.positive(self.scale, "scale of a Sensor"),
        )
        if tau > 0.0:
            self._make(_lagging_sensor, (signal,), (*numbers, tau), (State("x", start, scale),))
        else:
            self._make(_sensor, (signal,), numbers)


def _same(u):
    return u


def _saturation(u, low, high):
    return min(max(u, low), high)


def _sensor(u, gain, offset, low, high, resolution):
    y = min(max(gain * u + offset, low), high)
    if resolution > 0.0:
        y = resolution * math.floor(y / resolution + 0.5)
    return y


def _lagging_sensor(u, x, gain, offset, low, high, resolution, tau):
    return _sensor(x, gain, offset, low, high, resolution), (u - x) / tau
