"""Dragging in machine code: a point of a body is pulled toward a target, with all joints closed.

    minimize  1/2 |p(q) - target|^2 + eps/2 |dq|_W^2     subject to     Phi(q) = 0

A step solves  [ eps W + P^T P   J^T ] [dq]   [ P^T (target - p) ]
               [      J        -delta] [mu] = [      -Phi        ]        with P = dp/dq

as `cardan.analysis.drag.grab` does. The matrix without P^T P is that of the assembly; P^T P, of rank two or three, is
added by the formula of Sherman, Morrison and Woodbury. Drivers are released.

`Hand` holds the tables, on those of an analysis.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED, assembled
from cardan.analysis.assembly.closing import bodies_of, displacement_size
from cardan.analysis.assembly.nearest import closed_position
from cardan.elements.constraints.driver import Driver
from cardan.model.space import advance
from cardan.numerics.compiled.block import allocated, replaced, zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.dense_lu import factorize_dense, solve_dense
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.vector import copy
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.evaluate import evaluate_position, factorize_soft
from cardan.system.system import System

LEAST_MOTION, DRAG_DAMPING, REGULARIZATION = 1e-6, 0.1, 1e-10  # as in `grab`
MAX_STEP, MIN_GAIN, ARRIVED, DIFFERENCE = 0.2, 1e-6, 1e-9, 1e-6
NEAREST, NOT_CLOSED = 1, 2  # status: the point is as near as it can be, joints do not close


class HandControl(Record):
    """What is dragged, and what came of it."""

    body: int
    steps: int  # at most
    time: float  # of drivers, which are released, and of motions of the ground
    closed: float  # tolerance of joints
    length: float  # of the mechanism
    stored: int
    distance: float  # that remains
    status: int


class Hand(NamedTuple):
    """The tables of a mechanism, and memory."""

    control: Any
    q: np.ndarray
    reference: np.ndarray
    bodies: Any  # `Bodies` with the rows that are closed
    metric: np.ndarray  # numbered as coordinates
    trial: np.ndarray  # q
    best: np.ndarray
    turns: np.ndarray  # reference
    best_turns: np.ndarray
    point: np.ndarray = zeros("axes")  # on the body, in its axes
    target: np.ndarray = zeros("axes")
    step: np.ndarray = zeros("speeds")  # numbered as v
    P: np.ndarray = zeros("axes", "width")
    along: np.ndarray = zeros("axes", "unknowns")  # K^-1 P^T
    small: np.ndarray = zeros("axes", "axes")
    small_right: np.ndarray = zeros("axes")
    pivot: np.ndarray = zeros("axes", dtype=np.int64)


@kernel
def close_hand(hand):
    """Close the joints at q; returns 0, or NOT_CLOSED if they do not close."""
    control = hand.control
    error, status = closed_position(hand.bodies, hand.q, control.time, hand.reference, control.closed)
    control.status = NOT_CLOSED if status or not error <= control.closed else 0
    return np.int64(control.status)


@kernel
def drag(hand):
    """Move the point toward the target, as long as it comes nearer. Returns the status."""
    control = hand.control
    far = _away(hand, hand.q)
    control.status = 0
    for _ in range(control.steps):
        if far <= ARRIVED * control.length:
            break
        gain = _find_step(hand, far)
        size = displacement_size(hand.step, hand.bodies.vectors.size)
        if not size > 0.0 or not gain > 0.0:
            control.status = NEAREST
            break
        nearer = _search(hand, far, gain, min(1.0, MAX_STEP / size))
        if far - nearer < MIN_GAIN * control.length:
            control.status = NEAREST
            far = nearer
            break
        far = nearer
    control.distance = far
    return np.int64(control.status)


@kernel(internal=True)
def _search(hand, far, gain, factor):
    """The distance after the best fraction of a step, by a parabola through its square; q and turns are set to it."""
    best = far
    copy(hand.q, hand.best)
    copy(hand.reference, hand.best_turns)
    for _ in range(6):
        near = _moved(hand, factor)
        if near < best:
            copy(hand.trial, hand.best)
            copy(hand.turns, hand.best_turns)
        bend = 0.5 * (near * near - far * far) + factor * gain if near < np.inf else np.inf
        better = 0.5 * factor * factor * gain / bend if bend > 0.0 else 2.0 * factor
        done = (near < best and abs(better - factor) < 0.3 * factor) or best < far
        best = min(best, near)
        if done:
            break
        factor = min(max(better, 0.1 * factor), 2.0 * factor)
    copy(hand.best, hand.q)
    copy(hand.best_turns, hand.reference)
    return best


@kernel(internal=True)
def _moved(hand, factor):
    """The distance after a fraction of the step, joints closed; infinite if they do not close."""
    h, control = hand, hand.control
    copy(h.q, h.trial)
    copy(h.reference, h.turns)
    move = h.bodies.vectors.rate
    for i in range(move.shape[0]):
        move[i] = factor * h.step[i]
    advance(h.bodies.geometry, h.trial, move)
    error, status = closed_position(h.bodies, h.trial, control.time, h.turns, control.closed)
    return np.inf if status or not error <= control.closed else _away(h, h.trial)


@kernel(internal=True)
def _find_step(hand, far):
    """The step toward the target; returns the decrease of half the squared distance that it begins with."""
    h, control, bodies = hand, hand.control, hand.bodies
    solver, work, active, weights = bodies.solver, bodies.work, bodies.active, bodies.weights
    d, n, place = h.P.shape[0], weights.shape[0], solver.place
    width = h.step.shape[0] - n
    first = width * (control.body - 1)  # of the body among the coordinates
    evaluate_position(bodies.geometry, bodies.rows, h.q, control.time, h.reference, work)
    _find_slopes(h, width)
    share = max(LEAST_MOTION, DRAG_DAMPING * (far / control.length) ** 2)
    for i in range(n):
        h.metric[i] = share * weights[i]
    if factorize_soft(bodies.rows, solver, h.metric, active, REGULARIZATION, work):
        return 0.0
    way = _way(h)
    x = work.x
    for k in range(d):
        for i in range(x.shape[0]):
            x[i] = 0.0
        for j in range(width):
            x[place[first + j]] = h.P[k, j]
        solve(solver.pattern, work.lower, work.pivots, x)
        for i in range(x.shape[0]):
            h.along[k, i] = x[i]
    for i in range(x.shape[0]):
        x[i] = 0.0
    for r in range(active.shape[0]):
        x[place[n + r]] = -work.phi[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for k in range(d):
        for i in range(x.shape[0]):
            x[i] += way[k] * h.along[k, i]
    for k in range(d):
        h.small_right[k] = 0.0
        for j in range(width):
            h.small_right[k] += h.P[k, j] * x[place[first + j]]
        for c in range(d):
            h.small[k, c] = 1.0 if k == c else 0.0
            for j in range(width):
                h.small[k, c] += h.P[k, j] * h.along[c, place[first + j]]
    if not factorize_dense(h.small, h.pivot):
        return 0.0
    solve_dense(h.small, h.pivot, h.small_right)
    for i in range(width):
        h.step[i] = 0.0
    for i in range(n):
        value = x[place[i]]
        for k in range(d):
            value -= h.along[k, place[i]] * h.small_right[k]
        h.step[width + i] = value
    gain = 0.0
    for k in range(d):
        for j in range(width):
            gain += way[k] * h.P[k, j] * h.step[width + first + j]
    return gain


@kernel(internal=True)
def _find_slopes(hand, width):
    """P, the velocities of the point, by central differences: only the coordinates of its body matter."""
    h, control, geometry, vectors = hand, hand.control, hand.bodies.geometry, hand.bodies.vectors
    first = width * control.body
    move = vectors.rate
    for i in range(move.shape[0]):
        move[i] = 0.0
    for j in range(width):
        step = DIFFERENCE / vectors.size[first + j]
        copy(h.q, h.trial)
        move[first + j] = step
        advance(geometry, h.trial, move)
        to = _place(h, h.trial)
        copy(h.q, h.trial)
        move[first + j] = -step
        advance(geometry, h.trial, move)
        fro = _place(h, h.trial)
        move[first + j] = 0.0
        for k in range(h.P.shape[0]):
            h.P[k, j] = (to[k] - fro[k]) / (2.0 * step)


@kernel(internal=True)
def _way(hand):
    """From the point to its target."""
    p, target = _place(hand, hand.q), hand.target
    return target[0] - p[0], target[1] - p[1], target[2] - p[2] if target.shape[0] == 3 else 0.0


@kernel(internal=True)
def _away(hand, q):
    """The distance of the point from its target."""
    p, target, total = _place(hand, q), hand.target, 0.0
    for k in range(target.shape[0]):
        total += (target[k] - p[k]) ** 2
    return math.sqrt(total)


@kernel(internal=True)
def _place(hand, q):
    """The point in global axes."""
    s, first = hand.point, hand.control.stored * hand.control.body
    if s.shape[0] == 2:
        c, n = math.cos(q[first + 2]), math.sin(q[first + 2])
        return q[first] + c * s[0] - n * s[1], q[first + 1] + n * s[0] + c * s[1], 0.0
    w, x, y, z = q[first + 3], q[first + 4], q[first + 5], q[first + 6]
    # r + s + 2 e x (e x s + w s)
    a, b, c = y * s[2] - z * s[1] + w * s[0], z * s[0] - x * s[2] + w * s[1], x * s[1] - y * s[0] + w * s[2]
    return (
        q[first] + s[0] + 2.0 * (y * c - z * b),
        q[first + 1] + s[1] + 2.0 * (z * a - x * c),
        q[first + 2] + s[2] + 2.0 * (x * b - y * a),
    )


class HandTables:
    """A mechanism that can be dragged, and nothing else: where an analysis cannot be repeated in a page."""

    def __init__(self, run: Trajectory) -> None:
        first = run.at(float(run.times[0]))
        self.system = system = compile(run.model, time=first.time, start=first.as_start(run.model))
        q, reference = assembled(system, first.time)
        bodies = bodies_of(system, np.ones(system.row_count, np.uint8), work=system.work())
        self.hand: Any = hand_of(system, bodies, q, reference, first.time)


STEPS_PER_CALL = 12  # of dragging, at most, before the page draws again


def hand_of(system: System, bodies: Any, start: np.ndarray, turns: np.ndarray, time: float) -> Any:
    """The block of a hand, which shares tables and memory of `bodies`; drivers are released."""
    active = (~system.on_velocities).astype(np.uint8)
    for element in system.elements:
        if isinstance(element, Driver):
            active[system.rows_of(element)] = 0
    axes, speeds, unknowns = system.space.dimensions, system.speeds().size, system.solver.place.size
    control = HandControl(
        body=1, steps=STEPS_PER_CALL, time=time, closed=CLOSED, length=system.length, stored=system.space.stored
    )
    return allocated(
        Hand,
        {"axes": axes, "speeds": speeds, "width": system.width, "unknowns": unknowns},
        control=control,
        q=start.copy(),
        reference=turns.copy(),
        bodies=replaced(bodies, active=active),
        metric=bodies.weights.copy(),
        trial=start.copy(),
        best=start.copy(),
        turns=turns.copy(),
        best_turns=turns.copy(),
    )
