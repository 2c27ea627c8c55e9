r"""The velocities and accelerations of a mechanism that turns as one rigid body, while parts of it spin.

        n |       w_k  = W n + sum_s p_s e_s                          of the parts s to which body k belongs
          |  e    r_k' = u + W n x (r_k - c) + sum_s p_s e_s x (r_k - P_s)
        --c--/P
          | /     the axis of part s moves with the body that has it:
                  e' = w x e,      P' = its velocity there

W: spin about the axis n through c; u: travel, along n if W is not zero; p_s: rate of part s about its axis e_s through
P_s. All of them are constant, so that the accelerations are the derivatives of these fields along themselves:

    w_k'  = sum_s p_s e_s'
    r_k'' = W n x r_k' + sum_s p_s [e_s' x (r_k - P_s) + e_s x (r_k' - P_s')]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.elements.pair import Pair
from cardan.elements.rolling import Rolling
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.system.system import System

Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Part:
    """What spins: the bodies beyond a hinge, or one body about the z axis of a marker."""

    key: Any  # the joint or marker by which the user calls it
    axis: Any  # the marker whose z axis is the axis
    point: Any  # a marker on the axis, fixed in a body that spins
    bodies: frozenset[int]  # numbers of the bodies that spin
    sign: float  # -1 where the angle of the hinge counts the other way round

    @property
    def title(self) -> str:
        return f"'{self.key.name}'" if isinstance(self.key, Pair) else f"the axis {self.key}"


@dataclass(frozen=True)
class Twist:
    """The motion of all bodies, given the spin and the rates of the parts."""

    system: System
    axis: np.ndarray
    through: np.ndarray
    travel: np.ndarray
    parts: tuple[Part, ...]

    def motion(self, q: np.ndarray, spin: float, rates: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """v and a at positions q, in the numbers of the system."""
        r, A = self._frames(q)
        group = spin * self.axis
        w = np.tile(group, (r.shape[0], 1))
        v = self.travel + np.cross(group, r - self.through)
        axes = [self._axis(part, q) for part in self.parts]
        for part, rate, (e, P) in zip(self.parts, rates, axes, strict=True):
            for k in part.bodies:
                w[k] += part.sign * rate * e
                v[k] += part.sign * rate * np.cross(e, r[k] - P)
        w[0] = v[0] = 0.0
        turn, a = np.zeros_like(w), np.cross(group, v)
        for part, rate, (e, P) in zip(self.parts, rates, axes, strict=True):
            number, at = self._number(part.axis), self._number(part.point)
            e_rate = np.cross(w[number], e)
            P_rate = v[at] + np.cross(w[at], P - r[at])
            for k in part.bodies:
                turn[k] += part.sign * rate * e_rate
                a[k] += part.sign * rate * (np.cross(e_rate, r[k] - P) + np.cross(e, v[k] - P_rate))
        return self._numbers(v, w, A), self._numbers(a, turn, A)

    def harmless(self, q: np.ndarray) -> np.ndarray:
        """Displacements, one line each, that a steady motion may leave open: of the whole, and phases of the parts."""
        r, A = self._frames(q)
        none = np.zeros_like(r)
        lines = []
        for k in range(self.system.space.dimensions):
            lines.append(self._numbers(none + np.eye(3)[k], none, A))
        for n in np.eye(3) if self.system.space.dimensions == 3 else (Z,):
            lines.append(self._numbers(np.cross(n, r - self.through), none + n, A))
        for part in self.parts:
            e, P = self._axis(part, q)
            v, w = none.copy(), none.copy()
            for k in part.bodies:
                v[k], w[k] = np.cross(e, r[k] - P), e
            lines.append(self._numbers(v, w, A))
        return np.array(lines)

    def away(self, q: np.ndarray, marker: Any) -> float:
        """The distance of a marker from the axis."""
        point = padded(self._frame(marker, q)[0])
        return float(np.linalg.norm(np.cross(self.axis, point - self.through)))

    def _number(self, marker: Any) -> int:
        return self.system.body_number(marker.body)

    def _frames(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Origins and axes of all bodies, ground first, as vectors of space."""
        space, count = self.system.space, 1 + len(self.system.bodies)
        poses = q[: space.stored * count].reshape(count, space.stored)
        points, axes = space.frame(self.system.model.ground.at(), poses)
        return padded(points), axes

    def _axis(self, part: Part, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e and P of a part."""
        P = padded(self._frame(part.point, q)[0])
        return (Z if self.system.space.dimensions == 2 else self._frame(part.axis, q)[1][:, 2]), P

    def _frame(self, marker: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Point and axes of a marker."""
        number, stored = self._number(marker), self.system.space.stored
        points, axes = self.system.space.frame(marker, q[None, stored * number : stored * (number + 1)])
        return points[0], axes[0]

    def _numbers(self, straight: np.ndarray, turning: np.ndarray, A: np.ndarray) -> np.ndarray:
        """Vectors of space as the system counts speeds: r' and the angular velocity, in space in axes of the body."""
        space, out = self.system.space, self.system.speeds()
        table = out[: space.width * straight.shape[0]].reshape(straight.shape[0], space.width)
        table[:, : space.dimensions] = straight[:, : space.dimensions]
        if space.dimensions == 2:
            table[:, 2] = turning[:, 2]
        else:
            table[:, 3:] = np.einsum("nij,ni->nj", A, turning)
        table[0] = 0.0
        return out


def padded(vectors: np.ndarray) -> np.ndarray:
    """Vectors of the plane as vectors of space."""
    missing = 3 - vectors.shape[-1]
    return np.concatenate([vectors, np.zeros((*vectors.shape[:-1], missing))], axis=-1)


def parts_of(model: Model, keys: Sequence[Any], system: System) -> tuple[Part, ...]:
    """What spins, judged."""
    for key in keys:
        if isinstance(key, Pair):
            _check_hinge(model, key)
        elif not isinstance(key, Marker):
            raise ModelError(
                f"spinning takes hinges of '{model.name}', or markers about whose z axes bodies spin, got "
                f"{check.shown(key)}"
            )
        elif key.body not in model or key.body is model.ground:  # type: ignore[attr-defined]
            raise ModelError(f"{key} in spinning lies on no moving body of model '{model.name}'")
    return tuple(_hinge_part(model, key, system) if isinstance(key, Pair) else _body_part(key, system) for key in keys)


def _check_hinge(model: Model, hinge: Pair) -> None:
    if hinge not in model:
        raise ModelError(f"{hinge.title} in spinning is not part of model '{model.name}'; add it, or leave it out")
    if not isinstance(getattr(hinge, "angle", None), Readable):
        raise ModelError(
            f"{hinge.title} in spinning has no angle to turn about; name a hinge, or the marker about whose z axis the "
            "body spins"
        )


def _body_part(marker: Any, system: System) -> Part:
    return Part(marker, marker, marker, frozenset({system.body_number(marker.body)}), 1.0)


def _hinge_part(model: Model, hinge: Any, system: System) -> Part:
    """The side of a hinge that no other joint holds to ground, else the smaller one, else that of b."""
    sides = [
        (own, *_side(model, own.body, other.body, hinge)) for own, other in ((hinge.b, hinge.a), (hinge.a, hinge.b))
    ]
    movable = [side for side in sides if side[0].body is not model.ground]
    own, bodies, _ = min(movable, key=lambda side: (side[2], len(side[1]), side[0] is not hinge.b))
    numbers = frozenset(system.body_number(body) for body in bodies)
    return Part(hinge, hinge.a, own, numbers, 1.0 if own is hinge.b else -1.0)


def _side(model: Model, first: Any, other: Any, hinge: Any) -> tuple[list[Any], bool]:
    """The bodies that hang together with `first` by other joints, ground left out, and whether one of these is held to
    ground; where they lead round to the other side, `first` alone."""
    joints = [e for e in model.constraints if e.carries and not isinstance(e, Rolling) and e is not hinge]
    found, waiting, held = [first], [first], False
    while waiting:
        body = waiting.pop()
        for ends in (joint.bodies() for joint in joints):
            if any(body is end for end in ends):
                held |= any(end is model.ground for end in ends)
                fresh = [e for e in ends if e is not model.ground and all(e is not known for known in found)]
                found += fresh
                waiting += fresh
    return ([first], False) if any(other is body for body in found) else (found, held)
