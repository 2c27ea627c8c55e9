r"""Instant centers: for each pair of bodies of a planar mechanism, the point with equal velocity.

        P_13 = P_12 P_23 x P_14 P_34              v_i(P) = v_j(P):   P = r + (k x dv) / (omega_i - omega_j)
             \    /
      A=P_12  \  /                                Kennedy: the centers of three bodies lie on a line. A pin is a center;
       o=======\/=====o B=P_23                    that of a slider is at infinity, normal to its guide. If two lines
      ///      /\      \                          intersect in an unknown center, velocities are not needed; if lines
           crank          coupler                 do not suffice, it follows from velocities.

A center is stored as (x, y, w): the point (x / w, y / w), or for w = 0 the point at infinity in direction (x, y).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.postprocess.joint_points import joined_points, require_plane
from cardan.shortcuts import Drawable

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.results.trajectory import Trajectory

ZERO_VELOCITY = 1e-9  # of the largest: smaller relative velocities are zero
PARALLEL_LINES = 1e-7  # the sine between two lines below which they have no intersection


@dataclass(frozen=True, eq=False)
class Line:
    """A line through a center: n . x = d, with a unit vector n, as (n, -d); `words` is the reason."""

    words: str
    numbers: np.ndarray


@dataclass(frozen=True, eq=False)
class Pole:
    """The instant center of two bodies. `point` is None if it is at infinity, in `direction`. `how` is its source:
    "joint", "Kennedy" for the intersection of two `lines`, or "velocities"."""

    bodies: tuple[RigidBody, RigidBody]
    homogeneous: np.ndarray
    how: str
    lines: tuple[Line, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.bodies[0].name}-{self.bodies[1].name}"

    @property
    def point(self) -> np.ndarray | None:
        x, y, w = self.homogeneous
        return None if w == 0.0 else np.array([x / w, y / w])

    @property
    def direction(self) -> np.ndarray | None:
        """The direction of a center at infinity: a unit vector of either sign."""
        x, y, w = self.homogeneous
        return None if w else np.array([x, y]) / np.hypot(x, y)

    @property
    def where(self) -> str:
        """The location as text."""
        x, y, w = self.homogeneous
        place = f"({x / (w or 1.0) + 0.0:.6g}, {y / (w or 1.0) + 0.0:.6g})"
        return place if w else f"at infinity along {place}"

    def __repr__(self) -> str:
        return f"<instant center {self.name}: {self.where} by {self.how}>"


class InstantCenters(Drawable):
    """The instant centers of a mechanism at one time; `centers["crank", "rod"]` is that of two bodies. `missing` are
    pairs of bodies without relative motion. `draw()` draws them with Kennedy's lines."""

    def __init__(self, instant: Trajectory, poles: list[Pole], missing: tuple[tuple[str, str], ...]) -> None:
        self.model, self.time, self.poles, self.missing = instant.model, float(instant.times[0]), tuple(poles), missing
        self.snapshot: Any = instant.at(self.time)

    def __iter__(self) -> Iterator[Pole]:
        return iter(self.poles)

    def __len__(self) -> int:
        return len(self.poles)

    def __getitem__(self, pair: tuple[Any, Any]) -> Pole:
        names = {getattr(body, "name", body) for body in pair}
        for pole in self.poles:
            if {body.name for body in pole.bodies} == names:
                return pole
        still = any(set(two) == names for two in self.missing)
        words = "they have no relative motion" if still else f"'{self.model.name}' has no such pair of bodies"
        raise ModelError(f"there is no instant center of {' and '.join(map(repr, sorted(map(str, names))))}: {words}")

    def __repr__(self) -> str:
        lines = [f"instant centers of '{self.model.name}' at t = {self.time:g} s"]
        for pole in self.poles:
            place = pole.where
            by = "; ".join(f"on the line {line.words}" for line in pole.lines)
            lines.append(f"  {pole.name}: {place}, {pole.how}{': ' + by if by else ''}")
        lines += [f"  {a}-{b}: no relative motion" for a, b in self.missing]
        return "\n".join(lines)


def instant_centers(instant: Trajectory) -> InstantCenters:
    """The instant centers of all pairs of bodies, including the ground, of a result with one output time."""
    require_plane(instant, "instant centers")
    bodies = [instant.model.ground, *(body for body in instant.system.bodies if body.has_orientation)]
    known = {_key(pole): pole for pole in _of_joints(instant)}
    _by_kennedy(bodies, known, _of_slots_and_rods(instant))
    missing = []
    for a, b in itertools.combinations(bodies, 2):
        if frozenset((id(a), id(b))) in known:
            continue
        pole = _by_velocities(instant, a, b)
        if pole is None:
            missing.append((a.name, b.name))
        else:
            known[_key(pole)] = pole
    order = [known[key] for a, b in itertools.combinations(bodies, 2) if (key := frozenset((id(a), id(b)))) in known]
    return InstantCenters(instant, order, tuple(missing))


