"""What a page calls: an analysis with other parameters. All is read from tables of its model, and written to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.closing import Tolerances
from cardan.numerics.compiled.jit import kernel
from cardan.numerics.compiled.record import Record
from cardan.results.compiled_reading import read_parts
from cardan.solving.parameter_kernels import write_parameters
from cardan.study.batch.kernels import OTHER, PLAIN, move_sample


class MotionControl(Record):
    """Tolerances of an analysis, and what came of it."""

    equation: float
    step: float
    iterations: int
    closed: float
    status: int  # PLAIN, OTHER or HELD of `cardan.study.batch.kernels`
    reached: int  # how many output times
    time: float  # reached


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
    tolerances = Tolerances(control.equation, control.step, np.int64(control.iterations))
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
