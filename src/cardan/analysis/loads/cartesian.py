"""Forces behind a known motion: multipliers of all equations, and strengths of all forces.

    Phi_q^T lambda = Q - M a - h                                                                    (Haug 6.4.4)

Where equations are redundant, those kept give one solution; every vector n with Phi_q^T n = 0 may be added, and the one
of least norm is returned. Reactions that such vectors touch are not determined by the motion of rigid bodies:
`Trajectory.loads.indeterminate` names them.
"""

from __future__ import annotations

import warnings

import numpy as np

from cardan.analysis.assembly.closing import vectors
from cardan.analysis.assembly.scaled_rows import best_rows
from cardan.analysis.loads.force_failure import Failure, force_failure
from cardan.errors import CardanWarning, SimulationError
from cardan.model.measure import Measure
from cardan.model.space import inertia_forces
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.results.engagement_history import pieces
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory
from cardan.system.circuit import SETTLE, reactions_settled
from cardan.system.evaluate import evaluate_position, evaluate_velocity, factorize, solve_columns
from cardan.system.forces import apply_forces, force_table
from cardan.system.system import System

AT_FORK = 1e-4  # of the distance to a branch's snapshot: nearer to the fork J is singular to half the digits
TOUCHED = 1e-9  # share of a unit null vector above which a reaction counts as indeterminate


def loads_of(run: Trajectory) -> Loads:
    """Multipliers and applied forces of a computed motion."""
    system = run.system
    forces = force_table(system, None, system.devices)
    matter = system.space.matter((system.model.ground, *system.bodies))
    matter[0] = 0.0
    multipliers = np.zeros((run.times.size, system.row_count))
    strengths = np.zeros((run.times.size, len(system.laws)))
    signals = np.zeros((run.times.size, forces.circuit.signals.size))
    touched, reference = np.zeros(system.row_count, np.uint8), system.reference.copy()
    states, gravity = np.ascontiguousarray(run.states), np.array(system.model.gravity, float)
    common, undetermined = system.work() if run.shifts else None, at_forks(run)
    for part, seated, engaged, active in pieces(run):
        first = part.start
        while first < part.stop:
            spare = np.flatnonzero(active < engaged).astype(np.uint32)
            null, kept = np.zeros((spare.size, system.row_count)), np.zeros(system.rows.measure.size)
            work = system.work(active) if common is None else common
            first, status = _loads(
                *(seated.geometry, seated.complete_rows, system.solver, system.weights, active, spare, forces, matter),
                *(gravity, run.times[: part.stop], run.q, run.v, run.a, run.turns, system.winding),
                *(reference, work, vectors(system), first, null, kept, multipliers, strengths),
                *(touched, states, signals),
            )
            if status > 0:
                found = Loads(system, multipliers[:first], strengths[:first], touched.astype(bool), signals[:first])
                raise _failed(run, first, found, force_failure(system, status - 1, forces))
            if first < part.stop and undetermined[first]:
                first += 1
            elif first < part.stop:
                active = _other_rows(seated, run, first, reference, engaged if run.shifts else None)
    multipliers[undetermined] = np.nan
    found = Loads(system, multipliers, strengths, touched.astype(bool), signals)
    found.shifts = run.shifts
    return found


def at_forks(run: Trajectory) -> np.ndarray:
    """Whether each output time is so near a bifurcation that reactions are not determined: J is singular there."""
    found = np.zeros(run.times.size, bool)
    for fork in run.forks:
        found |= np.abs(run.times - fork.time) <= AT_FORK * (fork.branches[fork.taken].time - fork.time)
    return found


def warn_of_forks(run: Trajectory) -> None:
    """Warn of output times without reactions."""
    for time in run.times[at_forks(run)]:
        warnings.warn(
            f"at t = {time:.9g} s the motion of '{run.model.name}' bifurcates: the configuration is singular, and the "
            "forces of joints and drivers are not determined; they are nan at this time",
            CardanWarning,
            stacklevel=3,
        )


def _failed(run: Trajectory, count: int, loads: Loads, why: Failure) -> SimulationError:
    """The error behind a force that has no value, with what was found before."""
    partial, now = run.until(count), float(run.times[count])
    partial.loads = loads
    return SimulationError(
        f"at t = {now:.6g} s {why.words}", time=now, elements=why.elements, partial=partial, cause=why.cause
    )


