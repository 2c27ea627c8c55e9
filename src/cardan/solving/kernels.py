"""What a page calls: an analysis with other parameters. All is read from tables of its model, and written to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import Tolerances
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.numerics.memory import restore_memory
from cardan.results.compiled_reading import read_parts
from cardan.solving.force_kernels import find_forces
from cardan.solving.parameter_kernels import write_parameters
from cardan.study.batch.kernels import DONE, FALLBACK, UNFINISHED, move_sample
from cardan.study.batch.simulation_kernels import begin_sample, continue_sample, read_sample


class MotionControl(Record):
    """Tolerances of an analysis, and what came of it."""

    equation: float
    step: float
    iterations: int
    closed: float
    status: int  # DONE, FALLBACK or BLOCKED of `cardan.study.batch.kernels`
    reached: int  # how many output times
    time: float  # reached
    budget: int  # how many steps of a simulation to take


class DrivenTask(NamedTuple):
    """Kinematics with other parameters."""

    control: Any
    values: np.ndarray  # of parameters
    follow: Any
    workspace: Any
    curves: np.ndarray  # [output times, curves]


@kernel
def solve_driven(task):
    """Move the mechanism with the parameters in `values`. Returns the status."""
    workspace, control = task.workspace, task.control
    write_parameters(task.follow, task.values)
    tolerances = Tolerances(control.equation, control.step, int(control.iterations))
    control.status = move_sample(workspace, tolerances, control.closed)
    count = workspace.times.shape[0] if control.status == DONE else 0
    if control.status != DONE and control.status != FALLBACK:
        while count < workspace.times.shape[0] and workspace.times[count] <= workspace.state.clock.now:
            count += 1
    control.reached, control.time = count, workspace.state.clock.now
    record, times = workspace.record, workspace.times[:count]
    q = record.q[:count]
    read_parts(
        workspace.reading, times, q, record.v[:count], record.a[:count], record.turns[:count], q, q, task.curves[:count]
    )
    return np.int64(control.status)


class LoadedTask(NamedTuple):
    """Inverse dynamics: kinematics, and the forces behind it."""

    driven: Any
    forces: Any


@kernel
def solve_loads(task):
    """Move the mechanism, and find the forces of joints and drivers. Returns the status."""
    driven = task.driven
    status = solve_driven(driven)
    if status != FALLBACK and not find_forces(task.forces, driven.values, np.int64(driven.control.reached)):
        driven.control.status = FALLBACK
    return np.int64(driven.control.status)


class Motion(NamedTuple):
    """A simulated motion at the output times."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    states: np.ndarray


class SimulationTask(NamedTuple):
    """A simulation with other parameters."""

    control: Any
    values: np.ndarray
    follow: Any
    workspace: Any
    curves: np.ndarray
    motion: Any


class LoadedSimulationTask(NamedTuple):
    """A simulation and its forces."""

    simulation: Any
    forces: Any


@kernel
def begin_simulation(task):
    """Begin a simulation with the parameters in `values`. Returns the status, UNFINISHED or FALLBACK."""
    workspace, control = task.workspace, task.control
    restore_memory(workspace.image)
    write_parameters(task.follow, task.values)
    control.status = UNFINISHED if begin_sample(workspace) else FALLBACK
    control.time, control.reached = workspace.stepper.clock.now, 0
    return np.int64(control.status)


@kernel
def continue_simulation(task):
    """Take about `control.budget` steps. Returns the status, DONE, UNFINISHED or FALLBACK."""
    workspace, control = task.workspace, task.control
    control.status = continue_sample(workspace, np.int64(control.budget))
    control.time = workspace.stepper.clock.now
    return np.int64(control.status)


@kernel
def read_simulation(task):
    """Read the motion and the curves at the output times that are passed. Returns the status."""
    workspace, control, motion = task.workspace, task.control, task.motion
    record, first, count = workspace.record, workspace.stepper.sizes.positions, workspace.stepper.counters.written
    read_sample(workspace, task.curves, count)
    positions, states = motion.q.shape[1], motion.states.shape[1]
    for i in range(count):
        for k in range(positions):
            motion.q[i, k] = record.y[i, k]
        for k in range(motion.v.shape[1]):
            motion.v[i, k], motion.a[i, k] = record.y[i, first + k], record.a[i, k]
        for k in range(motion.turns.shape[1]):
            motion.turns[i, k] = record.turns[i, k]
        for k in range(states):
            motion.states[i, k] = record.y[i, record.y.shape[1] - states + k]
    control.reached = count
    return np.int64(control.status)


@kernel
def read_loaded_simulation(task):
    """Read the motion and, at its end, find the forces. Returns the status."""
    simulation = task.simulation
    control = simulation.control
    if read_simulation(simulation) == DONE and not find_forces(
        task.forces, simulation.values, np.int64(control.reached)
    ):
        control.status = FALLBACK
    return np.int64(control.status)
