r"""step_steer(model, body, ...): the response of a vehicle to a sudden steering angle, ISO 7401.

                  ___ peak                  t = 0 where the steering angle reaches half of its final value
            .--'     '--._________ steady   response time   from there to 90 % of the steady value
  90 % ---/----                             peak time       from there to the first peak
_________/|                                 overshoot       (peak - steady) / steady
      0   response time
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import Step
from cardan.model.element import Constraint
from cardan.model.model import Model
from cardan.vehicles.handling import QUANTITIES, UNITS, HandlingMotion
from cardan.vehicles.prepared_car import PreparedCar, SpeedControl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP_START = 0.2  # s: the steering starts to move
RISE_FRACTION = 0.9  # of the steady value
LATE = 0.5  # s at the end over which the steady value is the mean
SETTLING_BAND = 0.02  # of the largest value: range within that time


@dataclass(frozen=True)
class StepResponse:
    """One quantity after a step: `steady` value, `gain` per steering angle, `peak`, times in s, and overshoot."""

    name: str
    steady: float
    gain: float
    peak: float
    response_time: float
    peak_time: float

    @property
    def overshoot(self) -> float:
        """(peak - steady) / steady."""
        return (self.peak - self.steady) / self.steady if self.steady != 0.0 else 0.0


@dataclass(frozen=True, eq=False)
class StepSteer:
    """The result of `step_steer`: `motion` has all quantities over time, `test["yaw_rate"]` is a `StepResponse`."""

    motion: HandlingMotion
    angle: float
    responses: dict[str, StepResponse]

    def __getitem__(self, name: str) -> StepResponse:
        check.choice(name, tuple(self.responses), "the quantity of a StepSteer")
        return self.responses[name]

    @property
    def tb_factor(self) -> float:
        """Peak time of the yaw rate times the steady side slip, in s rad."""
        return self["yaw_rate"].peak_time * abs(self["side_slip"].steady)

    def table(self) -> dict[str, dict[str, float]]:
        """Numbers by quantity."""
        words = ("steady", "gain", "peak", "overshoot", "response_time", "peak_time")
        return {name: {word: float(getattr(each, word)) for word in words} for name, each in self.responses.items()}

    def plot(self) -> Figure:
        """A figure of steering angle, yaw rate, lateral acceleration, side slip and roll over time."""
        from cardan.shortcuts import one_page

        return one_page(self.motion)

    def __repr__(self) -> str:
        rate, side = self["yaw_rate"], self["lateral_acceleration"]
        return (
            f"<StepSteer to {np.degrees(self.angle):.3g} deg: yaw rate gain {rate.gain:.4g} 1/s, response time "
            f"{rate.response_time:.3g} s, overshoot {rate.overshoot:.1%}; lateral acceleration {side.steady:.3g} m/s2 "
            f"after {side.response_time:.3g} s>"
        )


def step_steer(
    model: Model,
    body: RigidBody,
    *,
    steering: Constraint,
    angle: float,
    rise_time: float = 0.1,
    until: float = 5.0,
    output: float = 0.005,
    steering_ratio: float = 1.0,
    speed_control: SpeedControl | None = None,
    **options: Any,
) -> StepSteer:
    """Turn the steering to an `angle` (rad, at the wheels) within `rise_time`, hold it, and evaluate the response.

    The model must be stated straight ahead along x at its speed. `steering` is the Driver or Hold whose value is the
    steering input; its value straight ahead plus `steering_ratio` times the angle replaces it in a copy of the model.
    The model's own drive stays; `speed_control` adds another. Further options go to `simulate`. A warning states if the
    vehicle has not settled at the end.

    A single-track car with linear tires; its yaw rate gain is v / (l + K v^2):

    >>> from cardan.planar import Body, Hold, Model, Revolute, Spring, velocity_along
    >>> from cardan.vehicles import step_steer
    >>> model = Model("car")
    >>> car = model.add(Body(mass=1500.0, inertia=2500.0, velocity=(20.0, 0.0)), name="car")
    >>> wheel = {"mass": 1.0, "inertia": 0.1, "position": (1.2, 0.0), "velocity": (20.0, 0.0)}
    >>> knuckle = model.add(Body(**wheel), name="knuckle")
    >>> steer = model.add(Revolute(car.at(1.2, 0.0), knuckle.at()), name="steer")
    >>> angle = model.add(Hold(steer.angle, 0.0), name="steering")
    >>> for name, at, C in (("front", knuckle.at(), 80e3), ("rear", car.at(-1.4, 0.0), 100e3)):
    ...     _ = model.add(Spring(velocity_along(model.ground.at(), at, "y"), damping=C / 20.0), name=name)
    >>> test = step_steer(model, car, steering=angle, angle=0.001)
    >>> f"{test['yaw_rate'].gain:.2f} 1/s after {test['yaw_rate'].response_time:.2f} s"
    '5.16 1/s after 0.22 s'
    """
    final = check.number(angle, "the angle of step_steer()")
    rise = check.positive(rise_time, "the rise_time of step_steer()")
    end, interval = check.positive(until, "until"), check.positive(output, "output")
    if final == 0.0 or STEP_START + rise + 2.0 * LATE > end:
        raise ModelError(
            f"step_steer() needs an angle other than zero and at least {STEP_START + rise + 2.0 * LATE:g} s, got "
            f"{final:g} rad and {end:g} s"
        )
    car = PreparedCar(model, body, steering, steering_ratio, speed_control, "step_steer()")
    car.follow(Step(STEP_START, STEP_START + rise, 0.0, final))
    motion = car.run(end, interval, options)
    responses = {name: _response(name, motion, final, STEP_START + 0.5 * rise) for name in QUANTITIES}
    return StepSteer(motion, final, responses)


def _response(name: str, motion: HandlingMotion, angle: float, begin: float) -> StepResponse:
    t, values = motion.times, np.asarray(getattr(motion, name), float)
    values = values - values[0]
    last = values[t >= t[-1] - LATE]
    steady, size = float(last.mean()), float(np.abs(values).max())
    if size == 0.0 or abs(steady) < 1e-9 * size:
        return StepResponse(name, steady, steady / angle, size, float("nan"), float("nan"))
    if np.ptp(last) > SETTLING_BAND * size and name in ("yaw_rate", "lateral_acceleration"):
        change = f"{np.ptp(last):.3g} {UNITS[name]}"
        warn(
            f"the {name.replace('_', ' ')} of '{motion.body.name}' still changes by {change} in "
            f"the last {LATE:g} s of step_steer(): state a larger until=, or a speed_control if the speed falls"
        )
    signed = values * np.sign(steady)
    arrival = crossing(t, signed, RISE_FRACTION * abs(steady))
    at, peak = first_peak(t, signed, begin)
    return StepResponse(name, steady, steady / angle, math.copysign(peak, steady), arrival - begin, at - begin)


def crossing(t: NDArray[np.float64], values: NDArray[np.float64], level: float) -> float:
    """The first time at which the values rise to a level, by linear interpolation."""
    k = int(np.argmax(values >= level))
    if k == 0:
        return float(t[0])
    share = (level - values[k - 1]) / (values[k] - values[k - 1])
    return float(t[k - 1] + share * (t[k] - t[k - 1]))


def first_peak(t: NDArray[np.float64], values: NDArray[np.float64], begin: float) -> tuple[float, float]:
    """Time and value of the largest value after a time, by a parabola through three points."""
    late = np.flatnonzero(t >= begin)
    k = int(late[np.argmax(values[late])])
    if k in (0, t.size - 1):
        return float(t[k]), float(values[k])
    a, b, c = values[k - 1 : k + 2]
    bend = a - 2.0 * b + c
    shift = 0.5 * (a - c) / bend if bend != 0.0 else 0.0
    return float(t[k] + shift * (t[k + 1] - t[k])), float(b - 0.25 * (a - c) * shift)
