"""The compiled loops of `statics`: the imbalance at a position, and its derivatives.

Phi_q^T lambda - Q,    Q = Q0 + factor Q1

`evaluate_place` and `find_stiffness` evaluate a position for loops with dense matrices. The tables of such a loop
contain `statics`, `bodies` with all rows active and the same memory, `unit`, `columns`, a `zero` for each row, and what
`Statics` plans for differences: `moves`, `steps`, `found`, `entry`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.nearest import LAST_REGULARIZATION
from cardan.model.space import advance, inertia_forces
from cardan.numerics.compiled.block import block, zeros
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.ldlt import solve
from cardan.numerics.linalg.vector import copy
from cardan.system.evaluate import evaluate_position, factorize_soft
from cardan.system.forces import apply_forces
from cardan.system.system import System

NO_MULTIPLIERS = 1 << 40  # a status beside those of rows and forces: the multipliers have no values


class Scratch(NamedTuple):
    """Vectors of the loops below, numbered as v except for the values of forces."""

    out: np.ndarray
    weight: np.ndarray
    push: np.ndarray  # of the varied forces
    rest: np.ndarray  # zero: rates and accelerations
    step: np.ndarray
    q: np.ndarray
    fixed: np.ndarray  # values of the forces that do not vary,
    varied: np.ndarray  # and of those that do


class StaticTables(NamedTuple):
    """A mechanism in equilibrium: its tables, and memory."""

    geometry: Any
    rows: Any
    solver: Any
    fixed: Any  # forces that do not vary,
    varied: Any  # and those that do
    matter: np.ndarray
    gravity: np.ndarray
    factors: np.ndarray  # float64[2]: of weight, and of the forces that vary
    work: Any
    scratch: Any


def static_tables(system: System, forces: Sequence[Any], counts: Sequence[int], matter: Any, work: Any) -> Any:
    """The block of a system with the tables of both kinds of forces; `counts` are their numbers."""
    out, weight, push, rest, step = (system.speeds() for _ in range(5))
    scratch = Scratch(out, weight, push, rest, step, system.start.copy(), *(np.zeros(count) for count in counts))
    given = *forces, matter, np.array(system.model.gravity, float), np.ones(2), work, block(scratch)
    return block(StaticTables(system.geometry, system.rows, system.solver, *given))


@kernel
def imbalance(tables, q, t, reference, multipliers):
    """Phi_q^T lambda - Q at a position into `scratch.out`. Returns 0, or a status: rows first, then forces."""
    geometry, solver, factors = tables.geometry, tables.solver, tables.factors
    work, scratch = tables.work, tables.scratch
    out, weight, push = scratch.out, scratch.weight, scratch.push
    status = evaluate_position(geometry, tables.rows, q, t, reference, work)
    if status:
        return status
    nr = multipliers.shape[0]
    for i in range(out.shape[0]):
        out[i], push[i], weight[i] = 0.0, 0.0, 0.0
    status = apply_forces(tables.fixed, t, work, scratch.fixed, out)
    if status:
        return nr + status
    status = apply_forces(tables.varied, t, work, scratch.varied, push)
    if status:
        return nr + scratch.fixed.shape[0] + status
    inertia_forces(geometry, tables.matter, tables.gravity, q, scratch.rest, scratch.rest, weight)
    for i in range(out.shape[0]):
        out[i] = -out[i] - factors[0] * weight[i] - factors[1] * push[i]
    coefficient, jac = work.coefficient, work.jac
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for k in range(row.shape[0]):
        out[column[k]] += coefficient[entry[k]] * jac[measure[k], part[k]] * multipliers[row[k]]
    return 0


@kernel
def differences(tables, q, t, reference, multipliers, steps, found):
    """The change of the residual for each step, one row each. Returns a status."""
    there, step, out = tables.scratch.q, tables.scratch.step, tables.scratch.out
    for k in range(steps.shape[0]):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for i in range(step.shape[0]):
                step[i] = sign * steps[k, i]
            copy(q, there)
            advance(tables.geometry, there, step)
            status = imbalance(tables, there, t, reference, multipliers)
            if status:
                return status
            for i in range(out.shape[0]):
                found[k, i] += sign * out[i]
    return 0


class Sizes(Record):
    """The largest forces at a position, as energies, and what is left of them."""

    size: float  # with those that cancel in springs
    acting: float
    imbalance: float


class StaticPlace(NamedTuple):
    """A position with its forces, scaled as in `cardan.analysis.equilibria.statics`."""

    q: np.ndarray
    reference: np.ndarray  # turns of angles
    sizes: Any
    z: np.ndarray = zeros("measures")
    phi: np.ndarray = zeros("m")
    J: np.ndarray = zeros("m", "n")
    force: np.ndarray = zeros("n")
    multipliers: np.ndarray = zeros("m")
    residual: np.ndarray = zeros("n")
    strengths: np.ndarray = zeros("laws")  # not scaled
    energies: np.ndarray = zeros("energies")  # of laws, then of weights


@kernel(internal=True)
def evaluate_place(b, at, t, usual):
    """Forces, rows and multipliers at the position of `at`; `usual` is the least size of forces. Returns a status."""
    statics, inverse, unit = b.statics, b.statics.rows.inverse, b.unit
    work, scratch, solver = statics.work, statics.scratch, statics.solver
    n, width = unit.shape[0], scratch.out.shape[0] - unit.shape[0]
    status = imbalance(statics, at.q, t, at.reference, b.zero)
    if status:
        return status
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
    _find_sizes(b, at, usual)
    return _find_multipliers(b, at)


@kernel(internal=True)
def _find_sizes(b, at, usual):
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
    at.sizes.size = max(max(usual, heaviest), max(acting, stressed))


@kernel(internal=True)
def _find_multipliers(b, at):
    """Multipliers that come closest to balance, and what remains. Returns a status."""
    bodies, unit = b.bodies, b.unit
    work, solver = bodies.work, bodies.solver
    place = solver.place
    n = unit.shape[0]
    if factorize_soft(bodies.rows, solver, bodies.weights, bodies.active, LAST_REGULARIZATION, work):
        return NO_MULTIPLIERS
    for _ in range(2):
        find_residual(at)
        for k in range(work.x.shape[0]):
            work.x[k] = 0.0
        for i in range(n):
            work.x[place[i]] = -at.residual[i] / unit[i]
        solve(solver.pattern, work.lower, work.pivots, work.x)
        for r in range(at.multipliers.shape[0]):
            at.multipliers[r] += work.x[place[n + r]] * bodies.rows.scale[r]
    find_residual(at)
    largest, size = 0.0, at.sizes.size
    for i in range(n):
        if not np.isfinite(at.residual[i]):
            return NO_MULTIPLIERS
        largest = max(largest, abs(at.residual[i]))
    for r in range(at.multipliers.shape[0]):
        size = max(size, abs(at.multipliers[r]))
    at.sizes.imbalance = largest / size if size > 0.0 else 0.0
    return 0


@kernel(internal=True)
def find_residual(at):
    """J^T lambda - Q."""
    for i in range(at.residual.shape[0]):
        at.residual[i] = -at.force[i]
    for r in range(at.multipliers.shape[0]):
        for i in range(at.residual.shape[0]):
            at.residual[i] += at.J[r, i] * at.multipliers[r]


@kernel(internal=True)
def find_stiffness(b, at, t, size, H):
    """H at fixed multipliers by central differences with this step, in model lengths and rad. Returns a status."""
    unit, found = b.unit, b.found
    n = unit.shape[0]
    width = b.steps.shape[1] - n
    for k in range(b.moves.shape[0]):
        for i in range(b.steps.shape[1]):
            b.steps[k, i] = size * unit[i - width] * b.moves[k, i] if i >= width else 0.0
            found[k, i] = 0.0
    multipliers, inverse = b.bodies.vectors.right, b.bodies.rows.inverse
    for r in range(at.multipliers.shape[0]):
        multipliers[r] = at.multipliers[r] * inverse[r]
    status = differences(b.statics, at.q, t, at.reference, multipliers, b.steps, found)
    if status:
        return status
    for i in range(n):
        for j in range(n):
            H[i, j] = 0.0
    for e in range(b.entry.shape[0]):
        i, j, k = b.entry[e, 0], b.entry[e, 1], b.entry[e, 2]
        H[i, j] += found[k, width + i] * unit[i] / (2.0 * size)
    return 0
