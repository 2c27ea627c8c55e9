"""The spanning tree of a mechanism: which joints carry coordinates, and the nodes that they make.

    ground --hinge-- crank --pin-- rod --pin-- slider          tree: hinge, pin, pin
       |                                          |
       +-------------------guide-----------------+            cut: guide

From ground outward each body is carried by the joint that gives it the fewest coordinates; the other joints, and all
that is not a joint, are cut and stay equations. What no joint reaches floats. Joints that can take several motions are
chains of nodes without mass; a weld puts its body on the node of the other. Places of contact, coordinates of cams and
curves, come last, as nodes that carry nothing: a number that slides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.flexible.modal_coordinate import deformed_bodies
from cardan.model.matter.added_inertia import joint_coordinates
from cardan.model.measure import Measure
from cardan.model.steps import Step
from cardan.system.parallel import TURN as TURNED
from cardan.system.system import System
from cardan.system.tree.layout import Node, Shapes
from cardan.system.tree.recursion.kernels import BALL, FREE, SCREW, SLIDE, TURN
from cardan.system.tree.recursion.modal import MODAL

KINDS = {"turn": TURN, "slide": SLIDE, "screw": SCREW, "ball": BALL}
# rows are the axes of a frame whose z axis is the axis named, in those of the frame before
ALONG = {
    "x": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "y": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "z": np.eye(3),
}
FLOATING = {
    2: (Step("slide", "x", name="x"), Step("slide", "y", name="y"), Step("turn", "z", name="angle")),
    3: (Step("free", name="pose"),),
}
NAMES = {BALL: ("e0", "e1", "e2", "e3"), FREE: ("x", "y", "z", "e0", "e1", "e2", "e3")}
SPEEDS = {BALL: ("wx", "wy", "wz"), FREE: ("vx", "vy", "vz", "wx", "wy", "wz")}

Frame = tuple[np.ndarray, np.ndarray]  # axes as columns, and origin


class Seat(NamedTuple):
    """Where a body sits on its node: axes as columns and origin in the node's frame."""

    node: int
    axes: np.ndarray
    origin: np.ndarray


class Spanning(NamedTuple):
    """The nodes, where bodies sit on them, coordinates by name, and the position from which all was found."""

    nodes: list[Node]
    seats: dict[int, Seat]  # by number of the body
    carried: tuple[Constraint, ...]  # joints of the tree
    cut: tuple[Constraint, ...]  # what stays an equation
    q: np.ndarray
    coordinates: tuple[str, ...]  # one for each number of q
    speeds: tuple[str, ...]  # one for each number of v
    chains: tuple[tuple[Any, tuple[Step, ...]], ...]  # joints, None for bodies that float, and the steps of their nodes


def spanning_tree_of(
    system: System,
    q: np.ndarray,
    cut: Sequence[Constraint] = (),
    tree: Sequence[Constraint] = (),
    angles: Mapping[Measure, float] | None = None,
) -> Spanning:
    """The tree of an assembled position q; joints in `cut` are not part of it, those in `tree` are.

    Coordinates of hinges are on the turn of `angles`.
    """
    _check(system, cut, tree)
    builder = _Builder(system, q, angles or {})
    carried = _grow(system, builder, {id(joint) for joint in cut}, {id(joint) for joint in tree})
    builder.touch()
    numbers = {id(joint) for joint in carried}
    kept = tuple(e for e in system.elements if id(e) not in numbers)
    matter = builder.with_matter()
    names = (tuple(builder.coordinates), tuple(builder.speeds), tuple(builder.chains))
    return Spanning(matter, builder.seats, tuple(carried), kept, np.array(builder.q), *names)


def _grow(system: System, builder: _Builder, cut: set[int], wanted: set[int]) -> list[Constraint]:
    """Add body after body, by the first of the joints with fewest coordinates, those that are wanted first: none of
    them can be closed by another before its turn. What no joint reaches floats."""
    joints = [e for e in system.elements if e.steps() is not None and id(e) not in cut and not _curved(e)]
    at: dict[int, list[int]] = {}
    for k, joint in enumerate(joints):
        for number in _ends(system, joint):
            at.setdefault(number, []).append(k)
    turned = {rotor.measure for rotor in system.added}  # rotors of joints that are cut have no place in the tree
    own = (joint for joint in joints if not joint.listed or turned & set(joint_coordinates(joint)))
    first = wanted | set(map(id, own))  # joints not listed: point masses do not turn with what they are on
    order = [(id(joint) not in first, _size(joint.steps() or ()), k) for k, joint in enumerate(joints)]
    carried: list[Constraint] = []
    reached, offered, following = {0}, [order[k] for k in at.get(0, ())], 1
    heapify(offered)
    builder.seats[0] = Seat(-1, np.eye(3), np.zeros(3))
    while len(reached) <= len(system.bodies):
        if offered:
            joint = joints[heappop(offered)[2]]
            fresh = set(_ends(system, joint)) - reached
            if not fresh:
                continue
            builder.carry(joint, reached)
            carried.append(joint)
        else:
            while following in reached:
                following += 1
            builder.add_floating(following)
            fresh = {following}
        reached |= fresh
        for number in fresh:
            for k in at.get(number, ()):
                heappush(offered, order[k])
    return carried


