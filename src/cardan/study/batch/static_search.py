"""Many equilibria in one compiled loop: fill the tables, close the mechanism, descend to the least energy, read.

    for each sample:   tables <- numbers    q <- nearest closed position    q <- minimum of V    curves <- q, forces

The search is that of `cardan.analysis.equilibria.descent`, step by step: Newton's method along the joints, made convex
by a shift, within a trusted length. With J Q2 = 0 a step is s = s1 + Q2 w, (Q2^T H Q2 + mu) w = -Q2^T (r + H s1). A
sample that is not plain (it does not close at once, starts on a saddle, has neutral motions, falls without end) is left
to the ordinary analysis. Nothing is carried from one sample to the next.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.assembly.nearest import closed_position
from cardan.analysis.equilibria.descent import (
    ALMOST,
    FAR,
    ITERATIONS,
    LONGEST_TURN,
    MAX_SHIFT,
    ON_AND_ON,
    POLISHED,
    REFINED,
)
from cardan.analysis.equilibria.statics import STEP
from cardan.analysis.equilibria.stiffness import FLAT
from cardan.model.space import advance
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_kernels import cholesky, cholesky_solve, least_solution, orthogonal_basis, reduced
from cardan.numerics.linalg.vector import copy, dot
from cardan.results.compiled_reading import read_parts
from cardan.study.batch.kernels import OTHER, PLAIN
from cardan.study.batch.static_forces import close_start, energy_change, evaluate_place, find_stiffness
from cardan.study.batch.static_tables import ACTING, CLOSED, IMBALANCE, SEARCH, SIZE, TIME, TOLERANCE

SOFT = 1e-6  # of a stiffness and the forces beside it: softer motions are left to the ordinary analysis
BALANCED = 1e-10  # imbalance of a stated position that counts as an equilibrium


@kernel
def run_statics(bench, numbers, curves, status):
    """Find the equilibrium of one sample for each line of `numbers`; curves[s, 0, o] is output o."""
    for s in range(numbers.shape[0]):
        fill(bench, numbers[s])
        status[s] = settle_sample(bench)
        if status[s] == PLAIN:
            write_equilibrium(bench)
            b = bench
            read_parts(b.reading, b.times, b.q, b.v, b.v, b.record_turns, b.q, b.loads, curves[s])


@kernel(internal=True)
def fill(b, numbers):
    """Write the numbers of a sample, and what is derived from them."""
    for j in range(b.place.shape[0]):
        b.flat[b.place[j]] = numbers[j]


@kernel(internal=True)
def settle_sample(b):
    """One search. Returns PLAIN, with the equilibrium in `here`, or OTHER."""
    trust, plan = b.trust, b.plan
    if not close_start(b):
        return OTHER
    trust[0], trust[1], trust[2], trust[3] = 0.25, 0.0, 0.0, plan[CLOSED]
    if not evaluate_place(b, b.here):
        return OTHER
    trust[2] = b.here.numbers[SIZE]
    for r in range(b.here.phi.shape[0]):
        trust[3] = max(trust[3], 2.0 * abs(b.here.phi[r]))
    for i in range(b.drift.shape[0]):
        b.drift[i] = 0.0
    if plan[SEARCH] == 0.0:
        return PLAIN if b.here.numbers[IMBALANCE] <= BALANCED and _expand(b) else OTHER
    for _ in range(ITERATIONS):
        if not _expand(b):
            return OTHER
        if b.here.numbers[IMBALANCE] <= plan[TOLERANCE]:
            if not cholesky(b.model.S, 10.0 * FLAT * _scale(b), b.model.L):
                return OTHER  # a saddle
            return PLAIN if _polish(b) and stiff(b, SOFT) else OTHER
        better = _advance(b)
        if better == 0:
            return PLAIN if b.here.numbers[IMBALANCE] <= ALMOST and stiff(b, SOFT) else OTHER
        for i in range(b.drift.shape[0]):
            if abs(b.drift[i]) > (ON_AND_ON if b.angular[i] else FAR):
                return OTHER
    return OTHER


@kernel(internal=True)
def write_equilibrium(b):
    """The equilibrium as outputs read it."""
    here, laws = b.here, b.here.strengths.shape[0]
    for i in range(here.q.shape[0]):
        b.q[0, i] = here.q[i]
    for k in range(b.winding.shape[0]):
        b.record_turns[0, k] = here.reference[b.winding[k]]
    for k in range(laws):
        b.loads[0, k] = here.strengths[k]
    for r in range(here.multipliers.shape[0]):
        b.loads[0, laws + r] = here.multipliers[r] * b.rows.inverse[r]


@kernel(internal=True)
def _expand(b):
    """H, the free motions and H along them at `here`. Returns whether the rank of J is that of the other samples."""
    model, at = b.model, b.here
    if not find_stiffness(b, STEP, model.H):
        return False
    n = model.H.shape[0]
    for i in range(n):
        for j in range(i):
            model.H[i, j] = model.H[j, i] = 0.5 * (model.H[i, j] + model.H[j, i])
    rank = orthogonal_basis(at.J, model.lengths, model.order, model.R, model.Q)
    if rank != b.trust[4]:
        return False
    reduced(model.H, model.Q, rank, model.product, model.S)
    return True


@kernel(internal=True)
def _scale(b):
    """The size of stiffnesses."""
    model, largest = b.model, 0.0
    for i in range(model.H.shape[0]):
        for j in range(model.H.shape[0]):
            largest = max(largest, abs(model.H[i, j]))
    largest = max(largest, b.here.numbers[SIZE])
    return largest if largest > 0.0 else 1.0


@kernel(internal=True)
def _newton_step(b, closing, target):
    """The step that the factors in `model.L` give against `model.more`, a force; it closes rows if `closing`."""
    model, at = b.model, b.here
    rank = np.int64(b.trust[4])
    n, free = model.H.shape[0], model.S.shape[0]
    for r in range(at.phi.shape[0]):
        b.vectors.right[r] = -at.phi[r] if closing else 0.0
    least_solution(model.R, model.Q, model.lengths, model.order, rank, b.vectors.right, model.y, model.first)
    for i in range(n):
        total = -model.more[i]
        for j in range(n):
            total -= model.H[i, j] * model.first[j]
        model.product[i, 0] = total
    for a in range(free):
        total = 0.0
        for i in range(n):
            total += model.Q[i, rank + a] * model.product[i, 0]
        model.w[a] = total
    cholesky_solve(model.L, model.w)
    for i in range(n):
        total = model.first[i]
        for a in range(free):
            total += model.Q[i, rank + a] * model.w[a]
        target[i] = total


@kernel(internal=True)
def _convex_step(b):
    """The step to the minimum of the model, made convex by as little as it takes, into `model.step`."""
    model, at, scale = b.model, b.here, _scale(b)
    mu = b.trust[1]
    mu = 0.01 * mu if mu > 1e-6 else FLAT
    while True:
        if cholesky(model.S, mu * scale, model.L):
            copy(at.residual, model.more)
            _newton_step(b, True, model.step)
            if dot(at.residual, model.step) < 0.0:
                break
        if mu > MAX_SHIFT:
            largest = _largest(at.residual)
            for i in range(model.step.shape[0]):
                model.step[i] = -at.residual[i] / largest
            break
        mu = max(10.0 * mu, 1e-6)
    b.trust[1] = mu


@kernel(internal=True)
def _largest(vector):
    largest = 0.0
    for i in range(vector.shape[0]):
        largest = max(largest, abs(vector[i]))
    return largest


@kernel(internal=True)
def _shorten(b, step):
    """Limit a step to the trusted length and to small rotations. Returns its length."""
    size, turn = 0.0, 0.0
    for i in range(step.shape[0]):
        size = max(size, abs(step[i]))
        turn = max(turn, abs(step[i]) * b.angular[i])
    factor = min(b.trust[0] / max(size, 1e-300), LONGEST_TURN / max(turn, 1e-300))
    factor = min(1.0, factor)
    for i in range(step.shape[0]):
        step[i] *= factor
    return factor * size


@kernel(internal=True)
def _foretold(b, step):
    """The change of the energy that the model predicts."""
    total, at, H = 0.0, b.here, b.model.H
    for i in range(step.shape[0]):
        bent = 0.0
        for j in range(step.shape[0]):
            bent += H[i, j] * step[j]
        total += step[i] * (at.residual[i] + 0.5 * bent)
    return total


@kernel(internal=True)
def _move(b, step):
    """The position after a step, closed again, into `there`. Returns whether there is one."""
    here, there, unit = b.here, b.there, b.unit
    width = b.step.shape[0] - unit.shape[0]
    for i in range(b.step.shape[0]):
        b.step[i] = step[i - width] * unit[i - width] if i >= width else 0.0
    copy(here.q, there.q)
    copy(here.reference, there.reference)
    advance(b.geometry, there.q, b.step)
    error, status = closed_position(
        b.geometry, b.rows, b.solver, b.weights, b.active, there.q, b.plan[TIME], there.reference, b.winding,
        0.01 * b.trust[3], b.work, b.vectors,
    )  # fmt: skip
    if status or not error <= b.trust[3] or not evaluate_place(b, there):
        return False
    copy(there.z, there.reference)
    return True


@kernel(internal=True)
def _accept(b):
    """Make `there` the present position."""
    here, there = b.here, b.there
    copy(there.q, here.q)
    copy(there.reference, here.reference)
    copy(there.z, here.z)
    copy(there.phi, here.phi)
    copy(there.force, here.force)
    copy(there.multipliers, here.multipliers)
    copy(there.residual, here.residual)
    copy(there.strengths, here.strengths)
    copy(there.energies, here.energies)
    copy(there.numbers, here.numbers)
    for r in range(here.J.shape[0]):
        copy(there.J[r], here.J[r])


@kernel(internal=True)
def _advance(b):
    """Move to a position of less energy. Returns 1, or 0 if there is none."""
    trust, step = b.trust, b.model.step
    _convex_step(b)
    while True:
        length = _shorten(b, step)
        foretold = _foretold(b, step)
        if _move(b, step):
            change, noise = energy_change(b)
            closer = abs(foretold) <= noise and b.there.numbers[IMBALANCE] < b.here.numbers[IMBALANCE]
            if closer or change <= 1e-4 * foretold:
                if not closer and change < 0.75 * foretold:
                    trust[0] = max(trust[0], 2.0 * length)
                elif not closer and change > 0.25 * foretold:
                    trust[0] = 0.5 * length
                for i in range(step.shape[0] if not closer else 0):
                    b.drift[i] += step[i]
                _accept(b)
                return 1
        trust[0] = 0.25 * length
        if not trust[0] >= 1e-12:
            return 0


@kernel(internal=True)
def _polish(b):
    """Further steps, as long as they balance forces that are small against those in springs. Returns whether the
    model of the energy could be made anew."""
    model = b.model
    for _ in range(POLISHED):
        at = b.here
        if _largest(at.residual) <= b.plan[TOLERANCE] * at.numbers[ACTING]:
            break
        if not cholesky(model.S, FLAT * _scale(b), model.L):
            return False
        for i in range(model.step.shape[0]):
            model.step[i] = 0.0
        for k in range(REFINED):
            for i in range(model.step.shape[0]):
                total = at.residual[i]
                for j in range(model.step.shape[0]):
                    total += model.H[i, j] * model.step[j]
                model.more[i] = total
            _newton_step(b, k == 0, model.correction)
            for i in range(model.step.shape[0]):
                model.step[i] += model.correction[i]
        _shorten(b, model.step)
        if not _move(b, model.step) or not b.there.numbers[IMBALANCE] < 0.5 * at.numbers[IMBALANCE]:
            break
        _accept(b)
        if not _expand(b):
            return False
    return True


@kernel(internal=True)
def stiff(b, share):
    """Whether no motion is soft: Q2^T (H - share D) Q2 is positive definite, D = |H_ii| + the largest force."""
    model, at = b.model, b.here
    force = max(at.numbers[ACTING], _largest(at.multipliers))
    n, rank = model.H.shape[0], np.int64(b.trust[4])
    for a in range(model.S.shape[0]):
        for c in range(a + 1):
            total = model.S[a, c]
            for i in range(n):
                total -= share * (abs(model.H[i, i]) + force) * model.Q[i, rank + a] * model.Q[i, rank + c]
            model.T[a, c] = total
    return cholesky(model.T, 0.0, model.L)
