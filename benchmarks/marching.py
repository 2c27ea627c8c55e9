"""The compiled loop of `kinematics` alone: everything before it done once, so that it can be timed by itself."""

from __future__ import annotations

import numpy as np

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.closing import Tolerances
from cardan.analysis.driven.run import DrivenRun  # no part of the public face, but just what is to be timed
from cardan.analysis.progress import Progress
from cardan.model.model import Model
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile


class Loop:
    """The march through `times` of a model without redundant equations; call it as often as needed."""

    def __init__(self, model: Model, times: np.ndarray, tolerances: Tolerances | None = None) -> None:
        self.system, self.times = compile(model), times
        self.start, reference = assembled(self.system, float(times[0]))
        self.system.reference[:] = reference
        active = np.ones(self.system.row_count, np.uint8)
        self.run = DrivenRun(self.system, times, active, tolerances or Tolerances(), 0)

    def __call__(self) -> Trajectory:
        with Progress("kinematics", self.times.size, False) as bar:
            return self.run.go(self.start, (), bar)
