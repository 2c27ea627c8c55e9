"""The compiled passes of a linearization: kernels on dual numbers, and sums of their results into sparse matrices."""

from __future__ import annotations

from typing import Any

from cardan.model.space import inertia_forces, position_pass, velocity_pass
from cardan.numerics.compiled.jit import Intrinsic, kernel

as_duals: Any = Intrinsic("cardan.numerics.autodiff.dual_type", "as_duals")
add_slopes: Any = Intrinsic("cardan.numerics.autodiff.dual_type", "add_slopes")


@kernel
def bend(geometry, q, reference, frames, z, jac, lanes):
    """Values and jac of all measures with their derivatives. Returns a status."""
    q, frames, z, jac = as_duals(q, lanes), as_duals(frames, lanes), as_duals(z, lanes), as_duals(jac, lanes)
    return position_pass(geometry, q, reference, frames, z, jac)


@kernel
def swing(geometry, q, v, reference, frames, z, jac, lanes):
    """The same, then rates and biases."""
    q, v, frames, z, jac = (
        as_duals(q, lanes), as_duals(v, lanes), as_duals(frames, lanes), as_duals(z, lanes), as_duals(jac, lanes),
    )  # fmt: skip
    status = position_pass(geometry, q, reference, frames, z, jac)
    velocity_pass(geometry, v, frames, z, jac)
    return status


@kernel
def push_back(geometry, matter, gravity, q, v, a, out, lanes):
    """Weight and inertia forces of all bodies with their derivatives."""
    inertia_forces(geometry, matter, gravity, as_duals(q, lanes), as_duals(v, lanes), a, as_duals(out, lanes))


@kernel
def follow(columns, v, bent, twin, start, rate_q, lanes):
    """rate_q[m, c] = D_c (jac v) along displacements of end a, then of end b, for the measures of a piece."""
    length, bent = columns.shape[1], as_duals(bent, lanes)
    width = (length - 2) // 2
    for k in range(twin.shape[0]):
        m = start + k
        for row in range(length):
            speed = v[columns[m, row]]
            if speed != 0.0:
                for side in range(2):
                    add_slopes(rate_q, m * length + side * width, speed, bent[twin[k, side], row])


@kernel
def add_curvature(place, stride, weights, bent, twin, start, out, lanes):
    """Add sum_m w_m D jac_m^T over the measures of a piece."""
    bent = as_duals(bent, lanes)
    width = (bent.shape[1] - 2) // 2
    for k in range(twin.shape[0]):
        m = start + k
        if weights[m] != 0.0:
            for s in range(2):
                for t in range(2):
                    for i in range(width if place[m, s, t] >= 0 else 0):
                        at = place[m, s, t] + i * stride[m, s]
                        add_slopes(out, at, weights[m], bent[twin[k, t], s * width + i])


@kernel
def add_laws(pairs, factor, law, linear, place, stride, jac, rate_q, moves, K, C):
    """Add J_z^T (k dz + c dz') of linear laws, for each pair of measures in a law."""
    width = (jac.shape[1] - 2) // 2
    for p in range(pairs.shape[0]):
        e, f = pairs[p, 0], pairs[p, 1]
        stiffness, damping = factor[p] * linear[law[p], 0], factor[p] * linear[law[p], 2]
        for s in range(2):
            for t in range(2):
                if place[p, s, t] < 0:
                    continue
                for i in range(width):
                    g, first = jac[e, s * width + i], place[p, s, t] + i * stride[p, s]
                    if g == 0.0:
                        continue
                    for j in range(width):
                        c = t * width + j
                        K[first + j] += g * stiffness * jac[f, c]
                        C[first + j] += g * damping * jac[f, c]
                        if moves:
                            K[first + j] += g * damping * rate_q[f, c]
