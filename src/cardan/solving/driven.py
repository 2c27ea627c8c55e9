"""Kinematics of a page: its tables, and how they follow parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.numerics.compiled.block import block
from cardan.results.trajectory import Trajectory
from cardan.solving.follow import follow_of
from cardan.solving.hand import hand_of
from cardan.solving.kernels import DrivenDesk, MotionControl, solve_driven
from cardan.solving.parameters import Range, beside
from cardan.study.batch.batch import Batch, batch_of
from cardan.study.job import Job
from cardan.study.outputs import StudyOutput


def driven_batch(run: Trajectory, ranges: Sequence[Range], curves: Sequence[str], forces: bool) -> Batch | None:
    """The tables of a driven motion; None if they do not follow the parameters, or the motion needs Python."""
    outputs = tuple(StudyOutput(name, name) for name in curves)
    job = Job(run.model, tuple(one.parameter for one in ranges), "kinematics", outputs, {"times": run.times})
    low, high, first = beside(ranges)
    found = batch_of(job, low, high, first, forces)
    return None if found is None or found.law is None else found


class DrivenTables:
    """The blocks of a driven motion with parameters."""

    entry = solve_driven

    def __init__(self, batch: Batch, curves: Sequence[str], values: np.ndarray) -> None:
        assert batch.law is not None
        desk = batch.desk()
        self.bench, self.system = desk.bench, desk.system
        self.curves = [curves[k] for k in batch.read]
        addresses = self.bench.flat.ctypes.data + 8 * batch.law.varied.astype(np.uint64)
        limits, bench = batch.tolerances, self.bench
        self.control = MotionControl(
            equation=max(limits.equation, batch.system.rounding),
            step=limits.step,
            iterations=limits.iterations,
            closed=CLOSED,
        )
        self.desk: Any = block(
            DrivenDesk(
                control=self.control,
                values=values.copy(),
                follow=follow_of(batch.law, addresses, self.system, bench.start),
                bench=bench,
                curves=np.zeros((batch.times.size, len(self.curves))),
            )
        )
        shared = bench.geometry, bench.rows, bench.solver, bench.weights, bench.soft, bench.vectors
        self.hand: Any = hand_of(self.system, shared, bench.start, bench.reference, float(batch.times[0]))
        self.q, self.turns = bench.record.q, bench.record.turns
