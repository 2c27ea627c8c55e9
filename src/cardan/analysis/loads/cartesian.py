"""Forces of a known motion: multipliers of all equations, and values of all forces.

    Phi_q^T lambda = Q - M a - h                                                                    (Haug 6.4.4)

If equations are redundant, the kept equations give one solution, to which every vector n with Phi_q^T n = 0 may be
added; the solution of least norm is returned. The motion of rigid bodies does not determine reactions in which such
vectors have components: `Trajectory.loads.indeterminate` names them.

`force_failure` names the force or device that failed, with the error of its function.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import bodies_of
from cardan.analysis.assembly.misfit import INDETERMINATE
from cardan.analysis.assembly.scaled_rows import best_rows
from cardan.analysis.loads.known_motion import evaluate_at, finish_at, forces_at, known_motion, loads_found
from cardan.errors import SimulationError, warn
from cardan.model.measure import Measure
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.results.engagement_history import pieces
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory
from cardan.system.circuit import REACTION_ITERATIONS, reactions_settled
from cardan.system.evaluate import factorize, solve_columns
from cardan.system.system import System

# relative to the distance to a branch's snapshot: nearer to the bifurcation J is singular to half the digits
NEAR_BIFURCATION = 1e-4


def loads_of(run: Trajectory, matter: np.ndarray | None = None) -> Loads:
    """Multipliers and applied forces of a computed motion; `matter` replaces the masses of the model."""
    system, motion = run.system, known_motion(run, matter)
    common, undetermined = system.work() if run.shifts else None, at_bifurcations(run)
    for part, seated, engaged, active in pieces(run):
        first = part.start
        while first < part.stop:
            spare = np.flatnonzero(active < engaged).astype(np.uint32)
            given = {} if common is None else {"work": common}
            bodies = bodies_of(seated, active, rows=seated.complete_rows, **given)
            first, status = find_loads(motion, first, part.stop, bodies, spare_rows(system, spare))
            if status > 0:
                found = loads_found(run, motion, first)
                raise _failed(run, first, found, force_failure(system, status - 1, motion.forces))
            if first < part.stop and undetermined[first]:
                first += 1
            elif first < part.stop:
                active = _other_rows(seated, run, first, motion.reference, engaged if run.shifts else None)
    motion.multipliers[undetermined] = np.nan
    found = loads_found(run, motion, run.times.size)
    found.shifts = run.shifts
    return found


def at_bifurcations(run: Trajectory) -> np.ndarray:
    """Whether each output time is so close to a bifurcation that J is singular and reactions are not determined."""
    found = np.zeros(run.times.size, bool)
    for bifurcation in run.bifurcations:
        found |= np.abs(run.times - bifurcation.time) <= NEAR_BIFURCATION * (
            bifurcation.branches[bifurcation.taken].time - bifurcation.time
        )
    return found


def warn_of_bifurcations(run: Trajectory) -> None:
    """Warn about output times without reactions."""
    for time in run.times[at_bifurcations(run)]:
        warn(
            f"at t = {time:.9g} s the motion of '{run.model.name}' bifurcates: the configuration is singular, and the "
            "forces of joints and drivers are not determined; they are nan at this time"
        )


def _failed(run: Trajectory, count: int, loads: Loads, why: Failure) -> SimulationError:
    """The error of a force without a value, with the results so far."""
    partial, now = run.until(count), float(run.times[count])
    partial.loads = loads
    return SimulationError(
        f"at t = {now:.6g} s {why.words}", time=now, elements=why.elements, partial=partial, cause=why.cause
    )


def warn_of_pulling(run: Trajectory, loads: Loads) -> None:
    """Warn about contacts that would have to pull in this motion, because they lift off."""
    for element in run.system.elements:
        rows = {run.system.equations[r].label: r for r in run.system.rows_of(element)}
        for label, sign in element.presses():
            side = run[sign].value if isinstance(sign, Measure) else np.full(run.times.size, sign)
            force = np.nan_to_num(-loads.multipliers[:, rows[label]] * np.sign(side))
            pulling = np.flatnonzero(force < -1e-6 * np.abs(force).max())
            if pulling.size:
                worst = int(np.argmin(force))
                warn(
                    f"from t = {run.times[pulling[0]]:.6g} s on the contact of {element.title} would have to pull, at "
                    f"worst with {-force[worst]:.4g} N at t = {run.times[worst]:.6g} s: without a spring it lifts off"
                )


def _other_rows(
    system: System, run: Trajectory, k: int, reference: np.ndarray, engaged: np.ndarray | None
) -> np.ndarray:
    """Other rows that determine the forces if those kept so far are singular."""
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


class SpareRows(NamedTuple):
    """Redundant rows, and memory for the vectors along which they make multipliers indeterminate."""

    rows: np.ndarray  # uint32
    null: np.ndarray  # [redundant rows, rows]
    kept: np.ndarray  # coefficients of all rows


def spare_rows(system: System, rows: np.ndarray) -> Any:
    """The block of these redundant rows."""
    null, kept = np.zeros((rows.size, system.row_count)), np.zeros(system.rows.measure.size)
    return block(SpareRows(rows.astype(np.uint32), null, kept))


@kernel
def find_loads(motion, first, stop, bodies, spare):
    """Multipliers of output times first .. stop. Returns (the one reached, status); stops where rows are singular."""
    rows, solver, active, work = bodies.rows, bodies.solver, bodies.active, bodies.work
    out, width = bodies.vectors.step, motion.v.shape[1] - bodies.weights.shape[0]
    for i in range(first, stop):
        multipliers = motion.multipliers[i]
        evaluate_at(motion, i, bodies)
        copy(work.coefficient, spare.kept)  # factorization clears those of rows set aside
        if factorize(rows, solver, bodies.weights, active, 0.0, work):
            return i, 0
        for _ in range(REACTION_ITERATIONS):
            status = forces_at(motion, i, bodies, out)
            if status:
                return i, status
            solve_columns(rows, solver, active, out, work, multipliers, width)
            _least_norm(bodies, spare, width, multipliers, motion.touched)
            if reactions_settled(motion.forces.circuit, multipliers):
                break
        finish_at(motion, i, bodies)
    return stop, 0


@kernel(once=True)
def _least_norm(bodies, spare, width, multipliers, touched):
    """Subtract from the scaled multipliers their components along the vectors n with Phi_q^T n = 0."""
    rows, solver, active, work, vectors = bodies.rows, bodies.solver, bodies.active, bodies.work, bodies.vectors
    scale, null = rows.scale, spare.null
    for k in range(spare.rows.shape[0]):
        r = spare.rows[k]
        _row(solver, work, spare.kept, r, vectors.step)
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
    for k in range(spare.rows.shape[0]):
        along = 0.0
        for j in range(scale.shape[0]):
            along += null[k, j] * multipliers[j] * scale[j]
            touched[j] |= np.uint8(abs(null[k, j]) > INDETERMINATE)
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


class Failure(NamedTuple):
    """An error of a force: message, elements concerned, and the exception that a user function raised."""

    words: str
    elements: tuple[str, ...]
    cause: BaseException | None


def force_failure(system: System, number: int, forces: Any) -> Failure:
    """The failure of a force or, numbered after all forces, a device."""
    if number < len(system.laws):
        element, law = system.forces[number], system.laws[number]
        given = forces.scratch[0, : len(law.arguments) + law.timed].tolist()
        raised = None if law.function is None else law.function.raised(given)
        return Failure(
            f"{element.title} returned no finite force, or its function raised an exception",
            (element.name,),
            raised,
        )
    k = number - len(system.laws)
    owners = (*system.device_owners, *system.sampler_owners)
    device, owner = system.readers[k], owners[k]
    count = len(device.inputs) + len(device.states) + len(device.parameters)
    code, given = device.code(device.parameters, device.name), forces.circuit.arguments[:count].tolist()
    title = f"{device.title} of {owner.title}" if owner is not None else device.title
    elements = (owner.name,) if owner is not None else ()
    return Failure(f"{title} failed: {code.failure(given)}", elements, code.raised(given))
