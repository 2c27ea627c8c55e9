"""The operations of implicit methods in Cartesian coordinates: see `cardan.system.implicit` and `newton`."""

from __future__ import annotations

from cardan.model.space import advance, position_rates, speeds_of
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.motions import motion
from cardan.numerics.functions.function import call_address
from cardan.numerics.linalg.ldlt import factor, solve
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import forces_at, powers
from cardan.system.cartesian.matrix import FINE, SINGULAR, fill, fill_masses
from cardan.system.cartesian.motion import evaluate_at
from cardan.system.cartesian.step_limits import limit_by_spins, limit_step
from cardan.system.evaluate import evaluate_velocity, press, rows_times
from cardan.system.forces import along
from cardan.system.turns import commit_turns, remember_turns


@kernel(once=True)
def iterate(newton, renew, t, y0, dy0):
    """One correction of (delta, bar), at the position that delta leads to from y0, with speeds v and accelerations a:

    [ M + ..  J^T ] [ d delta ]   [ r (f - M a) - J^T bar ]
    [ J        0  ] [ d bar   ] = [ -phi                  ]            bar = r lambda
    """
    tables, solver, q, v, a = newton.tables, newton.solver, newton.q, newton.v, newton.a
    nq, nv = q.shape[0], v.shape[0]
    copy(y0[:nq], q)
    advance(tables.geometry, q, newton.delta)
    circuit, r = tables.forces.circuit, newton.scales.position
    for k in range(circuit.row.shape[0]):
        circuit.multipliers[circuit.row[k]] = newton.bar[circuit.row[k]] / r
    first = y0.shape[0] - circuit.states.shape[0]
    for k in range(circuit.states.shape[0]):  # by trapezoids, with the rate of the last iterate
        circuit.states[k] = y0[first + k] + 0.5 * newton.scales.step * (dy0[first + k] + circuit.rates[k])
    if evaluate_at(tables, t, q) or forces_at(tables, t, v, a, tables.settings.needs_rates != 0.0):
        return tables.failure.status
    if renew:
        slopes_of_forces(newton, t)
        for k in range(newton.slope.shape[0]):
            newton.real_slope[k, 0], newton.real_slope[k, 1] = newton.slope[k, 0], newton.slope[k, 1]
        _fill_base(newton)
        if _factor_real(newton):
            return SINGULAR
    work, active, residual, bar, x = tables.work, tables.active, newton.residual, newton.bar, newton.x
    force, place = tables.force, solver.place
    nc, nr = tables.weights.shape[0], active.shape[0]
    width = nv - nc
    for i in range(nv):
        residual[i] = r * force[i]
    press(tables.solver, work, bar, active, residual)
    for i in range(nc):
        x[place[i]] = residual[width + i]
    phi, rate, nu, velocity = work.phi, work.rate, work.nu, tables.rows.velocity
    per_speed = r / newton.scales.speed  # of delta for the same change of speed
    for i in range(nr):
        open_by = per_speed * (rate[i] - nu[i]) if velocity[i] else phi[i]
        x[place[nc + i]] = -open_by if active[i] else 0.0
    for i in range(nc + nr, place.shape[0]):
        x[place[i]] = 0.0
    solve(solver.pattern, newton.lower, newton.pivots, x)
    step, bar_step = newton.step, newton.bar_step
    for i in range(nc):
        step[width + i] = x[place[i]]
    for i in range(nr):
        bar_step[i] = x[place[nc + i]] if active[i] else 0.0
    tables.counters.corrections += 1
    return FINE


@kernel(once=True)
def finish_iterations(newton, t, y, dy):
    """The state that iterations have led to, and its rates; the mechanism was evaluated there last."""
    tables, q, v = newton.tables, newton.q, newton.v
    nq, nv = q.shape[0], v.shape[0]
    advance(tables.geometry, q, newton.step)
    copy(q, y[:nq])
    copy(v, y[nq : nq + nv])
    copy(newton.a, dy[nq : nq + nv])
    position_rates(tables.geometry, q, v, dy[:nq])
    for r in range(tables.multipliers.shape[0]):
        tables.multipliers[r] = newton.bar[r] / newton.scales.position
    powers(tables, dy[nq + nv :])
    circuit = tables.forces.circuit
    copy(circuit.rates, dy[y.shape[0] - circuit.rates.shape[0] :])
    commit_turns(tables.work.z, tables.reference)
    remember_turns(tables)
    if tables.settings.needs_rates == 0.0 and tables.winding.shape[0] > 0:
        if limit_by_spins(tables, v, newton.a, newton.scales.step):
            return FINE
        evaluate_velocity(tables.geometry, tables.rows, v, t, tables.work)
    limit_step(tables, newton.a)
    return FINE


