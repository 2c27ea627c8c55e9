"""Servos: a measure follows a signal through a spring and a damper, such as a steering gear that follows a driver."""

from __future__ import annotations

from dataclasses import dataclass, field

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Signal
from cardan.model.dimensions import MeasureDamping, MeasureStiffness
from cardan.model.force import Force, Law
from cardan.model.measure import Readable, readable, require_terms, require_value


@dataclass(frozen=True, eq=False)
class Servo(Force):
    """A spring and damper that pull a measure z toward a signal: f = stiffness (z - wanted) + damping z'.

        wanted o--/\\/\\/\\--o z          f > 0 acts against increasing z
                `---[=---'

    A Driver makes a measure follow a function of time exactly; a servo follows the output of a device elastically.

    >>> from cardan.model.device import Clock, Device
    >>> from cardan.planar import Body, Model, Servo, Translational
    >>> model = Model("table")
    >>> table = model.add(Body(mass=2.0, inertia=1.0), name="table")
    >>> guide = model.add(Translational(model.ground.at(), table.at()), name="guide")
    >>> ramp = Device(lambda t: 0.1 * t, (Clock(),), ("place",), name="ramp")
    >>> drive = model.add(Servo(guide.travel, ramp["place"], stiffness=1e4, damping=200.0), name="drive")
    """

    measure: Readable
    wanted: Signal
    stiffness: MeasureStiffness
    damping: MeasureDamping = 0.0
    allow_negative: bool = False
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Servo")
        hint = "use device['output'] or Value(measure)"
        check.instance(self.wanted, Signal, "the signal of a Servo", hint=hint)
        check.flag(self.allow_negative, "allow_negative of a Servo")
        for name in ("stiffness", "damping"):
            value = check.number(getattr(self, name), f"the {name} of a Servo")
            if value < 0.0 and not self.allow_negative:
                raise ModelError(
                    f"the {name} of a Servo must not be negative, got {value:g}; allow_negative=True allows it"
                )
        device = Device(servo_pull, (self.wanted,), ("force",), (), (float(self.stiffness),), "servo")
        object.__setattr__(self, "device", device)

    def check(self) -> None:
        require_terms(self.title, self.measure)
        require_value(self.title, self.measure)

    def laws(self) -> tuple[Law, ...]:
        terms, damping = self.measure.parts(), self.damping
        return (Law(terms, stiffness=self.stiffness, damping=damping, signal=self.device["force"]),)


def servo_pull(wanted: float, stiffness: float) -> float:
    """The part of the spring force due to the target value."""
    return -stiffness * wanted
