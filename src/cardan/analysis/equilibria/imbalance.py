"""The compiled loops of `statics`: the imbalance at a position, and its derivatives.

Phi_q^T lambda - Q,    Q = Q0 + factor Q1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.space import advance, inertia_forces
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.evaluate import evaluate_position
from cardan.system.forces import apply_forces
from cardan.system.system import System


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
    mechanism, gravity = (system.geometry, system.rows, system.solver), np.array(system.model.gravity, float)
    return block(StaticTables(*mechanism, *forces, matter, gravity, np.ones(2), work, block(scratch)))


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