@kernel(once=True)
def filter_error(newton):
    """Take from `step` what joints do not allow."""
    tables, solver, x, step = newton.tables, newton.solver, newton.x, newton.step
    place, active, nc = solver.place, tables.active, tables.weights.shape[0]
    rows_times(tables.solver, tables.work, step, tables.right)
    for i in range(x.shape[0]):
        x[i] = 0.0
    for r in range(active.shape[0]):
        x[place[nc + r]] = -tables.right[r] if active[r] else 0.0
    solve(solver.pattern, newton.lower, newton.pivots, x)
    width = step.shape[0] - nc
    for i in range(nc):
        step[width + i] += x[place[i]]
    return FINE


@kernel(internal=True)
def slopes_of_forces(newton, t):
    """Stiffness and damping of each force along its own measure; both count only if they resist."""
    forces, slope, z = newton.tables.forces, newton.slope, newton.tables.work.z
    linear, function, address, first = forces.linear, forces.function, forces.address, forces.argument_start
    argument, timed, scratch = forces.argument, forces.timed, forces.scratch
    start, measure, coefficient = forces.start, forces.measure, forces.coefficient
    for k in range(slope.shape[0]):
        slope[k, 0], slope[k, 1] = linear[k, 0], linear[k, 2]
        value, rate = along(forces, z, k)
        for level in range(2):
            at = k + level * slope.shape[0]
            for j in range(forces.curve_start[at], forces.curve_start[at + 1]):
                if not motion(forces.curves, j, rate if level else value, forces.out):
                    slope[k, level] += forces.out[1]
    arguments, rates, results = scratch[0], scratch[1], scratch[2]
    for k in range(function.shape[0]):
        n, law = 0, function[k]
        for j in range(first[k], first[k + 1]):
            arguments[n], rates[n] = z[argument[j, 0], argument[j, 1]], 0.0
            n += 1
        if timed[k]:
            arguments[n], rates[n] = t, 0.0
        if call_address(address[k], arguments, rates, results):
            continue
        if start[law + 1] - start[law] == 1:
            for j in range(first[k], first[k + 1]):
                if argument[j, 0] == measure[start[law]]:
                    found = results[4 + j - first[k]] / coefficient[start[law]]
                    if found == found:
                        slope[law, argument[j, 1]] += found
    circuit = forces.circuit
    if circuit.own.shape[0] or circuit.block.shape[0]:
        call_pointer(circuit.kernels.slopes, (circuit, t, z, slope))


@kernel(internal=True)
def _fill_base(newton):
    """Masses, joints and gradients at the position evaluated last."""
    tables, solver, gradient = newton.tables, newton.solver, newton.gradient
    fill(tables, solver, tables.soft, newton.base)
    fill_masses(tables, solver, newton.base)
    strength, entry, measure, part = tables.forces.coefficient, solver.law_entry, solver.law_measure, solver.law_part
    jac = tables.work.jac
    for k in range(gradient.shape[0]):
        gradient[k] = strength[entry[k]] * jac[measure[k], part[k]]


@kernel(internal=True)
def _factor_real(newton):
    """Factorize with kappa = s c + r k, s and r real."""
    solver, values, base, gradient = newton.solver, newton.values, newton.base, newton.gradient
    tables, slope = newton.tables, newton.real_slope
    s, r = newton.scales.speed, newton.scales.position
    first = tables.weights.shape[0] + tables.active.shape[0]
    copy(base, values)
    for k in range(slope.shape[0]):
        kappa = s * slope[k, 1] + r * slope[k, 0]
        values[solver.diagonal[first + k]] = -1.0 / kappa if kappa > 0.0 else -1.0
    slot, law = solver.law_slot, solver.law
    for k in range(slot.shape[0]):
        if s * slope[law[k], 1] + r * slope[law[k], 0] > 0.0:
            values[slot[k]] += gradient[k]
    tables.counters.factorizations += 1
    if factor(solver.pattern, values, newton.lower, newton.pivots, newton.scratch):
        tables.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(once=True)
