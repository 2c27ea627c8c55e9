r"""Spatial bodies and markers.

      z'  y'                      r^P = r + A(p) s'                                   (Haug 9.2.16)
       | /    marker
  z    |/ ___.                    p: the Euler parameters of the body
  |    o------ x'                 A marker is a point of a body with its own axes; joint axes are
  | r /                           along its z axis, and angles start at its x axis.
  |  /
  O------ y
 /
x
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import OutlineLike, RigidBody, Vector as VectorLike, check_body, lines_of, matter_of, take_matter
from cardan.model.curves.curve import ParametricCurve
from cardan.model.dimensions import Position, Velocity
from cardan.model.marker import Marker as BaseMarker
from cardan.model.surfaces.contact_coordinate import ContactMarker
from cardan.spatial import rotation
from cardan.spatial.matter.mass_properties import SpatialMatter
from cardan.spatial.rotation.stated import OrientationLike

if TYPE_CHECKING:
    from cardan.model.matter.shape import Lines

Vector = tuple[float, float, float]  # as stored
Parameters = tuple[float, float, float, float]
IDENTITY: Parameters = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Body(RigidBody):
    """A rigid spatial body.

    `position`, `orientation` and the velocities are estimates until the mechanism is assembled. The orientation is
    given as Euler parameters (e0, e1, e2, e3), as (e1, e2, e3) with e0 >= 0, as a matrix of direction cosines or as a
    SciPy `Rotation`; `cardan.spatial.rotation` computes it from axes, angles or points. A rotation about one axis, such
    as `rotation.from_axis_angle`, includes full turns: joint angles start on that turn. `angular_velocity` is
    global, `angular_velocity_b` in the body's own axes. `outline` is drawn in pictures: a list of points in
    the body's frame, or several such lists; `color` is that of the body in pictures, such as "#3070c0" or "orange",
    unless stated the next one of a palette.

    The mass center is at `center` in the body's frame. `inertia` is three moments, or a tensor whose off-diagonal
    entries are -integral(x y dm), along the body's axes; about the mass center, or about the frame's origin with
    inertia_at="origin". `mass` may be a `matter` object with all three: `Body(mass=matter.box(0.4, 0.1, 0.1,
    mass=3.0))`.

    >>> from cardan.spatial import rotation
    >>> rod = Body(mass=1.0, position=(0.1, 0.05, 0.1), orientation=rotation.from_axis_angle((0, 0, 1), 0.5))
    >>> tip = rod.at(0.15, 0, 0, z=(0, 1, 0))
    """

    mass: float | SpatialMatter | None = None
    inertia: VectorLike | Sequence[VectorLike] | None = None
    position: Position = (0.0, 0.0, 0.0)
    orientation: OrientationLike | None = None
    velocity: Velocity = (0.0, 0.0, 0.0)
    angular_velocity: VectorLike | None = None
    angular_velocity_b: VectorLike | None = None
    outline: OutlineLike | None = None
    center: Position = (0.0, 0.0, 0.0)
    inertia_at: str = "center"
    shape: Lines = field(default=(), init=False, repr=False)  # of its matter, for pictures
    parameters: Parameters = field(init=False, repr=False)  # the orientation as Euler parameters
    turned: Vector | None = field(init=False, repr=False)  # as a global rotation vector, if known

    def __post_init__(self) -> None:
        take_matter(self, SpatialMatter)
        stated = rotation.euler_parameters(self.orientation, "the orientation of a body")
        object.__setattr__(self, "parameters", stated)
        object.__setattr__(self, "turned", rotation.turns_of(self.orientation))

    def check(self) -> None:
        check_body(self)
        check.vector(self.position, 3, f"the position of {self.title}")
        check.vector(self.velocity, 3, f"the velocity of {self.title}")
        for name in ("angular_velocity", "angular_velocity_b"):
            if getattr(self, name) is not None:
                check.vector(getattr(self, name), 3, f"{name} of {self.title}")
        if self.angular_velocity is not None and self.angular_velocity_b is not None:
            raise ModelError(f"{self.title} takes angular_velocity or angular_velocity_b, not both")

    @property
    def matter(self) -> SpatialMatter:
        """Mass, mass center and inertia; zero if not given."""
        found: SpatialMatter = matter_of(self, SpatialMatter, (0.0, 0.0, 0.0))
        return found

    def at(
        self,
        *point: float | VectorLike,
        x: VectorLike | None = None,
        y: VectorLike | None = None,
        z: VectorLike | None = None,
        orientation: OrientationLike | None = None,
    ) -> Marker:
        """A marker at a point in the body's frame, given as three numbers or one vector; by default the origin.

        `z=` and `x=` (or `y=`) are directions of its axes in the body's frame: the first of z, x, y that is given is
        used as given, the next is made perpendicular to it; an x axis not given is the one nearest the body's. Instead
        an `orientation` may be given, as for a body.
        """
        where = f"a marker on body '{self.name}'"
        place = _point(point, where)
        if orientation is None:
            axes = {
                k: check.vector(v, 3, f"the {k} axis of {where}")
                for k, v in zip("xyz", (x, y, z), strict=True)
                if v is not None
            }
            return Marker(self, place, _axes(tuple(axes.items()), where) if axes else IDENTITY)
        if x is not None or y is not None or z is not None:
            raise ModelError(f"{where} takes axes or an orientation, not both")
        return Marker(self, place, orientation)

    def marker(
        self,
        P: VectorLike = (0.0, 0.0, 0.0),
        Q: VectorLike | None = None,
        R: VectorLike | None = None,
        *,
        axes: str = "zx",
    ) -> Marker:
        """The books' joint definition points (Haug 9.4.1): origin P, Q on the z axis, R toward the x axis.

        The lengths of PQ and PR do not matter, and PR is made perpendicular to PQ. P alone is enough if no axes are
        used, P and Q if the x axis does not matter. `axes="xy"` is the other convention: Q on the x axis, R in the xy
        plane.
        """
        where = f"a marker on body '{self.name}'"
        place = _point((P,), where)
        if Q is None:
            if R is not None:
                raise ModelError(f"{where} has a point R, but no Q: the first axis needs Q")
            return Marker(self, place, IDENTITY)
        first = check.vector(Q, 3, f"Q of {where}")
        second = None if R is None else check.vector(R, 3, f"R of {where}")
        return Marker(self, place, _floats(rotation.from_points(place, first, second, axes, where)))

    def world(
        self,
        *point: float | VectorLike,
        x: VectorLike | None = None,
        y: VectorLike | None = None,
        z: VectorLike | None = None,
        orientation: OrientationLike | None = None,
    ) -> Marker:
        """A marker at a global position with axes in global directions, fixed to the body in its given position."""
        there = self.at(*point, x=x, y=y, z=z, orientation=orientation)
        origin = check.vector(self.position, 3, f"the position of {self.title}")
        p = rotation.inverse(np.array(self.parameters))
        place = rotation.rotate(p, np.array(there.place) - np.array(origin))
        turned = rotation.multiply(p, np.array(there.orientation))
        if self.turned is not None:  # the marker undoes the rotation of the body
            turned = rotation.with_turns(turned, rotation.rotate(p, np.array(there.turned) - np.array(self.turned)))
        return Marker(self, _floats(place), turned)

    def center_marker(self) -> Marker:
        """The marker at the mass center."""
        return self.at(*self.matter.center)

    def profile(self, curve: ParametricCurve, *point: float | VectorLike, **axes: Any) -> Outline:
        """A curve on this body in the frame of the marker `at(*point, **axes)`; plane curves are in its xy plane."""
        what = f"the curve of a profile on body '{self.name}'"
        check.instance(curve, ParametricCurve, what, hint="for example Helix(0.1, 0.05)")
        return Outline(self.at(*point, **axes), curve)

    def outlines(self) -> list[Any]:
        """The lines to draw, as a list of point lists."""
        return lines_of(self.outline)

    def __repr__(self) -> str:
        return f"<spatial body '{self.name}'>"


@dataclass(frozen=True)
class Marker(BaseMarker):
    """A point of a body, with axes; `orientation` holds the Euler parameters of the axes in the body's frame."""

    body: Body
    point: Vector  # in the body's frame
    orientation: OrientationLike = IDENTITY  # Parameters after construction
    turned: Vector = field(init=False, repr=False, compare=False)  # the rotation vector given, or 0

    contact_coordinate: ClassVar[None] = None  # no internal coordinate

    def __post_init__(self) -> None:
        check.instance(self.body, Body, "the body of a Marker", hint="create a marker with body.at(x, y, z)")
        where = f"a marker on body '{self.body.name}'"
        object.__setattr__(self, "point", check.vector(self.point, 3, f"the point of {where}"))
        turned = rotation.turns_of(self.orientation)
        stated = rotation.euler_parameters(self.orientation, f"the orientation of {where}")
        object.__setattr__(self, "orientation", stated)
        object.__setattr__(self, "turned", turned or (0.0, 0.0, 0.0))

    @property
    def place(self) -> Vector:
        """The point in the body's frame."""
        return self.point

    @property
    def arm(self) -> float:
        """The distance from the body's origin."""
        return math.hypot(*self.place)

    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        turned = rotation.matrix(np.array(self.body.parameters))
        origin = np.array(self.body.position, float) + turned @ np.array(self.place)
        return origin, turned @ rotation.matrix(np.array(self.orientation))

    @property
    def is_aligned(self) -> bool:
        return tuple(self.orientation) == tuple(IDENTITY)

    def __str__(self) -> str:
        return f"{self.body.name or 'body'}({', '.join(f'{c:g}' for c in self.place)})"


