"""Many equilibria in one compiled loop: fill the tables, close the mechanism, descend to the least energy, read.

    for each sample:   tables <- numbers    q <- nearest closed position    q <- minimum of V    curves <- q, forces

The search is that of `cardan.analysis.equilibria.descent`, by the same rules: Newton's method along the joints, made
convex by a shift, within a trusted length. With J Q2 = 0 a step is s = s1 + Q2 w with
(Q2^T H Q2 + mu) w = -Q2^T (r + H s1). A sample that is not plain (it does not close at once, starts on a saddle, has
neutral motions, falls without end) is left to the ordinary analysis. Nothing is carried from one sample to the next.
"""

from __future__ import annotations

from cardan.analysis.assembly.nearest import closed_position
from cardan.analysis.equilibria import descent
from cardan.analysis.equilibria.descent import (
    ALMOST,
    DESCENT_ITERATIONS,
    LOWER,
    MAX_SHIFT,
    MIN_DESCENT_STEP,
    POLISHED,
    REFINED,
    WORSE,
)
from cardan.analysis.equilibria.imbalance import find_stiffness
from cardan.analysis.equilibria.statics import STEP
from cardan.analysis.equilibria.stiffness import FLAT
from cardan.model.space import advance
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_kernels import cholesky, cholesky_solve, least_solution, orthogonal_basis, reduced
from cardan.numerics.linalg.vector import copy, dot
from cardan.results.compiled_reading import read_parts
from cardan.study.batch.kernels import DONE, FALLBACK, close_start
from cardan.study.batch.static_forces import energy_change, evaluate_energies

SOFT_MOTION = 1e-6  # of a stiffness and the forces beside it: softer motions are left to the ordinary analysis
BALANCED_START = 1e-10  # imbalance of a stated position that counts as an equilibrium

# The rules of the search stand in `descent`.
first_shift, next_shift, share_trusted, judged, falls_away = (
    kernel(rule, internal=True)
    for rule in (descent.first_shift, descent.next_shift, descent.share_trusted, descent.judged, descent.falls_away)
)


@kernel
def run_statics(workspace, numbers, curves, status):
    """Find the equilibrium of one sample for each line of `numbers`; curves[s, 0, o] is output o."""
    for s in range(numbers.shape[0]):
        fill(workspace, numbers[s])
        status[s] = settle_sample(workspace)
        if status[s] == DONE:
            write_equilibrium(workspace)
            b = workspace
            read_parts(b.reading, b.times, b.q, b.v, b.v, b.record_turns, b.q, b.loads, curves[s])


@kernel(internal=True)
def fill(b, numbers):
    """Write the numbers of a sample, and what is derived from them."""
    for j in range(b.place.shape[0]):
        b.flat[b.place[j]] = numbers[j]


@kernel(internal=True)
def settle_sample(b):
    """One search. Returns DONE, with the equilibrium in `here`, or FALLBACK."""
    trust, plan = b.trust, b.plan
    if not close_start(b.soft, b.floating, b.start, b.turns, b.here.q, b.here.reference, plan.time, plan.closed):
        return FALLBACK
    trust.radius, trust.shift, trust.usual, trust.error = 0.25, 0.0, 0.0, plan.closed
    if not evaluate_energies(b, b.here):
        return FALLBACK
    trust.usual = b.here.sizes.size
    for r in range(b.here.phi.shape[0]):
        trust.error = max(trust.error, 2.0 * abs(b.here.phi[r]))
    for i in range(b.drift.shape[0]):
        b.drift[i] = 0.0
    if plan.searches == 0:
        return DONE if b.here.sizes.imbalance <= BALANCED_START and _expand(b) else FALLBACK
    for _ in range(DESCENT_ITERATIONS):
        if not _expand(b):
            return FALLBACK
        if b.here.sizes.imbalance <= plan.tolerance:
            if not cholesky(b.model.S, 10.0 * FLAT * _scale(b), b.model.L):
                return FALLBACK  # a saddle
            return DONE if _polish(b) and stiff(b, SOFT_MOTION) else FALLBACK
        better = _advance(b)
        if better == 0:
            return DONE if b.here.sizes.imbalance <= ALMOST and stiff(b, SOFT_MOTION) else FALLBACK
        for i in range(b.drift.shape[0]):
            if falls_away(b.drift[i], b.angular[i]):
                return FALLBACK
    return FALLBACK


