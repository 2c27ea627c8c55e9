r"""The velocities and accelerations of a mechanism that rotates as one rigid body, while parts of it spin.

        n |       w_k  = W n + sum_s p_s e_s                          over the parts s that contain body k
          |  e    r_k' = u + W n x (r_k - c) + sum_s p_s e_s x (r_k - P_s)
        --c--/P
          | /     the axis of part s moves with the body that has it:
                  e' = w x e,      P' = its velocity there

W: spin about the axis n through c; u: travel, along n if W is not zero; p_s: rate of part s about its axis e_s through
P_s. All are constant, so accelerations are the derivatives of these fields along themselves:

    w_k'  = sum_s p_s e_s'
    r_k'' = W n x r_k' + sum_s p_s [e_s' x (r_k - P_s) + e_s x (r_k' - P_s')]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.elements.constraints.rolling import Rolling
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.system.system import System

Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class SpinningPart:
    """A spinning part: the bodies beyond a hinge, or one body about the z axis of a marker."""

    key: Any  # the joint or marker given by the user
    axis: Any  # the marker whose z axis is the axis
    point: Any  # a marker on the axis, fixed in a spinning body
    bodies: frozenset[int]  # indices of the spinning bodies
    sign: float  # -1 if the angle of the hinge has the opposite direction

    @property
    def title(self) -> str:
        return f"'{self.key.name}'" if isinstance(self.key, TwoMarkerJoint) else f"the axis {self.key}"


class Twist:
    """The motion of all bodies, given the spin and the rates of the parts."""

    def __init__(
        self, system: System, axis: np.ndarray, through: np.ndarray, travel: np.ndarray, parts: Sequence[SpinningPart]
    ) -> None:
        self.system, self.axis, self.through, self.travel, self.parts = system, axis, through, travel, tuple(parts)
        count = 1 + len(system.bodies)
        self.spins = [np.isin(np.arange(count), list(part.bodies))[:, None] * part.sign for part in parts]
        self.locals = [self._local(part) for part in parts]

    def motion(self, q: np.ndarray, spin: float, rates: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
        """v and a at positions q, in the layout of the system."""
        r, A = self._frames(q)
        group = spin * self.axis
        w, v = np.tile(group, (r.shape[0], 1)), self.travel + _cross(group, r - self.through)
        axes = [self._axis(k, r, A) for k in range(len(self.parts))]
        for rate, spins, (e, P) in zip(rates, self.spins, axes, strict=True):
            w += rate * spins * e
            v += rate * spins * _cross(e, r - P)
        w[0] = v[0] = 0.0
        turn, a = np.zeros_like(w), _cross(group, v)
        for rate, spins, (e, P), part in zip(rates, self.spins, axes, self.parts, strict=True):
            at = self._number(part.point)
            e_rate = _cross(w[self._number(part.axis)], e)
            P_rate = v[at] + _cross(w[at], P - r[at])
            turn += rate * spins * e_rate
            a += rate * spins * (_cross(e_rate, r - P) + _cross(e, v - P_rate))
        return self._numbers(v, w, A), self._numbers(a, turn, A)

    def harmless(self, q: np.ndarray) -> np.ndarray:
        """Displacements, one row each, that do not change a steady motion: rotations of the whole, and phases of the
        parts."""
        r, A = self._frames(q)
        none = np.zeros_like(r)
        space = self.system.space.dimensions == 3
        lines = [self._numbers(none + along, none, A) for along in (np.eye(3) if space else np.eye(3)[:2])]
        lines += [self._numbers(_cross(n, r - self.through), none + n, A) for n in (np.eye(3) if space else (Z,))]
        for k, spins in enumerate(self.spins):
            e, P = self._axis(k, r, A)
            lines.append(self._numbers(spins * _cross(e, r - P), spins * e, A))
        return np.array(lines)

    def away(self, q: np.ndarray, marker: Any) -> float:
        """The distance of a marker from the axis."""
        self._number(marker)
        point = padded(self.system.space.frame(marker, q[None, self.system.pose_columns(marker.body)])[0][0])
        return float(np.linalg.norm(_cross(self.axis, point - self.through)))

    def _number(self, marker: Any) -> int:
        return self.system.body_number(marker.body)

    def _frames(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Origins and axes of all bodies, ground first, as spatial vectors."""
        space, count = self.system.space, 1 + len(self.system.bodies)
        poses = q[: space.stored * count].reshape(count, space.stored)
        points, axes = space.frame(self.system.model.ground.at(), poses)
        return padded(points), axes

    def _local(self, part: SpinningPart) -> tuple[np.ndarray, np.ndarray]:
        """The direction of the axis and a point on it, each in its own body."""
        space, ground = self.system.space, self.system.model.ground
        frames = [space.frame(marker, space.pose(ground)[None]) for marker in (part.axis, part.point)]
        e = Z if space.dimensions == 2 else frames[0][1][0][:, 2]
        return e, frames[1][0][0]

    def _axis(self, k: int, r: np.ndarray, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """e and P of a part."""
        part, (e, P) = self.parts[k], self.locals[k]
        at = self._number(part.point)
        turned = e if self.system.space.dimensions == 2 else A[self._number(part.axis)] @ e
        return turned, r[at] + padded(A[at] @ P)

    def _numbers(self, straight: np.ndarray, turning: np.ndarray, A: np.ndarray) -> np.ndarray:
        """Spatial vectors in the layout of speeds: r' and the angular velocity, in space in body axes."""
        space, out = self.system.space, self.system.speeds()
        table = out[: space.width * straight.shape[0]].reshape(straight.shape[0], space.width)
        table[:, : space.dimensions] = straight[:, : space.dimensions]
        if space.dimensions == 2:
            table[:, 2] = turning[:, 2]
        else:
            table[:, 3:] = np.einsum("nij,ni->nj", A, turning)
        table[0] = 0.0
        return out


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a x b of one vector a with one or many vectors b."""
    x, y, z = a
    return np.asarray(b @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]))


def padded(vectors: np.ndarray) -> np.ndarray:
    """Planar vectors as spatial vectors."""
    missing = 3 - vectors.shape[-1]
    return np.concatenate([vectors, np.zeros((*vectors.shape[:-1], missing))], axis=-1)


def parts_of(model: Model, keys: Sequence[Any], system: System) -> tuple[SpinningPart, ...]:
    """The spinning parts, checked."""
    for key in keys:
        if isinstance(key, TwoMarkerJoint):
            _check_hinge(model, key)
        elif not isinstance(key, Marker):
            raise ModelError(
                f"spinning takes hinges of '{model.name}', or markers about whose z axes bodies spin, got "
                f"{check.describe(key)}"
            )
        elif key.body not in model or key.body is model.ground:
            raise ModelError(f"{key} in spinning is not on a moving body of model '{model.name}'")
    return tuple(
        _hinge_part(model, key, system) if isinstance(key, TwoMarkerJoint) else _body_part(key, system) for key in keys
    )


def _check_hinge(model: Model, hinge: TwoMarkerJoint) -> None:
    if hinge not in model:
        raise ModelError(f"{hinge.title} in spinning is not part of model '{model.name}'; add it, or omit it")
    if not isinstance(getattr(hinge, "angle", None), Readable):
        raise ModelError(
            f"{hinge.title} in spinning has no angle; use a hinge, or the marker about whose z axis the body spins"
        )


def _body_part(marker: Any, system: System) -> SpinningPart:
    return SpinningPart(marker, marker, marker, frozenset({system.body_number(marker.body)}), 1.0)


def _hinge_part(model: Model, hinge: Any, system: System) -> SpinningPart:
    """The side of a hinge that is not otherwise connected to ground, else the smaller one, else that of b."""
    sides = [
        (own, *_side(model, own.body, other.body, hinge)) for own, other in ((hinge.b, hinge.a), (hinge.a, hinge.b))
    ]
    movable = [side for side in sides if side[0].body is not model.ground]
    own, bodies, _ = min(movable, key=lambda side: (side[2], len(side[1]), side[0] is not hinge.b))
    numbers = frozenset(system.body_number(body) for body in bodies)
    return SpinningPart(hinge, hinge.a, own, numbers, 1.0 if own is hinge.b else -1.0)


def _side(model: Model, first: Any, other: Any, hinge: Any) -> tuple[list[Any], bool]:
    """The bodies connected to `first` by other joints, without ground, and whether one of these is connected to ground;
    only `first` if they also connect to the other side."""
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
