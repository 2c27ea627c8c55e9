"""Many states of a tree in one call.

Many states of a tree with flexible bodies in one call: see `recursion.batch` for rigid bodies.
"""

from __future__ import annotations

import numpy as np

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy_to_row
from cardan.system.tree.bodies import accelerate_bodies, move_bodies, place_bodies, share_wrench
from cardan.system.tree.charts import advance
from cardan.system.tree.recursion.articulated import fold_forces, fold_inertias, spread, start_forces
from cardan.system.tree.recursion.kernels import (
    accelerate_nodes,
    add_columns,
    composite_inertias,
    find_world,
    move_nodes,
    newton_euler,
    place_nodes,
)
from cardan.system.tree.recursion.masses import factor_masses, over_mass
from cardan.system.tree.recursion.modal_bodies import fill_joint_masses, inverse_dynamics
from cardan.system.tree.recursion.vectors import turned

BALL_TURN = 0.5  # rad by which a ball turns in one step


@kernel
def torques_of(tree, q, v, a, tau):
    """Joint forces of rigid bodies for each line of positions, speeds and accelerations."""
    for s in range(q.shape[0]):
        place_nodes(tree, q[s])
        move_nodes(tree, v[s])
        newton_euler(tree, a[s], tau[s])


@kernel
def accelerations_of(tree, q, v, tau, a):
    """Accelerations of rigid bodies for each line of positions, speeds and joint forces. Returns 0, or 1 + a node
    without inertia."""
    g = tree.gravity
    for s in range(q.shape[0]):
        place_nodes(tree, q[s])
        move_nodes(tree, v[s])
        status = fold_inertias(tree)
        if status:
            return status
        start_forces(tree)
        fold_forces(tree, tau[s], tree.C)
        spread(tree, tree.C, g[0], g[1], g[2], a[s])
    return 0


@kernel
def mass_matrices_of(tree, q, mass):
    """The mass matrix of rigid bodies for each line of positions."""
    for s in range(q.shape[0]):
        place_nodes(tree, q[s])
        composite_inertias(tree, mass[s])


@kernel
def jacobians_of(tree, q, node, point, rotation, translation):
    """Jacobians of the angular velocity of a node, and of the velocity of a point given in its frame."""
    for s in range(q.shape[0]):
        place_nodes(tree, q[s])
        find_world(tree)
        W = tree.world[node]
        x, y, z = turned(W, point[0], point[1], point[2])
        add_columns(tree, node, W[9] + x, W[10] + y, W[11] + z, rotation[s], translation[s])


@kernel
def bodies_at(joint, q, v, a, positions, speeds, rates):
    """Positions, velocities and accelerations of all bodies for each line of joint coordinates."""
    for s in range(q.shape[0]):
        move_bodies_to(joint, q[s], v[s], a[s])
        copy_to_row(joint.cartesian.place, positions, s)
        copy_to_row(joint.v, speeds, s)
        copy_to_row(joint.a, rates, s)


@kernel(internal=True)
def move_bodies_to(joint, q, v, a):
    """Positions, velocities and accelerations of all bodies at joint coordinates: cartesian.place, joint.v, joint.a."""
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    place_bodies(joint, q)
    move_nodes(joint.tree, v)
    move_bodies(joint)
    accelerate_nodes(joint.tree, a)
    accelerate_bodies(joint)


@kernel
def transformation_at(joint, q, B):
    """B(q): speeds of all bodies, ground's left out, from those of the joints; what is zero stays as it is."""
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    g, width = joint.six, joint.sizes.body_speeds
    for b in range(joint.body.shape[0]):
        for j in range(width):
            for i in range(6):
                g[i] = 1.0 if i == j else 0.0
            share_wrench(joint, b, g, B[width * (joint.body[b] - 1) + j])


@kernel
def moved_by(joint, q, step):
    """Move joint coordinates by a displacement, however long, in steps of half a radian at most."""
    longest = 0.0
    for i in range(step.shape[0]):
        longest = max(longest, abs(step[i]))
    count = max(1, int(np.ceil(longest / BALL_TURN)))
    for i in range(step.shape[0]):
        joint.step[i] = step[i] / count
    for _ in range(count):
        advance(joint.tree, q, joint.step, joint.rates)


@kernel(internal=True)
def _place(joint, q):
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    place_bodies(joint, q)


@kernel(internal=True)
def _move(joint, q, v):
    _place(joint, q)
    move_nodes(joint.tree, v)
    move_bodies(joint)


@kernel
def modal_torques_of(joint, q, v, a, tau):
    """Joint forces for each line of positions, speeds and accelerations."""
    for s in range(q.shape[0]):
        _move(joint, q[s], v[s])
        inverse_dynamics(joint, a[s], tau[s])


@kernel
def modal_accelerations_of(joint, q, v, tau, a):
    """Accelerations for each line of positions, speeds and joint forces. Returns 0, or 1 + a node without inertia."""
    for s in range(q.shape[0]):
        _move(joint, q[s], v[s])
        status = factor_masses(joint)
        if status:
            return status
        for i in range(a.shape[1]):
            a[s, i] = 0.0
        inverse_dynamics(joint, a[s], joint.load)
        for i in range(a.shape[1]):
            joint.load[i] = tau[s, i] - joint.load[i]
        over_mass(joint, joint.load, a[s])
    return 0


@kernel
def modal_mass_matrices_of(joint, q, mass):
    """The mass matrix for each line of positions."""
    for s in range(q.shape[0]):
        _place(joint, q[s])
        fill_joint_masses(joint, mass[s])