@kernel(internal=True)
def write_equilibrium(b):
    """The equilibrium as outputs read it."""
    here, laws, winding, inverse = b.here, b.here.strengths.shape[0], b.bodies.winding, b.bodies.rows.inverse
    for i in range(here.q.shape[0]):
        b.q[0, i] = here.q[i]
    for k in range(winding.shape[0]):
        b.record_turns[0, k] = here.reference[winding[k]]
    for k in range(laws):
        b.loads[0, k] = here.strengths[k]
    for r in range(here.multipliers.shape[0]):
        b.loads[0, laws + r] = here.multipliers[r] * inverse[r]


@kernel(internal=True)
def _expand(b):
    """H, the free motions and H along them at `here`. Returns whether the rank of J is that of the other samples."""
    model, at = b.model, b.here
    if find_stiffness(b, at, b.plan.time, STEP, model.H):
        return False
    n = model.H.shape[0]
    for i in range(n):
        for j in range(i):
            model.H[i, j] = model.H[j, i] = 0.5 * (model.H[i, j] + model.H[j, i])
    rank = orthogonal_basis(at.J, model.lengths, model.order, model.R, model.Q)
    if rank != b.trust.rank:
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
    largest = max(largest, b.here.sizes.size)
    return largest if largest > 0.0 else 1.0


@kernel(internal=True)
def _newton_step(b, closing, target):
    """The step that the factors in `model.L` give against `model.more`, a force; it closes rows if `closing`."""
    model, at, right, rank = b.model, b.here, b.bodies.vectors.right, b.trust.rank
    n, free = model.H.shape[0], model.S.shape[0]
    for r in range(at.phi.shape[0]):
        right[r] = -at.phi[r] if closing else 0.0
    least_solution(model.R, model.Q, model.lengths, model.order, rank, right, model.y, model.first)
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
    mu = first_shift(b.trust.shift, FLAT)
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
        mu = next_shift(mu, FLAT)
    b.trust.shift = mu


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
    factor = share_trusted(size, turn, b.trust.radius)
    for i in range(step.shape[0]):
        step[i] *= factor
    return factor * size


@kernel(internal=True)
def _predicted(b, step):
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
    advance(b.bodies.geometry, there.q, b.step)
    error, status = closed_position(b.bodies, there.q, b.plan.time, there.reference, 0.01 * b.trust.error)
    if status or not error <= b.trust.error or not evaluate_energies(b, there):
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
    here.sizes.size, here.sizes.acting = there.sizes.size, there.sizes.acting
    here.sizes.imbalance = there.sizes.imbalance
    for r in range(here.J.shape[0]):
        copy(there.J[r], here.J[r])


@kernel(internal=True)
def _advance(b):
    """Move to a position of less energy. Returns 1, or 0 if there is none."""
    trust, step = b.trust, b.model.step
    _convex_step(b)
    while True:
        length = _shorten(b, step)
        predicted = _predicted(b, step)
        if _move(b, step):
            change, noise = energy_change(b)
            nearer = b.there.sizes.imbalance < b.here.sizes.imbalance
            outcome, trust.radius = judged(change, noise, predicted, nearer, length, trust.radius)
            for i in range(step.shape[0] if outcome == LOWER else 0):
                b.drift[i] += step[i]
            if outcome != WORSE:
                _accept(b)
                return 1
        else:
            trust.radius = 0.25 * length
        if not trust.radius >= MIN_DESCENT_STEP:
            return 0


@kernel(internal=True)
def _polish(b):
    """Further steps, as long as they balance forces that are small against those in springs. Returns whether the
    model of the energy could be rebuilt."""
    model = b.model
    for _ in range(POLISHED):
        at = b.here
        if _largest(at.residual) <= b.plan.tolerance * at.sizes.acting:
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
        if not _move(b, model.step) or not b.there.sizes.imbalance < 0.5 * at.sizes.imbalance:
            break
        _accept(b)
        if not _expand(b):
            return False
    return True


@kernel(internal=True)
def stiff(b, share):
    """Whether no motion is soft: Q2^T (H - share D) Q2 is positive definite, D = |H_ii| + the largest force."""
    model, at = b.model, b.here
    force = max(at.sizes.acting, _largest(at.multipliers))
    n, rank = model.H.shape[0], b.trust.rank
    for a in range(model.S.shape[0]):
        for c in range(a + 1):
            total = model.S[a, c]
            for i in range(n):
                total -= share * (abs(model.H[i, i]) + force) * model.Q[i, rank + a] * model.Q[i, rank + c]
            model.T[a, c] = total
    return cholesky(model.T, 0.0, model.L)
