"""The matrix of the equations of motion: filled, factorized, its rank decided, and solved with.

[ M  J^T ] [  x  ]   [ f     ]
[ J   0  ] [ lam ] = [ right ]          rows that are not in force are decoupled
"""

from __future__ import annotations

from cardan.model.space import mass_blocks
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.ldlt import factor, factor_rank, multiply, solve
from cardan.numerics.linalg.vector import copy

# A function failed; no pivot; joints that Newton cannot close; forces and the reactions they depend on do not settle.
FINE, BROKEN, SINGULAR, OPEN, JAMMED = range(5)
MAX_EXTRAPOLATION = 1.5  # steps from one solution to the next, over the one before: as far as they predict the next


@kernel(internal=True)
def factorize_masses(tables):
    """Factorize [[M, J^T], [J, 0]] with the rows in force at the position evaluated last."""
    work = tables.work
    fill_whole(tables)
    tables.counters.factorizations += 1
    if factor(tables.solver.pattern, work.values, work.lower, work.pivots, work.scratch):
        tables.failure.status = SINGULAR
        return SINGULAR
    return FINE


@kernel(internal=True)
def fill_whole(tables):
    """The matrix itself, at the position evaluated last."""
    fill(tables, tables.solver, tables.soft, tables.work.values)
    fill_masses(tables, tables.solver, tables.work.values)


@kernel(internal=True)
def fill(tables, solver, diagonal_values, values):
    """The matrix with a diagonal in place of the mass matrix; rows that are not in force are decoupled.

    `solver` says where numbers go; it is that of the tables, or another that has further rows.
    """
    known, active = tables.solver, tables.active
    coefficient, jac = tables.work.coefficient, tables.work.jac
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
def fill_masses(tables, solver, values):
    """Add the mass matrix at the position evaluated last."""
    mass_blocks(tables.geometry, tables.matter, tables.place, tables.mass)
    flat, slot, source = tables.flat, solver.mass_slot, tables.solver.mass_source
    for k in range(slot.shape[0]):
        values[slot[k]] += flat[source[k]]


@kernel(internal=True)
def decide_rank(tables):
    """Choose the rows in force by geometry alone, for a whole step. Returns 1 if others than before were chosen."""
    active, testable, dropped, solver, work = (
        tables.active, tables.testable, tables.dropped, tables.solver, tables.work,
    )  # fmt: skip
    loops = 0
    for k in range(testable.shape[0]):
        loops += testable[k]
    if loops == 0 or tables.settings.rank_tolerance <= 0.0:
        return 0
    nc, changed = tables.weights.shape[0], 0
    copy(tables.engaged, active)
    fill(tables, solver, tables.rank_weights, tables.rank_values)
    for r in range(active.shape[0]):
        active[r] = tables.engaged[r] * (1 - dropped[solver.place[nc + r]])
    tables.counters.factorizations += 1
    tables.counters.dropped_rows = factor_rank(
        solver.pattern, tables.rank_values, tables.rank_lower, tables.rank_pivots, work.scratch, testable,
        tables.settings.rank_tolerance, dropped,
    )  # fmt: skip
    fewer, presses = False, False
    for r in range(active.shape[0]):
        kept = tables.engaged[r] * (1 - dropped[solver.place[nc + r]])
        changed |= kept != active[r]
        fewer |= kept < active[r]
        presses |= tables.engaged[r] * tables.reserve[r] != 0
        active[r] = kept
    if fewer and presses:
        tables.counters.steps_since_drop = 0
    return changed


@kernel(internal=True)
def solve_rows(tables, out):
    """x of the system with right-hand side (0, tables.right)."""
    force = tables.force
    for i in range(force.shape[0]):
        force[i] = 0.0
    solve_both(tables, force, out, tables.settings.refinements)


@kernel(internal=True)
def solve_both(tables, f, out, refinements):
    """x and the multipliers of the system with right-hand side (f, tables.right), refined so many times."""
    work, b = tables.work, tables.b
    _load(tables, f)
    copy(b, work.x)
    solve(tables.solver.pattern, work.lower, work.pivots, work.x)
    for _ in range(int(refinements)):
        _refine(tables)
    _unload(tables, out)


@kernel(internal=True)
def solve_nearby(tables, t, f, out):
    """The same from factors of a place nearby: what the last two solutions predict is refined once. What is missed
    becomes smaller by as much as the matrix has changed since."""
    latest, when, x = tables.latest, tables.when, tables.work.x
    share = (t - when[0]) / (when[0] - when[1])
    if not 0.0 < share <= MAX_EXTRAPOLATION:
        share = 0.0
    for k in range(x.shape[0]):
        x[k] = latest[0, k] + share * (latest[0, k] - latest[1, k])
    _load(tables, f)
    _refine(tables)
    _unload(tables, out)


@kernel(internal=True)
def keep_solution(tables, t):
    """Let later solutions begin with this one."""
    latest, when, x = tables.latest, tables.when, tables.work.x
    if t != when[0]:
        copy(latest[0], latest[1])
        when[1], when[0] = when[0], t
    copy(x, latest[0])


@kernel(internal=True, inline=True)
def _load(tables, f):
    """The right-hand side, in the order of elimination."""
    active, right, b, place = tables.active, tables.right, tables.b, tables.solver.place
    nc = tables.weights.shape[0]
    width = f.shape[0] - nc
    for i in range(nc):
        b[place[i]] = f[width + i]
    for r in range(active.shape[0]):
        b[place[nc + r]] = right[r] if active[r] else 0.0


@kernel(internal=True)
def _refine(tables):
    """Solve for what the solution at hand misses."""
    solver, work, b, residual, soft = tables.solver, tables.work, tables.b, tables.residual, tables.soft
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
def _unload(tables, out):
    """x and the multipliers in the order of the mechanism."""
    x, place, multipliers, nc = tables.work.x, tables.solver.place, tables.multipliers, tables.weights.shape[0]
    width = out.shape[0] - nc
    for i in range(width):
        out[i] = 0.0
    for i in range(nc):
        out[width + i] = x[place[i]]
    for r in range(multipliers.shape[0]):
        multipliers[r] = x[place[nc + r]]
