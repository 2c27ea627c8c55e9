r"""Followers for which a cam is designed: where they are while the cam turns.

       | |                   ====o====                  pivot o--.               pivot o----.
       | |  y                    |   y                         y  \  arm                y ===\====== face
      ( o ) radius         .-----'                                ( o )                  (   )
      (cam)               (cam)                               (cam)                     (cam)
    TranslatingRoller     TranslatingFlat                  SwingingRoller              SwingingFlat

y is the lift: a length along `direction`, or the angle of an arm, positive away from the cam. Points of the plane are
complex numbers in global axes, with the cam's shaft at the origin. A roller of radius 0 is a knife edge. `offset` of a
translating follower is the distance of its axis from the shaft, to the right of `direction`.
"""

from __future__ import annotations

import cmath
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.dimensions import Angle, Length
from cardan.model.stated import Stated, set_fields
from cardan.numerics.curves.taylor import Taylor

UP = math.pi / 2


class Trace(NamedTuple):
    """A follower over the angle of the cam, as series in the lift's variable.

    `point` is the center of a roller or the touched point of a face; `normal` is the outward normal of the cam there,
    for a face; `turn` is the motion of the follower's body per lift: its velocity at a point z is `slide + turn z`.
    """

    point: Taylor
    normal: Taylor | None
    slide: np.ndarray
    turn: np.ndarray


class Follower(metaclass=Stated):
    """A follower of a cam."""

    swings = False  # whether its lift is an angle

    @property
    def roller(self) -> float:
        """The radius of its roller, 0 for a knife edge; nan for a face."""
        return math.nan

    @property
    def pivot(self) -> complex:
        """The pivot of its arm; the shaft for a follower that slides."""
        return 0.0

    @abstractmethod
    def start(self, base_radius: float) -> float:
        """Where it is at lift 0: height above the shaft, or angle between its arm and the line from pivot to shaft."""

    @abstractmethod
    def trace(self, lift: Taylor, base_radius: float, sense: float) -> Trace:
        """Its motion in global axes for a cam that turns by `sense` (+1 counterclockwise) times the angle."""


@dataclass(frozen=True)
class TranslatingRoller(Follower):
    """A roller, or with radius 0 a knife edge, on a follower that slides along `direction` (from the shaft, up)."""

    radius: Length = 0.0
    offset: Length = 0.0
    direction: Angle = UP

    def __post_init__(self) -> None:
        what = "a TranslatingRoller"
        _set_nonnegative(self, "radius", what)
        set_fields(self, offset=check.number(self.offset, f"the offset of {what}"))
        set_fields(self, direction=check.number(self.direction, f"the direction of {what}"))

    @property
    def roller(self) -> float:
        return self.radius

    def start(self, base_radius: float) -> float:
        prime = base_radius + self.radius
        if abs(self.offset) >= prime:
            raise ModelError(
                f"the offset {self.offset:g} m of a follower must be less than base_radius + radius = {prime:g} m"
            )
        return math.sqrt(prime**2 - self.offset**2)

    def trace(self, lift: Taylor, base_radius: float, sense: float) -> Trace:
        along = cmath.exp(1j * self.direction)
        point = (lift + (self.start(base_radius) - 1j * self.offset)) * along
        ones = np.ones(lift.c.shape[1])
        return Trace(point, None, along * ones, 0.0 * ones)


@dataclass(frozen=True)
class TranslatingFlat(Follower):
    """A flat face perpendicular to `direction`, along which it slides."""

    direction: Angle = UP

    def __post_init__(self) -> None:
        set_fields(self, direction=check.number(self.direction, "the direction of a TranslatingFlat"))

    def start(self, base_radius: float) -> float:
        return base_radius

    def trace(self, lift: Taylor, base_radius: float, sense: float) -> Trace:
        along = cmath.exp(1j * self.direction)
        ones = np.ones(lift.c.shape[1])
        # the touched point moves along the face by the lift's slope: the envelope of the face in the frame of the cam
        point = (lift + base_radius + lift.slope() * (-1j * sense)) * along
        normal = Taylor(np.vstack([along * ones, np.zeros((2, ones.size))]))
        return Trace(point, normal, along * ones, 0.0 * ones)