def _key(pole: Pole) -> frozenset[int]:
    return frozenset(id(body) for body in pole.bodies)


def _of_joints(instant: Trajectory) -> Iterator[Pole]:
    """Centers of pins, rolling contacts and sliders, which follow from the position."""
    for joint in joined_points(instant):
        if joint.kind in ("pin", "roll"):
            yield Pole(joint.bodies, np.array([*joint.point, 1.0]), "joint")
        elif joint.kind == "slider" and joint.along is not None:
            yield Pole(joint.bodies, np.array([-joint.along[1], joint.along[0], 0.0]), "joint")


def _of_slots_and_rods(instant: Trajectory) -> dict[frozenset[int], list[Line]]:
    """Lines given by a single joint: normal to a slot through its pin, or along a massless rod."""
    found: dict[frozenset[int], list[Line]] = {}
    for joint in joined_points(instant):
        line = None
        if joint.kind == "slot" and joint.along is not None:
            words = f"normal to the slot of {joint.name}"
            line = Line(words, np.array([*joint.along, -float(joint.along @ joint.point)]))
        elif joint.kind == "rod" and joint.other is not None:
            numbers = _through(np.array([*joint.point, 1.0]), np.array([*joint.other, 1.0]))
            line = None if numbers is None else Line(f"along {joint.name}", numbers)
        if line is not None:
            found.setdefault(frozenset(id(body) for body in joint.bodies), []).append(line)
    return found


def _by_kennedy(bodies: list[Any], known: dict[frozenset[int], Pole], lines: dict[frozenset[int], list[Line]]) -> None:
    """Add every center in which two lines intersect, until there are no more."""
    found = True
    while found:
        found = False
        for a, b in itertools.combinations(bodies, 2):
            key = frozenset((id(a), id(b)))
            pole = None if key in known else _meeting(a, b, bodies, known, lines.get(key, []))
            if pole is not None:
                known[key], found = pole, True


def _meeting(a: Any, b: Any, bodies: list[Any], known: dict[frozenset[int], Pole], given: list[Line]) -> Pole | None:
    """The center of a and b: the intersection of the two lines that are farthest from parallel."""
    lines = [*given]
    for c in bodies:
        one, two = known.get(frozenset((id(a), id(c)))), known.get(frozenset((id(c), id(b))))
        if one is not None and two is not None:
            numbers = _through(one.homogeneous, two.homogeneous)
            if numbers is not None:
                lines.append(Line(f"through {one.name} and {two.name}", numbers))
    pairs = itertools.combinations(lines, 2)
    best = max(pairs, key=lambda two: _sine(two[0].numbers, two[1].numbers), default=None)
    if best is None or _sine(best[0].numbers, best[1].numbers) < PARALLEL_LINES:
        return None
    return Pole((a, b), _tidy(_cross(best[0].numbers, best[1].numbers)), "Kennedy", best)


def _through(p: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """The line through two centers; None if they coincide, or are both at infinity."""
    p, q = _scaled(p), _scaled(q)
    line = _cross(p, q)
    size = float(np.hypot(line[0], line[1]))
    return line / size if size > PARALLEL_LINES * np.linalg.norm(p) * np.linalg.norm(q) else None


def _cross(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The cross product of two vectors; np.cross is slow for a single pair."""
    return np.array([p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]])


def _scaled(pole: np.ndarray) -> np.ndarray:
    return pole / (pole[2] if pole[2] else np.hypot(pole[0], pole[1]))


def _sine(one: np.ndarray, two: np.ndarray) -> float:
    """The difference of two lines: the sine of the angle between their homogeneous vectors."""
    return float(np.linalg.norm(_cross(one / np.linalg.norm(one), two / np.linalg.norm(two))))


def _tidy(pole: np.ndarray) -> np.ndarray:
    """The center; at infinity if w is rounding error."""
    flat = abs(pole[2]) <= 1e-12 * np.hypot(pole[0], pole[1])
    return np.array([pole[0], pole[1], 0.0]) if flat else pole / pole[2]


def _by_velocities(instant: Trajectory, a: Any, b: Any) -> Pole | None:
    """v_a + omega_a x (P - r_a) = v_b + omega_b x (P - r_b), in homogeneous form; None without relative motion."""
    parts = []
    for body in (a, b):
        place, velocity = instant[body].position[0], instant[body].velocity[0]
        turning = float(instant[body].turning("velocity")[0])
        # the velocity of the body's point at the global origin, and its angular velocity
        parts.append(np.array([velocity[0] + turning * place[1], velocity[1] - turning * place[0], turning]))
    u, v, w = parts[1] - parts[0]
    length = instant.system.length
    largest = max(float(np.abs(instant.v[0]).max(initial=0.0)), 1e-300)
    if max(np.hypot(u, v), abs(w) * length) <= ZERO_VELOCITY * largest * max(length, 1.0):
        return None
    return Pole((a, b), _tidy(np.array([-v, u, w])), "velocities")
