"""The compiled passes of a linearization: kernels on dual numbers, and sums of their results into sparse matrices."""

from __future__ import annotations

from cardan.model.space import inertia_forces, position_pass, velocity_pass
from cardan.numerics.dual_type import as_duals
from cardan.numerics.jit import kernel


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
def follow(columns, v, bent, twin, rate_q):
    """rate_q[m, c] = D_c (jac v): by displacements of end a, then of end b, of each measure."""
    width, length = bent.shape[2] - 1, columns.shape[1]
    for m in range(columns.shape[0]):
        for c in range(length):
            rate_q[m, c] = 0.0
        for row in range(length):
            speed = v[columns[m, row]]
            if speed != 0.0:
                for side in range(2):
                    for j in range(width):
                        rate_q[m, side * width + j] += speed * bent[twin[m, side], row, 1 + j]


@kernel
def add_curvature(place, stride, weights, bent, twin, out):
    """Add sum_m w_m D jac_m^T."""
    width = bent.shape[2] - 1
    for m in range(place.shape[0]):
        weight = weights[m]
        if weight == 0.0:
            continue
        for s in range(2):
            for t in range(2):
                if place[m, s, t] < 0:
                    continue
                for i in range(width):
                    first = place[m, s, t] + i * stride[m, s]
                    for j in range(width):
                        out[first + j] += weight * bent[twin[m, t], s * width + i, 1 + j]


@kernel
def add_laws(pairs, factor, law, linear, place, stride, jac, rate_q, moves, K, C):
    """Add J_z^T (k dz + c dz') of linear laws, for each pair of measures that a law joins."""
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
