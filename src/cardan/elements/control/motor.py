"""Electric motors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.control.signals import SignalLike, as_signal
from cardan.elements.control.source import not_negative
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Rate, State
from cardan.model.dimensions import Current, Ratio
from cardan.model.force import Force, Law
from cardan.model.measure import Readable, readable, require_terms


@dataclass(frozen=True, eq=False)
class ElectricMotor(Force):
    """A direct-current motor along an angle, or along a travel as a linear motor.

           R     L                     L i' = V - R i - k_e n w         w = the rate of the measure
        +-/\\/\\-~~~~-.                 torque = n k_t i                 toward increasing angles, n = gear
        V            (M)---n---|
        +------------'

    `voltage` is any signal. By default k_e = k_t, and the only loss is R i^2. Without inductance the current follows
    immediately. The rotor inertia belongs to a body: its own, with a Gear, or n^2 times it added to the driven body.
    `run[motor]["current"]` is the current, `run[motor]["power"]` the electric power; its mechanical work is
    `run.energy.work_of(motor)`.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, ElectricMotor, Model, Revolute
    >>> model = Model("fan")
    >>> rotor = model.add(Body(mass=1.0, inertia=0.01), name="rotor")
    >>> hinge = model.add(Revolute(model.ground.at(), rotor.at()), name="hinge")
    >>> motor = model.add(ElectricMotor(hinge.angle, 24.0, resistance=2.0, inductance=0.01, torque_constant=0.1))
    >>> run = simulate(model, 60.0, output=20.0)
    >>> round(float(run[hinge.angle].rate[-1]), 3)
    240.0
    """

    measure: Readable
    voltage: SignalLike
    resistance: float
    inductance: float
    torque_constant: float
    back_emf: float | None = None
    gear: Ratio = 1.0
    start: Current = 0.0  # current
    scale: float = 1.0  # A, unit of the current in error control
    signal_units: ClassVar[dict[str, str]] = {"current": "A", "power": "W"}
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = "an ElectricMotor"
        require_terms(what, readable(self.measure, f"the measure of {what}"))
        R, L = not_negative(self.resistance, f"the resistance of {what}"), not_negative(self.inductance, "inductance")
        kt = check.number(self.torque_constant, f"the torque constant of {what}")
        ke = kt if self.back_emf is None else check.number(self.back_emf, f"back_emf of {what}")
        n = check.number(self.gear, f"the gear of {what}")
        if R == 0.0 and L == 0.0:
            raise ModelError(f"{what} has neither resistance nor inductance: its current would be unbounded")
        inputs = as_signal(self.voltage, f"the voltage of {what}"), Rate(self.measure)
        if L > 0.0:
            state = State("current", check.number(self.start, "the start"), check.positive(self.scale, "the scale"))
            device = Device(_motor, inputs, ("torque", "power"), (state,), (R, L, kt, ke, n), "ElectricMotor")
        else:
            device = Device(_instant, inputs, ("torque", "power", "current"), (), (R, kt, ke, n), "ElectricMotor")
        object.__setattr__(self, "device", device)

    def laws(self) -> tuple[Law, ...]:
        return (Law(tuple((-c, m) for c, m in self.measure.parts()), signal=self.device["torque"]),)


def _motor(voltage, speed, current, R, L, kt, ke, n):
    return n * kt * current, voltage * current, (voltage - R * current - ke * n * speed) / L


def _instant(voltage, speed, R, kt, ke, n):
    current = (voltage - ke * n * speed) / R
    return n * kt * current, voltage * current, current