def freeze(newton, t, y):
    """Stiffness, damping, masses and joints at y, where the mechanism has been evaluated."""
    copy(newton.tables.place, newton.q)
    slopes_of_forces(newton, t)
    _fill_base(newton)
    return FINE


@kernel(once=True)
def factorize(newton):
    """Factorize the real matrix with the real s and r = s^2, and the complex one with the complex s."""
    solver, values, base, gradient = newton.solver, newton.complex_values, newton.base, newton.gradient
    tables, slope = newton.tables, newton.complex_slope
    _bend(newton)
    if _factor_real(newton):
        return SINGULAR
    s, r = newton.scales.complex_speed, newton.scales.complex_position
    first = tables.weights.shape[0] + tables.active.shape[0]
    for k in range(values.shape[0]):
        values[k] = base[k]
    for k in range(slope.shape[0]):
        stiff = slope[k, 0].real > 0.0 or slope[k, 1].real > 0.0
        values[solver.diagonal[first + k]] = -1.0 / (s * slope[k, 1] + r * slope[k, 0]) if stiff else -1.0
    slot, law = solver.law_slot, solver.law
    for k in range(slot.shape[0]):
        if slope[law[k], 0].real > 0.0 or slope[law[k], 1].real > 0.0:
            values[slot[k]] += gradient[k]
    tables.counters.factorizations += 1
    if factor(solver.pattern, values, newton.complex_lower, newton.complex_pivots, newton.complex_scratch):
        tables.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(once=True)
def _bend(newton):
    """What the states of devices make of stiffness and damping, for the s of either matrix."""
    slope, real, bent, circuit = newton.slope, newton.real_slope, newton.complex_slope, newton.tables.forces.circuit
    for pair in range(2):
        for k in range(slope.shape[0]):
            bent[k, 0], bent[k, 1] = slope[k, 0], slope[k, 1]
        if circuit.block.shape[0]:
            s = newton.scales.complex_speed if pair else newton.scales.speed + 0j
            call_pointer(circuit.kernels.bend, (circuit, s, bent))
        if pair == 0:
            for k in range(slope.shape[0]):
                real[k, 0], real[k, 1] = bent[k, 0].real, bent[k, 1].real


@kernel(once=True)
def solve_real(newton, r, x):
    """(1/s - f_y) x = r, where f_y has the stiffness and damping that were frozen:

    x_v = s r_v + u,   [ M + s (c + s k) g g^T   J^T ] [ u  ]   [ -s g (g . (s (c + s k) r_v + s k r_q)) ]
    x_q = s (r_q + x_v)[ J                        0  ] [ mu ] = [ 0                                      ]
    """
    tables, solver, b, slope = newton.tables, newton.solver, newton.x, newton.real_slope
    circuit, right, change = tables.forces.circuit, newton.right, newton.change
    first = r.shape[0] - right.shape[0]
    law, column, gradient, place = solver.law, solver.law_column, newton.gradient, solver.place
    s, nq, nv, nc = newton.scales.speed, newton.q.shape[0], newton.v.shape[0], tables.weights.shape[0]
    width, delta, product = nv - nc, newton.delta, newton.product
    speeds_of(tables.geometry, newton.q, r[:nq], delta)
    for k in range(product.shape[0]):
        product[k] = 0.0
    for k in range(gradient.shape[0]):
        stiffness, damping, j = slope[law[k], 0], slope[law[k], 1], column[k]
        product[law[k]] += gradient[k] * s * ((damping + s * stiffness) * r[nq + j] + stiffness * delta[j])
    if circuit.block.shape[0]:
        for k in range(right.shape[0]):
            right[k] = r[first + k]
        call_pointer(circuit.kernels.push, (circuit, s + 0j, right, product))
    for i in range(b.shape[0]):
        b[i] = 0.0
    for k in range(gradient.shape[0]):
        b[place[column[k] - width]] -= s * gradient[k] * product[law[k]].real
    solve(solver.pattern, newton.lower, newton.pivots, b)
    v = x[nq : nq + nv]
    for i in range(nc):
        v[width + i] = b[place[i]] + s * r[nq + width + i]
    position_rates(tables.geometry, newton.q, v, x[:nq])
    for i in range(nq):
        x[i] = s * (r[i] + x[i])
    for i in range(nq + nv, x.shape[0]):
        x[i] = s * r[i]
    if circuit.block.shape[0]:
        for k in range(change.shape[0]):
            change[k, 0], change[k, 1] = 0.0, 0.0
        for k in range(gradient.shape[0]):
            j = column[k]
            change[law[k], 0] += gradient[k] * s * (delta[j] + v[j])
            change[law[k], 1] += gradient[k] * v[j]
        call_pointer(circuit.kernels.pull, (circuit, s + 0j, change, right))
        for k in range(circuit.state.shape[0]):
            x[first + circuit.state[k]] = right[circuit.state[k]].real
    return FINE


