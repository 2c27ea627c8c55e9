"""Redundant joints that contradict each other within the precision of their data, such as parts from a CAD file.

A door on two hinges that are misaligned by 1e-6 rad has no position that closes both. If joints contradict each other
by less than MAX_MISFIT, the equations that the others imply up to that misfit absorb it: their offsets change once, at
the assembly. The others are closed exactly, and the mechanism keeps its degrees of freedom. An equation absorbs a
misfit only if

* the others imply it: its gradient depends on theirs, up to a sine of the order of the misfit;
* its misfit stays of that order if the mechanism is moved by MISFIT_DISPLACEMENT. A contradiction that grows with the
motion, or an accidentally singular configuration, is not a matter of precision.

From then on these equations are redundant (`System.absorb`) in every analysis that starts there. They share loads with
the joints that imply them, like other redundant equations.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cardan.analysis.assembly.nearest import Closing
from cardan.errors import SimulationError, warn
from cardan.model.space import advance
from cardan.numerics.linalg.rank import SINE
from cardan.results.trajectory import Trajectory
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

MAX_MISFIT = 1e-4  # relative to the model's length, and rad: the sum of several errors of parts that fit to 1e-5
NOTABLE = 1e-6  # relative to the model's length, and rad: larger violations of redundant equations are reported
LARGEST_SINE = 1e-3  # sines up to 100 times the misfit, and between SINE and this, count as zero
MISFIT_GROWTH = 30.0  # times the misfit: limit of the violation in other configurations
# relative to the model's length, and rad: distance to the configurations in which it is checked
MISFIT_DISPLACEMENT = 0.05
MISFIT_TRIALS = 3  # number of these configurations
INDETERMINATE = 1e-9  # share of a null vector above which a reaction is indeterminate


def absorb_misfits(closing: Closing, q: np.ndarray, reference: np.ndarray, tolerance: float) -> float:
    """Close the independent rows and let the redundant ones absorb their misfits; q and turns change in place.

    Returns the largest error of the independent rows, or infinity, with nothing changed, if precision is not the cause.
    """
    system, before, turns = closing.system, q.copy(), reference.copy()
    closing.least_open(q, reference)
    misfit = closing.error()
    redundant = _redundant(closing, misfit) if misfit <= MAX_MISFIT else []
    if not redundant:
        q[:], reference[:] = before, turns
        return np.inf
    # The search for the least error has also moved along nearly free motions: start again without the redundant rows.
    closing.active[redundant] = 0
    reference[:] = system.reference
    q[:], error, status = closing.nearest(system.start, reference, tolerance)
    missed = closing.work.phi[redundant].copy()
    largest = float(np.max(np.abs(missed) / system.rows.scale[redundant], initial=0.0))
    if (
        status
        or error > tolerance
        or largest > MISFIT_GROWTH * MAX_MISFIT
        or _misfit_grows(closing, q, reference, redundant, misfit)
    ):
        closing.active[redundant] = 1
        q[:], reference[:] = before, turns
        return np.inf
    system.absorb(dict(zip(redundant, missed.tolist(), strict=True)))
    return float(error)


def check_redundant_rows(run: Trajectory, rows: Iterable[int]) -> None:
    """Check that redundant rows hold along a motion: violations above the precision of their data raise an error."""
    system, missed = run.system, {}
    for row in rows:
        error = run.violations()[:, row] / system.rows.scale[row]
        limit = NOTABLE if system.driving[row] else MISFIT_GROWTH * MAX_MISFIT if row in system.misfits else MAX_MISFIT
        if np.any(error > limit):
            k, element = int(np.argmax(error > limit)), system.elements[system.owner[row]]
            found = SimulationError(
                f"at t = {run.times[k]:.6g} s {system.row_name(row)}, set aside because it depends on other equations, "
                f"contradicts them by {error[k] * system.rows.scale[row]:.3g}: drop it, or make it agree with them",
                time=float(run.times[k]),
                elements=(element.name,),
                partial=run,
            )
            run.stopped = found
            raise found
        # Misfits are reported at the assembly: only what they grow by is news.
        if np.any(error > (MAX_MISFIT if row in system.misfits else NOTABLE)):
            missed[row] = float(np.max(error))
    if missed:
        row = max(missed, key=lambda r: missed[r])
        warn(
            f"{system.row_name(row)}, redundant in '{system.model.name}', differs from what the other joints imply by "
            f"up to {missed[row] * system.rows.scale[row]:.3g} {system.equations[row].unit}: its parts do not fit "
            "exactly"
        )


def share_loads(
    system: System, q: np.ndarray, time: float, reference: np.ndarray, multipliers: np.ndarray, touched: np.ndarray
) -> None:
    """Give rows that absorb a misfit their share of the loads: multipliers and `touched` change in place.

    The multipliers of all other rows must be known. Their components along the vectors n with J^T n = 0, up to the
    misfit and with all rows in J, are removed: the result has the least norm, with scaled rows.
    """
    if not system.misfits:
        return
    work, extra = system.work(), np.array(sorted(system.misfits))
    evaluate_position(system.geometry, system.complete_rows, q, time, reference, work)
    J = system.dense_jacobian(work) * system.unit / system.rows.scale[:, None]
    shape, others = J.shape, np.setdiff1d(np.arange(system.row_count), extra)
    left, sizes, _ = np.linalg.svd(J[others])
    rank = int(np.sum(sizes > SINE * sizes.max(initial=0.0)))
    null = np.zeros((shape[0], extra.size + others.size - rank))
    null[extra, np.arange(extra.size)] = 1.0
    null[others, : extra.size] = -np.linalg.lstsq(J[others].T, J[extra].T, rcond=SINE)[0]
    null[others, extra.size :] = left[:, rank:]
    basis = np.linalg.qr(null)[0]
    scaled = multipliers * system.rows.scale
    multipliers[:] = (scaled - basis @ (basis.T @ scaled)) / system.rows.scale
    touched |= np.abs(basis).max(axis=1) > INDETERMINATE


def _redundant(closing: Closing, misfit: float) -> list[int]:
    """Rows of joints that others imply, up to sines of the order of the misfit."""
    from cardan.numerics.linalg.rank_report import Structure, rank_report
    from cardan.system.balance import balance

    system = closing.system
    J = system.jacobian(closing.work)
    report = rank_report(
        J,
        order_key=system.driving + 2 * system.on_velocities,  # velocity constraints imply nothing about positions
        weights=balance(system, *J[:3]),
        structure=Structure(*system.structure),
        tolerance=float(np.clip(100.0 * misfit, SINE, LARGEST_SINE)),
    )
    fixed = set(system.rows.function.tolist()) | set(np.flatnonzero(system.driving).tolist())
    return [r.row for r in report.redundant if closing.active[r.row] and r.row not in fixed]


def _misfit_grows(closing: Closing, q: np.ndarray, reference: np.ndarray, rows: list[int], misfit: float) -> bool:
    """Whether the misfit of rows grows if the mechanism is moved a little, drivers released."""
    system, random = closing.system, np.random.default_rng(1)
    joints = closing.active * ~system.driving
    free = Closing(system, closing.time, system.weights, joints.astype(np.uint8))
    unit = MISFIT_DISPLACEMENT * system.length / np.sqrt(system.weights)
    for _ in range(MISFIT_TRIALS):
        step, moved = system.speeds(), q.copy()
        step[system.width :] = unit * random.standard_normal(unit.size)
        advance(system.geometry, moved, step)
        moved, error, status = free.close(moved, reference.copy(), closing.system.rounding + 1e-11)
        if status or error > 1e-9:
            continue
        if np.any(np.abs(free.work.phi[rows]) > MISFIT_GROWTH * max(misfit, SINE / 10.0) * system.rows.scale[rows]):
            return True
    return False
