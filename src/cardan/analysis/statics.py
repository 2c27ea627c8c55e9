"""The equations of rest of a compiled model at one instant, with their derivatives.

    Phi_q^T lambda = Q(q),    Phi(q) = 0                                                    (Haug 6.5.2, 7.5.1, 7.5.2)

Q are weight and applied forces with all rates zero. What is needed beside them is the matrix of the residual,

    H = (Phi_q^T lambda)_q - Q_q          the Hessian of the energy and of the constraints that lambda loads

taken by central differences under `advance`: bodies that share no equation and no force with a common neighbour are
moved together, so that a chain of any length costs as much as three of its links. In space the differences hold half
of the net torque on each body as a skew part; the symmetric part is the Hessian in the exponential chart.

All is scaled: displacements by the model's length (angles by 1 rad), equations by their scale. Forces are then energies
and compare with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from cardan.analysis.nearest import FLOOR
from cardan.errors import SimulationError
from cardan.model.force import Force
from cardan.model.space import advance, inertia_forces
from cardan.numerics.ldlt import solve
from cardan.system.compile import columns_of
from cardan.system.evaluate import evaluate_position, factorize
from cardan.system.forces import apply_forces, force_table
from cardan.system.system import System

STEP = 1e-5  # of a central difference: its error, STEP^2, and that of rounding are both about 1e-10


@dataclass
class Point:
    """What was evaluated at a position, scaled."""

    phi: np.ndarray
    values: np.ndarray  # of the Jacobian, in the order of the solver's table
    force: np.ndarray  # Q
    varied: np.ndarray  # the part of Q that the load factor multiplies, for a factor of one
    strengths: np.ndarray  # of all laws, not scaled
    z: np.ndarray  # the values of all measures, not scaled
    size: float  # the largest single contribution to Q
    multipliers: np.ndarray  # lambda, the least squares solution
    residual: np.ndarray  # Phi_q^T lambda - Q: the gradient of the energy along the joints


class Statics:
    """Forces and equations of a system at rest at one instant. `varied` is what `factor` multiplies."""

    def __init__(self, system: System, time: float, varied: Force | str | None = None, factor: float = 1.0) -> None:
        self.system, self.time, self.factor = system, time, factor
        self.unit = system.length / np.sqrt(system.weights)
        self.work = system.work()
        self.active = np.ones(system.row_count, np.uint8)
        self.matter = system.space.matter((system.model.ground, *system.bodies))
        self.matter[0] = 0.0
        self.gravity = np.array(system.model.gravity, float)
        self.weight_varies = varied == "gravity"
        chosen = np.array([element is varied for element in system.forces], bool)
        self.columns = columns_of(
            system.space, system.number, system.measures, system.own, system.width * (1 + len(system.bodies))
        )
        self.tables = [(np.flatnonzero(part), self._table(part)) for part in (~chosen, chosen)]
        self.chosen = chosen
        row, column = system.solver.row, system.solver.column.astype(int) - system.width
        self.row, self.column = row.astype(int), column
        self.value_scale = self.unit[column] / system.rows.scale[row]
        self.groups = _groups(system, self.columns)
        self.rest = system.speeds()

    def _table(self, chosen: np.ndarray) -> Any:
        return force_table([self.system.laws[k] for k in np.flatnonzero(chosen)], self.system.measures, self.columns)

    @property
    def law_factors(self) -> np.ndarray:
        """What each law is multiplied by."""
        return np.where(self.chosen, self.factor, 1.0)

    @property
    def row_count(self) -> int:
        return self.system.row_count

    def at(self, q: np.ndarray, reference: np.ndarray) -> Point:
        """Evaluate at a position, and find the multipliers that come nearest to balance."""
        point = self._evaluated(q, reference)
        point.multipliers = self._nearest_multipliers(point)
        point.residual = self.residual(point, point.multipliers)
        return point

    def residual(self, point: Point, multipliers: np.ndarray) -> np.ndarray:
        """Phi_q^T lambda - Q."""
        carried = np.bincount(self.column, point.values * multipliers[self.row], point.force.size)
        found: np.ndarray = carried - point.force
        return found

    def jacobian(self, point: Point) -> sp.csr_array:
        """Phi_q."""
        shape = (self.row_count, self.system.coordinates)
        return sp.csr_array(sp.coo_array((point.values, (self.row, self.column)), shape=shape))

    def stiffness(self, q: np.ndarray, reference: np.ndarray, multipliers: np.ndarray) -> sp.csr_array:
        """H at fixed multipliers; not symmetric where forces follow a body."""
        data, n = [], self.system.coordinates
        for moved, rows, _ in self.groups:
            ends = []
            for sign in (1.0, -1.0):
                step = self.system.speeds()
                step[self.system.width + moved] = sign * STEP * self.unit[moved]
                there = q.copy()
                advance(self.system.geometry, there, step)
                ends.append(self.residual(self._evaluated(there, reference), multipliers)[rows])
            data.append((ends[0] - ends[1]) / (2.0 * STEP))
        rows, columns = (np.concatenate([group[k] for group in self.groups]) for k in (1, 2))
        return sp.csr_array(sp.coo_array((np.concatenate(data), (rows, columns)), shape=(n, n)))

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The position displaced by a scaled step."""
        there, full = q.copy(), self.system.speeds()
        full[self.system.width :] = step * self.unit
        advance(self.system.geometry, there, full)
        return there

    def _evaluated(self, q: np.ndarray, reference: np.ndarray) -> Point:
        system, work = self.system, self.work
        status = int(evaluate_position(system.geometry, system.rows, q, self.time, reference, work))
        if status:
            raise system.failure(status, self.time, work=work)
        weight = system.speeds()
        inertia_forces(system.geometry, self.matter, self.gravity, q, self.rest, self.rest, weight)
        parts, strengths = [weight * (not self.weight_varies), weight * self.weight_varies], np.zeros(len(system.laws))
        for k, (laws, table) in enumerate(self.tables):
            found = np.zeros(laws.size)
            status = int(apply_forces(table, self.time, work, found, parts[k]))
            if status:
                raise self._no_force(int(laws[status - 1]))
            strengths[laws] = found * (self.factor if k else 1.0)
        fixed, varied = (part[system.width :] * self.unit for part in parts)
        values = work.coefficient[system.solver.entry] * work.jac[system.solver.measure, system.solver.part]
        force = fixed + self.factor * varied
        size = max(float(np.abs(weight[system.width :] * self.unit).max(initial=0.0)), self._largest(strengths))
        return Point(
            phi=work.phi / system.rows.scale,
            values=values * self.value_scale,
            force=force,
            varied=varied,
            strengths=strengths,
            z=work.z[:, 0].copy(),
            size=size,
            multipliers=np.zeros(0),
            residual=np.zeros(0),
        )

    def _largest(self, strengths: np.ndarray) -> float:
        """The largest component of a single force, as an energy."""
        unit = np.concatenate([np.zeros(self.system.width), self.unit])
        largest = 0.0
        for laws, table in self.tables:
            arms = np.abs(table.coefficient) * (np.abs(self.work.jac) * unit[self.columns]).max(axis=1)[table.measure]
            owner = np.repeat(laws, np.diff(table.start.astype(int)))
            largest = max(largest, float((np.abs(strengths[owner]) * arms).max(initial=0.0)))
        return largest

    def _nearest_multipliers(self, point: Point) -> np.ndarray:
        """Solve [[W, J^T], [J, -FLOOR]] [x; lambda] = [Q; 0], twice: the second time for what the first left over."""
        system, work = self.system, self.work
        scaled, place = np.zeros(self.row_count), system.solver.place
        if factorize(system.rows, system.solver, system.weights, self.active, FLOOR, work):
            raise SimulationError(f"the equations of '{system.model.name}' are singular beyond repair", time=self.time)
        nc = system.coordinates
        for _ in range(2):
            work.x[:] = 0.0
            work.x[place[:nc]] = -self.residual(point, scaled) / self.unit
            solve(system.solver.pattern, work.lower, work.pivots, work.x)
            scaled += work.x[place[nc:]] * system.rows.scale
        return scaled

    def _no_force(self, law: int) -> SimulationError:
        element = self.system.forces[law]
        return SimulationError(
            f"{element.title} gave no finite force, or its function raised, while '{self.system.model.name}' was "
            f"brought to rest at t = {self.time:g} s",
            time=self.time,
            elements=(element.name,),
        )


