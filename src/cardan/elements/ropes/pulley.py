r"""Ropes around pulleys with a radius, without friction and inertia.

With the centers P_i and the radii sigma_i, positive where the rope turns counterclockwise, zero at a point, the span
from P_i to P_i+1 has D = sigma_i+1 - sigma_i and the center distance l. The total length is

    L = sum over spans g(l) + sum over pulleys sigma (gamma_out - gamma_in),    g = sqrt(l^2 - D^2) + D asin(D / l)

with the directions gamma of the center lines, whose differences at each pulley are differences of two bearings. The
slope g' = sqrt(l^2 - D^2) / l is the cosine of the angle between rope and center line. The tension T therefore acts
along l with T g' and along the bearings with T sigma, which gives the forces on all axles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from cardan.elements.forces.two_marker_force import bodies_of, not_negative
from cardan.elements.ropes.strand import DAMPING_ONSET, tension
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Output, Rate, Signal, Value
from cardan.model.dimensions import Damping, ForceMagnitude, Length, Stiffness
from cardan.model.force import Force, Law
from cardan.model.marker import Marker
from cardan.model.measure import Combination, Measure, Readable
from cardan.model.stated import Stated


@dataclass(frozen=True)
class Pulley(metaclass=Stated):
    """A pulley on the path of a `Rope`, centered at a marker; in space its axle is the marker's z axis.

    The rope goes around it counterclockwise, or `clockwise`, from the first point to the last.
    """

    marker: Marker
    radius: Length
    clockwise: bool = False

    def __post_init__(self) -> None:
        check.instance(self.marker, Marker, "the center of a Pulley", hint="create one with body.at(...)")
        check.positive(self.radius, "the radius of a Pulley")
        check.flag(self.clockwise, "clockwise of a Pulley")


@dataclass(frozen=True, eq=False)
class Rope(Force):
    """An elastic rope around pulleys of given radii, which only pulls.

               .--.                  Rope([a, Pulley(axle, 0.1, clockwise=True), b], EA=1e5, rest_length=2.3)
              ( o  )
              |    |                 T = k (L - rest_length) + c L' when taut; L: total length of spans and arcs
            a o    o b

    The pulleys turn freely. Arcs must stay above about minus a quarter turn: a rope that leaves its pulley is not
    modeled. `stiffness` is k, or `EA` gives k = EA / rest_length. If the pulleys are small enough to be points, `Cable`
    is simpler; if they have inertia, use two cables with `wound`.

    run[rope.device]["tension"] and ["length"] are T and L.

    >>> from cardan.planar import Body, Model, Pulley, Rope
    >>> model = Model("machine of Atwood", gravity=(0, -9.81))
    >>> light = model.add(Body(1.0, 1.0, position=(-0.1, -1.0)), name="light")
    >>> heavy = model.add(Body(2.0, 1.0, position=(0.1, -1.0)), name="heavy")
    >>> path = [light.at(), Pulley(model.ground.at(), 0.1, clockwise=True), heavy.at()]
    >>> rope = model.add(Rope(path, EA=1e5, rest_length=2.0 + 0.1 * 3.141592653589793), name="rope")
    """

    path: Sequence[Marker | Pulley]
    stiffness: Stiffness | None = None
    damping: Damping = 0.0
    rest_length: Length = field(kw_only=True)
    EA: ForceMagnitude | None = None
    signal_units: ClassVar[dict[str, str]] = {"tension": "N", "length": "m"}

    def __post_init__(self) -> None:
        if not isinstance(self.path, Sequence) or len(self.path) < 3:
            raise ModelError(f"a Rope needs two ends with pulleys between them, got {check.short_repr(self.path)}")
        for k, stop in enumerate(self.path):
            ends = k in (0, len(self.path) - 1)
            hint = "the ends of a rope are points" if ends else "a Pulley has a radius"
            check.instance(stop, Marker if ends else (Marker, Pulley), f"stop {k + 1} of a Rope", hint=hint)

    def bodies(self) -> tuple[RigidBody, ...]:
        return bodies_of(*self._spans)

    def check(self) -> None:
        check.positive(self.rest_length, f"the rest_length of {self.title}")
        not_negative(self.damping, f"the damping of {self.title}")
        if (self.stiffness is None) == (self.EA is None):
            raise ModelError(f"{self.title} needs its stiffness or EA, one of the two")
        check.positive(self.stiffness if self.EA is None else self.EA, f"stiffness or EA of {self.title}")

    def laws(self) -> tuple[Law, ...]:
        arcs = sum(self._arcs, Combination(()))
        laws = [Law(arcs.parts(), signal=self.device["tension"], label="tension")] if self._arcs else []
        for k, (span, pull) in enumerate(zip(self._spans, self._pulls, strict=True), 1):
            laws.append(Law(span.parts(), signal=pull, label=f"span {k}"))
        return tuple(laws)

    @property
    def _stops(self) -> list[tuple[Marker, float]]:
        """Centers with their signed radii."""
        return [
            (stop.marker, -stop.radius if stop.clockwise else stop.radius) if isinstance(stop, Pulley) else (stop, 0.0)
            for stop in self.path
        ]

    @property
    def _spans(self) -> list[Measure]:
        return [Measure("length", a, b) for (a, _), (b, _) in pairwise(self._stops)]

    @property
    def _arcs(self) -> list[Readable]:
        """sigma (bearing out - bearing in) of each pulley."""
        stops = self._stops
        return [
            radius * (Measure("bearing", there, after) - Measure("bearing", there, before))
            for (before, _), (there, radius), (after, _) in zip(stops, stops[1:], stops[2:], strict=False)
            if radius
        ]

    @cached_property
    def _shapes(self) -> tuple[Device, ...]:
        """g and g' of each span."""
        steps = [b - a for (_, a), (_, b) in pairwise(self._stops)]
        pairs = zip(self._spans, steps, strict=True)
        return tuple(Device(_span, (Value(m),), ("g", "slope"), (), (step,), "span") for m, step in pairs)

    @cached_property
    def device(self) -> Device:
        """The `tension` and the `length`."""
        spans, arcs, radii = self._spans, self._arcs, [radius for _, radius in self._stops if radius]
        inputs: list[Signal] = [shape["g"] for shape in self._shapes]
        inputs += [shape["slope"] for shape in self._shapes]
        inputs += [Rate(span) for span in spans]
        inputs += [*(Value(arc) for arc in arcs), *(Rate(arc) for arc in arcs)]
        stiffness = self.stiffness if self.EA is None else self.EA / self.rest_length
        assert stiffness is not None
        numbers = (*radii, self.rest_length, stiffness, self.damping)
        return Device(_pulling(len(spans), len(arcs)), tuple(inputs), ("tension", "length"), (), numbers, "rope")

    @cached_property
    def _pulls(self) -> tuple[Output, ...]:
        """T g' of each span."""
        devices = [Device(_leaning, (self.device["tension"], shape["slope"]), ("pull",)) for shape in self._shapes]
        return tuple(device["pull"] for device in devices)


