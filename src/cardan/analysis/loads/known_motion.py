"""A known motion as the compiled loops read it that find the forces behind it, and the tables that they fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.model.space import inertia_forces
from cardan.numerics.compiled.block import block
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.linalg.vector import copy, copy_to_row
from cardan.results.loads import Loads
from cardan.results.trajectory import Trajectory
from cardan.system.evaluate import evaluate_position, evaluate_velocity
from cardan.system.forces import apply_forces, force_table
from cardan.system.system import System
from cardan.system.turns import commit_turns, read_turns


class KnownMotion(NamedTuple):
    """The motion, masses and forces of a system; and what is found, one line for each output time."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    states: np.ndarray  # of devices
    reference: np.ndarray
    matter: np.ndarray
    gravity: np.ndarray
    forces: Any
    multipliers: np.ndarray
    strengths: np.ndarray
    signals: np.ndarray
    touched: np.ndarray  # uint8: rows whose multipliers are not determined


def known_motion(run: Trajectory, matter: np.ndarray | None = None) -> Any:
    """The tables of a computed motion; `matter` replaces the masses of the model, with those of the ground first."""
    system, stored = run.system, (run.times, run.q, run.v, run.a, run.turns, run.states)
    matter = system.matter() if matter is None else matter
    matter[0] = 0.0
    motion = [np.ascontiguousarray(part, float) for part in stored]
    forces = force_table(system, None, system.devices)
    return motion_tables(system, motion, matter, np.array(system.model.gravity, float), forces)


def motion_tables(
    system: System, motion: Sequence[np.ndarray], matter: np.ndarray, gravity: np.ndarray, forces: Any
) -> Any:
    """The block of a motion, which consists of times, q, v, a, turns and states, with these masses and forces."""
    sizes = system.row_count, len(system.laws), forces.circuit.signals.size
    found = (np.zeros((motion[0].size, size)) for size in sizes)
    touched = np.zeros(system.row_count, np.uint8)
    return block(KnownMotion._make((*motion, system.reference.copy(), matter, gravity, forces, *found, touched)))


def loads_found(run: Trajectory, motion: Any, count: int) -> Loads:
    """The forces at the first `count` output times."""
    tables = motion.multipliers[:count], motion.strengths[:count], motion.touched.astype(bool), motion.signals[:count]
    return Loads(run.system, *tables)


@kernel(once=True)
def evaluate_at(motion, i, bodies):
    """Evaluate all rows and their rates at output time i. Returns a status."""
    geometry, rows, work = bodies.geometry, bodies.rows, bodies.work
    read_turns(motion.turns[i], bodies.winding, motion.reference)
    status = evaluate_position(geometry, rows, motion.q[i], motion.times[i], motion.reference, work)
    evaluate_velocity(geometry, rows, motion.v[i], motion.times[i], work)
    copy(motion.states[i], motion.forces.circuit.states)
    return status


@kernel(once=True)
def forces_at(motion, i, bodies, out):
    """Q - M a - h at output time i, numbered as v. Returns a status."""
    inertia_forces(bodies.geometry, motion.matter, motion.gravity, motion.q[i], motion.v[i], motion.a[i], out)
    return apply_forces(motion.forces, motion.times[i], bodies.work, motion.strengths[i], out)


@kernel(once=True)
def finish_at(motion, i, bodies):
    """Keep the signals of devices, and count turns on from output time i."""
    copy_to_row(motion.forces.circuit.signals, motion.signals, i)
    commit_turns(bodies.work.z, motion.reference)
