"""The matrix of the equations of motion: filled, factorized, its rank decided, and solved with.

[ M  J^T ] [  x  ]   [ f     ]
[ J   0  ] [ lam ] = [ right ]          rows that are not in force stand by themselves
"""

from __future__ import annotations

from cardan.model.space import mass_blocks
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.ldlt import factor, factor_rank, multiply, solve
from cardan.numerics.linalg.vector import copy

# A function failed; no pivot; joints that Newton cannot close; forces and the reactions they depend on do not settle.
FINE, BROKEN, SINGULAR, OPEN, JAMMED = range(5)
AHEAD = 1.5  # steps from one solution to the next, over the one before: as far as they foretell another


@kernel(internal=True)
def factorize_masses(machine):
    """Factorize [[M, J^T], [J, 0]] with the rows in force at the position evaluated last."""
    work = machine.work
    fill_whole(machine)
    machine.counters.factorizations += 1
    if factor(machine.solver.pattern, work.values, work.lower, work.pivots, work.scratch):
        machine.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(internal=True)
def fill_whole(machine):
    """The matrix itself, at the position evaluated last."""
    fill(machine, machine.solver, machine.soft, machine.work.values)
    fill_masses(machine, machine.solver, machine.work.values)


@kernel(internal=True)
def fill(machine, solver, diagonal_values, values):
    """The matrix with a diagonal in place of the mass matrix; rows that are not in force stand by themselves.

    `solver` says where numbers go; it is that of the machine, or another that has further rows.
    """
    known, active = machine.solver, machine.active
    coefficient, jac = machine.work.coefficient, machine.work.jac
    diagonal, slot, entry, measure, part = solver.diagonal, solver.slot, known.entry, known.measure, known.part
    row, nc = known.row, diagonal_values.shape[0]
    for k in range(values.shape[0]):
        values[k] = 0.0
    for i in range(nc):
        values[diagonal[i]] = diagonal_values[i]
    for r in range(active.shape[0]):
        values[diagonal[nc + r]] = 0.0 if active[r] else -1.0
    for k in range(slot.shape[0]):
        if active[row[k]]:
            values[slot[k]] += coefficient[entry[k]] * jac[measure[k], part[k]]


@kernel(internal=True)
def fill_masses(machine, solver, values):
    """Add the mass matrix at the position evaluated last."""
    mass_blocks(machine.geometry, machine.matter, machine.place, machine.mass)
    flat, slot, source = machine.flat, solver.mass_slot, machine.solver.mass_source
    for k in range(slot.shape[0]):
        values[slot[k]] += flat[source[k]]


@kernel(internal=True)
def decide_rank(machine):
    """Choose the rows in force by geometry alone, for a whole step. Returns 1 if others than before were chosen."""
    active, testable, dropped, solver, work = (
        machine.active, machine.testable, machine.dropped, machine.solver, machine.work,
    )  # fmt: skip
    loops = 0
    for k in range(testable.shape[0]):
        loops += testable[k]
    if loops == 0 or machine.settings.rank_tolerance <= 0.0:
        return 0
    nc, changed = machine.weights.shape[0], 0
    copy(machine.engaged, active)
    fill(machine, solver, machine.rank_weights, machine.rank_values)
    for r in range(active.shape[0]):
        active[r] = machine.engaged[r] * (1 - dropped[solver.place[nc + r]])
    machine.counters.factorizations += 1
    machine.counters.dropped_rows = factor_rank(
        solver.pattern, machine.rank_values, machine.rank_lower, machine.rank_pivots, work.scratch, testable,
        machine.settings.rank_tolerance, dropped,
    )  # fmt: skip
    fewer, presses = False, False
    for r in range(active.shape[0]):
        kept = machine.engaged[r] * (1 - dropped[solver.place[nc + r]])
        changed |= kept != active[r]
        fewer |= kept < active[r]
        presses |= machine.engaged[r] * machine.reserve[r] != 0
        active[r] = kept
    if fewer and presses:
        machine.counters.steps_since_drop = 0
    return changed


@kernel(internal=True)
def solve_rows(machine, out):
    """x of the system with right-hand side (0, machine.right)."""
    force = machine.force
    for i in range(force.shape[0]):
        force[i] = 0.0
    solve_both(machine, force, out, machine.settings.refinements)


@kernel(internal=True)
def solve_both(machine, f, out, refinements):
    """x and the multipliers of the system with right-hand side (f, machine.right), refined so many times."""
    work, b = machine.work, machine.b
    _load(machine, f)
    copy(b, work.x)
    solve(machine.solver.pattern, work.lower, work.pivots, work.x)
    for _ in range(int(refinements)):
        _refine(machine)
    _unload(machine, out)


@kernel(internal=True)
def solve_nearby(machine, t, f, out):
    """The same from factors of a place nearby: what the last two solutions foretell is refined once. What is missed
    becomes smaller by as much as the matrix has changed since."""
    latest, when, x = machine.latest, machine.when, machine.work.x
    share = (t - when[0]) / (when[0] - when[1])
    if not 0.0 < share <= AHEAD:
        share = 0.0
    for k in range(x.shape[0]):
        x[k] = latest[0, k] + share * (latest[0, k] - latest[1, k])
    _load(machine, f)
    _refine(machine)
    _unload(machine, out)


@kernel(internal=True)
def keep_solution(machine, t):
    """Let later solutions begin with this one."""
    latest, when, x = machine.latest, machine.when, machine.work.x
    if t != when[0]:
        copy(latest[0], latest[1])
        when[1], when[0] = when[0], t
    copy(x, latest[0])


@kernel(internal=True, inline=True)
def _load(machine, f):
    """The right-hand side, in the order of elimination."""
    active, right, b, place = machine.active, machine.right, machine.b, machine.solver.place
    nc = machine.weights.shape[0]
    width = f.shape[0] - nc
    for i in range(nc):
        b[place[i]] = f[width + i]
    for r in range(active.shape[0]):
        b[place[nc + r]] = right[r] if active[r] else 0.0


@kernel(internal=True)
def _refine(machine):
    """Solve for what the solution at hand misses."""
    solver, work, b, residual, soft = machine.solver, machine.work, machine.b, machine.residual, machine.soft
    x, place = work.x, solver.place
    for k in range(b.shape[0]):
        residual[k] = 0.0
    multiply(solver.pattern, work.values, x, residual)
    for k in range(b.shape[0]):
        residual[k] = b[k] - residual[k]
    for i in range(soft.shape[0]):
        residual[place[i]] += soft[i] * x[place[i]]
    solve(solver.pattern, work.lower, work.pivots, residual)
    for k in range(b.shape[0]):
        x[k] += residual[k]


@kernel(internal=True, inline=True)
def _unload(machine, out):
    """x and the multipliers in the order of the mechanism."""
    x, place, multipliers, nc = machine.work.x, machine.solver.place, machine.multipliers, machine.weights.shape[0]
    width = out.shape[0] - nc
    for i in range(width):
        out[i] = 0.0
    for i in range(nc):
        out[width + i] = x[place[i]]
    for r in range(multipliers.shape[0]):
        multipliers[r] = x[place[nc + r]]
