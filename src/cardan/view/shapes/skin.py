"""The skin of a flexible body: points with their modes, drawn deformed.

    y = x + s u(x) + (1 - s) (d + theta x x)        u = psi eta, the displacement; s the magnification

At s = 1 this is the true shape. For other s only the deformation relative to the joints is magnified: d and theta are
the rigid motion that fits the displacements of the interfaces with joints best (least squares). Joints stay closed
where the body does not change its length between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import finalize

import numpy as np

from cardan.model.element import Constraint
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.flexible_part import FlexiblePart

if TYPE_CHECKING:
    from cardan.model.body import RigidBody
    from cardan.model.marker import Marker
    from cardan.model.model import Model
    from cardan.system.system import System

TURNING = 1e-5  # weight of the rotation of an interface, in terms of the size of the part
FRONT = 1e-6  # z component of the normals of triangles that face the reader of a planar picture
PIECES = 8  # of the line between two interfaces of a part without skin

Pose = tuple[np.ndarray, np.ndarray]  # r and A: a point s' is at r + A s'
Frame = int | tuple[int, str]  # id(body), or that with the name of an interface that moves with the deformation


@dataclass(frozen=True, eq=False)
class Skin:
    """Points (p, 3) of a flexible body, their modes (p, 3, n), triangles and lines between them, by index.

    In the plane `triangles` are those that face the reader, and `lines` their rim. A part without triangles has lines
    between its interfaces. `stress` (p, 6, n) has the stress modes, if the part has them; `fit` (6, n) are the modes of
    d and theta; `first` is the place of the first modal coordinate in q, and among all modal coordinates `offset`.
    """

    body: Any
    points: np.ndarray
    modes: np.ndarray
    triangles: np.ndarray
    lines: list[np.ndarray]
    stress: np.ndarray | None
    fit: np.ndarray
    first: int
    offset: int

    @property
    def part(self) -> FlexiblePart:
        found: FlexiblePart = self.body.part
        return found

    @property
    def columns(self) -> slice:
        """Its modal coordinates among those of all flexible bodies."""
        return slice(self.offset, self.offset + self.part.modes)

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """The modal coordinates (..., n) of stored positions q."""
        return np.asarray(q[..., self.first : self.first + self.part.modes])

    def deformed(self, eta: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """The points in the axes of the body."""
        return self.points + scale * (self.modes @ eta) + self._fitted(self.points, eta, scale)

    def frame(self, interface: str, eta: np.ndarray, scale: float = 1.0) -> Pose:
        """Where an interface and what is attached to it is drawn: its undeformed points are at r + A s'."""
        at = self.part.interfaces[interface]
        place = at.position + scale * (at.translation @ eta) + self._fitted(at.position, eta, scale)
        turn = _rotation(scale * (at.rotation @ eta) + (1.0 - scale) * (self.fit[3:] @ eta))
        return place - turn @ at.position, turn

    def _fitted(self, points: np.ndarray, eta: np.ndarray, scale: float) -> np.ndarray:
        d, theta = (self.fit @ eta).reshape(2, 3)
        return np.asarray((1.0 - scale) * (d + np.cross(theta, points)))


_KNOWN: dict[int, tuple[Skin, ...]] = {}  # by id(system), as long as it lives


def skins_of(system: System) -> tuple[Skin, ...]:
    """The skins of all flexible bodies of a system, in the order of its bodies."""
    if id(system) not in _KNOWN:
        start, offset, found = system.space.stored * (1 + len(system.bodies)), 0, []
        for body, place in deformed_bodies(system.contact_coordinates).values():
            found.append(_skin(body, system.model, start + place, offset))
            offset += body.part.modes
        _KNOWN[id(system)] = tuple(found)
        finalize(system, _KNOWN.pop, id(system), None)
    return _KNOWN[id(system)]


def has_skin(body: Any) -> bool:
    """Whether a flexible body is drawn by its skin: unless an outline is stated, which does not deform."""
    if not body.modal_coordinates or body.outline is not None:
        return False
    surface = body.part.surface
    return len(body.part.interfaces) > 1 or (surface is not None and len(surface.triangles) > 0)


def frame_of(marker: Marker) -> Frame:
    """What a marker is fixed to."""
    interface = getattr(marker, "interface", "")
    return (id(marker.body), interface) if interface else id(marker.body)


def modal_table(system: System, q: np.ndarray) -> np.ndarray:
    """The modal coordinates of all flexible bodies, one line for each line of q."""
    return np.concatenate([skin.coordinates(q) for skin in skins_of(system)] or [np.zeros((len(q), 0))], axis=1)


def nearest_interface(body: Any, points: np.ndarray) -> str:
    """The interface that a symbol at some points of a flexible body belongs to."""
    middle = np.nanmean(points, axis=0)
    places = {name: at.position[: len(middle)] for name, at in body.part.interfaces.items()}
    return min(places, key=lambda name: float(np.linalg.norm(places[name] - middle)), default="")