def _span(distance, step):
    square = max(distance * distance - step * step, 1e-12 * distance * distance)  # overlapping pulleys
    straight = math.sqrt(square)
    return straight + step * math.asin(max(-1.0, min(step / distance, 1.0))), straight / distance


def _leaning(tension, slope):
    return tension * slope


def _pulling(spans, arcs):
    """The tension from g, g', l' of all spans, the arcs and their rates, the radii, and three numbers."""

    def pulling(*numbers):
        length, rate = 0.0, 0.0
        for k in range(spans):
            length += numbers[k]
            rate += numbers[spans + k] * numbers[2 * spans + k]
        for k in range(3 * spans, 3 * spans + arcs):
            radius = numbers[2 * arcs + k]
            turned = math.copysign(1.0, radius) * (numbers[k] / radius + math.pi)
            # bearings are defined up to full turns: take the arc between minus a quarter and three quarters of a turn
            turned -= 2.0 * math.pi * math.floor((turned + 0.5 * math.pi) / (2.0 * math.pi))
            length += abs(radius) * turned
            rate += numbers[arcs + k]
        rest, stiffness, damping = numbers[-3], numbers[-2], numbers[-1]
        return tension(length - rest, rate, stiffness, damping, DAMPING_ONSET * rest), length

    return pulling
