"""What is cut of a mechanism in joint coordinates, as rows: W = Phi M^-1 Phi^T, and what its factors do.

x <- x - M^-1 Phi^T lam,    W lam = Phi x - right        projections in the metric of the masses, and impulses

Where there are places of contact with coordinates of their own, Phi stands for the rows without these: `tree.own`.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.jit import kernel
from cardan.numerics.vector import copy
from cardan.system.machine import FACTORIZATIONS, RANK, STATUS
from cardan.system.matrix import FINE, SINGULAR
from cardan.system.tree.bodies import find_phi
from cardan.system.tree.masses import factor_masses, over_mass, weigh_rows
from cardan.system.tree.own import eliminate_own, find_own, lean_on_rows, take_own


@kernel(internal=True)
def factorize_tree(joint, decide):
    """Factors of M, Phi, and the factors of W; whether rows depend is decided if asked."""
    machine = joint.machine
    machine.count[FACTORIZATIONS] += 1
    if factor_masses(joint):
        machine.count[STATUS] = SINGULAR
        return SINGULAR
    find_phi(joint)
    return constrain(joint, decide)


@kernel(internal=True)
def constrain(joint, decide):
    """Cholesky's factors of W; if it is to be decided, a row whose pivot is as good as nothing depends on others."""
    machine, rows, W, dropped, aside = joint.machine, joint.row.shape[0], joint.W, joint.dropped, joint.own.aside
    limit, own = machine.setting[RANK], joint.own.source.shape[0] > 0
    if decide:
        for r in range(rows):
            dropped[r] = 1 - machine.engaged[joint.row[r]]
    if own:
        eliminate_own(joint, decide)
    weigh_rows(joint)
    for c in range(rows):
        if aside[c]:
            _leave_out(W, c)
            continue
        whole = W[c, c]
        pivot = whole
        if own:
            whole = max(whole, joint.own.whole[c])
        for j in range(c):
            pivot -= W[c, j] * W[c, j]
        if decide and not pivot > limit * whole:
            dropped[c] = aside[c] = 1
            _leave_out(W, c)
            continue
        if not pivot > 0.0:
            machine.count[STATUS] = SINGULAR
            return SINGULAR
        diagonal = np.sqrt(pivot)
        W[c, c], share = diagonal, 1.0 / diagonal
        for r in range(c + 1, rows):
            total, other = W[r, c], 0.0  # two sums, as each addition waits for the one before
            for j in range(c // 2):
                total -= W[r, 2 * j] * W[c, 2 * j]
                other -= W[r, 2 * j + 1] * W[c, 2 * j + 1]
            if c % 2:
                total -= W[r, c - 1] * W[c, c - 1]
            W[r, c] = (total + other) * share
    for r in range(rows):
        machine.active[joint.row[r]] = 1 - dropped[r]
    return FINE


@kernel(internal=True)
def _leave_out(W, c):
    """Row and column c of the factors count nothing."""
    for j in range(c):
        W[c, j] = 0.0
    for r in range(c + 1, W.shape[0]):
        W[r, c] = 0.0
    W[c, c] = 1.0


@kernel(internal=True)
def _solve_rows(joint):
    """joint.right <- W^-1 right, 0 in rows that W is without."""
    W, b, aside = joint.W, joint.right, joint.own.aside
    n = b.shape[0]
    for r in range(n):
        total = 0.0 if aside[r] else b[r]
        for c in range(r):
            total -= W[r, c] * b[c]
        b[r] = total / W[r, r]
    for r in range(n - 1, -1, -1):
        b[r] /= W[r, r]
        for c in range(r):
            b[c] -= W[r, c] * b[r]


@kernel(internal=True)
def correct(joint, x):
    """x - M^-1 Phi^T lam, where joint.right are the amounts by which the rows are open; they become lam."""
    rows, load, answer, Phi, own = joint.right.shape[0], joint.load, joint.answer, joint.own.rows, joint.own.source
    if rows == 0:
        return
    if own.shape[0]:
        take_own(joint)
    _solve_rows(joint)
    for j in range(load.shape[0]):
        load[j] = 0.0
    for r in range(rows):
        lam = joint.right[r]
        for j in range(load.shape[0]):
            load[j] += lam * Phi[r, j]
    over_mass(joint, load, answer)
    for j in range(x.shape[0]):
        x[j] -= answer[j]
    if own.shape[0]:
        find_own(joint, x)


@kernel(internal=True)
def open_along(joint, x):
    """joint.right += Phi x."""
    for r in range(joint.right.shape[0]):
        total = joint.right[r]
        for j in range(x.shape[0]):
            total += joint.Phi[r, j] * x[j]
        joint.right[r] = total


@kernel(internal=True)
def project_tree_speeds(joint, v):
    """v on the velocity equations, with the factors at hand."""
    nu, right = joint.machine.work.nu, joint.right
    for r in range(right.shape[0]):
        right[r] = -nu[joint.row[r]]
    open_along(joint, v)
    correct(joint, v)


@kernel(internal=True)
def impulse_of(joint, part):
    """M dv + Phi^T p = impulse, Phi dv = 0, with the factors at hand."""
    lean_on_rows(joint, part, part, -1.0)
    over_mass(joint, part, joint.step)
    for r in range(joint.right.shape[0]):
        joint.right[r] = 0.0
    open_along(joint, joint.step)
    correct(joint, joint.step)
    copy(joint.step, part)
    return FINE
