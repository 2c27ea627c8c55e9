"""Kinematics in joint coordinates, instant by instant: the counterpart of `cardan.analysis.driven.march`.

    phi(q, t) = 0,    Phi v = nu,    Phi a = gamma         of what is cut, for the joints that are not driven

A tree whose joints are all driven has none, and nothing is solved. Steps are predicted from velocity, acceleration and
its change, corrected by Newton's method, and halved where that fails, where both ends do not fit one smooth motion, or
where the determinant of Phi changes its sign. Junctions of the curves of contacts are passed in tiny steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.driven.march import FAR, NARROW, NEAR, PASSED, RUNNING, SMALLEST, STUCK, TRUSTED
from cardan.analysis.driven.smoothness import (
    KEPT,
    Junctions,
    inputs_fit,
    is_smooth,
    note_junctions,
    passes_junction,
    step_to_junction,
)
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.small_lu import choose_pivots, lu_factor, lu_solve, small_lu
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.system.tree.bodies import accelerate_bodies, find_phi
from cardan.system.tree.charts import advance, position_rates
from cardan.system.tree.recursion.acceleration import open_by
from cardan.system.tree.recursion.kernels import accelerate_nodes
from cardan.system.tree.state import evaluate_tree, move_tree, prescribe_speeds
from cardan.system.turn_kernels import commit_rates, turns_fit, write_turns

FAILED, BEGIN, LOOK = -1, -1, -2
OTHERS = 7  # a status beside RUNNING and STUCK: other rows may be better conditioned
WORN = 0.05  # of the best distance from singular: so much is lost before others are looked for


class JointMarchClock(Record):
    """Time, step sizes, and what decides whether a step is accepted."""

    now: float
    step: float  # size to try next
    shortest: float
    last_step: float
    determinant_sign: float
    regularity: float  # the largest distance of Phi from singular so far
    worn_share: float  # part of that which calls for other rows, as long as there are some
    input_trust: float  # the longest step in which inputs are not checked
    pivot_choice: float  # how often pivots were chosen,
    negative_pivots: float  # and which of them are negative
    junction_step: float  # the step that ends before a junction, or infinity
    junction_tries: float
    at_junction: float  # whether the step tried passes a junction


class JointMarch(NamedTuple):
    """Where the march stands, and what it tries."""

    clock: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    jerk: np.ndarray
    rates: np.ndarray  # of measures, where it stands
    trial_q: np.ndarray
    trial_v: np.ndarray
    trial_a: np.ndarray
    step: np.ndarray
    chosen: np.ndarray  # uint32: as many rows, by number among those of what is cut, as there are unknowns
    x: np.ndarray
    sign: np.ndarray  # float64[1]: of the determinant
    square: Any  # Phi of these rows and unknowns, factorized


class JointRecord(NamedTuple):
    """What is kept of each instant."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    iterations: np.ndarray
    steps: np.ndarray
    junctions: Junctions


def joint_march(joint: Any, q: np.ndarray, t: float, span: float, chosen: np.ndarray) -> Any:
    """A march that is about to start at q, at rest; `chosen` rows are as many as there are unknowns."""
    nv, n = int(joint.sizes.speeds), chosen.size
    clock = JointMarchClock(
        now=t,
        step=np.inf,
        shortest=SMALLEST * span,
        input_trust=TRUSTED * span,
        junction_step=np.inf,
        worn_share=WORN if joint.row.size > joint.unknown.size else 0.0,
    )
    speeds = (np.zeros(nv) for _ in range(6))
    felt = np.zeros((n, n), np.uint8)
    for j in range(n):
        rows = joint.felt[joint.felt_start[j] : joint.felt_start[j + 1]]
        felt[np.isin(chosen, rows), j] = 2
    square = small_lu(felt)
    v, a, jerk, trial_v, trial_a, step = speeds
    tables = (clock, q.copy(), v, a, jerk, np.zeros(joint.cartesian.reference.size), q.copy(), trial_v, trial_a, step)
    return block(JointMarch(*tables, chosen.astype(np.uint32), np.zeros(n), np.ones(1), square))


def joint_record(joint: Any, instants: int, junctions: Junctions) -> Any:
    """An empty record."""
    nq, nv = int(joint.sizes.positions), int(joint.sizes.speeds)
    q, v, a, turns = (np.zeros((instants, size)) for size in (nq, nv, nv, joint.cartesian.winding.size))
    return block(JointRecord(q, v, a, turns, np.zeros(instants, np.int64), np.zeros(instants, np.int64), junctions))


