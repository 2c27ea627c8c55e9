r"""sine_steer(model, body, ...): one period of a sine of the steering angle, with or without dwell.

angle  |  .-.                      lag: from a peak of the steering angle to that of the response, ISO 7401
       | /   \       dwell         sine with dwell: a pause at the second peak, which is that of FMVSS 126
    ---+'     \      ____
       |       '.___|    \___
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import Spline
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.vehicles.handling import QUANTITIES, HandlingMotion
from cardan.vehicles.prepared_car import PreparedCar, SpeedControl
from cardan.vehicles.steering_steps import first_peak

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAVE_START = 0.2  # s
POINTS_PER_PERIOD = 100  # per period


@dataclass(frozen=True)
class SineResponse:
    """One quantity: both `peaks` (with their signs), `gains` per steering angle, `lags` behind the steering in s."""

    name: str
    peaks: tuple[float, float]
    gains: tuple[float, float]
    lags: tuple[float, float]


@dataclass(frozen=True, eq=False)
class SineSteer:
    """The result of `sine_steer`: `motion` has all quantities over time, `test["yaw_rate"]` is a `SineResponse`."""

    motion: HandlingMotion
    angle: float
    frequency: float
    end: float
    responses: Mapping[str, SineResponse]

    def __getitem__(self, name: str) -> SineResponse:
        return self.responses[check.choice(name, tuple(self.responses), "the quantity of a SineSteer")]

    def remaining(self, after: float) -> float:
        """The yaw rate some time `after` the steering has come to rest, over its second peak: in FMVSS 126 at most 0.35
        after 1 s and 0.2 after 1.75 s."""
        at = self.end + check.number(after, "the time after the end of steering")
        if at > self.motion.times[-1]:
            raise ModelError(f"this test ends at {self.motion.times[-1]:g} s, before {at:g} s: state a larger until=")
        return float(np.interp(at, self.motion.times, self.motion.yaw_rate)) / self["yaw_rate"].peaks[1]

    def plot(self) -> Figure:
        """A figure of steering angle, yaw rate, lateral acceleration, side slip and roll over time."""
        from cardan.shortcuts import one_page

        return one_page(self.motion)

    def __repr__(self) -> str:
        rate, side = self["yaw_rate"], self["lateral_acceleration"]
        return (
            f"<SineSteer of {np.degrees(self.angle):.3g} deg at {self.frequency:g} Hz: yaw rate {rate.lags[0]:.3g} s, "
            f"lateral acceleration {side.lags[0]:.3g} s behind the steering angle>"
        )


def sine_steer(
    model: Model,
    body: RigidBody,
    *,
    steering: Constraint,
    angle: float,
    frequency: float = 0.5,
    dwell: float = 0.0,
    until: float | None = None,
    output: float = 0.005,
    steering_ratio: float = 1.0,
    speed_control: SpeedControl | None = None,
    **options: Any,
) -> SineSteer:
    """Steer one period of a sine of an amplitude `angle` (rad, at the wheels) and a `frequency` in Hz.

    Model, steering and options are those of `step_steer`. With `dwell`, in s, the steering pauses at the second peak:
    `frequency=0.7, dwell=0.5` is the sine with dwell of FMVSS 126. By default the run ends 2 s after the steering.

    >>> from cardan.examples import load
    >>> from cardan.vehicles import sine_steer
    >>> car = load("vehicle").build(speed=20.0, steer=0.0)
    >>> test = sine_steer(car, car["chassis"], steering=car["steering"], angle=0.01, steering_ratio=0.12, rtol=1e-5)
    >>> [round(lag, 2) for lag in test["yaw_rate"].lags]
    [0.12, 0.13]
    """
    size, hertz = check.number(angle, "the angle of sine_steer()"), check.positive(frequency, "the frequency")
    pause = check.number(dwell, "the dwell of sine_steer()")
    if size == 0.0 or pause < 0.0:
        raise ModelError(
            "sine_steer() needs an angle other than zero and a dwell that is not negative, got "
            f"{size:g} rad and {pause:g} s"
        )
    over = WAVE_START + 1.0 / hertz + pause
    last = over + 2.0 if until is None else check.positive(until, "until")
    if last < over:
        raise ModelError(f"sine_steer() needs at least {over:g} s, got {last:g} s")
    turn = np.linspace(0.0, 1.0, POINTS_PER_PERIOD + 1)
    waiting = turn > 0.75
    times = np.concatenate([[0.0], WAVE_START + turn[~waiting] / hertz, WAVE_START + pause + turn[waiting] / hertz])
    values = np.concatenate([[0.0], size * np.sin(2.0 * math.pi * turn)])
    if pause > 0.0:
        third = np.count_nonzero(~waiting)
        between = WAVE_START + 0.75 / hertz + pause * np.arange(1, 5) / 4.0
        times, values = np.insert(times, third + 1, between), np.insert(values, third + 1, np.full(4, -size))
    values[-1] = 0.0
    car = PreparedCar(model, body, steering, steering_ratio, speed_control, "sine_steer()")
    car.follow(Spline(times.tolist(), values.tolist(), end="clamped"))
    motion = car.run(last, check.positive(output, "output"), options)
    responses = {name: _response(name, motion, size, hertz, pause) for name in QUANTITIES}
    return SineSteer(motion, size, hertz, over, responses)


def _response(name: str, motion: HandlingMotion, angle: float, hertz: float, pause: float) -> SineResponse:
    """Peaks to both sides: the first is larger than all before the steering has passed its second peak."""
    t, values = motion.times, np.asarray(getattr(motion, name), float)
    values = values - values[0]
    sign = 1.0
    early = values[t < WAVE_START + 0.75 / hertz]
    if early.size and abs(early.min()) > early.max():
        sign = -1.0
    half = t < WAVE_START + 0.75 / hertz
    one = first_peak(t[half], sign * values[half], WAVE_START)
    two = first_peak(t, -sign * values, WAVE_START + 0.5 / hertz)
    tops = WAVE_START + 0.25 / hertz, WAVE_START + 0.75 / hertz
    peaks = sign * one[1], -sign * two[1]
    return SineResponse(name, peaks, (peaks[0] / angle, -peaks[1] / angle), (one[0] - tops[0], two[0] - tops[1]))
