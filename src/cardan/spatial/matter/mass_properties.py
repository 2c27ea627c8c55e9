r"""Mass, mass center and inertia tensor of a spatial body (Haug 11.2).

          z   ____               rho   the mass center,  rho = (1/m) integral of s dm                      (11.2.1)
          |  /  C \              J     the tensor about C, in the axes of rho
      rho | /_____/              J_P = J + m (d^T d I - d d^T),  d = rho - P, about another point P        (11.2.7)
          O-------- y
         /                       products in tensor sign, J_xy = -integral of x y dm                       (11.1.17)
        x

Bodies can be added (11.2.18 to 11.2.20); a void is subtracted, with the density of the surrounding body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Direction, Mass, Position
from cardan.model.matter.amount import INSIDE, NOT_THERE, lost_by_place, mass_left, not_negative, tidy
from cardan.model.matter.shape import Lines, placed
from cardan.model.stated import Stated
from cardan.spatial import rotation
from cardan.spatial.matter.inertia import shifted, symmetric, tensor, without

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from cardan.spatial.rotation.stated import OrientationLike

Point = tuple[float, float, float]


@dataclass(frozen=True, eq=False, repr=False)
class SpatialMatter(metaclass=Stated):
    """The mass properties of a spatial body.

    `inertia` is the tensor about the mass center `center`, in the axes of `center`, with products in tensor sign
    (J_xy = -integral of x y dm); three numbers are the moments about those axes. By default it is that of a point mass.
    The mass may be zero, for example for a rotor whose weight does not matter.

    >>> from cardan.spatial import matter
    >>> dumbbell = matter.rod(1.0, mass=1.2) + SpatialMatter(2.0, (0.5, 0, 0)) + SpatialMatter(2.0, (-0.5, 0, 0))
    >>> dumbbell
    <SpatialMatter: mass 5.2, center (0, 0, 0), about it xx 0, yy 1.1, zz 1.1, xy 0, xz 0, yz 0>
    """

    mass: Mass
    center: Point = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    shape: Lines = ()  # drawn in pictures

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", not_negative(self.mass, "the mass of a SpatialMatter"))
        object.__setattr__(self, "center", check.vector(self.center, 3, "the center of a SpatialMatter"))
        J = tensor(self.inertia, "the inertia of a SpatialMatter")
        J.setflags(write=False)
        object.__setattr__(self, "inertia", J)

    @classmethod
    def taken_about(cls, point: Any, *, mass: float, center: Any, inertia: ArrayLike) -> SpatialMatter:
        """From a tensor about a point other than the mass center, such as the origin in CAD programs.

        >>> SpatialMatter.taken_about((0, 0, 0), mass=2, center=(1, 0, 0), inertia=(1, 3, 3))
        <SpatialMatter: mass 2, center (1, 0, 0), about it xx 1, yy 1, zz 1, xy 0, xz 0, yz 0>
        """
        there = cls(mass, center)
        whole = symmetric(inertia, "the inertia of a SpatialMatter")
        return cls(mass, center, without(whole, there.about(point), NOT_THERE, there._lost()))

    def about(self, point: Any) -> NDArray:
        """The inertia tensor about another point, in the same axes.

        >>> SpatialMatter(3.0).about((2, 0, 0)).tolist()
        [[0.0, 0.0, 0.0], [0.0, 12.0, 0.0], [0.0, 0.0, 12.0]]
        """
        return self.inertia + shifted(self.mass, self.center - _array(point, "the point of an inertia"))

    def principal(self) -> tuple[NDArray, NDArray]:
        """The principal moments, ascending, and their axes as columns of a rotation matrix (11.2.15 to 11.2.17).

        >>> moments, axes = SpatialMatter(1.0, inertia=[[2, 1, 0], [1, 2, 0], [0, 0, 4]]).principal()
        >>> moments.round(12).tolist(), abs(axes[:, 2]).round(12).tolist()
        ([1.0, 3.0, 4.0], [0.0, 0.0, 1.0])
        """
        moments, axes = np.linalg.eigh(self.inertia)
        for column in axes.T[:2]:
            column *= np.copysign(1.0, column[np.argmax(np.abs(column))])
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
        return np.maximum(moments, 0.0), axes

    def moved(self, by: Position) -> SpatialMatter:
        """The same body moved by a vector.

        >>> SpatialMatter(3.0).moved((1, 2, 3)).center
        (1.0, 2.0, 3.0)
        """
        way = _array(by, "the displacement of matter")
        return SpatialMatter(self.mass, _point(self.center + way), self.inertia, placed(self.shape, by=way))

    def turned(
        self,
        orientation: OrientationLike | None = None,
        *,
        x: Direction | None = None,
        y: Direction | None = None,
        z: Direction | None = None,
    ) -> SpatialMatter:
        """The same body rotated about the origin, by an orientation as for a body, or such that its axes point along
        `x=`, `y=`, `z=`.

        >>> from cardan.spatial import matter, rotation
        >>> shaft = matter.cylinder(0.1, 0.6, mass=2).turned(z=(1, 0, 0))
        >>> shaft
        <SpatialMatter: mass 2, center (0, 0, 0), about it xx 0.01, yy 0.065, zz 0.065, xy 0, xz 0, yz 0>
        >>> shaft.turned(rotation.from_axis_angle((0, 0, 1), 0.5)).principal()[0].round(12).tolist()
        [0.01, 0.065, 0.065]
        """
        axes = {k: v for k, v in (("x", x), ("y", y), ("z", z)) if v is not None}
        what = "the rotation of matter"
        if (orientation is None) == (not axes):
            raise ModelError(f"{what} must be an orientation or the axes x=, y=, z=, and not both")
        p = rotation.from_axes(**axes, what=what) if axes else rotation.euler_parameters(orientation, what)
        A = rotation.matrix(p)
        center, shape = _point(A @ np.array(self.center)), placed(self.shape, turn=A)
        return SpatialMatter(self.mass, center, A @ self.inertia @ A.T, shape)

    def scaled(self, *, mass: Mass) -> SpatialMatter:
        """The same shape with another mass, for example from weighing the part.

        >>> SpatialMatter(3.0, inertia=(1, 1, 2)).scaled(mass=6).inertia.diagonal().tolist()
        [2.0, 2.0, 4.0]
        """
        wanted = check.positive(mass, "the mass of scaled matter")
        if self.mass == 0.0:
            raise ModelError(f"massless matter cannot be scaled to the mass {wanted:g}; give its density")
        return SpatialMatter(wanted, self.center, self.inertia * (wanted / self.mass), self.shape)

    def __add__(self, other: SpatialMatter) -> SpatialMatter:
        check.instance(other, SpatialMatter, "the term added to a SpatialMatter")
        mass = self.mass + other.mass
        if mass == 0.0:
            return SpatialMatter(0.0, self.center, self.inertia + other.inertia, self.shape + other.shape)
        center = (self.mass * np.array(self.center) + other.mass * np.array(other.center)) / mass
        inertia, shape = self.about(center) + other.about(center), self.shape + other.shape
        return SpatialMatter(mass, _point(center), inertia, shape)

    def __radd__(self, other: Any) -> SpatialMatter:
        """sum([a, b, c]) starts with the number 0."""
        return self if isinstance(other, int) and other == 0 else self + other

    def __sub__(self, void: SpatialMatter) -> SpatialMatter:
        check.instance(void, SpatialMatter, "the part cut from a SpatialMatter")
        mass = mass_left(self.mass, void.mass)
        center = (self.mass * np.array(self.center) - void.mass * np.array(void.center)) / mass
        left = without(self.about(center), void.about(center), INSIDE, self._lost())
        return SpatialMatter(mass, _point(center), left, self.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpatialMatter):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        x, y, z = tidy(self.center, math.sqrt(np.trace(self.inertia) / self.mass) if self.mass else 0.0)
        i, j = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)
        names = ("xx", "yy", "zz", "xy", "xz", "yz")
        moments = ", ".join(f"{n} {value}" for n, value in zip(names, tidy(self.inertia[i, j]), strict=True))
        return f"<SpatialMatter: mass {self.mass:.6g}, center ({x}, {y}, {z}), about it {moments}>"

    def _lost(self) -> float:
        return lost_by_place(self.mass, math.hypot(*self.center))

    def _key(self) -> tuple[Any, ...]:
        return self.mass, self.center, tuple(self.inertia.ravel().tolist())


def _array(value: object, what: str) -> NDArray:
    return np.array(check.vector(value, 3, what))


def _point(values: NDArray) -> Point:
    x, y, z = (float(value) for value in values)
    return x, y, z
