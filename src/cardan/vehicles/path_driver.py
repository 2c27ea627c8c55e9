r"""A driver who follows a path y(x): steering by its curvature, and by where the vehicle will be.

       path     ___x____                    L      preview distance: preview time T times speed
             .-' | e                        e      distance between where the vehicle will be after T, if it keeps its
       [car]- - -o                                 velocity, and where it would be if it were on the path now
              L
    delta = (l + K v^2) (y''(x + v t_a) + 2 gain e / L^2),       e = y(x) + L y'(x) - (y + T dy/dt)

l + K v^2 is the steering angle per curvature of a vehicle with the wheelbase l and the understeer gradient K. A circle
that is tangent to the course and meets the path at the distance L has the curvature 2 e / L^2. The anticipation t_a
makes up for the delays of driver and vehicle; the driver's hands follow with a lag, the reaction time. The path is a
function of x, which is valid for directions well below 90 degrees from the x axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cardan.elements.control.linear import Lag, Sum
from cardan.elements.control.shaping import LookupTable, Saturation
from cardan.elements.control.source import not_negative
from cardan.elements.forces.servo import Servo
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Spline
from cardan.model.device import Rate, Signal, Value
from cardan.model.dimensions import Angle, Duration
from cardan.model.measure import Measure
from cardan.vehicles.prepared_car import PreparedCar


@dataclass(frozen=True)
class PathDriver:
    """A driver: `preview`, `reaction` and `anticipation` time in s, `gain`, largest steering angle `limit` in rad, and
    the `understeer` gradient in rad s2/m.

    `stiffness` and `damping` are those of the steering gear between the driver's hands and the steering measure, per
    unit of that measure: choose them large against the loads of the steering.
    """

    stiffness: float
    damping: float
    preview: Duration = 1.0
    reaction: Duration = 0.08
    anticipation: Duration = 0.3
    gain: float = 1.0
    limit: Angle = 0.6
    understeer: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stiffness", "preview", "gain", "limit"):
            check.positive(getattr(self, name), f"the {name} of a PathDriver")
        for name in ("damping", "reaction", "anticipation"):
            not_negative(getattr(self, name), f"the {name} of a PathDriver")
        check.number(self.understeer, "the understeer of a PathDriver")

    def drive(self, car: PreparedCar, wheelbase: float, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        """Add the driver and the steering gear to the model of a car, to follow the path through x, y."""
        base = check.positive(wheelbase, "the wheelbase") + self.understeer * car.speed**2
        if not base > 0.0:
            raise ModelError(
                f"a PathDriver cannot drive at {car.speed:g} m/s with the understeer gradient {self.understeer:g}: "
                "above its critical speed the vehicle turns to the other side"
            )
        ahead = self.preview * car.speed
        along, across = (Measure("coordinate", None, car.body.at(), axis) for axis in ("x", "y"))
        factor = self.gain * 2.0 * base / ahead**2
        value, slope, bend = Spline(x.tolist(), y.tolist(), end="clamped").derivatives(x)
        early = np.interp(x + self.anticipation * car.speed, x, bend)
        command = base * early + factor * (value + ahead * slope)
        plan = car.model.add(
            LookupTable(along, Spline(x.tolist(), command.tolist(), end="clamped")), name="driver's plan"
        )
        seen: list[Signal] = [plan.output, Value(across), Rate(across)]
        gains = [1.0, -factor, -factor * self.preview]
        wish = car.model.add(Sum(seen, gains), name="driver's wish")
        wheel: Signal = car.model.add(Saturation(wish, -self.limit, self.limit), name="driver's limit").output
        if self.reaction > 0.0:
            wheel = car.model.add(Lag(wheel, self.reaction), name="driver").output
        wanted = car.ratio * wheel + car.straight
        car.model.add(Servo(car.steering, wanted, self.stiffness, self.damping), name=car.name)
