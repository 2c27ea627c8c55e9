"""Forces, rows, multipliers and energies at a position, in the compiled loop of a study of equilibria.

The same quantities as in `cardan.analysis.equilibria.statics` and `potential`, for dense matrices.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.assembly.nearest import LAST_REGULARIZATION
from cardan.analysis.equilibria.imbalance import differences, imbalance
from cardan.model.space import position_pass
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.vector import copy
from cardan.system.evaluate import factorize_soft
from cardan.system.forces import strengths

ROUNDING = 64.0 * float(np.finfo(float).eps)  # of energies


@kernel(internal=True)
def evaluate_place(b, at):
    """Forces, rows, multipliers and energies at the position of `at`. Returns whether all have values."""
    statics, inverse, unit = b.statics, b.statics.rows.inverse, b.unit
    work, scratch, solver = statics.work, statics.scratch, statics.solver
    n, width = unit.shape[0], scratch.out.shape[0] - unit.shape[0]
    if imbalance(statics, at.q, b.plan.time, at.reference, b.model.zero):
        return False
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for r in range(at.phi.shape[0]):
        at.phi[r], at.multipliers[r] = work.phi[r] * inverse[r], 0.0
        for i in range(n):
            at.J[r, i] = 0.0
    for k in range(row.shape[0]):
        i = np.int64(column[k]) - width
        at.J[row[k], i] += work.coefficient[entry[k]] * work.jac[measure[k], part[k]] * unit[i] * inverse[row[k]]
    for i in range(n):
        at.force[i] = -scratch.out[width + i] * unit[i]
    copy(scratch.fixed, at.strengths)
    for m in range(at.z.shape[0]):
        at.z[m] = work.z[m, 0]
    _find_sizes(b, at)
    _find_energies(b, at)
    return _find_multipliers(b, at)


@kernel(internal=True)
def _find_sizes(b, at):
    """The largest forces, as energies: those that act, and including terms that cancel in springs."""
    work, scratch, forces, unit = b.statics.work, b.statics.scratch, b.statics.fixed, b.unit
    width = scratch.out.shape[0] - unit.shape[0]
    heaviest, acting, stressed = 0.0, 0.0, 0.0
    for i in range(unit.shape[0]):
        heaviest = max(heaviest, abs(scratch.weight[width + i] * unit[i]))
    for k in range(at.strengths.shape[0]):
        arm = 0.0
        for e in range(forces.start[k], forces.start[k + 1]):
            m = forces.measure[e]
            for c in range(b.columns.shape[1]):
                if b.columns[m, c] >= width:
                    reach = abs(work.jac[m, c]) * unit[np.int64(b.columns[m, c]) - width]
                    arm = max(arm, abs(forces.coefficient[e]) * reach)
        acting = max(acting, abs(at.strengths[k]) * arm)
        stressed = max(stressed, abs(forces.linear[k, 0] * forces.linear[k, 1]) * arm)
    at.sizes.acting = max(heaviest, acting)
    at.sizes.size = max(max(b.trust.usual, heaviest), max(acting, stressed))


@kernel(internal=True)
def _find_multipliers(b, at):
    """Multipliers that come closest to balance, and what remains. Returns whether they could be found."""
    bodies, unit = b.bodies, b.unit
    work, solver = bodies.work, bodies.solver
    place = solver.place
    n = unit.shape[0]
    if factorize_soft(bodies.rows, solver, bodies.weights, bodies.active, LAST_REGULARIZATION, work):
        return False
    for _ in range(2):
        _find_residual(at)
        for k in range(work.x.shape[0]):
            work.x[k] = 0.0
        for i in range(n):
            work.x[place[i]] = -at.residual[i] / unit[i]
        solve(solver.pattern, work.lower, work.pivots, work.x)
        for r in range(at.multipliers.shape[0]):
            at.multipliers[r] += work.x[place[n + r]] * bodies.rows.scale[r]
    _find_residual(at)
    largest, size = 0.0, at.sizes.size
    for i in range(n):
        if not np.isfinite(at.residual[i]):
            return False
        largest = max(largest, abs(at.residual[i]))
    for r in range(at.multipliers.shape[0]):
        size = max(size, abs(at.multipliers[r]))
    at.sizes.imbalance = largest / size if size > 0.0 else 0.0
    return True


@kernel(internal=True)
def _find_residual(at):
    """J^T lambda - Q."""
    for i in range(at.residual.shape[0]):
        total = -at.force[i]
        for r in range(at.multipliers.shape[0]):
            total += at.J[r, i] * at.multipliers[r]
        at.residual[i] = total


@kernel(internal=True)
def _find_energies(b, at):
    """Energies of springs, constant forces and weights at an evaluated position."""
    energy, forces, matter, gravity = b.energy, b.statics.fixed, b.statics.matter, b.statics.gravity
    position_pass(energy.geometry, at.q, energy.reference, energy.frames, energy.z, energy.jac)
    laws = at.strengths.shape[0]
    for k in range(laws):
        value = 0.0
        for e in range(forces.start[k], forces.start[k + 1]):
            value += forces.coefficient[e] * at.z[forces.measure[e]]
        if energy.turned[k, 0] >= 0:
            value += forces.coefficient[forces.start[k]] * energy.z[energy.turned[k, 0], 0]
        away = value - energy.law[k, 1]
        at.energies[k] = 0.5 * energy.law[k, 0] * away * away + energy.law[k, 2] * value
    for m in range(energy.body.shape[0]):
        at.energies[laws + m] = 0.0
        if energy.body[m, 0] >= 0:
            weight = matter[energy.body[m, 0], 0] * gravity[energy.body[m, 1]]
            at.energies[laws + m] = -weight * energy.z[m, 0]


@kernel(internal=True)
def energy_change(b):
    """The change of the energy from `here` to `there`, and its accuracy."""
    here, there, change, size = b.here, b.there, 0.0, 0.0
    for k in range(here.energies.shape[0]):
        change += there.energies[k] - here.energies[k]
        size += abs(here.energies[k]) + abs(there.energies[k])
    for k in range(b.energy.curved.shape[0]):
        if b.energy.curved[k]:
            return change + _quadrature(b), ROUNDING * size
    return change, ROUNDING * size


@kernel(internal=True)
def _quadrature(b):
    """Work of forces that are functions of their measure, with all measures on the way from `here` to `there`."""
    energy, forces, work, here, there = b.energy, b.statics.fixed, b.statics.work, b.here, b.there
    values, total = b.statics.scratch.fixed, 0.0
    for i in range(energy.nodes.shape[0]):
        for m in range(here.z.shape[0]):
            work.z[m, 0] = here.z[m] + energy.nodes[i] * (there.z[m] - here.z[m])
        if strengths(forces, b.plan.time, work, values):
            return np.nan
        for k in range(energy.curved.shape[0]):
            if energy.curved[k]:
                value, way = 0.0, 0.0
                for e in range(forces.start[k], forces.start[k + 1]):
                    m = forces.measure[e]
                    value += forces.coefficient[e] * work.z[m, 0]
                    way += forces.coefficient[e] * (there.z[m] - here.z[m])
                plain = energy.law[k, 0] * (value - energy.law[k, 1]) + energy.law[k, 2]
                total += energy.weights[i] * (values[k] - plain) * way
    return total


@kernel(internal=True)
def find_stiffness(b, size, H):
    """H at fixed multipliers by central differences with this step, in model lengths and rad. Returns whether forces
    have values."""
    at, unit, found = b.here, b.unit, b.found
    n = unit.shape[0]
    width = b.step.shape[0] - n
    for k in range(b.moves.shape[0]):
        for i in range(b.step.shape[0]):
            b.steps[k, i] = size * unit[i - width] * b.moves[k, i] if i >= width else 0.0
            found[k, i] = 0.0
    multipliers, inverse = b.bodies.vectors.right, b.bodies.rows.inverse
    for r in range(at.multipliers.shape[0]):
        multipliers[r] = at.multipliers[r] * inverse[r]
    if differences(b.statics, at.q, b.plan.time, at.reference, multipliers, b.steps, found):
        return False
    for i in range(n):
        for j in range(n):
            H[i, j] = 0.0
    for e in range(b.entry.shape[0]):
        i, j, k = b.entry[e, 0], b.entry[e, 1], b.entry[e, 2]
        H[i, j] += found[k, width + i] * unit[i] / (2.0 * size)
    return True
