"""Driven motion with velocity constraints: the drivers determine velocities; positions are integrated.

    J v = nu,   J a = gamma         with the rows of joints, drivers and velocity constraints: as many as coordinates

The loop of forward dynamics integrates it, with the metric of the system instead of masses, which do not matter because
all degrees of freedom are driven. In joint coordinates all bodies have equal weight.
"""

from __future__ import annotations

import numpy as np

from cardan.analysis.assembly.initial_conditions import consistent_velocities
from cardan.analysis.coordinates import CARTESIAN, Coordinates
from cardan.analysis.forward.advance import advance, new_run, start_only
from cardan.analysis.forward.joint import JointFormulation
from cardan.analysis.forward.state import Settings
from cardan.analysis.progress import ProgressOption
from cardan.methods import Dop853
from cardan.results.trajectory import Trajectory
from cardan.system.system import System

RTOL = 1e-11  # of integrated positions, smaller than all other tolerances of kinematics


def rolled_motion(
    system: System,
    q: np.ndarray,
    reference: np.ndarray,
    times: np.ndarray,
    progress: ProgressOption,
    coordinates: Coordinates = CARTESIAN,
) -> Trajectory:
    """The motion at the output times, starting from the assembled position q."""
    start = float(times[0])
    v = consistent_velocities(system, q, system.speeds(), start, reference)
    settings = Settings(Dop853(), RTOL, tree=coordinates.tree)
    run = new_run(system, (q, v, reference, start), settings, joint=coordinates.joint)
    machine = run.machine
    machine.matter[:] = 0.0
    machine.soft[:] = system.weights
    machine.settings.refinements = machine.settings.acceleration_refinements = 0.0
    if isinstance(run.formulation, JointFormulation):
        run.formulation.tables.weigh_evenly()
    found = start_only(run) if times.size == 1 else advance(run, float(times[-1]), times, progress)
    motion = found.times, found.q, found.v, found.a
    return Trajectory(system, *motion, None, found.steps, found.set_aside, "kinematics", found.turns)
