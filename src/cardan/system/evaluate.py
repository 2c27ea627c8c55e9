"""One evaluation of the equations and one solution with their Jacobian, for every space.

    measures -> rows:    phi = 0,    J v = nu,    J a = gamma                       (Haug 3.6.3, 3.6.10, 3.6.11)
    on velocities:                   J v = nu,    J a = gamma,    phi stays 0
    solve:               [[W, J^T], [J, -E]] [x; lambda] = [right-hand sides]

W is the metric in which least-change steps are taken. With as many independent rows as coordinates it does not
matter and x = J^-1 (...); rows set aside (active = 0) get a unit pivot and take no part.
"""

from __future__ import annotations

import numpy as np

from cardan.model.element import RATE, TIME
from cardan.model.space import position_pass, velocity_pass
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.motions import motion
from cardan.numerics.functions.function import call_address
from cardan.numerics.linalg.ldlt import factor, solve
from cardan.numerics.linalg.small_lu import choose_pivots, lu_factor, lu_solve, lu_solve_transposed


def evaluate(geometry, rows, q, v, t, reference, work):
    """Fill z, jac, phi, rate, nu and gamma at (q, v, t). Returns 0, 1 + row, or minus the status of `position_pass`."""
    return evaluate_position(geometry, rows, q, t, reference, work) or evaluate_velocity(geometry, rows, v, t, work)


@kernel
def evaluate_position(geometry, rows, q, t, reference, work):
    """Fill values, jac, phi and nu. Returns a status as `evaluate`."""
    z, f, coefficient, phi, nu, drive = work.z, work.motion, work.coefficient, work.phi, work.nu, work.drive
    start, measure, constant, offset = rows.start, rows.measure, rows.coefficient, rows.offset
    motion_start, motions, velocity = rows.motion_start, rows.motions, rows.velocity
    lost = position_pass(geometry, q, reference, work.frames, z, work.jac)
    if lost:
        return -lost
    for r in range(offset.shape[0]):
        value = -offset[r]
        for e in range(start[r], start[r + 1]):
            coefficient[e] = constant[e]
            value += constant[e] * z[measure[e], 0]
        phi[r], nu[r], drive[r] = value, 0.0, 0.0
        for k in range(motion_start[r], motion_start[r + 1]):
            if motion(motions, k, t, f):
                return 1 + r
            level = velocity[r]  # a motion on velocities is itself what J v must be
            phi[r] -= f[0]
            nu[r] += f[1 - level]
            drive[r] += f[2 - level]
        if velocity[r]:
            phi[r] = 0.0
            nu[r] += offset[r]
    return call_pointer(rows.call[0], (rows, t, np.int64(0), work)) if rows.function.shape[0] else 0


@kernel
def evaluate_velocity(geometry, rows, v, t, work):
    """Fill rates, biases, rate and gamma at the position evaluated last. Returns a status as `evaluate`."""
    z, rate, gamma, drive = work.z, work.rate, work.gamma, work.drive
    start, measure, coefficient = rows.start, rows.measure, rows.coefficient
    velocity_pass(geometry, v, work.frames, z, work.jac)
    for r in range(rate.shape[0]):
        speed, bias = 0.0, 0.0
        for e in range(start[r], start[r + 1]):
            c, m = coefficient[e], measure[e]
            speed += c * z[m, 1]
            bias += c * z[m, 2]
        rate[r], gamma[r] = speed, drive[r] - bias
    return call_pointer(rows.call[0], (rows, t, np.int64(1), work)) if rows.function.shape[0] else 0


@kernel(internal=True)
def functions(rows, t, moving, work):
    """Rows that are functions of measures: value and gradient, or with the rates also rate and bias. A status.

    On velocities F = J v - nu with J the gradient by the rates, so nu = -F at rest; the derivative of F along the
    motion without accelerations is -gamma.
    """
    z, arguments, rates, out, coefficient = work.z, work.arguments, work.rates, work.results, work.coefficient
    function, address, start, measure, velocity = rows.function, rows.address, rows.start, rows.measure, rows.velocity
    argument, first = rows.argument, rows.argument_start
    parameter, behind = rows.parameter, rows.parameter_start
    for k in range(function.shape[0]):
        r, n = function[k], first[k + 1] - first[k]
        own = np.int64(velocity[r])  # the level of the arguments by which F is linearized: values, or rates
        for i in range(n):
            level, m = np.int64(argument[first[k] + i, 1]), measure[argument[first[k] + i, 0]]
            if level == TIME:
                arguments[i], rates[i] = t, 1.0
            elif level == RATE and not moving:
                arguments[i], rates[i] = 0.0, 0.0
            else:
                arguments[i], rates[i] = z[m, level], z[m, level + 1]
        for p in range(behind[k], behind[k + 1]):
            arguments[n + p - behind[k]] = parameter[p]
        if call_address(address[k], arguments, rates, out):
            return 1 + r
        if not moving:
            for e in range(start[r], start[r + 1]):
                coefficient[e] = 0.0
        # out: value, first, second and third derivative along the rates, gradient
        speed, bias, by_time = 0.0, out[2 - own], 0.0
        for i in range(n):
            e, level = argument[first[k] + i, 0], argument[first[k] + i, 1]
            slope, m = out[4 + i], measure[e]
            if level == TIME:
                by_time = slope
            elif level == own:
                speed += slope * z[m, 1]
                if not moving:
                    coefficient[e] += slope
                if not own:
                    bias += slope * z[m, 2]
        if moving:
            work.rate[r], work.gamma[r] = speed, -bias
        else:
            work.phi[r], work.nu[r] = (0.0, -out[0]) if own else (out[0], -by_time)
    return 0


