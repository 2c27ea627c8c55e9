"""Kinematics of a page: its tables, and how they follow parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.numerics.compiled.block import block
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.solving.forces import ForcePlan, ForceTables
from cardan.solving.hand_kernels import hand_of
from cardan.solving.kernels import DrivenTask, LoadedTask, MotionControl, solve_driven, solve_loads
from cardan.solving.parameter_kernels import follow_of
from cardan.solving.parameters import Range, beside
from cardan.study.batch.batch import Batch, batch_of
from cardan.study.job import Job
from cardan.study.outputs import StudyOutput
from cardan.system.cartesian.numbers import Law


def driven_batch(
    run: Trajectory, ranges: Sequence[Range], curves: Sequence[str], forces: bool, start: Snapshot | None
) -> Batch | None:
    """The tables of a driven motion from `start`, or from where the model is stated; None if they do not follow the
    parameters, or the motion needs Python."""
    outputs = tuple(StudyOutput(name, name) for name in curves)
    job = Job(run.model, tuple(one.parameter for one in ranges), "kinematics", outputs, {"times": run.times})
    low, high, first = beside(ranges)
    found = batch_of(job, low, high, first, forces, start=start)
    return None if found is None or found.law is None else found


class DrivenTables:
    """The blocks of a driven motion with parameters."""

    def __init__(
        self,
        batch: Batch,
        curves: Sequence[str],
        values: np.ndarray,
        plan: ForcePlan | None = None,
        force_law: Law | None = None,
    ) -> None:
        """With a plan and a law of forces, these are computed."""
        assert batch.law is not None
        worker = batch.worker()
        self.workspace, self.system = worker.workspace, worker.system
        self.curves = [curves[k] for k in batch.read]
        addresses = self.workspace.flat.ctypes.data + 8 * batch.law.varied.astype(np.uint64)
        limits, workspace = batch.tolerances, self.workspace
        self.control = MotionControl(
            equation=max(limits.equation, batch.system.rounding),
            step=limits.step,
            iterations=limits.iterations,
            closed=CLOSED,
        )
        self.entry, self.values = solve_driven, values.copy()
        poses = workspace.flat[workspace.flat.size - batch.design.poses.size :]  # the last of the design
        self.forces: ForceTables | None = None
        self.force_curves: list[str] = []
        self.task: Any = block(
            DrivenTask(
                control=self.control,
                values=self.values,
                follow=follow_of(batch.law, addresses, self.system, poses),
                workspace=workspace,
                curves=np.zeros((batch.times.size, len(self.curves))),
            )
        )
        self.hand: Any = hand_of(
            self.system, workspace.soft, workspace.start, workspace.reference, float(batch.times[0])
        )
        self.q, self.turns, self.curve_table = workspace.record.q, workspace.record.turns, self.task.curves
        if plan is not None and force_law is not None:
            record, states = workspace.record, np.tile(self.system.states.start, (batch.times.size, 1))
            motion = [workspace.times, record.q, record.v, record.a, record.turns, np.ascontiguousarray(states)]
            numbers = plan.numbers_at(batch.job, batch.law.p0)
            self.forces = ForceTables(plan, force_law, numbers, self.system, workspace.bodies, poses, motion)
            self.entry, self.force_curves = solve_loads, plan.curves
            self.task = block(LoadedTask(self.task, self.forces.block))

    @property
    def entries(self) -> list[tuple[str, Any, Any]]:
        """What a page calls: name, kernel, and the block that it works on."""
        return [("solve", self.entry, self.task)]

    def solve(self) -> int:
        """Repeat the analysis. Returns the status."""
        return int(self.entry(self.task))
