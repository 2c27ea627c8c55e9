r"""Mass, mass center and moment of inertia of a planar body (Haug 6.1.4 and 6.1.5).

        y
        |     ___                rho   the mass center,  rho = (1/m) integral of s dm                       (6.1.20)
        |    / C \               J     the moment of inertia about C
        | rho\___/               J_P = J + m |rho - P|^2  about another point P, the parallel axis theorem  (6.1.22)
        O------------ x

Bodies can be added, m = sum m_i, m rho = sum m_i rho_i, J = sum (J_i + m_i |rho_i - rho|^2), and a void is subtracted,
with the density of the surrounding body (6.1.23 to 6.1.25).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Angle, Mass, Position
from cardan.model.matter.amount import (
    DIFFERENCE_ROUNDING,
    INSIDE,
    NOT_THERE,
    lost_by_place,
    mass_left,
    not_negative,
    tidy,
)
from cardan.model.matter.shape import Lines, placed
from cardan.model.stated import Stated

Point = tuple[float, float]


@dataclass(frozen=True, repr=False)
class PlanarMatter(metaclass=Stated):
    """The mass properties of a planar body: `inertia` is about the mass center `center`.

    The default inertia is that of a point mass. The mass may be zero, for example for a rotor whose weight does not
    matter.

    >>> from cardan.model.matter import plane
    >>> disk = plane.disk(0.25, density=8000, thickness=0.01) - plane.disk(0.125, density=8000, thickness=0.01)
    >>> pendulum = plane.rod(1.0, mass=2.8).moved((0, -0.5)) + disk.moved((0, -1.25))
    >>> pendulum
    <PlanarMatter: mass 14.581, center (0, -1.10598), inertia 1.96608 about the center>
    """

    mass: Mass
    center: Point = (0.0, 0.0)
    inertia: float = 0.0
    shape: Lines = field(default=(), compare=False)  # drawn in pictures

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", not_negative(self.mass, "the mass of a PlanarMatter"))
        object.__setattr__(self, "center", check.vector(self.center, 2, "the center of a PlanarMatter"))
        object.__setattr__(self, "inertia", not_negative(self.inertia, "the inertia of a PlanarMatter"))

    @classmethod
    def taken_about(cls, point: Any, *, mass: float, center: Any, inertia: float) -> PlanarMatter:
        """From a moment of inertia about a point other than the mass center, for example from a pendulum test.

        >>> PlanarMatter.taken_about((0, 0), mass=3, center=(0.5, 0), inertia=1)
        <PlanarMatter: mass 3, center (0.5, 0), inertia 0.25 about the center>
        """
        m = not_negative(mass, "the mass of a PlanarMatter")
        J = not_negative(inertia, "the inertia of a PlanarMatter")
        there = cls(m, center)
        return cls(m, center, _without(J, there.about(point), NOT_THERE, there._lost()))

    def about(self, point: Any) -> float:
        """The moment of inertia about another point.

        >>> PlanarMatter(3.0, inertia=0.25).about((0.5, 0))
        1.0
        """
        x, y = check.vector(point, 2, "the point of an inertia")
        dx, dy = self.center[0] - x, self.center[1] - y
        return self.inertia + self.mass * (dx * dx + dy * dy)

    def moved(self, by: Position) -> PlanarMatter:
        """The same body moved by a vector.

        >>> PlanarMatter(3.0, inertia=0.25).moved((1, 2)).center
        (1.0, 2.0)
        """
        dx, dy = check.vector(by, 2, "the displacement of matter")
        shape = placed(self.shape, by=(dx, dy))
        return PlanarMatter(self.mass, (self.center[0] + dx, self.center[1] + dy), self.inertia, shape)

    def turned(self, angle: Angle) -> PlanarMatter:
        """The same body rotated about the origin, counterclockwise.

        >>> PlanarMatter(3.0, (0.5, 0)).turned(math.pi)
        <PlanarMatter: mass 3, center (-0.5, 0), inertia 0 about the center>
        """
        turn = check.number(angle, "the rotation angle of matter")
        c, s, (x, y) = math.cos(turn), math.sin(turn), self.center
        shape = placed(self.shape, turn=((c, -s), (s, c)))
        return PlanarMatter(self.mass, (c * x - s * y, s * x + c * y), self.inertia, shape)

    def scaled(self, *, mass: Mass) -> PlanarMatter:
        """The same shape with another mass, for example from weighing the part.

        >>> PlanarMatter(3.0, (1, 0), 0.25).scaled(mass=6)
        <PlanarMatter: mass 6, center (1, 0), inertia 0.5 about the center>
        """
        wanted = check.positive(mass, "the mass of scaled matter")
        if self.mass == 0.0:
            raise ModelError(f"massless matter cannot be scaled to the mass {wanted:g}; give its density")
        return PlanarMatter(wanted, self.center, self.inertia * wanted / self.mass, self.shape)

    def __add__(self, other: PlanarMatter) -> PlanarMatter:
        check.instance(other, PlanarMatter, "the term added to a PlanarMatter")
        mass = self.mass + other.mass
        if mass == 0.0:
            return PlanarMatter(0.0, self.center, self.inertia + other.inertia, self.shape + other.shape)
        x, y = ((self.mass * a + other.mass * b) / mass for a, b in zip(self.center, other.center, strict=True))
        return PlanarMatter(mass, (x, y), self.about((x, y)) + other.about((x, y)), self.shape + other.shape)

    def __radd__(self, other: Any) -> PlanarMatter:
        """sum([a, b, c]) starts with the number 0."""
        return self if isinstance(other, int) and other == 0 else self + other

    def __sub__(self, void: PlanarMatter) -> PlanarMatter:
        check.instance(void, PlanarMatter, "the part cut from a PlanarMatter")
        mass = mass_left(self.mass, void.mass)
        x, y = ((self.mass * a - void.mass * b) / mass for a, b in zip(self.center, void.center, strict=True))
        left = _without(self.about((x, y)), void.about((x, y)), INSIDE, self._lost())
        return PlanarMatter(mass, (x, y), left, self.shape)

    def _lost(self) -> float:
        return lost_by_place(self.mass, math.hypot(*self.center))

    def __repr__(self) -> str:
        x, y = tidy(self.center, math.sqrt(self.inertia / self.mass) if self.mass else 0.0)
        return f"<PlanarMatter: mass {self.mass:.6g}, center ({x}, {y}), inertia {self.inertia:.6g} about the center>"


def _without(whole: float, part: float, why: str, floor: float) -> float:
    """The rest of a moment of inertia; rounding errors become zero."""
    left, lost = whole - part, DIFFERENCE_ROUNDING * whole + floor
    if left < -lost:
        raise ModelError(f"the moment of inertia {left:.6g} would be left; {why}")
    return left if left > lost else 0.0
