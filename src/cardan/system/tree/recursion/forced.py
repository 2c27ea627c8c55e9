"""Forces of the model on the joints of a tree: B^T f, from leaves to ground, without B."""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.system.cartesian.matrix import BROKEN, FINE
from cardan.system.tree.recursion.acceleration import push_nodes
from cardan.system.tree.recursion.kernels import gather
from cardan.system.tree.state import evaluate_tree, move_tree


@kernel
def applied_of(joint, t, q, v, tau):
    """Joint forces of the model's elements for each line of positions and speeds. Returns a status."""
    for s in range(q.shape[0]):
        if evaluate_tree(joint, t, q[s]) or move_tree(joint, t, v[s]) or force_joints(joint, t, tau[s]):
            return BROKEN
    return FINE


@kernel(internal=True)
def force_joints(joint, t, tau):
    """The same where the tree was evaluated and moved; no forces stay on its nodes."""
    status = push_nodes(joint, t)
    F, outer = joint.tree.F, joint.tree.outer
    for k in range(outer.shape[0]):
        for j in range(6):
            F[k, j], outer[k, j] = outer[k, j], 0.0
    gather(joint.tree, tau)
    return status
