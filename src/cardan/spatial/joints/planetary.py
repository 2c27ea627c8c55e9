"""Planetary gear sets in space, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardan.elements.gears.planetary import PlanetarySet
from cardan.elements.gears.planetary_builder import Matter, Place, PlanetaryBuilder
from cardan.model import check
from cardan.model.body import RigidBody, Vector
from cardan.model.dimensions import Angle, Density, Length
from cardan.spatial import rotation
from cardan.spatial.body import Body
from cardan.spatial.joints.revolute import Revolute
from cardan.spatial.model import Model


def add_planetary(
    model: Model,
    teeth: Sequence[int],
    module: Length,
    *,
    planets: int = 3,
    sun: RigidBody | None = None,
    ring: RigidBody | None = None,
    carrier: RigidBody | None = None,
    at: Vector = (0.0, 0.0, 0.0),
    axis: Vector = (0.0, 0.0, 1.0),
    name: str = "planetary",
    pressure_angle: Angle | None = None,
    helix_angle: Angle = 0.0,
    width: Length | None = None,
    density: Density = 7850.0,
) -> PlanetarySet:
    """Add a planetary gear set: sun, ring and carrier about an `axis` through the point `at`, with planets at equal
    angles in the plane perpendicular to it.

    `teeth` are those of sun and ring, or of sun, planets and ring. Pitch radii are module * teeth / 2, `module` that in
    the transverse section. `sun`, `ring` and `carrier` are bodies, such as `model.ground` for a ring that is held;
    those that are not given are created, with bearings in ground. With a `width`, created gears and the carrier are
    disks of that width and `density`; otherwise they have no mass. All planets carry the same load: see `SharedGear`.
    `pressure_angle` and `helix_angle`, positive for a right-handed ring, yield radial and axial tooth forces.

    Tooth numbers with which planets cannot be assembled at equal angles, and planets that collide, are reported.

    >>> from cardan import inverse_dynamics
    >>> from cardan.spatial import Driver, Model, Ramp, Torque, add_planetary
    >>> model = Model("gearbox")
    >>> gears = add_planetary(model, (24, 18, 60), 0.002, ring=model.ground, pressure_angle=0.349)
    >>> motor = model.add(Driver(gears.shafts["sun"].angle, Ramp(70.0)), name="motor")
    >>> load = model.add(Torque(gears.carrier.at(), (0, 0, -35.0)), name="load")
    >>> run = inverse_dynamics(model, [0.0])
    >>> run["planetary sun mesh teeth.tangential"].round(6).tolist()  # 10 N m / (0.024 m * 3)
    [-138.888889]
    """
    check.instance(model, Model, "the model of add_planetary()")
    what = f"planetary set '{check.text(name, 'the name of a planetary set')}'"
    x, y, z = check.vector(at, 3, f"the point `at` of {what}")
    along = check.vector(axis, 3, f"the axis of {what}")
    orientation = rotation.from_axes(z=along)
    A = rotation.matrix(orientation)

    def point(place: Place) -> tuple[float, float, float]:
        dx, dy, dz = (A[:, 0] * place[0] + A[:, 1] * place[1]).tolist()
        return x + dx, y + dy, z + dz

    def body(place: Place, matter: Matter, outline: list[list[Place]]) -> Body:
        mass, axial, across = matter
        drawn = [[(*corner, 0.0) for corner in line] for line in outline] or None
        own: dict[str, Any] = {"mass": mass, "inertia": (across, across, axial)} if mass else {}
        return Body(**own, position=point(place), orientation=tuple(orientation.tolist()), outline=drawn)

    builder = PlanetaryBuilder(
        model,
        name,
        body=body,
        marker=lambda on, place: on.world(point(place), z=along, x=tuple(A[:, 0].tolist())),
        revolute=Revolute,
    )
    wheels: dict[str, Any] = {"sun": sun, "ring": ring, "carrier": carrier}
    angles = {"pressure_angle": pressure_angle, "helix_angle": helix_angle}
    return builder.build(teeth, module, planets, wheels, angles, width, density)
