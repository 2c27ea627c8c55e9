"""A driven motion in joint coordinates; results are those of bodies, as in Cartesian coordinates.

The operations of `march` solve

    phi(q, t) = 0,    Phi v = nu,    Phi a = gamma         of cut joints, for the joints that are not driven

If all joints of the tree are driven there are no equations, and nothing is solved. Steps are predicted from velocity,
acceleration and its change. In a step without a singular configuration the determinant of Phi keeps its sign.
"""

from __future__ import annotations

import time as clock
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import FAILED, Tolerances
from cardan.analysis.coordinates import Driven
from cardan.analysis.driven.march import (
    OTHERS,
    RUNNING,
    SMALLEST,
    STUCK,
    TRUSTED,
    MarchClock,
    State,
    Trial,
    fresh_trial,
    limit_steps,
    make_state,
    march_on,
    motion_record,
    nearest_allowed,
)
from cardan.analysis.driven.smoothness import inputs_fit, is_smooth, jumps_passed, junctions_of
from cardan.analysis.progress import SECONDS_BETWEEN_UPDATES, DurationCheck, Progress
from cardan.errors import Interrupted
from cardan.model.element import Constraint
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.rank import independent_rows
from cardan.numerics.linalg.small_lu import choose_pivots, lu_factor, lu_solve, small_lu
from cardan.numerics.linalg.vector import copy
from cardan.results.special_points import Jump
from cardan.results.trajectory import Trajectory
from cardan.system.system import System
from cardan.system.tree.bodies import accelerate_bodies, find_phi
from cardan.system.tree.charts import advance, position_rates
from cardan.system.tree.recursion.acceleration import open_by
from cardan.system.tree.recursion.kernels import accelerate_nodes
from cardan.system.tree.state import evaluate_tree, move_tree, prescribe_speeds
from cardan.system.tree.tables import JointTables
from cardan.system.turns import commit_rates, turns_fit


def joint_driven_motion(
    system: System,
    q: np.ndarray,
    times: np.ndarray,
    tolerances: Tolerances,
    redundant: tuple[int, ...],
    bar: Progress,
    tree: Collection[Constraint] = (),
) -> Driven | None:
    """The motion of an assembled mechanism, with the joints in `tree` as part of the tree; None if it cannot continue,
    for Cartesian coordinates to report why."""
    tables = JointTables(system, q, system.reference, float(times[0]), tree=tree)
    record = joint_record(tables.joint, times.size, system)
    jumps: list[Jump] = []
    span = float(times[-1] - times[0]) or 1.0
    rest = tolerances, times, record
    march = _begun(tables, tables.spanning.q, float(times[0]), span, rest)
    done, budget = 0, 256
    patience = DurationCheck(f"the motion of '{system.model.name}'", float(times[0]), float(times[-1]))
    while march is not None and done < times.size:
        begun = clock.perf_counter()
        try:
            status, done = march_tree(march, tolerances, times, done, budget, record)
            jumps += jumps_passed(system, record.junctions)
            bar.show(done)
        except KeyboardInterrupt:
            now, partial = float(march.state.clock.now), _motion(tables, times, record, done, redundant)
            partial.jumps = jumps
            message = f"interrupted at t = {now:.6g} s; .partial has the results so far"
            partial.stopped = Interrupted(message, time=now, partial=partial)
            raise partial.stopped from None
        if status != RUNNING:
            now = float(march.state.clock.now)
            march = _other(march, status, _begun(tables, march.state.q, now, span, rest))
        if march is not None:
            patience.check(float(march.state.clock.now))
        elapsed = clock.perf_counter() - begun
        budget = int(max(4, min(4 * budget, budget * SECONDS_BETWEEN_UPDATES / max(elapsed, 1e-6))))
    if march is None:
        return None
    run = _motion(tables, times, record, times.size, redundant)
    run.jumps = jumps
    return Driven(run, (tables, record.q))


def _motion(tables: JointTables, times: np.ndarray, record: Any, count: int, redundant: tuple[int, ...]) -> Trajectory:
    """The first `count` output times of the record."""
    motion = tables.bodies(record.q[:count], record.v[:count], record.a[:count])
    turns = tables.turns(record.q[:count], record.turns[:count])
    counts = record.iterations[:count], record.steps[:count]
    return Trajectory(tables.system, times[:count], *motion, *counts, set_aside=redundant, turns=turns)


def _begun(tables: JointTables, q: np.ndarray, time: float, span: float, rest: tuple[Any, ...]) -> Any | None:
    """A march that starts at q with the best-conditioned rows; None if there are none. If there are more cut rows than
    unknowns, the selected rows may become singular before all rows do."""
    joint, (tolerances, times, record) = tables.joint, rest
    march = joint_march(joint, q, time, span, np.zeros(0, int))
    if march_tree(march, tolerances, times, TRY_STEP, 1, record)[0] != RUNNING:
        return None
    chosen = _independent_rows(tables)
    if chosen is None:
        return None
    march = joint_march(joint, q, time, span, chosen)
    return march if march_tree(march, tolerances, times, BEGIN_MARCH, 1, record)[0] == RUNNING else None


