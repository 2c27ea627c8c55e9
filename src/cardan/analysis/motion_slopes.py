r"""The linear equations that deviations from a simulated motion obey, at the instants of its windows.

    x = [dq | dv | ds]          x = T xi + P dp           joints stay closed: T spans what they leave free
                                x' = B xi + F dp          y_p = R xi + S dp

T, B and R are derivatives along free displacements, speeds and states of devices, P, F and S along a parameter, each
with joints closed again. All come from the compiled accelerations of simulations, at states a small step to either
side: differences, the error of which is told by their order (see `displaced`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg

from cardan.analysis.forward import CLOSED
from cardan.analysis.linear_ports import VALUE, Port, watched
from cardan.analysis.simulate import first_state
from cardan.analysis.sweep_kernels import Beside, Ways, hurry, sweep
from cardan.errors import ModelError, SimulationError
from cardan.model.device import Value
from cardan.model.parameter import Parameter, changed
from cardan.model.space import displacement
from cardan.numerics.block import block
from cardan.numerics.far import far_address
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile
from cardan.system.machine import CLOSE, PROJECT_STAGES, machine
from cardan.system.motion import act
from cardan.system.system import System
from cardan.system.tables import starts

FORMULAS = {
    2: (2.0**-16, ((1, 0.5),)),
    6: (2.0**-8, ((1, 3.0 / 4.0), (2, -3.0 / 20.0), (3, 1.0 / 60.0))),
}  # order of differences: their step, and the weights of its multiples
DEPENDENT, LEFT = 1e-8, 1e-6  # of the largest row of the equations: what depends on others, what is not held


START = ("position", "angle", "orientation", "velocity", "angular_velocity", "angular_velocity_b")  # of a body


class Machine:
    """A mechanism at one value of the parameters: its tables, and what outputs read in them."""

    def __init__(self, system: System, reference: np.ndarray, ports: Sequence[Port]) -> None:
        self.system, self.reference = system, reference
        self.made = machine(system)
        self.made.setting[CLOSE], self.made.setting[PROJECT_STAGES] = max(CLOSED, system.rounding), 1.0
        self.begin, self.measure, self.coefficient = read_by(system, ports)


class Slopes:
    """T, B, R, P, F, S above, at the instants of a run."""

    def __init__(
        self,
        run: Simulation,
        parameters: Sequence[Parameter],
        ports: Sequence[Port],
        start: Any,
        order: int,
    ) -> None:
        self.run, self.ports, self.order = run, ports, order
        self._first, self._start = Snapshot(run.system, float(run.times[0]), run.q[0], turns=run.turns[0]), start
        self.base = self._machine()
        system = self.base.system
        self.width, self.n, self.ns = system.width, system.coordinates, system.states.start.size
        self.unit = np.concatenate([np.tile(system.length / np.sqrt(system.weights), 2), system.states.scale])
        J = np.zeros((len(run), system.row_count, self.n))
        still = self._swept(self.base, None, 0.0, jacobian=J)
        self.rates, self.values = still[2], still[-1]
        self._along_free(*self._free(J))
        self._along(parameters)

    def _along_free(self, Z: np.ndarray, Y: np.ndarray) -> None:
        """T, B and R."""
        system, run = self.base.system, self.run
        count, width, n = len(run), self.width, self.n
        columns = []
        for k in range(Z.shape[2]):
            dq = np.zeros((count, width + n))
            dq[:, width:] = Z[:, :, k]
            columns.append(self._slope([(self.base, self.base)] * 3, dq, 1.0))
        columns += self._hurried(Y)
        self.T, self.B, self.R = self._stacked(columns, True)
        nz, ny, n = Z.shape[2], Y.shape[2], self.n
        unit = self.unit[:n, None]
        self.left = np.zeros((count, self.T.shape[2], self.T.shape[1]))  # T^+: T is triangular
        back_z, back_y = np.swapaxes(Z / unit**2, 1, 2), np.swapaxes(Y / unit**2, 1, 2)
        self.left[:, :nz, :n], self.left[:, nz : nz + ny, n : 2 * n] = back_z, back_y
        self.left[:, nz : nz + ny, :n] = -back_y @ (self.T[:, n : 2 * n, :nz] @ back_z)
        self.left[:, nz + ny :, 2 * n :] = np.diag(1.0 / system.states.scale)
        self._least = np.zeros(self.left.shape[1:])
        self._least[:nz, :n], self._least[nz : nz + ny, n : 2 * n] = back_z[0], back_y[0]
        self._least[nz + ny :, 2 * n :] = np.diag(1.0 / system.states.scale)

    def _hurried(self, Y: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """Columns along free speeds and states of devices."""
        system, count, ny = self.base.system, len(self.run), Y.shape[2]
        share, formula = FORMULAS[self.order]
        steps = np.array([(s * k * share, s * weight / share) for k, weight in formula for s in (1.0, -1.0)])
        dv, ds = np.zeros((count, ny + self.ns, self.width + self.n)), np.zeros((ny + self.ns, self.ns))
        dv[:, :ny, self.width :] = np.swapaxes(Y, 1, 2)
        ds[ny:] = np.diag(system.states.scale)
        found = np.zeros_like(dv), np.zeros((*dv.shape[:2], self.ns)), np.zeros((*dv.shape[:2], len(self.ports)))
        self.base.made.reference[:] = self.base.reference
        ways = block(Ways(dv, ds, *found))
        self.judge(hurry(self.base.made, self.act(self.base), self.tables(self.base, None), ways, steps))
        still = np.zeros((count, self.width + self.n))
        return [(still, dv[:, d], *(part[:, d] for part in found)) for d in range(ny + self.ns)]

    def judge(self, failed: int) -> None:
        """Say at which instant a pass along the run has failed."""
        if failed:
            time = float(self.run.times[failed - 1])
            raise SimulationError(
                f"'{self.run.model.name}' cannot be differentiated at t = {time:g} s: beside the motion, joints do not "
                "close or accelerations have no value",
                time=time,
            )

    def _along(self, parameters: Sequence[Parameter]) -> None:
        """P, F and S, and x where the run starts: stated anew, or displaced by the least that closes its joints."""
        columns: list[tuple[np.ndarray, ...]] = []
        stated = [np.zeros((self.T.shape[1], 0))]
        for one in parameters:
            h, formula = self.step_of(one), FORMULAS[self.order][1]
            pairs, begin = [], np.zeros(self.T.shape[1])
            for k, weight in formula:
                pair = []
                for sign in (1.0, -1.0):
                    with changed(self.run.model, {one: one.value + sign * k * h}, judged=False):
                        pair.append(self._machine())
                        begin += (sign * weight / h) * self.stated(one)
                pairs.append((pair[0], pair[1]))
            columns.append(self._slope(pairs, None, h))
            stated.append(begin[:, None])
        self.P, self.F, self.S = self._stacked(columns, False)
        self.x0 = self.P[0] - self.freely @ (self.P[0] - np.concatenate(stated, axis=1))

    @property
    def freely(self) -> np.ndarray:
        """What of a deviation, where the run starts, is free displacement and free speed."""
        found: np.ndarray = self.T[0] @ np.linalg.solve(self._least @ self.T[0], self._least)
        return found

    def step_of(self, one: Parameter) -> float:
        """How far apart the machines of a difference are: a power of two."""
        length, share = self.base.system.length, FORMULAS[self.order][0]
        size = max(abs(one.value), length) if one.is_length else abs(one.value) or 1.0
        return float(2.0 ** np.floor(np.log2(share * size)))

    def compiled(self) -> System:
        """The mechanism as the model stands now."""
        model, at = self.run.model, self._first
        reserve = [constraint for element in model for constraint in element.reserve()]
        laws, start = watched(self.ports), at.as_start(model)
        system = compile(model, reserve, forces=True, watched=laws, time=at.time, start=start)
        system.rows.offset[system.floating] = self.run.system.rows.offset[system.floating]
        return system

    def _machine(self) -> Machine:
        system = self.compiled()
        return Machine(system, system.reference, self.ports)

    def stated(self, one: Parameter) -> np.ndarray:
        """Where the run starts, as a deviation, if the parameter states that; zero otherwise."""
        begin = np.zeros(self.T.shape[1])
        if self._start is None and any(place.attribute in START for _, place in one.places):
            system, (q, v, _, _) = first_state(self.run.model, (), None, ())
            step = system.speeds()
            displacement(system.geometry, self.run.q[0], q, step)
            begin[: self.n], begin[self.n : 2 * self.n] = step[self.width :], (v - self.run.v[0])[self.width :]
        return begin

    def _slope(self, pairs: Sequence[tuple[Machine, Machine]], way: Any, h: float) -> tuple[np.ndarray, ...]:
        """The derivative of all that a sweep finds: along a way, or between machines h apart."""
        share, formula = FORMULAS[self.order]
        h = share if way is not None else h
        total: list[Any] = [0.0] * 5
        for (k, weight), (ahead, behind) in zip(formula, pairs, strict=False):
            step = k * h if way is not None else 0.0
            there, back = self._swept(ahead, way, step), self._swept(behind, way, -step)
            total = [t + (weight / h) * (a - b) for t, a, b in zip(total, there, back, strict=True)]
        return tuple(total)

    def _stacked(self, columns: list[tuple[np.ndarray, ...]], free: bool) -> tuple[np.ndarray, ...]:
        """Deviations, their rates, and outputs; the last of `free` deviations are states of devices."""
        width, count = self.width, len(self.run)
        if not columns:
            size = 2 * self.n + self.ns
            return np.zeros((count, size, 0)), np.zeros((count, size, 0)), np.zeros((count, len(self.ports), 0))
        x, rate, out = [], [], []
        for dq, dv, da, trend, value in columns:
            # states of a way along them are what the way says: positions and speeds do not tell
            x.append((dq[:, width:], dv[:, width:]))
            rate.append(np.concatenate([self._turned(dq, dv)[:, width:], da[:, width:], trend], axis=1))
            out.append(value)
        first = len(columns) - self.ns
        parts = []
        for k, (dq, dv) in enumerate(x):
            ds = np.zeros((count, self.ns))
            if free and k >= first:
                ds[:, k - first] = self.base.system.states.scale[k - first]
            parts.append(np.concatenate([dq, dv, ds], axis=1))
        return np.stack(parts, axis=2), np.stack(rate, axis=2), np.stack(out, axis=2)

    def _turned(self, dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """dq' = dv, less omega x dtheta about the axes of bodies in space."""
        found, system = dv.copy(), self.base.system
        if system.space.dimensions == 3:
            for k in range(1, 1 + len(system.bodies)):
                turn = slice(6 * k + 3, 6 * k + 6)
                found[:, turn] -= np.cross(self.run.v[:, turn], dq[:, turn])
        return found

    def _swept(self, made: Machine, way: Any, h: float, jacobian: Any = None) -> tuple[np.ndarray, ...]:
        """What a sweep finds along the run: places, speeds, accelerations, trends, values."""
        tables = self.tables(made, way, jacobian)
        made.made.reference[:] = made.reference
        self.judge(sweep(made.made, self.act(made), tables, h, way is not None))
        return tables.place, tables.speed, tables.rate, tables.trend, tables.value

    def tables(self, made: Machine, way: Any, jacobian: Any = None) -> Any:
        """Memory of a sweep."""
        run, system = self.run, made.system
        count, nv, ns = len(run), system.speeds().size, self.ns
        zero = np.zeros((count, nv))
        found = [np.zeros((count, nv)) for _ in range(3)]
        y = np.zeros(system.start.size + nv + len(system.laws) + 2 + ns)
        times, *state = (np.ascontiguousarray(part) for part in (run.times, run.q, run.v, run.states))
        found += [np.zeros((count, ns)), np.zeros((count, len(self.ports)))]
        found.append(np.zeros((0, 0, 0)) if jacobian is None else jacobian)
        read = [made.begin, made.measure, made.coefficient]
        return block(
            Beside._make(
                [times, *state, zero if way is None else way, zero, *found, *read, y, np.zeros_like(y), np.zeros(nv)]
            )
        )

    def act(self, made: Machine) -> Any:
        y = made.made.spare
        return np.uint64(far_address(act, made.made, 0, 0.0, y, y))

    def _free(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Free displacements and speeds at each instant, orthonormal relative to the model's length."""
        system, unit = self.base.system, self.unit[: self.n]
        scaled = J * unit / system.rows.scale[:, None]
        closing = ~system.on_velocities
        Y, self._slowing = self._null(scaled, np.arange(closing.size))
        Z, self._closing = (Y, self._slowing) if closing.all() else self._null(scaled, np.flatnonzero(closing))
        return unit[:, None] * Z, unit[:, None] * Y

    def backs(self) -> tuple[np.ndarray, np.ndarray]:
        """J^+ [instants, coordinates, rows] of the rows that hold positions, and of all rows; of those that depend on
        others it is zero."""
        return self._back(*self._closing), self._back(*self._slowing)

    def _back(self, rows: np.ndarray, Q: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Q R^-T, with units."""
        system = self.base.system
        found = np.zeros((Q.shape[0], self.n, system.row_count))
        turned = Q @ np.swapaxes(np.linalg.inv(R), 1, 2)
        found[:, :, rows] = self.unit[: self.n, None] * turned / system.rows.scale[rows]
        return found

    def _null(self, J: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """Orthonormal vectors x with J x = 0 of chosen rows, at all instants as many; and which of these rows are
        independent, with Q and R of their transpose."""
        J = J[:, chosen]
        if not J.shape[1]:
            none = np.zeros((J.shape[0], self.n, 0)), np.zeros((J.shape[0], 0, 0))
            return np.tile(np.eye(self.n), (J.shape[0], 1, 1)), (chosen, *none)
        pivots, order = scipy.linalg.qr(J[0].T, mode="r", pivoting=True)
        sizes = np.abs(np.diag(pivots))
        rows = np.sort(order[: int(np.sum(sizes > DEPENDENT * sizes[0]))])
        Q, R = np.linalg.qr(np.swapaxes(J[:, rows], 1, 2), mode="complete")
        Q, spanned, R = Q[:, :, rows.size :], Q[:, :, : rows.size], R[:, : rows.size]
        left = np.abs(J @ Q).max(axis=(1, 2), initial=0.0)
        firm = np.abs(np.diagonal(R, axis1=1, axis2=2)).min(axis=1)
        odd = (left > LEFT) | (firm < DEPENDENT)
        if odd.any():
            raise ModelError(
                f"the number of freedoms of '{self.run.model.name}' changes along the run, near t = "
                f"{self.run.times[np.argmax(odd)]:g} s: its motion has no derivative there"
            )
        return Q, (chosen[rows], spanned, R)


def read_by(system: System, ports: Sequence[Port]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What outputs read: where their parts begin, measures with levels, and factors."""
    place = system.wiring.measures
    parts = [[(c, place[m], int(level)) for c, m in terms] for terms, level in map(_terms, ports)]
    measure = np.array([(m, level) for part in parts for _, m, level in part], np.uint32).reshape(-1, 2)
    return starts(len(part) for part in parts), measure, np.array([c for part in parts for c, _, _ in part], float)


def _terms(port: Port) -> tuple[Any, int]:
    """The measures of an output and whether their values or rates are read."""
    if port.kind == VALUE:
        return port.what.parts(), 0
    if isinstance(port.what, Value):
        return port.what.of.parts(), int(type(port.what) is not Value)
    raise ModelError(f"'{port.name}' cannot be differentiated along a motion yet: measures and rate(measure) can")
