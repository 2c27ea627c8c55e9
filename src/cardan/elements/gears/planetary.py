r"""Planetary gear sets. Common part of `add_planetary` in the plane and in space.

          ring              Willis: z_s (w_s - w_c) = -z_r (w_r - w_c)
     .-----------.          w: speeds of sun, ring and carrier, z: teeth
    /   planet    \
   |    (  )       |        z_r = z_s + 2 z_p              planets fit between sun and ring
   | carrier (sun) |        (z_s + z_r) / n an integer     n planets can be assembled at equal angles
    \    (  )     /         (z_s + z_p) sin(pi / n) > z_p + 2    neighboring planets do not touch
     '-----------'
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cardan.elements.constraints.gear import Gear
from cardan.elements.gears.shared_gear import SharedGear
from cardan.errors import ModelError, warn
from cardan.model import check

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.model import Model


@dataclass(frozen=True, eq=False)
class PlanetarySet:
    """The elements of a planetary set.

    `sun`, `ring`, `carrier` and `planets` are bodies, `shafts` the bearings of those that were created, by "sun",
    "ring" and "carrier", `pins` the bearings of the planets, `sun_mesh` and `ring_meshes` the pairs of gears.
    `bodies` and `joints` list the names of everything that was added.
    """

    name: str
    teeth: tuple[int, int, int]
    module: float
    sun: Any
    ring: Any
    carrier: Any
    planets: tuple[Any, ...]
    shafts: dict[str, Any]
    pins: tuple[Any, ...]
    sun_mesh: SharedGear
    ring_meshes: tuple[Gear, ...]
    bodies: tuple[str, ...]
    joints: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """w_sun / w_carrier with the ring held: 1 + z_r / z_s."""
        return 1.0 + self.teeth[2] / self.teeth[0]

    def speeds(
        self, sun: float | None = None, ring: float | None = None, carrier: float | None = None
    ) -> tuple[float, float, float]:
        """The speeds of sun, ring and carrier from two of them, by Willis' equation.

        >>> from cardan.planar import Model, add_planetary
        >>> gears = add_planetary(Model("gearbox"), teeth=(24, 18, 60), module=0.002)
        >>> gears.speeds(sun=70.0, ring=0.0)
        (70.0, 0.0, 20.0)
        """
        given = (sun, ring, carrier)
        if sum(value is None for value in given) != 1:
            raise ModelError(f"speeds of planetary set '{self.name}' takes two of sun, ring and carrier")
        z_s, _, z_r = self.teeth
        if carrier is None:
            assert sun is not None and ring is not None
            return sun, ring, (z_s * sun + z_r * ring) / (z_s + z_r)
        if sun is None:
            assert ring is not None
            return ((z_s + z_r) * carrier - z_r * ring) / z_s, ring, carrier
        return sun, ((z_s + z_r) * carrier - z_s * sun) / z_r, carrier

    def __repr__(self) -> str:
        z_s, z_p, z_r = self.teeth
        return f"<planetary set '{self.name}': sun {z_s}, {len(self.planets)} planets {z_p}, ring {z_r}>"


def checked_teeth(teeth: Any, planets: int, name: str) -> tuple[int, int, int]:
    """Teeth of sun, planets and ring; warns of planets that collide or cannot be assembled at equal angles."""
    what = f"the teeth of planetary set '{name}'"
    if not isinstance(teeth, Sequence) or len(teeth) not in (2, 3):
        raise ModelError(f"{what} must be (sun, ring) or (sun, planet, ring), got {check.short_repr(teeth)}")
    counts = [check.count(z, what) for z in teeth]
    z_s, z_r = counts[0], counts[-1]
    if z_r <= z_s:
        raise ModelError(f"{what}: the ring must have more than the sun, got {z_s} and {z_r}")
    if (z_r - z_s) % 2 or (len(counts) == 3 and 2 * counts[1] != z_r - z_s):
        stated = f" and planets with {counts[1]}" if len(counts) == 3 else ""
        raise ModelError(
            f"{what}: planets have (ring - sun) / 2 teeth, got a sun with {z_s}{stated} and a ring with {z_r}; "
            f"a ring with {z_s + 2 * (counts[1] if len(counts) == 3 else (z_r - z_s) // 2)} fits"
        )
    z_p = (z_r - z_s) // 2
    if (z_s + z_r) % planets:
        fitting = [z for z in range(z_s - planets, z_s + planets + 1) if z > 0 and (2 * z + 2 * z_p) % planets == 0]
        hint = f"; with planets of {z_p} teeth, suns with {fitting} do" if fitting else ""
        warn(
            f"{planets} planets of set '{name}' cannot be assembled at equal angles: (z_sun + z_ring) / planets = "
            f"({z_s} + {z_r}) / {planets} is not an integer{hint}"
        )
    if planets > 1 and (z_s + z_p) * math.sin(math.pi / planets) <= z_p + 2:
        warn(
            f"neighboring planets of set '{name}' collide: (z_sun + z_planet) sin(pi / {planets}) = "
            f"{(z_s + z_p) * math.sin(math.pi / planets):.1f} must exceed z_planet + 2 = {z_p + 2}; use fewer planets"
        )
    return z_s, z_p, z_r


def disk(radius: float, width: float | None, density: float, hole: float = 0.0) -> tuple[float, float, float]:
    """Mass, axial and transverse moment of inertia of a disk or ring; zeros without a width."""
    if width is None:
        return 0.0, 0.0, 0.0
    mass = density * math.pi * (radius**2 - hole**2) * width
    squares = radius**2 + hole**2
    return mass, 0.5 * mass * squares, mass * (0.25 * squares + width**2 / 12.0)


def in_model(body: RigidBody, model: Model, what: str) -> None:
    """Reject what is not a body of the model."""
    if not isinstance(body, model.body_type) or body not in model:
        raise ModelError(f"{what} must be a body of model '{model.name}', got {check.describe(body)}")
