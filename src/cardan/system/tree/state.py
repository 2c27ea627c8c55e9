"""A state of a mechanism in joint coordinates: nodes and bodies where it puts them, measures and rows there.

Joints with prescribed motions are moved to where these lead, whatever the state contains.
"""

from __future__ import annotations

from cardan.numerics.compiled.jit import kernel
from cardan.numerics.curves.motions import motion
from cardan.system.cartesian.matrix import BROKEN, FINE
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.tree.bodies import move_bodies, place_bodies
from cardan.system.tree.recursion.kernels import find_world, move_nodes, place_nodes
from cardan.system.turns import count_turns


@kernel(internal=True)
def evaluate_tree(joint, t, q):
    """Positions of nodes and bodies, measures and rows."""
    cartesian = joint.cartesian
    cartesian.counters.evaluations += 1
    failed = _prescribe(joint, t, q)
    place_nodes(joint.tree, q)
    find_world(joint.tree)
    if failed == 0 and (cartesian.work.z.shape[0] or joint.modes.body.shape[0]):
        place_bodies(joint, q)
        count_turns(joint.counting, q, cartesian.reference)
        failed = evaluate_position(
            cartesian.geometry, cartesian.rows, cartesian.place, t, cartesian.reference, cartesian.work
        )
    if failed:
        cartesian.failure.status, cartesian.failure.law, cartesian.failure.row = BROKEN, 0, failed
    return BROKEN if failed else FINE


@kernel(internal=True)
def _prescribe(joint, t, q):
    """Move prescribed joints to where they must be. Returns a status as `evaluate_position`."""
    rows, f, value = joint.cartesian.rows, joint.cartesian.work.motion, joint.prescribed_value
    for k in range(joint.prescribed_row.shape[0]):
        r, share = joint.prescribed_row[k], 1.0 / joint.prescribed_share[k]
        value[k, 0], value[k, 1], value[k, 2] = share * rows.offset[r], 0.0, 0.0
        for j in range(rows.motion_start[r], rows.motion_start[r + 1]):
            if motion(rows.motions, j, t, f):
                return 1 + r
            for level in range(3):
                value[k, level] += share * f[level]
        q[joint.tree.first_q[joint.prescribed_node[k]]] = value[k, 0]
    return 0


@kernel(internal=True)
def prescribe_speeds(joint, v):
    for k in range(joint.prescribed_row.shape[0]):
        v[joint.tree.first_v[joint.prescribed_node[k]]] = joint.prescribed_value[k, 1]


@kernel(internal=True)
def move_tree(joint, t, v):
    """Velocities of nodes and bodies, rates of measures and rows."""
    cartesian = joint.cartesian
    move_nodes(joint.tree, v)
    if cartesian.work.z.shape[0] or joint.modes.body.shape[0]:
        move_bodies(joint)
        failed = evaluate_velocity(cartesian.geometry, cartesian.rows, joint.v, t, cartesian.work)
        if failed:
            cartesian.failure.status, cartesian.failure.law, cartesian.failure.row = BROKEN, 0, failed
            return BROKEN
    return FINE
