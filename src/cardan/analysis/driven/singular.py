"""Locate and classify the singular configuration at which a driven motion stops.

In a singular configuration there are vectors with J phi = 0 and psi^T J = 0. Near it they come from the bordered matrix

    [ J   b ] [phi]   [0]         [ J^T  c ] [psi]   [0]
    [ c^T 0 ] [ g ] = [1],        [ b^T  0 ] [ g ] = [1]         g = 0 exactly where J is singular

* A lock-up: psi^T Phi_t != 0, the motion turns back in time (a fold). (q, t) is the solution of Phi = 0, g = 0, which
is regular there although J is not.
* A bifurcation: psi^T Phi_t = 0, several motions cross. g passes through zero along each of them and is extrapolated
  from the motion so far.
* An escape, which counts as a lock-up: the equations can only be satisfied at infinity. A body moves there as
  x = C (t* - t)^-p; with x' = p x / (t* - t) and x'' = (p + 1) x' / (t* - t)

      1 / (t* - t) = x'' / x' - x' / x.

  In a loop with cylindrical joints, for example, rotations and translations have the same matrix. At a fold of the
  rotations, angular velocities and translations grow as its inverse: p = 1/2.

Rows are divided by their scale and columns by the model's length: results do not depend on units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cardan.analysis.assembly.closing import Tolerances, bodies_of
from cardan.analysis.assembly.scaled_rows import Frame, RowPoint, bordered_solver
from cardan.analysis.driven.cartesian_march import begin, fresh_record, march
from cardan.analysis.driven.march import RUNNING, MarchClock, MotionRecord, State, fresh_trial
from cardan.numerics.compiled.block import block
from cardan.system.system import System

FORK = 1e-5  # psi^T Phi_t, relative to Phi_t, below which a singular configuration counts as a bifurcation
NODES = 7  # number of times from which g is extrapolated,
APART = 0.01  # motion of the mechanism between them, in model lengths or rad
FAR = 50.0  # model lengths: farther than bodies of a mechanism normally move
POWER = 0.1  # smallest p of an escape; it tends to 0 for a distant fold


Way = tuple[np.ndarray, Callable[[int], tuple[MotionRecord, int]]]


@dataclass(frozen=True)
class Singularity:
    """A singular configuration; `kind` is 'lock-up' or 'bifurcation'."""

    time: float
    kind: str
    q: np.ndarray
    rows: np.ndarray  # psi, one for each row
    motion: np.ndarray  # phi, numbered as v
    away: int | None = None  # index of the body that moves to infinity
    way: tuple[np.ndarray, MotionRecord] | None = None  # for a bifurcation: NODES times before it, and the motion there


def locate(system: System, active: np.ndarray, state: State, way: Way, span: float) -> Singularity | None:
    """The singular configuration near the state in which the run stopped, or None if there is none.

    `way` holds earlier times and a function that returns the record and the index of each of them.
    """
    return (
        _escape(system, active, state, span)
        or _fold(system, active, state, span)
        or _bifurcation(system, active, state, way, span)
    )


def _borders(system: System, active: np.ndarray, state: State) -> tuple[np.ndarray, np.ndarray]:
    """The march's b and c for the scaled J, as unit vectors."""
    kept = active.astype(bool)
    b = (state.b / system.rows.scale)[kept]
    c = state.c[system.width :] * system.length / np.sqrt(system.weights)
    return b / np.linalg.norm(b), c / np.linalg.norm(c)


def _escape(system: System, active: np.ndarray, state: State, span: float) -> Singularity | None:
    """The time at which a distant body reaches infinity; None if there is no such body."""
    k, x, inverse = escaping(system, state)
    if not (x > FAR * system.length and inverse * span > 1e4):
        return None
    point = RowPoint(Frame(system, active, state.reference), state.q, float(state.clock.now))
    try:
        right, left, _ = point.bordered(*_borders(system, active, state))
    except (RuntimeError, ValueError):  # exactly singular
        return None
    point.t += 1.0 / inverse
    return replace(singularity(point, "lock-up", left, right), away=k)


def escaping(system: System, state: State) -> tuple[int, float, float]:
    """The body on its way to infinity: its index, distance, and 1 / (t* - t); a distance of 0 if there is none."""
    k, x, v, a = farthest(system, system.start, state.q, state.v, state.a)
    inverse = a / v - v / x if v > 0.0 and a > 0.0 else 0.0
    return (k, x, inverse) if inverse > 0.0 and v > POWER * inverse * x else (k, 0.0, 0.0)


