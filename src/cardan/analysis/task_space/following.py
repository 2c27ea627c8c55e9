"""Targets one after the other in joint coordinates, in one compiled loop.

    Phi dq = -phi,   |B dq|_W least       B: displacements of all bodies from those of the joints

The metric W of inverse kinematics is that of a mechanism whose bodies have mass 1 and the moment of inertia L^2 about
every axis: with these, the factors of the mass matrix, and of Phi M^-1 Phi^T, give the least displacement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import displacement_size
from cardan.model.space import displacement
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.system.system import System
from cardan.system.tree.bodies import find_phi, hand_to_nodes, move_bodies
from cardan.system.tree.charts import advance
from cardan.system.tree.recursion.kernels import gather, move_nodes
from cardan.system.tree.recursion.masses import factor_masses, over_mass
from cardan.system.tree.recursion.rows import constrain, correct, open_along
from cardan.system.tree.state import evaluate_tree
from cardan.system.tree.tables import JointTables

MAX_SPACING = 0.3  # displacement between neighboring positions, relative to the model's length, or rad
DIVISIONS = 10  # halvings of the way between two targets
PASSED = 1e-9  # relative to the model's length, or rad: violation of a limit that engages it
PULLING = 1e-9  # relative to the model's length: force on a limit, per unit of the metric, that counts as pulling
CHANGES = 3  # of the limits that act, for each of them
CORRECTIONS_IN_ALL, CORRECTION_HALVINGS = 200, 12
REUSE_REDUCTION = 1e-3  # reduction of the errors by a correction up to which its factors serve the next one
MAX_CORRECTION = 0.5  # step of a correction, relative to the model's length, or rad


class FollowSettings(Record):
    """What a position must satisfy."""

    time: float
    tolerance: float
    length: float


class Following(NamedTuple):
    """A mechanism that follows targets: m targets, k limits."""

    joint: Any
    settings: Any
    target: np.ndarray  # int64[m]: rows of the targets
    limit: np.ndarray  # int64[k]: rows of the limits
    low: np.ndarray  # float64[k]
    high: np.ndarray  # float64[k]
    q: np.ndarray  # float64[nq]: where the mechanism is
    begin: np.ndarray  # float64[nq]: where the way to a target begins,
    begin_turns: np.ndarray  # the angles
    begin_place: np.ndarray  # and the bodies there
    home: np.ndarray  # float64[nq]: where independent targets are sought from,
    home_turns: np.ndarray
    home_place: np.ndarray
    home_values: np.ndarray  # float64[m]: and what the targets measure there
    trial: np.ndarray  # float64[nq]
    change: np.ndarray  # float64[nv]: a step of the joints
    short: np.ndarray  # float64[nv]
    moved: np.ndarray  # a displacement of all bodies, numbered as their speeds
    wanted: np.ndarray  # float64[m]


def following(
    system: System,
    q: np.ndarray,
    reference: np.ndarray,
    time: float,
    tolerance: float,
    targets: slice,
    limits: Sequence[tuple[float, float]],
) -> tuple[JointTables, Any]:
    """The tables of a mechanism in joint coordinates at a closed position, and the block that follows targets."""
    tables = JointTables(system, q, reference, time, kept=range(system.row_count))
    tables.weigh_evenly()
    joint = tables.joint
    nq, nv, m = len(tables.spanning.coordinates), len(tables.spanning.speeds), targets.stop - targets.start
    begin, trial, home = np.zeros((3, nq))
    change, short = np.zeros((2, nv))
    turns = joint.cartesian.reference
    block_of = Following(
        joint=joint,
        settings=FollowSettings(time=time, tolerance=tolerance, length=system.length),
        target=np.arange(targets.start, targets.stop),
        limit=np.arange(targets.stop, system.row_count),
        low=np.array([low for low, _ in limits], float),
        high=np.array([high for _, high in limits], float),
        q=tables.spanning.q.copy(),
        begin=begin,
        begin_turns=turns.copy(),
        begin_place=q.copy(),
        home=home,
        home_turns=turns.copy(),
        home_place=q.copy(),
        home_values=np.zeros(m),
        trial=trial,
        change=change,
        short=short,
        moved=system.speeds(),
        wanted=np.zeros(m),
    )
    return tables, block(block_of)


@kernel
def follow(f, targets, first, apart, positions, joints, turns):
    """Fill the positions of all bodies, the joint coordinates and the angles at each line of targets from `first` on.

    The mechanism is at the line before; `apart` targets are sought from there one by one. Returns the first line that
    is not reached, or how many there are.
    """
    joint, cartesian = f.joint, f.joint.cartesian
    copy(f.q, f.home)
    copy(cartesian.reference, f.home_turns)
    if evaluate_tree(joint, f.settings.time, f.q):
        return first
    copy(cartesian.place, f.home_place)
    for i in range(f.target.shape[0]):
        f.home_values[i] = cartesian.work.phi[f.target[i]] + cartesian.rows.offset[f.target[i]]
    for k in range(first, targets.shape[0]):
        if apart:
            copy(f.home, f.q)
            copy(f.home_turns, cartesian.reference)
            copy(f.home_place, cartesian.place)
        if not _continue(f, f.home_values if apart or k == first else targets[k - 1], targets[k]):
            return k
        copy_to_row(cartesian.place, positions, k)
        copy_to_row(f.q, joints, k)
        for j in range(cartesian.winding.shape[0]):
            turns[k, j] = cartesian.work.z[cartesian.winding[j], 0]
    return targets.shape[0]


@kernel(internal=True)
def _continue(f, last, wanted):
    """Move from one target to the next in steps that are short enough. Returns whether that is possible."""
    cartesian, done, share = f.joint.cartesian, 0.0, 1.0
    while done < 1.0:
        copy(f.q, f.begin)
        copy(cartesian.reference, f.begin_turns)
        copy(cartesian.place, f.begin_place)
        to = min(1.0, done + share)
        for i in range(wanted.shape[0]):
            f.wanted[i] = last[i] + to * (wanted[i] - last[i])
        if to == 1.0:
            copy(wanted, f.wanted)
        if _reach(f) and displacement_size(f.moved, cartesian.size) <= MAX_SPACING:
            done, share = to, min(1.0, 2.0 * share)
            continue
        _go_back(f)
        share *= 0.5
        if share < 2.0**-DIVISIONS:
            return False
    return True


@kernel(internal=True)
def _go_back(f):
    """Return to where the way to a target begins; signs of Euler parameters are followed from there, too."""
    copy(f.begin, f.q)
    copy(f.begin_turns, f.joint.cartesian.reference)
    copy(f.begin_place, f.joint.cartesian.place)


@kernel(internal=True)
def _reach(f):
    """Move to the nearest position with the targets, within limits; f.moved is the displacement of all bodies."""
    joint, cartesian = f.joint, f.joint.cartesian
    rows, engaged = cartesian.rows, cartesian.engaged
    for i in range(f.target.shape[0]):
        rows.offset[f.target[i]] = f.wanted[i]
    for i in range(f.limit.shape[0]):
        engaged[f.limit[i]] = 0
    if evaluate_tree(joint, f.settings.time, f.q):
        return False
    copy(cartesian.place, f.begin_place)
    for attempt in range(1 + CHANGES * f.limit.shape[0]):
        if attempt:
            _go_back(f)
            if evaluate_tree(joint, f.settings.time, f.q):
                return False
        if not _close(f):
            return False
        displacement(cartesian.geometry, f.begin_place, cartesian.place, f.moved)
        if f.limit.shape[0] == 0 or not (_engage_worst(f) or _release(f)):
            return True
    return False


@kernel(internal=True)
def _close(f):
    """Least corrections of the evaluated position until all errors are below the tolerance. Returns whether they are.

    The factors are kept while errors become small fast."""
    joint, cartesian, q, step, trial = f.joint, f.joint.cartesian, f.q, f.change, f.trial
    before, error = _errors(f)
    last = 0.0
    for iteration in range(CORRECTIONS_IN_ALL):
        if error <= f.settings.tolerance:
            return True
        if iteration == 0 or error > REUSE_REDUCTION * last:
            if factor_masses(joint):
                return False
            find_phi(joint)
            if constrain(joint, iteration == 0) and constrain(joint, True):
                return False
        for r in range(joint.row.shape[0]):
            joint.right[r] = cartesian.work.phi[joint.row[r]] if cartesian.engaged[joint.row[r]] else 0.0
        for i in range(step.shape[0]):
            step[i] = 0.0
        correct(joint, step)
        move_nodes(joint.tree, step)
        move_bodies(joint)
        size = displacement_size(joint.v, cartesian.size)
        factor, found, last = min(1.0, MAX_CORRECTION / max(size, 1e-300)), False, error
        for _ in range(CORRECTION_HALVINGS):
            for i in range(step.shape[0]):
                f.short[i] = factor * step[i]
            copy(q, trial)
            advance(joint.tree, trial, f.short, joint.rates)
            if evaluate_tree(joint, f.settings.time, trial) == 0:
                after, error = _errors(f)
                if after < before:
                    found = True
                    break
            factor *= 0.5
        if not found:
            return False
        copy(trial, q)
        before = after
        for j in range(joint.followed.shape[0]):
            cartesian.reference[joint.followed[j]] = cartesian.work.z[joint.followed[j], 0]
        if error > f.settings.tolerance and (factor * size < 1e-14 or (error > 0.999 * last and factor * size < 1e-6)):
            return False
    return error <= f.settings.tolerance


@kernel(internal=True)
def _errors(f):
    """The sum of the squares of the errors of all engaged rows, and the largest, relative to its scale."""
    joint, cartesian = f.joint, f.joint.cartesian
    total, worst = 0.0, 0.0
    for r in range(joint.row.shape[0]):
        row = joint.row[r]
        if cartesian.engaged[row]:
            part = cartesian.work.phi[row]
            total += part * part
            worst = max(worst, abs(part) * cartesian.rows.inverse[row])
    return (total if total == total else np.inf), worst


@kernel(internal=True)
def _engage_worst(f):
    """Turn the limit that is passed farthest into an equation. Returns whether one is passed."""
    cartesian, worst, chosen, at = f.joint.cartesian, PASSED, -1, 0.0
    rows = cartesian.rows
    for i in range(f.limit.shape[0]):
        row = f.limit[i]
        value = cartesian.work.phi[row] + rows.offset[row]
        beyond = max(f.low[i] - value, value - f.high[i]) * rows.inverse[row]
        if beyond > worst:
            worst, chosen, at = beyond, row, f.low[i] if value < f.low[i] else f.high[i]
    if chosen < 0:
        return False
    rows.offset[chosen], cartesian.engaged[chosen] = at, 1
    return True


@kernel(internal=True)
def _release(f):
    """Release the limit that pulls hardest instead of pushing. Returns whether one does.

    W d + J^T mu = 0 for the least displacement d, with mu >= 0 at upper and mu <= 0 at lower ends."""
    joint, cartesian = f.joint, f.joint.cartesian
    any_engaged = False
    for i in range(f.limit.shape[0]):
        any_engaged |= cartesian.engaged[f.limit[i]] != 0
    if not any_engaged:
        return False
    if factor_masses(joint):
        return False
    find_phi(joint)
    if constrain(joint, True):
        return False
    push, F, first = joint.push, joint.tree.F, f.moved.shape[0] - cartesian.weights.shape[0]
    for i in range(push.shape[0]):
        push[i] = 0.0 if i < first else cartesian.weights[i - first] * f.moved[i]
    for k in range(F.shape[0]):
        for j in range(6):
            F[k, j] = 0.0
    hand_to_nodes(joint, push, F)
    gather(joint.tree, f.short)
    over_mass(joint, f.short, f.change)
    for r in range(joint.right.shape[0]):
        joint.right[r] = 0.0
    open_along(joint, f.change)
    correct(joint, f.change)  # joint.right are now -mu
    hardest, chosen = PULLING * f.settings.length, -1
    for r in range(joint.row.shape[0]):
        for i in range(f.limit.shape[0]):
            if f.limit[i] == joint.row[r] and cartesian.engaged[f.limit[i]]:
                low = cartesian.rows.offset[f.limit[i]] == f.low[i]
                pull = -joint.right[r] if low else joint.right[r]
                if pull > hardest:
                    hardest, chosen = pull, f.limit[i]
    if chosen < 0:
        return False
    cartesian.engaged[chosen] = 0
    return True
