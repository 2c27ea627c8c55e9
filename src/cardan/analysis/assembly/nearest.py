"""The closed position nearest to an estimate: the work behind the assembly.

    minimize  1/2 |q - q0|_W^2 + 1/(2 mu) |phi(q)|^2     for decreasing mu                     (Haug 3.6.9, 4.3.2)

A Gauss-Newton step of this solves [[W, J^T], [J, -mu]] [dq; lambda] = [-W (q - q0); -phi], regular for every J,
including redundant rows. Steps are limited and must reduce the function, to follow the path of its minima from the
estimate. Finally phi itself is reduced to zero.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.assembly.closing import bodies_of, displacement_size, largest
from cardan.model.space import advance, displacement
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.vector import copy
from cardan.system.evaluate import evaluate_position, factorize_soft
from cardan.system.system import System
from cardan.system.tables import Work

SOFTEST, HARDEST = 2, -8  # mu = 10^2 ... 10^-8, relative to the size of the model
# longest step taken unseen at the nearest position: the rounding of the function hides steps of 1e-8,
UNSEEN_STEP = 1e-6
CONTRACTED = 0.9  # length of each relative to the one before,
LAST_STEP = 1e-15  # and that of the last
# regularization of the last corrections: far below the pivot of any row, far above rounding
LAST_REGULARIZATION = 1e-13


class Closing:
    """A system, a metric and the rows to close, with scratch memory."""

    def __init__(self, system: System, time: float, weights: np.ndarray, active: np.ndarray) -> None:
        self.system, self.time, self.active, self.weights = system, time, active, weights
        self.bodies = bodies_of(system, active, weights=weights, work=system.work())
        self.work: Work = self.bodies.work

    def nearest(self, start: np.ndarray, reference: np.ndarray, tolerance: float) -> tuple[np.ndarray, float, int]:
        """The position nearest to `start`; turns change in place. Returns (position, largest error, status)."""
        q = start.copy()
        error, status = nearest_position(self.bodies, start, q, self.time, reference, tolerance)
        return q, error, status

    def close(self, q: np.ndarray, reference: np.ndarray, tolerance: float) -> tuple[np.ndarray, float, int]:
        """Least-change corrections until phi = 0, or until it no longer falls; q is changed in place."""
        error, status = closed_position(self.bodies, q, self.time, reference, tolerance)
        return q, error, status

    def least_open(self, q: np.ndarray, reference: np.ndarray) -> None:
        """Move q to the least sum of the squares of all errors: gaps that remain there cannot be closed."""
        softness = 1e-2
        for _ in range(400):
            moved, status = self._pull(q, q, reference, softness, 0.0, 0.5)
            if status or softness > 1e6 or (moved < 1e-9 and softness < 1e-6):
                break
            softness *= 0.3 if moved > 0.0 else 100.0
        self.evaluate(q, reference)

    def distance(self, start: np.ndarray, end: np.ndarray) -> float:
        """The distance of two positions in the metric."""
        step = self.system.speeds()
        displacement(self.system.geometry, start, end, step)
        return float(np.sqrt(np.sum(self.weights * step[self.system.width :] ** 2)))

    def error(self) -> float:
        """The largest scaled error of the active rows."""
        errors = (np.abs(self.work.phi) / self.system.rows.scale)[self.active.astype(bool)]
        return float(np.max(np.where(np.isfinite(errors), errors, np.inf), initial=0.0))

    def evaluate(self, q: np.ndarray, reference: np.ndarray) -> int:
        """Evaluate errors and gradients of all rows at q, in the work arrays."""
        system = self.system
        return int(evaluate_position(system.geometry, system.rows, q, self.time, reference, self.work))

    def _pull(
        self, start: np.ndarray, q: np.ndarray, reference: np.ndarray, mu: float, pull: float, farthest: float
    ) -> tuple[float, int]:
        """One step, with full turns of angles: a body may rotate as far as necessary."""
        found = pulled(self.bodies, start, q, self.time, reference, mu, pull, farthest)
        reference[self.system.winding] = self.work.z[self.system.winding, 0]
        return found


@kernel
def nearest_position(bodies, start, q, t, reference, tolerance):
    """Move q from `start` to the closed position nearest to it. Returns (largest error, status)."""
    size, scale = 1.0, bodies.rows.scale
    for r in range(scale.shape[0]):
        size = max(size, scale[r])
    mu = 10.0**SOFTEST / size**2
    for exponent in range(SOFTEST, HARDEST - 1, -1):
        last = exponent == HARDEST
        for _ in range(100 if last else 25):
            moved, status = pulled(bodies, start, q, t, reference, mu, 1.0, 0.1 if exponent > -3 else 0.5)
            _carry_turns(bodies, reference)
            if status:
                return np.inf, status
            if moved < (1e-10 if last else 1e-3):
                break
        if last:
            _polish(bodies, start, q, t, reference, mu)
        mu *= 0.1
    return closed_position(bodies, q, t, reference, tolerance)


@kernel(internal=True)
def _polish(bodies, start, q, t, reference, mu):
    """Full steps as long as they become smaller. The function itself is blind to steps below the root of its rounding:
    without them the position along free directions would hinge on it."""
    vectors, before = bodies.vectors, UNSEEN_STEP
    for _ in range(100):
        _, _, found = _find_step(bodies, start, q, t, reference, mu, 1.0)
        size = displacement_size(vectors.step, vectors.size)
        if not found or not size < CONTRACTED * before:
            break
        advance(bodies.geometry, q, vectors.step)
        before = size
        if size < LAST_STEP:
            break


@kernel
def closed_position(bodies, q, t, reference, tolerance):
    """Correct q by least changes until phi = 0, or until it no longer falls. Returns (largest error, status)."""
    rows, work, active = bodies.rows, bodies.work, bodies.active
    status = evaluate_position(bodies.geometry, rows, q, t, reference, work)
    error = largest(work.phi, rows.inverse, active)
    for _ in range(200):
        if status or error <= tolerance:
            break
        before = error
        moved, status = pulled(bodies, q, q, t, reference, LAST_REGULARIZATION, 0.0, 0.5)
        _carry_turns(bodies, reference)
        error = largest(work.phi, rows.inverse, active)
        if moved < 1e-14 or (error > 0.999 * before and moved < 1e-6):
            break
    return error, status


@kernel(internal=True)
def _carry_turns(bodies, reference):
    """Update the full turns of angles: a body may rotate as far as necessary."""
    winding, work = bodies.winding, bodies.work
    for k in range(winding.shape[0]):
        reference[winding[k]] = work.z[winding[k], 0]


@kernel
def pulled(bodies, q0, q, t, reference, mu, pull, farthest):
    """One step of q that reduces the function. Returns (its size, status); size 0 if none does."""
    geometry, rows, work, vectors = bodies.geometry, bodies.rows, bodies.work, bodies.vectors
    step, nc = vectors.step, bodies.weights.shape[0]
    width = step.shape[0] - nc
    before, status, found = _find_step(bodies, q0, q, t, reference, mu, pull)
    if not found:
        return 0.0, status
    size = displacement_size(step, vectors.size)
    factor = 1.0 if size <= farthest else farthest / size
    for i in range(nc):
        step[width + i] *= factor
    copy(q, vectors.q)
    for _ in range(12):
        copy(vectors.q, q)
        advance(geometry, q, step)
        after, status = _function(bodies, q0, q, t, reference, mu, pull)
        if status == 0 and after < before:
            return factor * size, 0
        factor *= 0.5
        for i in range(nc):
            step[width + i] *= 0.5
    copy(vectors.q, q)
    return 0.0, evaluate_position(geometry, rows, q, t, reference, work)


@kernel(internal=True)
def _find_step(bodies, q0, q, t, reference, mu, pull):
    """The Gauss-Newton step, in `vectors.step`. Returns (the function at q, status, whether there is a step)."""
    rows, solver, weights, work = bodies.rows, bodies.solver, bodies.weights, bodies.work
    active, vectors, place, x = bodies.active, bodies.vectors, bodies.solver.place, bodies.work.x
    value, status = _function(bodies, q0, q, t, reference, mu, pull)
    if status or factorize_soft(rows, solver, weights, active, mu, work):
        return value, status, False
    nc = weights.shape[0]
    width = vectors.step.shape[0] - nc
    for i in range(nc):
        x[place[i]] = -pull * weights[i] * vectors.other[width + i]
    for r in range(active.shape[0]):
        x[place[nc + r]] = -work.phi[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for i in range(nc):
        vectors.step[width + i] = x[place[i]]
    return value, status, True


@kernel(internal=True)
def _function(bodies, q0, q, t, reference, mu, pull):
    """The function that steps must reduce, infinite if it is not finite; `vectors.other` is set to q - q0."""
    weights, active, work, vectors = bodies.weights, bodies.active, bodies.work, bodies.vectors
    status = evaluate_position(bodies.geometry, bodies.rows, q, t, reference, work)
    if status:
        return np.inf, status
    total = 0.0
    for r in range(active.shape[0]):
        if active[r]:
            total += work.phi[r] * work.phi[r] / mu
    if pull > 0.0:
        width = vectors.step.shape[0] - weights.shape[0]
        displacement(bodies.geometry, q0, q, vectors.other)
        for i in range(weights.shape[0]):
            total += pull * weights[i] * vectors.other[width + i] ** 2
    return (total if total == total else np.inf), 0
