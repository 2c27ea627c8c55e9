"""Buoyancy of a body that is fully or partly immersed in a fluid at rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cardan.elements.forces.piecewise import Characteristic
from cardan.elements.forces.two_marker_force import not_negative
from cardan.errors import ModelError, warn
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.curves.motion import Constant, Motion
from cardan.model.device import Device, Rate, Value
from cardan.model.dimensions import Acceleration, Area, Damping, Density, Length, Volume
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure

WATER_DENSITY = 1000.0  # kg/m^3


@dataclass(frozen=True, eq=False)
class Buoyancy(Force):
    """The weight of the displaced fluid, acting upward at a point (Archimedes).

              .--.                    F = density gravity V(d),       d: depth of the lowest point below the level
        ~~~~~(~~o~)~~~~ level
              '--'  d                 sphere  V = pi d^2 (3 R - d) / 3       prism  V = area d

    Give one of: `radius`, a sphere around the marker; `area` and `height`, an upright prism or cylinder with the marker
    at its center; `volume`, a body that is always fully immersed. Up is y in the plane, z in space; `level` is the
    height of the surface. `damping` is that of vertical motion, in N s/m when fully immersed, otherwise in proportion
    to the immersed volume. The default `density` is that of water. A `gravity` unlike that of the model is warned of.

    The force always acts at the marker: use several for a hull that heels.

    >>> import math
    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, Buoyancy, Model
    >>> model = Model("spar buoy", gravity=(0, -9.81))
    >>> buoy = model.add(Body(mass=50.0, inertia=20.0), name="buoy")
    >>> water = model.add(Buoyancy(buoy.at(), area=0.05, height=2.0), name="water")
    >>> draft = 1.0 - equilibrium(model)[buoy].position[1]
    >>> f"{draft:.6f} m deep; m / (density area) = {50.0 / (1000.0 * 0.05):.6f} m"
    '1.000000 m deep; m / (density area) = 1.000000 m'
    """

    marker: Marker
    radius: Length | None = None
    area: Area | None = None
    height: Length | None = None
    volume: Volume | None = None
    density: Density = WATER_DENSITY
    level: Length = 0.0
    damping: Damping = 0.0
    gravity: Acceleration = 9.81

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the point of a Buoyancy", hint="create one with body.at(...)")

    def check_gravity(self, gravity: Sequence[float]) -> None:
        up = len(gravity) - 1
        expected = [-self.gravity if k == up else 0.0 for k in range(len(gravity))]
        if not np.allclose(gravity, expected, rtol=1e-3, atol=1e-3 * self.gravity):
            given = ", ".join(f"{value:g}" for value in gravity)
            warn(
                f"{self.title} assumes gravity of {self.gravity:g} m/s2 along -{'xyz'[up]}, the model has ({given}) "
                "m/s2: state its gravity=, or change that of the model"
            )

    def bodies(self) -> tuple[RigidBody, ...]:
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
        weight = self._displaced() * (self.density * self.gravity)
        damper = self._damper["damping"] if self.damping else None
        return (Law(((-1.0, self.measure),), curve=weight, signal=damper, at_rest=False),)

    def _displaced(self) -> Motion:
        """The displaced volume as a function of the depth of the marker below height zero."""
        if self.volume is not None:
            return Constant(self.volume)
        if self.radius is not None:
            R = self.radius
            whole = 4.0 / 3.0 * math.pi * R**3
            # pi d^2 (3 R - d) / 3 with d = 2 R s
            return Characteristic((-self.level - R, -self.level + R), ((0.0, 0.0, 3.0 * whole, -2.0 * whole),))
        assert self.area is not None and self.height is not None
        half, whole = 0.5 * self.height, self.area * self.height
        breaks = (-self.level - 2.0 * half, -self.level - half, -self.level + half, -self.level + 2.0 * half)
        return Characteristic(breaks, ((0.0, 0.0), (0.0, whole), (whole, 0.0)))

    @cached_property
    def _damper(self) -> Device:
        inputs = (Value(self.measure), Rate(self.measure))
        if self.radius is not None:
            return Device(_damped_sphere, inputs, ("damping",), (), (self.radius, self.level, self.damping), "damping")
        if self.height is not None:
            numbers = (0.5 * self.height, self.level, self.damping)
            return Device(_damped_prism, inputs, ("damping",), (), numbers, "damping")
        return Device(_damped_all, inputs, ("damping",), (), (self.damping,), "damping")


def _damped_sphere(z, rate, radius, level, damping):
    """Vertical, in proportion to the immersed volume: s^2 (3 - 2 s), s = d / 2 R."""
    share = min(max(0.5 * ((level - z) / radius + 1.0), 0.0), 1.0)
    return -damping * rate * share * share * (3.0 - 2.0 * share)


def _damped_prism(z, rate, half, level, damping):
    return -damping * rate * min(max(0.5 * ((level - z) / half + 1.0), 0.0), 1.0)


def _damped_all(z, rate, damping):
    return -damping * rate
