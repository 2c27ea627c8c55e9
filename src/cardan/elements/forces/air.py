"""Forces of air and water on moving bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cardan.elements.forces.load import components
from cardan.elements.forces.two_marker_force import not_negative
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import MotionLike
from cardan.model.curves.scalar_function import scalar
from cardan.model.device import Clock, Device, Rate, Signal
from cardan.model.dimensions import Area, Density, Ratio
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure

AIR = 1.225  # kg/m^3, at sea level and 15 degrees (ISO 2533)


@dataclass(frozen=True, eq=False)
class FlowForce(Force):
    """Common base of forces on a point in a flow. `wind` is the global velocity of the air: numbers, motions, or
    functions of time."""

    marker: Marker

    def __post_init__(self) -> None:
        name = type(self).__name__
        check.instance(self.marker, Marker, f"the point of a {name}", hint="create one with body.at(...)")

    def bodies(self) -> tuple[RigidBody, ...]:
        return (self.marker.body,)

    @property
    def axes(self) -> str:
        return "xyz"[: len(self.marker.place)]

    @property
    def places(self) -> tuple[Measure, ...]:
        """The global coordinates of the point."""
        return tuple(Measure("coordinate", None, self.marker, axis) for axis in self.axes)

    def check_flow(self, density: Any, area: Any, wind: Sequence[MotionLike] | None) -> None:
        check.positive(density, f"the density of {self.title}")
        check.positive(area, f"the area of {self.title}")
        if wind is not None and len(components(wind, f"the wind of {self.title}")) != len(self.axes):
            raise ModelError(
                f"the wind of {self.title} must have {len(self.axes)} components, got {check.short_repr(wind)}"
            )
        self.flow(wind)

    def flow(self, wind: Sequence[MotionLike] | None) -> tuple[tuple[Signal, ...], tuple[float, ...]]:
        """The wind as inputs of a device, or as its first parameters if it is constant."""
        if wind is None:
            return (), (0.0,) * len(self.axes)
        constant = [float(component) for component in wind if isinstance(component, int | float)]
        if len(constant) == len(wind):
            return (), tuple(constant)
        what = f"the wind of {self.title}"
        devices = [Device(scalar(part, what), (Clock(),), (axis,)) for axis, part in zip(self.axes, wind, strict=True)]
        return tuple(device[0] for device in devices), ()

    def pushed(self, device: Device) -> tuple[Law, ...]:
        """Laws along the coordinates of the point, from the device outputs of the same names."""
        return tuple(Law(m.parts(), signal=device[axis]) for m, axis in zip(self.places, self.axes, strict=True))


@dataclass(frozen=True, eq=False)
class Drag(FlowForce):
    """The drag of a body in air or water, against the velocity u of a point relative to the fluid.

        o--> u          F = -1/2 density area coefficient |u| u,      u = velocity - wind

    `area` is the frontal area, `coefficient` c_d: about 0.47 for a sphere, 1.2 for a long cylinder in cross flow. The
    default `density` is that of air.

    >>> import math
    >>> from cardan import simulate
    >>> from cardan.planar import Body, Drag, Model
    >>> model = Model("parachute", gravity=(0, -9.81))
    >>> diver = model.add(Body(mass=90.0, inertia=10.0, velocity=(20.0, 0.0)), name="diver")
    >>> drag = model.add(Drag(diver.at(), area=30.0, coefficient=1.5, wind=(5.0, 0.0)), name="parachute")
    >>> run = simulate(model, 20.0, output=1.0)
    >>> speed = math.sqrt(2 * 90.0 * 9.81 / (1.225 * 30.0 * 1.5))
    >>> f"{-run[diver].velocity[-1, 1]:.4f} m/s, sqrt(2 m g / (density A c_d)) = {speed:.4f} m/s"
    '5.6597 m/s, sqrt(2 m g / (density A c_d)) = 5.6597 m/s'
    """

    area: Area
    coefficient: Ratio = 1.0
    density: Density = AIR
    wind: Sequence[MotionLike] | None = None

    def check(self) -> None:
        self.check_flow(self.density, self.area, self.wind)
        not_negative(self.coefficient, f"the coefficient of {self.title}")

    def laws(self) -> tuple[Law, ...]:
        return self.pushed(self.device)

    @cached_property
    def device(self) -> Device:
        """The components x, y (and z) of the drag, each against its axis."""
        inputs, numbers = self.flow(self.wind)
        factor = 0.5 * self.density * self.area * self.coefficient
        speeds = tuple(Rate(place) for place in self.places)
        function = _drag_in_plane if len(self.axes) == 2 else _drag_in_space
        return Device(function, (*speeds, *inputs), tuple(self.axes), (), (*numbers, factor), "drag")


def _drag_in_plane(vx, vy, wx, wy, factor):
    x, y = vx - wx, vy - wy
    square = x * x + y * y
    if square <= 0.0:  # |u| has no derivative there, but |u| u has: zero
        return 0.0 * x, 0.0 * y
    pressure = factor * math.sqrt(square)
    return pressure * x, pressure * y


def _drag_in_space(vx, vy, vz, wx, wy, wz, factor):
    x, y, z = vx - wx, vy - wy, vz - wz
    square = x * x + y * y + z * z
    if square <= 0.0:
        return 0.0 * x, 0.0 * y, 0.0 * z
    pressure = factor * math.sqrt(square)
    return pressure * x, pressure * y, pressure * z
