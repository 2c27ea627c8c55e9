r"""Planar point masses: bodies with two coordinates.

y
|      o  m        m r'' = F
|   r /
O------ x
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from cardan.elements.fixed_axes import FixedAxes, require_no_offset, require_no_orientation
from cardan.elements.force_balance import ForceBalance, require_springs
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import OutlineLike, Vector
from cardan.model.dimensions import Angle, Mass, Position, Velocity
from cardan.model.element import Constraint, Element
from cardan.planar.body import Body, Marker
from cardan.planar.measures import angle

if TYPE_CHECKING:
    from cardan.model.model import Model


@dataclass(frozen=True, eq=False, init=False)
class PointBody(Body):
    """Common base of bodies without orientation."""

    # what the body has without stating it
    inertia: float | None = field(default=None, init=False, repr=False)
    angle: Angle = field(default=0.0, init=False, repr=False)
    angular_velocity: float = field(default=0.0, init=False, repr=False)
    outline: OutlineLike | None = field(default=None, init=False, repr=False)
    center: Position = field(default=(0.0, 0.0), init=False, repr=False)
    inertia_at: str = field(default="center", init=False, repr=False)

    @property
    def has_orientation(self) -> bool:
        return False

    def implied(self, model: Model) -> tuple[Constraint, ...]:
        a, b = model.ground.at(), self.at()
        return (FixedAxes(a, b, (angle(a, b),)),)

    def check_attached(self, element: Element) -> None:
        require_no_orientation(self, element)

    def at(self, x: float = 0.0, y: float = 0.0, angle: float | None = None, *, toward: Vector | None = None) -> Marker:
        """The point, with the axes of the ground."""
        require_no_offset(self, (x, y), toward is not None or bool(angle))
        return Marker(self, 0.0, 0.0)

    def world(self, *point: float | Vector, angle: float = 0.0) -> Marker:
        """The point, if the global position is that of the point mass."""
        there = super().world(*point, angle=angle)
        require_no_offset(self, there.place, bool(angle))
        return self.at()

    def profile(self, curve: Any, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> NoReturn:
        raise ModelError(f"{self.title} is a point and cannot have a profile; use a Body with mass and inertia")


@dataclass(frozen=True, eq=False, init=False)
class PointMass(PointBody):
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

    def __init__(
        self,
        mass: Mass,
        position: Position = (0.0, 0.0),
        velocity: Velocity = (0.0, 0.0),
        *,
        color: str = "",
    ) -> None:
        Body.__init__(
            self, check.positive(mass, "the mass of a PointMass"), position=position, velocity=velocity, color=color
        )

    def __repr__(self) -> str:
        return f"<planar point mass '{self.name}'>"


@dataclass(frozen=True, eq=False, init=False)
class Junction(PointBody):
    """A massless point between springs: its position follows from the balance of their forces at every instant, F = 0.

    `position` is an estimate. Springs, cables and loads without damping act on `junction.at()`; what has damping, and
    joints, need a `PointMass`. In every analysis the junction adds no degree of freedom.

    Two springs in series, 100 N/m and 300 N/m, stretched by 0.4 m: 75 N/m, thus 30 N:

    >>> from cardan import assemble
    >>> from cardan.planar import Junction, Model, Spring, length
    >>> model = Model("series")
    >>> knot = model.add(Junction((0.2, 0.1)), name="knot")
    >>> left, right = model.ground.at(), model.ground.at(1, 0)
    >>> soft = model.add(Spring(length(left, knot.at()), 100.0, rest_length=0.3), name="soft")
    >>> hard = model.add(Spring(length(knot.at(), right), 300.0, rest_length=0.3), name="hard")
    >>> float(assemble(model)[knot].position[0].round(9))
    0.6
    """

    mass: float | None = field(default=None, init=False, repr=False)
    velocity: Velocity = field(default=(0.0, 0.0), init=False, repr=False)

    def __init__(self, position: Position = (0.0, 0.0), *, color: str = "") -> None:
        Body.__init__(self, position=position, color=color)

    @property
    def follows(self) -> bool:
        return True

    def implied(self, model: Model) -> tuple[Constraint, ...]:
        return (*super().implied(model), ForceBalance(model, self.at()))

    def check_attached(self, element: Element) -> None:
        super().check_attached(element)
        require_springs(self, element)

    def __repr__(self) -> str:
        return f"<planar junction '{self.name}'>"
