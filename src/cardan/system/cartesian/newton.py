"""Newton's matrix of implicit methods: masses, joints, and the stiffness and damping of applied forces.

    [ M + sum_k kappa_k g_k g_k^T   J^T ]      g_k  the gradient of the measure along which force k acts
    [ J                              0  ]      kappa_k = s c_k + r k_k  with its damping c_k and stiffness k_k

A force is a row like that of a joint, but compliant: it enters the matrix as g_k with -1/kappa_k on the diagonal. No
two bodies are coupled directly, and the order of elimination remains that of the joints. How J and g turn is
left out: close to singular positions multipliers have no bounds, and their derivatives spoil what they should help.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.ldlt import Pattern, analyze, values_size
from cardan.numerics.linalg.ordering import elimination_order
from cardan.system.device_slopes import prepare_slopes
from cardan.system.system import System


class NewtonScales(Record):
    """The factors s and r of damping and stiffness in Newton's matrix, kappa = s c + r k."""

    speed: float  # s
    position: float  # r; s^2 for Radau's method
    step: float  # size of the step
    complex_speed: complex  # the same for Radau's complex matrix
    complex_position: complex


class NewtonSolver(NamedTuple):
    """Where each number goes; coordinates first, then rows, then forces."""

    pattern: Pattern
    place: np.ndarray  # uint32[n]
    diagonal: np.ndarray  # uint32[n]
    slot: np.ndarray  # uint32: of each non-zero of J, as in `Solver`
    mass_slot: np.ndarray  # uint32: of each entry of the mass matrix
    law_slot: np.ndarray  # uint32: for each non-zero of a gradient g: its slot,
    law: np.ndarray  # uint32: the force,
    law_entry: np.ndarray  # uint32: the entry of the table of forces that gives its coefficient,
    law_measure: np.ndarray  # uint32: the measure,
    law_part: np.ndarray  # uint32: the column of its jac,
    law_column: np.ndarray  # uint32: and its place in v


class Newton(NamedTuple):
    """A mechanism with Newton's matrix, and the vectors that an implicit method and its mechanism share."""

    tables: Any  # of the mechanism
    solver: Any
    base: np.ndarray  # the matrix without forces
    values: np.ndarray
    lower: np.ndarray
    pivots: np.ndarray
    scratch: np.ndarray
    x: np.ndarray
    complex_values: np.ndarray
    complex_lower: np.ndarray
    complex_pivots: np.ndarray
    complex_scratch: np.ndarray
    complex_x: np.ndarray
    slope: np.ndarray  # float64[laws, 2]: k and c of each force,
    real_slope: np.ndarray  # and what the states of devices make of them in the real matrix
    complex_slope: np.ndarray  # and in the complex one
    change: np.ndarray  # complex128[laws, 2]: of value and rate along each force
    right: np.ndarray  # complex128[states]: right-hand side and solution for states of devices
    gradient: np.ndarray  # float64: the non-zeros of all g
    scales: Any
    q: np.ndarray  # float64[nq]: positions of an iterate
    v: np.ndarray  # float64[nv]: its speeds,
    a: np.ndarray  # accelerations,
    delta: np.ndarray  # displacement from the start of the step,
    bar: np.ndarray  # float64[nr]: and multipliers times the factor of M
    step: np.ndarray  # float64[nv]: the correction of delta,
    bar_step: np.ndarray  # float64[nr]: and of bar
    residual: np.ndarray  # float64[nv]
    z: np.ndarray  # complex128[2, nv]: right-hand sides and solutions of complex systems
    product: np.ndarray  # complex128[laws]
    rates: np.ndarray  # float64[2, nq]


def newton(system: System, tables: Any, *, with_complex: bool) -> Any:
    """Newton's matrix for the tables of a mechanism; the complex matrix is needed by Radau's method alone."""
    solver = _solver(system, tables)
    prepare_slopes(tables.forces.circuit)
    n, nv, laws = solver.place.size, system.speeds().size, len(system.laws)
    size, lower = values_size(solver.pattern), solver.pattern.Li.size
    own = n if with_complex else 0
    made = Newton(
        tables=tables,
        solver=block(solver),
        base=np.zeros(size),
        values=np.zeros(size),
        lower=np.zeros(lower),
        pivots=np.zeros(n),
        scratch=np.zeros(n),
        x=np.zeros(n),
        complex_values=np.zeros(size if with_complex else 0, complex),
        complex_lower=np.zeros(lower if with_complex else 0, complex),
        complex_pivots=np.zeros(own, complex),
        complex_scratch=np.zeros(own, complex),
        complex_x=np.zeros(own, complex),
        slope=np.zeros((laws, 2)),
        real_slope=np.zeros((laws, 2)),
        complex_slope=np.zeros((laws, 2), complex),
        change=np.zeros((laws, 2), complex),
        right=np.zeros(system.states.start.size, complex),
        gradient=np.zeros(solver.law_slot.size),
        scales=NewtonScales(),
        q=system.start.copy(),
        v=np.zeros(nv),
        a=np.zeros(nv),
        delta=np.zeros(nv),
        bar=np.zeros(system.row_count),
        step=np.zeros(nv),
        bar_step=np.zeros(system.row_count),
        residual=np.zeros(nv),
        z=np.zeros((2, nv if with_complex else 0), complex),
        product=np.zeros(laws, complex),
        rates=np.zeros((2, system.start.size)),
    )
    return block(made)


def _solver(system: System, tables: Any) -> NewtonSolver:
    """The pattern of J and M as it is in the system, with a row for each force."""
    nc, nr, nl, width = system.coordinates, system.row_count, len(system.laws), system.width
    forces, known = tables.forces, system.solver
    count = np.diff(forces.start.astype(np.int64))
    entry_law = np.repeat(np.arange(nl), count)
    columns = forces.columns[forces.measure].astype(np.int64)
    entry, part = np.nonzero(columns >= width)
    column, law = columns[entry, part], entry_law[entry]
    units, blocks, tree = system.structure
    unit_of = np.empty(nc, int)
    for u, places in enumerate(units):
        unit_of[list(places)] = u
    touched = [sorted(set(unit_of[column[law == k] - width].tolist())) for k in range(nl)]
    extended = [*blocks, *(([nr + k], touched[k]) for k in range(nl))]
    order = elimination_order(units, extended, [*tree, *([-1] * nl)])
    n = nc + nr + nl
    masses = system.masses
    rows = np.concatenate([np.arange(n), nc + known.row.astype(int), masses[:, 0], nc + nr + law])
    cols = np.concatenate([np.arange(n), known.column.astype(int) - width, masses[:, 1], column - width])
    pattern, slots = analyze(n, rows, cols, order)
    place = np.empty(n, np.uint32)
    place[order] = np.arange(n)
    first, second = n + known.row.size, n + known.row.size + masses.shape[0]
    return NewtonSolver(
        pattern=pattern,
        place=place,
        diagonal=slots[:n],
        slot=slots[n:first],
        mass_slot=slots[first:second],
        law_slot=slots[second:],
        law=law.astype(np.uint32),
        law_entry=entry.astype(np.uint32),
        law_measure=forces.measure[entry],
        law_part=part.astype(np.uint32),
        law_column=column.astype(np.uint32),
    )
