"""The compiled passes of `gradient`: weights of parameters in a number that depends on a motion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.sensitivity.directional_kernels import LOAD, SECOND, STRENGTH, read, set_state
from cardan.model.space import advance, inertia_forces
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_lu import factorize_dense, solve_dense
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import forces_at
from cardan.system.cartesian.matrix import factorize_masses, solve_both
from cardan.system.cartesian.motion import evaluate_at
from cardan.system.evaluate import evaluate_velocity, press, rows_times
from cardan.system.forces import along
from cardan.system.mechanism import decide_rank
from cardan.system.turns import commit_turns


class Weights(NamedTuple):
    """Weights in a number that depends on a motion; [times, ..]."""

    place: np.ndarray  # of displacements, numbered as v, including ground,
    speed: np.ndarray  # of changes of speeds,
    force: np.ndarray  # of accelerations, or of the forces that cause them,
    trend: np.ndarray  # of rates of states,
    row: np.ndarray  # of the residual accelerations of rows,
    value: np.ndarray  # and of outputs
    closing: np.ndarray  # [times, coordinates, rows]: J^+ of the position constraints,
    slowing: np.ndarray  # and of all rows; empty if not needed


class Sums(NamedTuple):
    """Sums along a motion for all masses, weights and linear forces."""

    law: np.ndarray  # [laws, 3]: the weight along each law, times its z, 1 and z'
    matter: np.ndarray  # [variants, bodies, columns]: other masses, centers and inertias,
    gravity: np.ndarray  # [variants, axes]: and other gravity,
    inertia: np.ndarray  # [variants, bodies]: and their weighted inertia forces and weights


class Windows(NamedTuple):
    """The linear deviation equations, collocated in windows of a run."""

    length: np.ndarray  # [windows]
    inside: np.ndarray  # int64[windows, stages]: times
    a: np.ndarray  # coefficients of the collocation
    b: np.ndarray
    product: np.ndarray  # [windows, stages m, stages m]: T^+ B of all pairs of times
    left: np.ndarray  # [times, m, x]
    B: np.ndarray  # [times, x, m]
    row: np.ndarray  # [times, m]: the contribution of free deviations there
    felt: np.ndarray  # [times, x]: the weights of deviations in the result,
    later: np.ndarray  # [times, x]: and of their rates
    G: np.ndarray  # [stages m, stages m]: 1 - H a T^+ B of a window, transposed
    pivot: np.ndarray  # int64[stages m]
    sigma: np.ndarray  # float64[stages m]


@kernel
def go_back(w: Any, mu: np.ndarray) -> bool:
    """Propagate the weights `mu` of deviations from the end to the start. False if a window is singular."""
    stages, m, size = w.inside.shape[1], w.left.shape[1], w.left.shape[2]
    left, B, sigma, felt, later = w.left, w.B, w.sigma, w.felt, w.later
    for n in range(w.length.shape[0] - 1, -1, -1):
        h = w.length[n]
        for j in range(stages):
            at = w.inside[n, j]
            for c in range(m):
                sigma[j * m + c] = w.row[at, c]
            for x in range(size):
                part = h * w.b[j] * mu[x]
                later[at, x] += part
                for c in range(m):
                    sigma[j * m + c] += part * B[at, x, c]
        for i in range(stages):
            for j in range(stages):
                factor = -h * w.a[i, j]
                for c in range(m):
                    for d in range(m):
                        w.G[j * m + d, i * m + c] = factor * w.product[n, i * m + c, j * m + d]
        for r in range(stages * m):
            w.G[r, r] += 1.0
        if not factorize_dense(w.G, w.pivot):
            return False
        solve_dense(w.G, w.pivot, sigma)
        for i in range(stages):
            at = w.inside[n, i]
            for c in range(m):
                for x in range(size):
                    felt[at, x] += sigma[i * m + c] * left[at, c, x]
            for x in range(size):
                mu[x] += felt[at, x]
                for j in range(stages):
                    later[w.inside[n, j], x] += h * w.a[i, j] * felt[at, x]
    return True


@kernel
def answer(machine: Any, mechanism: Any, b: Any, w: Any, sums: Any) -> int:
    """Replace weights of accelerations, at each time, by those of the forces that cause them, and sum the contributions
    of all masses and laws. Returns 0, or one more than the index of a time at which this fails.

    M u + J^T mu = weights of accelerations,   J u = weights of multipliers
    """
    nv = machine.force.shape[0]
    for k in range(b.times.shape[0]):
        t = b.times[k]
        if k == 0:
            set_state(b, k)
            if decide_rank(mechanism, t, b.y, b.dy):
                return 1
        if evaluate_at(machine, t, b.q[k]) or factorize_masses(machine):
            return 1 + k
        commit_turns(machine.work.z, machine.reference)
        if evaluate_velocity(machine.geometry, machine.rows, b.v[k], t, machine.work):
            return 1 + k
        _count_outputs(machine, b, w.value[k], w.force[k])
        solve_both(machine, w.force[k], w.force[k], machine.settings.acceleration_refinements)
        copy(machine.multipliers, w.row[k])
        _sum_laws(machine, b, w.value[k], w.force[k], sums.law)
        for j in range(sums.matter.shape[0]):
            f, width = machine.force, nv - machine.weights.shape[0]
            inertia_forces(machine.geometry, sums.matter[j], sums.gravity[j], machine.place, b.v[k], b.rate[k], f)
            for body in range(sums.inertia.shape[1]):
                for i in range(width * body, width * (body + 1)):
                    sums.inertia[j, body] += w.force[k, i] * f[i]
    return 0


@kernel(internal=True)
def _count_outputs(machine, b, value, force):
    """Add the weights of accelerations in outputs; machine.right holds the weights of multipliers there."""
    right, jac, columns = machine.right, machine.work.jac, machine.forces.columns
    for r in range(right.shape[0]):
        right[r] = 0.0
    for o in range(value.shape[0]):
        for e in range(b.start[o], b.start[o + 1]):
            m, kind, part = b.part[e, 0], b.part[e, 1], value[o] * b.coefficient[e]
            if kind == LOAD:
                right[m] += part
            elif kind == SECOND:
                for c in range(columns.shape[1]):
                    force[columns[m, c]] += part * jac[m, c]


@kernel(internal=True)
def _sum_laws(machine, b, value, u, sums):
    """Add z, 1 and z' of each law, weighted by the weights along it and by outputs that read it."""
    forces, work = machine.forces, machine.work
    for law in range(sums.shape[0]):
        weight = 0.0
        for e in range(forces.start[law], forces.start[law + 1]):
            m = forces.measure[e]
            for c in range(forces.columns.shape[1]):
                weight -= forces.coefficient[e] * work.jac[m, c] * u[forces.columns[m, c]]
        for o in range(value.shape[0]):
            for e in range(b.start[o], b.start[o + 1]):
                if b.part[e, 1] == STRENGTH and b.part[e, 0] == law:
                    weight += value[o] * b.coefficient[e]
        z, rate = along(forces, work.z, law)
        sums[law, 0] += weight * z
        sums[law, 1] += weight
        sums[law, 2] += weight * rate


