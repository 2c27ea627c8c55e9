"""Closing the mechanism at one time: position by Newton's method, then velocity and acceleration with the same factors.

J dq = -phi,  q <- q + dq       until  |phi| <= tolerance (scaled)  and the last |dq| was small   (Haug 4.2.1)
J v = nu,   J a = gamma                                                                 (Haug 3.6.10, 3.6.11)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.model.space import advance
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.system.evaluate import evaluate_position, evaluate_velocity, factorize, rows_times, solve_rows
from cardan.system.system import System

CORRECTION_NOISE = 1e-13  # scaled error below which corrections are noise
SOLVED_VELOCITY = 1e-13  # relative residual of the velocities up to which they count as solved
FRESH = 1e-9  # last correction, relative to the distance from singularity, up to which J is not evaluated again
FAILED = -1  # Newton's method did not converge; a positive status from a called kernel is a failed evaluation


class Tolerances(NamedTuple):
    """Tolerances for a closed position; lengths relative to the size of the model, angles in rad."""

    equation: float = 1e-11
    step: float = 1e-5
    iterations: int = 10


class Vectors(NamedTuple):
    """Scratch vectors of an analysis in addition to those of the evaluation."""

    step: np.ndarray  # numbered as v
    other: np.ndarray
    right: np.ndarray  # one for each row
    product: np.ndarray
    size: np.ndarray  # numbered as v: size of a unit displacement, relative to the model's length
    q: np.ndarray  # positions to return to
    rate: np.ndarray  # numbered as v: v and a at the previous time in coordinates of the step that follows it
    second: np.ndarray


class Bodies(NamedTuple):
    """A mechanism in Cartesian coordinates: its tables, the rows that are closed, and memory."""

    geometry: Any
    rows: Any
    solver: Any
    weights: np.ndarray  # one for each coordinate
    winding: np.ndarray  # uint32: angles whose turns are followed
    active: np.ndarray  # uint8[rows]: whether a row is closed
    work: Any
    vectors: Any


def bodies_of(system: System, active: np.ndarray, **given: Any) -> Any:
    """The block of a system whose `active` rows are closed, with new memory; `given` replaces other fields."""
    fields = {"geometry": system.geometry, "rows": system.rows, "solver": system.solver, "weights": system.weights}
    fields |= {"winding": system.winding, "active": active} | given
    fields.setdefault("work", system.work(active))
    return block(Bodies(**fields | {"vectors": given.get("vectors") or vectors(system)}))


def vectors(system: System) -> Vectors:
    """Allocate the scratch vectors."""
    nv, nr = system.speeds().size, system.row_count
    size = system.speeds()
    size[system.width :] = np.sqrt(system.weights) / system.length
    rows, speeds = (np.zeros(nr) for _ in range(2)), (np.zeros(nv) for _ in range(4))
    tables = Vectors(next(speeds), next(speeds), next(rows), next(rows), size, system.start.copy(), *speeds)
    return block(tables)


@kernel
def close_position(bodies, tolerances, q, t, reference):
    """Newton's method on phi(q, t) = 0. Leaves the factors at the solution. Returns (iterations or FAILED, status)."""
    geometry, rows, solver, weights = bodies.geometry, bodies.rows, bodies.solver, bodies.weights
    active, work, vectors, last = bodies.active, bodies.work, bodies.vectors, 0.0
    phi, right, step, inverse = work.phi, vectors.right, vectors.step, rows.inverse
    width = step.shape[0] - weights.shape[0]
    for iteration in range(tolerances.iterations + 1):
        status = evaluate_position(geometry, rows, q, t, reference, work)
        if status or factorize(rows, solver, weights, active, 0.0, work):
            return FAILED, status
        error = largest(phi, inverse, active)
        closed = last <= tolerances.step and error <= tolerances.equation
        if closed and error <= CORRECTION_NOISE:
            return iteration, 0
        for r in range(active.shape[0]):
            right[r] = -phi[r]
        solve_rows(rows, solver, active, right, work, step, width)
        if closed:  # one more correction costs little and removes errors that the next predictions would magnify
            advance(geometry, q, step)
            # Near a singular configuration even this correction changes J too much for accurate velocities.
            distance = work.square.range[0] if work.mode[0] else 1.0
            if displacement_size(step, vectors.size) > FRESH * distance:
                status = evaluate_position(geometry, rows, q, t, reference, work)
                if status or factorize(rows, solver, weights, active, 0.0, work):
                    return FAILED, status
            return iteration, 0
        last = displacement_size(step, vectors.size)
        if not last < 1.0:  # farther than the size of the mechanism, or NaN: not a valid correction
            return FAILED, 0
        advance(geometry, q, step)
    return FAILED, 0


@kernel
def close_motion(bodies, v, a, t):
    """Velocity and acceleration at a closed position, using its factors. Returns a status."""
    geometry, rows, solver = bodies.geometry, bodies.rows, bodies.solver
    active, work, vectors = bodies.active, bodies.work, bodies.vectors
    right, nu, rate, step = vectors.right, work.nu, work.rate, vectors.step
    width = v.shape[0] - (solver.place.shape[0] - active.shape[0])
    solve_rows(rows, solver, active, nu, work, v, width)
    status = evaluate_velocity(geometry, rows, v, t, work)
    if status:
        return status
    # The factors lose digits near a singular configuration, the residuals do not: refine once if they are large.
    error, size = 0.0, 0.0
    for r in range(active.shape[0]):
        right[r] = nu[r] - rate[r]
        if active[r]:
            error, size = max(error, abs(right[r])), max(size, abs(nu[r]))
    refine = error > SOLVED_VELOCITY * size
    if refine:
        solve_rows(rows, solver, active, right, work, step, width)
        for i in range(v.shape[0]):
            v[i] += step[i]
        status = evaluate_velocity(geometry, rows, v, t, work)
    solve_rows(rows, solver, active, work.gamma, work, a, width)
    if refine:
        rows_times(solver, work, a, vectors.product)
        for r in range(active.shape[0]):
            right[r] = work.gamma[r] - vectors.product[r]
        solve_rows(rows, solver, active, right, work, step, width)
        for i in range(a.shape[0]):
            a[i] += step[i]
    return status


@kernel(internal=True)
def largest(phi, inverse, active):
    """The largest scaled error of the active rows; NaN counts as infinite."""
    worst = 0.0
    for r in range(phi.shape[0]):
        if active[r]:
            error = abs(phi[r]) * inverse[r]
            if not error <= worst:
                worst = error if error == error else np.inf
    return worst


@kernel(internal=True)
def displacement_size(step, size):
    """The largest component of a displacement, relative to the model's length; NaN counts as infinite."""
    worst = 0.0
    for i in range(step.shape[0]):
        part = abs(step[i]) * size[i]
        if not part <= worst:
            worst = part if part == part else np.inf
    return worst
