"""Forces behind the motion in a page: multipliers, applied forces, and the reactions of joints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.loads.cartesian import find_loads
from cardan.numerics.compiled.jit import kernel
from cardan.results.motion_kernels import reactions_along
from cardan.solving.parameter_kernels import write_parameters

STRENGTH, MULTIPLIER, LOCAL = range(3)  # sources of curves


class Forces(NamedTuple):
    """Tables of a system, reactions on one body each, and curves of forces."""

    follow: Any
    motion: Any  # see `cardan.analysis.loads.known_motion`
    bodies: Any  # `Bodies` with memory of their own
    spare: Any  # redundant rows
    columns: np.ndarray  # uint32, as in the system
    selected: np.ndarray  # int64[.., 3]: row, reaction, first speed of its body
    generalized: np.ndarray  # [output times, reactions, speeds of a body]
    body: np.ndarray  # uint32[reactions]: the body that a reaction acts on,
    point: np.ndarray  # [reactions, 3]: at a point of it
    frame: np.ndarray  # uint32[reactions]: the body in whose axes it is stated,
    axes: np.ndarray  # [reactions, 3, 3]: turned by these
    world: np.ndarray  # [output times, reactions, 6]: force and torque in global axes,
    local: np.ndarray  # and in the axes stated
    source: np.ndarray  # uint32[curves, 3]: STRENGTH, MULTIPLIER or LOCAL, place, component
    curves: np.ndarray  # [output times, curves]
    turn: np.ndarray  # [3, 3]


@kernel(internal=True)
def find_forces(f, values, count):
    """Fill in forces and reactions at the first output times. Returns whether they are determined."""
    write_parameters(f.follow, values)
    motion, bodies = f.motion, f.bodies
    reached, status = find_loads(motion, np.int64(0), count, bodies, f.spare)
    if status or reached < count:
        return False
    for i in range(count):
        for k in range(f.generalized.shape[1]):
            for j in range(f.generalized.shape[2]):
                f.generalized[i, k, j] = 0.0
    reactions_along(
        bodies.geometry, bodies.rows, f.columns, f.selected, motion.times[:count], motion.q[:count],
        motion.turns[:count], bodies.winding, motion.reference, motion.multipliers[:count], bodies.work,
        f.generalized[:count],
    )  # fmt: skip
    for i in range(count):
        for k in range(f.body.shape[0]):
            _place_reaction(f, i, k)
        for c in range(f.source.shape[0]):
            kind, place, component = f.source[c, 0], f.source[c, 1], f.source[c, 2]
            if kind == STRENGTH:
                f.curves[i, c] = motion.strengths[i, place]
            elif kind == MULTIPLIER:
                f.curves[i, c] = -motion.multipliers[i, place]
            else:
                f.curves[i, c] = f.local[i, place, component]
    return True


@kernel(internal=True)
def _place_reaction(f, i, k):
    """Force, and torque about the point, in global axes and in those stated."""
    Q, q, world, local, turn, s = f.generalized, f.motion.q, f.world, f.local, f.turn, f.point
    flat = Q.shape[2] == 3
    _find_turn(q, i, f.body[k], flat, turn)
    for c in range(6):
        world[i, k, c] = 0.0
    world[i, k, 0], world[i, k, 1] = Q[i, k, 0], Q[i, k, 1]
    if flat:
        world[i, k, 5] = Q[i, k, 2]
    else:
        world[i, k, 2] = Q[i, k, 2]
        for c in range(3):
            for j in range(3):
                world[i, k, 3 + c] += turn[c, j] * Q[i, k, 3 + j]
    x = turn[0, 0] * s[k, 0] + turn[0, 1] * s[k, 1] + turn[0, 2] * s[k, 2]
    y = turn[1, 0] * s[k, 0] + turn[1, 1] * s[k, 1] + turn[1, 2] * s[k, 2]
    z = turn[2, 0] * s[k, 0] + turn[2, 1] * s[k, 1] + turn[2, 2] * s[k, 2]
    fx, fy, fz = world[i, k, 0], world[i, k, 1], world[i, k, 2]
    world[i, k, 3] -= y * fz - z * fy
    world[i, k, 4] -= z * fx - x * fz
    world[i, k, 5] -= x * fy - y * fx
    _find_turn(q, i, f.frame[k], flat, turn)
    for c in range(3):
        force, torque = 0.0, 0.0
        for j in range(3):
            axis = turn[j, 0] * f.axes[k, 0, c] + turn[j, 1] * f.axes[k, 1, c] + turn[j, 2] * f.axes[k, 2, c]
            force += axis * world[i, k, j]
            torque += axis * world[i, k, 3 + j]
        local[i, k, c], local[i, k, 3 + c] = force, torque


@kernel(internal=True)
def _find_turn(q, i, body, flat, turn):
    """The rotation matrix of a body."""
    if flat:
        c, s = np.cos(q[i, 3 * body + 2]), np.sin(q[i, 3 * body + 2])
        turn[0, 0], turn[0, 1], turn[0, 2] = c, -s, 0.0
        turn[1, 0], turn[1, 1], turn[1, 2] = s, c, 0.0
        turn[2, 0], turn[2, 1], turn[2, 2] = 0.0, 0.0, 1.0
        return
    w, x, y, z = q[i, 7 * body + 3], q[i, 7 * body + 4], q[i, 7 * body + 5], q[i, 7 * body + 6]
    turn[0, 0], turn[0, 1], turn[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    turn[1, 0], turn[1, 1], turn[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    turn[2, 0], turn[2, 1], turn[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
