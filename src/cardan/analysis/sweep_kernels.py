"""Accelerations at many instants beside a known motion: the compiled pass behind `motion_sensitivities`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.steady_kernels import unbalanced
from cardan.model.space import advance, displacement
from cardan.numerics.far import call_far
from cardan.numerics.jit import kernel
from cardan.system.acceleration import forces_at
from cardan.system.evaluate import press, rows_times
from cardan.system.forces import along
from cardan.system.motion import AGAIN, BRACE, IMPULSE, PROJECT, RATES, START, evaluate_at


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


class Weights(NamedTuple):
    """What counts in a number that depends on a motion; [instants, ..]."""

    place: np.ndarray  # of displacements, numbered as v, ground included,
    speed: np.ndarray  # of changes of speeds,
    force: np.ndarray  # of accelerations, or of the forces that cause them,
    row: np.ndarray  # of what is missing of the accelerations of rows,
    value: np.ndarray  # and of outputs
    multipliers: np.ndarray  # of the motion
    closing: np.ndarray  # [instants, coordinates, rows]: J^+ of the rows that hold positions,
    slowing: np.ndarray  # and of all rows


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
def answer(machine: Any, act: Any, b: Any, w: Any) -> int:
    """Replace weights of accelerations, at each instant, by those of the forces that cause them, joints kept.

    Multipliers of the motion, and those that the weights cause, are found, too. Returns a status as `sweep`.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    y, dy = b.y, b.dy
    first = y.shape[0] - b.states.shape[1]
    for k in range(b.times.shape[0]):
        for i in range(nq):
            y[i] = b.q[k, i]
        for i in range(nv):
            y[nq + i], dy[nq + i] = b.v[k, i], w.force[k, i]
        for i in range(b.states.shape[1]):
            y[first + i] = b.states[k, i]
        if call_far(act, (machine, np.int64(BRACE), b.times[k], y, dy)):
            return 1 + k
        if call_far(act, (machine, np.int64(IMPULSE), b.times[k], y, dy)):
            return 1 + k
        for i in range(nv):
            w.force[k, i] = dy[nq + i]
        for r in range(machine.multipliers.shape[0]):
            w.row[k, r] = machine.multipliers[r]
        if call_far(act, (machine, np.int64(AGAIN), b.times[k], y, dy)):
            return 1 + k
        for r in range(machine.multipliers.shape[0]):
            w.multipliers[k, r] = machine.multipliers[r]
        _remember(machine)
    return 0


@kernel
def weighed(machine: Any, b: Any, a: np.ndarray, w: Any) -> float:
    """The sum of all forces Q - h - M a along a motion, weighed; NaN where there are none."""
    total = 0.0
    for k in range(b.times.shape[0]):
        if unbalanced(machine, b.times[k], b.q[k], b.v[k], a[k]):
            return np.nan
        _remember(machine)
        for i in range(machine.force.shape[0]):
            total += w.force[k, i] * machine.force[i]
    return total


@kernel
def stretched(machine: Any, b: Any, a: np.ndarray, w: Any, sums: np.ndarray) -> int:
    """Of each law, the sums of what acts along it, weighed, times its z, 1 and z'. Returns a status as `sweep`."""
    forces, work = machine.forces, machine.work
    for k in range(b.times.shape[0]):
        if unbalanced(machine, b.times[k], b.q[k], b.v[k], a[k]):
            return 1 + k
        _remember(machine)
        for law in range(sums.shape[0]):
            weight = 0.0
            for e in range(forces.start[law], forces.start[law + 1]):
                m = forces.measure[e]
                for c in range(forces.columns.shape[1]):
                    weight -= forces.coefficient[e] * work.jac[m, c] * w.force[k, forces.columns[m, c]]
            value, rate = along(forces, work.z, law)
            sums[law, 0] += weight * value
            sums[law, 1] += weight
            sums[law, 2] += weight * rate
    return 0


@kernel
def followed(machine: Any, b: Any, a: np.ndarray, w: Any) -> float:
    """All that counts beside a motion, weighed, of a mechanism whose joints are open along it by a little: what closes
    them and puts speeds right, what is then missing of forces and accelerations, and what outputs read.

    Both corrections are those of the motion's own rows, which is right to first order. NaN where there are no forces.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    q, v, step, right, total = b.y[:nq], b.y[nq : nq + nv], b.step, machine.right, 0.0
    for k in range(b.times.shape[0]):
        for i in range(nq):
            q[i] = b.q[k, i]
        for i in range(nv):
            v[i] = b.v[k, i]
        if evaluate_at(machine, b.times[k], q):
            return np.nan
        _remember(machine)
        _correct(w.closing[k], machine.work.phi, step)
        advance(machine.geometry, q, step)
        for i in range(nv):
            total += w.place[k, i] * step[i]
        if evaluate_at(machine, b.times[k], q):
            return np.nan
        rows_times(machine.solver, machine.work, v, right)
        for r in range(right.shape[0]):
            right[r] -= machine.work.nu[r]
        _correct(w.slowing[k], right, step)
        for i in range(nv):
            v[i] += step[i]
            total += w.speed[k, i] * step[i]
        if forces_at(machine, b.times[k], v, a[k], True):
            return np.nan
        press(machine.solver, machine.work, w.multipliers[k], machine.active, machine.force)
        for i in range(nv):
            total += w.force[k, i] * machine.force[i]
        rows_times(machine.solver, machine.work, a[k], right)
        for r in range(right.shape[0]):
            total += w.row[k, r] * (machine.work.gamma[r] - right[r])
        for o in range(w.value.shape[1]):
            total += w.value[k, o] * _read(b, machine.work.z, o)
    return total


@kernel(internal=True)
def _correct(back, left, step):
    """The displacement, numbered as v, that takes away what rows have left."""
    width = step.shape[0] - back.shape[0]
    for i in range(width):
        step[i] = 0.0
    for i in range(back.shape[0]):
        part = 0.0
        for r in range(back.shape[1]):
            part -= back[i, r] * left[r]
        step[width + i] = part


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
