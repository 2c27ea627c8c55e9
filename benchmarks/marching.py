"""The compiled loop of `kinematics` alone: everything before it done once, so that it can be timed by itself."""

from __future__ import annotations

import numpy as np

from cardan.analysis.assemble import assembled
from cardan.analysis.closing import Tolerances, vectors
from cardan.analysis.march import RUNNING, Record, begin, fresh_state, fresh_trial, march
from cardan.model.model import Model
from cardan.system.compile import compile


class Loop:
    """The march through `times` of a model without redundant equations; call it as often as needed."""

    def __init__(self, model: Model, times: np.ndarray, tolerances: Tolerances | None = None) -> None:
        self.times, self.system = times, compile(model)
        system = self.system
        self.start, reference = assembled(system, float(times[0]))
        system.reference[:] = reference
        active = np.ones(system.row_count, np.uint8)
        tolerances = tolerances or Tolerances()
        self.tables = (system.geometry, system.rows, system.solver, system.weights, active, tolerances)
        self.work, self.scratch = system.work(), vectors(system)
        n, nv = times.size, system.speeds().size
        numbers = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.record = Record(np.zeros((n, system.start.size)), np.zeros((n, nv)), np.zeros((n, nv)), *numbers)

    def __call__(self) -> Record:
        times = self.times
        state = fresh_state(self.system, self.start, float(times[0]), float(times[-1] - times[0]))
        begin(*self.tables, state, self.work, self.scratch)
        trial = fresh_trial(state)
        status, _ = march(*self.tables, times, 0, times.size, state, trial, self.record, self.work, self.scratch)
        if status != RUNNING:
            raise RuntimeError(f"'{self.system.model.name}' stopped at t = {state.clock[0]:g} s")
        return self.record
