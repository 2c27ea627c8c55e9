r"""Planar point masses: bodies with two coordinates.

y
|      o  m        m r'' = F
|   r /
O------ x
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cardan.elements.fixed_axes import FixedAxes, require_no_offset
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import OutlineLike, Vector
from cardan.model.dimensions import Angle
from cardan.model.element import Constraint
from cardan.planar.body import Body, Marker
from cardan.planar.measures import angle


@dataclass(frozen=True, eq=False, init=False)
class PointMass(Body):
    """A particle: m r'' = F, with the two coordinates x and y and no angle.

    `position` and `velocity` are estimates until the mechanism is assembled. `particle.at()` is its point, which
    measures, forces, drivers, contacts and joints of points (`Revolute`, `Distance`, `RevoluteTranslational` with the
    slot on another body) use like any marker; its axes are those of the ground. Elements that need an orientation
    reject it.

    >>> import numpy as np
    >>> from cardan import simulate
    >>> from cardan.planar import Model, PointMass
    >>> model = Model("projectile", gravity=(0, -9.81))
    >>> stone = model.add(PointMass(0.2, position=(0, 1), velocity=(3, 4)), name="stone")
    >>> run = simulate(model, 0.5)
    >>> bool(np.allclose(run[stone].position[-1], (3 * 0.5, 1 + 4 * 0.5 - 9.81 * 0.5**2 / 2), atol=1e-12))
    True
    """

    # what the body has without stating it
    inertia: float | None = field(default=None, init=False, repr=False)
    angle: Angle = field(default=0.0, init=False, repr=False)
    angular_velocity: float = field(default=0.0, init=False, repr=False)
    outline: OutlineLike | None = field(default=None, init=False, repr=False)
    center: Vector = field(default=(0.0, 0.0), init=False, repr=False)
    inertia_at: str = field(default="center", init=False, repr=False)

    def __init__(
        self, mass: float, position: Vector = (0.0, 0.0), velocity: Vector = (0.0, 0.0), *, color: str = ""
    ) -> None:
        Body.__init__(
            self, check.positive(mass, "the mass of a PointMass"), position=position, velocity=velocity, color=color
        )

    @property
    def has_orientation(self) -> bool:
        return False

    def implied(self, ground: Body) -> tuple[Constraint, ...]:
        return (FixedAxes(ground.at(), self.at(), (angle(ground.at(), self.at()),)),)

    def at(self, x: float = 0.0, y: float = 0.0, angle: float | None = None, *, toward: Vector | None = None) -> Marker:
        """The point, with the axes of the ground."""
        require_no_offset(self, (x, y), toward is not None or bool(angle))
        return Marker(self, 0.0, 0.0)

    def world(self, *point: float | Vector, angle: float = 0.0) -> Marker:
        """The point, if the global position is that of the point mass."""
        there = super().world(*point, angle=angle)
        require_no_offset(self, there.place, bool(angle))
        return self.at()

    def profile(self, curve: Any, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Any:
        raise ModelError(f"{self.title} is a point and cannot have a profile; use a Body with mass and inertia")

    def __repr__(self) -> str:
        return f"<planar point mass '{self.name}'>"
