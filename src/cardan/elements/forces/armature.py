"""Rotors that joints turn through gears."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import MeasureInertia
from cardan.model.force import Force, Law
from cardan.model.matter.added_inertia import AddedInertia
from cardan.model.measure import Measure


@dataclass(frozen=True, eq=False)
class Armature(Force):
    """The inertia of a motor's rotor, as felt at the joint that it drives.

        M + J w w^T,  z' = w . v          T = J z'^2 / 2

    `coordinate` is the coordinate of a joint, such as `.angle` of a Revolute or `.travel` of a Translational, and
    `inertia` the inertia J along it: n^2 times that of the rotor if it turns n times as fast, in kg m^2 about a hinge
    and in kg along a slide. The rotor has no weight, no gyroscopic effect and no coordinates.

    >>> from cardan import simulate
    >>> from cardan.planar import Armature, Body, Model, Revolute, Torque
    >>> model = Model("drive")
    >>> arm = model.add(Body(mass=0.0, inertia=1.0), name="arm")
    >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    >>> rotor = model.add(Armature(hinge.angle, inertia=50.0**2 * 2e-4), name="rotor")
    >>> push = model.add(Torque(arm.at(), 3.0), name="push")
    >>> float(round(simulate(model, 1.0)["arm"].angular_velocity[-1], 9))  # 3 / (1 + 0.5)
    2.0
    """

    coordinate: Measure
    inertia: MeasureInertia

    def __post_init__(self) -> None:
        check.instance(self.coordinate, Measure, "the coordinate of an Armature", hint="such as .angle of a Revolute")

    def check(self) -> None:
        if check.number(self.inertia, f"the inertia of {self.title}") <= 0.0:
            raise ModelError(f"{self.title} must have a positive inertia, got {self.inertia:g}; omit it if it has none")

    def laws(self) -> tuple[Law, ...]:
        return ()

    def added_inertia(self) -> tuple[AddedInertia, ...]:
        return (AddedInertia(self, self.coordinate, float(self.inertia)),)

    def measured(self) -> tuple[Measure, ...]:
        return (self.coordinate,)
