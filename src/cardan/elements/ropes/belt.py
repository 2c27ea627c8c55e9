r"""Belts between two pulleys.

Each strand touches both pulleys. As the pulleys turn, one strand lengthens by the amount that the other shortens,

    u = R_a theta_a - R_b theta_b - (R_a - R_b) gamma        open;         crossed: R_b counts as -R_b

where gamma is the direction of the center line, computed from bearings of each center in the axes of the other. With
the distance c of the centers and D = R_a - R_b (crossed: R_a + R_b) half the belt grows by g(c) - g(c_0),

    g = sqrt(c^2 - D^2) + D asin(D / c),     dg/dc = sqrt(c^2 - D^2) / c

so the tensions are k e with e = T_0 / k + g(c) - g(c_0) +- u, at least zero, and all forces on pulleys and bearings
follow from the work of stretching.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from cardan.elements.forces.two_marker_force import TwoMarkerForce
from cardan.elements.ropes.strand import DAMPING_ONSET, slipping, tension
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Rate, State, Value
from cardan.model.dimensions import Damping, Duration, ForceMagnitude, Length, Ratio, Stiffness
from cardan.model.force import Law
from cardan.model.marker import Marker
from cardan.model.measure import Measure, Readable


@dataclass(frozen=True, eq=False)
class Belt(TwoMarkerForce[Marker]):
    """An elastic belt, chain or toothed belt around two pulleys centered at the points of a and b.

             .--.________ left                 T_left = T_0 + k (u + stretch),   T_right = T_0 + k (-u + stretch)
            ( a  )      .-.
             '--'______( b ) right             ratio R_a : R_b, open: same sense, crossed: opposite sense
                        '-'

    `distance` is the center distance at which both strands have the tension `pretension` when the x axes of both
    markers point from a to b (in space the parallel z axes are the axles). `stiffness` and `damping` are those of one
    strand. Slack strands do not pull. `left` is the strand that leaves a on the left as seen toward b; it is tight when
    a drives counterclockwise.

    With `friction` mu the belt slips when the tensions would exceed the Euler-Eytelwein limit on the pulley with the
    smaller wrap phi: T_tight / T_slack <= exp(mu phi). The slipped length is a state; an initial excess over the limit
    vanishes within the time `settling`. Without `friction` it never slips. run[belt.device]["left"] and ["right"] are
    the tensions, ["slipped"] is the slipped length in meters.

    >>> from cardan.planar import Belt, Body, Model, Revolute
    >>> model = Model("belt")
    >>> motor, fan = model.add(Body(1.0, 0.01)), model.add(Body(2.0, 0.1, position=(0.6, 0.0)))
    >>> pins = [model.add(Revolute(model.ground.world(body.position), body.at())) for body in (motor, fan)]
    >>> belt = Belt(motor.at(), fan.at(), radius_a=0.05, radius_b=0.15, distance=0.6, stiffness=5e4)
    >>> belt = model.add(belt, name="belt")
    """

    radius_a: Length
    radius_b: Length
    distance: Length
    stiffness: Stiffness
    damping: Damping = 0.0
    pretension: ForceMagnitude = 0.0
    crossed: bool = False
    friction: Ratio | None = None
    settling: Duration = 1e-3
    signal_units: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("left", "right", "pull", "apart"), "N"),
        **dict.fromkeys(("drawn", "slipped"), "m"),
    }

    def check(self) -> None:
        super().check()
        for name in ("radius_a", "radius_b", "distance", "stiffness", "settling"):
            check.positive(getattr(self, name), f"{name} of {self.title}")
        self.not_negative("damping", "pretension")
        check.flag(self.crossed, f"crossed of {self.title}")
        least = self.radius_a + self.radius_b if self.crossed else abs(self.radius_a - self.radius_b)
        if self.distance <= least:
            raise ModelError(
                f"the distance of {self.title} must exceed {least:g} m for a belt to fit, got {self.distance:g}"
            )
        if self.friction is not None:
            self.not_negative("friction")

    @property
    def ratio(self) -> float:
        """Turns of b per turn of a, without slip and stretch."""
        return (-1.0 if self.crossed else 1.0) * self.radius_a / self.radius_b

    @property
    def _drawn(self) -> Readable:
        """u, and half a turn of b, because the other center is behind it."""
        other = math.copysign(self.radius_b, self.ratio)
        behind = Measure("bearing", self.b, self.a, near=math.pi)
        return other * behind - self.radius_a * Measure("bearing", self.a, self.b)

    @property
    def _centers(self) -> Measure:
        return Measure("length", self.a, self.b)

    def laws(self) -> tuple[Law, ...]:
        return (
            Law(self._drawn.parts(), signal=self.device["pull"], label="pull"),
            Law(self._centers.parts(), signal=self.device["apart"], label="apart"),
        )

    @cached_property
    def device(self) -> Device:
        """The tensions `left` and `right`, their difference `pull`, the force `apart` on the axles, the length `drawn`
        from the left strand by the pulleys, and the state `slipped`."""
        u, c = self._drawn, self._centers
        step = self.radius_a + self.radius_b if self.crossed else self.radius_a - self.radius_b
        wide = 1.0 if self.crossed else -1.0
        grip = -1.0 if self.friction is None else self.friction  # negative: never slips
        mark = math.copysign(math.pi * self.radius_b, self.ratio)
        numbers = (mark, self.stiffness, self.damping, self.pretension, self.distance, step, wide, grip, self.settling)
        outputs, slipped = ("left", "right", "pull", "apart", "drawn"), State("slipped", scale=1e-3 * self.radius_a)
        return Device(_strands, (Value(u), Rate(u), Value(c), Rate(c)), outputs, (slipped,), numbers, "belt")


def _strands(
    u, drawing, c, parting, slipped,
    mark, stiffness, damping, pretension, distance, step, wide, grip, settling,
):  # fmt: skip
    square = max(c * c - step * step, 1e-12 * c * c)  # overlapping pulleys
    slope = math.sqrt(square) / c
    bent = math.asin(max(-1.0, min(step / c, 1.0)))
    there = math.sqrt(distance * distance - step * step) + step * math.asin(step / distance)
    stretch = pretension / stiffness + slope * c + step * bent - there
    drawn = u - mark
    growing, u = slope * parting, drawn - slipped
    slip = 0.0
    if grip >= 0.0:
        ratio = math.exp(grip * (math.pi + wide * 2.0 * abs(bent)))  # on the pulley with the smaller wrap
        slip = slipping(stretch + u, growing + drawing, stretch - u, growing - drawing, ratio, settling)
    onset, drawing = DAMPING_ONSET * distance, drawing - slip
    left = tension(stretch + u, growing + drawing, stiffness, damping, onset)
    right = tension(stretch - u, growing - drawing, stiffness, damping, onset)
    return left, right, left - right, (left + right) * slope, drawn, slip
