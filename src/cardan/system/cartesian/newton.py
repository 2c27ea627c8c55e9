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

from cardan.numerics.compiled.block import allocated, block, zeros
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
    scales: Any
    q: np.ndarray  # float64[nq]: positions of an iterate
    base: np.ndarray = zeros("values")  # the matrix without forces
    values: np.ndarray = zeros("values")
    lower: np.ndarray = zeros("lower")
    pivots: np.ndarray = zeros("n")
    scratch: np.ndarray = zeros("n")
    x: np.ndarray = zeros("n")
    complex_values: np.ndarray = zeros("complex_values", dtype=complex)
    complex_lower: np.ndarray = zeros("complex_lower", dtype=complex)
    complex_pivots: np.ndarray = zeros("complex_n", dtype=complex)
    complex_scratch: np.ndarray = zeros("complex_n", dtype=complex)
    complex_x: np.ndarray = zeros("complex_n", dtype=complex)
    slope: np.ndarray = zeros("laws", 2)  # k and c of each force,
    real_slope: np.ndarray = zeros("laws", 2)  # and what the states of devices make of them in the real matrix
    complex_slope: np.ndarray = zeros("laws", 2, dtype=complex)  # and in the complex one
    change: np.ndarray = zeros("laws", 2, dtype=complex)  # of value and rate along each force
    right: np.ndarray = zeros("states", dtype=complex)  # right-hand side and solution for states of devices
    gradient: np.ndarray = zeros("felt")  # the non-zeros of all g
    v: np.ndarray = zeros("nv")  # its speeds,
    a: np.ndarray = zeros("nv")  # accelerations,
    delta: np.ndarray = zeros("nv")  # displacement from the start of the step,
    bar: np.ndarray = zeros("rows")  # and multipliers times the factor of M
    step: np.ndarray = zeros("nv")  # the correction of delta,
    bar_step: np.ndarray = zeros("rows")  # and of bar
    residual: np.ndarray = zeros("nv")
    z: np.ndarray = zeros(2, "complex_nv", dtype=complex)  # right-hand sides and solutions of complex systems
    product: np.ndarray = zeros("laws", dtype=complex)
    rates: np.ndarray = zeros(2, "nq")


def newton(system: System, tables: Any, *, with_complex: bool) -> Any:
    """Newton's matrix for the tables of a mechanism; the complex matrix is needed by Radau's method alone."""
    solver = _solver(system, tables)
    prepare_slopes(tables.forces.circuit)
    sizes = {
        "n": solver.place.size,
        "nq": system.start.size,
        "nv": system.speeds().size,
        "rows": system.row_count,
        "laws": len(system.laws),
        "states": system.states.start.size,
        "values": values_size(solver.pattern),
        "lower": solver.pattern.Li.size,
        "felt": solver.law_slot.size,
    }
    sizes |= {f"complex_{name}": sizes[name] if with_complex else 0 for name in ("n", "nv", "values", "lower")}
    return allocated(Newton, sizes, tables=tables, solver=block(solver), scales=NewtonScales(), q=system.start.copy())


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
