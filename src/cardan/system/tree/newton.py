"""Newton's matrix of implicit methods in joint coordinates: the counterpart of `cardan.system.cartesian.newton`.

    [ M + sum_k kappa_k G_k^T G_k   Phi^T ]      G_k = g_k B  the gradient along which force k acts, by joint speeds
    [ Phi                             0   ]      kappa_k = s c_k + s^2 k_k  with its damping c_k and stiffness k_k

It is dense, and small where joint coordinates are worth their name. The real matrix of Radau's method and its complex
one are kept as two complex ones of the same routine. How M, Phi and G turn is left out, as in Cartesian coordinates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import allocated, zeros
from cardan.numerics.compiled.indirect import call_pointer
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.dense_lu import factorize_dense, solve_dense
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.matrix import FINE, SINGULAR
from cardan.system.cartesian.newton import NewtonScales
from cardan.system.cartesian.newton_kernels import slopes_of_forces
from cardan.system.device_slopes import prepare_slopes
from cardan.system.system import System
from cardan.system.tree.bodies import share_wrench
from cardan.system.tree.charts import position_rates, speeds_of
from cardan.system.tree.recursion.kernels import BALL, FREE
from cardan.system.tree.recursion.modal import MODAL
from cardan.system.tree.recursion.modal_bodies import fill_joint_masses


class TreeNewton(NamedTuple):
    """A mechanism in joint coordinates with Newton's matrices."""

    joint: Any
    tables: Any  # of the bodies in it
    scales: Any  # of the real and the complex matrix
    slope: np.ndarray = zeros("laws", 2)  # stiffness and damping of each force,
    bent: np.ndarray = zeros(2, "laws", 2, dtype=complex)  # and with the states of devices, for either matrix
    q: np.ndarray = zeros("nq")  # where all was frozen
    M: np.ndarray = zeros("nv", "nv")  # masses there,
    Phi: np.ndarray = zeros("m", "nv")  # rows of what is cut,
    G: np.ndarray = zeros("laws", "nv")  # and gradients of forces
    K: np.ndarray = zeros(2, "n", "n", dtype=complex)  # the two matrices, factorized,
    pivot: np.ndarray = zeros(2, "n", dtype=np.int64)  # and their rows
    x: np.ndarray = zeros("n", dtype=complex)  # speeds that are not prescribed, then multipliers
    z: np.ndarray = zeros(2, "nv", dtype=complex)  # displacements and speeds
    parts: np.ndarray = zeros(2, "nv")  # real and imaginary parts of either
    rates: np.ndarray = zeros(2, "nq")
    nothing: np.ndarray = zeros("ny")  # the imaginary part of what is real
    product: np.ndarray = zeros("laws", dtype=complex)
    change: np.ndarray = zeros("laws", 2, dtype=complex)  # of value and rate along each force
    right: np.ndarray = zeros("states", dtype=complex)  # right-hand side and solution for states of devices


def tree_newton(system: System, joint: Any, size: int) -> Any:
    """The tables of a mechanism in joint coordinates whose y has `size` numbers."""
    nq, nv, m, laws = int(joint.sizes.positions), int(joint.sizes.speeds), joint.row.size, len(system.laws)
    n = joint.unknown.size + m
    prepare_slopes(joint.cartesian.forces.circuit)
    return allocated(
        TreeNewton,
        {"laws": laws, "nq": nq, "nv": nv, "m": m, "n": n, "ny": size, "states": system.states.start.size},
        joint=joint,
        tables=joint.cartesian,
        scales=NewtonScales(),
    )


def sizes_of_positions(joint: Any, length: float) -> np.ndarray:
    """What one unit of each number of q counts as, relative to the model's length."""
    found: list[float] = []
    for kind, first in zip(joint.tree.kind.tolist(), joint.tree.first_v.tolist(), strict=True):
        if kind in (BALL, FREE):
            found += [1.0 / length] * (3 if kind == FREE else 0) + [1.0] * 4
        elif kind != MODAL:
            found.append(float(joint.size[first]))
    return np.array(found)


@kernel(once=True)
def solve_real(newton, r, x):
    """The same as `solve`, for the real matrix: r stays as it is."""
    for i in range(newton.nothing.shape[0]):
        newton.nothing[i] = 0.0
    copy(r, x)
    return solve(newton, 0, x, newton.nothing)


@kernel(internal=True)
def freeze(newton, t, y):
    """Stiffness, damping, masses and rows at y, where the mechanism has been evaluated."""
    joint, M, Phi = newton.joint, newton.M, newton.Phi
    copy(y[: newton.q.shape[0]], newton.q)
    slopes_of_forces(newton, t)
    fill_joint_masses(joint, M)
    for r in range(Phi.shape[0]):
        copy(joint.Phi[r], Phi[r])
    for k in range(newton.G.shape[0]):
        _gradient(joint, k, newton.G[k])
    return FINE


@kernel(internal=True)
def _gradient(joint, k, out):
    """The gradient of the measure along which force k acts, by the speeds of joints."""
    forces, jac, push, g = joint.cartesian.forces, joint.cartesian.work.jac, joint.push, joint.six
    width = joint.sizes.body_speeds
    for i in range(push.shape[0]):
        push[i] = 0.0
    for i in range(out.shape[0]):
        out[i] = 0.0
    for e in range(forces.start[k], forces.start[k + 1]):
        m = forces.measure[e]
        for c in range(forces.columns.shape[1]):
            push[forces.columns[m, c]] += forces.coefficient[e] * jac[m, c]
    for b in range(joint.body.shape[0]):
        first, felt = width * joint.body[b], False
        for j in range(width):
            g[j] = push[first + j]
            felt = felt or g[j] != 0.0
        if felt:
            share_wrench(joint, b, g, out)
    behind = push.shape[0] - out.shape[0]
    for i in range(out.shape[0] - joint.sizes.internal, out.shape[0]):
        out[i] += push[behind + i]


