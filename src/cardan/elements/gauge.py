"""Named measures."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.model.body import RigidBody
from cardan.model.element import Element
from cardan.model.measure import Measure, Readable, readable, require_terms


@dataclass(frozen=True, eq=False)
class Gauge(Element):
    """A measure with a name, for tables and plots: its value, rate and acceleration are columns of every result.

    >>> from cardan import kinematics
    >>> from cardan.planar import Body, Driver, Gauge, Model, Ramp, Revolute, length
    >>> model = Model("arm")
    >>> arm = model.add(Body(), name="arm")
    >>> hinge = model.add(Revolute(model.ground.at(), arm.at()), name="hinge")
    >>> motor = model.add(Driver(hinge.angle, Ramp(3.0)), name="motor")
    >>> reach = model.add(Gauge(length(model.ground.at(2, 0), arm.at(1, 0))), name="reach")
    >>> run = kinematics(model, [0.0, 0.5])
    >>> run["reach"].value.round(4).tolist(), [name for name in run.columns if "reach" in name]
    ([1.0, 2.1719], ['reach', 'reach.rate', 'reach.acceleration'])
    """

    measure: Readable

    def __post_init__(self) -> None:
        readable(self.measure, "the measure of a Gauge")

    def check(self) -> None:
        require_terms(self.title, self.measure)

    def measured(self) -> tuple[Measure, ...]:
        return tuple(measure for _, measure in self.measure.parts())

    def bodies(self) -> tuple[RigidBody, ...]:
        return tuple({id(marker.body): marker.body for m in self.measured() for marker in m.markers()}.values())
