r"""Wings: lift and drag as functions of the angle of attack. Each space adds the axes of the wing."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from cardan.elements.forces.air import AIR, FlowForce
from cardan.model.curves.motion import MotionLike
from cardan.model.curves.scalar_function import scalar
from cardan.model.device import Device, Rate, Value
from cardan.model.dimensions import Area, Density
from cardan.model.force import Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable


@dataclass(frozen=True, eq=False)
class WingBase(FlowForce):
    """Common base of planar and spatial wings."""

    area: Area
    lift: MotionLike = 0.0
    drag: MotionLike = 0.0
    density: Density = AIR
    wind: Sequence[MotionLike] | None = None

    def check(self) -> None:
        self.check_flow(self.density, self.area, self.wind)
        for name in ("lift", "drag"):
            scalar(getattr(self, name), f"the {name} of {self.title}")

    @abstractmethod
    def directions(self) -> tuple[Readable, ...]:
        """Global components of the chord and, in space, of the normal."""

    def laws(self) -> tuple[Law, ...]:
        return self.pushed(self.device)

    @cached_property
    def device(self) -> Device:
        """The components x, y (and z) of the force, each against its axis, and `attack`, the angle of attack."""
        wind, numbers = self.flow(self.wind)
        inputs = (*(Rate(place) for place in self.places), *(Value(part) for part in self.directions()), *wind)
        lift, drag = (scalar(getattr(self, name), f"the {name} of {self.title}") for name in ("lift", "drag"))
        function = _flat_wing(lift, drag) if len(self.axes) == 2 else _wing(lift, drag)
        numbers = (*numbers, 0.5 * self.density * self.area)
        return Device(function, inputs, (*self.axes, "attack"), (), numbers, "wing")


def beside(marker: Marker, direction: Sequence[float]) -> tuple[Readable, ...]:
    """Global components of a body-fixed direction: those of a point one meter away minus those of the marker."""
    place = [p + d for p, d in zip(marker.place, direction, strict=True)]
    there, axes = marker.body.at(*place), "xyz"[: len(place)]
    return tuple(
        Measure("coordinate", None, there, axis) - Measure("coordinate", None, marker.body.at(*marker.place), axis)
        for axis in axes
    )


def _flat_wing(lift, drag):
    def wing(vx, vy, cx, cy, wx, wy, factor):
        x, y = vx - wx, vy - wy
        along, up = x * cx + y * cy, y * cx - x * cy
        if along * along + up * up <= 0.0:  # no direction without wind; forces grow with its square
            return 0.0 * along, 0.0 * up, 0.0 * along
        attack = math.atan2(-up, along)
        forward, normal = _section(along, up, factor * lift(attack), factor * drag(attack))
        return -forward * cx + normal * cy, -forward * cy - normal * cx, attack

    return wing


def _wing(lift, drag):
    def wing(vx, vy, vz, cx, cy, cz, nx, ny, nz, wx, wy, wz, factor):
        x, y, z = vx - wx, vy - wy, vz - wz
        along, up = x * cx + y * cy + z * cz, x * nx + y * ny + z * nz
        if along * along + up * up <= 0.0:
            return 0.0 * along, 0.0 * up, 0.0 * along, 0.0 * up
        attack = math.atan2(-up, along)
        forward, normal = _section(along, up, factor * lift(attack), factor * drag(attack))
        fx, fy, fz = forward * cx + normal * nx, forward * cy + normal * ny, forward * cz + normal * nz
        return -fx, -fy, -fz, attack

    return wing


def _section(along, up, lift, drag):
    """The force along the chord and along the normal, at the velocity `along` the chord and `up` the normal."""
    speed = math.sqrt(along * along + up * up)
    return -speed * (lift * up + drag * along), speed * (lift * along - drag * up)
