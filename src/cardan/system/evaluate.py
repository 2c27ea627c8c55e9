"""One evaluation of the equations and one solution with their Jacobian, for every space.

    measures -> rows:    phi = 0,    J v = nu,    J a = gamma                       (Haug 3.6.3, 3.6.10, 3.6.11)
    solve:               [[W, J^T], [J, -E]] [x; lambda] = [right-hand sides]

W is the metric in which least-change steps are taken. With as many independent rows as coordinates it does not
matter and x = J^-1 (...); rows set aside (active = 0) get a unit pivot and take no part.
"""

from __future__ import annotations

from cardan.model.space import measure_pass
from cardan.numerics.function import call_address
from cardan.numerics.jit import kernel
from cardan.numerics.ldlt import factor, solve
from cardan.numerics.motions import motion


@kernel
def evaluate(geometry, rows, q, v, t, reference, work):
    """Fill z, jac, phi, rate, nu and gamma at (q, v, t). Returns 0, 1 + row, or -1 if a measure failed."""
    # Arrays are taken out of the tuples once: each time costs a reference count.
    z, f, coefficient = work.z, work.motion, work.coefficient
    phi, rate, nu, gamma = work.phi, work.rate, work.nu, work.gamma
    start, measure, constant, offset = rows.start, rows.measure, rows.coefficient, rows.offset
    motion_start, motions = rows.motion_start, rows.motions
    if measure_pass(geometry, q, v, reference, work.frames, z, work.jac):
        return -1
    for r in range(offset.shape[0]):
        value, speed, bias = -offset[r], 0.0, 0.0
        for e in range(start[r], start[r + 1]):
            c, m = constant[e], measure[e]
            coefficient[e] = c
            value += c * z[m, 0]
            speed += c * z[m, 1]
            bias += c * z[m, 2]
        phi[r], rate[r], nu[r], gamma[r] = value, speed, 0.0, -bias
    for r in range(offset.shape[0]):
        for k in range(motion_start[r], motion_start[r + 1]):
            if motion(motions, k, t, f):
                return 1 + r
            phi[r] -= f[0]
            nu[r] += f[1]
            gamma[r] += f[2]
    return _functions(rows, t, work) if rows.function.shape[0] else 0


@kernel
def _functions(rows, t, work):
    """Rows that are functions of measures: value, gradient and second derivative along the rates in one call."""
    z, arguments, rates, out, coefficient = work.z, work.arguments, work.rates, work.results, work.coefficient
    start, measure, parameter, parameter_start = rows.start, rows.measure, rows.parameter, rows.parameter_start
    for k in range(rows.function.shape[0]):
        r, when = rows.function[k], rows.time_place[k]
        n = 0
        for e in range(start[r], start[r + 1]):
            if n == when:
                n += 1
            m = measure[e]
            arguments[n], rates[n] = z[m, 0], z[m, 1]
            n += 1
        if when >= 0:
            arguments[when], rates[when] = t, 1.0
            n = max(n, when + 1)
        for p in range(parameter_start[k], parameter_start[k + 1]):
            arguments[n + p - parameter_start[k]] = parameter[p]
        if call_address(rows.address[k], arguments, rates, out):
            return 1 + r
        # out: value, first, second and third derivative along the rates, gradient
        speed, bias, n = 0.0, out[2], 4
        for e in range(start[r], start[r + 1]):
            if n - 4 == when:
                n += 1
            m = measure[e]
            coefficient[e] = out[n]
            speed += out[n] * z[m, 1]
            bias += out[n] * z[m, 2]
            n += 1
        work.phi[r], work.rate[r] = out[0], speed
        work.nu[r], work.gamma[r] = -out[4 + when] if when >= 0 else 0.0, -bias
    return 0


@kernel
def factorize(rows, solver, weights, active, softness, work):
    """Set up and factorize [[W, J^T], [J, -softness]]. Returns 0, or 1 + the place of a zero pivot."""
    values, coefficient, jac = work.values, work.coefficient, work.jac
    diagonal, slot, entry, source = solver.diagonal, solver.slot, solver.entry, solver.source
    start, width = rows.start, jac.shape[1]
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
        values[slot[k]] += coefficient[entry[k]] * jac[source[k] // width, source[k] % width]
    return factor(solver.pattern, values, work.lower, work.pivots, work.scratch)


@kernel
def solve_rows(solver, active, right, work, step, width):
    """x of the system with right-hand side (0, right); `step` gets it numbered as v, ground included (zero)."""
    x, place = work.x, solver.place
    nc = place.shape[0] - right.shape[0]
    for i in range(nc):
        x[place[i]] = 0.0
    for r in range(right.shape[0]):
        x[place[nc + r]] = right[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for i in range(nc):
        step[width + i] = x[place[i]]


@kernel
def solve_columns(solver, force, work, multipliers, width):
    """lambda of the system with right-hand side (force, 0), force numbered as v."""
    x, place = work.x, solver.place
    nc = place.shape[0] - multipliers.shape[0]
    for i in range(nc):
        x[place[i]] = force[width + i]
    for r in range(multipliers.shape[0]):
        x[place[nc + r]] = 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for r in range(multipliers.shape[0]):
        multipliers[r] = x[place[nc + r]]


@kernel
def rows_times(solver, work, vector, product):
    """J times a vector numbered as v."""
    coefficient, jac = work.coefficient, work.jac
    row, column, entry, source = solver.row, solver.column, solver.entry, solver.source
    width = jac.shape[1]
    for r in range(product.shape[0]):
        product[r] = 0.0
    for k in range(row.shape[0]):
        product[row[k]] += coefficient[entry[k]] * jac[source[k] // width, source[k] % width] * vector[column[k]]
