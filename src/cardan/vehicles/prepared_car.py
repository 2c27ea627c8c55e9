"""A vehicle prepared for a maneuver: a copy of its model with another steering input, and control of its speed."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

from cardan.analysis.forward.simulate import simulate
from cardan.elements.constraints.driver import Driver, Hold
from cardan.elements.control.actuator import Actuator
from cardan.elements.control.pid import PID
from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import Motion
from cardan.model.device import Rate
from cardan.model.dimensions import Duration
from cardan.model.measure import Measure, Readable, readable
from cardan.model.model import Model
from cardan.vehicles.handling import HandlingMotion

HEADING = 0.02  # rad: how far a vehicle may point from the x axis at the start
MIN_SPEED = 0.5  # m/s
STEADY = 0.05  # change of the speed during a maneuver, relative to it


@dataclass(frozen=True)
class SpeedControl:
    """A controller that keeps the speed of a maneuver: force = gain (v0 - v) + gain / reset integral (v0 - v) dt.

    `drive` is the measure along which the force or torque acts, such as the sum of the angles of driven wheels; `gain`
    is in N s/m, or in N s for a torque. v is the forward speed of the body, v0 that at the start.
    """

    drive: Readable
    gain: float
    reset: Duration = 2.0

    def __post_init__(self) -> None:
        readable(self.drive, "the drive of a SpeedControl")
        check.number(self.gain, "the gain of a SpeedControl")
        check.positive(self.reset, "the reset time of a SpeedControl")


class PreparedCar:
    """A copy of a model for one maneuver."""

    def __init__(
        self,
        model: Model,
        body: RigidBody,
        steering: Any,
        steering_ratio: float,
        speed_control: SpeedControl | None,
        what: str,
    ) -> None:
        check.instance(model, Model, f"the model of {what}")
        check.instance(body, RigidBody, f"the body of {what}")
        check.instance(
            steering, (Driver, Hold), f"the steering of {what}", hint="it is a Driver or a Hold of the model"
        )
        for element in (body, steering):
            if element not in model:
                raise ModelError(f"'{element.name}' of {what} is not part of model '{model.name}'")
        self.ratio = check.number(steering_ratio, f"the steering_ratio of {what}")
        if self.ratio == 0.0:
            raise ModelError(f"the steering_ratio of {what} must not be zero")
        if speed_control is not None:
            check.instance(speed_control, SpeedControl, f"the speed_control of {what}")
        self.what = what
        self.model, self.body, old, control = copy.deepcopy((model, body, steering, speed_control))
        self.steering: Readable = old.measure
        self.name = old.name
        self.straight = float(old.motion(0.0)) if isinstance(old, Driver) else float(old.value)  # type: ignore[operator]
        del self.model._elements[old.name]
        self.speed = self._forward_speed()
        if control is not None:
            self._keep_speed(control)

    def follow(self, motion: Motion) -> None:
        """Steer by a function of time, in addition to the value straight ahead."""
        self.model.add(Driver(self.steering, self.straight + self.ratio * motion), name=self.name)

    def run(self, until: float, output: float, options: dict[str, Any], steady: bool = True) -> HandlingMotion:
        """Simulate, to a multiple of `output`; with `steady` warns if the speed changes."""
        end = output * math.ceil(until / output - 1e-6)
        run = simulate(self.model, end, output=output, **options)
        motion = HandlingMotion(run, self.body, self.steering, self.ratio)
        last = float(motion.speed[-1])
        if steady and abs(last - self.speed) > STEADY * self.speed:
            warn(
                f"the speed of '{self.body.name}' changes from {self.speed:.4g} to {last:.4g} m/s during {self.what}: "
                "state a speed_control"
            )
        return motion

    def _forward_speed(self) -> float:
        """The stated speed; the vehicle must be stated straight ahead."""
        vx, vy = (float(v) for v in self.body.velocity[:2])
        if not vx > MIN_SPEED or abs(math.atan2(vy, vx)) > HEADING:
            raise ModelError(
                f"{self.what} needs '{self.body.name}' stated with a velocity along the x axis, got ({vx:g}, {vy:g}) "
                "m/s"
            )
        return vx

    def _keep_speed(self, control: SpeedControl) -> None:
        ahead = Measure("velocity_along", self.model.ground.at(), self.body.at(), "x")
        pid = PID(Rate(ahead), self.speed, control.gain, control.gain / control.reset)
        self.model.add(pid, name="speed control")
        self.model.add(Actuator(control.drive, pid), name="speed control drive")
