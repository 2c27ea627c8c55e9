"""Spatial wings."""

from __future__ import annotations

from dataclasses import dataclass

from cardan.elements.forces.wing import WingBase, beside
from cardan.model.measure import Readable
from cardan.spatial import rotation
from cardan.spatial.body import require_marker


@dataclass(frozen=True, eq=False)
class Wing(WingBase):
    """A wing, fin or blade: lift across the flow and drag along it, as functions of the angle of attack.

             ^ z: normal          alpha = angle from the velocity u to the chord, u = velocity - wind without its part
        .--==|==-.__                      along the span
        '-...o__....--> x         lift  1/2 density area lift(alpha) u^2 across u, toward z for alpha > 0
             chord, forward       drag  1/2 density area drag(alpha) u^2 against u

    The x axis of the marker is the chord, pointing forward, its y axis the span, its z axis the normal; the force acts
    at its point. Flow along the span has no effect. `lift` and `drag` are the coefficients over alpha in rad: a
    number, a function, or a `Spline` through measured points. `wind` is the velocity of the air: numbers, motions or
    functions of time. run[wing.device]["attack"] is alpha.

    >>> from cardan.spatial import Body, Model, Wing
    >>> model = Model("glider", gravity=(0, 0, -9.81))
    >>> glider = model.add(Body(300.0, (200.0, 200.0, 300.0), velocity=(25.0, 0.0, 0.0)), name="glider")
    >>> wing = model.add(Wing(glider.at(), area=12.0, lift=lambda alpha: 5.5 * alpha, drag=0.02), name="wing")
    """

    def __post_init__(self) -> None:
        require_marker(self.marker, "the marker of a Wing")

    def directions(self) -> tuple[Readable, ...]:
        axes = rotation.matrix(require_marker(self.marker, "the marker of a Wing").orientation)
        return (*beside(self.marker, axes[:, 0].tolist()), *beside(self.marker, axes[:, 2].tolist()))
