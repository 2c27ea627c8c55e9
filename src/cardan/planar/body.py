r"""Planar bodies and markers.

                 y'   marker (x, y, angle)
                  \   /
      y            \ /    . x'
      |             o . '  phi        r^P = r + A(phi) s',   A = [[c, -s], [s, c]]
      |           r                                                        (Haug 2.4.8)
      O------ x

A marker is a point of a body with its own axes, rotated by `angle` from the body's axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import OutlineLike, RigidBody, Vector, check_body, lines_of, matter_of, take_matter
from cardan.model.curves.curve import Profile
from cardan.model.curves.degrees import warn_of_degrees
from cardan.model.dimensions import Angle, Position, Velocity
from cardan.model.marker import Marker as BaseMarker
from cardan.model.matter import PlanarMatter
from cardan.model.surfaces.contact_coordinate import ContactMarker

if TYPE_CHECKING:
    from cardan.model.matter.shape import Lines


@dataclass(frozen=True, eq=False)
class Body(RigidBody):
    """A rigid planar body.

    `position` and `angle` (and the velocities) are estimates until the mechanism is assembled. `outline` is
    drawn in pictures: a list of points in the body's frame, or several such lists; `color` is that of the body in
    pictures, such as "#3070c0" or "orange", unless stated the next one of a palette. The mass center is at `center` in
    the body's frame; `inertia` is about it, or about the frame's origin with inertia_at="origin". `mass` may be a
    `matter` object with all three: `Body(mass=matter.rectangle(0.4, 0.1, density=78.0))`.

    >>> crank = Body(mass=1.0, inertia=0.01, position=(0.1, 0.0))
    >>> tip = crank.at(0.1, 0.0)
    """

    mass: float | PlanarMatter | None = None
    inertia: float | None = None
    position: Position = (0.0, 0.0)
    angle: Angle = 0.0
    velocity: Velocity = (0.0, 0.0)
    angular_velocity: float = 0.0
    outline: OutlineLike | None = None
    center: Position = (0.0, 0.0)
    inertia_at: str = "center"
    shape: Lines = field(default=(), init=False, repr=False)  # of its matter, for pictures

    def __post_init__(self) -> None:
        take_matter(self, PlanarMatter)

    def check(self) -> None:
        check_body(self)
        check.vector(self.position, 2, f"the position of {self.title}")
        warn_of_degrees(check.number(self.angle, f"the angle of {self.title}"), f"the angle of {self.title}")
        check.vector(self.velocity, 2, f"the velocity of {self.title}")
        check.number(self.angular_velocity, f"the angular velocity of {self.title}")

    @property
    def matter(self) -> PlanarMatter:
        """Mass, mass center and inertia; zero if not given."""
        found: PlanarMatter = matter_of(self, PlanarMatter, 0.0)
        return found

    def at(self, x: float = 0.0, y: float = 0.0, angle: float | None = None, *, toward: Vector | None = None) -> Marker:
        """A marker at (x, y) in the body's frame, its x axis rotated by `angle` or pointing `toward` a second point."""
        where = f"a marker on body '{self.name}'"
        x, y = check.number(x, f"x of {where}"), check.number(y, f"y of {where}")
        if toward is None:
            turned = 0.0 if angle is None else check.number(angle, f"the angle of {where}")
            warn_of_degrees(turned, f"the angle of {where}")
            return Marker(self, x, y, turned)
        if angle is not None:
            raise ModelError(f"{where} takes an angle or a point to point toward, not both")
        qx, qy = check.vector(toward, 2, f"the point toward which {where} points")
        if math.hypot(qx - x, qy - y) == 0.0:
            raise ModelError(f"{where} points toward its own origin ({x:g}, {y:g}); an axis needs two distinct points")
        return Marker(self, x, y, math.atan2(qy - y, qx - x))

    def world(self, *point: float | Vector, angle: float = 0.0) -> Marker:
        """A marker at a global position and angle, fixed to the body in its given position."""
        where = f"a marker on body '{self.name}'"
        px, py = check.vector(point[0] if len(point) == 1 else point, 2, f"the global position of {where}")
        dx, dy = px - self.position[0], py - self.position[1]
        c, s = math.cos(self.angle), math.sin(self.angle)
        turned = check.number(angle, f"the angle of {where}") - self.angle
        return Marker(self, c * dx + s * dy, c * dy - s * dx, turned)

    def center_marker(self) -> Marker:
        """The marker at the mass center."""
        return self.at(*self.matter.center)

    def profile(self, curve: Profile, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Outline:
        """A cam outline or slot on this body: `curve` in a frame at (x, y), rotated by `angle`."""
        where = f"a profile on body '{self.name}'"
        check.instance(curve, Profile, f"the curve of {where}", hint="for example Circle(0.1)")
        return Outline(self, curve, *check.vector((x, y, angle), 3, f"x, y or angle of {where}"))

    def outlines(self) -> list[Any]:
        """The lines to draw, as a list of point lists."""
        return lines_of(self.outline)

    def __repr__(self) -> str:
        return f"<planar body '{self.name}'>"


@dataclass(frozen=True)
class Marker(BaseMarker):
    """A point of a body, with axes."""

    body: Body
    x: float
    y: float
    angle: Angle = 0.0

    contact_coordinate: ClassVar[None] = None  # no internal coordinate

    @property
    def arm(self) -> float:
        """The distance from the body's origin."""
        return math.hypot(self.x, self.y)

    @property
    def place(self) -> tuple[float, float]:
        """The point in the body's frame."""
        return self.x, self.y

    @property
    def is_aligned(self) -> bool:
        return self.angle == 0.0

    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        c, s = math.cos(self.body.angle), math.sin(self.body.angle)
        turned = np.array([[c, -s], [s, c]])
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.array(self.body.position, float) + turned @ self.place, turned @ np.array([[c, -s], [s, c]])

    def __str__(self) -> str:
        return f"{self.body.name or 'body'}({self.x:g}, {self.y:g})"


@dataclass(frozen=True)
class Outline:
    """A curve fixed in a body, in a frame at (x, y) that is rotated by `angle`."""

    body: Body
    curve: Profile
    x: float = 0.0
    y: float = 0.0
    angle: float = 0.0

    @property
    def place(self) -> tuple[float, float]:
        """The origin of its frame in the body."""
        return self.x, self.y


AnyMarker = Marker | ContactMarker


def require_marker(value: object, what: str) -> Marker:
    """A marker fixed in a body."""
    if isinstance(value, BaseMarker) and not isinstance(value, Marker):
        raise ModelError(f"{what} must be a marker fixed in a planar body, got {value}, which is not")
    marker: Marker = check.instance(value, Marker, what, hint="create one with body.at(x, y)")
    return marker


def require_outline(value: object, what: str) -> Outline:
    """A curve fixed in a body."""
    outline: Outline = check.instance(value, Outline, what, hint="create one with body.profile(curve)")
    return outline
