"""Joints that contradict each other by the precision of their data alone, as parts from a CAD file do.

A door on two hinges 1e-6 rad askew has no position that closes both. Where equations miss by less than MISFIT and can
be left out, because the others imply them up to that misfit, they are: the others are closed exactly, and the mechanism
keeps its degrees of freedom. An equation is left out only if

* the others imply it: its gradient depends on theirs, up to a sine of the order of the misfit;
* it still misses by no more than that order where the mechanism has moved by NUDGE. A contradiction that grows with the
  motion, or an accidentally singular configuration, is not a question of precision.

What is left out is empty from then on (`System.leave_out`), in every analysis that starts from there. It carries no
force.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from cardan.analysis.assembly.nearest import Closing
from cardan.errors import CardanWarning, SimulationError
from cardan.model.space import advance
from cardan.results.trajectory import Trajectory

MISFIT = 1e-4  # of the model's length, and rad: parts that fit to 1e-5 miss by no more when several add up
NOTABLE = 1e-6  # of the model's length, and rad: a redundant equation that misses by more on the way is named
LEAST_SINE, MOST_SINE = 1e-5, 1e-3  # between which sines count as zero, 100 times the misfit
GROWTH = 30.0  # times the misfit: so much an equation may miss elsewhere
NUDGE = 0.05  # of the model's length, and rad: how far the mechanism is moved to see whether a misfit grows
PLACES = 3  # at which this is looked at


def leave_out_misfits(closing: Closing, q: np.ndarray, reference: np.ndarray, tolerance: float) -> float:
    """Leave out redundant rows that miss by little and close the others; q and turns change in place.

    Returns the largest error of what is left, or infinity, with nothing left out, if precision is not the cause.
    """
    system, before, turns = closing.system, q.copy(), reference.copy()
    closing.least_open(q, reference)
    misfit = closing.error()
    spare = _redundant(closing, misfit) if misfit <= MISFIT else []
    if not spare:
        q[:], reference[:] = before, turns
        return np.inf
    # The search has also tried to close what cannot be, along motions that are nearly free: begin again without it.
    closing.active[spare] = 0
    reference[:] = system.reference
    q[:], error, status = closing.nearest(system.start, reference, tolerance)
    missed = np.abs(closing.work.phi[spare])
    largest = float(np.max(missed / system.rows.scale[spare], initial=0.0))
    if status or error > tolerance or largest > GROWTH * MISFIT or _grows(closing, q, reference, spare, misfit):
        closing.active[spare] = 1
        q[:], reference[:] = before, turns
        return np.inf
    system.leave_out(dict(zip(spare, missed.tolist(), strict=True)))
    return float(error)


def judge_set_aside(run: Trajectory, rows: Iterable[int]) -> None:
    """Rows set aside because others imply them must hold all the same: by their data's precision, or it is an error."""
    system, missed = run.system, {}
    for row in rows:
        error = run.violations()[:, row] / system.rows.scale[row]
        limit = NOTABLE if system.driving[row] else MISFIT  # drivers are stated exactly
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
        if np.any(error > NOTABLE):
            missed[row] = float(np.max(error))
    if missed:
        row = max(missed, key=lambda r: missed[r])
        warnings.warn(
            f"{system.row_name(row)}, redundant in '{system.model.name}', misses what the other joints imply by up to "
            f"{missed[row] * system.rows.scale[row]:.3g} {system.equations[row].unit}: its parts do not fit exactly",
            CardanWarning,
            stacklevel=4,
        )


def _redundant(closing: Closing, misfit: float) -> list[int]:
    """Rows of joints that others imply, up to sines of the order of the misfit."""
    from cardan.numerics.linalg.rank_report import Structure, rank_report
    from cardan.system.balance import balance

    system = closing.system
    J = system.jacobian(closing.work)
    report = rank_report(
        J,
        order_key=system.driving + 2 * system.on_velocities,  # what says nothing of positions implies none
        weights=balance(system, *J[:3]),
        structure=Structure(*system.structure),
        tolerance=float(np.clip(100.0 * misfit, LEAST_SINE, MOST_SINE)),
    )
    fixed = set(system.rows.function.tolist()) | set(np.flatnonzero(system.driving).tolist())
    return [r.row for r in report.redundant if closing.active[r.row] and r.row not in fixed]


def _grows(closing: Closing, q: np.ndarray, reference: np.ndarray, spare: list[int], misfit: float) -> bool:
    """Whether rows miss by more where the mechanism has moved a little, drivers let go."""
    system, random = closing.system, np.random.default_rng(1)
    joints = closing.active * ~system.driving
    free = Closing(system, closing.time, system.weights, joints.astype(np.uint8))
    unit = NUDGE * system.length / np.sqrt(system.weights)
    for _ in range(PLACES):
        step, moved = system.speeds(), q.copy()
        step[system.width :] = unit * random.standard_normal(unit.size)
        advance(system.geometry, moved, step)
        moved, error, status = free.close(moved, reference.copy(), closing.system.rounding + 1e-11)
        if status or error > 1e-9:
            continue
        if np.any(np.abs(free.work.phi[spare]) > GROWTH * max(misfit, LEAST_SINE) * system.rows.scale[spare]):
            return True
    return False
