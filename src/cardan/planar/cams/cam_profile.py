r"""The outline of a cam that gives a follower a lift y(theta) as it turns.

              | y          In the frame of the cam, which turns by theta, the point of the follower with the global
             (o)           position G(theta) is
           .'   '.
          (   +   )             C = exp(-i theta) G,      u = -theta for a cam that turns counterclockwise.
           '.___.'
                           A face touches the cam at C. A roller of radius r touches it at P = C - r n, n the outward
                           normal of the pitch curve C.

The outline is stored as quintic pieces, 720 or more for a turn, that have the exact value, slope and second derivative
at their ends: it differs from the exact one by less than 1e-12 of the lift, unless the lift takes place in a few
degrees. Pieces end where the law of the lift is not smooth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.curves.curve import Array, Profile
from cardan.model.curves.motion_program import MotionProgram, program_of
from cardan.model.dimensions import Length
from cardan.model.stated import set_fields
from cardan.numerics.curves.hermite import quintic
from cardan.numerics.curves.profiles import CURVE_PIECEWISE_PROFILE, Shape
from cardan.numerics.curves.spline import PERIODIC, Pieces, evaluate, pack
from cardan.numerics.curves.taylor import Taylor
from cardan.planar.cams.cam_followers import Follower

TURN = 2.0 * math.pi
FINEST = TURN / 720.0  # longest piece of an outline
ROTATIONS = {"counterclockwise": 1.0, "clockwise": -1.0}


class CamGeometry(NamedTuple):
    """A cam and its follower at angles of the cam, in the frame of the cam (complex numbers) as functions of u."""

    angles: Array  # of the cam
    lift: Array  # [4, n]: y and three derivatives with respect to the angle
    point: np.ndarray  # [3, n]: outline and two derivatives with respect to u
    center: np.ndarray  # [n]: of the roller, or the touched point of a face
    normal: np.ndarray  # [n]: outward normal of the outline, in global axes
    touched: np.ndarray  # [n]: the touched point in global axes
    carried: np.ndarray  # [n]: velocity, per lift, of the follower's body at the center or touched point, global
    rising: np.ndarray  # [n]: rate of the outline along its direction: negative where the cam is undercut


@dataclass(frozen=True)
class CamProfile(Profile):
    """The outline that gives a translating follower the lift `law`, a `MotionProgram` over the angle of the cam.

    The lift is zero on the base circle. For a swinging follower use `RockerCamProfile`, whose lift is an angle.

    >>> import math
    >>> from cardan.planar import CamProfile, Dwell, MotionProgram, Move, TranslatingRoller
    >>> law = MotionProgram([Move(0.02, math.pi / 2), Dwell(math.pi / 2), Move(0.0, math.pi / 2), Dwell(math.pi / 2)])
    >>> cam = CamProfile(law, TranslatingRoller(radius=0.01), base_radius=0.04)
    >>> [round(math.hypot(*cam.points(-angle)), 6) for angle in (0.0, 0.75 * math.pi)]
    [0.04, 0.06]
    """

    law: MotionProgram
    follower: Follower
    base_radius: Length
    rotation: str = "counterclockwise"

    span: tuple[float, float] = field(default=(0.0, TURN), init=False, repr=False)
    closed: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        what = f"a {type(self).__name__}"
        set_fields(self, law=one_turn(program_of(self.law, f"the law of {what}")))
        check.instance(self.follower, Follower, f"the follower of {what}", hint="for example TranslatingFlat()")
        if self.follower.swings is not isinstance(self, RockerCamProfile):
            other = "RockerCamProfile" if self.follower.swings else "CamProfile"
            raise ModelError(f"{what} has a {type(self.follower).__name__}; use a {other} for it")
        set_fields(self, base_radius=check.positive(self.base_radius, f"the base_radius of {what}"))
        check.choice(self.rotation, tuple(ROTATIONS), f"the rotation of {what}")
        self._require_sound()

    def shape(self) -> Shape:
        return Shape(CURVE_PIECEWISE_PROFILE, self.span, True, parameters=pack(self._pieces))

    @property
    def sense(self) -> float:
        """+1 for a cam that turns counterclockwise, -1 for clockwise."""
        return ROTATIONS[self.rotation]

    def geometry(self, angles: Array, side: Array | float = 0.0) -> CamGeometry:
        """Cam and follower at angles of the cam; `side` is -1 or 1 for limits from below or above."""
        return geometry(self.law, self.follower, self.base_radius, self.sense, angles, side)

    def _edges(self) -> Array:
        return edges_of(self.law) if self.sense < 0.0 else np.sort(TURN - edges_of(self.law))

    def _inside(self, u: Array) -> Array:
        return evaluate(self._pieces, u)

    @cached_property
    def _pieces(self) -> Pieces:
        breaks, rows = [np.zeros(1)], []
        edges = self._edges()
        for low, high in zip(edges, edges[1:], strict=False):
            u = np.linspace(low, high, max(2, math.ceil((high - low) / FINEST - 1e-9) + 1))
            side = np.zeros(u.size)
            side[0], side[-1] = -self.sense, self.sense
            jets = self.geometry(-self.sense * u, side).point
            breaks.append(u[1:])
            rows += [_rows(u, part(jets)) for part in (np.real, np.imag)]
        table = np.concatenate([np.stack(pair, axis=1) for pair in zip(rows[::2], rows[1::2], strict=True)])
        return Pieces(np.concatenate(breaks), table, PERIODIC)

    def _require_sound(self) -> None:
        """Reject a cam that is undercut: its outline would cross itself, and the follower could not follow."""
        grid = self._angles()
        found = self.geometry(grid)
        if found.lift[0].min() < -1e-9 * np.abs(found.lift[0]).max():
            k = int(np.argmin(found.lift[0]))
            raise ModelError(
                f"the lift of a cam is counted from its base circle and must not be negative; at "
                f"{_degrees(grid[k])} it is {found.lift[0, k]:g}"
            )
        if found.rising.min() <= 0.0:
            k = int(np.argmin(found.rising))
            remedy = (
                "increase base_radius"
                if math.isnan(self.follower.roller)
                else "increase base_radius, or take a smaller roller"
            )
            raise ModelError(
                f"the cam is undercut at {_degrees(grid[k])} of its turn: with base_radius = {self.base_radius:g} m "
                f"its outline crosses itself there; {remedy}"
            )

    def _angles(self) -> Array:
        """Angles of the cam for checks, without the ends of pieces of the law."""
        edges = edges_of(self.law)
        parts = [np.linspace(low, high, 62)[1:-1] for low, high in zip(edges, edges[1:], strict=False)]
        return np.concatenate([np.linspace(0.0, TURN, 721)[:-1] + 1e-7, *parts])


@dataclass(frozen=True)
class RockerCamProfile(CamProfile):
    """The outline that gives a swinging follower the angle `law`, a `MotionProgram` over the angle of the cam."""


def geometry(
    law: MotionProgram, follower: Follower, base_radius: float, sense: float, angles: Array, side: Array | float = 0.0
) -> CamGeometry:
    """Cam and follower at angles of the cam; at the ends of pieces of the law the limit from the `side` below (-1)
    or above (1)."""
    lift = lift_at(law, angles, side)
    trace = follower.trace(Taylor.of(lift), base_radius, sense)
    turning = Taylor(np.stack([angles, np.ones_like(angles), *np.zeros((2, angles.size))]) * (-1j * sense)).exp()
    curve = trace.point * turning  # over the angle of the cam
    back = np.exp(1j * sense * angles)  # from the frame of the cam to global axes
    alternate = (-sense) ** np.arange(3)[:, None]  # from derivatives by the angle to those by u
    carried = trace.slide + trace.turn * trace.point.c[0]
    if trace.normal is not None:
        point, normal = curve.derivatives[:3] * alternate, trace.normal.c[0]
        center = curve.c[0]
    else:
        slope = curve.slope() * -sense
        outward = slope * -1j / (slope * slope.conjugate()).real.sqrt()
        point = (curve - outward * follower.roller).derivatives[:3] * alternate
        normal, center = outward.c[0] * back, curve.c[0]
    rising = (point[1] * back * np.conj(1j * normal)).real
    return CamGeometry(angles, lift, point, center, normal, point[0] * back, carried, rising)


def lift_at(law: MotionProgram, angles: Array, side: Array | float = 0.0) -> Array:
    """y and three derivatives of a periodic law, at its edges from one side, shape (4, n)."""
    shift = 1e-9 * np.asarray(side, float)  # to select the piece
    inside = np.mod(angles - law.start_time + shift, law.period)
    pieces = law.pieces
    k = np.clip(np.searchsorted(pieces.breaks - law.start_time, inside, side="right") - 1, 0, len(pieces.breaks) - 2)
    width = np.diff(pieces.breaks)[k]
    s = (inside - shift - (pieces.breaks[k] - law.start_time)) / width
    rows, found = pieces.coefficients[k, 0].T, np.zeros((4, angles.size))
    for order in range(4):
        for power in range(len(rows) - 1, order - 1, -1):
            found[order] = found[order] * s + math.perm(power, order) * rows[power]
        found[order] /= width**order
    return found


def one_turn(law: MotionProgram) -> MotionProgram:
    """A law that repeats an integer number of times in one turn of the cam."""
    times = TURN / law.period
    if abs(times - round(times)) > 1e-9 * times:
        hint = "; convert degrees with math.radians" if law.period > 2.0 * TURN else ""
        raise ModelError(
            f"the law of a cam must cover one turn, 2 pi, or a part of it, but covers {law.period:.6g} rad{hint}"
        )
    return law if law.repeat == "periodic" else replace(law, repeat="periodic")


def edges_of(law: MotionProgram) -> Array:
    """The angles from 0 to 2 pi between which the lift is smooth."""
    turns = np.arange(-1, round(TURN / law.period) + 1)
    found = np.mod((np.array(law.edges)[:, None] + turns * law.period).ravel(), TURN)
    found = np.unique(np.round(np.append(found, [0.0, TURN]), 12))
    found = found[(found > 1e-9) & (found < TURN - 1e-9)]
    return np.concatenate([[0.0], found, [TURN]])


def _rows(u: Array, jets: Array) -> Array:
    """Coefficients of quintic pieces between u, from value, slope and second derivative."""
    width = np.diff(u)
    first, second = jets[:, :-1], jets[:, 1:]
    v0, v1, a0, a1 = first[1] * width, second[1] * width, first[2] * width**2, second[2] * width**2
    return np.stack([first[0], v0, 0.5 * a0, *quintic(second[0] - first[0], v0, v1, a0, a1)], axis=1)


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle) % 360.0:.4g} degrees"