def _curved(joint: Any) -> bool:
    """Whether a joint is on the mass center of a body with geometric stiffening, which moves to second order in eta."""
    return any(marker.modes and marker.curvature() is not None for marker in (joint.a, joint.b))


def _check(system: System, cut: Sequence[Constraint], tree: Sequence[Constraint]) -> None:
    """Reject joints that do not form a tree."""
    for what, elements in (("cut", cut), ("tree", tree)):
        for element in elements:
            if not any(element is other for other in system.elements):
                title = getattr(element, "title", check.describe(element))
                raise ModelError(f"{title} in {what} is not a constraint of model '{system.model.name}'")
    group = {number: number for number in range(len(system.bodies) + 1)}
    for joint in tree:
        if any(joint is other for other in cut):
            raise ModelError(f"{joint.title} is in tree and in cut: leave it out of one of them")
        if joint.steps() is None:
            raise ModelError(f"{joint.title} has no coordinates for its motion: it cannot be in tree, leave it out")
        a, b = (group[number] for number in _ends(system, joint))
        if a == b:
            raise ModelError(f"{joint.title} closes a loop with other joints in tree: leave one of them out")
        group = {number: a if found == b else found for number, found in group.items()}


def _ends(system: System, joint: Any) -> tuple[int, int]:
    return system.number[id(joint.a.body)], system.number[id(joint.b.body)]


def _size(steps: Sequence[Step]) -> int:
    return sum(3 if step.kind == "ball" else 1 for step in steps)