def warn_of_pulling(run: Trajectory, loads: Loads) -> None:
    """Warn of contacts that would have to pull to follow the motion: they lift off."""
    for element in run.system.elements:
        rows = {run.system.equations[r].label: r for r in run.system.rows_of(element)}
        for label, sign in element.presses():
            side = run[sign].value if isinstance(sign, Measure) else np.full(run.times.size, sign)
            force = np.nan_to_num(-loads.multipliers[:, rows[label]] * np.sign(side))
            pulling = np.flatnonzero(force < -1e-6 * np.abs(force).max())
            if pulling.size:
                worst = int(np.argmin(force))
                warnings.warn(
                    f"from t = {run.times[pulling[0]]:.6g} s on the contact of {element.title} would have to pull, at "
                    f"worst with {-force[worst]:.4g} N at t = {run.times[worst]:.6g} s: without a spring it lifts off",
                    CardanWarning,
                    stacklevel=3,
                )


def _other_rows(
    system: System, run: Trajectory, k: int, reference: np.ndarray, engaged: np.ndarray | None
) -> np.ndarray:
    """Rows that say how forces are carried where those kept before are singular."""
    chosen = best_rows(system, run.q[k], float(run.times[k]), reference, engaged)
    if chosen is None:
        raise SimulationError(
            f"at t = {run.times[k]:.6g} s '{run.model.name}' is singular: its reactions are not determined",
            time=float(run.times[k]),
            partial=run,
        )
    active = np.zeros(system.row_count, np.uint8)
    active[chosen] = 1
    return active


@kernel
def _loads(
    geometry, rows, solver, weights, active, spare, forces, matter, gravity, times, q, v, a, turns, winding, reference,
    work, vectors, first, null, kept, multipliers, strengths, touched, states, signals,
):  # fmt: skip
    """Multipliers from instant `first` on. Returns (the instant reached, status); stops where the rows are singular."""
    width, circuit = v.shape[1] - weights.shape[0], forces.circuit
    for i in range(first, times.shape[0]):
        for k in range(winding.shape[0]):
            if turns[i, k] == turns[i, k]:
                reference[winding[k]] = turns[i, k]
        evaluate_position(geometry, rows, q[i], times[i], reference, work)
        evaluate_velocity(geometry, rows, v[i], times[i], work)
        copy(work.coefficient, kept)  # factorizing clears those of rows set aside
        if factorize(rows, solver, weights, active, 0.0, work):
            return i, 0
        copy(states[i], circuit.states)
        for _ in range(SETTLE):
            inertia_forces(geometry, matter, gravity, q[i], v[i], a[i], vectors.step)
            for c in range(matter.shape[0] * width, v.shape[1]):
                vectors.step[c] = 0.0  # own coordinates have no inertia
            status = apply_forces(forces, times[i], work, strengths[i], vectors.step)
            if status:
                return i, status
            solve_columns(rows, solver, active, vectors.step, work, multipliers[i], width)
            _least_norm(rows, solver, active, spare, width, work, vectors, null, kept, multipliers[i], touched)
            if reactions_settled(circuit, multipliers[i]):
                break
        copy_to_row(circuit.signals, signals, i)
        for m in range(reference.shape[0]):
            reference[m] = work.z[m, 0]
    return times.shape[0], 0


@kernel(once=True)
def _least_norm(rows, solver, active, spare, width, work, vectors, null, kept, multipliers, touched):
    """Subtract from the multipliers their part along the vectors n with Phi_q^T n = 0, each row in its own scale."""
    scale = rows.scale
    for k in range(spare.shape[0]):
        r = spare[k]
        _row(solver, work, kept, r, vectors.step)
        solve_columns(rows, solver, active, vectors.step, work, vectors.right, width)
        for j in range(scale.shape[0]):
            null[k, j] = -vectors.right[j] * scale[j]
        null[k, r] = scale[r]
        for p in range(k + 1):
            along = 0.0
            for j in range(scale.shape[0]):
                along += null[p, j] * null[k, j]
            size = np.sqrt(along) if p == k else 1.0
            for j in range(scale.shape[0]):
                null[k, j] = null[k, j] / size if p == k else null[k, j] - along * null[p, j]
    for k in range(spare.shape[0]):
        along = 0.0
        for j in range(scale.shape[0]):
            along += null[k, j] * multipliers[j] * scale[j]
            touched[j] |= np.uint8(abs(null[k, j]) > TOUCHED)
        for j in range(scale.shape[0]):
            multipliers[j] -= along * null[k, j] / scale[j]


@kernel(once=True)
def _row(solver, work, kept, r, out):
    """The gradient of row r, numbered as v."""
    for c in range(out.shape[0]):
        out[c] = 0.0
    jac = work.jac
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for k in range(row.shape[0]):
        if row[k] == r:
            out[column[k]] += kept[entry[k]] * jac[measure[k], part[k]]
