"""Accelerations at many instants beside a known motion: the compiled pass behind `motion_sensitivities`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.steady_kernels import unbalanced
from cardan.model.space import advance, displacement
from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.system.motion import AGAIN, BRACE, IMPULSE, PROJECT, RATES, START


class Beside(NamedTuple):
    """States beside those of a motion, and what is found there; [instants, ..]."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    states: np.ndarray
    dq: np.ndarray  # where to: numbered as v, ground included
    dv: np.ndarray
    place: np.ndarray  # by how much positions, joints closed, differ from q,
    speed: np.ndarray  # speeds there,
    rate: np.ndarray  # accelerations,
    trend: np.ndarray  # rates of states,
    value: np.ndarray  # [instants, outputs]: what outputs read,
    jacobian: np.ndarray  # [instants, rows, coordinates]: and J, if there is room for it
    start: np.ndarray  # uint32: where the parts of each output begin,
    measure: np.ndarray  # uint32[parts, 2]: their measures and levels,
    coefficient: np.ndarray  # and factors
    y: np.ndarray
    dy: np.ndarray
    step: np.ndarray


class Ways(NamedTuple):
    """Directions of speeds and states of devices, and how all changes along them; [instants, directions, ..]."""

    dv: np.ndarray
    dstates: np.ndarray  # [directions, states]
    rate: np.ndarray
    trend: np.ndarray
    value: np.ndarray


@kernel
def sweep(machine: Any, act: Any, b: Any, h: float, closed: bool) -> int:
    """Go h times along the directions of `b` at each instant, and find accelerations there.

    Where the directions are those in which joints stay `closed`, speeds alone are put right; otherwise all joints are
    closed anew. Returns 0, or one more than the number of an instant at which this fails.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    y, dy, step = b.y, b.dy, b.step
    first = y.shape[0] - b.states.shape[1]
    for k in range(b.times.shape[0]):
        for i in range(nq):
            y[i] = b.q[k, i]
        for i in range(nv):
            step[i] = h * b.dq[k, i]
            y[nq + i] = b.v[k, i] + h * b.dv[k, i]
        for i in range(b.states.shape[1]):
            y[first + i] = b.states[k, i]
        advance(machine.geometry, y[:nq], step)
        if k == 0 and call_far(act, (machine, np.int64(START), b.times[k], y, dy)):
            return 1
        if not closed and call_far(act, (machine, np.int64(PROJECT), b.times[k], y, dy)):
            return 1 + k
        if call_far(act, (machine, np.int64(RATES if closed else AGAIN), b.times[k], y, dy)):
            return 1 + k
        if closed:
            _remember(machine)
        else:
            displacement(machine.geometry, b.q[k], y[:nq], step)
        for i in range(nv):
            b.place[k, i], b.speed[k, i], b.rate[k, i] = step[i], y[nq + i], dy[nq + i]
        for i in range(b.states.shape[1]):
            b.trend[k, i] = dy[first + i]
        if b.jacobian.shape[0] > 0:
            _keep_jacobian(machine.solver, machine.work, nv - machine.weights.shape[0], b.jacobian[k])
        for o in range(b.value.shape[1]):
            b.value[k, o] = _read(b, machine.work.z, o)
    return 0


@kernel
def hurry(machine: Any, act: Any, b: Any, ways: Any, formula: np.ndarray) -> int:
    """Differences of accelerations along speeds, and states of devices, at positions that stay: factors serve for all.

    `formula` lists steps and weights. Returns a status as `sweep`.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    y, dy, ns = b.y, b.dy, b.states.shape[1]
    first = y.shape[0] - ns
    for k in range(b.times.shape[0]):
        for d in range(-1, ways.dv.shape[1]):
            for f in range(formula.shape[0] if d >= 0 else 1):
                step = formula[f, 0] if d >= 0 else 0.0
                for i in range(nq):
                    y[i] = b.q[k, i]
                for i in range(nv):
                    y[nq + i] = b.v[k, i] + (step * ways.dv[k, d, i] if d >= 0 else 0.0)
                for i in range(ns):
                    y[first + i] = b.states[k, i] + (step * ways.dstates[d, i] if d >= 0 else 0.0)
                if d < 0 and k == 0 and call_far(act, (machine, np.int64(START), b.times[k], y, dy)):
                    return 1
                if call_far(act, (machine, np.int64(AGAIN if d >= 0 else RATES), b.times[k], y, dy)):
                    return 1 + k
                if d < 0:
                    _remember(machine)
                    continue
                for i in range(nv):
                    ways.rate[k, d, i] += formula[f, 1] * dy[nq + i]
                for i in range(ns):
                    ways.trend[k, d, i] += formula[f, 1] * dy[first + i]
                for o in range(b.value.shape[1]):
                    ways.value[k, d, o] += formula[f, 1] * _read(b, machine.work.z, o)
    return 0


@kernel(internal=True)
def _read(b, z, o):
    """What an output reads where the mechanism was evaluated last."""
    total = 0.0
    for e in range(b.start[o], b.start[o + 1]):
        total += b.coefficient[e] * z[b.measure[e, 0], b.measure[e, 1]]
    return total


@kernel
def answer(machine: Any, act: Any, b: Any, weights: np.ndarray) -> int:
    """Replace weights of accelerations, at each instant, by those of the forces that cause them, joints kept.

    Returns a status as `sweep`.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    y, dy = b.y, b.dy
    first = y.shape[0] - b.states.shape[1]
    for k in range(b.times.shape[0]):
        for i in range(nq):
            y[i] = b.q[k, i]
        for i in range(nv):
            y[nq + i], dy[nq + i] = b.v[k, i], weights[k, i]
        for i in range(b.states.shape[1]):
            y[first + i] = b.states[k, i]
        if call_far(act, (machine, np.int64(BRACE), b.times[k], y, dy)):
            return 1 + k
        if call_far(act, (machine, np.int64(IMPULSE), b.times[k], y, dy)):
            return 1 + k
        _remember(machine)
        for i in range(nv):
            weights[k, i] = dy[nq + i]
    return 0


@kernel
def weighed(machine: Any, b: Any, a: np.ndarray, weights: np.ndarray) -> float:
    """The sum of all forces Q - h - M a along a motion, weighed; NaN where there are none."""
    total = 0.0
    for k in range(b.times.shape[0]):
        if unbalanced(machine, b.times[k], b.q[k], b.v[k], a[k]):
            return np.nan
        _remember(machine)
        for i in range(machine.force.shape[0]):
            total += weights[k, i] * machine.force[i]
    return total


@kernel(internal=True)
def _remember(machine):
    """The turns of angles at the instant before."""
    for m in range(machine.reference.shape[0]):
        machine.reference[m] = machine.work.z[m, 0]


@kernel(internal=True)
def _keep_jacobian(solver, work, width, J):
    """J where it was evaluated last, in full."""
    for k in range(solver.row.shape[0]):
        part = work.coefficient[solver.entry[k]] * work.jac[solver.measure[k], solver.part[k]]
        J[solver.row[k], solver.column[k] - width] += part
