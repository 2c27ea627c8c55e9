"""The equations of equilibrium of a compiled model at one time, with their derivatives.

    Phi_q^T lambda = Q(q),    Phi(q) = 0                                                    (Haug 6.5.2, 7.5.1, 7.5.2)

Q are weight and applied forces with all rates zero. The matrix of the residual is

    H = (Phi_q^T lambda)_q - Q_q          the Hessian of the energy and of the constraints that lambda loads

computed by central differences under `advance`: bodies that share no equation or force with a common neighbor are
moved together, and a chain of any length costs as much as three of its links. The error is 1e-10 of the largest entry;
if stability needs more, exact derivatives are used, see `stiffness`. In space the differences contain half of the net
torque on each body as a skew part; the symmetric part is the Hessian in the exponential chart.

All quantities are scaled: displacements by the model's length (angles by 1 rad), equations by their scale. Forces are
then energies and comparable.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from cardan.analysis.assembly.nearest import LAST_REGULARIZATION
from cardan.analysis.equilibria.imbalance import differences, imbalance, static_tables
from cardan.analysis.loads.cartesian import force_failure
from cardan.errors import CardanError, SimulationError
from cardan.model.device import Device
from cardan.model.force import Force
from cardan.model.space import advance
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.rank import SINE
from cardan.numerics.linalg.rank_report import RankReport, Structure, rank_report
from cardan.system.balance import column_scale
from cardan.system.evaluate import factorize_soft
from cardan.system.forces import force_table
from cardan.system.system import System

DENSE = 150  # number of coordinates up to which ranks are computed by dense factorization
SOFT = 1e-12  # relative to a unit pivot, for redundant equations
SETTLE, SETTLED = 60, 1e-13  # evaluations until forces of teeth agree with reactions, and how well
SMALL = 60  # number of coordinates up to which matrices are dense
STEP = 1e-5  # step of central differences: its error, STEP^2, and that of rounding are both about 1e-10


@dataclass
class StaticPoint:
    """The evaluation at a position, scaled."""

    phi: np.ndarray
    values: np.ndarray  # of the Jacobian, in the order of the solver's table
    force: np.ndarray  # Q
    varied: np.ndarray  # the part of Q that the load factor multiplies, for a factor of one
    strengths: np.ndarray  # of all laws, not scaled
    z: np.ndarray  # the values of all measures, not scaled
    size: float  # the largest single contribution to Q, here or at the start of the search
    acting: float  # the largest force that acts here
    multipliers: np.ndarray  # lambda, the least squares solution
    residual: np.ndarray  # Phi_q^T lambda - Q: the gradient of the energy along the joints
    chart: Any = None  # other coordinates, if the search uses them


class Statics:
    """Forces and equations of a system in equilibrium at one time. `factor` multiplies the forces `varied`."""

    timed = True  # whether `go_to` changes the time, and not only numbers

    def __init__(self, system: System, time: float, varied: Force | str | None = None, factor: float = 1.0) -> None:
        self.system, self.time, self.factor = system, time, factor
        self.unit = system.unit
        self.work = system.work()
        self.active = np.ones(system.row_count, np.uint8)
        self.matter = system.matter()
        self.varied = varied
        self.weight_varies = varied == "gravity"
        self.varies = varied is not None
        self.states = system.states.start.copy()  # of devices,
        self.multipliers = np.zeros(system.wiring.beyond + 1)  # and the reactions that they read
        self.workless = any(law.workless for law in system.laws)  # forces of teeth follow from reactions, without work
        self.chosen = np.array([element is varied for element in system.forces], bool)
        self.columns = system.columns
        self.forces = [self._table(~self.chosen, system.devices), self._table(self.chosen, ())]
        place = {measure: k for k, measure in enumerate(system.measures)}
        terms = [(k, abs(c), place[m]) for k, law in enumerate(system.laws) for c, m in law.terms]
        self.law, self.measure = np.array([(k, m) for k, _, m in terms], int).reshape(-1, 2).T  # of each term of a law
        self.share = np.array([c for _, c, _ in terms])
        self.stressed = np.array([abs(law.stiffness * law.rest) for law in system.laws])
        row, column = system.solver.row, system.solver.column.astype(int) - system.width
        self.row, self.column = row.astype(int), column
        self.usual = 0.0  # scale of forces, even if all forces have become small
        self.exact: bool | None = None  # whether searches need exact derivatives; see `needs_exact`
        self.exact_tables: Any = None  # forces and the pattern of matrices for exact derivatives; see `equations_at`
        self.value_scale = self.unit[column] / system.rows.scale[row]
        self._plan_differences()

    def _plan_differences(self) -> None:
        """Plan the differences: coordinates moved together, resulting entries of H, and memory."""
        system = self.system
        groups = _groups(system, self.columns)
        self.steps = np.zeros((len(groups), system.speeds().size))
        for line, (moved, _, _) in zip(self.steps, groups, strict=True):
            line[system.width + moved] = STEP * self.unit[moved]
        number = np.repeat(np.arange(len(groups)), [rows.size for _, rows, _ in groups])
        self.pattern = (*(np.concatenate([group[k] for group in groups]) for k in (1, 2)), number)
        counts = int(np.sum(~self.chosen)), int(np.sum(self.chosen))
        self._tables = static_tables(system, self.forces, counts, self.matter, self.work)
        self.gravity, self.scratch = self._tables.gravity, self._tables.scratch

    def _table(self, chosen: np.ndarray, devices: tuple[Device, ...]) -> Any:
        laws = [self.system.laws[k] for k in np.flatnonzero(chosen)]
        return force_table(self.system, laws, devices, self.states, self.multipliers)

    def go_to(self, time: float) -> None:
        """Evaluate at another time."""
        self.time = time

    def follow_lines(self) -> tuple[np.ndarray, ...]:
        """How compiled loops go to another time: addresses of numbers, these numbers at time 0 and their rates, the
        address of a function that writes others, its argument and result. Time alone changes no tables."""
        return np.zeros(0, np.uint64), np.zeros(0), np.zeros(0), np.zeros(1, np.uint64), np.zeros(1), np.zeros(5)

    def where(self, time: float) -> str:
        """A time in messages."""
        return f"t = {time:.9g} s"

    @contextmanager
    def ordinary(self) -> Iterator[Statics]:
        """Statics whose system has the numbers that hold now, for searches and decisions about stability."""
        yield self

    @property
    def law_factors(self) -> np.ndarray:
        """The factor of each law."""
        return np.where(self.chosen, self.factor, 1.0)

    @property
    def angular(self) -> np.ndarray:
        """The coordinates that are angles, including contact coordinates."""
        system = self.system
        return np.append(
            np.tile(system.space.angular, len(system.bodies)), np.ones(len(system.contact_coordinates), bool)
        ).astype(bool)

    @property
    def size(self) -> int:
        """The number of unknown coordinates."""
        return self.system.coordinates

    def name_of(self, number: int) -> str:
        """The name of one of them in messages."""
        return self.system.coordinate_name(number)

    @property
    def row_count(self) -> int:
        return self.system.row_count

    def at(self, q: np.ndarray, reference: np.ndarray) -> StaticPoint:
        """Evaluate at a position, and find the multipliers that come closest to balance."""
        point = self._balanced(q, reference)
        for _ in range(SETTLE if self.workless else 0):
            known, count = self.multipliers, self.row_count
            found = point.multipliers / self.system.rows.scale
            change, known[:count] = np.abs(found - known[:count]).max(), found
            if change <= SETTLED * np.abs(found).max():
                break
            point = self._balanced(q, reference)
        return point

    def _balanced(self, q: np.ndarray, reference: np.ndarray) -> StaticPoint:
        point = self._evaluated(q, reference)
        point.multipliers = self._nearest_multipliers(point)
        point.residual = self.residual(point, point.multipliers)
        return point

    def residual(self, point: StaticPoint, multipliers: np.ndarray) -> np.ndarray:
        """Phi_q^T lambda - Q."""
        carried = np.bincount(self.column, point.values * multipliers[self.row], point.force.size)
        found: np.ndarray = carried - point.force
        return found

    def jacobian(self, point: StaticPoint) -> Any:
        """Phi_q."""
        return self._matrix(point.values, self.row, self.column, (self.row_count, self.system.coordinates))

    def stiffness(
        self, q: np.ndarray, reference: np.ndarray, multipliers: np.ndarray, point: StaticPoint | None = None
    ) -> Any:
        """H at fixed multipliers at `point`; not symmetric if forces rotate with a body."""
        n, width = self.system.coordinates, self.system.width
        found = np.zeros((len(self.steps), width + n))
        loaded = q, self.time, reference, multipliers / self.system.rows.scale
        status = int(differences(self.loops, *loaded, self.steps, found))
        if status:
            raise self.failure(status)
        found = found[:, width:] * self.unit / (2.0 * STEP)
        rows, columns, group = self.pattern
        return self._matrix(found[group, rows], rows, columns, (n, n))

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The position displaced by a scaled step."""
        there, full = q.copy(), self.system.speeds()
        full[self.system.width :] = step * self.unit
        advance(self.system.geometry, there, full)
        return there

    def _evaluated(self, q: np.ndarray, reference: np.ndarray) -> StaticPoint:
        system, work, scratch = self.system, self.work, self.scratch
        status = int(imbalance(self.loops, q, self.time, reference, np.zeros(self.row_count)))
        if status:
            raise self.failure(status)
        values = work.coefficient[system.solver.entry] * work.jac[system.solver.measure, system.solver.part]
        strengths = np.zeros(len(system.laws))
        strengths[~self.chosen], strengths[self.chosen] = scratch.fixed, self.factor * scratch.varied
        varied = scratch.weight if self.weight_varies else scratch.push
        heaviest = float(np.abs(scratch.weight[system.width :] * self.unit).max())
        largest, acting = self._largest(strengths)
        return StaticPoint(
            phi=work.phi / system.rows.scale,
            values=values * self.value_scale,
            force=-scratch.out[system.width :] * self.unit,
            varied=varied[system.width :] * self.unit,
            strengths=strengths,
            z=work.z[:, 0].copy(),
            size=max(self.usual, heaviest, largest),
            acting=max(heaviest, acting),
            multipliers=np.zeros(0),
            residual=np.zeros(0),
        )

    @property
    def loops(self) -> Any:
        """The tables of the compiled loops, with the present factors of weight and varied forces."""
        self._tables.factors[:] = self.factor if self.weight_varies else 1.0, self.factor
        return self._tables

    def _largest(self, strengths: np.ndarray) -> tuple[float, float]:
        """The largest component of a single force, as an energy; for a spring including the terms that cancel in z -
        rest."""
        unit = np.append(np.zeros(self.system.width), self.unit)
        arms = (np.abs(self.work.jac) * unit[self.columns]).max(axis=1)
        arm = np.zeros(strengths.size)
        np.maximum.at(arm, self.law, self.share * arms[self.measure])
        acting = float((np.abs(strengths) * arm).max(initial=0.0))
        return max(acting, float((self.stressed * arm).max(initial=0.0))), acting

    def _nearest_multipliers(self, point: StaticPoint) -> np.ndarray:
        """Solve [[W, J^T], [J, -LAST_REGULARIZATION]] [x; lambda] = [Q; 0], with one refinement."""
        system, work = self.system, self.work
        scaled, place = np.zeros(self.row_count), system.solver.place
        if factorize_soft(system.rows, system.solver, system.weights, self.active, LAST_REGULARIZATION, work):
            raise SimulationError(f"the equations of '{system.model.name}' are singular", time=self.time)
        nc = system.coordinates
        for _ in range(2):
            work.x[:] = 0.0
            work.x[place[:nc]] = -self.residual(point, scaled) / self.unit
            solve(system.solver.pattern, work.lower, work.pivots, work.x)
            scaled += work.x[place[nc:]] * system.rows.scale
        return scaled

    def rank(self, point: StaticPoint, independent: bool = False) -> RankReport:
        """The rank of Phi_q, its redundant rows and its null space; if wanted also independent coordinates."""
        found = rank_report(
            self.jacobian(point),
            self.system.driving.astype(int),
            weights=self._balance,
            structure=Structure(*self.system.structure),
            tolerance=SINE,
            dense=self.system.coordinates <= DENSE,
            independent=independent,
        )
        if found.null_space is None:
            return found
        return found._replace(null_space=np.linalg.qr(found.null_space)[0])

    @cached_property
    def _balance(self) -> np.ndarray:
        """Factors of scaled columns for rank decisions."""
        return column_scale(self.system, None, self.time) / self.unit

    def driven_multipliers(self, point: StaticPoint) -> np.ndarray:
        """Multipliers of the joints with independent coordinates held; those of the holds carry the rest.

        The DADS-2D report starts Newton's method with them.
        """
        J, n = self.jacobian(point), self.size
        held = self.rank(point, independent=True).independent
        holds = sp.csr_array(sp.coo_array((np.ones(held.size), (np.arange(held.size), held)), shape=(held.size, n)))
        rows = sp.vstack([J, holds])
        matrix = sp.block_array([[sp.eye_array(n), rows.T], [rows, sp.diags_array(np.full(rows.shape[0], -SOFT))]])
        found = splu(sp.csc_array(matrix)).solve(np.concatenate([point.force, np.zeros(rows.shape[0])]))
        return np.asarray(found[n : n + self.row_count])

    def _matrix(self, values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> Any:
        """A matrix of these entries, duplicates added: an array if the system is small, otherwise sparse."""
        if shape[1] > SMALL:
            return sp.csr_array(sp.coo_array((values, (rows, columns)), shape=shape))
        return np.bincount(rows * shape[1] + columns, values, shape[0] * shape[1]).reshape(shape)

    def fitting(self, matrix: sp.csr_array) -> Any:
        """The matrix in the form of the others: an array if the system is small."""
        return matrix if matrix.shape[1] > SMALL else matrix.toarray()

    def failure(self, status: int) -> CardanError:
        """The error for a status: of an equation or, above their number, of a force."""
        system = self.system
        if status <= self.row_count:
            return system.failure(status, self.time, work=self.work)
        order = np.concatenate([np.flatnonzero(~self.chosen), np.flatnonzero(self.chosen)])
        number = status - self.row_count - 1
        law = int(order[number]) if number < order.size else number
        why = force_failure(system, law, self.forces[int(number < order.size and bool(self.chosen[law]))])
        return SimulationError(
            f"{why.words.rstrip('.')}, in the search for the equilibrium of '{system.model.name}' at "
            f"t = {self.time:g} s",
            time=self.time,
            elements=why.elements,
            cause=why.cause,
        )


def _groups(system: System, columns: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Coordinates that may be moved together, and the resulting rows and columns of H."""
    units = [np.array(u, int) for u in system.structure[0]]
    neighbours = _neighbors(system, columns, len(units))
    taken: list[set[int]] = []  # for each color the units that its members affect
    colors: list[list[int]] = []
    for u, reached in enumerate(neighbours):
        number = next((k for k, others in enumerate(taken) if not others & reached), len(taken))
        if number == len(taken):
            taken.append(set())
            colors.append([])
        taken[number] |= reached
        colors[number].append(u)
    groups = []
    for members in colors:
        for place in range(max(units[u].size for u in members)):
            moving = [u for u in members if units[u].size > place]
            reached_rows = [np.concatenate([units[v] for v in sorted(neighbours[u])]) for u in moving]
            moved = np.array([units[u][place] for u in moving])
            sizes = [rows.size for rows in reached_rows]
            groups.append((moved, np.concatenate(reached_rows), np.repeat(moved, sizes)))
    return groups


def _neighbors(system: System, columns: np.ndarray, count: int) -> list[set[int]]:
    """For each body or internal coordinate those that share an equation or a force with it, including itself."""
    unit_of = np.empty(system.coordinates, int)
    for k, unit in enumerate(system.structure[0]):
        unit_of[list(unit)] = k
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