@kernel
def factorize(rows, solver, weights, active, softness, work):
    """Factorize [[W, J^T], [J, -softness]], or J itself if it is small and square. Returns 0 unless it is singular."""
    mode = work.mode
    mode[0] = 0
    if softness == 0.0 and work.square.a.shape[0] == weights.shape[0]:
        mode[0], mode[1] = 1, _factorize_square(work)
        return 1 if mode[1] == 0 else 0
    return factorize_soft(rows, solver, weights, active, softness, work)


@kernel(once=True)
def _factorize_square(work):
    """J of the active rows, which are as many as there are coordinates. Returns the sign of its determinant."""
    square = work.square
    if square.chosen[0]:
        _fill_square(work)
        sign = lu_factor(square)
        if sign != 0:
            return sign
    _fill_square(work)
    if not choose_pivots(square):
        return 0
    return lu_factor(square)


@kernel(internal=True)
def _fill_square(work):
    coefficient, jac, a, clear = work.coefficient, work.flat, work.square.flat, work.square.clear
    target, source, factor, entry = work.target, work.source, work.factor, work.entry
    for k in range(work.square.chosen[2]):
        a[clear[k]] = 0.0
    alone = target.shape[0] - entry.shape[0]
    for k in range(alone):
        a[target[k]] = factor[k] * jac[source[k]]
    for k in range(entry.shape[0]):
        p = alone + k
        a[target[p]] += factor[p] * coefficient[entry[k]] * jac[source[p]]


@kernel
def factorize_soft(rows, solver, weights, active, softness, work):
    """Factorize [[W, J^T], [J, -softness]]. Returns 0 unless it is singular."""
    values, coefficient, jac = work.values, work.coefficient, work.jac
    diagonal, slot, entry, measure, part = solver.diagonal, solver.slot, solver.entry, solver.measure, solver.part
    start = rows.start
    nc = weights.shape[0]
    for k in range(values.shape[0]):
        values[k] = 0.0
    for i in range(nc):
        values[diagonal[i]] = weights[i]
    for r in range(active.shape[0]):
        values[diagonal[nc + r]] = -softness if active[r] else -1.0
        if not active[r]:
            for e in range(start[r], start[r + 1]):
                coefficient[e] = 0.0
    for k in range(slot.shape[0]):
        values[slot[k]] += coefficient[entry[k]] * jac[measure[k], part[k]]
    return factor(solver.pattern, values, work.lower, work.pivots, work.scratch)


@kernel(internal=True)
def solve_rows(rows, solver, active, right, work, step, width):
    """x of the system with right-hand side (0, right); `step` gets it numbered as v, ground included (zero)."""
    x, place = work.x, solver.place
    nc = place.shape[0] - right.shape[0]
    if work.mode[0]:
        i, inverse = 0, rows.inverse
        for r in range(right.shape[0]):
            if active[r]:
                x[i] = right[r] * inverse[r]
                i += 1
        lu_solve(work.square, x)
        unit = work.unit
        for i in range(nc):
            step[width + i] = x[i] * unit[i]
        return
    for i in range(nc):
        x[place[i]] = 0.0
    for r in range(right.shape[0]):
        x[place[nc + r]] = right[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for i in range(nc):
        step[width + i] = x[place[i]]


@kernel(internal=True)
def solve_columns(rows, solver, active, force, work, multipliers, width):
    """lambda of the system with right-hand side (force, 0), force numbered as v."""
    x, place = work.x, solver.place
    nc = place.shape[0] - multipliers.shape[0]
    if work.mode[0]:
        unit = work.unit
        for i in range(nc):
            x[i] = force[width + i] * unit[i]
        lu_solve_transposed(work.square, x)
        i, inverse = 0, rows.inverse
        for r in range(multipliers.shape[0]):
            multipliers[r] = x[i] * inverse[r] if active[r] else 0.0
            i += active[r]
        return
    for i in range(nc):
        x[place[i]] = force[width + i]
    for r in range(multipliers.shape[0]):
        x[place[nc + r]] = 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for r in range(multipliers.shape[0]):
        multipliers[r] = x[place[nc + r]]


@kernel(internal=True)
def rows_times(solver, work, vector, product):
    """J times a vector numbered as v."""
    coefficient, jac = work.coefficient, work.jac
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for r in range(product.shape[0]):
        product[r] = 0.0
    for k in range(row.shape[0]):
        product[row[k]] += coefficient[entry[k]] * jac[measure[k], part[k]] * vector[column[k]]


@kernel(internal=True)
def press(solver, work, multipliers, active, out):
    """Take J^T times the multipliers of the rows in force from a vector numbered as v."""
    coefficient, jac = work.coefficient, work.jac
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for k in range(row.shape[0]):
        if active[row[k]]:
            out[column[k]] -= coefficient[entry[k]] * jac[measure[k], part[k]] * multipliers[row[k]]
