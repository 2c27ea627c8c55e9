"""Independent and dependent coordinates: the further operations that Haug's methods need.

    J_u du + J_v dv = 0        v independent (held), u dependent; J_u regular                      (Haug 7.2.7, 7.2.9)
    J_u du = -phi              corrects positions, v held (Newton)                                  (7.3.2, step 5)
    J_u du' = nu - J q'        corrects speeds, v' held                                             (7.2.10)

u is found by Gaussian elimination with full pivoting on J in units of the model's length. Corrections use the sparse
factors of [[W, J^T], [J, 0]] in which held coordinates are a million times heavier than others: they move by a
millionth of a correction, which itself is about as large as the tolerance, and no pivot can vanish.
"""

from __future__ import annotations

import math

import numpy as np

from cardan.model.space import advance
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.ldlt import factor, solve
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import accelerate
from cardan.system.cartesian.matrix import FINE, OPEN, SINGULAR, factorize_masses, fill
from cardan.system.cartesian.motion import NEWTON, evaluate_at
from cardan.system.cartesian.partition_tables import ALWAYS, IF_VIOLATED
from cardan.system.evaluate import rows_times

HEAVY = 1e6  # times the weight of others
NOTHING = 1e-9  # part of the largest pivot that is none: rows that depend on others
EASY = 4  # corrections that Newton's method may need where the partition is good


@kernel(once=True)
def integrated_rates(machine, t, y, dy):
    """y', after dependent coordinates and speeds were corrected as `partition.control.correction` asks for."""
    correction = machine.partition.control.correction
    if evaluate_at(machine, t, y[: machine.place.shape[0]]):
        return machine.failure.status
    if correction == ALWAYS or (correction == IF_VIOLATED and _violated(machine, y)):
        if _correct(machine, t, y):
            return machine.failure.status
    if factorize_masses(machine):
        return machine.failure.status
    return accelerate(machine, t, y, dy, machine.settings.acceleration_refinements, True)


@kernel(once=True)
def constraint_drift(machine, out):
    out[0], out[1] = _violations(machine)
    return FINE


@kernel(once=True)
def _violated(machine, y):
    """Whether the hybrid method must correct y, evaluated last; if not, it is stabilized."""
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    settings, control = machine.settings, machine.partition.control
    rows_times(machine.solver, machine.work, y[nq : nq + nv], machine.work.rate)
    position, speed = _violations(machine)
    bad = not (position <= control.position_tolerance and speed <= control.velocity_tolerance)
    settings.alpha, settings.beta = (0.0, 0.0) if bad else (control.alpha, control.beta)
    return bad


@kernel(once=True)
def error_tolerances(machine, atol, rtol):
    """What an error of each number of y may be: atol + rtol |y|; 0 for numbers that are not controlled."""
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    size, unit, settings = machine.size, machine.partition.unit, machine.settings
    for j in range(atol.shape[0]):
        atol[j] = rtol[j] = 0.0
    for j in range(nq):
        if unit[j] > 0.0:
            atol[j] = settings.atol / unit[j]
    for i in range(nv):
        if size[i] > 0.0:
            atol[nq + i] = settings.rtol / size[i]
            rtol[nq + i] = settings.rtol
    scale = machine.scale
    for k in range(scale.shape[0]):
        j = atol.shape[0] - scale.shape[0] + k
        atol[j], rtol[j] = settings.rtol * scale[k], settings.rtol
    return FINE


@kernel(once=True)
def choose_coordinates(machine, t, y, control):
    """Choose the independent coordinates at y; `control` becomes 1 for them and their speeds, 0 for all others.

    A number of a position is controlled if one of the speeds is held that it depends on.
    """
    nq, nv, part = machine.place.shape[0], machine.force.shape[0], machine.partition
    held, diagonal, weights = part.held, part.diagonal, machine.weights
    if evaluate_at(machine, t, y[:nq]):
        return machine.failure.status
    width = nv - held.shape[0]
    _eliminate(machine, width)
    for i in range(held.shape[0]):
        diagonal[i] = weights[i] * HEAVY if held[i] else weights[i]
    for j in range(control.shape[0]):
        control[j] = 0.0
    for i in range(width, nv):
        control[nq + i] = held[i - width]
    for j in range(nq):
        for i in range(part.first[j], part.last[j]):
            if i >= width and held[i - width]:
                control[j] = 1.0
    for j in range(control.shape[0] - machine.scale.shape[0], control.shape[0]):
        control[j] = 1.0
    part.control.factor_time = np.nan
    part.control.slow = 0.0
    return FINE


@kernel(once=True)
def _eliminate(machine, width):
    """Gauss with full pivoting on the rows in force: a column without pivot is independent."""
    part, active = machine.partition, machine.active
    held, matrix, lines, columns = part.held, part.matrix, part.lines, part.columns
    _unfold(machine, width)
    nc, nr = held.shape[0], 0
    for r in range(active.shape[0]):
        if active[r]:
            lines[nr] = r
            nr += 1
    for c in range(nc):
        columns[c] = c
        held[c] = 1
    largest = 0.0
    for k in range(min(nr, nc)):
        line, place, pivot = k, k, 0.0
        for i in range(k, nr):
            for j in range(k, nc):
                size = abs(matrix[lines[i], columns[j]])
                if size > pivot:
                    line, place, pivot = i, j, size
        largest = max(largest, pivot)
        if pivot <= NOTHING * largest:
            return
        lines[k], lines[line] = lines[line], lines[k]
        columns[k], columns[place] = columns[place], columns[k]
        top, left = lines[k], columns[k]
        held[left] = 0
        for i in range(k + 1, nr):
            ratio = matrix[lines[i], left] / matrix[top, left]
            if ratio != 0.0:
                for j in range(k + 1, nc):
                    matrix[lines[i], columns[j]] -= ratio * matrix[top, columns[j]]


