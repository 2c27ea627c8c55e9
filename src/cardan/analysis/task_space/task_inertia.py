"""The result of `task_space`: matrices at one state, and the same at others.

For trees without further constraints the terms of tasks come from a single compiled call.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from cardan.analysis.joint.equations import JointEquations
from cardan.analysis.joint.single_calls import FLOAT
from cardan.errors import ModelError
from cardan.model import check
from cardan.numerics.compiled.jit import ready
from cardan.numerics.linalg.rank import ROW_NOISE, SINGULAR_PIVOT, null_space, truncated
from cardan.results.snapshot import Snapshot
from cardan.system.tree.recursion.task_terms import find_task_terms, task_table


class TaskSpace:
    """A mechanism along its tasks x at one state; n joint speeds, m tasks.

    Its terms do not change; `at` finds those of other states. Threads may share an object.

    | | | |
    |---|---|---|
    | `tasks`, `speeds`      |     | the names of measures and of joint speeds                                       |
    | `q`, `v`               |     | the state in joint coordinates                                                 |
    | `jacobian`             | m n | J: x' = J v                                                                    |
    | `mobility`             | m m | J Y J^T, the inverse of the inertia                                            |
    | `inertia`              | m m | Lambda                                                                         |
    | `inverse`              | n m | Jbar, dynamically consistent: v = Jbar x' moves with the least kinetic energy  |
    | `null_projector`       | n n | N: speeds N v do not move the task; torques N^T tau do not accelerate it       |
    | `velocity_terms`       | m   | mu: Coriolis and centrifugal forces                                            |
    | `gravity`              | m   | p: forces that hold the task against weight                                    |
    | `applied`              | m   | forces of springs and other elements along the task                            |
    | `velocity`             | m   | x'                                                                             |
    | `acceleration_bias`    | m   | x'' for vanishing joint accelerations in a tree, J' v                          |
    """

    jacobian: np.ndarray
    mobility: np.ndarray
    inertia: np.ndarray
    inverse: np.ndarray
    null_projector: np.ndarray
    velocity_terms: np.ndarray
    gravity: np.ndarray
    applied: np.ndarray
    velocity: np.ndarray
    acceleration_bias: np.ndarray

    def __init__(
        self,
        equations: JointEquations,
        tasks: tuple[str, ...],
        q: np.ndarray,
        v: np.ndarray,
        calls: TaskCalls | None = None,
    ) -> None:
        self._equations, self.tasks, self.speeds = equations, tasks, equations.speeds
        self.coordinates = equations.coordinates
        self._calls = TaskCalls(equations, len(tasks)) if calls is None else calls
        if not self._calls.fill(self, q, v):
            self._fill(q, v)

    def _fill(self, q: np.ndarray, v: np.ndarray) -> None:
        """All terms, for any mechanism."""
        equations, size = self._equations, len(self.speeds)
        rows = equations._rows
        own = np.arange(rows.size) >= rows.size - len(self.tasks)  # extra rows come last
        both, turned = equations.constraint_jacobian(q), equations.row_sizes()
        Phi, self.jacobian = both[~own], both[own]
        Z = null_space(Phi, equations.column_scale, turned[~own]) if Phi.size else np.eye(size)
        v = self._closed(v, Phi, turned[~own])
        gamma = equations.constraint_bias(q, v)
        self.q, self.v = q.copy(), v
        M = equations.mass_matrix(q)
        self._motion(Z, M)
        self._require_independent(Z, turned[own])
        J, identity = self.jacobian, np.eye(len(self.tasks))
        over = self._mobility @ J.T
        self.mobility = J @ over
        self.inertia = _symmetric(scipy.linalg.cho_solve(scipy.linalg.cho_factor(self.mobility), identity))
        self.inverse = over @ self.inertia
        allowed = self._mobility @ M  # projects speeds on those that constraints allow
        self.null_projector = allowed - self.inverse @ (J @ allowed)
        self.velocity = J @ v
        self.acceleration_bias = -gamma[own]
        curved = self._least(Phi, gamma[~own], turned[~own])
        inward = equations.bias(q, v) + M @ curved
        self.velocity_terms = self.inverse.T @ inward - self.inertia @ (J @ curved + self.acceleration_bias)
        self.gravity = self.inverse.T @ equations.gravity(q)
        self.applied = self.inverse.T @ equations.applied(q, v)

    def force(self, acceleration: ArrayLike) -> np.ndarray:
        """F along the tasks for accelerations x'': Lambda x'' + mu + p - applied."""
        wanted = self._sized(acceleration, len(self.tasks), "the accelerations of tasks")
        found: np.ndarray = self.inertia @ wanted + self.velocity_terms + self.gravity - self.applied
        return found

    def torques(self, force: ArrayLike, secondary: ArrayLike | None = None) -> np.ndarray:
        """Joint torques J^T F + N^T tau_0: the second part does not disturb the task."""
        tau: np.ndarray = self.jacobian.T @ self._sized(force, len(self.tasks), "the forces of tasks")
        if secondary is None:
            return tau
        return tau + self.null_projector.T @ self._sized(secondary, len(self.speeds), "secondary torques")

    def acceleration(self, torques: ArrayLike | None = None) -> np.ndarray:
        """x'' under joint torques, by default none, with all forces of the model."""
        tau = np.zeros(len(self.speeds)) if torques is None else self._sized(torques, len(self.speeds), "torques")
        total = self.inverse.T @ tau + self.applied - self.velocity_terms - self.gravity
        found: np.ndarray = self.mobility @ total
        return found

    def at(self, q: ArrayLike, v: ArrayLike | None = None) -> TaskSpace:
        """The same at another state in joint coordinates, by default at rest; closed loops must be closed there."""
        here = self._sized(q, len(self.coordinates), "q")
        speeds = np.zeros(len(self.speeds)) if v is None else self._sized(v, len(self.speeds), "v")
        return TaskSpace(self._equations, self.tasks, here, speeds, self._calls)

    def snapshot(self) -> Snapshot:
        """The mechanism at this state."""
        return self._equations.snapshot(self.q, self.v)

    def __repr__(self) -> str:
        return f"<task space of '{self._equations.system.model.name}': {', '.join(self.tasks)}>"

    def _motion(self, Z: np.ndarray, M: np.ndarray) -> None:
        """Y = Z (Z^T M Z)^-1 Z^T."""
        try:
            factor = scipy.linalg.cholesky(Z.T @ M @ Z, lower=True)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"'{self._equations.system.model.name}' can move without moving any mass; state the mass of the bodies "
                "that have none"
            ) from None
        half = scipy.linalg.solve_triangular(factor, Z.T, lower=True)
        self._mobility = half.T @ half

    def _require_independent(self, Z: np.ndarray, sizes: np.ndarray) -> None:
        """Reject tasks that depend on each other on the motions that constraints allow."""
        equations = self._equations
        unit = np.where(sizes > 0.0, sizes, 1.0)
        basis = scipy.linalg.orth(Z / equations.column_scale[:, None])
        moved = (self.jacobian * equations.column_scale / unit[:, None]) @ basis
        left, values, _ = np.linalg.svd(moved, full_matrices=True)
        rank = int(np.sum(values > SINGULAR_PIVOT))
        if rank == len(self.tasks):
            return
        still = left[:, rank:]
        blamed = [
            name for name, share in zip(self.tasks, np.abs(still).max(axis=1), strict=True) if share > SINGULAR_PIVOT
        ]
        said = f"{blamed[0]} cannot move" if len(blamed) == 1 else f"{', '.join(blamed)} cannot move independently"
        raise ModelError(
            f"{said} here: '{equations.system.model.name}' has {Z.shape[1]} degrees of freedom, which move "
            f"{rank} of {len(self.tasks)} tasks independently; remove a task, or choose a position that is not singular"
        )

    def _closed(self, v: np.ndarray, Phi: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The nearest speeds that satisfy the constraints."""
        if not Phi.size:
            return v.copy()
        nu = self._equations.constraint_rates()[: Phi.shape[0]]
        found: np.ndarray = v - self._least(Phi, Phi @ v - nu, sizes)
        return found

    def _least(self, Phi: np.ndarray, right: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The least x with Phi x = right."""
        if not Phi.size:
            return np.zeros(len(self.speeds))
        unit, lengths = truncated(Phi, self._equations.column_scale, sizes)
        return np.asarray(np.linalg.lstsq(unit, right / lengths, rcond=ROW_NOISE)[0])

    def _sized(self, values: ArrayLike, size: int, what: str) -> np.ndarray:
        kind = f"{what} must be {size} finite numbers"
        found = values if type(values) is np.ndarray and values.dtype is FLOAT else check.reals(values, kind)
        if found.shape != (size,) or not all(map(math.isfinite, found.tolist())):
            raise ModelError(f"{kind}, got {check.short_repr(values)}")
        return found


def _symmetric(A: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (A + A.T))


class TaskCalls(threading.local):
    """The arrays of a task space, filled again at each state; each thread has its own."""

    def __init__(self, equations: JointEquations, tasks: int) -> None:
        self._stated = equations, tasks
        self._joint, self._time = equations._tables.joint, equations.time
        self._simple = equations._rows.size == tasks == self._joint.row.size

    def __reduce__(self) -> Any:
        return type(self), self._stated  # a copy has arrays of its own: machine code has the places of these

    def fill(self, space: Any, q: np.ndarray, v: np.ndarray) -> bool:
        """Set all terms of a task space, or return False where they are found otherwise."""
        if not self._simple:
            return False
        enter, here, speeds, found = self._found
        here[...] = q
        speeds[...] = v
        if enter():
            return False
        space.q, space.v = here.copy(), speeds.copy()
        for name, array in found:
            setattr(space, name, array.copy())
        return True

    @cached_property
    def _found(self) -> tuple[Callable[[], int], np.ndarray, np.ndarray, tuple[tuple[str, np.ndarray], ...]]:
        """The call, where it reads q and v, and where it leaves the attributes of a task space."""
        terms = task_table(self._joint, self._time)
        names = {
            "mobility": terms.mobility,
            "inertia": terms.inertia,
            "inverse": terms.inverse,
            "null_projector": terms.projector,
            "velocity_terms": terms.terms,
            "gravity": terms.gravity,
            "applied": terms.applied,
            "velocity": terms.velocity,
            "acceleration_bias": terms.bias,
        }
        arrays = (("jacobian", self._joint.Phi), *names.items())
        return ready(find_task_terms, terms), terms.q, terms.v, arrays