@dataclass(frozen=True)
class SwingingRoller(Follower):
    """A roller, or with radius 0 a knife edge, on an arm whose pivot is at `pivot_distance` from the shaft, in
    `pivot_direction`. Seen from the pivot, the arm swings clockwise away from the cam."""

    arm: Length
    pivot_distance: Length
    radius: Length = 0.0
    pivot_direction: Angle = 0.0

    swings = True

    def __post_init__(self) -> None:
        what = "a SwingingRoller"
        set_fields(self, arm=check.positive(self.arm, f"the arm of {what}"))
        set_fields(self, pivot_distance=check.positive(self.pivot_distance, f"the pivot_distance of {what}"))
        _set_nonnegative(self, "radius", what)
        set_fields(self, pivot_direction=check.number(self.pivot_direction, f"the pivot_direction of {what}"))

    @property
    def roller(self) -> float:
        return self.radius

    @property
    def pivot(self) -> complex:
        return self.pivot_distance * cmath.exp(1j * self.pivot_direction)

    def start(self, base_radius: float) -> float:
        prime, d, arm = base_radius + self.radius, self.pivot_distance, self.arm
        if not abs(d - arm) < prime < d + arm:
            raise ModelError(
                f"a SwingingRoller with an arm of {arm:g} m at {d:g} m from the shaft does not reach the base circle: "
                f"base_radius + radius = {prime:g} m must be between {abs(d - arm):g} and {d + arm:g} m"
            )
        return math.acos((d * d + arm * arm - prime * prime) / (2.0 * d * arm))

    def trace(self, lift: Taylor, base_radius: float, sense: float) -> Trace:
        angle = (lift + self.start(base_radius)) * -1j + 1j * (self.pivot_direction + math.pi)
        ones = np.ones(lift.c.shape[1])
        return Trace(angle.exp() * self.arm + self.pivot, None, 1j * self.pivot * ones, -1j * ones)


@dataclass(frozen=True)
class SwingingFlat(Follower):
    """A flat face on an arm whose pivot is at `pivot_distance` from the shaft, in `pivot_direction`; the line of the
    face passes the pivot at `offset`, on the side of the cam. It swings as `SwingingRoller` does."""

    pivot_distance: Length
    offset: Length = 0.0
    pivot_direction: Angle = 0.0

    swings = True

    def __post_init__(self) -> None:
        what = "a SwingingFlat"
        set_fields(self, pivot_distance=check.positive(self.pivot_distance, f"the pivot_distance of {what}"))
        set_fields(self, offset=check.number(self.offset, f"the offset of {what}"))
        set_fields(self, pivot_direction=check.number(self.pivot_direction, f"the pivot_direction of {what}"))

    @property
    def pivot(self) -> complex:
        return self.pivot_distance * cmath.exp(1j * self.pivot_direction)

    def start(self, base_radius: float) -> float:
        sine = (base_radius + self.offset) / self.pivot_distance
        if not 0.0 < sine < 1.0:
            raise ModelError(
                f"a SwingingFlat at {self.pivot_distance:g} m from the shaft cannot touch a base circle of "
                f"{base_radius:g} m with an offset of {self.offset:g} m; move the pivot away"
            )
        return math.asin(sine)

    def trace(self, lift: Taylor, base_radius: float, sense: float) -> Trace:
        face = ((lift + self.start(base_radius)) * -1j + 1j * (self.pivot_direction + math.pi)).exp()
        # the place along the face at which it slides tangentially on the cam: Re(face* pivot) + (1 + s y') place = 0
        reach = (face.conjugate() * self.pivot).real
        place = -reach / (lift.slope() * sense + 1.0)
        point = face * place + face * (1j * self.offset) + self.pivot
        ones = np.ones(lift.c.shape[1])
        return Trace(point, face * -1j, 1j * self.pivot * ones, -1j * ones)


def _set_nonnegative(follower: Follower, name: str, what: str) -> None:
    value = check.number(getattr(follower, name), f"the {name} of {what}")
    if value < 0.0:
        raise ModelError(f"the {name} of {what} must not be negative, got {value:g}")
    set_fields(follower, **{name: value})
