"""Many states of a tree with flexible bodies in one call: see `recursion.batch` for rigid bodies."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.system.tree.bodies import move_bodies, place_bodies
from cardan.system.tree.recursion.kernels import find_world, move_nodes, place_nodes
from cardan.system.tree.recursion.masses import factor_masses, over_mass
from cardan.system.tree.recursion.modal_bodies import fill_joint_masses, inverse_dynamics


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