def farthest(
    system: System, origin: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[int, float, float, float]:
    """The body farthest from its position in `origin`: its index, distance, and velocity and acceleration along it."""
    axes, stored, width, count = system.space.dimensions, system.space.stored, system.width, len(system.bodies)
    if count == 0:
        return 0, 0.0, 0.0, 0.0
    moved = (q - origin)[stored : stored * (count + 1)].reshape(count, stored)[:, :axes]
    rates = [each[width : width * (count + 1)].reshape(count, width)[:, :axes] for each in (v, a)]
    k = int(np.argmax(np.linalg.norm(moved, axis=1)))
    x = float(np.linalg.norm(moved[k]))
    speed, acceleration = (float(each[k] @ moved[k]) / x if x else 0.0 for each in rates)
    return k, x, speed, acceleration


def _fold(system: System, active: np.ndarray, state: State, span: float) -> Singularity | None:
    """Newton's method on Phi(q, t) = 0, g(q, t) = 0; None if it does not end in a fold."""
    point = RowPoint(Frame(system, active, state.reference), state.q, float(state.clock.now))
    b, c = _borders(system, active, state)
    start = point.t
    try:
        for _ in range(60):
            right, left, _ = point.bordered(b, c)
            b, c = left / np.linalg.norm(left), right / np.linalg.norm(right)
            step = _fold_step(point, b, c, span)
            point = point.moved(step[:-1], float(step[-1]))
            if not np.isfinite(step).all() or not point.ok or abs(point.t - start) > 0.1 * span:
                return None
            if abs(step[-1]) < 1e-13 * span and np.abs(step[:-1]).max() < 1e-7 and np.abs(point.phi).max() < 1e-9:
                right, left, _ = point.bordered(b, c)
                return singularity(point, "lock-up", left, right) if point.slope(left) > FORK else None
    except (RuntimeError, ValueError):  # an exactly singular matrix: not a simple fold
        return None
    return None


def _fold_step(point: RowPoint, b: np.ndarray, c: np.ndarray, span: float) -> np.ndarray:
    """One step of Newton's method for (q, t)."""
    right, left, g = point.bordered(b, c)
    # g_q = -psi^T (J phi)_q: the change of J^T psi along phi, by central differences. An error in it slows the
    # iteration down but does not change its result.
    h = 1e-5 / max(float(np.abs(right).max()), 1e-300)
    up, down = point.moved(h * right, 0.0), point.moved(-h * right, 0.0)
    g_q = -(up.J - down.J).T @ left / (2.0 * h)
    later, sooner = point.moved(0.0 * right, 1e-6 * span), point.moved(0.0 * right, -1e-6 * span)
    g_t = -float(left @ ((later.J - sooner.J) @ right)) / (2e-6 * span)
    step = bordered_solver(point.J, point.phi_t, g_q, g_t)(-np.append(point.phi, g), "N")
    return step * min(1.0, 0.1 / max(float(np.abs(step[:-1]).max()), 1e-300))


def _bifurcation(system: System, active: np.ndarray, state: State, way: Way, span: float) -> Singularity | None:
    """Extrapolate g along the motion to its zero."""
    times, recorded = way
    stuck = float(state.clock.now)
    # between nodes: close enough for the polynomial, far enough for g to exceed noise
    speed = float(np.max(np.abs(state.v[system.width :]) * np.sqrt(system.weights) / system.length, initial=0.0))
    wanted = min(2e-3 * span, APART / speed) if speed > 0.0 else 2e-3 * span
    before = np.flatnonzero(times <= stuck - (NODES + 1) * wanted)
    k = int(before[-1]) if before.size else 0
    delta = min(wanted, (stuck - float(times[k])) / (NODES + 1)) if times.size else 0.0
    if delta <= 1e-4 * wanted:
        return None
    nodes = stuck - delta * np.arange(float(NODES), 0.0, -1.0)
    again = _again(system, active, state, (times[k], *recorded(k)), nodes)
    if again is None:
        return None
    frame = Frame(system, active, state.reference)
    points = [RowPoint(frame, again.q[j], float(nodes[j])) for j in range(nodes.size)]
    b, c = _borders(system, active, state)
    g = np.array([point.bordered(b, c)[2] for point in points])
    roots = np.roots(np.polyfit((nodes - stuck) / delta, g, NODES - 1))
    near = roots[(np.abs(roots.imag) < 1e-6) & (np.abs(roots.real) < 1.0)].real
    if near.size == 0:
        return None
    right, left, _ = points[-1].bordered(b, c)
    time = stuck + delta * float(near[np.argmin(np.abs(near))])
    return replace(singularity(RowPoint(frame, state.q, time), "bifurcation", left, right), way=(nodes, again))


def _again(
    system: System, active: np.ndarray, state: State, start: tuple[Any, ...], nodes: np.ndarray
) -> MotionRecord | None:
    """Repeat the last part of the motion, at the times `nodes`."""
    time, record, k = start
    reference = state.reference.copy()
    reference[system.winding] = record.turns[k]
    motion = (record.q[k].copy(), record.v[k].copy(), record.a[k].copy(), 0.0 * state.nu, 0.0 * state.ahead)
    limits = {"shortest": float(state.clock.shortest), "input_trust": np.inf}
    clock = MarchClock(now=time, step=np.inf, junction_step=np.inf, **limits)
    rates = np.full(reference.size, np.nan)  # turns of measures, which are not known here
    again = block(State(clock, *motion, reference, rates, state.b.copy(), state.c.copy()))
    bodies, kept = bodies_of(system, active), fresh_record(system, nodes.size)
    begin(bodies, Tolerances(), again)
    status, done = march(bodies, Tolerances(), nodes, 0, 100_000, again, fresh_trial(again), kept)
    return kept if status == RUNNING and done == nodes.size else None


def singularity(point: RowPoint, kind: str, left: np.ndarray, right: np.ndarray) -> Singularity:
    frame = point.frame
    rows = np.zeros(frame.active.size)
    rows[frame.active] = left / np.linalg.norm(left)
    motion = frame.system.speeds()
    motion[frame.system.width :] = right / np.linalg.norm(right) * frame.unit
    return Singularity(point.t, kind, point.q, rows, motion)
