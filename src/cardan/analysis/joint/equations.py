"""The equations of a tree in joint coordinates at a state: forces, accelerations, masses, Jacobians, constraints.

M(q) v' + b(q, v) + g(q) + Phi^T lambda = tau + B^T f(q, v),        Phi v' = gamma
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.joint.single_calls import ThreadTables
from cardan.errors import ModelError
from cardan.model import check
from cardan.numerics.linalg.rank import independent_rows, null_space, truncated
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.forces import apply_forces, force_table
from cardan.system.system import System
from cardan.system.tree.recursion.batch import (
    accelerations_of,
    jacobians_of,
    modal_accelerations_of,
    modal_torques_of,
    torques_of,
)
from cardan.system.tree.recursion.task_terms import applied_of
from cardan.system.tree.tables import JointTables


class JointEquations:
    """A mechanism in joint coordinates: `coordinates` and `speeds` name the numbers of q and v, `q` is where it is.

    `carried` are the joints of the tree, `cut` all other constraints.
    """

    def __init__(self, tables: JointTables, time: float = 0.0) -> None:
        system, spanning = tables.system, tables.spanning
        self.q, self.time = spanning.q, float(time)
        self.coordinates, self.speeds = spanning.coordinates, spanning.speeds
        self.carried, self.cut = spanning.carried, spanning.cut
        self._own = ThreadTables(tables, threading.get_ident())
        owners = [any(system.elements[k] is element for element in spanning.cut) for k in system.owner]
        self._rows = np.flatnonzero(owners)
        self._forced, self._spatial = bool(system.laws), system.space.dimensions == 3

    @property
    def system(self) -> System:
        """The mechanism; its tables are those of the calling thread."""
        return self._own.tables.system

    @property
    def _tables(self) -> JointTables:
        return self._own.tables

    @property
    def _joint(self) -> Any:
        return self._own.tables.joint

    @property
    def _tree(self) -> Any:
        return self._own.tables.joint.tree

    @property
    def _work(self) -> Any:
        return self._own.work

    def __reduce__(self) -> Any:
        return type(self), (self._tables, self.time)

    # Equations of motion

    def torques(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> np.ndarray:
        """Joint forces for given accelerations of the tree: M a + b + g - B^T f, without multipliers."""
        if not self._forced and (found := self._own.single.torques(q, v, a)) is not None:
            return found
        (q, v, a), alone = self._states(q=q, v=v, a=a)
        tau = np.zeros_like(v)
        self._find_torques(q, v, a, tau)
        return one(tau - self._applied(q, v), alone)

    def accelerations(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, *, alpha: float = 0.0, beta: float = 0.0
    ) -> np.ndarray:
        """Accelerations under joint forces tau, zero by default, and the forces of the model.

        With `alpha`, in 1/s^2, and `beta`, in 1/s, constraint errors decay: accelerations satisfy
        Phi a = gamma - beta (Phi v - nu) - alpha phi instead of Phi a = gamma (De Sapio 5.97).
        """
        if not (self._forced or self._rows.size) and (found := self._own.single.accelerations(q, v, tau)) is not None:
            return found
        (q, v, tau), alone = self._states(q=q, v=v, tau=np.zeros(len(self.speeds)) if tau is None else tau)
        a, total = np.zeros_like(v), tau + self._applied(q, v)
        if self._joint.modes.body.size:
            node = modal_accelerations_of(self._joint, q, v, total, a)
        else:
            node = accelerations_of(self._tree, q, v, total, a)
        if node:
            raise ModelError(f"nothing resists '{self.speeds[int(self._tree.first_v[node - 1])]}': it has no inertia")
        if self._rows.size:
            for k in range(q.shape[0]):
                a[k] = self._constrained(q[k], v[k], a[k], alpha, beta)
        return one(a, alone)

    def mass_matrix(self, q: ArrayLike) -> np.ndarray:
        """M(q), symmetric and positive, by composite bodies; with flexible bodies, projected."""
        if (found := self._own.single.mass_matrix(q)) is not None:
            return found
        (q,), alone = self._states(q=q)
        return one(self._tables.mass_matrices(q), alone)

    def gravity(self, q: ArrayLike) -> np.ndarray:
        """g(q): joint forces that hold the tree against gravity."""
        if (found := self._own.single.gravity(q)) is not None:
            return found
        (q,), alone = self._states(q=q)
        still, tau = np.zeros((q.shape[0], len(self.speeds))), np.zeros((q.shape[0], len(self.speeds)))
        self._find_torques(q, still, still, tau)
        return one(tau, alone)

    def bias(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """b(q, v): centrifugal and Coriolis forces."""
        if (found := self._own.single.bias(q, v)) is not None:
            return found
        (q, v), alone = self._states(q=q, v=v)
        tau, still = np.zeros((2, *v.shape))
        self._find_torques(q, v, still, tau)
        return one(tau - self.gravity(q), alone)

    def _find_torques(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> None:
        """Joint forces, without those of the model."""
        if self._joint.modes.body.size:
            modal_torques_of(self._joint, q, v, a, tau)
        else:
            torques_of(self._tree, q, v, a, tau)

    def _constrained(
        self, q: np.ndarray, v: np.ndarray, free: np.ndarray, alpha: float = 0.0, beta: float = 0.0
    ) -> np.ndarray:
        """The accelerations nearest to the free ones, in the metric of the masses, that the constraints allow."""
        Phi, gamma = self.constraint_jacobian(q), self.constraint_bias(q, v)
        if alpha or beta:
            gamma = gamma - beta * (Phi @ v - self._work.nu[self._rows]) - alpha * self._work.phi[self._rows]
        kept = self._independent(Phi)
        inverse = np.linalg.solve(self.mass_matrix(q), Phi[kept].T)
        lam = np.linalg.solve(Phi[kept] @ inverse, Phi[kept] @ free - gamma[kept])
        found: np.ndarray = free - inverse @ lam
        return found

    def _independent(self, Phi: np.ndarray) -> np.ndarray:
        """Independent rows of Phi at the last evaluation."""
        return independent_rows(Phi, self.column_scale, self.row_sizes())

    def _truncated(self, Phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Phi there with unit rows, nearly dependent ones made exactly dependent, and the lengths of its rows."""
        return truncated(Phi, self.column_scale, self.row_sizes())

    def row_sizes(self) -> np.ndarray:
        """The lengths of the rows of Phi at the last evaluation, before their terms cancel along the tree."""
        return self._tables.row_sizes(self._rows, self._work)

    @property
    def column_scale(self) -> np.ndarray:
        found: np.ndarray = self._tables.joint.column_scale
        return found

    # Geometry

    def jacobian(self, marker: Any, q: ArrayLike, *, rotation: bool = False) -> np.ndarray:
        """J(q) of a point's velocity in global axes, r' = J v; with `rotation`, that of the angular velocity below
        it."""
        if self._spatial and (found := self._own.single.jacobian(marker, q, rotation)) is not None:
            return found
        (q,), alone = self._states(q=q)
        turning, point = self._jacobians(marker, q)
        if not self._spatial:
            parts = [point[:, :2], turning[:, 2:]]
        else:
            parts = [point, turning]
        return one(np.concatenate(parts, axis=1) if rotation else parts[0], alone)

    def jacobian_rate(self, marker: Any, q: ArrayLike, v: ArrayLike, *, rotation: bool = False) -> np.ndarray:
        """J'(q, v) v, the acceleration of a point, and below it the angular acceleration, due to velocities."""
        (q, v), alone = self._states(q=q, v=v)
        run = self._motion(q, v, np.zeros_like(v))[marker]
        parts = [run.acceleration]
        if rotation:
            turning = self._motion(q, v, np.zeros_like(v))[marker.body].turning("acceleration")
            parts.append(turning.reshape(q.shape[0], -1))
        return one(np.concatenate(parts, axis=1), alone)

    def constraint_jacobian(self, q: ArrayLike) -> np.ndarray:
        """Phi(q) of all cut constraints, Phi v = nu."""
        (q,), alone = self._states(q=q)
        found = np.zeros((q.shape[0], self._rows.size, len(self.speeds)))
        for k in range(q.shape[0]):
            self._evaluate(q[k], np.zeros(len(self.speeds)))
            J = self.system.dense_jacobian(self._work)
            found[k] = J[self._rows] @ self._tables.transformation(q[k])
        return one(found, alone)

    def position_jacobian(self, q: ArrayLike) -> np.ndarray:
        """Phi(q) of cut position constraints, without rolling, blades and drivers of rates."""
        return np.asarray(self.constraint_jacobian(q)[..., ~self.system.on_velocities[self._rows], :])

    def position_null_space(self, q: np.ndarray) -> np.ndarray:
        """An orthonormal basis of the displacements of a state that the cut constraints allow."""
        rows = self._rows[~self.system.on_velocities[self._rows]]
        return null_space(self.position_jacobian(q), self.column_scale, self._tables.row_sizes(rows, self._work))

    def transformation(self, q: ArrayLike) -> np.ndarray:
        """B(q): the speeds of all bodies, one after the other, from joint speeds."""
        (q,), alone = self._states(q=q)
        return one(np.stack([self._tables.transformation(line) for line in q]), alone)

    def constraint_bias(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """gamma(q, v): Phi v' = gamma."""
        (q, v), alone = self._states(q=q, v=v)
        found = np.zeros((q.shape[0], self._rows.size))
        for k in range(q.shape[0]):
            moved = self._motion(q[k : k + 1], v[k : k + 1], np.zeros((1, v.shape[1])))
            self._evaluate(q[k], v[k])
            carried = self.system.jacobian_matrix(self._work) @ moved.a[0, self.system.width :]
            found[k] = (self._work.gamma - carried)[self._rows]
        return one(found, alone)

    def constraint_rates(self) -> np.ndarray:
        """nu at the last evaluation: Phi v = nu."""
        found: np.ndarray = self._work.nu[self._rows]
        return found

    def residual(self, q: ArrayLike) -> np.ndarray:
        """phi(q) of all cut constraints."""
        (q,), alone = self._states(q=q)
        found = np.zeros((q.shape[0], self._rows.size))
        for k in range(q.shape[0]):
            self._evaluate(q[k], np.zeros(len(self.speeds)))
            found[k] = self._work.phi[self._rows]
        return one(found, alone)

    def snapshot(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None) -> Snapshot:
        """A snapshot of the mechanism at a state, for reading, drawing or starting an analysis."""
        still = np.zeros(len(self.speeds))
        (q, v, a), alone = self._states(q=q, v=still if v is None else v, a=still if a is None else a)
        if not alone:
            raise ModelError("a snapshot needs a single state")
        run = self._motion(q, v, a)
        return Snapshot(self.system, self.time, run.q[0], run.v[0], run.a[0], run.turns[0])

    def from_bodies(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The joint speeds nearest to body velocities, numbered as in a run, `run.v[k]`."""
        return self._tables.speeds(np.asarray(q, float), v)

    # Implementation

    def _states(self, **stated: Any) -> tuple[list[np.ndarray], bool]:
        """Arrays with one row per state, and whether there was a single state."""
        arrays, alone = [], True
        for name, value in stated.items():
            size = len(self.coordinates) if name == "q" else len(self.speeds)
            what = f"{name} of '{self.system.model.name}' must have {size} numbers, or rows of {size}"
            array = check.reals(value, what)
            if array.ndim not in (1, 2) or array.shape[-1] != size:
                raise ModelError(f"{what}, got the shape {array.shape}")
            if not np.isfinite(array).all():
                raise ModelError(f"{name} of '{self.system.model.name}' must be finite")
            alone &= array.ndim == 1
            arrays.append(array)
        count = max(1 if array.ndim == 1 else array.shape[0] for array in arrays)
        lines = [np.ascontiguousarray(np.broadcast_to(np.atleast_2d(x), (count, x.shape[-1]))) for x in arrays]
        return lines, alone

    def applied(self, q: ArrayLike, v: ArrayLike) -> np.ndarray:
        """B^T f(q, v): the joint forces of springs, dampers and other elements."""
        (q, v), alone = self._states(q=q, v=v)
        return one(self._applied(q, v), alone)

    def _applied(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """B^T f of the model's forces."""
        total = np.zeros_like(v)
        if self._forced and self._joint.modes.body.size:
            return self._projected(q, v)
        if self._forced and applied_of(self._tables.joint, self.time, q.copy(), v.copy(), total):
            raise ModelError(f"a force of '{self.system.model.name}' returned no finite value")
        return total

    def _projected(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """B^T f with B itself, for trees with flexible bodies."""
        system, total = self.system, np.zeros_like(v)
        forces, strength = force_table(system), np.zeros(len(system.laws))
        for k in range(q.shape[0]):
            self._evaluate(q[k], v[k])
            force = system.speeds()
            if apply_forces(forces, self.time, self._work, strength, force):
                raise ModelError(f"a force of '{system.model.name}' returned no finite value")
            total[k] = force[system.width :] @ self._tables.transformation(q[k])
        return total

    def _evaluate(self, q: np.ndarray, v: np.ndarray) -> None:
        """Evaluate measures and rows at a state, in `_work`."""
        run = self._motion(q[None], v[None], np.zeros((1, v.size)))
        system = self.system
        reference = self._tables.reference_at(q)
        evaluate_position(system.geometry, system.rows, run.q[0], self.time, reference, self._work)
        evaluate_velocity(system.geometry, system.rows, run.v[0], self.time, self._work)

    def _motion(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Trajectory:
        """States as a trajectory."""
        motion = self._tables.bodies(q, v, a)
        run = Trajectory(self.system, np.full(q.shape[0], self.time), *motion, analysis="states in joint coordinates")
        turns = np.stack([self._tables.reference_at(line) for line in q])[:, self.system.winding]
        run.turns = np.ascontiguousarray(turns)
        return run

    def _jacobians(self, marker: Any, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        number = self.system.body_number(marker.body)
        if marker.modes:
            raise ModelError(
                f"{marker} moves with the modes of {marker.body.title}, and jacobian() supports rigid bodies: use "
                "task_space(model, [x(marker), ...]), whose Jacobian includes the modes"
            )
        seat = self._tables.spanning.seats[number]
        shape = (q.shape[0], 3, len(self.speeds))
        turning, point = np.zeros(shape), np.zeros(shape)
        if seat.node >= 0:
            _, place = self.system.space.marker_in_space(marker)
            jacobians_of(self._tree, q, seat.node, seat.origin + seat.axes @ place, turning, point)
        return turning, point


def one(array: np.ndarray, alone: bool) -> np.ndarray:
    return array[0] if alone else array
