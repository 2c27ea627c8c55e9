"""The equations of a steady motion, with their derivatives.

    M a + h + J^T lambda - Q(q, v, t) = 0        balance of every body
    phi(q, t) = 0,    J v - nu = 0               joints stay closed, and wheels do not slide
    x' = 0                                       states of devices stay as they are,
    (next - held) / period = 0                   and so does what sampled controllers hold
    c(q, W) = 0                                  conditions of the user: values of measures, radius, speed

with v(q, W, p) and a(q, W, p) of `steady.twist`. Unknown are q, lambda, and what the user leaves open: the spin W,
rates p of spinning parts, values of free elements. There may be more equations than unknowns, as a joint that stays
closed keeps J v = nu anyway, and fewer, as the whole may stand turned about the axis: steps are least-squares ones of
least length. The matrix is taken by central differences under `advance`.

All is scaled: displacements by the model's length (angles by 1 rad), forces as energies by the largest one, equations
by their scale, rates by the fastest one. Where `still`, nothing moves and drivers only hold: J v = nu is left out, and
what remains are the equations of equilibrium.
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
from cardan.analysis.steady.free import Free
from cardan.analysis.steady.kernels import sampled, unbalanced
from cardan.analysis.steady.twist import Twist
from cardan.analysis.unsupported import repeats
from cardan.errors import CardanError, SimulationError
from cardan.model.device import Device
from cardan.model.space import advance
from cardan.numerics.linalg.least_squares import least_squares
from cardan.system.cartesian.mechanism_tables import mechanism_tables
from cardan.system.system import System

STEP = 1e-5  # of a central difference
SETTLE, SETTLED = 60, 1e-12  # evaluations until devices have seen the reactions that came out, and how well


class Condition(NamedTuple):
    """Something asked for: `gap(q, spin, z)` is to vanish, and counts relative to `scale`."""

    words: str
    unit: str
    scale: float
    gap: Callable[[np.ndarray, float, np.ndarray], float]


class Asked(NamedTuple):
    """What is known (numbers) and what is sought (None)."""

    spin: float | None
    rates: tuple[float | None, ...]
    free: tuple[Free, ...]
    conditions: tuple[Condition, ...]


@dataclass
class Point:
    """What was evaluated at a place; forces are energies, not yet divided by the largest."""

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
        self.unit = system.length / np.sqrt(system.weights)
        self.columns = system.columns
        self.place = {measure: k for k, measure in enumerate(system.measures)}
        self.closed = ~system.on_velocities
        self.closing = Closing(system, time, system.weights, self.closed.astype(np.uint8))
        held = {id(h): s for s in system.samplers if repeats(s) for h in (*s.states, *s.outputs)}
        owners = system.states.owner
        self.moving = np.array([k for k, o in enumerate(owners) if isinstance(o, Device) or id(o) in held], int)
        self.periods = np.array([held[id(o)].period if id(o) in held else 0.0 for o in owners])[self.moving]
        self.called = np.where([repeats(sampler) for sampler in system.samplers], -np.inf, np.inf)
        self.pace, self.size = 1.0, 1.0  # the fastest rate, the largest force
        self.idle = np.zeros(self.moving.size, bool)  # states that nothing changes: no unknowns of a search
        self.steps = np.ones(self.unknowns)  # what counts as one unit of each unknown beside q
        self.chart: JointChart | None = None  # by which a search steps, if not by all coordinates
        self.exact: Callable[[Point, np.ndarray], np.ndarray] | None = None  # derivatives, in place of differences

    @property
    def unknowns(self) -> int:
        """How many there are beside positions and multipliers."""
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
        """Spin, rates and free values, known ones included; states of devices, which come last in p, are left out."""
        left = iter(p[: p.size - self.moving.size].tolist())
        spin = next(left) if self.asked.spin is None else self.asked.spin
        rates = [next(left) if rate is None else rate for rate in self.asked.rates]
        return spin, rates, list(left)

    def at(self, q: np.ndarray, p: np.ndarray, time: float | None = None, speeds: np.ndarray | None = None) -> Point:
        """Evaluate at positions q with the unknowns p; scaled `speeds` may be added to those of the steady motion."""
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
        rows, columns, entries, shape = system.jacobian(work)
        J = np.bincount(rows * shape[1] + columns, entries, shape[0] * shape[1]).reshape(shape)
        of_rows, z = system.rows.scale, work.z[:, 0].copy()
        drift, changing = (J @ a[system.width :] - work.gamma) / of_rows, self._changing(now)
        return Point(
            *(q, p, v, a, z, force[system.width :] * self.unit, J * self.unit / of_rows[:, None], work.phi / of_rows),
            slip=np.concatenate([0.0 * of_rows if self.still else (work.rate - work.nu) / of_rows, changing]),
            drift=drift,
            conditions=np.array([c.gap(q, spin, z) / c.scale for c in self.asked.conditions]),
            strengths=strengths,
        )

    def _evaluate(self, time: float, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Forces and equations; devices that read reactions see those that come out."""
        m, scale = self.machine, self.system.rows.scale
        rows = np.concatenate([m.forces.circuit.row, m.forces.circuit.sample_row])
        for _ in range(SETTLE):
            if unbalanced(m, time, q, v, a):
                raise self._failure()
            if not rows.size:
                return
            places, columns, entries, shape = self.system.jacobian(m.work)
            J = np.bincount(places * shape[1] + columns, entries, shape[0] * shape[1]).reshape(shape)
            force = m.force[self.system.width :] * self.unit
            found = least_squares((J * self.unit / scale[:, None]).T, force, 1e-10) / scale
            seen = m.forces.circuit.multipliers
            change = float(np.abs(found[rows] - seen[rows]).max())
            seen[rows] = found[rows]
            if change <= SETTLED * float(np.abs(found).max()):
                return

    def _changing(self, time: float) -> np.ndarray:
        """The rates of all states sought, scaled; of what is held the change with the next sample, over the period."""
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

    def residual(self, point: Point, multipliers: np.ndarray) -> np.ndarray:
        """All equations, scaled: balance, joints, velocities, conditions. Multipliers are energies as forces are."""
        return np.concatenate(
            [
                (point.J.T @ multipliers - point.force) / self.size,
                point.phi[self.closed],
                point.slip / self.pace,
                point.conditions,
            ]
        )

    def multipliers(self, point: Point) -> np.ndarray:
        """Those of least norm that come nearest to balance."""
        return least_squares(point.J.T, point.force, 1e-10)

    def matrix(self, point: Point, multipliers: np.ndarray) -> np.ndarray:
        """The derivatives of `residual` by scaled displacements, by the unknowns, by the multipliers in their sizes."""
        if self.exact is not None:
            return self.exact(point, multipliers)
        n, p = self.system.coordinates, point.p
        columns = []
        for k in range(n + p.size):
            sides = []
            for sign in (STEP, -STEP):
                q = self.moved(point.q, sign * np.eye(1, n, k)[0]) if k < n else point.q
                there = p + sign * self.steps * np.eye(1, p.size, k - n)[0] if k >= n else p
                sides.append(self.residual(self.at(q, there), multipliers))
            columns.append((sides[0] - sides[1]) / (2.0 * STEP))
        by_multipliers = np.zeros((columns[0].size, multipliers.size))
        by_multipliers[:n] = point.J.T
        return np.column_stack([*columns, by_multipliers])

    def step(
        self, matrix: np.ndarray, residual: np.ndarray, q: np.ndarray, rank: float, across: np.ndarray
    ) -> np.ndarray:
        """The shortest step of displacements, unknowns and multipliers that balances to first order; `across` are the
        units of the matrix' columns, those of displacements 1."""
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
        """The position nearest to q with all joints closed, holds having their values in p; None if there is none."""
        for free, value in zip(self.asked.free, self.split(p)[2], strict=True):
            free.put(self.system, value)
        q, error, status = self.closing.close(q, self.machine.reference.copy(), 0.01 * CLOSED)
        return None if status or not error <= max(100.0 * CLOSED, self.system.rounding) else q

    def weigh(self, point: Point) -> None:
        """Find what forces, rates and unknowns are compared with."""
        system = self.system
        spin, rates, _ = self.split(point.p)
        gravity = float(np.linalg.norm(system.model.gravity))
        swing = (gravity / system.length) ** 0.5
        self.pace = max(abs(spin), swing, *(abs(rate) for rate in rates), 0.0) or 1.0
        bodies = point.a[: system.width * (1 + len(system.bodies))].reshape(-1, system.width)
        fastest = np.linalg.norm(bodies[:, : system.space.dimensions], axis=1)
        heaviest = float(np.max(self.machine.matter[:, 0] * (gravity + fastest))) * system.length
        self.size = max(heaviest, self._strongest(point), float(np.abs(point.force).max())) or 1.0
        of_rates = [self.pace] * (self.unknowns - len(self.asked.free) - self.moving.size)
        of_states = self.system.states.scale[self.moving]
        self.steps = np.array([*of_rates, *(self._unit_of(free) for free in self.asked.free), *of_states])

    def _strongest(self, point: Point) -> float:
        """The largest component of an applied force, as an energy; of a spring also of what cancels in z - rest."""
        unit, largest = np.append(np.zeros(self.system.width), self.unit), 0.0
        arms = (np.abs(self.machine.work.jac) * unit[self.columns]).max(axis=1, initial=0.0)
        for law, strength in zip(self.system.laws, point.strengths, strict=True):
            size = max(abs(strength), abs(law.stiffness * law.rest))
            largest = max(largest, *(size * abs(c) * arms[self.place[m]] for c, m in law.terms))
        return largest

    def _unit_of(self, free: Free) -> float:
        if free.row is not None:
            return float(self.system.rows.scale[free.row])
        push = free.push(self.system, self.machine.work.jac, self.columns, self.place)[self.system.width :] * self.unit
        return self.size / (float(np.abs(push).max()) or 1.0)

    def remember(self, point: Point) -> None:
        """Let angles count their turns from here."""
        self.machine.reference[:] = point.z

    def _failure(self) -> CardanError:
        """The error behind an evaluation that failed."""
        system = self.system
        if self.machine.failure.law <= 0:
            return system.failure(int(self.machine.failure.row), self.time, work=self.machine.work)
        why = force_failure(system, int(self.machine.failure.law) - 1, self.machine.forces)
        what = "was brought to rest" if self.still else "was sought in steady motion"
        return SimulationError(
            f"{why.words.rstrip('.')}, while '{system.model.name}' {what}",
            time=self.time,
            elements=why.elements,
            cause=why.cause,
        )
