"""Buoyancy: what a fluid at rest does to a body that is wholly or partly in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cardan.elements.between import not_negative
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Rate, Value
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure

WATER = 1000.0  # kg/m^3


@dataclass(frozen=True, eq=False)
class Buoyancy(Force):
    """The weight of the displaced fluid, upwards at a point (Archimedes).

              .--.                    F = density gravity V(d),       d: how deep the lowest point is below the level
        ~~~~~(~~o~)~~~~ level
              '--'  d                 sphere  V = pi d^2 (3 R - d) / 3       prism  V = area d

    State one of: `radius`, a sphere around the marker; `area` and `height`, an upright prism or cylinder with the
    marker in its middle; `volume`, a body that is always wholly in the fluid. Up is y in the plane, z in space; `level`
    is the height of the surface. `damping` is that of motion up and down, in N s/m when wholly in the fluid, in
    proportion to the volume before. `density` is that of water unless stated.

    The force acts at the marker whatever is wet: a hull that heels is made of several.

    >>> import math
    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, Buoyancy, Model
    >>> model = Model("spar buoy", gravity=(0, -9.81))
    >>> buoy = model.add(Body(mass=50.0, inertia=20.0), name="buoy")
    >>> water = model.add(Buoyancy(buoy.at(), area=0.05, height=2.0), name="water")
    >>> draught = 1.0 - equilibrium(model, method="newton")[buoy].position[1]
    >>> f"{draught:.6f} m deep; m / (density area) = {50.0 / (1000.0 * 0.05):.6f} m"
    '1.000000 m deep; m / (density area) = 1.000000 m'
    """

    marker: Any
    radius: float | None = None
    area: float | None = None
    height: float | None = None
    volume: float | None = None
    density: float = WATER
    level: float = 0.0
    damping: float = 0.0
    gravity: float = 9.81

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the point of a Buoyancy", hint="body.at(...) makes one")

    def bodies(self) -> tuple[Any, ...]:
        return (self.marker.body,)

    def check(self) -> None:
        stated = [name for name in ("radius", "area", "height", "volume") if getattr(self, name) is not None]
        if stated not in (["radius"], ["area", "height"], ["volume"]):
            words = ", ".join(stated) or "none of them"
            raise ModelError(f"{self.title} takes radius (a sphere), area and height, or volume; {words} was given")
        for name in (*stated, "density", "gravity"):
            check.positive(getattr(self, name), f"the {name} of {self.title}")
        check.number(self.level, f"the level of {self.title}")
        not_negative(self.damping, f"the damping of {self.title}")

    @property
    def measure(self) -> Measure:
        """The height of the marker."""
        return Measure("coordinate", None, self.marker, "xyz"[len(self.marker.place) - 1])

    def laws(self) -> tuple[Law, ...]:
        return (Law(((-1.0, self.measure),), signal=self.device["lift"]),)

    @cached_property
    def device(self) -> Device:
        """The force upwards, `lift`, and the `displaced` volume."""
        function, numbers = self._shape()
        numbers = (*numbers, self.level, self.density * self.gravity, self.damping)
        inputs = (Value(self.measure), Rate(self.measure))
        return Device(function, inputs, ("lift", "displaced"), (), numbers, "buoyancy")

    def _shape(self) -> tuple[Any, tuple[float, ...]]:
        if self.radius is not None:
            return _sphere, (self.radius,)
        if self.area is not None and self.height is not None:
            return _prism, (self.area, self.height)
        assert self.volume is not None
        return _immersed, (self.volume,)


def _sphere(z, rate, radius, level, weight, damping):
    depth = min(max(level - z + radius, 0.0), 2.0 * radius)
    displaced = math.pi * depth * depth * (3.0 * radius - depth) / 3.0
    return _lifted(displaced, 4.0 / 3.0 * math.pi * radius**3, rate, weight, damping)


def _prism(z, rate, area, height, level, weight, damping):
    depth = min(max(level - z + 0.5 * height, 0.0), height)
    return _lifted(area * depth, area * height, rate, weight, damping)


def _immersed(z, rate, volume, level, weight, damping):
    return _lifted(volume, volume, rate, weight, damping)


def _lifted(displaced, whole, rate, weight, damping):
    return weight * displaced - damping * rate * displaced / whole, displaced
