r"""The linear equations of deviations from a simulated motion, at the times of its windows.

    x = [dq | dv | ds]          x = T xi + P dp           joints stay closed: T spans their null space
                                x' = B xi + F dp          y_p = R xi + S dp

T, B and R are derivatives along free displacements, speeds and states of devices, P, F and S along a parameter, each
with joints closed again. Along free directions the residuals of the equations of motion are differenced, and solved
with the factors of the motion (see `directional_kernels`); along parameters, whole solutions are differenced. The order
of the differences determines their error (see `perturbed`).

A law with a kink nearby, such as the larger of two speeds of a freely rolling tire, has no difference over a long step:
fourth-order differences are therefore compared with short second-order ones, which are used where both disagree, at a
time and along a direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.forward.advance import CLOSED
from cardan.analysis.forward.simulate import first_state
from cardan.analysis.linear.ports import Port, watched
from cardan.analysis.sensitivity.directional_kernels import (
    Directions,
    MotionStates,
    accelerations_along,
    differentiate_along,
    evaluate_jacobians,
    parts_of,
    signals_of,
)
from cardan.analysis.sensitivity.opening import reject_changed_phase
from cardan.errors import ModelError, SimulationError
from cardan.model.force import Force
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed
from cardan.model.space import displacement
from cardan.numerics.compiled.block import block
from cardan.numerics.linalg.rank import SINE, independent_rows
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.compile import compile
from cardan.system.mechanism import cartesian_mechanism
from cardan.system.system import System

FORMULAS = {
    2: (2.0**-16, ((1, 0.5),)),
    4: (2.0**-12, ((1, 2.0 / 3.0), (2, -1.0 / 12.0))),
}  # by order of differences: step, and weights of its multiples
SHORT = (2.0**-20, ((1, 0.5),))  # for comparison with fourth-order ones
AGREE = 1e-5  # relative to the largest: allowed difference of both; rounding of short ones is 1e-9 to 1e-6
LEFT = 1e-6  # relative to the largest row of the equations: direction that counts as unconstrained
MATTER = ("mass", "inertia", "center")  # of a body


class MotionSlopes:
    """T, B, R, P, F, S above, at the times of a run."""

    def __init__(
        self, run: Simulation, parameters: Sequence[Parameter], ports: Sequence[Port], start: Any, order: int
    ) -> None:
        self.run, self.ports, self.order = run, ports, order
        self._first, self._start = Snapshot(run.system, float(run.times[0]), run.q[0], turns=run.turns[0]), start
        self.system = self.compiled()
        self.machine = self.machine_of(self.system)
        system = self.system
        self.width, self.n, self.ns = system.width, system.coordinates, system.states.start.size
        self.unit = np.concatenate([np.tile(system.unit, 2), system.states.scale])
        self.along = self.tables(system)  # the run itself, with results along it
        self.begin()
        J = np.zeros((len(run), system.row_count, self.n))
        self.raise_if_failed(evaluate_jacobians(self.machine, self.along, J))
        self._along_free(*self._free(J))
        self.follow(parameters)

    @property
    def joined(self) -> bool:
        """Whether forces or outputs depend on reactions, which must then be solved together."""
        return bool(self.machine.forces.circuit.row.size)

    @property
    def values(self) -> np.ndarray:
        """Values of outputs, [times, outputs]."""
        found: np.ndarray = self.along.value
        return found

    def _along_free(self, Z: np.ndarray, Y: np.ndarray) -> None:
        """T, B and R, and T^+."""
        n, nz, ny, scale = self.n, Z.shape[2], Y.shape[2], self.system.states.scale
        self.T, self.B, self.R = self._leaned(Z, Y, *FORMULAS[self.order])
        if self.order > 2:
            T, B, R = self._leaned(Z, Y, *SHORT)
            kinked = _differ(B, self.B) | _differ(R, self.R)
            for long, short in ((self.T, T), (self.B, B), (self.R, R)):
                long[:] = np.where(kinked[:, None], short, long)
        self.left = np.zeros((len(self.run), self.T.shape[2], self.T.shape[1]))  # T is triangular
        unit = self.unit[:n, None]
        back_z, back_y = np.swapaxes(Z / unit**2, 1, 2), np.swapaxes(Y / unit**2, 1, 2)
        self.left[:, :nz, :n], self.left[:, nz : nz + ny, n : 2 * n] = back_z, back_y
        self.left[:, nz : nz + ny, :n] = -(back_y @ self.T[:, n : 2 * n, :nz]) @ back_z
        self.left[:, nz + ny :, 2 * n :] = np.diag(1.0 / scale)
        self._least = self.left[0].copy()
        self._least[nz : nz + ny, :n] = 0.0

    def _leaned(self, Z: np.ndarray, Y: np.ndarray, share: float, formula: Any) -> tuple[np.ndarray, ...]:
        """T, B and R by differences with one step."""
        count, nv, ns, outputs = len(self.run), self.width + self.n, self.ns, len(self.ports)
        m, size = Z.shape[2] + Y.shape[2] + ns, 2 * self.n + ns
        found = np.zeros((count, size, m)), np.zeros((count, size, m)), np.zeros((count, outputs, m))
        scratch = np.zeros((outputs, nv)), np.zeros(nv), np.zeros(self.system.row_count), np.zeros(nv), np.zeros(ns)
        places = np.ascontiguousarray(Z), np.ascontiguousarray(Y), self.system.states.scale
        steps = np.array([(s * k * share, s * weight / share) for k, weight in formula for s in (1.0, -1.0)])
        self.begin()
        directions = block(Directions(*places, *found, *scratch))
        self.raise_if_failed(
            differentiate_along(
                self.machine, cartesian_mechanism(self.machine), self.along, directions, steps, self.joined
            )
        )
        return found

    def raise_if_failed(self, failed: int) -> None:
        """Raise an error with the time at which a pass along the run failed."""
        if failed:
            time = float(self.run.times[failed - 1])
            raise SimulationError(
                f"'{self.run.model.name}' cannot be differentiated at t = {time:g} s: near the motion, joints do not "
                "close or accelerations have no value",
                time=time,
            )

    def follow(self, parameters: Sequence[Parameter]) -> None:
        """P, F and S, and the initial x: given again, or displaced by the least amount that closes joints."""
        count, size, number = len(self.run), self.T.shape[1], len(parameters)
        self.P, self.F = np.zeros((count, size, number)), np.zeros((count, size, number))
        self.S, stated = np.zeros((count, len(self.ports), number)), np.zeros((size, number))
        for p, one in enumerate(parameters):
            *found, stated[:, p] = self._followed(one, *FORMULAS[self.order])
            if self.order > 2:
                *short, _ = self._followed(one, *SHORT)
                kinked = _differ(short[1], found[1]) | _differ(short[2], found[2])
                found = [np.where(kinked, b, a) for a, b in zip(found, short, strict=True)]
            self.P[:, :, p], self.F[:, :, p], self.S[:, :, p] = found
        self.x0 = self.P[0] - self.freely @ (self.P[0] - stated)

    def _followed(self, one: Parameter, share: float, formula: Any) -> list[np.ndarray]:
        """P, F, S and the initial x of a parameter, by differences with one step."""
        count, h = len(self.run), self.step_of(one, share)
        parts = [np.zeros((count, size)) for size in (self.T.shape[1], self.T.shape[1], len(self.ports))]
        stated = np.zeros(self.T.shape[1])
        for k, weight in formula:
            for sign in (1.0, -1.0):
                with changed(self.run.model, {one: one.value + sign * k * h}, check=False):
                    self._add(self._swept(), sign * weight / h, *parts)
                    stated += (sign * weight / h) * self.stated(one)
        return [*parts, stated]

    def _add(self, found: Any, weight: float, P: np.ndarray, F: np.ndarray, S: np.ndarray) -> None:
        """Add the weighted results of a sweep."""
        n, width = self.n, self.width
        dq, dv = found.place[:, width:], found.speed[:, width:]
        P[:, :n] += weight * dq
        P[:, n : 2 * n] += weight * dv
        F[:, :n] += weight * dv
        if self.system.space.dimensions == 3:  # dtheta' is dv minus omega x dtheta about body axes
            for k in range(len(self.system.bodies)):
                turn = slice(6 * k + 3, 6 * k + 6)
                F[:, turn] -= weight * np.cross(self.run.v[:, width:][:, turn], dq[:, turn])
        F[:, n : 2 * n] += weight * found.rate[:, width:]
        F[:, 2 * n :] += weight * found.trend
        S += weight * found.value

    @property
    def freely(self) -> np.ndarray:
        """The free displacement and free speed of an initial deviation."""
        found: np.ndarray = self.T[0] @ np.linalg.solve(self._least @ self.T[0], self._least)
        return found

    def step_of(self, one: Parameter, share: float | None = None) -> float:
        """The step of a difference: a power of two."""
        length, share = self.system.length, share or FORMULAS[self.order][0]
        size = one.size(length)
        return float(2.0 ** np.floor(np.log2(share * size)))

    def compiled(self, like: System | None = None) -> System:
        """The mechanism of the current model."""
        model, at = self.run.model, self._first
        reserve = [constraint for element in model for constraint in element.reserve()]
        laws, start = watched(self.ports), at.as_start(model)
        system = compile(model, reserve, forces=True, watched=laws, time=at.time, start=start, like=like)
        system.rows.offset[system.floating] = self.run.system.rows.offset[system.floating]
        return replace(system, laws=(*system.laws, *signals_of(self.ports)))

    def machine_of(self, system: System) -> Any:
        """The tables of a mechanism."""
        made = mechanism_tables(system)
        made.settings.closure, made.settings.project_stages = max(CLOSED, system.rounding), 1.0
        return made

    def begin(self) -> None:
        """Set angles to the turns at the start of the run."""
        self.machine.reference[:] = self.system.reference

    def stated(self, one: Parameter) -> np.ndarray:
        """The initial deviation of the run, if the parameter may change it; zero otherwise."""
        begin = np.zeros(self.T.shape[1])
        if self._start is None and moves_start(one):
            system, (q, v, _, _) = first_state(self.run.model, (), None, ())
            reject_changed_phase(self.run.system, system, one)
            step = system.speeds()
            displacement(system.geometry, self.run.q[0], q, step)
            begin[: self.n], begin[self.n : 2 * self.n] = step[self.width :], (v - self.run.v[0])[self.width :]
        return begin

    def _swept(self) -> Any:
        """The results of a sweep along the run for the current model."""
        system = self.compiled(self.system)
        made, tables = self.machine_of(system), self.tables(system)
        self.raise_if_failed(accelerations_along(made, cartesian_mechanism(made), tables))
        return tables

    def tables(self, system: System) -> Any:
        """The run as input of a sweep, and memory for its results."""
        run, nv, ns = self.run, system.speeds().size, self.ns
        count = len(run)
        found = [np.zeros((count, nv)) for _ in range(3)]
        found += [np.zeros((count, ns)), np.zeros((count, system.row_count)), np.zeros((count, len(self.ports)))]
        y = np.zeros(system.start.size + nv + len(system.laws) + 2 + ns)
        known = (np.ascontiguousarray(part) for part in (run.times, run.q, run.v, run.states))
        return block(
            MotionStates._make([*known, *found, *parts_of(system, self.ports), y, np.zeros_like(y), np.zeros(nv)])
        )

    def _free(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Free displacements and speeds at each time, orthonormal relative to the model's length."""
        system, unit = self.system, self.unit[: self.n]
        J *= unit
        J /= system.rows.scale[:, None]
        closing = ~system.on_velocities
        Y, self._slowing = self._null(J, np.arange(closing.size))
        Z, self._closing = (Y, self._slowing) if closing.all() else self._null(J, np.flatnonzero(closing))
        return unit[:, None] * Z, unit[:, None] * Y

    def backs(self) -> tuple[np.ndarray, np.ndarray]:
        """J^+ [times, coordinates, rows] of the position constraints, and of all rows; zero for dependent rows."""
        slowing = self._back(*self._slowing)
        return (slowing if self._closing is self._slowing else self._back(*self._closing)), slowing

    def _back(self, rows: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Q R^-T, with units."""
        found = np.zeros((Q.shape[0], self.n, self.system.row_count))
        turned = Q @ np.swapaxes(np.linalg.inv(R), 1, 2)
        found[:, :, rows] = self.unit[: self.n, None] * turned / self.system.rows.scale[rows]
        return found

    def _null(self, J: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Orthonormal vectors x with J x = 0 for chosen rows, the same number at all times; and the independent rows,
        with Q and R of their transpose."""
        J = J if chosen.size == J.shape[1] else J[:, chosen]
        if not J.shape[1]:
            none = np.zeros((J.shape[0], self.n, 0)), np.zeros((J.shape[0], 0, 0))
            return np.tile(np.eye(self.n), (J.shape[0], 1, 1)), (chosen, *none)
        rows = np.sort(independent_rows(J[0], self.machine.column_scale[self.width :] / self.unit[: self.n]))
        Q, R = np.linalg.qr(np.swapaxes(J if rows.size == chosen.size else J[:, rows], 1, 2), mode="complete")
        Q, spanned, R = Q[:, :, rows.size :], Q[:, :, : rows.size], R[:, : rows.size]
        lengths = np.linalg.norm(R, axis=1)  # of the rows
        odd = (np.abs(np.diagonal(R, axis1=1, axis2=2)) <= SINE * lengths).any(axis=1)
        if rows.size < chosen.size:
            odd |= np.abs(J @ Q).max(axis=(1, 2), initial=0.0) > LEFT
        if odd.any():
            raise ModelError(
                f"the number of degrees of freedom of '{self.run.model.name}' changes along the run, near t = "
                f"{self.run.times[np.argmax(odd)]:g} s: its motion has no derivative there"
            )
        return Q, (chosen[rows], spanned, R)


def _differ(short: np.ndarray, long: np.ndarray) -> np.ndarray:
    """The times and directions at which two differences [times, rows, directions] or [times, rows] disagree. Rows are
    compared relative to their largest value.
    """
    apart, size = np.abs(short - long), np.abs(long)
    over = 2 if size.ndim == 3 else 0
    found = np.any(apart > AGREE * size.max(axis=over, keepdims=True, initial=0.0), axis=1)
    return found if over else found[:, None]


def moves_start(one: Parameter) -> bool:
    """Whether a parameter affects the start of a run, or points and lengths of its joints."""
    return not all(isinstance(place.holder, Force | Model) or place.attribute in MATTER for _, place in one.places)
