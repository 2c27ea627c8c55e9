"""Builds planetary sets from the bodies and joints of either space."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cardan.elements.constraints.gear import Gear
from cardan.elements.gears.planetary import PlanetarySet, checked_teeth, disk, in_model
from cardan.elements.gears.shared_gear import SharedGear
from cardan.model import check

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.element import Constraint

Place = tuple[float, float]  # in the plane of the gears, from the common axis
Matter = tuple[float, float, float]  # mass, axial and transverse moment of inertia
RING_THICKNESS = 3.0  # modules: thickness of a ring beyond its pitch circle


@dataclass
class PlanetaryBuilder:
    """What the two spaces do differently, and the elements built so far."""

    model: Any
    name: str
    body: Callable[[Place, Matter, list[list[Place]]], Any]  # at a point, with mass, moments and an outline
    marker: Callable[[Any, Place], Any]  # on a body, at a point
    revolute: Callable[[Any, Any], Any]
    bodies: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    shafts: dict[str, Any] = field(default_factory=dict)

    def build(
        self,
        teeth: Any,
        module: Any,
        planets: Any,
        wheels: dict[str, Any],
        angles: dict[str, Any],
        width: Any,
        density: Any,
    ) -> PlanetarySet:
        """Add everything. `wheels` are the bodies given for sun, ring and carrier, None for those to be created."""
        what = f"planetary set '{self.name}'"
        count = check.count(planets, f"planets of {what}")
        z_s, z_p, z_r = checked_teeth(teeth, count, self.name)
        m = check.positive(module, f"the module of {what}")
        if width is not None:
            check.positive(width, f"the width of {what}")
        check.positive(density, f"the density of {what}")
        for part, body in wheels.items():
            if body is not None:
                in_model(body, self.model, f"the {part} of {what}")
        radii = {"sun": 0.5 * m * z_s, "planet": 0.5 * m * z_p, "ring": 0.5 * m * z_r}
        orbit, middle = radii["sun"] + radii["planet"], (0.0, 0.0)
        matters = {
            "sun": disk(radii["sun"], width, density),
            "ring": disk(radii["ring"] + RING_THICKNESS * m, width, density, radii["ring"]),
            "carrier": disk(orbit, width, density),
        }
        centers = [(orbit * math.cos(t), orbit * math.sin(t)) for t in (2 * math.pi * k / count for k in range(count))]
        arms = {"carrier": [[middle, center] for center in centers]}
        parts = {part: self._wheel(part, body, matters[part], arms.get(part, [])) for part, body in wheels.items()}
        planet_bodies, pins, ring_meshes = [], [], []
        for k, center in enumerate(centers, 1):
            planet = self._add_body(f"planet {k}", center, disk(radii["planet"], width, density), [])
            planet_bodies.append(planet)
            carrier_pin = self.marker(parts["carrier"], center)
            pins.append(self._add_joint(f"pin {k}", self.revolute(carrier_pin, self.marker(planet, center))))
            ends = self.marker(parts["ring"], middle), self.marker(planet, center)
            mesh = Gear(*ends, radii["ring"], radii["planet"], internal=True, **angles)
            ring_meshes.append(self._add_joint(f"ring mesh {k}", mesh))
        places = [self.marker(planet, center) for planet, center in zip(planet_bodies, centers, strict=True)]
        mirrored = angles | {"helix_angle": -angles["helix_angle"]}  # the hand of a ring is that of its planets
        sun_mesh = SharedGear(self.marker(parts["sun"], middle), places, radii["sun"], radii["planet"], **mirrored)
        self._add_joint("sun mesh", sun_mesh)
        return PlanetarySet(
            self.name, (z_s, z_p, z_r), m, parts["sun"], parts["ring"], parts["carrier"], tuple(planet_bodies),
            self.shafts, tuple(pins), sun_mesh, tuple(ring_meshes), tuple(self.bodies), tuple(self.joints),
        )  # fmt: skip

    def _wheel(self, name: str, body: RigidBody, matter: Matter, outline: list[list[Place]]) -> Any:
        """A given body, or a new one on a bearing in ground."""
        if body is not None:
            return body
        made, middle = self._add_body(name, (0.0, 0.0), matter, outline), (0.0, 0.0)
        shaft = self.revolute(self.marker(self.model.ground, middle), self.marker(made, middle))
        self.shafts[name] = self._add_joint(f"{name} shaft", shaft)
        return made

    def _add_body(self, name: str, place: Place, matter: Matter, outline: list[list[Place]]) -> Any:
        self.bodies.append(f"{self.name} {name}")
        return self.model.add(self.body(place, matter, outline), name=self.bodies[-1])

    def _add_joint(self, name: str, joint: Constraint) -> Any:
        self.joints.append(f"{self.name} {name}")
        return self.model.add(joint, name=self.joints[-1])
