"""The equations of a steady motion, with their derivatives.

    M a + h + J^T lambda - Q(q, v, t) = 0        balance of every body
    phi(q, t) = 0,    J v - nu = 0               closed joints, and wheels that do not slide
    x' = 0                                       constant states of devices,
    (next - held) / period = 0                   and constant outputs of sampled controllers
    c(q, W) = 0                                  user conditions: values of measures, radius, speed

with v(q, W, p) and a(q, W, p) of `steady.twist`. The unknowns are q, lambda, and what the user leaves open: the spin W,
rates p of spinning parts, values of free elements. There may be more equations than unknowns, since a closed joint
implies J v = nu, or fewer, since the whole may be rotated about the axis: steps are minimum-norm least-squares
solutions. The matrix is computed by central differences under `advance`.

All quantities are scaled: displacements by the model's length (angles by 1 rad), forces as energies by the largest one,
equations by their scale, rates by the fastest one. If `still`, nothing moves and drivers are constant: J v = nu is
omitted, which leaves the equations of equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.nearest import Closing
from cardan.analysis.joint.chart import JointChart
from cardan.analysis.loads.cartesian import force_failure
from cardan.analysis.steady.free import FreeElement
from cardan.analysis.steady.twist import Twist
from cardan.analysis.unsupported import repeats
from cardan.errors import CardanError, SimulationError
from cardan.model.device import Device
from cardan.model.space import advance
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.least_squares import least_squares
from cardan.system.cartesian.acceleration import forces_at
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.cartesian.motion import evaluate_at
from cardan.system.system import System

BALANCE_STEP = 1e-5  # step of a central difference
DEVICE_ITERATIONS, DEVICE_TOLERANCE = 60, 1e-12  # iterations between devices and the reactions they read, and tolerance


class Condition(NamedTuple):
    """A condition: `gap(q, spin, z)` must vanish, relative to `scale`."""

    words: str
    unit: str
    scale: float
    gap: Callable[[np.ndarray, float, np.ndarray], float]


class Asked(NamedTuple):
    """Known quantities (numbers) and unknowns (None)."""

    spin: float | None
    rates: tuple[float | None, ...]
    free: tuple[FreeElement, ...]
    conditions: tuple[Condition, ...]


@dataclass
class BalancePoint:
    """The evaluation at a position; forces are energies, not yet divided by the largest."""

    q: np.ndarray
    p: np.ndarray
    v: np.ndarray
    a: np.ndarray
    z: np.ndarray
    force: np.ndarray  # Q - h - M a
    J: np.ndarray
    phi: np.ndarray
    slip: np.ndarray  # J v - nu, then the rates of states of devices
    drift: np.ndarray  # J a - gamma
    conditions: np.ndarray
    strengths: np.ndarray


class Balance:
    """Evaluates the equations above for a compiled model."""

    def __init__(self, system: System, twist: Twist, asked: Asked, time: float, still: bool = False) -> None:
        self.system, self.twist, self.asked, self.time, self.still = system, twist, asked, time, still
        self.machine = mechanism_tables(system)
        self.unit = system.unit
        self.columns = system.columns
        self.place = {measure: k for k, measure in enumerate(system.measures)}
        self.closed = ~system.on_velocities
        self.closing = Closing(system, time, system.weights, self.closed.astype(np.uint8))
        held = {id(h): s for s in system.samplers if repeats(s) for h in (*s.states, *s.outputs)}
        owners = system.states.owner
        self.moving = np.array([k for k, o in enumerate(owners) if isinstance(o, Device) or id(o) in held], int)
        self.periods = np.array([held[id(o)].period if id(o) in held else 0.0 for o in owners])[self.moving]
        self.called = np.where([repeats(sampler) for sampler in system.samplers], -np.inf, np.inf)
        self.pace, self.size = 1.0, 1.0  # fastest rate, largest force
        self.idle = np.zeros(self.moving.size, bool)  # constant states, which are not unknowns
        self.steps = np.ones(self.unknowns)  # unit of each unknown besides q
        self.chart: JointChart | None = None  # coordinates of search steps, if not all
        self.exact: Callable[[BalancePoint, np.ndarray], np.ndarray] | None = None  # derivatives instead of differences

    @property
    def unknowns(self) -> int:
        """The number of unknowns besides positions and multipliers."""
        asked = self.asked
        return (asked.spin is None) + sum(rate is None for rate in asked.rates) + len(asked.free) + self.moving.size

    def names(self) -> list[str]:
        """The names of these unknowns in messages."""
        asked = self.asked
        parts = zip(asked.rates, self.twist.parts, strict=True)
        return [
            *(["the spin"] if asked.spin is None else []),
            *(f"the rate of {part.title}" for rate, part in parts if rate is None),
            *(f"the value of {free.title}" for free in asked.free),
            *(f"state {self.system.state_name(k)}" for k in self.moving),
        ]

    def split(self, p: np.ndarray) -> tuple[float, list[float], list[float]]:
        """Spin, rates and free values, including known ones, without the states of devices at the end of p."""
        left = iter(p[: p.size - self.moving.size].tolist())
        spin = next(left) if self.asked.spin is None else self.asked.spin
        rates = [next(left) if rate is None else rate for rate in self.asked.rates]
        return spin, rates, list(left)

    def at(
        self, q: np.ndarray, p: np.ndarray, time: float | None = None, speeds: np.ndarray | None = None
    ) -> BalancePoint:
        """Evaluate at positions q with the unknowns p; optional scaled `speeds` are added to those of the steady
        motion."""
        system, m = self.system, self.machine
        spin, rates, values = self.split(p)
        for free, value in zip(self.asked.free, values, strict=True):
            free.put(system, value)
        m.forces.circuit.states[self.moving] = p[p.size - self.moving.size :]
        now = self.time if time is None else time
        v, a = (system.speeds(), system.speeds()) if self.still else self.twist.motion(q, spin, rates)
        if speeds is not None:
            v[system.width :] += speeds * self.unit
        self._evaluate(now, q, v, a)
        work, force, strengths = m.work, m.force.copy(), m.strength.copy()
        for free, value in zip(self.asked.free, values, strict=True):
            force += (value - free.stated) * free.push(system, work.jac, self.columns, self.place)
            for k, share in free.laws:
                strengths[k] += (value - free.stated) * share
        J = system.dense_jacobian(work)
        of_rows, z = system.rows.scale, work.z[:, 0].copy()
        drift, changing = (J @ a[system.width :] - work.gamma) / of_rows, self._changing(now)
        return BalancePoint(
            *(q, p, v, a, z, force[system.width :] * self.unit, J * self.unit / of_rows[:, None], work.phi / of_rows),
            slip=np.concatenate([0.0 * of_rows if self.still else (work.rate - work.nu) / of_rows, changing]),
            drift=drift,
            conditions=np.array([c.gap(q, spin, z) / c.scale for c in self.asked.conditions]),
            strengths=strengths,
        )

    def _evaluate(self, time: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Forces and equations; devices that read reactions are iterated with them."""
        m, scale = self.machine, self.system.rows.scale
        rows = np.concatenate([m.forces.circuit.row, m.forces.circuit.sample_row])
        for _ in range(DEVICE_ITERATIONS):
            if unbalanced(m, time, q, v, a):
                raise self._failure()
            if not rows.size:
                return
            J = self.system.dense_jacobian(m.work)
            force = m.force[self.system.width :] * self.unit
            found = least_squares((J * self.unit / scale[:, None]).T, force, 1e-10) / scale
            seen = m.forces.circuit.multipliers
            change = float(np.abs(found[rows] - seen[rows]).max())
            seen[rows] = found[rows]
            if change <= DEVICE_TOLERANCE * float(np.abs(found).max()):
                return

    def _changing(self, time: float) -> np.ndarray:
        """The scaled rates of all unknown states; for held values the change at the next sample divided by the
        period."""
        m, circuit = self.machine, self.machine.forces.circuit
        found = circuit.rates[self.moving].copy()
        if self.periods.any():
            before, held = circuit.states.copy(), self.periods > 0.0
            circuit.states[circuit.sampled] = self.called
            failed = sampled(m, time)
            if failed:
                m.failure.law = len(self.system.laws) + failed
                raise self._failure()
            found[held] = (circuit.states - before)[self.moving][held] / self.periods[held]
            circuit.states[:] = before
        return found / self.system.states.scale[self.moving]

    def residual(self, point: BalancePoint, multipliers: np.ndarray) -> np.ndarray:
        """All equations, scaled: balance, joints, velocities, conditions. Multipliers are energies, like forces."""
        return np.concatenate(
            [
                (point.J.T @ multipliers - point.force) / self.size,
                point.phi[self.closed],
                point.slip / self.pace,
                point.conditions,
            ]
        )

    def multipliers(self, point: BalancePoint) -> np.ndarray:
        """The multipliers of least norm that come closest to balance."""
        return least_squares(point.J.T, point.force, 1e-10)

    def matrix(self, point: BalancePoint, multipliers: np.ndarray) -> np.ndarray:
        """The derivatives of `residual` with respect to scaled displacements, unknowns and scaled multipliers."""
        if self.exact is not None:
            return self.exact(point, multipliers)
        n, p = self.system.coordinates, point.p
        columns = []
        for k in range(n + p.size):
            sides = []
            for sign in (BALANCE_STEP, -BALANCE_STEP):
                q = self.moved(point.q, sign * np.eye(1, n, k)[0]) if k < n else point.q
                there = p + sign * self.steps * np.eye(1, p.size, k - n)[0] if k >= n else p
                sides.append(self.residual(self.at(q, there), multipliers))
            columns.append((sides[0] - sides[1]) / (2.0 * BALANCE_STEP))
        by_multipliers = np.zeros((columns[0].size, multipliers.size))
        by_multipliers[:n] = point.J.T
        return np.column_stack([*columns, by_multipliers])

    def step(
        self, matrix: np.ndarray, residual: np.ndarray, q: np.ndarray, rank: float, across: np.ndarray
    ) -> np.ndarray:
        """The shortest step of displacements, unknowns and multipliers that balances to first order; `across` holds the
        units of the matrix columns, 1 for displacements."""
        if self.chart is not None:
            n = self.system.coordinates
            by_joints = matrix[:, :n] @ self.chart.columns(q)
            matrix = np.concatenate([by_joints, matrix[:, n:]], axis=1)
            across = np.concatenate([np.ones(by_joints.shape[1]), across[n:]])
        found: np.ndarray = least_squares(matrix, -residual, rank) / across
        return found

    def stepped(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The position after the displacements of a step."""
        return self.moved(q, step) if self.chart is None else self.chart.moved(q, step)

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The position displaced by a scaled step."""
        there, full = q.copy(), self.system.speeds()
        full[self.system.width :] = step * self.unit
        advance(self.system.geometry, there, full)
        return there

    def reclosed(self, q: np.ndarray, p: np.ndarray) -> np.ndarray | None:
        """The position nearest to q with all joints closed and the values of holds in p; None if there is none."""
        for free, value in zip(self.asked.free, self.split(p)[2], strict=True):
            free.put(self.system, value)
        q, error, status = self.closing.close(q, self.machine.reference.copy(), 0.01 * CLOSED)
        return None if status or not error <= max(100.0 * CLOSED, self.system.rounding) else q

    def weigh(self, point: BalancePoint) -> None:
        """Compute the scales of forces, rates and unknowns."""
        system = self.system
        spin, rates, _ = self.split(point.p)
        gravity = float(np.linalg.norm(system.model.gravity))
        swing = (gravity / system.length) ** 0.5
        self.pace = max(abs(spin), swing, *(abs(rate) for rate in rates), 0.0) or 1.0
        bodies = point.a[: system.width * (1 + len(system.bodies))].reshape(-1, system.width)
        fastest = np.linalg.norm(bodies[:, : system.space.dimensions], axis=1)
        heaviest = float(np.max(self.machine.matter[:, 0] * (gravity + fastest))) * system.length
        self.size = max(heaviest, self._largest_force(point), float(np.abs(point.force).max())) or 1.0
        of_rates = [self.pace] * (self.unknowns - len(self.asked.free) - self.moving.size)
        of_states = self.system.states.scale[self.moving]
        self.steps = np.array([*of_rates, *(self._unit_of(free) for free in self.asked.free), *of_states])

    def _largest_force(self, point: BalancePoint) -> float:
        """The largest component of an applied force, as an energy; for a spring also the terms that cancel in z -
        rest."""
        unit, largest = np.append(np.zeros(self.system.width), self.unit), 0.0
        arms = (np.abs(self.machine.work.jac) * unit[self.columns]).max(axis=1, initial=0.0)
        for law, strength in zip(self.system.laws, point.strengths, strict=True):
            size = max(abs(strength), abs(law.stiffness * law.rest))
            largest = max(largest, *(size * abs(c) * arms[self.place[m]] for c, m in law.terms))
        return largest

    def _unit_of(self, free: FreeElement) -> float:
        if free.row is not None:
            return float(self.system.rows.scale[free.row])
        push = free.push(self.system, self.machine.work.jac, self.columns, self.place)[self.system.width :] * self.unit
        return self.size / (float(np.abs(push).max()) or 1.0)

    def remember(self, point: BalancePoint) -> None:
        """Store the current turns of angles."""
        self.machine.reference[:] = point.z

    def _failure(self) -> CardanError:
        """The error of a failed evaluation."""
        system = self.system
        if self.machine.failure.law <= 0:
            return system.failure(int(self.machine.failure.row), self.time, work=self.machine.work)
        why = force_failure(system, int(self.machine.failure.law) - 1, self.machine.forces)
        what = "was brought to equilibrium" if self.still else "was searched for a steady motion"
        return SimulationError(
            f"{why.words.rstrip('.')}, while '{system.model.name}' {what}",
            time=self.time,
            elements=why.elements,
            cause=why.cause,
        )


@kernel
def unbalanced(machine, t, q, v, a):
    """machine.force = Q - h - M a at positions q; all equations and measures are evaluated, too. Returns a status."""
    return evaluate_at(machine, t, q) or forces_at(machine, t, v, a, True)


@kernel
def sampled(machine, t):
    """Let all due samplers write their held values, at the last evaluation. Returns a status."""
    circuit = machine.forces.circuit
    return call_pointer(circuit.kernels.sample, (circuit, t, machine.work.z))
