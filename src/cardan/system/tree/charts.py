"""Positions of a tree's joints and their speeds: joints with one axis have one number of each, balls four and three."""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.recursion.kernels import BALL, FREE
from cardan.system.tree.recursion.modal import MODAL


@kernel(internal=True)
def position_rates(tree, q, v, out):
    """q' of joints that move with the speeds v."""
    kind, first_q, first_v = tree.kind, tree.first_q, tree.first_v
    for k in range(kind.shape[0]):
        i, j = first_q[k], first_v[k]
        if kind[k] == MODAL:
            continue
        if kind[k] < BALL:
            out[i] = v[j]
            continue
        if kind[k] == FREE:
            out[i], out[i + 1], out[i + 2] = v[j], v[j + 1], v[j + 2]
            i, j = i + 3, j + 3
        e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
        x, y, z = 0.5 * v[j], 0.5 * v[j + 1], 0.5 * v[j + 2]
        out[i] = -e1 * x - e2 * y - e3 * z
        out[i + 1] = e0 * x - e3 * y + e2 * z
        out[i + 2] = e3 * x + e0 * y - e1 * z
        out[i + 3] = -e2 * x + e1 * y + e0 * z


@kernel(internal=True)
def speeds_of(tree, q, rates, out):
    """The speeds with which positions change at `rates`."""
    kind, first_q, first_v = tree.kind, tree.first_q, tree.first_v
    for k in range(kind.shape[0]):
        i, j = first_q[k], first_v[k]
        if kind[k] == MODAL:
            continue
        if kind[k] < BALL:
            out[j] = rates[i]
            continue
        if kind[k] == FREE:
            out[j], out[j + 1], out[j + 2] = rates[i], rates[i + 1], rates[i + 2]
            i, j = i + 3, j + 3
        e0, e1, e2, e3 = q[i], q[i + 1], q[i + 2], q[i + 3]
        scale = 2.0 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
        r0, r1, r2, r3 = scale * rates[i], scale * rates[i + 1], scale * rates[i + 2], scale * rates[i + 3]
        out[j] = -e1 * r0 + e0 * r1 + e3 * r2 - e2 * r3
        out[j + 1] = -e2 * r0 - e3 * r1 + e0 * r2 + e1 * r3
        out[j + 2] = -e3 * r0 + e2 * r1 - e1 * r2 + e0 * r3


@kernel(internal=True)
def advance(tree, q, step, rates):
    """Move q by a small displacement, and bring Euler parameters to length 1; `rates` is room for q'."""
    position_rates(tree, q, step, rates)
    for i in range(q.shape[0]):
        q[i] += rates[i]
    for k in range(tree.kind.shape[0]):
        if tree.kind[k] == BALL or tree.kind[k] == FREE:
            i = tree.first_q[k] + (3 if tree.kind[k] == FREE else 0)
            size = np.sqrt(q[i] ** 2 + q[i + 1] ** 2 + q[i + 2] ** 2 + q[i + 3] ** 2)
            for j in range(4):
                q[i + j] /= size
