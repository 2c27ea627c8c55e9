"""Solutions with the mass matrix of a tree, and the small matrix of what is cut: Phi M^-1 Phi^T.

    M = L^T D L        L has entries only where one joint lies on the way of another to ground: branches of a
                       tree never meet (Featherstone 2008, 6.5): a shallow tree is factorized and solved by them
    M x = b            L^T y = b leads inward, D L x = y outward
    Phi M^-1 Phi^T     = Y^T D^-1 Y with L^T Y = Phi^T, joint by joint with the rows that feel it

In a deep tree the ways become long; there articulated bodies solve M x = b in as many operations as there are nodes.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.articulated import fold_forces, fold_inertias, spread
from cardan.system.tree.recursion.modal_bodies import fill_joint_masses

GROUND = np.uint32(0xFFFFFFFF)  # where the ways of all joints end


@kernel(internal=True)
def factor_masses(joint):
    """Factors of M, where nodes were placed. Returns 0, or 1 + a node that has no inertia along its joint."""
    if joint.sizes.shallow == 0:
        return fold_inertias(joint.tree)
    L, D, order, above = joint.L, joint.D, joint.order, joint.above
    fill_joint_masses(joint, L)
    nothing = joint.tree.nothing
    for n in range(order.shape[0]):
        k = order[n]
        pivot = L[k, k]
        if not pivot > nothing[joint.node_of[k]]:
            return 1 + joint.node_of[k]
        D[k] = 1.0 / pivot
        i = above[k]
        while i != GROUND:
            share = L[k, i] * D[k]
            j = i
            while j != GROUND:
                L[i, j] -= share * L[k, j]
                j = above[j]
            L[k, i] = share
            i = above[i]
    return 0


@kernel(internal=True)
def over_mass(joint, b, x):
    """x = M^-1 b of joints that are not held, by the factors at hand; b and x may be the same."""
    if joint.sizes.shallow == 0:
        F = joint.tree.F
        for k in range(F.shape[0]):
            for j in range(6):
                F[k, j] = 0.0
        fold_forces(joint.tree, b, joint.tree.still)
        spread(joint.tree, joint.tree.still, 0.0, 0.0, 0.0, x)
        return
    L, D, order, above = joint.L, joint.D, joint.order, joint.above
    for i in range(x.shape[0]):
        x[i] = 0.0 if joint.prescribed[i] else b[i]
    for n in range(order.shape[0]):
        k = order[n]
        y, i = x[k], above[k]
        while i != GROUND:
            x[i] -= L[k, i] * y
            i = above[i]
    for n in range(order.shape[0] - 1, -1, -1):
        k = order[n]
        y, i = x[k] * D[k], above[k]
        while i != GROUND:
            y -= L[k, i] * x[i]
            i = above[i]
        x[k] = y


@kernel(internal=True)
def weigh_rows(joint):
    """The lower triangle of W = Phi M^-1 Phi^T, by the factors at hand."""
    Phi, W, Y, rows = joint.own.rows, joint.W, joint.Y, joint.row.shape[0]
    if joint.sizes.shallow == 0:
        x = joint.answer
        for c in range(rows):
            over_mass(joint, Phi[c], x)
            for r in range(c, rows):
                total = 0.0
                for j in range(x.shape[0]):
                    total += Phi[r, j] * x[j]
                W[r, c] = total
        return
    L, D, above, order, felt, start = joint.L, joint.D, joint.above, joint.order, joint.felt, joint.felt_start
    for r in range(rows):
        for c in range(r + 1):
            W[r, c] = 0.0
    for n in range(order.shape[0]):
        for e in range(start[n], start[n + 1]):
            Y[order[n], felt[e]] = Phi[felt[e], order[n]]
    for n in range(order.shape[0]):
        k, first, behind = order[n], start[n], start[n + 1]
        i = above[k]
        while i != GROUND:
            for e in range(first, behind):
                Y[i, felt[e]] -= L[k, i] * Y[k, felt[e]]
            i = above[i]
        for e in range(first, behind):
            r = felt[e]
            share = Y[k, r] * D[k]
            for d in range(first, e + 1):
                W[r, felt[d]] += share * Y[k, felt[d]]
