"""Bifurcations: the motions that cross there, and the continuation of an analysis along one of them.

At a bifurcation J has m null vectors phi_i and psi_i with psi_i^T Phi_t = 0, so J v = nu does not determine the part of
v along phi. The condition that accelerations exist determines it:

    v = v0 + sum c_i phi_i,     psi_i^T gamma(v) = 0,  i = 1 .. m                        m quadratic equations for c

v0 is the velocity on arrival, so c = 0 is a solution: the smooth branch. For m = 1 there is one more; m mechanisms that
bifurcate at the same time have 2^m. A motion that starts at a bifurcation has no arrival: v0 is the smallest solution
of J v = nu, and all solutions c are branches. Each branch is closed by Newton's method shortly after the bifurcation,
where J is regular.

Near the bifurcation the equations are ill-conditioned, but the motions are smooth on both sides: output times there
are interpolated by polynomials through NODES times on their side, the bifurcation itself from the side of arrival.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import FAILED, Tolerances, bodies_of
from cardan.analysis.assembly.scaled_rows import Frame, RowPoint
from cardan.analysis.driven.cartesian_march import begin, fresh_record, fresh_state, march
from cardan.analysis.driven.march import RUNNING, State, fresh_trial
from cardan.analysis.driven.singular import APART, FORK, NODES, Singularity, singularity
from cardan.model.space import advance, displacement, normalize
from cardan.numerics.linalg.rank import ROW_NOISE, SINE, SINGULAR_PIVOT
from cardan.results.snapshot import Snapshot
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.system import System

MAX_NULL_VECTORS = 4  # largest number of null vectors for which branches are computed
VANISHED = 1e-3  # relative to a singular value at the first node: counts as zero at the bifurcation
STARTS = 60  # starts of Newton's method for each null vector
SAME_BRANCH = 1e-5  # relative distance of velocities up to which two branches are the same
MAX_BRANCH_SPEED = 1e4  # times the arrival speed: faster branches are rejected
AT_END = 1e-3  # relative to the distance between nodes: a motion that ends this soon after a bifurcation ends at it
HAIR = 1e-6  # relative to that distance: a time this soon after the bifurcation counts as at it
SHORTER = (1.0, 0.25, 0.0625)  # parts of the distance between nodes at which a branch is tried afterwards


class Branch(NamedTuple):
    """A motion that leaves a bifurcation: its velocity there, and its position a little later."""

    velocity: np.ndarray
    snapshot: Snapshot


class Branches(NamedTuple):
    """A bifurcation at `time`, the position there, the time before and after it in which polynomials are used, and all
    branches.

    `smooth` is the number of the smooth branch; None if the motion starts there and has no velocity yet.
    """

    time: float
    q: np.ndarray
    width: float
    arrival: tuple[np.ndarray, Any] | None  # times before the bifurcation and their record
    branches: tuple[Branch, ...]
    smooth: int | None = 0


def branches_at(
    system: System, active: np.ndarray, state: State, found: Singularity, room: float, tolerances: Tolerances
) -> Branches | None:
    """The branches that leave a bifurcation, the smooth one first; `room` is the time left. None if there are none."""
    if found.way is None:
        return None
    nodes, record = found.way
    width = float(nodes[-1] - nodes[-2])
    if room > AT_END * width:  # otherwise the motion ends at the bifurcation, and the branches are beyond its end
        width = min(width, room / (NODES + 1))
    q = _read(system, nodes, record.q, found.time)
    v = _weights(nodes, found.time) @ record.v
    frame = Frame(system, active, state.reference)
    tangents = [v, *_other_tangents(frame, q, v, found.time, RowPoint(frame, record.q[0], float(nodes[0])))]
    exits: list[Branch] = []
    for k, tangent in enumerate(tangents):
        for part in SHORTER:
            time = found.time + part * width
            guess = _read(system, nodes, record.q, time) if k == 0 else _moved(system, q, part * width * tangent)
            snapshot = _closed(system, active, state, tolerances, guess, time)
            if snapshot is not None and _nearest(frame, tangents, snapshot.v) == k:
                exits.append(Branch(tangent, snapshot))
                break
        if not exits:
            return None
    return Branches(found.time, q, width, found.way, tuple(exits))


def branches_at_start(
    system: System, active: np.ndarray, state: State, span: float, tolerances: Tolerances, v: np.ndarray | None
) -> tuple[Singularity, Branches] | None:
    """The bifurcation at which a motion starts; None if its first position is regular, or locked up.

    `v` is the velocity on arrival if the motion continues another one: the branch nearest to it is the smooth one.
    """
    frame, time = Frame(system, active, state.reference), float(state.clock.now)
    here = RowPoint(frame, state.q, time)
    if here.J.shape[0] != here.J.shape[1]:
        return None
    left, sizes, right = np.linalg.svd(here.dense())
    m = int(np.sum(sizes < SINGULAR_PIVOT * sizes[0]))
    phi, psi = right[sizes.size - m :].T, left[:, sizes.size - m :]
    if not 0 < m <= MAX_NULL_VECTORS or max(here.slope(psi[:, k]) for k in range(m)) > FORK:
        return None
    least = system.speeds()
    least[system.width :] = np.linalg.lstsq(here.dense(), -here.phi_t, rcond=SINGULAR_PIVOT)[0] * frame.unit
    tangents = _tangents(frame, state.q, least, time, phi, psi, arrived=False)
    if v is not None:
        tangents.sort(key=lambda tangent: float(np.linalg.norm((tangent - v)[system.width :] / frame.unit)))
    speed = max((float(np.linalg.norm(tangent[system.width :] / frame.unit)) for tangent in tangents), default=0.0)
    width = min(2e-3 * span, APART / speed, span / (NODES + 1)) if speed > 0.0 else 2e-3 * span
    exits = []
    for k, tangent in enumerate(tangents):
        for part in SHORTER:
            guess = _moved(system, state.q, part * width * tangent)
            snapshot = _closed(system, active, state, tolerances, guess, time + part * width)
            if snapshot is not None and _nearest(frame, tangents, snapshot.v) == k:
                exits.append(Branch(tangent, snapshot))
                break
    found = singularity(here, "bifurcation", psi[:, 0], phi[:, 0])
    smooth = 0 if len(exits) == 1 or v is not None else None
    return found, Branches(time, state.q.copy(), width, None, tuple(exits), smooth)


def chosen_branch(system: System, bifurcation: Branches, picked: Snapshot) -> int | None:
    """The index of the branch that contains a snapshot; None if it is at another time."""
    ahead = picked.time - bifurcation.time
    if not 0.0 < ahead <= 20.0 * bifurcation.width or picked.q.shape != bifurcation.q.shape:
        return None
    step = system.speeds()
    displacement(system.geometry, bifurcation.q, picked.q, step)
    frame = Frame(system, np.ones(system.row_count, np.uint8), system.reference)
    return _nearest(frame, [branch.velocity for branch in bifurcation.branches], step / ahead)


class Passage(NamedTuple):
    """The data for continuing a run after a bifurcation."""

    state: State
    done: int  # output times computed


def pass_bifurcation(
    system: System,
    active: np.ndarray,
    tolerances: Tolerances,
    bifurcation: Branches,
    taken: int,
    times: np.ndarray,
    record: Any,
    done: int,
    reference: np.ndarray,
    span: float,
) -> Passage | None:
    """Fill in the output times near a bifurcation and return the state after it; None if the branch ends
    immediately."""
    start = bifurcation.branches[taken].snapshot
    state = _state_of(system, start, reference, span)
    bodies = bodies_of(system, active)
    if begin(bodies, tolerances, state)[0] == FAILED:
        return None
    near = bifurcation.time - 0.5 * bifurcation.width
    first = int(np.searchsorted(times[:done], near, "right"))
    last = int(np.searchsorted(times, start.time, "left"))
    behind = _times_after(active, tolerances, start, reference, span, bifurcation.width) if last > first else None
    for i in range(first, last):
        arriving = bifurcation.arrival is not None and times[i] <= bifurcation.time + HAIR * bifurcation.width
        side = bifurcation.arrival if arriving else behind
        if side is None:
            return None
        nodes, kept = side
        weights = _weights(nodes, float(times[i]))
        record.q[i] = _read(system, nodes, kept.q, float(times[i]))
        _close_least(Frame(system, active, reference), record.q[i], float(times[i]))
        record.v[i], record.a[i] = weights @ kept.v, weights @ kept.a
        evaluate_position(system.geometry, system.rows, record.q[i], float(times[i]), reference, bodies.work)
        record.turns[i] = bodies.work.z[system.winding, 0]
        record.steps[i] += 1
    return Passage(state, max(done, last))


def _times_after(
    active: np.ndarray, tolerances: Tolerances, start: Snapshot, reference: np.ndarray, span: float, width: float
) -> tuple[np.ndarray, Any] | None:
    """Times after the bifurcation and their record; None if the motion does not reach them."""
    nodes = start.time + width * np.arange(float(NODES))
    system, bodies = start.system, bodies_of(start.system, active)
    kept, state = fresh_record(system, NODES), _state_of(system, start, reference, span)
    begin(bodies, tolerances, state)
    status, reached = march(bodies, tolerances, nodes, 0, 100_000, state, fresh_trial(state), kept)
    return (nodes, kept) if status == RUNNING and reached == NODES else None


def _state_of(system: System, start: Snapshot, reference: np.ndarray, span: float) -> State:
    state = fresh_state(system, start.q, start.time, span)
    state.reference[:] = reference
    return state


def _close_least(frame: Frame, q: np.ndarray, time: float) -> None:
    """Close the rows by the least change of q, which is also regular at a bifurcation; q is changed in place."""
    for _ in range(2):
        point = RowPoint(frame, q, time)
        step = np.linalg.lstsq(point.dense(), -point.phi, rcond=SINE)[0]
        q[:] = point.moved(step, 0.0).q


def _closed(
    system: System, active: np.ndarray, state: State, tolerances: Tolerances, guess: np.ndarray, time: float
) -> Snapshot | None:
    """The closed position near an estimate, with its velocities; None if there is none."""
    there = fresh_state(system, guess, time, 1.0)
    there.reference[:] = state.reference
    count, status = begin(bodies_of(system, active), tolerances, there)
    if count == FAILED or status or not np.isfinite(there.a).all():
        return None
    return Snapshot(system, time, there.q.copy(), there.v.copy(), there.a.copy(), there.reference[system.winding])


def _moved(system: System, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    there = q.copy()
    advance(system.geometry, there, np.ascontiguousarray(step))
    return there


def _weights(nodes: np.ndarray, time: float) -> np.ndarray:
    """Weights of the values at the nodes in the polynomial through them, at a time."""
    scale = float(nodes[-1] - nodes[-2])
    s, t = (nodes - nodes[-1]) / scale, (time - float(nodes[-1])) / scale
    return np.linalg.solve(np.vander(s, increasing=True).T, t ** np.arange(s.size))


def _read(system: System, nodes: np.ndarray, q: np.ndarray, time: float) -> np.ndarray:
    """The position at a time from those at the nodes."""
    found = np.ascontiguousarray(_weights(nodes, time) @ q)
    normalize(system.geometry, found)
    return found


def _nearest(frame: Frame, velocities: list[np.ndarray], v: np.ndarray) -> int:
    """The index of the velocity nearest to v."""
    width = frame.system.width
    return int(np.argmin([np.linalg.norm((one - v)[width:] / frame.unit) for one in velocities]))


def _other_tangents(frame: Frame, q: np.ndarray, v: np.ndarray, time: float, before: RowPoint) -> list[np.ndarray]:
    """Velocities of the other motions at the bifurcation."""
    here = RowPoint(frame, q, time)
    left, sizes, right = np.linalg.svd(here.dense())
    usual = np.linalg.svd(before.dense(), compute_uv=False)
    m = max(1, int(np.sum(sizes < VANISHED * usual)))
    phi, psi = right[-m:].T, left[:, -m:]
    return _tangents(frame, q, v, time, phi, psi, arrived=True) if m <= MAX_NULL_VECTORS else []


def _tangents(
    frame: Frame, q: np.ndarray, v: np.ndarray, time: float, phi: np.ndarray, psi: np.ndarray, arrived: bool
) -> list[np.ndarray]:
    """Solutions v + sum c_i phi_i; without c = 0 if v is the velocity on arrival."""
    system, m = frame.system, phi.shape[1]
    speed = float(np.linalg.norm(v[system.width :] / frame.unit))
    if speed == 0.0:
        return []
    work = system.work()
    evaluate_position(system.geometry, system.rows, q, time, frame.reference, work)

    def velocity(c: np.ndarray) -> np.ndarray:
        full = v.copy()
        full[system.width :] += speed * (phi @ c) * frame.unit
        return full

    def equations(c: np.ndarray) -> np.ndarray:
        evaluate_velocity(system.geometry, system.rows, velocity(c), time, work)
        found: np.ndarray = psi.T @ (work.gamma[frame.active] / frame.scale)
        return found

    constant = np.zeros(psi.shape[1]) if arrived else equations(np.zeros(m))
    return [velocity(c) for c in quadratic_roots(*_quadratic(equations, m), constant)]


def _quadratic(f: Any, m: int) -> tuple[np.ndarray, np.ndarray]:
    """L and Q of f(c) = f(0) + L c + c^T Q c, computed exactly from values of f."""
    zero, unit = f(np.zeros(m)), np.eye(m)
    plus, minus = (np.array([f(sign * unit[i]) - zero for i in range(m)]) for sign in (1.0, -1.0))
    linear = 0.5 * (plus - minus).T
    square = np.zeros((zero.size, m, m))
    for i in range(m):
        square[:, i, i] = 0.5 * (plus[i] + minus[i])
        for j in range(i):
            mixed = f(unit[i] + unit[j]) - zero - plus[i] - plus[j]
            square[:, i, j] = square[:, j, i] = 0.5 * mixed
    return linear, square


def quadratic_roots(linear: np.ndarray, square: np.ndarray, constant: np.ndarray | None = None) -> list[np.ndarray]:
    """All real solutions c of d + L c + c^T Q c = 0 that Newton's method finds from many starts.

    Without a constant d the solution c = 0 is omitted.
    """
    m = linear.shape[1]
    random, found = np.random.default_rng(0), list[np.ndarray]()
    scale = np.abs(linear).max(initial=0.0) + np.abs(square).max(initial=0.0)
    homogeneous = constant is None or not constant.any()
    offset = np.zeros(linear.shape[0]) if constant is None else constant
    if scale == 0.0:
        return []
    if m == 1 and linear.shape[0] == 1:
        slope, bend = float(linear[0, 0]), float(square[0, 0, 0])
        if homogeneous:
            return (
                [np.array([-slope / bend])]
                if SAME_BRANCH * abs(bend) < abs(slope) < MAX_BRANCH_SPEED * abs(bend)
                else []
            )
        return _real_roots(bend, slope, float(offset[0]))
    for k in range(STARTS * m * m):
        c = random.standard_normal((m,)) * 10.0 ** (k % 3 - 1)
        for _ in range(40):
            value = offset + linear @ c + np.einsum("kij,i,j->k", square, c, c)
            slope = linear + 2.0 * np.einsum("kij,j->ki", square, c)
            step = np.linalg.lstsq(slope, -value, rcond=ROW_NOISE)[0]
            c = c + step
            if np.linalg.norm(step) <= 1e-12 * np.linalg.norm(c):
                break
        size = float(np.linalg.norm(c))
        value = offset + linear @ c + np.einsum("kij,i,j->k", square, c, c)
        terms = scale * max(size, size * size) + np.abs(offset).max()
        regular = (
            size < MAX_BRANCH_SPEED and (size > SAME_BRANCH or not homogeneous) and np.abs(value).max() <= 1e-9 * terms
        )
        if regular and all(np.linalg.norm(c - other) > SAME_BRANCH * max(1.0, size) for other in found):
            found.append(c)
    return sorted(found, key=lambda root: np.round(root, 6).tolist())


def _real_roots(a: float, b: float, c: float) -> list[np.ndarray]:
    """The real solutions x of a x^2 + b x + c = 0 below MAX_BRANCH_SPEED; pairs within SAME_BRANCH are one."""
    root = b * b - 4.0 * a * c
    if root < -(SAME_BRANCH**2) * (b * b + abs(4.0 * a * c)):
        return []
    far = -0.5 * (b + np.copysign(np.sqrt(max(root, 0.0)), b))
    found = sorted(x / y for x, y in ((far, a), (c, far)) if abs(x) < MAX_BRANCH_SPEED * abs(y))
    if len(found) == 2 and found[1] - found[0] <= SAME_BRANCH * max(1.0, abs(found[1])):
        found = [0.5 * (found[0] + found[1])]
    return [np.array([x]) for x in found]


def anchor_of(start: Snapshot) -> tuple[np.ndarray, Any]:
    """A time and its record from which a motion can be repeated, for example after a bifurcation."""
    kept = fresh_record(start.system, 1)
    kept.q[0], kept.v[0], kept.a[0], kept.turns[0] = start.q, start.v, start.a, start.turns
    return np.array([start.time]), kept
