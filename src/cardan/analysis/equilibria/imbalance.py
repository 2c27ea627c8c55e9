"""The compiled loops of `statics`: the imbalance at a position, and its derivatives.

Phi_q^T lambda - Q,    Q = Q0 + factor Q1
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cardan.model.space import advance, inertia_forces
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.evaluate import evaluate_position
from cardan.system.forces import apply_forces


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


@kernel
def imbalance(
    geometry, rows, solver, fixed, varied, matter, gravity, factors, q, t, reference, multipliers, work, scratch
):  # fmt: skip
    """Phi_q^T lambda - Q at a position into `scratch.out`. Returns 0, or a status: rows first, then forces."""
    out, weight, push = scratch.out, scratch.weight, scratch.push
    status = evaluate_position(geometry, rows, q, t, reference, work)
    if status:
        return status
    nr = multipliers.shape[0]
    for i in range(out.shape[0]):
        out[i], push[i], weight[i] = 0.0, 0.0, 0.0
    status = apply_forces(fixed, t, work, scratch.fixed, out)
    if status:
        return nr + status
    status = apply_forces(varied, t, work, scratch.varied, push)
    if status:
        return nr + scratch.fixed.shape[0] + status
    inertia_forces(geometry, matter, gravity, q, scratch.rest, scratch.rest, weight)
    for i in range(out.shape[0]):
        out[i] = -out[i] - factors[0] * weight[i] - factors[1] * push[i]
    coefficient, jac = work.coefficient, work.jac
    row, column, entry, measure, part = solver.row, solver.column, solver.entry, solver.measure, solver.part
    for k in range(row.shape[0]):
        out[column[k]] += coefficient[entry[k]] * jac[measure[k], part[k]] * multipliers[row[k]]
    return 0


@kernel
def differences(
    geometry, rows, solver, fixed, varied, matter, gravity, factors, q, t, reference, multipliers, steps, work, scratch,
    found,
):  # fmt: skip
    """The change of the residual for each step, one row each. Returns a status."""
    there, step, out = scratch.q, scratch.step, scratch.out
    for k in range(steps.shape[0]):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            for i in range(step.shape[0]):
                step[i] = sign * steps[k, i]
            copy(q, there)
            advance(geometry, there, step)
            status = imbalance(
                geometry, rows, solver, fixed, varied, matter, gravity, factors, there, t, reference, multipliers,
                work, scratch,
            )  # fmt: skip
            if status:
                return status
            for i in range(out.shape[0]):
                found[k, i] += sign * out[i]
    return 0