def _other(march: Any, status: int, found: Any | None) -> Any | None:
    """The march `found`, if it has other rows; None if it is the mechanism that cannot continue."""
    if found is not None and not np.array_equal(found.chosen, march.chosen):
        return found
    march.worn_share[0] = 0.0
    return march if status == OTHERS else None


def _independent_rows(tables: JointTables) -> np.ndarray | None:
    """As many independent cut rows as there are unknowns; None if there are fewer."""
    joint = tables.joint
    unknowns = joint.unknown.astype(int)
    if unknowns.size == 0:
        return np.zeros(0, int)
    kept = independent_rows(joint.Phi[:, unknowns], joint.column_scale[unknowns], tables.row_sizes(joint.row))
    return np.sort(kept) if kept.size == unknowns.size else None


BEGIN_MARCH, TRY_STEP = -1, -2
WORN = 0.05  # relative to the best distance from singularity: below it other rows are considered


class JointMarch(NamedTuple):
    """The current state of the march, its trial step, and Phi of its rows and unknowns."""

    joint: Any
    state: State
    trial: Trial
    chosen: np.ndarray  # uint32: indices among the cut rows, as many as there are unknowns
    x: np.ndarray
    sign: np.ndarray  # float64[2]: of the determinant, at the trial and at the start
    worn_share: np.ndarray  # float64[1]: fraction of the best distance at which other rows are considered
    square: Any  # Phi of these rows and unknowns, factorized


def joint_march(joint: Any, q: np.ndarray, t: float, span: float, chosen: np.ndarray) -> Any:
    """A march that starts at q with zero speeds; there are as many `chosen` rows as unknowns."""
    nv, n = int(joint.sizes.speeds), chosen.size
    limits = {"shortest": SMALLEST * span, "input_trust": TRUSTED * span}
    clock = MarchClock(now=t, step=np.inf, junction_step=np.inf, **limits)
    none, reference = np.zeros(0), joint.cartesian.reference
    turns = reference, np.zeros(reference.size)
    state = State(clock, q.copy(), np.zeros(nv), np.zeros(nv), none, np.zeros((3, nv)), *turns, none, none)
    felt = np.zeros((n, n), np.uint8)
    for j in range(n):
        rows = joint.felt[joint.felt_start[j] : joint.felt_start[j + 1]]
        felt[np.isin(chosen, rows), j] = 2
    worn = np.array([WORN if joint.row.size > joint.unknown.size else 0.0])
    rows = chosen.astype(np.uint32), np.zeros(n), np.ones(2), worn, small_lu(felt)
    return block(JointMarch(joint, state, fresh_trial(state), *rows))


def joint_record(joint: Any, times: int, system: System) -> Any:
    """An empty record."""
    sizes = int(joint.sizes.positions), int(joint.sizes.speeds)
    return motion_record(times, *sizes, joint.cartesian.winding, junctions_of(system))


@kernel
def march_tree(march, tolerances, times, first, budget, record):
    """Advance from output time to output time, `budget` steps at most. Returns as `march_on`.

    `first` may be TRY_STEP, to evaluate Phi at the start, or BEGIN_MARCH, to close it: in one kernel, because each
    kernel compiles everything it calls."""
    state = march.state
    if first == TRY_STEP:
        status = evaluate_tree(march.joint, state.clock.now, state.q)
        find_phi(march.joint)
        return STUCK if status else RUNNING, 0
    if first == BEGIN_MARCH:
        return _begin(march, tolerances, record), 0
    steps = state, march.trial, record
    return march_on(
        march, tolerances, times, first, budget, steps, _move, _close, _fits, _is_regular, _accept, _is_worn
    )


@kernel(once=True)
def _begin(march, tolerances, record):
    """Close the first output time."""
    state, trial = march.state, march.trial
    copy(state.q, trial.q)
    if _close(march, tolerances, state.clock.now, state, trial) == FAILED:
        return STUCK
    march.sign[1] = march.sign[0]
    _accept(march, 0.0, state, trial, record)
    make_state(0.0, state, trial)
    limit_steps(state.clock, state.v, march.joint.size)
    return RUNNING


@kernel(internal=True, inline=True)
def _move(march, q, step):
    advance(march.joint.tree, q, step, march.joint.rates)


@kernel(internal=True)
def _is_regular(march, tolerances, t, state, trial):
    """Whether Phi has not passed through a singular configuration in this step, and is not about to.

    Two singular values that pass through zero at once leave the determinant its sign, but not the pivots theirs, as
    long as these are the same ones; at a junction Phi jumps, and the determinant alone counts.
    """
    clock, chosen = state.clock, march.square.chosen
    if march.sign[0] != march.sign[1] or not _distance(march) > nearest_allowed(tolerances, clock.regularity):
        return False
    return clock.at_junction != 0.0 or chosen[3] != clock.pivot_choice or chosen[4] == clock.negative_pivots


