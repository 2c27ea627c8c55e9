"""A mechanism in joint coordinates as integrators see it: the tree, where bodies sit on it, and their tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from cardan.model.measure import Measure
from cardan.numerics.compiled.block import allocated, zeros
from cardan.numerics.compiled.record import Record
from cardan.system.system import System
from cardan.system.tree.contact_coordinates import own_table
from cardan.system.tree.counting import Counting
from cardan.system.tree.layout import tree_table
from cardan.system.tree.recursion.kernels import BALL, FREE, SLIDE, TURN
from cardan.system.tree.recursion.masses import GROUND
from cardan.system.tree.recursion.modal import MODAL
from cardan.system.tree.recursion.modal_bodies import modal_bodies
from cardan.system.tree.spanning import Spanning

DEEP = 200  # entries of the factors per speed: above, articulated bodies are cheaper


class TreeSizes(Record):
    """How many numbers there are of what."""

    positions: int  # joint coordinates
    speeds: int
    body_speeds: int  # of one body in Cartesian coordinates
    body_numbers: int
    internal: int  # places of contact and modal coordinates, which come last
    shallow: int  # whether the branches are short and M is factorized by them


class TreeTables(NamedTuple):
    """All that `cardan.system.tree.motion` needs."""

    cartesian: Any  # in Cartesian coordinates: measures, rows, forces, events, settings and counts
    tree: Any
    sizes: Any
    body: np.ndarray  # uint32[n]: number of each body that sits on a node,
    node: np.ndarray  # uint32[n]: the node,
    seat: np.ndarray  # float64[n, 12]: axes as columns, row by row, and origin in the node's frame,
    turn: np.ndarray  # float64[n]: and its angle less those of the joints on the way from ground, in the plane
    prescribed: np.ndarray  # uint8[nv]: speeds of joints that move as they are prescribed, and of places of contact
    prescribed_row: np.ndarray  # int64[k]: the equations that prescribe,
    prescribed_node: np.ndarray  # int64[k]: these joints,
    prescribed_share: np.ndarray  # float64[k]: coefficients in these equations,
    counting: Any  # angles that the coordinates count,
    followed: np.ndarray  # uint32: and those whose turns must be remembered
    row: np.ndarray  # uint32[m]: equations of what is cut
    velocity: np.ndarray  # uint8[m]: those on velocities
    touch_start: np.ndarray  # uint32[m + 1]: bodies on which they act,
    touch: np.ndarray  # uint32: by place in `body`,
    entry_start: np.ndarray  # uint32: and the non-zeros of each body,
    entry: np.ndarray  # uint32: by place in the table of the solver
    dropped: np.ndarray  # uint8[m]: equations that depend on others, or are released
    modes: Any  # flexible bodies
    own: Any  # places of contact, and the rows without them
    order: np.ndarray  # uint32: speeds that are not prescribed, leaves first
    unknown: np.ndarray  # uint32: the same, and those of places of contact
    above: np.ndarray  # uint32[nv]: the next of them on the way to ground, or GROUND
    node_of: np.ndarray  # int64[nv]
    column_scale: np.ndarray  # float64[nv]: what one unit of a speed counts as where ranks are decided
    felt_start: np.ndarray  # uint32: rows, by number among those of what is cut,
    felt: np.ndarray  # uint32: that feel each of the unknown speeds, in their order
    L: np.ndarray  # float64[nv, nv]: factors of M, if the tree is shallow,
    Phi: np.ndarray  # float64[m, nv]
    size: np.ndarray  # float64[nv]: what one unit of a speed counts as, relative to the model's length
    prescribed_value: np.ndarray = zeros("prescribed", 3)  # value, rate and second rate as of now
    whole: np.ndarray = zeros("m")  # squared lengths of the rows before their terms cancel
    before: np.ndarray = zeros("m", dtype=np.uint8)  # rows that were dropped so far
    G: np.ndarray = zeros("m", "m")  # Phi Phi^T, in these units, and its factors
    D: np.ndarray = zeros("nv")
    Y: np.ndarray = zeros("nv", "m")  # L^-T Phi^T
    W: np.ndarray = zeros("m", "m")  # factors of Phi M^-1 Phi^T
    right: np.ndarray = zeros("m")
    step: np.ndarray = zeros("nv")
    load: np.ndarray = zeros("nv")
    answer: np.ndarray = zeros("nv")
    rates: np.ndarray = zeros("nq")
    v: np.ndarray = zeros("bodies")  # speeds of all bodies,
    a: np.ndarray = zeros("bodies")  # their accelerations,
    push: np.ndarray = zeros("bodies")  # and forces on them
    six: np.ndarray = zeros(6)


def tree_tables(
    system: System,
    cartesian: Any,
    spanning: Spanning,
    start: np.ndarray,
    counting: Counting,
    kept: Collection[int] = (),
) -> Any:
    """The block of a system whose spanning tree was found at a position; equations in `kept` stay such."""
    gravity = np.zeros(3)
    gravity[: system.space.dimensions] = system.model.gravity
    internal = len(system.contact_coordinates)
    tree = tree_table(spanning.nodes, gravity.tolist(), internal)
    nq, nv = len(spanning.coordinates), len(spanning.speeds)
    seats = [(number, seat) for number, seat in spanning.seats.items() if number and seat.node >= 0]
    prescribed = _prescribed(system, spanning, kept)
    cut, tells = {id(element) for element in spanning.cut}, {row for row, _, _ in prescribed}
    rows = [r for r, k in enumerate(system.owner) if id(system.elements[k]) in cut and r not in tells]
    tree.held[[node for _, node, _ in prescribed]] = 1
    modes = modal_bodies(system, tree, seats)
    m, size = len(rows), system.speeds().size
    own = 0 if modes.body.size else internal  # places of contact
    tree.held[tree.held.size - own :] = 1
    shape = _shape(tree, modes)
    Phi, dropped = np.zeros((m, nv)), np.zeros(m, np.uint8)
    deep = modes.body.size == 0 and _entries(tree, shape) > DEEP * max(nv, 1)
    cartesian.place[:] = start
    return allocated(
        TreeTables,
        {"prescribed": len(prescribed), "m": m, "nv": nv, "nq": nq, "bodies": size},
        cartesian=cartesian,
        tree=tree,
        sizes=TreeSizes(
            positions=nq,
            speeds=nv,
            body_speeds=system.width,
            body_numbers=system.space.stored,
            internal=internal,
            shallow=not deep,
        ),
        body=np.array([number for number, _ in seats], np.uint32),
        node=np.array([seat.node for _, seat in seats], np.uint32),
        seat=np.array([[*seat.axes.ravel(), *seat.origin] for _, seat in seats], float).reshape(-1, 12),
        turn=_turns(system, spanning, tree, start, seats),
        prescribed=shape.prescribed,
        prescribed_row=np.array([row for row, _, _ in prescribed], np.int64),
        prescribed_node=np.array([node for _, node, _ in prescribed], np.int64),
        prescribed_share=np.array([share for _, _, share in prescribed], float),
        counting=counting,
        followed=np.setdiff1d(system.winding, counting.measure).astype(np.uint32),
        row=np.array(rows, np.uint32),
        velocity=system.rows.velocity[rows].astype(np.uint8) if m else np.zeros(0, np.uint8),
        **_touches(system, seats, rows, shape, own),
        dropped=dropped,
        modes=modes,
        own=own_table(system, rows, Phi, dropped, own),
        order=shape.order.astype(np.uint32),
        unknown=np.concatenate([shape.order, range(nv - own, nv)]).astype(np.uint32),
        above=np.where(shape.above < 0, GROUND, shape.above).astype(np.uint32),
        node_of=shape.node_of,
        column_scale=_column_scale(system, spanning, tree, cartesian),
        L=np.zeros((0, 0) if deep else (nv, nv)),
        Phi=Phi,
        size=_sizes(system, spanning, cartesian),
    )


class _Shape(NamedTuple):
    """Which speeds lie on the way of which to ground."""

    above: np.ndarray
    node_of: np.ndarray
    prescribed: np.ndarray
    last: np.ndarray  # int64[n]: the last free speed of each node, its own or one on its way to ground
    order: np.ndarray  # int64: speeds that are not prescribed, leaves first

    def way(self, speed: int) -> list[int]:
        """From a speed on, leaves first."""
        found = []
        while speed >= 0:
            found.append(speed)
            speed = int(self.above[speed])
        return found


def _shape(tree: Any, modes: Any) -> _Shape:
    """The modes of a flexible body follow the speeds of its node, or precede it where a joint carries an interface."""
    count, nodes = int(tree.count_v.sum()), tree.kind.size
    above, node_of, last_of = (np.full(size, -1, np.int64) for size in (count, count, nodes))
    prescribed = np.zeros(count, np.uint8)
    behind: dict[int, int] = {}  # the last of the modes of a body, by the first
    seats = {int(node): k for k, node in enumerate(modes.node)}
    for k in range(nodes - modes.count.sum()):
        last = int(last_of[tree.parent[k]]) if tree.parent[k] >= 0 else -1
        for speed in range(int(tree.first_v[k]), int(tree.first_v[k] + tree.count_v[k])):
            above[speed], node_of[speed], prescribed[speed] = last, k, tree.held[k]
            last = last if tree.held[k] else speed
        if tree.kind[k] == MODAL and tree.sign[k] > 0.0:
            last = behind[int(tree.modal[k, 1])]
        last_of[k] = last
        if k in seats:
            first, n = int(modes.first[seats[k]]), int(modes.count[seats[k]])
            above[first : first + n] = [last, *range(first, first + n - 1)]
            behind[first] = first + n - 1
            if tree.kind[k] == MODAL:
                last_of[k] = behind[first]
    for k in range(nodes - modes.count.sum(), nodes):
        node_of[int(tree.first_v[k])] = k
    return _Shape(above, node_of, prescribed, last_of, _leaves_first(above, prescribed, modes.count.any()))


def _leaves_first(above: np.ndarray, prescribed: np.ndarray, mixed: bool) -> np.ndarray:
    """Speeds that are not prescribed; those on the way to ground usually have smaller numbers."""
    free = np.flatnonzero(prescribed == 0)[::-1]
    if not mixed:
        return free
    depth = np.zeros(above.size, int)
    for speed in free.tolist():
        at = speed
        while at >= 0:
            depth[speed] += 1
            at = int(above[at])
    found: np.ndarray = free[np.argsort(-depth[free], kind="stable")]
    return found


def _prescribed(system: System, spanning: Spanning, kept: Collection[int]) -> list[tuple[int, int, float]]:
    """Equations that say how the coordinate of one joint moves, with its node and its coefficient there."""
    carries: dict[Measure, int] = {}
    node = 0
    for joint, steps in spanning.chains:
        for step in steps:
            measure = getattr(joint, step.name, None) if joint is not None and step.name else None
            if isinstance(measure, Measure):
                carries[measure] = node
            node += 1
    found: list[tuple[int, int, float]] = []
    carried, prescribed = {id(joint) for joint in spanning.carried}, set()
    for row, equation in enumerate(system.equations):
        element = system.elements[system.owner[row]]
        if row in kept or equation.function is not None or equation.velocity or len(equation.terms) != 1:
            continue
        ((share, measure),) = equation.terms
        if id(element) in carried or measure not in carries:
            continue
        if element.switched or equation.floating or carries[measure] in prescribed:
            continue
        prescribed.add(carries[measure])
        found.append((row, carries[measure], share))
    return found


def _touches(system: System, seats: list[Any], rows: list[int], shape: _Shape, contacts: int) -> dict[str, np.ndarray]:
    """Of each row the bodies on which it acts and the non-zeros there, and of each unknown speed the rows that feel it.

    Rows that share places of contact all feel what one of them does: one is taken from another."""
    place = {number: k for k, (number, _) in enumerate(seats)}
    starts, touches, entry_starts, entries = [0], [], [0], []
    felt: dict[int, list[int]] = {speed: [] for speed in shape.order.tolist()}
    ways: list[set[int]] = []
    first = shape.prescribed.size - len(system.contact_coordinates)
    for row in rows:
        own = np.flatnonzero(system.solver.row == row)
        bodies = system.solver.column[own].astype(int) // system.width
        way: set[int] = set()
        for body in sorted(set(bodies.tolist()) & set(place)):
            touches.append(place[body])
            entries += own[bodies == body].tolist()
            entry_starts.append(len(entries))
            way.update(shape.way(int(shape.last[seats[place[body]][1].node])))
        starts.append(len(touches))
        for k in _places(system, row) if not contacts else ():  # modes
            way.update(shape.way(first + k))
        ways.append(way)
    places = [_places(system, row) if contacts else set() for row in rows]
    for group in _linked(places):
        together = set().union(*(ways[number] for number in group))
        for number in group:
            ways[number] = together
    for number, way in enumerate(ways):
        for speed in way:
            felt[speed].append(number)
    for k in range(contacts):
        felt[first + k] = [number for number, found in enumerate(places) if k in found]
    tables = {
        "touch_start": starts,
        "touch": touches,
        "entry_start": entry_starts,
        "entry": entries,
        "felt_start": np.concatenate([[0], np.cumsum([len(rows) for rows in felt.values()])]),
        "felt": [row for rows in felt.values() for row in rows],
    }
    return {name: np.array(numbers, np.uint32) for name, numbers in tables.items()}


def _places(system: System, row: int) -> set[int]:
    """The internal coordinates that a row depends on."""
    if not system.contact_coordinates:
        return set()
    column = system.solver.column[system.solver.row == row].astype(int) - system.width * (1 + len(system.bodies))
    return set(column[column >= 0].tolist())


def _linked(places: list[set[int]]) -> list[list[int]]:
    """Rows in groups that share places of contact, if only by way of others."""
    groups: list[tuple[set[int], list[int]]] = []
    for number, own in enumerate(places):
        if own:
            joined = [group for group in groups if group[0] & own]
            groups = [group for group in groups if not group[0] & own]
            members = sorted([number, *(n for _, group in joined for n in group)])
            groups.append((own.union(*(found for found, _ in joined)), members))
    return [members for _, members in groups]


def _turns(system: System, spanning: Spanning, tree: Any, start: np.ndarray, seats: list[Any]) -> np.ndarray:
    """The stated angles of planar bodies, less what the joints on the way to them have turned."""
    turned = np.where(tree.kind == TURN, tree.sign * spanning.q[tree.first_q], 0.0)
    for k, parent in enumerate(tree.parent.tolist()):
        turned[k] += turned[parent] if parent >= 0 else 0.0
    stored = system.space.stored
    return np.array([start[stored * (number + 1) - 1] - turned[seat.node] for number, seat in seats], float)


def _entries(tree: Any, shape: _Shape) -> int:
    """How many numbers the factors of M have, roughly: the ways of all nodes to ground, added up."""
    length = np.zeros(shape.above.size, np.int64)
    for speed, above in enumerate(shape.above.tolist()):  # which comes before it
        length[speed] = 1 + (length[above] if above >= 0 else 0)
    return int(length[tree.first_v].sum())


def _sizes(system: System, spanning: Spanning, cartesian: Any) -> np.ndarray:
    """1 for speeds that are angular, 1 / length for those that are not; for places of contact as for bodies."""
    straight = ("travel", "x", "y", "z", "vx", "vy", "vz")
    size = np.array([1.0 / system.length if name.rsplit(".", 1)[-1] in straight else 1.0 for name in spanning.speeds])
    size[size.size - len(system.contact_coordinates) :] = cartesian.size[
        cartesian.size.size - len(system.contact_coordinates) :
    ]
    return size


def _column_scale(system: System, spanning: Spanning, tree: Any, cartesian: Any) -> np.ndarray:
    """What one unit of each speed counts as where ranks are decided: as much as for the first body that it moves."""
    count, width, own = tree.kind.size, system.width, len(system.contact_coordinates)
    straight = int(np.argmax(~np.array(system.space.angular)))
    turning = int(np.argmax(system.space.angular))
    found = np.zeros((count, 2))  # of displacements and rotations, node by node
    for number, seat in spanning.seats.items():
        if number and seat.node >= 0:
            here = cartesian.column_scale[[width * number + straight, width * number + turning]]
            found[seat.node] = np.maximum(found[seat.node], here)
    for k in range(count - 1, -1, -1):
        if tree.parent[k] >= 0 and not found[tree.parent[k]].any():
            found[tree.parent[k]] = found[k]
    found[~found.any(axis=1)] = 1.0 / system.length, 1.0
    scale = np.zeros(len(spanning.speeds))
    for k in range(count):
        if tree.kind[k] == MODAL:
            continue
        parts = {SLIDE: (0,), BALL: (1, 1, 1), FREE: (0, 0, 0, 1, 1, 1)}.get(int(tree.kind[k]), (1,))
        scale[int(tree.first_v[k]) : int(tree.first_v[k]) + len(parts)] = found[k, list(parts)]
    scale[scale.size - own :] = cartesian.column_scale[cartesian.column_scale.size - own :]
    return scale