@kernel
def weighed(machine: Any, b: Any, w: Any) -> float:
    """The weighted sum of forces Q - h - M a, rates of states and outputs along a motion; NaN if they cannot be
    evaluated."""
    total = 0.0
    for k in range(b.times.shape[0]):
        if evaluate_at(machine, b.times[k], b.q[k]):
            return np.nan
        commit_turns(machine.work.z, machine.reference)
        copy(b.states[k], machine.forces.circuit.states)
        if forces_at(machine, b.times[k], b.v[k], b.rate[k], True):
            return np.nan
        total += _felt(machine, b, w, k)
    return total


@kernel(internal=True)
def _felt(machine, b, w, k):
    """The weighted sum of forces, rates of states and outputs at one time."""
    total = 0.0
    for i in range(machine.force.shape[0]):
        total += w.force[k, i] * machine.force[i]
    for i in range(w.trend.shape[1]):
        total += w.trend[k, i] * machine.forces.circuit.rates[i]
    for o in range(w.value.shape[1]):
        total += w.value[k, o] * read(machine, b, b.rate[k], b.multipliers[k], o)
    return total


@kernel
def followed(machine: Any, b: Any, w: Any) -> float:
    """The weighted sum for a mechanism whose joints are slightly open along a motion: corrections of positions and
    speeds, the resulting residuals of forces and accelerations, and outputs.

    Both corrections use the rows of the motion, which is correct to first order. NaN if forces cannot be evaluated.
    """
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    q, v, step, right, total = b.y[:nq], b.y[nq : nq + nv], b.step, machine.right, 0.0
    for k in range(b.times.shape[0]):
        a = b.rate[k]
        copy(b.q[k], q)
        copy(b.v[k], v)
        if evaluate_at(machine, b.times[k], q):
            return np.nan
        commit_turns(machine.work.z, machine.reference)
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
        copy(b.states[k], machine.forces.circuit.states)
        if forces_at(machine, b.times[k], v, a, True):
            return np.nan
        press(machine.solver, machine.work, b.multipliers[k], machine.active, machine.force)
        rows_times(machine.solver, machine.work, a, right)
        for r in range(right.shape[0]):
            total += w.row[k, r] * (machine.work.gamma[r] - right[r])
        total += _felt(machine, b, w, k)
    return total


@kernel(internal=True)
def _correct(back, left, step):
    """The displacement, numbered as v, that removes the residuals of rows."""
    width = step.shape[0] - back.shape[0]
    for i in range(width):
        step[i] = 0.0
    for i in range(back.shape[0]):
        part = 0.0
        for r in range(back.shape[1]):
            part -= back[i, r] * left[r]
        step[width + i] = part
