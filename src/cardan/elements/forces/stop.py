r"""Stops: a measure that moves freely between two ends, with a spring and damper at each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from cardan.elements.contact.contact import amount
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Output, Rate, Value
from cardan.model.dimensions import MeasureDamping, MeasureValue, Ratio, StopStiffness
from cardan.model.force import Corner, Force, Law, StartRange
from cardan.model.measure import Readable, readable, require_terms, require_value


@dataclass(frozen=True, eq=False)
class Stop(Force):
    r"""A spring and damper that push a measure back at `lower`, at `upper`, or at both, and never pull.

           ||/\/\-        o        -/\/\||         f = k d^n + c d',   d: distance of the measure z beyond an end
           ||[=--                  --=]||          f >= 0 at the upper end, the opposite at the lower one
                lower    z    upper

    `stiffness` is in N/m^n, n the `exponent`, or with angles in N m/rad^n, `damping` in N s/m. `.force` is f, positive
    against increasing z. A run that starts with the measure beyond an end is rejected, unless allow_penetration=True,
    for example for a preloaded buffer.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Model, Stop, Translational
    >>> model = Model("buffer")
    >>> car = model.add(Body(mass=2.0, inertia=1.0, velocity=(1.0, 0.0)), name="car")
    >>> rail = model.add(Translational(model.ground.at(), car.at()), name="rail")
    >>> buffers = model.add(Stop(rail.travel, lower=-0.5, upper=0.5, stiffness=800.0), name="buffers")
    >>> run = simulate(model, 1.0, output=0.001)
    >>> round(float(run[car].position[:, 0].max()), 3)  # 0.5 + v sqrt(m / k)
    0.55
    """

    measure: Readable
    lower: MeasureValue | None = None
    upper: MeasureValue | None = None
    stiffness: StopStiffness = field(kw_only=True)
    damping: MeasureDamping = 0.0
    exponent: Ratio = 1.0
    allow_penetration: bool = False
    allow_negative: bool = False
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Stop")
        require_terms("a Stop", self.measure)
        require_value("a Stop", self.measure)
        ends = [math.inf, math.inf]
        for k, name in enumerate(("lower", "upper")):
            if getattr(self, name) is not None:
                ends[k] = check.number(getattr(self, name), f"the {name} end of a Stop")
        if ends == [math.inf, math.inf]:
            raise ModelError("a Stop needs an end: give lower, upper, or both")
        if self.lower is not None and self.upper is not None and not ends[0] < ends[1]:
            raise ModelError(f"the lower end of a Stop must be below the upper one, got {ends[0]:g} and {ends[1]:g}")
        for name in ("stiffness", "damping"):
            amount(getattr(self, name), f"the {name} of a Stop", self.allow_negative)
        if self.stiffness == 0.0:
            raise ModelError("the stiffness of a Stop is 0: it would have no effect; give stiffness=")
        check.flag(self.allow_penetration, "allow_penetration of a Stop")
        exponent = check.positive(self.exponent, "the exponent of a Stop")
        low = -1e300 if self.lower is None else ends[0]
        high = 1e300 if self.upper is None else ends[1]
        parameters = (low, high, float(self.stiffness), float(self.damping), exponent)
        device = Device(stopped, (Value(self.measure), Rate(self.measure)), ("force",), parameters=parameters)
        object.__setattr__(self, "device", device)

    @property
    def force(self) -> Output:
        """f: `run[stop.force].value`."""
        return self.device["force"]

    def laws(self) -> tuple[Law, ...]:
        return (Law(self.measure.parts(), signal=self.force),)

    def corners(self) -> tuple[Corner, ...]:
        ends = ((self.lower, -1), (self.upper, 1))
        return tuple(Corner(self.measure, float(at), side) for at, side in ends if at is not None)

    def begins(self) -> tuple[StartRange, ...]:
        low = -math.inf if self.lower is None else float(self.lower)
        high = math.inf if self.upper is None else float(self.upper)

        def beyond(value: float) -> str:
            name, end = ("upper", high) if value > high else ("lower", low)
            far = f"{abs(value - end):.4g} {self.measure.unit}".strip()
            return f"starts {far} beyond its {name} end, {end:g},"

        out = f"move {self.measure} back, start from equilibrium(method='newton'),"
        return (StartRange(self.measure, low, high, beyond, out, self.allow_penetration),)


def stopped(z: Any, rate: Any, lower: float, upper: float, k: float, c: float, n: float) -> Any:
    """f of both ends."""
    if z > upper:
        return max(0.0, k * (z - upper) ** n + c * rate)
    if z < lower:
        return -max(0.0, k * (lower - z) ** n - c * rate)
    return 0.0