@kernel(once=True)
def _unfold(machine, width):
    """J as a full matrix, all of whose entries count alike."""
    solver, work, matrix = machine.solver, machine.work, machine.partition.matrix
    coefficient, jac, inverse, size = work.coefficient, work.jac, machine.rows.inverse, machine.size
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            matrix[r, c] = 0.0
    for k in range(row.shape[0]):
        r, i = row[k], column[k]
        if i >= width:
            matrix[r, i - width] += coefficient[entry[k]] * jac[measure[k], part[k]] * inverse[r] / size[i]


@kernel(once=True)
def partition_quality(machine, t, out):
    """out[0]: how far dependent coordinates move if independent ones move by about one.

    0 if the factors are not those of t; infinite if the partition does not fit the rows in force, or Newton was slow.
    """
    part, active, size, x = machine.partition, machine.active, machine.size, machine.other
    held, nv = part.held, machine.force.shape[0]
    width = nv - held.shape[0]
    independent, rows = 0, 0
    for i in range(held.shape[0]):
        independent += held[i]
    for r in range(active.shape[0]):
        rows += active[r]
    out[0] = np.inf
    if independent + rows != held.shape[0] or part.control.slow > 0.0:
        return FINE
    out[0] = 0.0
    if part.control.factor_time != t:
        return FINE
    for i in range(nv):
        x[i] = 0.0
    for i in range(held.shape[0]):
        if held[i]:
            x[width + i] = math.copysign(1.0, math.cos(1.0 + i * i)) / size[width + i]
    rows_times(machine.solver, machine.work, x, machine.right)
    _solve_held(machine, machine.step)
    for i in range(held.shape[0]):
        if not held[i]:
            out[0] = max(out[0], abs(machine.step[width + i]) * size[width + i])
    return FINE


@kernel(internal=True)
def _violations(machine):
    work, active, inverse = machine.work, machine.active, machine.rows.inverse
    phi, rate, nu = work.phi, work.rate, work.nu
    position, speed = 0.0, 0.0
    for r in range(active.shape[0]):
        if active[r]:
            position = max(position, abs(phi[r]) * inverse[r])
            speed = max(speed, abs(rate[r] - nu[r]) * inverse[r])
    return position, speed


@kernel(once=True)
def _correct(machine, t, y):
    """Close the joints of y, evaluated last, by dependent coordinates alone. One instant has but one set of factors."""
    part, right, phi = machine.partition, machine.right, machine.work.phi
    nq, nv = machine.place.shape[0], machine.force.shape[0]
    q, close, last = y[:nq], machine.settings.closure, np.inf
    for iteration in range(NEWTON + 1):
        if iteration > 0 and evaluate_at(machine, t, q):
            return machine.failure.status
        copy(machine.place, q)
        error, _ = _violations(machine)
        stale = part.control.factor_time != t or error > 0.1 * last
        if stale and _factorize_held(machine, t):
            return machine.failure.status
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            _correct_speeds(machine, y[nq : nq + nv])
            if iteration > EASY:
                part.control.slow = 1.0
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for r in range(right.shape[0]):
            right[r] = phi[r]
        _solve_held(machine, machine.step)
        advance(machine.geometry, q, machine.step)
        machine.counters.corrections += 1
    part.control.slow = 1.0
    machine.failure.status = OPEN
    return OPEN


@kernel(once=True)
def _correct_speeds(machine, v):
    """Dependent speeds; twice, because the factors may be those of a place close by."""
    right, nu, step = machine.right, machine.work.nu, machine.step
    for _ in range(2):
        rows_times(machine.solver, machine.work, v, right)
        for r in range(right.shape[0]):
            right[r] -= nu[r]
        _solve_held(machine, step)
        for i in range(v.shape[0]):
            v[i] += step[i]


@kernel(once=True)
def _factorize_held(machine, t):
    part, solver = machine.partition, machine.solver
    fill(machine, machine.solver, part.diagonal, part.values)
    machine.counters.factorizations += 1
    part.control.factor_time = t
    if factor(solver.pattern, part.values, part.lower, part.pivots, machine.work.scratch):
        part.control.factor_time = np.nan
        machine.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(internal=True)
def _solve_held(machine, out):
    """The displacement of dependent coordinates that takes `machine.right` off the rows."""
    solver, part, active, right, x = machine.solver, machine.partition, machine.active, machine.right, machine.work.x
    nc, place = machine.weights.shape[0], solver.place
    width = out.shape[0] - nc
    for i in range(nc):
        x[place[i]] = 0.0
    for r in range(active.shape[0]):
        x[place[nc + r]] = -right[r] if active[r] else 0.0
    solve(solver.pattern, part.lower, part.pivots, x)
    for i in range(width):
        out[i] = 0.0
    for i in range(nc):
        out[width + i] = x[place[i]]