@dataclass(frozen=True)
class Outline:
    """A curve fixed in a body, in the frame of a marker."""

    frame: Marker
    curve: ParametricCurve  # plane, in the xy plane of the frame, or spatial

    @property
    def body(self) -> Body:
        return self.frame.body

    @property
    def place(self) -> Vector:
        """The origin of its frame in the body."""
        return self.frame.place


AnyMarker = Marker | ContactMarker


def require_marker(value: Any, what: str) -> Marker:
    """A marker fixed in a body."""
    foreign = isinstance(value, BaseMarker) and not isinstance(value, Marker)
    if foreign:
        raise ModelError(f"{what} must be a marker fixed in a spatial body, got {value} on {value.body!r}")
    marker: Marker = check.instance(value, Marker, what, hint="create one with body.at(x, y, z)")
    return marker


def _axes(stated: tuple[tuple[str, tuple[float, ...]], ...], where: str) -> Parameters:
    try:
        return _known_axes(stated)
    except ModelError:
        directions: dict[str, Any] = dict(stated)
        return _floats(rotation.from_axes(**directions, what=where))  # again, to name the marker in the message


@lru_cache(maxsize=4096)
def _known_axes(stated: tuple[tuple[str, tuple[float, ...]], ...]) -> Parameters:
    """Cached, because chains repeat the same axes, and computing them is the slowest part of a marker."""
    directions: dict[str, Any] = dict(stated)
    return _floats(rotation.from_axes(**directions))


def _point(point: tuple[Any, ...], where: str) -> Vector:
    if not point:
        return (0.0, 0.0, 0.0)
    entries = point[0] if len(point) == 1 else point
    x, y, z = check.vector(entries, 3, f"the point of {where}")
    return x, y, z


def _floats(values: np.ndarray) -> Any:
    return tuple(float(value) for value in values)
