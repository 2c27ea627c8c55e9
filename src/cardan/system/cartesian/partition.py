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
from cardan.system.cartesian.mechanism_tables import ALWAYS, IF_VIOLATED
from cardan.system.cartesian.motion import NEWTON, evaluate_at
from cardan.system.evaluate import rows_times

HEAVY = 1e6  # times the weight of others
ZERO_PIVOT_SHARE = 1e-9  # part of the largest pivot that is none: rows that depend on others
EASY = 4  # corrections that Newton's method may need where the partition is good


@kernel(once=True)
def integrated_rates(tables, t, y, dy):
    """y', after dependent coordinates and speeds were corrected as `partition.control.correction` asks for."""
    correction = tables.partition.control.correction
    if evaluate_at(tables, t, y[: tables.place.shape[0]]):
        return tables.failure.status
    if correction == ALWAYS or (correction == IF_VIOLATED and _violated(tables, y)):
        if _correct(tables, t, y):
            return tables.failure.status
    if factorize_masses(tables):
        return tables.failure.status
    return accelerate(tables, t, y, dy, tables.settings.acceleration_refinements, True)


@kernel(once=True)
def constraint_drift(tables, out):
    out[0], out[1] = _violations(tables)
    return FINE


@kernel(once=True)
def _violated(tables, y):
    """Whether the hybrid method must correct y, evaluated last; if not, it is stabilized."""
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    settings, control = tables.settings, tables.partition.control
    rows_times(tables.solver, tables.work, y[nq : nq + nv], tables.work.rate)
    position, speed = _violations(tables)
    bad = not (position <= control.position_tolerance and speed <= control.velocity_tolerance)
    settings.alpha, settings.beta = (0.0, 0.0) if bad else (control.alpha, control.beta)
    return bad


@kernel(once=True)
def error_tolerances(tables, atol, rtol):
    """What an error of each number of y may be: atol + rtol |y|; 0 for numbers that are not controlled."""
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    size, unit, settings = tables.size, tables.partition.unit, tables.settings
    for j in range(atol.shape[0]):
        atol[j] = rtol[j] = 0.0
    for j in range(nq):
        if unit[j] > 0.0:
            atol[j] = settings.atol / unit[j]
    for i in range(nv):
        if size[i] > 0.0:
            atol[nq + i] = settings.rtol / size[i]
            rtol[nq + i] = settings.rtol
    scale = tables.scale
    for k in range(scale.shape[0]):
        j = atol.shape[0] - scale.shape[0] + k
        atol[j], rtol[j] = settings.rtol * scale[k], settings.rtol
    return FINE


@kernel(once=True)
def choose_coordinates(tables, t, y, control):
    """Choose the independent coordinates at y; `control` becomes 1 for them and their speeds, 0 for all others.

    A number of a position is controlled if one of the speeds is held that it depends on.
    """
    nq, nv, part = tables.place.shape[0], tables.force.shape[0], tables.partition
    held, diagonal, weights = part.held, part.diagonal, tables.weights
    if evaluate_at(tables, t, y[:nq]):
        return tables.failure.status
    width = nv - held.shape[0]
    _eliminate(tables, width)
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
    for j in range(control.shape[0] - tables.scale.shape[0], control.shape[0]):
        control[j] = 1.0
    part.control.factor_time = np.nan
    part.control.slow = 0.0
    return FINE


@kernel(once=True)
def _eliminate(tables, width):
    """Gauss with full pivoting on the rows in force: a column without pivot is independent."""
    part, active = tables.partition, tables.active
    held, matrix, lines, columns = part.held, part.matrix, part.lines, part.columns
    _unfold(tables, width)
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
        if pivot <= ZERO_PIVOT_SHARE * largest:
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
def _unfold(tables, width):
    """J as a full matrix, all of whose entries count alike."""
    solver, work, matrix = tables.solver, tables.work, tables.partition.matrix
    coefficient, jac, inverse, size = work.coefficient, work.jac, tables.rows.inverse, tables.size
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            matrix[r, c] = 0.0
    for k in range(row.shape[0]):
        r, i = row[k], column[k]
        if i >= width:
            matrix[r, i - width] += coefficient[entry[k]] * jac[measure[k], part[k]] * inverse[r] / size[i]


@kernel(once=True)
def partition_quality(tables, t, out):
    """out[0]: how far dependent coordinates move if independent ones move by about one.

    0 if the factors are not those of t; infinite if the partition does not fit the rows in force, or Newton was slow.
    """
    part, active, size, x = tables.partition, tables.active, tables.size, tables.other
    held, nv = part.held, tables.force.shape[0]
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
    rows_times(tables.solver, tables.work, x, tables.right)
    _solve_held(tables, tables.step)
    for i in range(held.shape[0]):
        if not held[i]:
            out[0] = max(out[0], abs(tables.step[width + i]) * size[width + i])
    return FINE


@kernel(internal=True)
def _violations(tables):
    work, active, inverse = tables.work, tables.active, tables.rows.inverse
    phi, rate, nu = work.phi, work.rate, work.nu
    position, speed = 0.0, 0.0
    for r in range(active.shape[0]):
        if active[r]:
            position = max(position, abs(phi[r]) * inverse[r])
            speed = max(speed, abs(rate[r] - nu[r]) * inverse[r])
    return position, speed


@kernel(once=True)
def _correct(tables, t, y):
    """Close the joints of y, evaluated last, by dependent coordinates alone. One instant has but one set of factors."""
    part, right, phi = tables.partition, tables.right, tables.work.phi
    nq, nv = tables.place.shape[0], tables.force.shape[0]
    q, close, last = y[:nq], tables.settings.closure, np.inf
    for iteration in range(NEWTON + 1):
        if iteration > 0 and evaluate_at(tables, t, q):
            return tables.failure.status
        copy(tables.place, q)
        error, _ = _violations(tables)
        stale = part.control.factor_time != t or error > 0.1 * last
        if stale and _factorize_held(tables, t):
            return tables.failure.status
        if error <= close or (error <= 100.0 * close and error > 0.5 * last):
            _correct_speeds(tables, y[nq : nq + nv])
            if iteration > EASY:
                part.control.slow = 1.0
            return FINE
        last = error
        if not error < 1.0 or iteration == NEWTON:
            break
        for r in range(right.shape[0]):
            right[r] = phi[r]
        _solve_held(tables, tables.step)
        advance(tables.geometry, q, tables.step)
        tables.counters.corrections += 1
    part.control.slow = 1.0
    tables.failure.status = OPEN
    return OPEN


@kernel(once=True)
def _correct_speeds(tables, v):
    """Dependent speeds; twice, because the factors may be those of a place close by."""
    right, nu, step = tables.right, tables.work.nu, tables.step
    for _ in range(2):
        rows_times(tables.solver, tables.work, v, right)
        for r in range(right.shape[0]):
            right[r] -= nu[r]
        _solve_held(tables, step)
        for i in range(v.shape[0]):
            v[i] += step[i]


@kernel(once=True)
def _factorize_held(tables, t):
    part, solver = tables.partition, tables.solver
    fill(tables, tables.solver, part.diagonal, part.values)
    tables.counters.factorizations += 1
    part.control.factor_time = t
    if factor(solver.pattern, part.values, part.lower, part.pivots, tables.work.scratch):
        part.control.factor_time = np.nan
        tables.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(internal=True)
def _solve_held(tables, out):
    """The displacement of dependent coordinates that takes `tables.right` off the rows."""
    solver, part, active, right, x = tables.solver, tables.partition, tables.active, tables.right, tables.work.x
    nc, place = tables.weights.shape[0], solver.place
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
