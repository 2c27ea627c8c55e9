"""What is cut of a mechanism in joint coordinates, as rows: W = Phi M^-1 Phi^T, and what its factors do.

x <- x - M^-1 Phi^T lam,    W lam = Phi x - right        projections in the metric of the masses, and impulses

Where there are places of contact with coordinates of their own, Phi stands for the rows without these: `tree.own`.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import FINE, SINGULAR
from cardan.system.tree.bodies import find_phi
from cardan.system.tree.contact_coordinates import eliminate_own, find_own, lean_on_rows, take_own, widen_own
from cardan.system.tree.recursion.masses import factor_masses, over_mass, weigh_rows


@kernel(internal=True)
def factorize_tree(joint, decide):
    """Factors of M, Phi, and the factors of W; whether rows depend is decided if asked."""
    cartesian = joint.cartesian
    cartesian.counters.factorizations += 1
    if factor_masses(joint):
        cartesian.failure.status = SINGULAR
        return SINGULAR
    find_phi(joint)
    return constrain(joint, decide)


@kernel(internal=True)
def constrain(joint, decide):
    """Cholesky's factors of W, without the rows that depend on others; which do is decided if asked."""
    cartesian, rows, W, dropped, aside = joint.cartesian, joint.row.shape[0], joint.W, joint.dropped, joint.own.aside
    if decide:
        decide_rows(joint)
    if joint.own.source.shape[0]:
        eliminate_own(joint)
    weigh_rows(joint)
    for c in range(rows):
        if aside[c]:
            _leave_out(W, c)
            continue
        pivot = W[c, c]
        for j in range(c):
            pivot -= W[c, j] * W[c, j]
        if not pivot > 0.0:
            cartesian.failure.status = SINGULAR
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
        cartesian.active[joint.row[r]] = 1 - dropped[r]
    return FINE


@kernel(internal=True)
def decide_rows(joint):
    """Which rows depend on others, by geometry alone: see `numerics.linalg.rank`. Returns whether that has changed.

    Phi Phi^T, columns in units of like size, is factorized. A pivot is the squared distance of a row from those before
    it, and is compared with the squared length of the row before its terms cancel."""
    cartesian, dropped, before, whole, aside = (
        joint.cartesian,
        joint.dropped,
        joint.before,
        joint.whole,
        joint.own.aside,
    )
    rows, G, limit, changed = joint.row.shape[0], joint.G, cartesian.settings.rank_tolerance, False
    for r in range(rows):
        before[r] = dropped[r]
        dropped[r] = 1 - cartesian.engaged[joint.row[r]]
    measure_rows(joint)
    if joint.own.source.shape[0]:
        eliminate_own(joint)
        widen_own(joint)
    _multiply_rows(joint)
    for c in range(rows):
        if aside[c]:
            _leave_out(G, c)
            continue
        pivot = G[c, c]
        size = max(pivot, whole[c])
        for j in range(c):
            pivot -= G[c, j] * G[c, j]
        if not pivot > limit * size:
            dropped[c] = aside[c] = 1
            _leave_out(G, c)
            continue
        G[c, c] = np.sqrt(pivot)
        share = 1.0 / G[c, c]
        for r in range(c + 1, rows):
            total = G[r, c]
            for j in range(c):
                total -= G[r, j] * G[c, j]
            G[r, c] = total * share
    for r in range(rows):
        changed |= dropped[r] != before[r]
    return changed


@kernel(internal=True)
def measure_rows(joint):
    """joint.whole: squared lengths of the rows by the coordinates of bodies, in which no terms have canceled."""
    cartesian, own, whole = joint.cartesian, joint.own, joint.whole
    solver, coefficient, jac, scale = (
        cartesian.solver,
        cartesian.work.coefficient,
        cartesian.work.jac,
        cartesian.column_scale,
    )
    for r in range(whole.shape[0]):
        total = 0.0
        for k in range(joint.entry_start[joint.touch_start[r]], joint.entry_start[joint.touch_start[r + 1]]):
            e = joint.entry[k]
            part = coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * scale[solver.column[e]]
            total += part * part
        for k in range(own.start[r], own.start[r + 1]):
            e = own.entry[k]
            part = coefficient[solver.entry[e]] * jac[solver.measure[e], solver.part[e]] * scale[solver.column[e]]
            total += part * part
        whole[r] = total


@kernel(internal=True)
def _multiply_rows(joint):
    """The lower triangle of Phi Phi^T by the speeds that are not prescribed, in joint.G."""
    G, Phi, order, felt, start = joint.G, joint.own.rows, joint.order, joint.felt, joint.felt_start
    scale = joint.column_scale
    for r in range(G.shape[0]):
        for c in range(r + 1):
            G[r, c] = 0.0
    for n in range(order.shape[0]):
        k, first, behind = order[n], start[n], start[n + 1]
        square = scale[k] * scale[k]
        for e in range(first, behind):
            r = felt[e]
            share = Phi[r, k] * square
            for d in range(first, e + 1):
                G[r, felt[d]] += share * Phi[felt[d], k]


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
    nu, right = joint.cartesian.work.nu, joint.right
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
