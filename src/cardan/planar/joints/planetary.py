"""Planetary gear sets in the plane, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.elements.gears.planetary import PlanetarySet
from cardan.elements.gears.planetary_builder import PlanetaryBuilder
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.dimensions import Angle, Density, Length
from cardan.planar.body import Body
from cardan.planar.joints.revolute import Revolute
from cardan.planar.model import Model


def add_planetary(
    model: Model,
    teeth: Sequence[int],
    module: Length,
    *,
    planets: int = 3,
    sun: RigidBody | None = None,
    ring: RigidBody | None = None,
    carrier: RigidBody | None = None,
    at: Vector = (0.0, 0.0),
    name: str = "planetary",
    pressure_angle: Angle | None = None,
    width: Length | None = None,
    density: Density = 7850.0,
) -> PlanetarySet:
    """Add a planetary gear set: sun, ring and carrier about the point `at`, with planets at equal angles.

    `teeth` are those of sun and ring, or of sun, planets and ring. Pitch radii are module * teeth / 2. `sun`, `ring`
    and `carrier` are bodies, such as `model.ground` for a ring that is held; those that are not given are created, with
    bearings in ground. With a `width`, created gears and the carrier are disks of that width and `density`; otherwise
    they have no mass. All planets carry the same load: see `SharedGear`. A `pressure_angle` yields radial forces.

    Tooth numbers with which planets cannot be assembled at equal angles, and planets that collide, are reported.

    >>> from cardan import inverse_dynamics
    >>> from cardan.planar import Driver, Model, Ramp, Torque, add_planetary
    >>> model = Model("gearbox")
    >>> gears = add_planetary(model, teeth=(24, 60), module=0.002, ring=model.ground)
    >>> motor = model.add(Driver(gears.shafts["sun"].angle, Ramp(70.0)), name="motor")
    >>> load = model.add(Torque(gears.carrier.at(), -35.0), name="load")
    >>> run = inverse_dynamics(model, [0.0, 0.1])
    >>> run["planetary carrier"].angular_velocity.round(9).tolist(), gears.ratio
    ([20.0, 20.0], 3.5)
    >>> run["motor.force"].round(9).tolist()  # 35 N m / 3.5
    [10.0, 10.0]
    """
    check.instance(model, Model, "the model of add_planetary()")
    x, y = check.vector(at, 2, f"the point `at` of planetary set '{check.text(name, 'the name of a planetary set')}'")
    builder = PlanetaryBuilder(
        model,
        name,
        body=lambda place, matter, outline: Body(
            matter[0] or None, matter[1] or None, position=(x + place[0], y + place[1]), outline=outline or None
        ),
        marker=lambda body, place: body.world((x + place[0], y + place[1])),
        revolute=Revolute,
    )
    wheels: dict[str, Any] = {"sun": sun, "ring": ring, "carrier": carrier}
    angles = {"pressure_angle": pressure_angle, "helix_angle": 0.0}
    return builder.build(teeth, module, planets, wheels, angles, width, density)
