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

from cardan.analysis.displaced import jacobian
from cardan.analysis.forward import CLOSED
from cardan.analysis.linear_ports import VALUE, Port, watched
from cardan.analysis.simulate import first_state
from cardan.analysis.steady_kernels import unbalanced
from cardan.analysis.sweep_kernels import Beside, sweep
from cardan.errors import ModelError, SimulationError
from cardan.model.device import Value
from cardan.model.parameter import Parameter, changed
from cardan.model.space import displacement
from cardan.numerics.block import block
from cardan.numerics.far import far_address
from cardan.results.simulation import Simulation
from cardan.system.machine import CLOSE, machine
from cardan.system.motion import act
from cardan.system.tables import starts

FORMULAS = {
    2: (2.0**-16, ((1, 0.5),)),
    6: (2.0**-8, ((1, 3.0 / 4.0), (2, -3.0 / 20.0), (3, 1.0 / 60.0))),
}  # order of differences: their step, and the weights of its multiples
DEPENDENT = 1e-8  # of the largest singular value of the equations


class Watching:
    """Laws that make a system evaluate what outputs read; `first_state` takes them as events."""

    title = "an output"

    def __init__(self, law: Any) -> None:
        self.law = law


class Machine:
    """A mechanism at one value of the parameters: its tables, and where a run of it starts."""

    def __init__(self, model: Any, start: Any, ports: Sequence[Port]) -> None:
        self.system, (self.q, self.v, reference, self.time) = first_state(
            model, tuple(Watching(law) for law in watched(ports)), start, ()
        )
        self.made = machine(self.system)
        self.made.reference[:], self.reference = reference, reference
        self.made.setting[CLOSE] = max(CLOSED, self.system.rounding)
        self.states = self.system.states.start
        place = self.system.wiring.measures
        parts = [[(c, place[m], int(level)) for c, m in terms] for terms, level in map(_terms, ports)]
        self.begin = starts(len(part) for part in parts)
        self.measure = np.array([(m, level) for part in parts for _, m, level in part], np.uint32).reshape(-1, 2)
        self.coefficient = np.array([c for part in parts for c, _, _ in part], float)


