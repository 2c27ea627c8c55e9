"""Planar wings."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cardan.elements.forces.wing import WingBase, beside
from cardan.model.measure import Readable
from cardan.planar.body import require_marker


@dataclass(frozen=True, eq=False)
class Wing(WingBase):
    """A wing in side view: lift across the flow and drag along it, as functions of the angle of attack.

             ^ y: normal          alpha = angle from the velocity u to the chord, u = velocity - wind
        .--==|==-.__
        '-...o__....--> x         lift  1/2 density area lift(alpha) u^2 across u, toward y for alpha > 0
             chord, forward       drag  1/2 density area drag(alpha) u^2 against u

    The x axis of the marker is the chord, pointing forward, its y axis the normal; the force acts at its point.
    `lift` and `drag` are the coefficients over alpha in rad: a number, a function, or a `Spline` through measured
    points. `wind` is the velocity of the air: numbers, motions or functions of time. run[wing.device]["attack"] is
    alpha.

    >>> from cardan.planar import Body, Model, Spline, Wing
    >>> model = Model("glider", gravity=(0, -9.81))
    >>> glider = model.add(Body(mass=300.0, inertia=200.0, velocity=(25.0, 0.0)), name="glider")
    >>> polar = Spline((-0.3, -0.1, 0.1, 0.25, 0.4), (-0.9, -0.2, 1.0, 1.5, 1.0))
    >>> wing = model.add(Wing(glider.at(), area=12.0, lift=polar, drag=0.02), name="wing")
    """

    def __post_init__(self) -> None:
        require_marker(self.marker, "the marker of a Wing")

    def directions(self) -> tuple[Readable, ...]:
        angle = require_marker(self.marker, "the marker of a Wing").angle
        return beside(self.marker, (math.cos(angle), math.sin(angle)))