class _Builder:
    """Nodes as they come."""

    def __init__(self, system: System, q: np.ndarray, angles: Mapping[Any, float]) -> None:
        self.system, self.space, self.angles = system, system.space, angles
        stored = self.space.stored
        count = 1 + len(system.bodies)
        self.poses = [self.space.in_space(q[stored * k : stored * (k + 1)]) for k in range(count)]
        self.own = q[stored * count :]
        self.first_mode = {id(body): first for body, first in deformed_bodies(system.contact_coordinates).values()}
        self.outward: dict[tuple[int, str], int] = {}  # nodes of interfaces
        self.nodes: list[Node] = []
        self.places: list[Frame] = []  # of the nodes in the world
        self.seats: dict[int, Seat] = {}
        self.q: list[float] = []
        self.coordinates: list[str] = []
        self.speeds: list[str] = []
        self.chains: list[tuple[Any, tuple[Step, ...]]] = []

    def carry(self, joint: Any, reached: set[int]) -> None:
        """Add the nodes of a joint one end of which is reached."""
        a, b = _ends(self.system, joint)
        forward = a in reached
        marker_a, marker_b = (self._world(marker) for marker in (joint.a, joint.b))
        steps = joint.steps()
        near = [self.angles.get(getattr(joint, step.name, None)) if step.name else None for step in steps]
        values, rest = _values(steps, marker_a, marker_b, near)
        if forward:
            self._chain(joint, self._node_of(joint.a), b, marker_a, steps, values, 1.0)
            self._seat(b, joint.b)
        else:  # from b back to a: the same motions in the opposite order, the other way
            start = _composed(marker_b, _inverse(rest))
            turned_back = [_conjugate(v) if isinstance(v, tuple) else v for v in reversed(values)]
            self._chain(joint, self._node_of(joint.b), a, start, tuple(reversed(steps)), turned_back, -1.0)
            self._seat(a, joint.a)

    def add_floating(self, number: int) -> None:
        body = self.system.bodies[number - 1]
        steps = FLOATING[self.space.dimensions]
        axes, origin = self.poses[number]
        if steps[0].kind == "free":
            values: tuple[Any, ...] = ((*origin, *_parameters(axes)),)
        else:
            values = (origin[0], origin[1], math.atan2(axes[1, 0], axes[0, 0]))
        self._chain(body, -1, number, (np.eye(3), np.zeros(3)), steps, values, 1.0)

    def touch(self) -> None:
        """Add the places of contact and the modal coordinates."""
        for place, value in zip(self.system.contact_coordinates, self.own, strict=True):
            self.nodes.append(Node(SLIDE, -1, np.eye(3), np.zeros(3), np.zeros(10)))
            self.q.append(float(value))
            self.coordinates.append(place.name)
            self.speeds.append(place.name)

    def _world(self, marker: Any) -> Frame:
        axes, point = self.space.marker_in_space(marker)
        pose = self.poses[self.system.number[id(marker.body)]]
        if not marker.modes:
            return _composed(pose, (axes, point))
        moved = self._deformed(marker)
        return _composed(_composed(pose, moved), (axes, np.zeros(3)))

    def _shapes(self, marker: Any) -> Shapes:
        """The modes of the interface of a marker, in three dimensions."""
        psi, rho = marker.shapes()
        wide, turning = np.zeros((3, marker.modes)), np.zeros((3, marker.modes))
        wide[: len(psi)], turning[3 - len(rho) :] = psi, rho
        return Shapes(self.first_mode[id(marker.body)], self.space.marker_in_space(marker)[1], wide, turning)

    def _deformed(self, marker: Any) -> Frame:
        """Where modes place an interface, in its body."""
        first, point, psi, rho = self._shapes(marker)
        eta = self.own[first : first + marker.modes]
        return Rotation.from_rotvec(rho @ eta).as_matrix(), point + psi @ eta

    def _node_of(self, marker: Any) -> int:
        """The node on which a marker is fixed: that of its body, or one that moves with the modes."""
        number = self.system.number[id(marker.body)]
        seat = self.seats[number]
        if not marker.modes:
            return seat.node
        key = number, marker.interface
        if key not in self.outward:
            self._move_with_modes(marker, seat.node, (seat.axes, seat.origin), 1.0)
            self.places.append(_composed(self.poses[number], self._deformed(marker)))
            self.outward[key] = len(self.nodes) - 1
        return self.outward[key]

    def _seat(self, number: int, marker: Any) -> None:
        """Where a body sits that is carried by this marker; if it moves with modes, so does the body against it."""
        seat, pose = self.seats[number], self.poses[number]
        if marker.modes:
            interface = _composed(pose, self._deformed(marker))
            place = _composed(_inverse(self._node_world(seat.node)), interface)
            self._move_with_modes(marker, seat.node, place, -1.0)
            self.places.append(pose)
            self.seats[number] = Seat(len(self.nodes) - 1, np.eye(3), np.zeros(3))

    def _move_with_modes(self, marker: Any, parent: int, place: Frame, sign: float) -> None:
        axes, origin = place
        shapes = self._shapes(marker)
        self.nodes.append(Node(MODAL, parent, axes.T.copy(), origin, np.zeros(10), sign, shapes=shapes))
        self.chains.append((None, (Step("modes"),)))

    def _node_world(self, node: int) -> Frame:
        return (np.eye(3), np.zeros(3)) if node < 0 else self.places[node]

    def _chain(
        self,
        carrier: Any,
        node: int,
        child: int,
        start: Frame,
        steps: Sequence[Step],
        values: Sequence[Any],
        sign: float,
    ) -> None:
        """Nodes of steps that begin at the frame `start` on a node, in the world; the child sits on the last.

        They are named after their carrier, a joint or a body that floats."""
        name = carrier.name
        self.chains.append((carrier if isinstance(carrier, Constraint) else None, tuple(steps)))
        current = start
        for step, value in zip(steps, values, strict=True):
            free = step.kind == "free"
            kind = FREE if free else KINDS[step.kind]
            turned = (current[0] @ ALONG[step.axis].T, current[1])  # its z axis is the joint's
            axes, origin = _composed(_inverse(self._node_world(node)), turned)
            way = sign * step.sign
            self.nodes.append(Node(kind, node, axes.T.copy(), origin, np.zeros(10), way, step.lead))
            moved = _composed(turned, _moved(kind, value, way, step.lead))
            self.places.append(moved)
            self.q += list(value) if kind in (BALL, FREE) else [value]
            if kind in (BALL, FREE):
                self.coordinates += [f"{name}.{number}" for number in NAMES[kind]]
                self.speeds += [f"{name}.{number}" for number in SPEEDS[kind]]
            else:
                self.coordinates.append(f"{name}.{step.name}")
                self.speeds.append(f"{name}.{step.name}")
            current = (moved[0] @ ALONG[step.axis], moved[1])
            node = len(self.nodes) - 1
        axes, origin = _composed(_inverse(self._node_world(node)), self.poses[child])
        self.seats[child] = Seat(node, axes, origin)

    def with_matter(self) -> list[Node]:
        """The nodes with the matter of the bodies on them."""
        nodes = list(self.nodes)
        for number, seat in self.seats.items():
            if number == 0 or seat.node < 0 or self.system.bodies[number - 1].modal_coordinates:
                continue
            mass, center, inertia = self.space.matter_in_space(self.system.bodies[number - 1])
            c = seat.origin + seat.axes @ center
            tensor = seat.axes @ inertia @ seat.axes.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
            own = [mass, *(mass * c), *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
            node = nodes[seat.node]
            nodes[seat.node] = node._replace(inertia=node.inertia + np.array(own))
        return nodes


def _composed(first: Frame, second: Frame) -> Frame:
    return first[0] @ second[0], first[1] + first[0] @ second[1]


def _inverse(frame: Frame) -> Frame:
    return frame[0].T, -frame[0].T @ frame[1]


def _moved(kind: int, value: Any, sign: float, lead: float) -> Frame:
    """What a joint does at a value of its coordinate, in its own frame."""
    if kind == FREE:
        return _matrix(value[3:]), np.array(value[:3], float)
    if kind == BALL:
        return _matrix(value), np.zeros(3)
    turn, travel = (0.0, sign * value) if kind == SLIDE else (sign * value, lead * sign * value)
    c, s = math.cos(turn), math.sin(turn)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, travel])


