r"""Forces between the teeth of gears that roll ideally.

                  / F          The teeth press on each other along the line of action. The rolling of the pitch circles
       a  .      / alpha       yields the tangential force F_t, its multiplier. The other components follow from it:
         ( )----X----( )  b
                              F_r = |F_t| tan(alpha) / cos(beta)     radial: pushes the gears apart on either flank
                              F_a =  F_t  tan(beta)                  axial: its sign changes with that of F_t

alpha is the pressure angle in the normal section, beta the helix angle. Shafts that keep their distance do not move
along F_r, so it does no work and affects only the reactions of their bearings. It is a force that reads the multiplier,
since its direction depends on the flank, that is, on the sign of F_t. F_a belongs to the equation of rolling itself: a
helical gear that is shifted along its shaft turns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Multiplier, Value
from cardan.model.force import Force, Law
from cardan.model.measure import Measure

STEEPEST = math.radians(80.0)  # of pressure and helix angles


@dataclass(frozen=True, eq=False)
class ToothForces(Force):
    """The forces of the teeth of a gear pair besides the one that its equation yields. The pair creates it, as
    `pair.teeth`; `run["mesh teeth.radial"]` is one of its components."""

    pair: Any

    @property
    def title(self) -> str:
        return f"the teeth of {self.pair.title}"

    @property
    def device(self) -> Device:
        """The tangential, radial and axial force."""
        found: Device = self.pair.device
        return found

    def laws(self) -> tuple[Law, ...]:
        laws: tuple[Law, ...] = self.pair.tooth_laws()
        return laws

    def devices(self) -> tuple[Device, ...]:
        return (self.device,)


def attach_teeth(pair: Any, device: Device) -> None:
    """Set the device of a pair and, once, its tooth forces, whose identity must not change with parameters."""
    object.__setattr__(pair, "device", device)
    if getattr(pair, "teeth", None) is None:
        object.__setattr__(pair, "teeth", ToothForces(pair))


def teeth_of(pair: Any) -> tuple[Force, ...]:
    """The tooth forces of a pair under its name, if it has some."""
    if pair.teeth is None:
        return ()
    object.__setattr__(pair.teeth, "name", f"{pair.name} teeth")
    return (pair.teeth,)


def tooth_angle(value: object, what: str, sign: bool = False) -> float:
    """A pressure angle or, with a sign, a helix angle."""
    found = check.number(value, what)
    if not (-STEEPEST if sign else 0.0) <= found <= STEEPEST:
        low = "-80 degrees" if sign else "0"
        raise ModelError(
            f"{what} must be between {low} and 80 degrees, got {math.degrees(found):g} degrees; it is in rad"
        )
    return found


def radial_device(pair: Any, sense: float, slope: float, helix: float) -> Device:
    """Components of the force between the teeth of wheels, from the multiplier of their rolling.

    F_t = sense * multiplier is positive if it turns b counterclockwise, F_a acts on b along the z axis of a. `sense` is
    -1 for a ring a: its teeth push b inward.
    """
    rolling = Multiplier(pair, "rolling")
    if len(pair.a.place) == 2:
        return Device(_flat, (rolling,), ("tangential", "radial", "separating"), (), (sense, slope), "teeth")
    distance, offset = Measure("length", pair.a, pair.b), Measure("component", pair.a, pair.b, "z")
    inputs = (rolling, Value(distance), Value(offset))
    outputs = ("tangential", "radial", "axial", "separating", "leveling")
    return Device(_deep, inputs, outputs, (), (sense, slope, math.tan(helix)), "teeth")


def radial_laws(pair: Any) -> tuple[Law, ...]:
    """The radial force along the distance of the shafts, p = sqrt(length^2 - z^2): p dp = length dlength - z dz."""
    apart = Law(
        ((-1.0, Measure("length", pair.a, pair.b)),),
        signal=pair.device["separating"],
        label="separating",
        workless=True,
    )
    if len(pair.a.place) == 2:
        return (apart,)
    along = Measure("component", pair.a, pair.b, "z")
    return apart, Law(((1.0, along),), signal=pair.device["leveling"], label="leveling", workless=True)


def _flat(rolling: float, sense: float, slope: float) -> tuple[float, float, float]:
    radial = abs(rolling) * slope
    return sense * rolling, radial, sense * radial


def _deep(
    rolling: float, length: float, offset: float, sense: float, slope: float, lead: float
) -> tuple[float, float, float, float, float]:
    radial = abs(rolling) * slope
    apart = math.sqrt(length * length - offset * offset)
    push = sense * radial / apart
    return sense * rolling, radial, rolling * lead, push * length, push * offset
