"""The tangent of a sequence of equilibria: how position and reactions change with time.

    F(q, lambda, t) = [Phi_q^T lambda - Q; Phi] = 0,        [[H, J^T], [J, 0]] [q'; lambda'] = -F_t
    [[H, J^T], [J, 0]] [q''; lambda''] = -D^2 F,            D: the derivative along (q', lambda', 1)

The matrix is solved in the null space of J, as in `equilibria.newton`: steps have no component along neutral
directions. F_t and D^2 F are one-sided differences of third and second order of the compiled residual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.equilibria.imbalance import find_stiffness, imbalance
from cardan.analysis.equilibria.statics import STEP
from cardan.model.space import advance
from cardan.numerics.compiled.block import zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.functions.function import call_address
from cardan.numerics.linalg.dense_kernels import (
    cholesky,
    cholesky_solve,
    factorize_rows,
    multiply,
    null_columns,
    orthonormalize,
    product_of,
    row_forces,
    shortest_step,
    singular_values,
)
from cardan.numerics.linalg.rank import SINGULAR_PIVOT
from cardan.numerics.linalg.vector import copy
from cardan.numerics.memory import store_number

NEUTRAL = 1e-8  # of the scaled stiffness: differences do not distinguish less from zero
CLEAR = 1e-6  # more is certainly not zero
SKEW = 1e-7  # of the scaled stiffness: a larger difference is not symmetric
TIME_STEP = 1e-4  # of the distance of output times
LARGEST_STEP = 1e-4  # in rad or model lengths, of the second differences: errors of 1e-8
FIRST, SECOND = (3.0, -1.5, 1.0 / 3.0), (-5.0, 4.0, -1.0)  # weights of F(h), F(2h), F(3h); F(0) = 0
YES, NO, UNDECIDED = 1, 0, -1
AT_SINGULARITY = (1 << 40) + 1  # a status: rows that were independent depend on each other
WRONG_STRUCTURE = (1 << 40) + 2  # a status: the tables cannot follow the parameter there


class TangentState(Record):
    """What is known of a tangent."""

    clear: int  # 1 if the energy certainly has a minimum: the factor is Cholesky's, otherwise a pseudo-inverse
    symmetric: int  # 0 if forces have no potential
    stable: int  # along all but the neutral directions: YES, NO, or UNDECIDED if differences leave it open
    neutral: int  # number of directions without stiffness


class Tangent(NamedTuple):
    """The linearized equations of equilibrium at a position; the rows of `free` span the null space of J."""

    state: Any
    H: np.ndarray = zeros("n", "n")
    A: np.ndarray = zeros("m", "n")  # the factors of J,
    order: np.ndarray = zeros("m", dtype=np.int64)
    head: np.ndarray = zeros("rank")
    beta: np.ndarray = zeros("rank")
    free: np.ndarray = zeros("free", "n")  # scaled: stiff and soft coordinates compare
    reduced: np.ndarray = zeros("free", "free")  # H in this basis,
    plain: np.ndarray = zeros("free", "free")  # and in an orthonormal one
    factor: np.ndarray = zeros("free", "free")


class TangentMemory(NamedTuple):
    """Memory for finding and solving with tangents."""

    root: np.ndarray = zeros("n")
    T: np.ndarray = zeros("free", "free")
    across: np.ndarray = zeros("n", "free")  # free^T
    product: np.ndarray = zeros("free", "n")
    square: np.ndarray = zeros("free", "free")
    W: np.ndarray = zeros("free", "free")
    sizes: np.ndarray = zeros("free")
    more: np.ndarray = zeros("n")
    w: np.ndarray = zeros("free")
    spread: np.ndarray = zeros("free")
    top: np.ndarray = zeros("n")
    low: np.ndarray = zeros("m")
    loaded: np.ndarray = zeros("m")  # multipliers, not scaled
    still: np.ndarray = zeros("n")


class Rates(NamedTuple):
    """Scaled rates of the position and of the multipliers, and the second derivative of the position."""

    velocity: np.ndarray = zeros("n")
    multipliers: np.ndarray = zeros("m")
    acceleration: np.ndarray = zeros("n")
    bent: np.ndarray = zeros("m")


@kernel(internal=True)
def find_tangent(b, at, tangent):
    """The tangent at an evaluated position. Returns a status."""
    memory, state, H, A, F = b.memory, tangent.state, tangent.H, tangent.A, tangent.free
    status = find_stiffness(b, at, b.clock.time, STEP, H)
    if status:
        return status
    for r in range(A.shape[0]):
        copy(at.J[r], A[r])
    rank = tangent.head.shape[0]
    if factorize_rows(A, rank, tangent.order, tangent.head, tangent.beta) <= SINGULAR_PIVOT:
        return AT_SINGULARITY
    null_columns(A, rank, tangent.head, tangent.beta, memory.across, memory.w)
    _scale_coordinates(at, H, memory.root)
    for a in range(F.shape[0]):
        for i in range(F.shape[1]):
            F[a, i] = memory.across[i, a] * memory.root[i]
    orthonormalize(F, memory.T, memory.w)
    for a in range(F.shape[0]):
        for i in range(F.shape[1]):
            F[a, i] /= memory.root[i]
            memory.across[i, a] = F[a, i]
    product_of(F, H, memory.product)
    product_of(memory.product, memory.across, tangent.reduced)
    product_of(tangent.reduced, memory.T, memory.square)
    for a in range(F.shape[0]):
        for c in range(F.shape[0]):
            memory.W[a, c] = memory.T[c, a]
    product_of(memory.W, memory.square, tangent.plain)
    skew = 0.0
    for a in range(F.shape[0]):
        for c in range(a):
            skew = max(skew, abs(tangent.reduced[a, c] - tangent.reduced[c, a]))
    state.symmetric = 1 if skew <= SKEW else 0
    if state.symmetric:
        for a in range(F.shape[0]):
            for c in range(a):
                mean = 0.5 * (tangent.reduced[a, c] + tangent.reduced[c, a])
                tangent.reduced[a, c] = tangent.reduced[c, a] = mean
    state.clear, state.neutral, state.stable = 0, 0, YES
    if state.symmetric and cholesky(tangent.reduced, -CLEAR, tangent.factor):
        state.clear = 1 if cholesky(tangent.reduced, 0.0, tangent.factor) else 0
    if not state.clear:
        _decompose(tangent, memory)
    return 0


@kernel(internal=True)
def _scale_coordinates(at, H, root):
    """The root of |H_ii| and the forces that act, of each coordinate."""
    force, largest = at.sizes.acting, 0.0
    for r in range(at.multipliers.shape[0]):
        force = max(force, abs(at.multipliers[r]))
    for i in range(root.shape[0]):
        root[i] = abs(H[i, i]) + force
        largest = max(largest, root[i])
    largest = largest if largest > 0.0 else 1.0
    for i in range(root.shape[0]):
        root[i] = np.sqrt(root[i] if root[i] > 0.0 else largest)


@kernel(internal=True)
def _decompose(tangent, memory):
    """The pseudo-inverse without the directions that have no stiffness, and whether the energy has a minimum."""
    state, S, W, sizes, found = tangent.state, memory.square, memory.W, memory.sizes, tangent.factor
    free, shift = sizes.shape[0], 0.0
    for a in range(free):
        for c in range(free):
            S[a, c] = tangent.reduced[a, c]
            shift += S[a, c] * S[a, c]
            found[a, c] = 0.0
    shift = 2.0 * np.sqrt(shift) if state.symmetric else 0.0  # all singular values are eigenvalues plus this
    for a in range(free):
        S[a, a] += shift
    singular_values(S, W, sizes)
    state.stable = YES if state.symmetric else UNDECIDED
    for k in range(free):
        size = sizes[k] - shift
        if abs(size) <= NEUTRAL:
            state.neutral += 1
            continue
        if state.symmetric and size < CLEAR and state.stable != NO:
            state.stable = NO if size < -CLEAR else UNDECIDED
        for a in range(free):
            along = W[k, a] / size if state.symmetric else S[k, a] / (size * size)
            for c in range(free):
                found[a, c] += along * W[k, c]


@kernel(internal=True)
def solve_tangent(tangent, memory, top, low, step, multipliers):
    """Displacement and multipliers for [top; low] on the right side."""
    H, F, rank, more, w = tangent.H, tangent.free, tangent.head.shape[0], memory.more, memory.w
    shortest_step(tangent.A, rank, tangent.order, tangent.head, tangent.beta, low, step)
    _left_over(H, top, step, more)
    multiply(F, F.shape[0], more, w)
    if tangent.state.clear:
        cholesky_solve(tangent.factor, w)
    else:
        copy(w, memory.spread)
        multiply(tangent.factor, w.shape[0], memory.spread, w)
    for a in range(F.shape[0]):
        for i in range(F.shape[1]):
            step[i] += w[a] * F[a, i]
    _left_over(H, top, step, more)
    row_forces(tangent.A, rank, tangent.order, tangent.head, tangent.beta, more, multipliers)


@kernel(internal=True)
def _left_over(H, top, step, found):
    """top - H step"""
    multiply(H, found.shape[0], step, found)
    for i in range(found.shape[0]):
        found[i] = top[i] - found[i]


@kernel(internal=True)
def find_rates(b, at, t, tangent, rates):
    """The rates at an equilibrium: the limit from later times or, at the last time, from earlier ones. Returns a
    status."""
    memory, clock = b.memory, b.clock
    side = -1.0 if t >= clock.last else 1.0
    h, fastest = side * TIME_STEP * clock.spacing, 0.0
    status = _difference(b, at, t, FIRST, h, 0.0, rates)
    if status:
        return status
    solve_tangent(tangent, memory, memory.top, memory.low, rates.velocity, rates.multipliers)
    for i in range(rates.velocity.shape[0]):
        fastest = max(fastest, abs(rates.velocity[i]))
        rates.acceleration[i] = 0.0
    e = side * min(200.0 * TIME_STEP * clock.spacing, LARGEST_STEP / max(fastest, 1e-300))
    if e * e == 0.0:  # times so close that differences have no meaning
        return go_to(b, t)
    status = _difference(b, at, t, SECOND, e, 1.0, rates)
    if status:
        return status
    solve_tangent(tangent, memory, memory.top, memory.low, rates.acceleration, rates.bent)
    return go_to(b, t)


@kernel(internal=True)
def _difference(b, at, t, weights, h, moves, rates):
    """The right side for minus a difference of residuals at t + h, 2 h and 3 h, along the rates if it `moves`: the
    first or, if it moves, the second one. Returns a status."""
    memory, statics, unit = b.memory, b.statics, b.unit
    out, work, inverse = statics.scratch.out, statics.work, statics.rows.inverse
    width, there = out.shape[0] - unit.shape[0], b.beside
    for i in range(unit.shape[0]):
        memory.top[i] = 0.0
    for r in range(inverse.shape[0]):
        memory.low[r] = 0.0
    for k in range(3):
        ahead = (k + 1) * h
        status = go_to(b, t + ahead)
        if status:
            return status
        for r in range(inverse.shape[0]):
            memory.loaded[r] = (at.multipliers[r] + moves * ahead * rates.multipliers[r]) * inverse[r]
        copy(at.q, there)
        if moves != 0.0:
            move(b, there, rates.velocity, ahead)
        status = imbalance(statics, there, b.clock.time, at.reference, memory.loaded)
        if status:
            return status
        weight = -weights[k] / (h if moves == 0.0 else h * h)
        for i in range(unit.shape[0]):
            memory.top[i] += weight * (out[width + i] * unit[i] - at.residual[i])
        for r in range(inverse.shape[0]):
            memory.low[r] += weight * (work.phi[r] * inverse[r] - at.phi[r])
    return 0


@kernel(internal=True)
def move(b, q, direction, factor):
    """Displace a position by a multiple of a scaled displacement."""
    step, unit = b.step, b.unit
    width = step.shape[0] - unit.shape[0]
    for i in range(unit.shape[0]):
        step[width + i] = factor * direction[i] * unit[i]
    advance(b.statics.geometry, q, step)


@kernel(internal=True)
def go_to(b, t):
    """Go to another time, or write the numbers that hold at another value of a parameter. Returns a status."""
    clock, follow = b.clock, b.follow
    clock.time = t if clock.timed else clock.time
    for k in range(follow.place.shape[0]):
        store_number(follow.place[k], follow.base[k] + follow.slope[k] * t)
    if follow.address[0]:
        follow.argument[0] = t
        if call_address(follow.address[0], follow.argument, follow.argument, follow.out):
            return WRONG_STRUCTURE
    return 0
