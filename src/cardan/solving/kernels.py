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
from cardan.study.batch.kernels import OTHER, PLAIN, UNDERWAY, move_sample
from cardan.study.batch.simulation_kernels import begin_sample, continue_sample, read_sample


class MotionControl(Record):
    """Tolerances of an analysis, and what came of it."""

    equation: float
    step: float
    iterations: int
    closed: float
    status: int  # PLAIN, OTHER or HELD of `cardan.study.batch.kernels`
    reached: int  # how many output times
    time: float  # reached
    budget: int  # how many steps of a simulation to take


class DrivenDesk(NamedTuple):
    """Kinematics with other parameters."""

    control: Any
    values: np.ndarray  # of parameters
    follow: Any
    bench: Any
    curves: np.ndarray  # [output times, curves]


@kernel
def solve_driven(desk):
    """Move the mechanism with the parameters in `values`. Returns the status."""
    bench, control = desk.bench, desk.control
    write_parameters(desk.follow, desk.values)
    tolerances = Tolerances(control.equation, control.step, int(control.iterations))
    control.status = move_sample(bench, tolerances, control.closed)
    count = bench.times.shape[0] if control.status == PLAIN else 0
    if control.status != PLAIN and control.status != OTHER:
        while count < bench.times.shape[0] and bench.times[count] <= bench.state.clock.now:
            count += 1
    control.reached, control.time = count, bench.state.clock.now
    record, times = bench.record, bench.times[:count]
    q = record.q[:count]
    read_parts(
        bench.reading, times, q, record.v[:count], record.a[:count], record.turns[:count], q, q, desk.curves[:count]
    )
    return np.int64(control.status)


class LoadedDesk(NamedTuple):
    """Inverse dynamics: kinematics, and the forces behind it."""

    driven: Any
    forces: Any


@kernel
def solve_loads(desk):
    """Move the mechanism, and find the forces of joints and drivers. Returns the status."""
    driven = desk.driven
    status = solve_driven(driven)
    if status != OTHER and not find_forces(desk.forces, driven.values, np.int64(driven.control.reached)):
        driven.control.status = OTHER
    return np.int64(driven.control.status)


class Motion(NamedTuple):
    """A simulated motion at the output times."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    states: np.ndarray


class SimulationDesk(NamedTuple):
    """A simulation with other parameters."""

    control: Any
    values: np.ndarray
    follow: Any
    bench: Any
    curves: np.ndarray
    motion: Any


class LoadedSimulationDesk(NamedTuple):
    """A simulation and its forces."""

    simulation: Any
    forces: Any


@kernel
def begin_simulation(desk):
    """Begin a simulation with the parameters in `values`. Returns the status, UNDERWAY or OTHER."""
    bench, control = desk.bench, desk.control
    restore_memory(bench.image)
    write_parameters(desk.follow, desk.values)
    control.status = UNDERWAY if begin_sample(bench) else OTHER
    control.time, control.reached = bench.stepper.clock.now, 0
    return np.int64(control.status)


@kernel
def continue_simulation(desk):
    """Take about `control.budget` steps. Returns the status, PLAIN, UNDERWAY or OTHER."""
    bench, control = desk.bench, desk.control
    control.status = continue_sample(bench, np.int64(control.budget))
    control.time = bench.stepper.clock.now
    return np.int64(control.status)


@kernel
def read_simulation(desk):
    """Read the motion and the curves at the output times that are passed. Returns the status."""
    bench, control, motion = desk.bench, desk.control, desk.motion
    record, first, count = bench.record, bench.stepper.sizes.positions, bench.stepper.counters.written
    read_sample(bench, desk.curves, count)
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
def read_loaded_simulation(desk):
    """Read the motion and, at its end, find the forces. Returns the status."""
    simulation = desk.simulation
    control = simulation.control
    if read_simulation(simulation) == PLAIN and not find_forces(
        desk.forces, simulation.values, np.int64(control.reached)
    ):
        control.status = OTHER
    return np.int64(control.status)