def _values(steps: Sequence[Step], a: Frame, b: Frame, near: Sequence[float | None]) -> tuple[tuple[Any, ...], Frame]:
    """Coordinates of a joint that lead from frame a to frame b, and what is left between them, which is constant.

    Angles are on the turn of those that they are `near`.
    """
    axes, d = _composed(_inverse(a), b)
    values: list[Any] = []
    for step in steps:
        k = "xyz".index(step.axis)
        if step.kind == "slide":
            values.append(float(d[k]))
        elif step.kind == "ball":
            values.append(tuple(_parameters(axes)))
        elif (
            step.axis == "z"
        ):  # of the direction that the joint counts by: of b's z axis in a cross, else of its x axis
            crossed = len(steps) == 2 and all(one.kind == "turn" for one in steps)
            followed = axes[:, 2] if crossed else axes[:, 0]
            values.append(math.atan2(followed[1], followed[0]))
        else:  # the second arm of a cross: of a's z axis, about that of b
            values.append(math.atan2(axes[2, 1], axes[2, 0]))
    for k, angle in enumerate(near):
        if angle is not None:
            values[k] += TURNED * round((angle - values[k]) / TURNED)
    moved: Frame = (np.eye(3), np.zeros(3))
    for step, value in zip(steps, values, strict=True):
        turn = (ALONG[step.axis].T, np.zeros(3))
        moved = _composed(
            _composed(_composed(moved, turn), _moved(KINDS[step.kind], value, step.sign, step.lead)), _inverse(turn)
        )
    return tuple(values), _composed(_inverse(moved), (axes, d))


def _conjugate(e: tuple[float, ...]) -> tuple[float, ...]:
    return e[0], -e[1], -e[2], -e[3]


def _parameters(axes: np.ndarray) -> np.ndarray:
    """Euler parameters of a rotation matrix, e0 not negative."""
    trace = float(np.trace(axes))
    squares = np.array([1.0 + trace, *(1.0 + 2.0 * np.diag(axes) - trace)]) / 4.0
    k = int(np.argmax(squares))
    skew = np.array([axes[2, 1] - axes[1, 2], axes[0, 2] - axes[2, 0], axes[1, 0] - axes[0, 1]])
    e = np.empty(4)
    e[k] = math.sqrt(squares[k])
    if k == 0:
        e[1:] = skew / (4.0 * e[0])
    else:
        e[0] = skew[k - 1] / (4.0 * e[k])
        for j in range(3):
            if j != k - 1:
                e[j + 1] = (axes[j, k - 1] + axes[k - 1, j]) / (4.0 * e[k])
    return e if e[0] >= 0.0 else -e


def _matrix(e: Any) -> np.ndarray:
    e0, v = float(e[0]), np.array(e[1:], float)
    skew = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return (e0 * e0 - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * e0 * skew
