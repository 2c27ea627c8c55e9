"""Actuators: signals that act as forces along measures."""

from __future__ import annotations

from dataclasses import dataclass, field

from cardan.elements.control.shaping import _same
from cardan.elements.control.signals import SignalLike, as_signal
from cardan.model.device import Device, Held, Output, Signal
from cardan.model.force import Force, Law
from cardan.model.measure import Readable, readable, require_terms


@dataclass(frozen=True, eq=False)
class Actuator(Force):
    """A signal that acts as a force along a measure, toward increasing values: Q = f dz/dq.

    Actuator(guide.travel, pid)          a force        Actuator(hinge.angle, pid)          a torque
    """

    measure: Readable
    signal: SignalLike
    source: Signal = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_terms("an Actuator", readable(self.measure, "the measure of an Actuator"))
        signal = as_signal(self.signal, "the signal of an Actuator")
        if not isinstance(signal, Output | Held):
            signal = Device(_same, (signal,), ("force",), name="Actuator")["force"]
        object.__setattr__(self, "source", signal)

    def laws(self) -> tuple[Law, ...]:
        return (Law(tuple((-c, m) for c, m in self.measure.parts()), signal=self.source),)
