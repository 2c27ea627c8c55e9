"""Cables through any number of points, which only pull."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from operator import add
from typing import ClassVar

from cardan.elements.forces.piecewise import Characteristic
from cardan.elements.forces.two_marker_force import bodies_of, not_negative
from cardan.elements.ropes.strand import DAMPING_ONSET, tension
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Rate, Value
from cardan.model.dimensions import Damping, ForceMagnitude, Length, Stiffness
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable, readable, require_value


@dataclass(frozen=True, eq=False)
class Cable(Force):
    """A cable through points, straight between them, that slides without friction through the inner ones.

        a o--------.  .-------o c          l = |ab| + |bc| + ... + wound,     e = l - rest_length
                    \\/
                     o b                   T = k e + c e'  if e > 0, at least zero; slack: T = 0

    The tension is the same everywhere: `Cable([hook, block, hook], ...)` is a tackle that halves the load. Inner points
    act as small pulleys. `stiffness` is k, or `EA` gives k = EA / rest_length. Damping increases from zero within the
    first 0.01 % of stretch, so the tension does not jump when the cable becomes taut. `wound` is a measure of the
    length wound on a drum, such as 0.1 * drum.angle.

    `run[cable].force` is the tension, `run[cable].length` the length.

    >>> from cardan import equilibrium
    >>> from cardan.planar import Body, Cable, Model
    >>> model = Model("sling", gravity=(0, -9.81))
    >>> bell = model.add(Body(mass=100.0, inertia=5.0, position=(0.0, -1.01)), name="bell")
    >>> points = [model.ground.at(-0.1, 0.0), bell.at(-0.1, 0.0), bell.at(0.1, 0.0), model.ground.at(0.1, 0.0)]
    >>> rope = model.add(Cable(points, EA=1e6, rest_length=2.2), name="rope")
    >>> rest = equilibrium(model)
    >>> f"{rest[rope].force:.2f} N, m g / 2 = {100.0 * 9.81 / 2:.2f} N"
    '490.50 N, m g / 2 = 490.50 N'
    """

    points: Sequence[Marker]
    stiffness: Stiffness | None = None
    damping: Damping = 0.0
    rest_length: Length = field(kw_only=True)
    EA: ForceMagnitude | None = None
    wound: Readable | None = None
    signal_units: ClassVar[dict[str, str]] = {"force": "N"}

    def __post_init__(self) -> None:
        if isinstance(self.points, Marker) or not isinstance(self.points, Sequence) or len(self.points) < 2:
            raise ModelError(f"a Cable needs a list of two points or more, got {check.short_repr(self.points)}")
        for k, point in enumerate(self.points):
            check.instance(point, Marker, f"point {k + 1} of a Cable", hint="create one with body.at(...)")
        if self.wound is not None:
            readable(self.wound, "the wound length of a Cable")

    def bodies(self) -> tuple[RigidBody, ...]:
        return bodies_of(self.measure)

    def check(self) -> None:
        check.positive(self.rest_length, f"the rest_length of {self.title}")
        not_negative(self.damping, f"the damping of {self.title}")
        if (self.stiffness is None) == (self.EA is None):
            raise ModelError(f"{self.title} needs its stiffness or EA, one of the two")
        check.positive(self.stiffness if self.EA is None else self.EA, f"stiffness or EA of {self.title}")
        if all(one.body is other.body for one, other in pairwise(self.points)):
            raise ModelError(f"all points of {self.title} are on '{self.points[0].body.name}': it would have no effect")
        if self.wound is not None:
            require_value(self.title, self.wound)

    @property
    def measure(self) -> Readable:
        """The length."""
        spans: list[Readable] = [Measure("length", one, other) for one, other in pairwise(self.points)]
        return reduce(add, spans if self.wound is None else [*spans, self.wound])

    def laws(self) -> tuple[Law, ...]:
        rest, stiffness = self.rest_length, self._stiffness
        spring = Characteristic((0.0, rest, 2.0 * rest), ((0.0, 0.0), (0.0, stiffness * rest)))
        damper = self._damper["damping"] if self.damping else None
        return (Law(self.measure.parts(), curve=spring, signal=damper, at_rest=False),)

    @property
    def _stiffness(self) -> float:
        found = self.stiffness if self.EA is None else self.EA / self.rest_length
        assert found is not None
        return found

    @cached_property
    def _damper(self) -> Device:
        length, onset = self.measure, DAMPING_ONSET * self.rest_length
        numbers = (self.rest_length, self._stiffness, self.damping, onset)
        return Device(_damped, (Value(length), Rate(length)), ("damping",), (), numbers, "damping")


def _damped(length, rate, rest, stiffness, damping, onset):
    """The damping part of the tension, limited to keep the tension positive."""
    stretch = length - rest
    return tension(stretch, rate, stiffness, damping, onset) - stiffness * max(stretch, 0.0)
