"""Tables of a system in joint coordinates: its spanning tree, and the lighter system without what the tree keeps.

Speeds of joints follow from velocities of bodies, joint by joint:

    [ w_b - w_a              ]   [ axis          ]
    [ v_b - v_a - w_a x (b-a)] = [ axis x (b - o)] s  + ...     one column for each coordinate of the joint

It takes as long as there are joints. Velocities that violate joints of the tree are met joint by joint, in the sense of
least squares.

In the lighter system the rows of joints of the tree stay numbered, but are not evaluated.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.model.measure import Measure
from cardan.numerics.compiled.block import block
from cardan.numerics.linalg.rank import ROW_NOISE
from cardan.system.balance import arms_of, column_scale
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.cartesian.softness import mass_matrices, softness
from cardan.system.compile import columns_of, layout_of, rows_of
from cardan.system.system import System
from cardan.system.tree.counting import Counting, counted, counting, joint_angles
from cardan.system.tree.layout import INERTIA_ROUNDING, negligible_inertia
from cardan.system.tree.recursion.batch import (
    bodies_at,
    mass_matrices_of,
    modal_mass_matrices_of,
    moved_by,
    transformation_at,
)
from cardan.system.tree.recursion.kernels import BALL, FREE, SCREW, SLIDE, TURN
from cardan.system.tree.spanning import Spanning, spanning_tree_of
from cardan.system.tree.tree_tables import tree_tables

MAX_JOINT_SPEEDS = 300  # speeds above which velocities of bodies are taken apart joint by joint
MIN_MASS = 1e-9  # of a usual mass: bodies without mass count, but hardly; nothing takes it away again


class JointTables:
    """A system whose spanning tree was found at a position and a time; joints in `cut` are not part of it, those in
    `tree` are. Equations in `kept` stay such, even if they could prescribe the motion of a joint.

    `spanning` is the tree, `joint` the block of tables, `machine` that of the bodies in it, and `measures` are the
    numbers in the whole system of the measures that are evaluated.
    """

    def __init__(
        self,
        system: System,
        q: np.ndarray,
        reference: np.ndarray,
        time: float,
        events: Sequence[Law] = (),
        cut: Collection[Constraint] = (),
        kept: Collection[int] = (),
        tree: Collection[Constraint] = (),
    ) -> None:
        _check_internal(system)
        self.system, self.start, self.reference = system, q.copy(), reference.copy()
        self._stated = (time, tuple(events), tuple(cut), tuple(kept), tuple(tree))
        loose = (system.elements[system.owner[r]] for r in system.misfits)  # a tree joint cannot absorb a misfit
        apart = (*cut, *(element for element in loose if element not in tree))
        self.spanning = spanning_tree_of(system, q, apart, tuple(tree), joint_angles(system, q, reference))
        self.counting = counting(system, self.spanning.chains, self.spanning.q, reference)
        carried = {id(element) for element in self.spanning.carried}
        idle = {r for r, k in enumerate(system.owner) if id(system.elements[k]) in carried} | set(system.misfits)
        self.lighter, self.measures = lighter(system, idle, events, self.counting.measure.tolist())
        self.added = system.speeds()  # masses that `soften` has added, by the coordinates of bodies
        self.rows = np.array([r for r in range(system.row_count) if r not in idle], int)  # that are evaluated
        self.seat()
        self.machine: Any = mechanism_tables(self.lighter, events, scale=column_scale(system, q, time))
        self.machine.reference[:] = reference[self.measures]
        self.machine.turns[:] = self.machine.reference[self.machine.winding]
        here = self._evaluated(self.counting)
        self.joint: Any = tree_tables(self.lighter, self.machine, self.spanning, q, here, kept)
        self._add_rotors()

    def __reduce__(self) -> Any:
        """A copy, also one in another process, makes its own tables: they hold addresses."""
        return JointTables, (self.system, self.start, self.reference, *self._stated)

    def _add_rotors(self) -> None:
        """The inertia of rotors along the speeds of joints of the tree."""
        place: dict[Any, int] = {}
        names = self.spanning.speeds
        for joint, steps in self.spanning.chains:
            for step in steps if joint is not None else ():
                measure = getattr(joint, step.name, None) if step.name else None
                if isinstance(measure, Measure):
                    place[measure] = names.index(f"{joint.name}.{step.name}")
        for rotor in self.system.added:
            if rotor.measure not in place:
                raise ModelError(
                    f"{rotor.element.title} acts along {rotor.measure} of a joint that is not part of the tree; leave "
                    "this joint out of cut=, or use coordinates='cartesian'",
                    elements=(rotor.element.name,),
                )
            self.joint.tree.armature[place[rotor.measure]] += rotor.inertia

    def for_thread(self) -> JointTables:
        """The same with arrays of its own, also those that the tables of the system fill; elements are shared."""
        return JointTables(copy.copy(self.system), self.start, self.reference, *self._stated)

    def seat(self) -> None:
        """Let markers sit and rows hold as in the whole system, where an event may have changed them."""
        mine, whole = self.lighter.geometry, self.system.geometry
        placed = [k for k, measure in enumerate(self.lighter.measures) if measure.kind != "modal"]
        ends = whole.ends[self.measures[placed], :2]  # markers a and b of each measure
        mine.local[mine.ends[placed, :2]] = whole.local[ends]
        self.lighter.rows.offset[self.rows] = self.system.rows.offset[self.rows]

    def _evaluated(self, table: Counting) -> Counting:
        """The angles that are counted and evaluated, by their numbers in the lighter system."""
        place = {int(k): n for n, k in enumerate(self.measures)}
        chosen = [n for n, k in enumerate(table.measure.tolist()) if k in place]
        parts = [slice(int(table.start[n]), int(table.start[n + 1])) for n in chosen]
        return Counting(
            np.array([place[int(table.measure[n])] for n in chosen], np.uint32),
            np.cumsum([0, *(part.stop - part.start for part in parts)]).astype(np.uint32),
            np.concatenate([table.place[part] for part in parts] or [table.place[:0]]),
            np.concatenate([table.sign[part] for part in parts] or [table.sign[:0]]),
            table.constant[chosen],
        )

    def turns(self, q: np.ndarray, followed: np.ndarray) -> np.ndarray:
        """The angles of the whole system at lines of joint coordinates, with those that were followed on the way."""
        found = np.tile(self.reference, (q.shape[0], 1))
        found[:, self.measures[self.lighter.winding]] = followed
        found[:, self.counting.measure] = counted(self.counting, q)
        return np.ascontiguousarray(found[:, self.system.winding])

    def reference_at(self, q: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
        """Values near which the angles of the whole system are at joint coordinates q; others stay as before."""
        found: np.ndarray = (self.reference if before is None else before).copy()
        found[self.counting.measure] = counted(self.counting, q[None])[0]
        return found

    def bodies(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations of all bodies, one line for each state."""
        count, size = q.shape[0], self.system.speeds().size
        self.machine.place[:] = self.start  # from which the signs of Euler parameters are followed
        found = np.zeros((count, self.system.start.size)), np.zeros((count, size)), np.zeros((count, size))
        bodies_at(self.joint, *(np.ascontiguousarray(part) for part in (q, v, a)), *found)
        return found

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q after a displacement, numbered as the speeds."""
        there = q.copy()
        moved_by(self.joint, there, step)
        return there

    def speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The speeds of the joints that come nearest to velocities of bodies, in the metric of the masses."""
        width, bodies, own = self.system.width, len(self.system.bodies), len(self.system.contact_coordinates)
        flexible = bool(self.joint.modes.body.size)
        if len(self.spanning.speeds) > MAX_JOINT_SPEEDS and not flexible:
            return np.concatenate([self._joint_by_joint(q, v), v[v.size - own :]])
        whole = self.transformation(q)[: width * bodies]
        B, modes = whole[:, : whole.shape[1] - own], whole[:, whole.shape[1] - own :]
        mass = mass_matrices(self.system, self.machine.mass)
        softly = mass + MIN_MASS * np.trace(mass, axis1=1, axis2=2).max(initial=1e-300) * np.eye(self.system.width)
        weights = np.linalg.cholesky(softly).transpose(0, 2, 1)
        weighted = np.einsum("kij,kjn->kin", weights, B.reshape(bodies, width, -1)).reshape(B.shape)
        of_bodies = (v[width : width * (1 + bodies)] - modes @ v[v.size - own :]).reshape(bodies, width)
        right = np.einsum("kij,kj->ki", weights, of_bodies).ravel()
        return np.concatenate([np.linalg.lstsq(weighted, right, rcond=ROW_NOISE)[0], v[v.size - own :]])

    def _joint_by_joint(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The same for velocities that all joints of the tree allow, without a matrix."""
        system, count = self.system, len(self.spanning.speeds)
        still = np.zeros((1, count))
        place = self.bodies(q[None], still, still)[0][0]  # nodes are placed with it
        stored, width, twists = system.space.stored, system.width, {}
        for number in range(1, 1 + len(system.bodies)):
            axes, origin = system.space.in_space(place[stored * number : stored * (number + 1)])
            twist = v[width * number : width * (number + 1)]
            turning = axes @ twist[3:] if width == 6 else np.array([0.0, 0.0, twist[2]])
            straight = twist[:3] if width == 6 else np.array([*twist[:2], 0.0])
            twists[number] = turning, straight, origin
        return joint_speeds(self.spanning, self.joint.tree, twists, count - len(system.contact_coordinates))

    def transformation(self, q: np.ndarray) -> np.ndarray:
        """B(q): speeds of all bodies and places of contact from those of the tree."""
        B = np.zeros((self.system.coordinates, len(self.spanning.speeds)))
        transformation_at(self.joint, q, B)
        own = len(self.system.contact_coordinates)
        B[B.shape[0] - own :, B.shape[1] - own :] = np.eye(own)  # bodies move with modal coordinates, too
        return B

    def masses(self, q: np.ndarray) -> np.ndarray:
        """The mass matrix of the joints that are not prescribed."""
        unknown = np.sort(self.joint.order.astype(int))
        found: np.ndarray = self.mass_matrices(q[None])[0][np.ix_(unknown, unknown)]
        return found

    def mass_matrices(self, q: np.ndarray) -> np.ndarray:
        """The mass matrix of all joints for each line of positions."""
        count, lines = len(self.spanning.speeds), np.ascontiguousarray(q)
        mass = np.zeros((q.shape[0], count, count))
        if self.joint.modes.body.size:
            modal_mass_matrices_of(self.joint, lines, mass)
        else:
            mass_matrices_of(self.joint.tree, lines, mass)
        return mass

    def row_sizes(self, rows: np.ndarray, work: Any = None) -> np.ndarray:
        """Lengths of rows before their terms cancel along the tree: of the whole system as evaluated last in `work`, or
        as the tables were evaluated last."""
        lighter, whole = (self.lighter, self.machine.work), (self.system, work)
        system, here = lighter if work is None else whole
        of, columns, values, shape = system.jacobian(here)
        total = np.bincount(of, (values * self.machine.column_scale[self.system.width + columns]) ** 2, shape[0])
        return np.asarray(np.sqrt(total)[rows])

    def soften(self) -> np.ndarray | None:
        """Let bodies without mass weigh a little, if the tree's joints need it. Returns inertias as stated, or None.

        What equations hold does not depend on it; what they do not hold must be rejected.
        """
        tree, width, bodies = self.joint.tree, self.system.width, len(self.system.bodies)
        soft, _ = softness(self.system, mass_matrices(self.system, self.machine.mass))
        light = 1 + np.flatnonzero(soft[: width * bodies].reshape(bodies, width).any(axis=1))
        if not light.size or not _singular(self.masses(self.spanning.q)):
            return None
        stated = tree.inertia.copy()
        heavy = stated[:, 0][stated[:, 0] > 0.0]
        little = MIN_MASS * float(np.exp(np.mean(np.log(heavy)))) if heavy.size else MIN_MASS
        arms = arms_of(self.system)
        for number in light.tolist():
            seat, length = self.spanning.seats[number], arms[number - 1] or self.system.length
            if seat.node >= 0:
                self._add(seat, little, length)
                angular = np.array(self.system.space.angular)
                self.added[width * number : width * (number + 1)] = np.where(angular, little * length**2, little)
        tree.nothing[:] = negligible_inertia(tree.kind.tolist(), tree.parent.tolist(), tree.inertia)
        return stated

    def _add(self, seat: Any, mass: float, length: float) -> None:
        """Add to a node a body as heavy, and as far spread."""
        c = seat.origin
        tensor = (length**2 + c @ c) * np.eye(3) - np.outer(c, c)
        own = [1.0, *c, *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        self.joint.tree.inertia[seat.node] += mass * np.array(own)

    def weigh_evenly(self) -> None:
        """Give all bodies the same mass and inertia: where drivers prescribe all of a motion, masses do not matter."""
        tree = self.joint.tree
        tree.inertia[:] = 0.0
        for number, seat in self.spanning.seats.items():
            if number and seat.node >= 0:
                self._add(seat, 1.0, self.system.length)
        tree.nothing[:] = negligible_inertia(tree.kind.tolist(), tree.parent.tolist(), tree.inertia)


def _check_internal(system: System) -> None:
    """Reject places of contact beside flexible bodies: they are eliminated as if they were the last coordinates."""
    flexible = [body for body in system.bodies if body.modal_coordinates]
    contacts = [element for element in system.elements if element.contact_coordinates()]
    if flexible and contacts:
        raise ModelError(
            f"{contacts[0].title} has coordinates of its own and {flexible[0].title} is flexible: joint coordinates do "
            "not support both in one model; use coordinates='cartesian'",
            elements=(contacts[0].name, flexible[0].name),
        )


def _singular(mass: np.ndarray) -> bool:
    """Whether a mass matrix is singular, whatever the units of its coordinates."""
    size = np.sqrt(np.diag(mass))
    return bool(size.size) and (
        not np.all(size > 0.0) or np.linalg.eigvalsh(mass / np.outer(size, size))[0] <= INERTIA_ROUNDING
    )


def joint_speeds(
    spanning: Spanning, tree: Any, twists: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]], count: int
) -> np.ndarray:
    """`count` speeds, where nodes were placed; `twists` are angular velocity, velocity and origin of each body, in the
    world."""
    still = np.zeros(3), np.zeros(3), np.zeros(3)
    on_node = {seat.node: twists.get(number, still) for number, seat in spanning.seats.items()}
    on_node[-1] = still
    found = np.zeros(count)
    last = 0
    for _, steps in spanning.chains:
        nodes = range(last, last + len(steps))
        last += len(steps)
        if not steps:
            continue
        w_a, v_a, a = on_node[int(tree.parent[nodes[0]])]
        w_b, v_b, b = on_node[nodes[-1]]
        columns = np.hstack([_columns(tree, k, b) for k in nodes])
        right = np.concatenate([w_b - w_a, v_b - v_a - np.cross(w_a, b - a)])
        first = int(tree.first_v[nodes[0]])
        found[first : first + columns.shape[1]] = np.linalg.lstsq(columns, right, rcond=ROW_NOISE)[0]
    return found


def _columns(tree: Any, k: int, point: np.ndarray) -> np.ndarray:
    """Angular velocity, and velocity of a point, for each speed of a node."""
    kind, sign, world = int(tree.kind[k]), float(tree.sign[k]), tree.world[k]
    axes, arm = world[:9].reshape(3, 3), point - world[9:]
    z = axes[:, 2]
    if kind == SLIDE:
        return np.asarray(sign * np.concatenate([np.zeros(3), z])[:, None])
    if kind in (TURN, SCREW):
        return np.asarray(sign * np.concatenate([z, np.cross(z, arm) + tree.lead[k] * z])[:, None])
    turning = np.vstack([axes, np.cross(axes.T, arm).T])
    if kind == BALL:
        return turning
    assert kind == FREE
    straight = np.vstack([np.zeros((3, 3)), tree.place[k, :9].reshape(3, 3).T])
    return np.hstack([straight, turning])


def lighter(
    system: System, idle: Collection[int], watched: Sequence[Law] = (), counted: Collection[int] = ()
) -> tuple[System, np.ndarray]:
    """The system whose rows in `idle` are empty, and which measures of the system are still its own: those of other
    rows, of forces and devices, and of further laws that are `watched`.

    Measures whose turns must be remembered stay, too; those of angles that are `counted` otherwise need not be.
    """
    equations = tuple(replace(e, terms=()) if r in idle else e for r, e in enumerate(system.equations))
    wanted = {m for e in equations for _, m in e.terms} | {
        m for law in (*system.laws, *watched) for m in law.measures()
    }
    wanted |= {m for reader in system.readers for signal in reader.inputs for m in signal.measures()}
    wanted |= {system.measures[k] for k in set(system.winding.tolist()) - set(counted)}
    kept = np.array([k for k, m in enumerate(system.measures) if m in wanted], int)
    measures = tuple(system.measures[k] for k in kept)
    base = system.width * (1 + len(system.bodies))
    columns = columns_of(system.space, system.number, measures, system.contact_coordinates, base)
    offsets = system.rows.offset.copy()
    offsets[list(idle)] = 0.0
    rows = rows_of(equations, measures, system.rows.scale.tolist())._replace(offset=offsets)
    no_masses = np.zeros((0, 3), int)  # they are in the tree
    solver, _ = layout_of(system.width, system.structure[0], rows, columns, system.elements, system.owner, no_masses)
    found = replace(
        system,
        added=(),  # rotors are in the tree, too
        measures=measures,
        geometry=system.space.geometry(system.number, measures, system.contact_coordinates, base),
        rows=block(rows),
        solver=block(solver),
        reference=system.reference[kept],
        columns=columns,
    )
    return found, kept
