"""One step of the discrete principle of Hamilton in joint coordinates, with constraints at both of its ends.

    q0 ------- w ------- q1          w: the velocity at the middle, q1 = q0 + h w
    p0    qm, pm = M w    p1         pm = p0 - h/2 Phi0^T lam + h/2 dL/dq(qm, w),     phi(q1) = 0
                                     p1 = pm + h/2 dL/dq(qm, w)

It is the stationary point of h L(qm, w) between constrained ends: symplectic, symmetric, of second order, the implicit
midpoint rule if nothing is cut (Marsden and West 2001, 2.4.3 and 3.5; Hairer, Lubich and Wanner 2006, VI.6.2 and
VII.1.4). Multiples of Phi1^T in p1 are of no account for the next step; speeds are projected where a step ends.

Balls turn on the group of rotations, q1 = q0 exp(th), th = h w, and nothing depends on a chart. With T(th) the tangent
of exp, exp(-th) d exp(th) = T(th) d th, and momenta and slopes about axes of the body,

    pm = T(th) p0 + h/2 T(th/2) dL/dq,      T(-th) p1 = pm + h/2 T(-th/2) dL/dq

Forces that are not conservative act at the middle likewise (the principle of d'Alembert). The equations are solved to
rounding: by M^-1 at the middle, and for lam by the matrix Phi1 M^-1 Phi0^T.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.numerics.compiled.block import allocated, block, opaque, zeros
from cardan.numerics.compiled.indirect import call_pointer, pointer_to
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.linalg.dense_lu import factorize_dense, solve_dense
from cardan.numerics.linalg.vector import copy
from cardan.system.cartesian.acceleration import powers
from cardan.system.cartesian.matrix import BROKEN, FINE, SINGULAR
from cardan.system.evaluate import evaluate_velocity
from cardan.system.forces import apply_forces
from cardan.system.tree.bodies import find_phi, hand_to_nodes, move_bodies
from cardan.system.tree.recursion.kernels import move_nodes, place_nodes
from cardan.system.tree.recursion.masses import factor_masses, over_mass
from cardan.system.tree.recursion.momenta import add_weights, find_momenta
from cardan.system.tree.state import evaluate_tree
from cardan.system.tree.turns import travel, twisted, untwisted

_MOMENTA, _STEP, _SPEEDS = range(3)  # the operations below
UNSOLVED = 12  # the status of a step whose equations were not solved, beside those of `cardan.system.cartesian.matrix`
MAX_ITERATIONS = 60  # iterations
# Corrections are rounding below the first part of the velocities; below the second, if they do not shrink any more or
# move nothing by more than the third, of the model's length, or rad. Or the equations hold: loops are closed and
# momenta in balance to the fourth, of the velocities: near singular positions corrections are noise, however large.
VELOCITY_ROUNDING, STALLED_CORRECTION, STEP_ROUNDING = 4e-16, 1e-9, 1e-13
MOMENTUM_TOLERANCE = 1e-13
SLOW_CONVERGENCE = 0.25  # corrections that shrink by less call for another matrix of the constraints


class VariationalCounters(Record):
    """Steps, and the iterations of all of them."""

    steps: int
    iterations: int


class Variational(NamedTuple):
    """The tables of variational steps, and the kernel that performs their operations."""

    address: np.ndarray  # uint64[1]
    tables: Any  # opaque


class VariationalTables(NamedTuple):
    """A mechanism in joint coordinates, and the unknowns of a tables."""

    joint: Any
    counters: Any
    length: np.ndarray = zeros(1)  # h
    open: np.ndarray = zeros(1)  # by how much constraints are open at the end, relative to their size
    p: np.ndarray = zeros("nv")  # momenta at the start of the tables, then at its end
    w: np.ndarray = zeros("nv")  # the velocity at the middle, as predicted, then as found
    middle: np.ndarray = zeros("nq")
    end: np.ndarray = zeros("nq")
    kicked: np.ndarray = zeros("nv")  # p0 - h/2 Phi0^T lam
    pm: np.ndarray = zeros("nv")
    slope: np.ndarray = zeros("nv")  # dL/dq and the forces
    left: np.ndarray = zeros("nv")  # what is left of the equations
    step: np.ndarray = zeros("nv")
    rates: np.ndarray = zeros("rest")  # y' of work and states of devices, at the middle
    outer: np.ndarray = zeros("n", 6)  # forces on nodes
    first: np.ndarray = zeros("m", "nv")  # Phi at the start
    over: np.ndarray = zeros("m", "nv")  # M^-1 Phi0^T, line by line
    K: np.ndarray = zeros("m", "m")  # factors of Phi1 M^-1 Phi0^T,
    pivot: np.ndarray = zeros("m", dtype=np.int64)  # and their rows
    lam: np.ndarray = zeros("m")
    right: np.ndarray = zeros("m")


def variational_tables(joint: Any, rest: int) -> Any:
    """The block of a mechanism in joint coordinates whose y has so many numbers beside positions and speeds."""
    nq, nv, m, n = int(joint.sizes.positions), int(joint.sizes.speeds), joint.row.size, joint.tree.kind.size
    return allocated(
        VariationalTables,
        {"nq": nq, "rest": rest, "n": n, "m": m, "nv": nv},
        joint=joint,
        counters=VariationalCounters(),
    )


def variational(tables: Any) -> Any:
    """The operations of the tables, for an integrator that does not know them."""
    y = np.zeros(1)
    return block(Variational(np.array([pointer_to(_perform, tables, 0, 0.0, y)], np.uint64), opaque(tables)))


@kernel(once=True)
def find_momenta_of(variational, t, y):
    """The momenta p of y."""
    return _call(variational, _MOMENTA, t, y)


@kernel(once=True)
def variational_step(variational, t, y):
    """Advance y and p by `length`, from the predicted velocity w."""
    return _call(variational, _STEP, t, y)


@kernel(once=True)
def speeds_of_momenta(variational, t, y):
    """The speeds of y from p."""
    return _call(variational, _SPEEDS, t, y)


@kernel(once=True)
def _call(variational, operation, t, y):
    return call_pointer(variational.address[0], (variational.tables, operation, t, y))


@kernel(internal=True)
def _perform(tables, operation, t, y):
    joint = tables.joint
    tree, nq, nv = joint.tree, joint.sizes.positions, joint.sizes.speeds
    if operation == _STEP:
        return _advance(tables, t, y)
    place_nodes(tree, y[:nq])
    if operation == _MOMENTA:
        move_nodes(tree, y[nq : nq + nv])
        find_momenta(tree, tables.outer, y[nq : nq + nv], tables.p, tables.slope)
        return FINE
    if factor_masses(joint):
        return SINGULAR
    over_mass(joint, tables.p, y[nq : nq + nv])
    return FINE


@kernel(internal=True)
def _advance(tables, t, y):
    joint, h, w, step = tables.joint, tables.length[0], tables.w, tables.step
    cartesian, size, nq, nv = joint.cartesian, joint.size, joint.sizes.positions, joint.sizes.speeds
    rows, q, rest = joint.row.shape[0], y[:nq], y[nq + nv :]
    for r in range(rows):
        tables.lam[r] = 0.0
    if rows:
        if evaluate_tree(joint, t, q):
            return cartesian.failure.status
        find_phi(joint)
        for r in range(rows):
            for j in range(nv):
                tables.first[r, j] = joint.Phi[r, j]
    tables.counters.steps += 1
    last, renew = np.inf, True
    for _ in range(MAX_ITERATIONS):
        tables.counters.iterations += 1
        moved = _balance(tables, t + 0.5 * h, q, rest, h)
        if moved < 0.0 or factor_masses(joint):  # iterates that fly apart have no masses either
            return cartesian.failure.status if moved < 0.0 else (SINGULAR if last == np.inf else UNSOLVED)
        over_mass(joint, tables.left, step)
        unbalanced, largest, speed = 0.0, 0.0, 0.0
        for i in range(nv):
            unbalanced = max(unbalanced, abs(step[i]) * size[i])
        if rows:
            status = _close(tables, t + h, q, h, renew)
            if status:
                return status
        for i in range(nv):
            w[i] += step[i]
            largest, speed = max(largest, abs(step[i]) * size[i]), max(speed, abs(w[i]) * size[i])
        error = max(largest, moved * speed)
        small = error <= max(STALLED_CORRECTION * speed, STEP_ROUNDING / abs(h))
        holds = rows and unbalanced <= MOMENTUM_TOLERANCE * speed and tables.open[0] <= cartesian.settings.closure
        if error <= VELOCITY_ROUNDING * speed or (error > 0.5 * last and (small or holds)):
            _arrive(tables, q, rest, h)
            return FINE
        if not error < np.inf:
            break
        renew, last = error > SLOW_CONVERGENCE * last, error
    return UNSOLVED


@kernel(internal=True)
def _balance(tables, t, q, rest, h):
    """What is left of the equations for w: T(th) p0 + h/2 T(th/2) dL/dq - pm, in tables.left.

    Returns by how much states of devices changed since the last iterate, relative to their size; -1 if forces fail.
    """
    joint, w = tables.joint, tables.w
    cartesian, tree, outer = joint.cartesian, joint.tree, tables.outer
    circuit, work, rates, push = cartesian.forces.circuit, cartesian.work, tables.rates, joint.push
    states = rates.shape[0] - circuit.states.shape[0]
    travel(tree, q, 0.5 * h, w, tables.middle)
    if evaluate_tree(joint, t, tables.middle):
        return -1.0
    move_nodes(tree, w)
    for k in range(outer.shape[0]):
        for j in range(6):
            outer[k, j] = 0.0
    moved = 0.0
    if cartesian.strength.shape[0] or circuit.states.shape[0]:
        move_bodies(joint)
        failed = evaluate_velocity(cartesian.geometry, cartesian.rows, joint.v, t, work)
        if failed:
            cartesian.failure.status, cartesian.failure.law, cartesian.failure.row = BROKEN, 0, failed
            return -1.0
        for i in range(circuit.states.shape[0]):
            circuit.states[i] = rest[states + i] + 0.5 * h * rates[states + i]
        for i in range(push.shape[0]):
            push[i] = 0.0
        failed = apply_forces(cartesian.forces, t, work, cartesian.strength, push)
        if failed:
            cartesian.failure.status, cartesian.failure.law = BROKEN, failed
            return -1.0
        hand_to_nodes(joint, push, outer)
        powers(cartesian, rates)
        rates[cartesian.strength.shape[0] + 1] = 0.0  # what moving constraints put in is counted where steps end
        for i in range(circuit.states.shape[0]):
            moved = max(moved, abs(h * (circuit.rates[i] - rates[states + i])) / cartesian.scale[i])
            rates[states + i] = circuit.rates[i]
    add_weights(tree, outer)
    find_momenta(tree, outer, w, tables.pm, tables.slope)
    _kick(tables, h)
    twisted(tree, h, w, tables.kicked, tables.left)
    for i in range(w.shape[0]):
        tables.left[i] -= tables.pm[i]
    twisted(tree, 0.5 * h, w, tables.slope, tables.step)
    for i in range(w.shape[0]):
        tables.left[i] += 0.5 * h * tables.step[i]
    return moved


@kernel(internal=True)
def _kick(tables, h):
    """p0 - h/2 Phi0^T lam."""
    copy(tables.p, tables.kicked)
    for r in range(tables.lam.shape[0]):
        for j in range(tables.p.shape[0]):
            tables.kicked[j] -= 0.5 * h * tables.lam[r] * tables.first[r, j]


@kernel(internal=True)
def _close(tables, t, q, h, renew):
    """Change the step of w, and lam with it, for phi(q1) = 0; the factors of its matrix are kept if not renewed."""
    joint, step, over, right, lam = tables.joint, tables.step, tables.over, tables.right, tables.lam
    cartesian, tree, dropped = joint.cartesian, joint.tree, joint.dropped
    rows, nv = right.shape[0], step.shape[0]
    if renew:
        for r in range(rows):
            over_mass(joint, tables.first[r], over[r])
    travel(tree, q, h, tables.w, tables.end)
    if evaluate_tree(joint, t, tables.end):
        return cartesian.failure.status
    find_phi(joint)
    Phi, K = joint.Phi, tables.K
    tables.open[0] = 0.0
    for r in range(rows):
        if not dropped[r]:
            gap = abs(cartesian.work.phi[joint.row[r]]) * cartesian.rows.inverse[joint.row[r]]
            tables.open[0] = max(tables.open[0], gap)
        total = 0.0
        for j in range(nv):
            total += Phi[r, j] * step[j]
        right[r] = 0.0 if dropped[r] else 2.0 * (cartesian.work.phi[joint.row[r]] / h + total) / h
    if renew:
        for r in range(rows):
            for c in range(rows):
                total = 0.0
                for j in range(nv):
                    total += Phi[r, j] * over[c, j]
                K[r, c] = total if not (dropped[r] or dropped[c]) else (1.0 if r == c else 0.0)
        if not factorize_dense(K, tables.pivot):
            return UNSOLVED
    solve_dense(K, tables.pivot, right)
    for r in range(rows):
        lam[r] += right[r]
        for j in range(nv):
            step[j] -= 0.5 * h * right[r] * over[r, j]
    return FINE


@kernel(internal=True)
def _arrive(tables, q, rest, h):
    """q, p and the rest of y at the end of the tables."""
    tree, w, slope, left, step, p = tables.joint.tree, tables.w, tables.slope, tables.left, tables.step, tables.p
    _kick(tables, h)
    twisted(tree, h, w, tables.kicked, left)
    for side in (0.5, -0.5):
        twisted(tree, side * h, w, slope, step)
        for i in range(w.shape[0]):
            left[i] += 0.5 * h * step[i]
    untwisted(tree, -h, w, left, p)
    travel(tree, q, h, w, tables.end)
    copy(tables.end, q)
    for i in range(rest.shape[0]):
        rest[i] += h * tables.rates[i]
