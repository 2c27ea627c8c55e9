r"""Many linearizations about equilibria in one compiled loop: the matrix A of each sample, whose eigenvalues follow.

    | z |'   |     0          1     | | z |        M_r = Q2^T U M U Q2, ..        q moves by U Q2 z
    | y |  = | -M_r^-1 K_r  -M_r^-1 C_r | | y |

C of linear dampers is exact. K is extrapolated from central differences with steps of 1e-3 and 2e-3 in model lengths
and rad: for the smooth measures admitted here the error is 1e-13 of the stiffness of a coordinate and of the forces
beside it. Where a free motion is softer than 1e-4 of these, the ordinary analysis computes the sample.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.equilibria.imbalance import find_stiffness
from cardan.model.space import mass_blocks
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_kernels import cholesky, cholesky_solve, reduced
from cardan.study.batch.kernels import DONE, FALLBACK
from cardan.study.batch.static_search import fill, settle_sample, stiff
from cardan.system.cartesian.masses import mass_table
from cardan.system.evaluate import evaluate_position
from cardan.system.system import System

DAMPING_STEP = 1e-3
SOFT_LINEAR = 1e-4  # of a stiffness and the forces beside it
LIGHT = 1e-9  # of the largest mass along a free motion: with less the ordinary analysis reports what moves without mass


class LinearWorkspace(NamedTuple):
    """What a linearization needs beside the tables of the search."""

    statics: Any
    mass: np.ndarray  # of all bodies, as `mass_blocks` has it
    K: np.ndarray
    C: np.ndarray
    gradient: np.ndarray
    M_r: np.ndarray
    K_r: np.ndarray
    C_r: np.ndarray
    column: np.ndarray


def linear_workspace(system: System, workspace: Any) -> Any:
    """The same with memory for linearizations."""
    n, free = system.coordinates, workspace.model.S.shape[0]
    M_r, K_r, C_r = (np.zeros((free, free)) for _ in range(3))
    K, C = (np.zeros((n, n)) for _ in range(2))
    mass = mass_table(system)
    return block(LinearWorkspace(workspace, mass, K, C, np.zeros(n), M_r, K_r, C_r, np.zeros(free)))


@kernel
def run_linearizations(workspace, numbers, found, status):
    """Linearize one sample for each line of `numbers`; found[s] is A."""
    for s in range(numbers.shape[0]):
        fill(workspace.statics, numbers[s])
        status[s] = settle_sample(workspace.statics)
        if status[s] == DONE:
            status[s] = _linearize(workspace, found[s])


@kernel(internal=True)
def _linearize(workspace, A):
    """A at the equilibrium in the tables of the search. Returns DONE or FALLBACK."""
    b, L = workspace.statics, workspace.statics.model.L
    rank, free = b.trust.rank, workspace.M_r.shape[0]
    if not stiff(b, SOFT_LINEAR) or not _find_stiffness(workspace) or not _find_damping(workspace):
        return FALLBACK
    model = b.model
    reduced(workspace.K, model.Q, rank, model.product, workspace.K_r)
    reduced(workspace.C, model.Q, rank, model.product, workspace.C_r)
    _find_masses(workspace)
    reduced(workspace.C, model.Q, rank, model.product, workspace.M_r)
    heaviest = 0.0
    for a in range(free):
        heaviest = max(heaviest, workspace.M_r[a, a])
    if not cholesky(workspace.M_r, -LIGHT * heaviest, L) or not cholesky(workspace.M_r, 0.0, L):
        return FALLBACK
    for c in range(free):
        for a in range(free):
            A[a, c], A[a, free + c] = 0.0, 1.0 if a == c else 0.0
            workspace.column[a] = -workspace.K_r[a, c]
        cholesky_solve(L, workspace.column)
        for a in range(free):
            A[free + a, c] = workspace.column[a]
            workspace.column[a] = -workspace.C_r[a, c]
        cholesky_solve(L, workspace.column)
        for a in range(free):
            A[free + a, free + c] = workspace.column[a]
    return DONE


@kernel(internal=True)
def _find_stiffness(workspace):
    """K, extrapolated. Returns whether forces have values."""
    b, K, C, time = workspace.statics, workspace.K, workspace.C, workspace.statics.plan.time
    if find_stiffness(b, b.here, time, DAMPING_STEP, K) or find_stiffness(b, b.here, time, 2.0 * DAMPING_STEP, C):
        return False
    for i in range(K.shape[0]):
        for j in range(K.shape[0]):
            K[i, j] = (4.0 * K[i, j] - C[i, j]) / 3.0
    return True


@kernel(internal=True)
def _find_damping(workspace):
    """C of linear dampers. Returns False if drivers move the mechanism where no equilibrium was searched."""
    b, C, gradient, unit = workspace.statics, workspace.C, workspace.gradient, workspace.statics.unit
    work, forces, n = b.statics.work, b.statics.fixed, unit.shape[0]
    width = b.step.shape[0] - n
    evaluate_position(b.bodies.geometry, b.bodies.rows, b.here.q, b.plan.time, b.here.reference, work)
    for r in range(work.nu.shape[0]):
        if b.plan.searches == 0 and (work.nu[r] != 0.0 or work.drive[r] != 0.0):
            return False
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.0
    for k in range(forces.linear.shape[0]):
        damping = forces.linear[k, 2]
        if damping == 0.0:
            continue
        for i in range(n):
            gradient[i] = 0.0
        for e in range(forces.start[k], forces.start[k + 1]):
            m = forces.measure[e]
            for c in range(forces.last[m]):
                i = np.int64(b.columns[m, c]) - width
                if i >= 0:
                    gradient[i] += forces.coefficient[e] * work.jac[m, c] * unit[i]
        for i in range(n):
            for j in range(n):
                C[i, j] += damping * gradient[i] * gradient[j]
    return True


@kernel(internal=True)
def _find_masses(workspace):
    """The scaled mass matrix, into C."""
    b, C, mass, unit = workspace.statics, workspace.C, workspace.mass, workspace.statics.unit
    n = unit.shape[0]
    width = b.step.shape[0] - n
    mass_blocks(b.statics.geometry, b.statics.matter, b.here.q, mass)
    for i in range(n):
        for j in range(n):
            C[i, j] = 0.0
    for k in range(n // width):
        e = 0
        for i in range(width):
            for j in range(i + 1):
                at, beside = width * k + i, width * k + j
                C[at, beside] = C[beside, at] = mass[1 + k, e] * unit[at] * unit[beside]
                e += 1
    rotors, size = b.statics.geometry.rotors, mass.shape[1]
    for r in range(rotors.body.shape[0]):
        first, second, e = rotors.body[r, 0] - 1, rotors.body[r, 1] - 1, rotors.entry[0] + width * width * r
        for k in range(width * width if first >= 0 and second >= 0 else 0):
            at, beside = width * second + k // width, width * first + k % width
            share = mass[(e + k) // size, (e + k) % size] * unit[at] * unit[beside]
            C[at, beside] += share
            C[beside, at] += share