@kernel
def march_tree(joint, march, tolerances, times, first, budget, record):
    """Advance from instant to instant, `budget` steps at most. Returns (RUNNING, STUCK or OTHERS, the next instant).

    `first` may be LOOK, to find Phi at the start, or BEGIN, to close it: one kernel, as all that it calls is compiled
    with it."""
    clock, junctions = march.clock, record.junctions
    if first == LOOK:
        status = evaluate_tree(joint, clock.now, march.q)
        find_phi(joint)
        return STUCK if status else RUNNING, 0
    if first == BEGIN:
        return _begin(joint, march, tolerances), 0
    for i in range(first, times.shape[0]):
        held = False  # whether the instant is at a junction, and keeps the rates from before
        while clock.now < times[i]:
            if budget == 0 or junctions.written[0] > KEPT - 10:
                return RUNNING, i
            if _distance(march) < clock.worn_share * clock.regularity:
                return OTHERS, i
            budget -= 1
            left = times[i] - clock.now
            h = left if clock.step > 0.999 * left else min(clock.step, 0.5 * left)
            h = min(h, clock.junction_step)
            count = _try_step(joint, march, junctions, tolerances, h)
            if count == PASSED:
                continue
            clock.junction_step, clock.junction_tries = np.inf, 0.0
            if count == FAILED:
                clock.step = 0.5 * h
                if clock.step < clock.shortest:
                    return STUCK, i
                continue
            if clock.at_junction != 0.0:
                note_junctions(junctions, clock.now, march.q, march.v, march.trial_q)
                held = h == left
                if held:
                    copy_to_row(march.v, record.v, i)
                    copy_to_row(march.a, record.a, i)
            _accept(joint, march, h)
            clock.now = times[i] if h == left else clock.now + h
            clock.step = max(clock.step, 2.0 * h)
            record.iterations[i] += count
            record.steps[i] += 1
        copy_to_row(march.q, record.q, i)
        if not held:
            copy_to_row(march.v, record.v, i)
            copy_to_row(march.a, record.a, i)
        write_turns(joint.cartesian.reference, joint.cartesian.winding, record.turns[i])
    return RUNNING, times.shape[0]


@kernel(once=True)
def _begin(joint, march, tolerances):
    """Close the first instant."""
    clock = march.clock
    copy(march.q, march.trial_q)
    if _close(joint, march, tolerances, clock.now) == FAILED:
        return STUCK
    clock.determinant_sign, clock.regularity = march.sign[0], _distance(march)
    _accept(joint, march, 0.0)
    fastest = 0.0
    for i in range(march.v.shape[0]):
        fastest = max(fastest, abs(march.v[i]) * joint.size[i])
    if fastest > 0.0:
        clock.shortest = min(clock.shortest, SMALLEST / fastest)
    return RUNNING


@kernel(once=True)
def _try_step(joint, march, junctions, tolerances, h):
    """Predict, close and check one step. Returns the number of iterations, FAILED or PASSED."""
    clock, step, cartesian = march.clock, march.step, joint.cartesian
    far = h if h <= FAR * clock.last_step else 0.0
    for i in range(step.shape[0]):
        step[i] = h * (march.v[i] + 0.5 * h * (march.a[i] + far / 3.0 * march.jerk[i]))
    copy(march.q, march.trial_q)
    advance(joint.tree, march.trial_q, step, joint.rates)
    clock.at_junction = 0.0
    count = _close(joint, march, tolerances, clock.now + h)
    if count != FAILED and passes_junction(junctions, march.q, march.trial_q):
        clock.junction_step = step_to_junction(
            junctions, march.q, march.v, march.a, march.trial_q, h, clock.shortest, clock.junction_tries
        )
        clock.junction_tries += 1.0
        if clock.junction_step > 0.0:
            return PASSED
        clock.at_junction = 1.0
    if count == FAILED or not _fits(joint, march, h):
        return FAILED
    if not turns_fit(cartesian.work.z, cartesian.reference, march.rates, joint.followed, h):
        return FAILED
    if h > clock.input_trust and not inputs_fit(cartesian.rows, clock.now, h, cartesian.work.motion):
        return FAILED
    nearest = NEAR * np.sqrt(min(tolerances.equation, NARROW)) * min(1.0, clock.regularity)
    return count if _same_side(march) and _distance(march) > nearest else FAILED


@kernel(internal=True)
def _same_side(march):
    """Whether Phi has not passed through a singular position in this step.

    Two singular values that pass through zero at once leave the determinant its sign, but not the pivots theirs, as
    long as these are the same ones; at a junction Phi jumps, and the determinant alone counts.
    """
    clock, chosen = march.clock, march.square.chosen
    if march.sign[0] != clock.determinant_sign:
        return False
    return clock.at_junction != 0.0 or chosen[3] != clock.pivot_choice or chosen[4] == clock.negative_pivots


@kernel(internal=True)
def _close(joint, march, tolerances, t):
    """Positions, velocities and accelerations of the trial at time t. Returns the number of iterations, or FAILED."""
    cartesian, x, chosen = joint.cartesian, march.x, march.chosen
    phi, inverse, last, count = cartesian.work.phi, cartesian.rows.inverse, 0.0, FAILED
    for iteration in range(tolerances.iterations + 1):
        if evaluate_tree(joint, t, march.trial_q):
            return FAILED
        find_phi(joint)
        if not _factorize(joint, march):
            return FAILED
        error = 0.0
        for c in range(chosen.shape[0]):
            r = joint.row[chosen[c]]
            x[c] = -phi[r] * inverse[r]
            error = max(error, abs(x[c]) if x[c] == x[c] else np.inf)
        closed = error <= tolerances.equation and last <= tolerances.step
        last = _solve(joint, march, march.step)
        if not last < 1.0:
            return FAILED
        if chosen.shape[0]:
            advance(joint.tree, march.trial_q, march.step, joint.rates)
        if closed:
            count = iteration
            break
    return FAILED if count == FAILED or _find_motion(joint, march, t) else count