@kernel(once=True)
def solve_complex(newton, real, imaginary):
    """The same with the complex matrix; r = real + i imaginary becomes x."""
    tables, solver, b, slope = newton.tables, newton.solver, newton.complex_x, newton.complex_slope
    circuit, right, change, z = tables.forces.circuit, newton.right, newton.change, newton.z
    first = real.shape[0] - right.shape[0]
    law, column, gradient, place = solver.law, solver.law_column, newton.gradient, solver.place
    s, nq, nv, nc = newton.scales.complex_speed, newton.q.shape[0], newton.v.shape[0], tables.weights.shape[0]
    width, delta, product = nv - nc, newton.delta, newton.product
    speeds_of(tables.geometry, newton.q, real[:nq], delta)
    for i in range(nv):
        z[0, i], z[1, i] = delta[i], real[nq + i] + 1j * imaginary[nq + i]
    speeds_of(tables.geometry, newton.q, imaginary[:nq], delta)
    for i in range(nv):
        z[0, i] += 1j * delta[i]
    for k in range(product.shape[0]):
        product[k] = 0.0
    for k in range(gradient.shape[0]):
        stiffness, damping, j = slope[law[k], 0], slope[law[k], 1], column[k]
        product[law[k]] += gradient[k] * s * ((damping + s * stiffness) * z[1, j] + stiffness * z[0, j])
    if circuit.block.shape[0]:
        for k in range(right.shape[0]):
            right[k] = real[first + k] + 1j * imaginary[first + k]
        call_pointer(circuit.kernels.push, (circuit, s, right, product))
    for i in range(b.shape[0]):
        b[i] = 0.0
    for k in range(gradient.shape[0]):
        b[place[column[k] - width]] -= s * gradient[k] * product[law[k]]
    solve(solver.pattern, newton.complex_lower, newton.complex_pivots, b)
    for i in range(nc):
        z[1, width + i] = b[place[i]] + s * z[1, width + i]
    for i in range(width, nv):
        newton.v[i], newton.a[i] = z[1, i].real, z[1, i].imag
    position_rates(tables.geometry, newton.q, newton.v, newton.rates[0])
    position_rates(tables.geometry, newton.q, newton.a, newton.rates[1])
    for i in range(nq):
        found = s * (real[i] + newton.rates[0, i] + 1j * (imaginary[i] + newton.rates[1, i]))
        real[i], imaginary[i] = found.real, found.imag
    for i in range(nv):
        real[nq + i], imaginary[nq + i] = z[1, i].real, z[1, i].imag
    for i in range(nq + nv, real.shape[0]):
        found = s * (real[i] + 1j * imaginary[i])
        real[i], imaginary[i] = found.real, found.imag
    if circuit.block.shape[0]:
        for k in range(change.shape[0]):
            change[k, 0], change[k, 1] = 0.0, 0.0
        for k in range(gradient.shape[0]):
            j = column[k]
            change[law[k], 0] += gradient[k] * s * (z[0, j] + z[1, j])
            change[law[k], 1] += gradient[k] * z[1, j]
        call_pointer(circuit.kernels.pull, (circuit, s, change, right))
        for k in range(circuit.state.shape[0]):
            found = right[circuit.state[k]]
            real[first + circuit.state[k]], imaginary[first + circuit.state[k]] = found.real, found.imag
    return FINE
