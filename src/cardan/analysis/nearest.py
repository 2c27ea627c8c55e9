"""The closed position nearest to an estimate: the compiled part of the assembly.

    minimize  1/2 |q - q0|_W^2 + 1/(2 mu) |phi(q)|^2     for falling mu                        (Haug 3.6.9, 4.3.2)

A Gauss-Newton step of this solves [[W, J^T], [J, -mu]] [dq; lambda] = [-W (q - q0); -phi], regular for every J,
redundant rows included. Steps are limited and must lower the function. At the end phi itself is brought to zero.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.closing import displacement_size, largest
from cardan.model.space import advance, displacement
from cardan.numerics.jit import kernel
from cardan.numerics.ldlt import solve
from cardan.numerics.vector import copy
from cardan.system.evaluate import evaluate, factorize

FARTHEST = 0.5  # of the model's length, or rad: how far one step may go
STAGES = 8  # mu = 1, 1/10, ... relative to the size of the model
FLOOR = 1e-13  # softness of the last corrections: far below any row's own pivot, far above rounding


@kernel
def nearest_position(geometry, rows, solver, weights, active, q0, q, t, reference, tolerance, work, vectors):
    """Move q from the estimate q0 to the nearest closed position. Returns (largest error, status)."""
    v, size = vectors.rest, 1.0
    for r in range(rows.scale.shape[0]):
        size = max(size, rows.scale[r])
    for stage in range(STAGES):
        mu = 10.0 ** (-stage)
        for _ in range(60 if stage == STAGES - 1 else 8):
            moved, status = _pull(
                geometry, rows, solver, weights, active, q0, q, v, t, reference, mu / size**2, 1.0, work, vectors
            )
            if status:
                return np.inf, status
            if moved < 1e-9:
                break
    return close_softly(geometry, rows, solver, weights, active, q, t, reference, tolerance, work, vectors)


@kernel
def close_softly(geometry, rows, solver, weights, active, q, t, reference, tolerance, work, vectors):
    """Least-change corrections until phi = 0, or until it no longer falls. Returns (largest error, status)."""
    v = vectors.rest
    error, status = _error(geometry, rows, active, q, v, t, reference, work)
    for _ in range(200):
        if status or error <= tolerance:
            break
        before = error
        moved, status = _pull(geometry, rows, solver, weights, active, q, q, v, t, reference, FLOOR, 0.0, work, vectors)
        error = largest(work.phi, rows.scale, active)
        if moved < 1e-14 or (error > 0.999 * before and moved < 1e-6):
            break
    return error, status


@kernel
def _error(geometry, rows, active, q, v, t, reference, work):
    status = evaluate(geometry, rows, q, v, t, reference, work)
    return largest(work.phi, rows.scale, active), status


@kernel
def _merit(geometry, rows, weights, active, q0, q, v, t, reference, mu, pull, work, vectors):
    """The function that steps must lower; infinite where it cannot be evaluated."""
    status = evaluate(geometry, rows, q, v, t, reference, work)
    if status:
        return np.inf, status
    total = 0.0
    for r in range(active.shape[0]):
        if active[r]:
            total += work.phi[r] * work.phi[r] / max(mu, 1e-30)
    if pull > 0.0:
        width = v.shape[0] - weights.shape[0]
        displacement(geometry, q0, q, vectors.other)
        for i in range(weights.shape[0]):
            total += pull * weights[i] * vectors.other[width + i] ** 2
    return (total if total == total else np.inf), 0


@kernel
def _pull(geometry, rows, solver, weights, active, q0, q, v, t, reference, mu, pull, work, vectors):
    """One step that lowers the merit. Returns (its size, status); size 0 if none does."""
    before, status = _merit(geometry, rows, weights, active, q0, q, v, t, reference, mu, pull, work, vectors)
    if status or factorize(rows, solver, weights, active, mu, work):
        return 0.0, status
    width, nc = v.shape[0] - weights.shape[0], weights.shape[0]
    x, place = work.x, solver.place
    for i in range(nc):
        x[place[i]] = -pull * weights[i] * vectors.other[width + i]
    for r in range(active.shape[0]):
        x[place[nc + r]] = -work.phi[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for i in range(nc):
        vectors.step[width + i] = x[place[i]]
    size = displacement_size(vectors.step, vectors.size)
    factor = 1.0 if size <= FARTHEST else FARTHEST / size
    start = vectors.q
    copy(q, start)
    for i in range(nc):
        vectors.step[width + i] *= factor
    for _ in range(12):
        copy(start, q)
        advance(geometry, q, vectors.step)
        after, status = _merit(geometry, rows, weights, active, q0, q, v, t, reference, mu, pull, work, vectors)
        if status == 0 and after < before:
            return factor * size, 0
        factor *= 0.5
        for i in range(nc):
            vectors.step[width + i] *= 0.5
    copy(start, q)
    return 0.0, evaluate(geometry, rows, q, v, t, reference, work)