def _groups(system: System, columns: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Coordinates that may be moved together, and the rows and columns of H that this tells."""
    units = [np.arange(u.start, u.stop) for u in system.structure[0]]
    neighbours = _neighbours(system, columns, len(units))
    taken: list[set[int]] = []  # of each colour the units that its members reach
    members: list[list[int]] = []
    for u, reached in enumerate(neighbours):
        colour = next((k for k, others in enumerate(taken) if not others & reached), len(taken))
        if colour == len(taken):
            taken.append(set())
            members.append([])
        taken[colour] |= reached
        members[colour].append(u)
    groups = []
    for colour in members:
        for place in range(max(units[u].size for u in colour)):
            moving = [u for u in colour if units[u].size > place]
            reached_rows = [np.concatenate([units[v] for v in sorted(neighbours[u])]) for u in moving]
            moved = np.array([units[u][place] for u in moving])
            sizes = [rows.size for rows in reached_rows]
            groups.append((moved, np.concatenate(reached_rows), np.repeat(moved, sizes)))
    return groups


def _neighbours(system: System, columns: np.ndarray, count: int) -> list[set[int]]:
    """For each body or own coordinate those that share an equation or a force with it, itself included."""
    unit_of = np.concatenate([np.full(len(u), k) for k, u in enumerate(system.structure[0])])
    place = {measure: k for k, measure in enumerate(system.measures)}
    measures = [[place[m] for _, m in e.terms] for e in system.equations]
    measures += [[place[m] for m in law.measures()] for law in system.laws]
    neighbours = [{u} for u in range(count)]
    for numbers in measures:
        touched = columns[numbers].ravel() - system.width
        clique = set(unit_of[touched[touched >= 0]].tolist())
        for u in clique:
            neighbours[u] |= clique
    return neighbours
