"""The PID controller, with limits and anti-windup."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.elements.control.signals import SignalLike, as_signal
from cardan.elements.control.source import NO_LIMIT, Block, limits_of, not_negative
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.motion import Constant
from cardan.model.device import CurveSignal, Rate, State, Value
from cardan.model.dimensions import Duration


@dataclass(frozen=True, eq=False)
class PID(Block):
    """u = clip(kp e + i - kd d),   e = setpoint - input,   i' = ki e + (u - (kp e + i - kd d)) / tracking

    d is the rate of the input, not of the error, which avoids a kick when the setpoint jumps; with `tau` it is
    filtered, tau d' + d = input'. Measures have a rate; other signals need `tau` for d. `setpoint` is a number, a
    motion, or any other signal. At its limits the controller resets its integral within the time `tracking`, by default
    kp / ki (back-calculation; Astrom and Hagglund, PID Controllers, 1995, section 3.5). Outputs: "u" and "error";
    states: "i", "d".

    >>> from cardan import simulate
    >>> from cardan.planar import PID, Actuator, Body, Model, Translational
    >>> model = Model("positioned")
    >>> cart = model.add(Body(mass=1.0, inertia=1.0), name="cart")
    >>> guide = model.add(Translational(model.ground.at(), cart.at()), name="guide")
    >>> pid = model.add(PID(guide.travel, setpoint=0.1, kp=60.0, ki=40.0, kd=15.0), name="pid")
    >>> drive = model.add(Actuator(guide.travel, pid), name="drive")
    >>> run = simulate(model, 20.0, output=5.0)
    >>> round(float(run[guide.travel].value[-1]), 6)
    0.1
    """

    input: SignalLike
    setpoint: SignalLike
    kp: float
    ki: float = 0.0
    kd: float = 0.0
    tau: Duration = 0.0
    limits: tuple[float, float] | None = None
    tracking: Duration | None = None
    scale: float | None = None  # unit of i in error control; by default the larger limit, or 1

    def __post_init__(self) -> None:
        signal = as_signal(self.input, "the input of a PID")
        aim = as_signal(self.setpoint, "the setpoint of a PID")
        kp, ki, kd = (check.number(getattr(self, name), f"{name} of a PID") for name in ("kp", "ki", "kd"))
        tau, (low, high) = not_negative(self.tau, "tau of a PID"), limits_of(self.limits, "the limits of a PID")
        numbers = kp, ki, kd, low, high, self._taking_back(kp, ki)
        scale = min(max(abs(low), abs(high)), NO_LIMIT) if self.limits is not None else 1.0
        integral = State("i", 0.0, scale if self.scale is None else check.positive(self.scale, "the scale of a PID"))
        plain = isinstance(signal, Value) and not isinstance(signal, Rate)
        outputs = ("u", "error")
        if kd == 0.0 or (plain and tau == 0.0):
            slope = Rate(signal.of) if plain and isinstance(signal, Value) else CurveSignal(Constant(0.0))
            self._make(_pid, (signal, slope, aim), numbers, (integral,), outputs)
        elif plain and isinstance(signal, Value):
            self._make(_filtered, (signal, Rate(signal.of), aim), (*numbers, tau), (integral, State("d")), outputs)
        elif tau > 0.0:
            self._make(_smoothed, (signal, aim), (*numbers, tau), (integral, State("d")), outputs)
        else:
            raise ModelError(
                f"a PID with kd = {kd:g} on {check.describe(self.input)} needs tau, the time constant of its "
                "derivative; only a measure has a rate"
            )

    def _taking_back(self, kp: float, ki: float) -> float:
        """1 / tracking."""
        if self.limits is None or (ki == 0.0 and self.tracking is None):
            return 0.0
        if self.tracking is not None:
            return 1.0 / check.positive(self.tracking, "the tracking time of a PID")
        if not kp * ki > 0.0:
            raise ModelError(f"a PID with limits, kp = {kp:g} and ki = {ki:g} needs tracking, the time to reset i")
        return ki / kp


def _pid(y, slope, aim, i, kp, ki, kd, low, high, back):
    e = aim - y
    wanted = kp * e + i - kd * slope
    u = min(max(wanted, low), high)
    return u, e, ki * e + (u - wanted) * back


def _filtered(y, slope, aim, i, d, kp, ki, kd, low, high, back, tau):
    u, e, change = _pid(y, d, aim, i, kp, ki, kd, low, high, back)
    return u, e, change, (slope - d) / tau


def _smoothed(y, aim, i, d, kp, ki, kd, low, high, back, tau):
    slope = (y - d) / tau
    u, e, change = _pid(y, slope, aim, i, kp, ki, kd, low, high, back)
    return u, e, change, slope
