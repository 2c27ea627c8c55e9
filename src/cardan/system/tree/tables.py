"""Tables of a system in joint coordinates: its spanning tree, and the lighter system without what the tree keeps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.system.lighter import lighter
from cardan.system.machine import machine, mass_matrices
from cardan.system.system import System
from cardan.system.tree.batch import bodies_at, mass_matrices_of, moved_by, transformation_at
from cardan.system.tree.counting import Counting, counted, counting, joint_angles
from cardan.system.tree.layout import NOTHING
from cardan.system.tree.machine import joint_machine
from cardan.system.tree.spanning import spanning_tree_of

SOFT = 1e-9  # of the largest mass: bodies without mass count, but hardly


class JointTables:
    """A system whose spanning tree was found at a position and a time; joints in `cut` are not part of it, those in
    `tree` are. Equations in `kept` stay such, though they might tell a joint where to be.

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
        self.system, self.start, self.reference = system, q.copy(), reference.copy()
        self._stated = (time, tuple(events), tuple(cut), tuple(kept), tuple(tree))
        loose = (system.elements[system.owner[r]] for r in system.misfits)  # a tree would keep what is left out
        apart = (*cut, *(element for element in loose if element not in tree))
        self.spanning = spanning_tree_of(system, q, apart, tuple(tree), joint_angles(system, q, reference))
        self.counting = counting(system, self.spanning.chains, self.spanning.q, reference)
        carried = {id(element) for element in self.spanning.carried}
        idle = {r for r, k in enumerate(system.owner) if id(system.elements[k]) in carried} | set(system.misfits)
        self.lighter, self.measures = lighter(system, idle, events, self.counting.measure.tolist())
        self.rows = np.array([r for r in range(system.row_count) if r not in idle], int)  # that are evaluated
        self.seat()
        self.machine: Any = machine(self.lighter, events)
        self.machine.reference[:] = reference[self.measures]
        self.machine.turns[:] = self.machine.reference[self.machine.winding]
        here = self._evaluated(self.counting)
        self.joint: Any = joint_machine(self.lighter, self.machine, self.spanning, q, here, kept)

    def __reduce__(self) -> Any:
        """A copy, also one in another process, makes its own tables: they hold addresses."""
        return JointTables, (self.system, self.start, self.reference, *self._stated)

    def seat(self) -> None:
        """Let markers sit and rows hold as in the whole system, where an event may have changed them."""
        mine, whole = self.lighter.geometry, self.system.geometry
        ends = whole.ends[self.measures, :2]  # markers a and b of each measure
        mine.local[mine.ends[:, :2]] = whole.local[ends]
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
        width, bodies, own = self.system.width, len(self.system.bodies), len(self.system.own)
        B = self.transformation(q)[: width * bodies, : len(self.spanning.speeds) - own]
        mass = mass_matrices(self.system, self.machine.mass)
        softly = mass + SOFT * np.trace(mass, axis1=1, axis2=2).max(initial=1e-300) * np.eye(self.system.width)
        weights = np.linalg.cholesky(softly).transpose(0, 2, 1)
        weighted = np.einsum("kij,kjn->kin", weights, B.reshape(bodies, width, -1)).reshape(B.shape)
        of_bodies = v[width : width * (1 + bodies)].reshape(bodies, width)
        right = np.einsum("kij,kj->ki", weights, of_bodies).ravel()
        return np.concatenate([np.linalg.lstsq(weighted, right, rcond=None)[0], v[v.size - own :]])

    def transformation(self, q: np.ndarray) -> np.ndarray:
        """B(q): speeds of all bodies and places of contact from those of the tree."""
        B = np.zeros((self.system.coordinates, len(self.spanning.speeds)))
        transformation_at(self.joint, q, B)
        own = len(self.system.own)
        B[B.shape[0] - own :, B.shape[1] - own :] = np.eye(own)
        return B

    def masses(self, q: np.ndarray) -> np.ndarray:
        """The mass matrix of the joints that are not told how to move."""
        mass = np.zeros((1, len(self.spanning.speeds), len(self.spanning.speeds)))
        mass_matrices_of(self.joint.tree, np.ascontiguousarray(q[None]), mass)
        unknown = np.sort(self.joint.order.astype(int))
        found: np.ndarray = mass[0][np.ix_(unknown, unknown)]
        return found

    def soften(self) -> np.ndarray | None:
        """Let bodies without mass weigh a little, if the tree's joints need it. Returns inertias as stated, or None.

        What equations hold does not depend on it; what they do not hold must be refused.
        """
        full = mass_matrices(self.system, self.machine.mass)
        light = [k for k, block in enumerate(full, 1) if np.linalg.eigvalsh(block)[0] <= 0.0]
        tree, spread = self.joint.tree, np.linalg.eigvalsh(self.masses(self.spanning.q)) if light else np.ones(1)
        if not spread.size or spread[0] > NOTHING * spread[-1]:
            return None
        stated = tree.inertia.copy()
        little = SOFT * (float(np.abs(stated).max()) or 1.0)
        for number in light:
            seat = self.spanning.seats[number]
            if seat.node >= 0:
                self._add(seat, little)
        tree.nothing[:] = NOTHING * little
        return stated

    def _add(self, seat: Any, mass: float) -> None:
        """Add to a node a body as heavy, and as far spread as the model."""
        c = seat.origin
        tensor = (self.system.length**2 + c @ c) * np.eye(3) - np.outer(c, c)
        own = [1.0, *c, *np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        self.joint.tree.inertia[seat.node] += mass * np.array(own)

    def weigh_evenly(self) -> None:
        """Let all bodies have the same mass and inertia: where drivers tell all of a motion, masses do not matter."""
        tree = self.joint.tree
        tree.inertia[:] = 0.0
        for number, seat in self.spanning.seats.items():
            if number and seat.node >= 0:
                self._add(seat, 1.0)
        tree.nothing[:] = NOTHING * np.abs(tree.inertia).max()