def _skin(body: Any, model: Model, first: int, offset: int) -> Skin:
    part, flat = body.part, len(body.position) == 2
    points, modes, triangles, lines = _from_interfaces(part)
    stress = None
    if part.surface is not None and len(part.surface.triangles):
        surface = part.surface
        points, modes, triangles = surface.points, surface.modes, np.asarray(surface.triangles, int)
        stress = part.stress
        lines = []
        if flat:
            triangles = _facing(points, triangles)
            used, triangles = np.unique(triangles, return_inverse=True)
            triangles = triangles.reshape(-1, 3)
            points, modes, stress = (
                points[used] * (1.0, 1.0, 0.0),
                modes[used],
                None if stress is None else stress[used],
            )
            lines = _rims(triangles)
    if flat:
        modes = modes * np.array([1.0, 1.0, 0.0])[:, None]
    fit = _fit(part, _held(body, model))
    return Skin(body, points, modes, triangles, lines, stress, fit, first, offset)


def _from_interfaces(part: FlexiblePart) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
    """Lines from interface to interface, bent as beams between them."""
    ends = list(part.interfaces.values())
    none = np.zeros((0, 3), int)
    if len(ends) < 2:
        return np.zeros((0, 3)), np.zeros((0, 3, part.modes)), none, []
    points, modes = [], []
    for a, b in zip(ends[:-1], ends[1:], strict=True):
        way = b.position - a.position
        slopes = [np.cross(at.rotation, way[:, None], axis=0) for at in (a, b)]  # of the displacement, by s from 0 to 1
        for s in np.linspace(0.0, 1.0, PIECES + 1):
            points.append(a.position + s * way)
            shape = (1 - 3 * s**2 + 2 * s**3) * a.translation + (3 * s**2 - 2 * s**3) * b.translation
            modes.append(shape + (s - 2 * s**2 + s**3) * slopes[0] + (s**3 - s**2) * slopes[1])
    count = PIECES + 1
    lines = [np.arange(k * count, (k + 1) * count) for k in range(len(ends) - 1)]
    return np.array(points), np.array(modes), none, lines


def _facing(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """The triangles that face the reader, whatever the sense of their corners: those on the side of larger z."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1)
    wide = np.abs(normals[:, 2]) > FRONT * np.maximum(size, 1e-300)
    front = wide & (normals[:, 2] > 0.0)
    back = wide & (normals[:, 2] < 0.0)
    chosen = front if front.any() else back
    if front.any() and back.any() and corners[back, :, 2].mean() > corners[front, :, 2].mean():
        chosen = back
    return np.asarray(triangles[chosen])


def _rims(triangles: np.ndarray) -> list[np.ndarray]:
    """The closed lines around triangles: sides that only one of them has."""
    sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, where, counts = np.unique(np.sort(sides, axis=1), axis=0, return_inverse=True, return_counts=True)
    rest = {int(a): int(b) for a, b in sides[counts[where.reshape(-1)] == 1]}
    found = []
    while rest:
        start, follower = rest.popitem()
        line = [start, follower]
        while follower in rest:
            follower = rest.pop(follower)
            line.append(follower)
        found.append(np.array(line))
    return found


def _held(body: RigidBody, model: Model) -> set[str]:
    """The interfaces to which joints are attached."""
    markers = (
        (marker.body, getattr(marker, "interface", ""))
        for element in model
        if isinstance(element, Constraint)
        for equation in element.equations()
        for _, measure in equation.terms
        for marker in measure.markers()
    )
    return {interface for other, interface in markers if other is body and interface}


def _fit(part: FlexiblePart, held: Iterable[str]) -> np.ndarray:
    """The modes of the rigid motion, d and theta, that fits the motion of interfaces best."""
    chosen = [part.interfaces[name] for name in sorted(held)]
    if not chosen:
        return np.zeros((6, part.modes))
    places = np.array([at.position for at in chosen])
    size = max(float(np.ptp(places, axis=0).max()), float(np.linalg.norm(part.center - places[0])), 1e-9)
    rows, values = [], []
    for at in chosen:
        x, y, z = at.position
        rows.append(np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]]))
        rows.append(TURNING * size * np.hstack([np.zeros((3, 3)), np.eye(3)]))
        values += [at.translation, TURNING * size * at.rotation]
    return np.asarray(np.linalg.lstsq(np.vstack(rows), np.vstack(values), rcond=None)[0])


def _rotation(vector: np.ndarray) -> np.ndarray:
    """The rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    x, y, z = vector
    tilde = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    first = np.sinc(angle / np.pi)
    second = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    return np.asarray(np.eye(3) + first * tilde + second * tilde @ tilde)
