"""Hydraulic cylinders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.deprecation import renamed_arguments
from cardan.elements.control.signals import SignalLike, as_signal
from cardan.elements.control.source import not_negative
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Rate, State, Value
from cardan.model.dimensions import Area, MeasureValue, Pressure, Volume
from cardan.model.force import Force, Law
from cardan.model.measure import Readable, readable, require_terms, require_value

EMPTY = 1e-3  # relative to the initial volume: less oil than this has no compliance


@renamed_arguments(rest="reference")
@dataclass(frozen=True, eq=False)
class HydraulicCylinder(Force):
    """A double-acting cylinder along a length or travel z, with a four-way valve and compressible oil.

         Q1      Q2             p1' = bulk / V1 ( Q1 - A1 z' - leakage (p1 - p2))        V1 = volume_1 + A1 (z - z0)
        _|________|__           p2' = bulk / V2 (-Q2 + A2 z' + leakage (p1 - p2))        V2 = volume_2 - A2 (z - z0)
        |  p1  ][ p2 |====z     force = A1 p1 - A2 p2, toward increasing z
        ----------------

    The valve opens by u, from -1 to 1: Q1 = flow u root(supply - p1), Q2 = flow u root(p2 - tank) for u > 0, and with
    supply and tank exchanged for u < 0; root(d) = d / (d^2 + smooth^2)^(1/4), a signed square root that is smooth where
    the flow reverses. `areas` are A1 and A2; `volumes` are those of the oil, including pipes, at z = z0, the
    `reference`. `start` holds the initial pressures; `run[cylinder]["p1"]` is a pressure. The run ends if the piston
    reaches an end of its cylinder, where no oil is left; add a `Stop` to prevent this.
    """

    measure: Readable
    valve: SignalLike
    supply: Pressure
    areas: Sequence[Area]
    volumes: Sequence[Volume]
    flow: float  # m3/s per root of Pa
    reference: MeasureValue = 0.0
    tank: Pressure = 0.0
    bulk: Pressure = 1.4e9
    leakage: float = 0.0  # m3/s per Pa
    start: Sequence[Pressure] | None = None
    smooth: float | None = None  # Pa; 1e-3 of the supply
    signal_units: ClassVar[dict[str, str]] = {"p1": "Pa", "p2": "Pa", "q1": "m3/s", "q2": "m3/s"}
    device: Device = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = "a HydraulicCylinder"
        require_terms(what, readable(self.measure, f"the measure of {what}"))
        require_value(what, self.measure)
        supply, tank = check.positive(self.supply, f"the supply of {what}"), not_negative(self.tank, f"tank of {what}")
        if tank >= supply:
            raise ModelError(f"the supply of {what} must be above its tank, got {supply:g} and {tank:g} Pa")
        areas = check.vector(self.areas, 2, f"the areas of {what}")
        volumes = check.vector(self.volumes, 2, f"the volumes of {what}")
        for name, value in (("areas", areas[0]), ("volumes", min(volumes))):
            check.positive(value, f"the {name} of {what}")
        numbers = (
            *(supply, tank, areas[0], not_negative(areas[1], f"an area of {what}"), *volumes),
            *(check.number(self.reference, f"reference of {what}"), check.positive(self.flow, f"the flow of {what}")),
            *(check.positive(self.bulk, f"bulk of {what}"), not_negative(self.leakage, f"the leakage of {what}")),
            check.positive(1e-3 * supply if self.smooth is None else self.smooth, f"smooth of {what}"),
        )
        start = (tank, tank) if self.start is None else check.vector(self.start, 2, f"the start of {what}")
        states = State("p1", start[0], supply), State("p2", start[1], supply)
        inputs = Value(self.measure), Rate(self.measure), as_signal(self.valve, f"the valve of {what}")
        device = Device(_cylinder, inputs, ("force", "q1", "q2"), states, numbers, "HydraulicCylinder")
        object.__setattr__(self, "device", device)

    def laws(self) -> tuple[Law, ...]:
        return (Law(tuple((-c, m) for c, m in self.measure.parts()), signal=self.device["force"]),)


def _cylinder(z, speed, u, p1, p2, supply, tank, a1, a2, v1, v2, rest, flow, bulk, leakage, smooth):
    u = min(max(u, -1.0), 1.0)
    q1 = flow * u * _root(supply - p1 if u > 0.0 else p1 - tank, smooth)
    q2 = flow * u * _root(p2 - tank if u > 0.0 else supply - p2, smooth)
    volume_1, volume_2 = v1 + a1 * (z - rest), v2 - a2 * (z - rest)
    if volume_1 < EMPTY * v1 or volume_2 < EMPTY * v2:
        raise ValueError("the piston has reached an end of its cylinder")
    lost = leakage * (p1 - p2)
    rate_1, rate_2 = bulk / volume_1 * (q1 - a1 * speed - lost), bulk / volume_2 * (a2 * speed - q2 + lost)
    return a1 * p1 - a2 * p2, q1, q2, rate_1, rate_2


def _root(d, smooth):
    return d / math.sqrt(math.sqrt(d * d + smooth * smooth))