@kernel(internal=True)
def _find_motion(joint, march, t):
    """Velocities and accelerations of the trial by the factors at hand. Returns a status."""
    cartesian, v, a, tree = joint.cartesian, march.trial_v, march.trial_a, joint.tree
    nu, inverse, x, chosen = cartesian.work.nu, cartesian.rows.inverse, march.x, march.chosen
    for i in range(v.shape[0]):
        v[i] = a[i] = 0.0
    prescribe_speeds(joint, v)
    for c in range(chosen.shape[0]):
        r = joint.row[chosen[c]]
        total = nu[r]
        for j in range(v.shape[0]):
            total -= joint.Phi[chosen[c], j] * v[j]
        x[c] = total * inverse[r]
    _solve(joint, march, march.step)
    for i in range(v.shape[0]):
        v[i] += march.step[i]
    if move_tree(joint, t, v):
        return 1
    for k in range(joint.prescribed_row.shape[0]):
        a[tree.first_v[joint.prescribed_node[k]]] = joint.prescribed_value[k, 2]
    accelerate_nodes(tree, a)
    accelerate_bodies(joint)
    open_by(joint)
    for c in range(chosen.shape[0]):
        x[c] = -joint.right[chosen[c]] * inverse[joint.row[chosen[c]]]
    _solve(joint, march, march.step)
    for i in range(a.shape[0]):
        a[i] += march.step[i]
    return 0


@kernel(internal=True)
def _factorize(joint, march):
    """Factors of Phi in the model's own units. False if it is singular."""
    square, sign = march.square, 1.0
    if march.chosen.shape[0]:
        sign = 0.0
        if square.chosen[0]:
            _fill(joint, march)
            sign = float(lu_factor(square))
        if sign == 0.0:
            _fill(joint, march)
            if choose_pivots(square):
                sign = float(lu_factor(square))
    march.sign[0] = sign
    return sign != 0.0


@kernel(internal=True)
def _fill(joint, march):
    for i in range(march.chosen.shape[0]):
        r = march.chosen[i]
        scale = joint.cartesian.rows.inverse[joint.row[r]]
        for j in range(march.chosen.shape[0]):
            march.square.a[i, j] = joint.Phi[r, joint.unknown[j]] * scale / joint.size[joint.unknown[j]]


@kernel(internal=True)
def _solve(joint, march, step):
    """The step of all speeds, prescribed ones zero, whose right-hand side is march.x. Returns its size."""
    for i in range(step.shape[0]):
        step[i] = 0.0
    if march.chosen.shape[0] == 0:
        return 0.0
    lu_solve(march.square, march.x)
    worst = 0.0
    for j in range(march.chosen.shape[0]):
        k = joint.unknown[j]
        step[k] = march.x[j] / joint.size[k]
        worst = max(worst, abs(march.x[j]) if march.x[j] == march.x[j] else np.inf)
    return worst


@kernel(internal=True)
def _distance(march):
    """How far from singular Phi is."""
    return march.square.range[0] if march.chosen.shape[0] else 1.0


@kernel(internal=True)
def _fits(joint, march, h):
    """Whether both ends of the step belong to one smooth motion: q' integrated by the trapezoidal rule with ends."""
    moved, gap = 0.0, 0.0
    v0, v1, a0, a1, step = march.v, march.trial_v, march.a, march.trial_a, march.step
    for i in range(step.shape[0]):
        step[i] = 0.5 * h * (v0[i] + v1[i]) - h * h / 12.0 * (a1[i] - a0[i])
    position_rates(joint.tree, march.q, step, joint.rates)
    for k in range(joint.tree.kind.shape[0]):
        i, size = joint.tree.first_q[k], joint.size[joint.tree.first_v[k]]
        if joint.tree.count_v[k] == 1:  # balls are held by the others, or by the sign of the determinant
            way = march.trial_q[i] - march.q[i]
            moved, gap = max(moved, abs(way) * size), max(gap, abs(way - joint.rates[i]) * size)
    return is_smooth(moved, gap, 0.0, 0.0, 0.0) == 2


@kernel(internal=True)
def _accept(joint, march, h):
    """Make the trial the state."""
    if h > 0.0:
        for i in range(march.a.shape[0]):
            march.jerk[i] = (march.trial_a[i] - march.a[i]) / h
    march.clock.last_step = h if march.clock.at_junction == 0.0 else 0.0
    march.clock.pivot_choice, march.clock.negative_pivots = march.square.chosen[3], march.square.chosen[4]
    copy(march.trial_q, march.q)
    copy(march.trial_v, march.v)
    copy(march.trial_a, march.a)
    commit_rates(joint.cartesian.work.z, joint.cartesian.reference, march.rates, joint.followed)
    march.clock.regularity = max(march.clock.regularity, _distance(march))
