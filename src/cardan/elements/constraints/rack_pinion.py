"""A pinion on a rack."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

from cardan.elements.constraints.gear import MAX_PITCH_GAP, parallel_shafts
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.gears.teeth import attach_teeth, teeth_of, tooth_angle
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Multiplier
from cardan.model.dimensions import Angle, Length
from cardan.model.element import Equation, Limit
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class RackPinion(TwoMarkerJoint[Marker]):
    """A pinion b that rolls along the x axis of the rack a (Haug 3.4.8 to 3.4.13).

               .-.                     g_a . d = R                         the pinion touches the rack
              ( b )  R > 0             f_a . d + R angle(a, b) = constant  it rolls
        a -----'-'------->  x

    `radius` is positive if the pinion is left of the rack seen along its x axis, negative if right. `contact` is
    the constant: the contact point on the rack, measured from a, when the pinion marker is parallel to the rack's. As
    this repeats after full turns, the point nearest the estimate is used. By default it is that of the assembled
    position.

    With a `pressure_angle` the rack does not keep the pinion at its distance: a guide and a bearing must do that, and
    their reactions contain the radial force by which the teeth push each other apart. `helix_angle`, in space, is
    positive if the teeth of the rack are right-handed like those of a large gear, that is, if those of the pinion are
    left-handed. Forces are those of `Gear`, `run["mesh teeth.radial"]` for example.
    """

    radius: Length
    contact: float | None = None
    pressure_angle: Angle | None = None
    helix_angle: Angle = 0.0
    device: Device | None = field(init=False, repr=False, default=None)
    teeth: Force | None = field(init=False, repr=False, default=None)

    carries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        helix = tooth_angle(self.helix_angle, "helix_angle of a RackPinion", sign=True)
        if helix and len(self.a.place) == 2:
            raise ModelError("a planar RackPinion has no axial force: omit helix_angle=, or use cardan.spatial")
        if self.pressure_angle is None:
            return
        alpha = tooth_angle(self.pressure_angle, "pressure_angle of a RackPinion")
        side = math.copysign(1.0, check.number(self.radius, "the radius of a RackPinion"))
        numbers = (side, math.tan(alpha) / math.cos(helix), math.tan(helix))
        outputs = ("tangential", "radial", "axial", "separating")
        attach_teeth(self, Device(_components, (Multiplier(self, "rolling"),), outputs, (), numbers, "teeth"))

    def check(self) -> None:
        super().check()
        if check.number(self.radius, f"the radius of {self.title}") == 0.0:
            raise ModelError(f"the radius of {self.title} must not be zero: positive left of the rack, negative right")
        if self.contact is not None:
            check.number(self.contact, f"the contact of {self.title}")

    def equations(self) -> tuple[Equation, ...]:
        away = Measure("component", self.a, self.b, "y")
        touching = () if self.teeth else (Equation("touching", away.parts(), offset=self.radius),)
        rolled = Measure("component", self.a, self.b, "x") + self.radius * Measure("angle", self.a, self.b)
        if self.helix_angle:
            # The shift along the shaft at the pitch point, where the axial force acts.
            shift = Measure("component", self.a, self.b, "z") + self.radius * Measure("dot", self.a, self.b, "yz")
            rolled = math.copysign(1.0, self.radius) * math.tan(self.helix_angle) * shift + rolled
        if self.contact is None:
            return *touching, Equation("rolling", rolled.parts(), floating=True)
        turn = 2.0 * math.pi * abs(self.radius)
        return *touching, Equation("rolling", rolled.parts(), offset=self.contact, period=turn)

    def forces(self) -> tuple[Force, ...]:
        return teeth_of(self)

    def tooth_laws(self) -> tuple[Law, ...]:
        """The laws of `teeth`."""
        assert self.device is not None
        away = Measure("component", self.a, self.b, "y")
        return (Law(((-1.0, away),), signal=self.device["separating"], label="separating", workless=True),)

    def limits(self) -> tuple[Limit, ...]:
        found = () if len(self.a.place) == 2 else parallel_shafts(self)
        if not self.teeth:
            return found
        what = f"the pinion of {self.title} does not touch the rack, by its distance"
        low, high = sorted((self.radius * (1.0 - MAX_PITCH_GAP), self.radius * (1.0 + MAX_PITCH_GAP)))
        return *found, Limit(Measure("component", self.a, self.b, "y"), low, high, what)


def _components(rolling: float, side: float, slope: float, lead: float) -> tuple[float, float, float, float]:
    radial = abs(rolling) * slope
    return -side * rolling, radial, -side * lead * rolling, side * radial