@kernel(internal=True)
def _scale(newton, pair):
    """s of either matrix."""
    return newton.scales.complex_speed if pair else newton.scales.speed + 0j


@kernel(internal=True)
def factorize(newton):
    """Factorize both matrices."""
    tables, slope = newton.tables, newton.slope
    circuit = tables.forces.circuit
    for pair in range(2):
        s, bent = _scale(newton, pair), newton.bent[pair]
        for k in range(slope.shape[0]):
            bent[k, 0], bent[k, 1] = slope[k, 0], slope[k, 1]
        if circuit.block.shape[0]:
            call_pointer(circuit.kernels.bend, (circuit, s, bent))
        _assemble(newton, s, bent, newton.K[pair])
        tables.counters.factorizations += 1
        if not factorize_dense(newton.K[pair], newton.pivot[pair]):
            tables.failure.status = SINGULAR
            return SINGULAR
    return FINE


@kernel(internal=True)
def _assemble(newton, s, bent, K):
    joint, M, Phi, G = newton.joint, newton.M, newton.Phi, newton.G
    unknown, dropped = joint.unknown, joint.dropped
    n, m = unknown.shape[0], Phi.shape[0]
    for a in range(n):
        for b in range(n):
            K[a, b] = M[unknown[a], unknown[b]]
        for r in range(m):
            K[n + r, a] = K[a, n + r] = 0.0 if dropped[r] else Phi[r, unknown[a]]
    for r in range(m):
        for c in range(m):
            K[n + r, n + c] = 1.0 if r == c and dropped[r] else 0.0
    for k in range(G.shape[0]):
        if not (bent[k, 0].real > 0.0 or bent[k, 1].real > 0.0):
            continue
        kappa = s * (bent[k, 1] + s * bent[k, 0])
        for a in range(n):
            share = kappa * G[k, unknown[a]]
            if share != 0.0:
                for b in range(n):
                    K[a, b] += share * G[k, unknown[b]]


@kernel(internal=True)
def solve(newton, pair, real, imaginary):
    """(1/s - f_y) x = r = real + i imaginary, which becomes x; f_y has the stiffness and damping that were frozen:

    x_v = s r_v + u,   K [ u  ]   [ -s G^T (s (c + s k) G r_v + s k G r_q) ]
    x_q = s (r_q + x_v)  [ mu ] = [ 0                                      ]
    """
    joint, s, bent, z, parts, product, G = (
        newton.joint, _scale(newton, pair), newton.bent[pair], newton.z, newton.parts, newton.product, newton.G,
    )  # fmt: skip
    circuit, right, change, x, q = newton.tables.forces.circuit, newton.right, newton.change, newton.x, newton.q
    nq, nv, first, n = q.shape[0], z.shape[1], real.shape[0] - right.shape[0], joint.unknown.shape[0]
    speeds_of(joint.tree, q, real[:nq], parts[0])
    speeds_of(joint.tree, q, imaginary[:nq], parts[1])
    for i in range(nv):
        z[0, i], z[1, i] = parts[0, i] + 1j * parts[1, i], real[nq + i] + 1j * imaginary[nq + i]
    for k in range(product.shape[0]):
        product[k] = 0.0
        for i in range(nv):
            product[k] += G[k, i] * s * ((bent[k, 1] + s * bent[k, 0]) * z[1, i] + bent[k, 0] * z[0, i])
    if circuit.block.shape[0]:
        for k in range(right.shape[0]):
            right[k] = real[first + k] + 1j * imaginary[first + k]
        call_pointer(circuit.kernels.push, (circuit, s, right, product))
    for a in range(x.shape[0]):
        x[a] = 0.0
    for k in range(product.shape[0]):
        for a in range(n):
            x[a] -= s * G[k, joint.unknown[a]] * product[k]
    solve_dense(newton.K[pair], newton.pivot[pair], x)
    for i in range(nv):
        z[1, i] *= s
        parts[0, i] = parts[1, i] = 0.0
    for a in range(n):  # prescribed joints move as prescribed, whatever their speed
        i = joint.unknown[a]
        z[1, i] += x[a]
        parts[0, i], parts[1, i] = z[1, i].real, z[1, i].imag
    position_rates(joint.tree, q, parts[0], newton.rates[0])
    position_rates(joint.tree, q, parts[1], newton.rates[1])
    for i in range(real.shape[0]):
        found = s * (real[i] + 1j * imaginary[i])
        if i < nq:
            found += s * (newton.rates[0, i] + 1j * newton.rates[1, i])
        elif i < nq + nv:
            found = z[1, i - nq]
        real[i], imaginary[i] = found.real, found.imag
    if circuit.block.shape[0]:
        for k in range(change.shape[0]):
            change[k, 0], change[k, 1] = 0.0, 0.0
            for i in range(nv):
                change[k, 0] += G[k, i] * s * (z[0, i] + z[1, i])
                change[k, 1] += G[k, i] * z[1, i]
        call_pointer(circuit.kernels.pull, (circuit, s, change, right))
        for k in range(circuit.state.shape[0]):
            found = right[circuit.state[k]]
            real[first + circuit.state[k]], imaginary[first + circuit.state[k]] = found.real, found.imag
    return FINE
