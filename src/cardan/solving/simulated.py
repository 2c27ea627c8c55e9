"""Simulations of a page: their tables, and how they follow parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.rerun import rerun
from cardan.methods import Auto, Dop853, Method, Radau
from cardan.numerics.compiled.block import block, replaced
from cardan.results.columns import Columns
from cardan.results.compiled_reading import parts_of
from cardan.results.simulation import Simulation
from cardan.solving.forces import ForcePlan, ForceTables
from cardan.solving.hand_kernels import hand_of
from cardan.solving.kernels import (
    LoadedSimulationTask,
    Motion,
    MotionControl,
    SimulationTask,
    begin_simulation,
    continue_simulation,
    read_loaded_simulation,
    read_simulation,
)
from cardan.solving.parameter_kernels import follow_of
from cardan.solving.parameters import Range, beside
from cardan.study.batch.kernels import DONE, ENDLESS, UNFINISHED
from cardan.study.batch.simulation import SimulationBatch, simulation_batch_of
from cardan.study.job import Job
from cardan.study.outputs import StudyOutput
from cardan.system.cartesian.numbers import Law


def readable(run: Simulation, curves: Sequence[str]) -> list[str]:
    """The curves that machine code reads from the motion."""
    columns = Columns(run.system, forces=True)
    return [name for name in curves if parts_of(run.system, name, columns) is not None]


def method_in_page(run: Simulation) -> Method | str:
    """The method of a run; one of those that `Auto` is composed of, that with which it ended.

    `Auto` tries the others where forces seem stiff. A page does not.
    """
    method = run.options.get("method", run.stats.method)
    if not isinstance(method, Auto) and method != "auto":
        return method
    ended = run.checkpoint.method if run.checkpoint is not None else "dop853"
    longest = method.max_step if isinstance(method, Auto) else None
    return Radau(max_step=longest) if ended == "radau" else Dop853(max_step=longest)


def repeated(run: Simulation) -> Simulation:
    """The simulation by the method of a page, in coordinates of bodies."""
    again: Simulation = rerun(run, method=method_in_page(run), coordinates="cartesian", tree=())
    return again


def simulation_batch(run: Simulation, ranges: Sequence[Range], curves: Sequence[str]) -> SimulationBatch | None:
    """The tables of a simulation; None if they do not follow the parameters, or the simulation needs Python."""
    options = {
        "until": float(run.times[-1]),
        "output": run.times,
        "method": method_in_page(run),
        **{name: getattr(run.stats, name) for name in ("rtol", "atol", "rank_tolerance")},
    }
    outputs = tuple(StudyOutput(name, name) for name in curves)
    job = Job(run.model, tuple(one.parameter for one in ranges), "simulate", outputs, options)
    start = run.options.get("start")
    return simulation_batch_of(job, *beside(ranges), pressing=True, switching=True, start=start)


class SimulationTables:
    """The blocks of a simulation with parameters; of its forces too, with a plan and a law of these."""

    def __init__(
        self,
        batch: SimulationBatch,
        curves: Sequence[str],
        values: np.ndarray,
        plan: ForcePlan | None = None,
        force_law: Law | None = None,
    ) -> None:
        made = batch.worker()
        self.made, self.workspace, self.system = made, made.workspace, made.run.system
        workspace, system, law, count = self.workspace, self.system, batch.law, batch.times.size
        self.curves, self.force_curves = list(curves), [] if plan is None else plan.curves
        self.control, self.values = MotionControl(budget=ENDLESS), values.copy()
        sizes = system.start.size, system.speeds().size, system.speeds().size, system.winding.size
        arrays = [np.zeros((count, size)) for size in (*sizes, system.states.start.size)]
        poses, motion = workspace.stated.poses, Motion(batch.times.copy(), *arrays)
        self.simulation: Any = block(
            SimulationTask(
                control=self.control,
                values=self.values,
                follow=follow_of(law, workspace.place, system, poses),
                workspace=workspace,
                curves=np.zeros((count, len(curves))),
                motion=block(motion),
            )
        )
        self.task, self.read, self.forces = self.simulation, read_simulation, None
        if plan is not None and force_law is not None:
            numbers = plan.numbers_at(batch.job, law.p0)
            self.forces = ForceTables(plan, force_law, numbers, system, workspace.bodies, poses, motion)
            self.task = block(LoadedSimulationTask(self.simulation, self.forces.block))
            self.read = read_loaded_simulation
        self.curve_table = self.simulation.curves
        bodies = replaced(workspace.bodies, work=system.work())
        self.hand: Any = hand_of(system, bodies, system.start, system.reference, made.run.now)
        self.q, self.turns = arrays[0], arrays[3]

    @property
    def entries(self) -> list[tuple[str, Any, Any]]:
        """What a page calls, one after the other: name, kernel, and the block that it works on."""
        return [
            ("begin", begin_simulation, self.simulation),
            ("advance", continue_simulation, self.simulation),
            ("read", self.read, self.task),
        ]

    def solve(self) -> int:
        """Repeat the simulation. Returns the status."""
        status = begin_simulation(self.simulation)
        if status == UNFINISHED and continue_simulation(self.simulation) == DONE:
            status = self.read(self.task)
        return int(self.control.status if status == UNFINISHED else status)
