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
    if measure_pass(geometry, q, v, reference, work.frames, work.z, work.jac):
        return -1
    z, f, coefficient = work.z, work.motion, work.coefficient
    for r in range(rows.offset.shape[0]):
        phi, rate, bias = -rows.offset[r], 0.0, 0.0
        for e in range(rows.start[r], rows.start[r + 1]):
            c, m = rows.coefficient[e], rows.measure[e]
            coefficient[e] = c
            phi += c * z[m, 0]
            rate += c * z[m, 1]
            bias += c * z[m, 2]
        nu, gamma = 0.0, -bias
        for k in range(rows.motion_start[r], rows.motion_start[r + 1]):
            if motion(rows.motions, k, t, f):
                return 1 + r
            phi -= f[0]
            nu += f[1]
            gamma += f[2]
        work.phi[r], work.rate[r], work.nu[r], work.gamma[r] = phi, rate, nu, gamma
    return _functions(rows, t, work)


@kernel
def _functions(rows, t, work):
    """Rows that are functions of measures: value, gradient and second derivative along the rates in one call."""
    z, arguments, rates, out = work.z, work.arguments, work.rates, work.results
    for k in range(rows.function.shape[0]):
        r = rows.function[k]
        first, n = rows.start[r], rows.start[r + 1] - rows.start[r]
        for e in range(n):
            m = rows.measure[first + e]
            arguments[e], rates[e] = z[m, 0], z[m, 1]
        arguments[n], rates[n] = t, 1.0
        for p in range(rows.parameter_start[k], rows.parameter_start[k + 1]):
            arguments[n + 1 + p - rows.parameter_start[k]] = rows.parameter[p]
        if call_address(rows.address[k], arguments, rates, out):
            return 1 + r
        # out: value, first, second and third derivative along the rates, gradient
        rate, bias = 0.0, out[2]
        for e in range(n):
            m = rows.measure[first + e]
            work.coefficient[first + e] = out[4 + e]
            rate += out[4 + e] * z[m, 1]
            bias += out[4 + e] * z[m, 2]
        work.phi[r], work.rate[r], work.nu[r], work.gamma[r] = out[0], rate, -out[4 + n], -bias
    return 0


@kernel
def factorize(rows, solver, weights, active, softness, work):
    """Set up and factorize [[W, J^T], [J, -softness]]. Returns 0, or 1 + the place of a zero pivot."""
    values, coefficient = work.values, work.coefficient
    values[:] = 0.0
    nc = weights.shape[0]
    for i in range(nc):
        values[solver.diagonal[i]] = weights[i]
    for r in range(active.shape[0]):
        if active[r]:
            values[solver.diagonal[nc + r]] = -softness
        else:
            values[solver.diagonal[nc + r]] = -1.0
            for e in range(rows.start[r], rows.start[r + 1]):
                coefficient[e] = 0.0
    jac = work.jac.ravel()
    for k in range(solver.slot.shape[0]):
        values[solver.slot[k]] += coefficient[solver.entry[k]] * jac[solver.source[k]]
    return factor(solver.pattern, values, work.lower, work.pivots, work.scratch)


@kernel
def solve_rows(solver, active, right, work, step, width):
    """x of the system with right-hand side (0, right); `step` gets it numbered as v, ground included (zero)."""
    n, nr = solver.place.shape[0], right.shape[0]
    nc = n - nr
    x = work.x
    for i in range(nc):
        x[solver.place[i]] = 0.0
    for r in range(nr):
        x[solver.place[nc + r]] = right[r] if active[r] else 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for i in range(nc):
        step[width + i] = x[solver.place[i]]


@kernel
def solve_columns(solver, force, work, multipliers, width):
    """lambda of the system with right-hand side (force, 0), force numbered as v."""
    n, nr = solver.place.shape[0], multipliers.shape[0]
    nc = n - nr
    x = work.x
    for i in range(nc):
        x[solver.place[i]] = force[width + i]
    for r in range(nr):
        x[solver.place[nc + r]] = 0.0
    solve(solver.pattern, work.lower, work.pivots, x)
    for r in range(nr):
        multipliers[r] = x[solver.place[nc + r]]


@kernel
def rows_times(solver, work, vector, product):
    """J times a vector numbered as v."""
    product[:] = 0.0
    jac = work.jac.ravel()
    for k in range(solver.row.shape[0]):
        product[solver.row[k]] += work.coefficient[solver.entry[k]] * jac[solver.source[k]] * vector[solver.column[k]]