@kernel(internal=True)
def _close(march, tolerances, t, state, trial):
    """Positions, velocities and accelerations of the trial at time t. Returns the number of iterations, or FAILED."""
    joint, x, chosen = march.joint, march.x, march.chosen
    cartesian = joint.cartesian
    phi, inverse, last, count = cartesian.work.phi, cartesian.rows.inverse, 0.0, FAILED
    for iteration in range(tolerances.iterations + 1):
        if evaluate_tree(joint, t, trial.q):
            return FAILED
        find_phi(joint)
        if not _factorize(march):
            return FAILED
        error = 0.0
        for c in range(chosen.shape[0]):
            r = joint.row[chosen[c]]
            x[c] = -phi[r] * inverse[r]
            error = max(error, abs(x[c]) if x[c] == x[c] else np.inf)
        closed = error <= tolerances.equation and last <= tolerances.step
        last = _solve(march, trial.step)
        if not last < 1.0:
            return FAILED
        if chosen.shape[0]:
            advance(joint.tree, trial.q, trial.step, joint.rates)
        if closed:
            count = iteration
            break
    return FAILED if count == FAILED or _find_motion(march, trial, t) else count


@kernel(internal=True)
def _find_motion(march, trial, t):
    """Velocities and accelerations of the trial, using the current factors. Returns a status."""
    joint, v, a = march.joint, trial.v, trial.a
    cartesian, tree = joint.cartesian, joint.tree
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
    _solve(march, trial.step)
    for i in range(v.shape[0]):
        v[i] += trial.step[i]
    if move_tree(joint, t, v):
        return 1
    for k in range(joint.prescribed_row.shape[0]):
        a[tree.first_v[joint.prescribed_node[k]]] = joint.prescribed_value[k, 2]
    accelerate_nodes(tree, a)
    accelerate_bodies(joint)
    open_by(joint)
    for c in range(chosen.shape[0]):
        x[c] = -joint.right[chosen[c]] * inverse[joint.row[chosen[c]]]
    _solve(march, trial.step)
    for i in range(a.shape[0]):
        a[i] += trial.step[i]
    return 0


@kernel(internal=True)
def _factorize(march):
    """Factors of Phi in the model's own units. False if it is singular."""
    square, sign = march.square, 1.0
    if march.chosen.shape[0]:
        sign = 0.0
        if square.chosen[0]:
            _fill(march)
            sign = float(lu_factor(square))
        if sign == 0.0:
            _fill(march)
            if choose_pivots(square):
                sign = float(lu_factor(square))
    march.sign[0] = sign
    return sign != 0.0


@kernel(internal=True)
def _fill(march):
    joint = march.joint
    for i in range(march.chosen.shape[0]):
        r = march.chosen[i]
        scale = joint.cartesian.rows.inverse[joint.row[r]]
        for j in range(march.chosen.shape[0]):
            march.square.a[i, j] = joint.Phi[r, joint.unknown[j]] * scale / joint.size[joint.unknown[j]]


@kernel(internal=True)
def _solve(march, step):
    """The step of all speeds, prescribed ones zero, whose right-hand side is march.x. Returns its size."""
    joint = march.joint
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
    """The distance of Phi from singularity."""
    return march.square.range[0] if march.chosen.shape[0] else 1.0


@kernel(internal=True)
def _fits(march, t, h, state, trial, record):
    """Whether both ends of the step belong to one smooth motion: q' integrated by the trapezoidal rule with ends."""
    joint, moved, gap = march.joint, 0.0, 0.0
    cartesian, tree = joint.cartesian, joint.tree
    v0, v1, a0, a1, step = state.v, trial.v, state.a, trial.a, trial.step
    for i in range(step.shape[0]):
        step[i] = 0.5 * h * (v0[i] + v1[i]) - h * h / 12.0 * (a1[i] - a0[i])
    position_rates(tree, state.q, step, joint.rates)
    for k in range(tree.kind.shape[0]):
        i, size = tree.first_q[k], joint.size[tree.first_v[k]]
        if tree.count_v[k] == 1:  # balls are checked through the others, or by the sign of the determinant
            way = trial.q[i] - state.q[i]
            moved, gap = max(moved, abs(way) * size), max(gap, abs(way - joint.rates[i]) * size)
    if is_smooth(moved, gap, 0.0, 0.0, 0.0) != 2:
        return False
    if not turns_fit(cartesian.work.z, state.reference, state.rates, joint.followed, h):
        return False
    return h <= state.clock.input_trust or inputs_fit(cartesian.rows, t - h, h, cartesian.work.motion)


@kernel(internal=True)
def _accept(march, h, state, trial, record):
    """Extend the motion beyond the trial: by the change of its accelerations."""
    clock, cartesian = state.clock, march.joint.cartesian
    if h > 0.0:
        for i in range(state.a.shape[0]):
            state.ahead[0, i] = (trial.a[i] - state.a[i]) / (6.0 * h)
    clock.pivot_choice, clock.negative_pivots = march.square.chosen[3], march.square.chosen[4]
    commit_rates(cartesian.work.z, state.reference, state.rates, march.joint.followed)
    clock.regularity = max(clock.regularity, _distance(march))


@kernel(internal=True)
def _is_worn(march, clock):
    return _distance(march) < march.worn_share[0] * clock.regularity