class Slopes:
    """T, B, R, P, F, S above, at the instants of a run."""

    def __init__(
        self, run: Simulation, parameters: Sequence[Parameter], ports: Sequence[Port], start: Any, order: int
    ) -> None:
        self.run, self.ports, self.order = run, ports, order
        self.base = Machine(run.model, start, ports)
        system = self.base.system
        self.width, self.n, self.ns = system.width, system.coordinates, self.base.states.size
        self.unit = np.concatenate([np.tile(system.length / np.sqrt(system.weights), 2), system.states.scale])
        self.values = self._swept(self.base, None, 0.0)[-1]
        self._along_free()
        self._along(parameters, start)

    def _along_free(self) -> None:
        """T, B and R."""
        system, run = self.base.system, self.run
        Z, Y = self._free()
        count, width, n = len(run), self.width, self.n
        columns = []
        for k in range(Z.shape[2] + Y.shape[2] + self.ns):
            dq, dv = np.zeros((count, width + n)), np.zeros((count, width + n))
            ds = np.zeros((count, self.ns))
            if k < Z.shape[2]:
                dq[:, width:] = Z[:, :, k]
            elif k < Z.shape[2] + Y.shape[2]:
                dv[:, width:] = Y[:, :, k - Z.shape[2]]
            else:
                ds[:, k - Z.shape[2] - Y.shape[2]] = system.states.scale[k - Z.shape[2] - Y.shape[2]]
            columns.append(self._slope([(self.base, self.base)] * 3, (dq, dv, ds), 1.0))
        self.T, self.B, self.R = self._stacked(columns)
        self.left = np.linalg.pinv(self.T / self.unit[:, None]) / self.unit

    def _along(self, parameters: Sequence[Parameter], start: Any) -> None:
        """P, F and S, and x where the run starts."""
        model, base = self.run.model, self.base
        columns, begin = [], []
        for one in parameters:
            length = base.system.length
            size = max(abs(one.value), length) if one.is_length else abs(one.value) or 1.0
            share, formula = FORMULAS[self.order]
            h = float(2.0 ** np.floor(np.log2(share * size)))
            pairs = []
            for k, _ in formula:
                pair = []
                for sign in (1.0, -1.0):
                    with changed(model, {one: one.value + sign * k * h}, judged=False):
                        pair.append(Machine(model, start, self.ports))
                pairs.append((pair[0], pair[1]))
            columns.append(self._slope(pairs, None, h))
            begin.append(sum(w * (self._begin(a) - self._begin(b)) for (_, w), (a, b) in zip(formula, pairs)) / h)
        self.P, self.F, self.S = self._stacked(columns)
        self.x0 = np.stack(begin, axis=1)

    def _begin(self, made: Machine) -> np.ndarray:
        """Where a run starts, as a deviation."""
        step = self.base.system.speeds()
        displacement(self.base.system.geometry, self.base.q, made.q, step)
        return np.concatenate([step[self.width :], (made.v - self.base.v)[self.width :], made.states - self.base.states])

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

    def _stacked(self, columns: list[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
        """Deviations, their rates, and outputs."""
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
            if self._free_states and k >= first:
                ds[:, k - first] = self.base.system.states.scale[k - first]
            parts.append(np.concatenate([dq, dv, ds], axis=1))
        return np.stack(parts, axis=2), np.stack(rate, axis=2), np.stack(out, axis=2)

    @property
    def _free_states(self) -> bool:
        """Whether the columns at hand are those of free deviations: the last of them are states of devices."""
        return not hasattr(self, "T")

    def _turned(self, dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """dq' = dv, less omega x dtheta about the axes of bodies in space."""
        found, system = dv.copy(), self.base.system
        if system.space.dimensions == 3:
            for k in range(1, 1 + len(system.bodies)):
                turn = slice(6 * k + 3, 6 * k + 6)
                found[:, turn] -= np.cross(self.run.v[:, turn], dq[:, turn])
        return found

    def _swept(self, made: Machine, way: Any, h: float) -> tuple[np.ndarray, ...]:
        run, system = self.run, made.system
        count, nv, ns = len(run), system.speeds().size, self.ns
        zero = np.zeros((count, nv))
        dq, dv, ds = (zero, zero, np.zeros((count, ns))) if way is None else way
        found = [np.zeros((count, nv)) for _ in range(3)]
        y = np.zeros(system.start.size + nv + len(system.laws) + 2 + ns)
        tables = Beside(
            *(np.ascontiguousarray(part) for part in (run.times, run.q, run.v, run.states)),
            *(dq, dv, ds, *found),
            *(np.zeros((count, ns)), np.zeros((count, len(self.ports))), made.begin, made.measure, made.coefficient),
            *(y, np.zeros_like(y), np.zeros(nv)),
        )
        address = np.uint64(far_address(act, made.made, 0, 0.0, y, y))
        made.made.reference[:] = made.reference
        failed = sweep(made.made, address, block(tables), h)
        if failed:
            time = float(run.times[failed - 1])
            raise SimulationError(
                f"'{run.model.name}' cannot be differentiated at t = {time:g} s: beside the motion, joints do not close "
                "or accelerations have no value",
                time=time,
            )
        return tables.place, tables.speed, tables.rate, tables.trend, tables.value

    def _free(self) -> tuple[np.ndarray, np.ndarray]:
        """Free displacements and speeds at each instant, orthonormal relative to the model's length."""
        system, run, made = self.base.system, self.run, self.base.made
        unit = self.unit[: self.n]
        closing = ~system.on_velocities
        Z, Y = [], []
        zero = system.speeds()
        made.reference[:] = self.base.reference
        for k in range(len(run)):
            unbalanced(made, float(run.times[k]), run.q[k], run.v[k], zero)
            made.reference[:] = made.work.z[:, 0]
            J = (jacobian(system, made.work).toarray() * unit) / system.rows.scale[:, None]
            Y.append(unit[:, None] * _null(J, self.n))
            Z.append(Y[-1] if closing.all() else unit[:, None] * _null(J[closing], self.n))
        if len({part.shape for part in Y}) > 1:
            raise ModelError(
                f"the number of freedoms of '{run.model.name}' changes along the run: its motion has no derivative there"
            )
        return np.stack(Z), np.stack(Y)


def _null(J: np.ndarray, n: int) -> np.ndarray:
    return scipy.linalg.null_space(J, rcond=DEPENDENT) if J.shape[0] else np.eye(n)


def _terms(port: Port) -> tuple[Any, int]:
    """The measures of an output and whether their values or rates are read."""
    if port.kind == VALUE:
        return port.what.parts(), 0
    if isinstance(port.what, Value):
        return port.what.of.parts(), int(type(port.what) is not Value)
    raise ModelError(f"'{port.name}' cannot be differentiated along a motion yet: measures and rate(measure) can")


