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
from cardan.solving.kernels import MotionControl, SimulationDesk, solve_simulation
from cardan.solving.parameter_kernels import follow_of
from cardan.solving.parameters import Range, beside
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
    """The simulation by the method of a page."""
    again: Simulation = rerun(run, method=method_in_page(run))
    return again


def simulation_batch(run: Simulation, ranges: Sequence[Range], curves: Sequence[str]) -> SimulationBatch | None:
    """The tables of a simulation; None if they do not follow the parameters, or the simulation needs Python."""
    options = {
        "until": float(run.times[-1]),
        "output": run.times,
        "rtol": run.stats.rtol,
        "method": method_in_page(run),
    }
    outputs = tuple(StudyOutput(name, name) for name in curves)
    job = Job(run.model, tuple(one.parameter for one in ranges), "simulate", outputs, options)
    return simulation_batch_of(job, *beside(ranges), pressing=True)


class SimulationTables:
    """The blocks of a simulation with parameters."""

    entry = solve_simulation

    def __init__(
        self, batch: SimulationBatch, plan: ForcePlan, force_law: Law, curves: Sequence[str], values: np.ndarray
    ) -> None:
        made = batch.desk()
        self.made, self.bench, self.system = made, made.bench, made.run.system
        bench, system, law, count = self.bench, self.system, batch.law, batch.times.size
        self.curves, self.force_curves = list(curves), plan.curves
        self.control, self.values = MotionControl(), values.copy()
        sizes = system.start.size, system.speeds().size, system.speeds().size, system.winding.size
        arrays = [np.zeros((count, size)) for size in (*sizes, system.states.start.size)]
        numbers = plan.numbers_at(batch.job, law.p0)
        stated, motion = bench.stated.start, [batch.times.copy(), *arrays]
        self.forces = ForceTables(plan, force_law, numbers, system, bench.bodies, stated, motion)
        self.desk: Any = block(
            SimulationDesk(
                control=self.control,
                values=self.values,
                follow=follow_of(law, bench.place, system, stated),
                bench=bench,
                curves=np.zeros((count, len(curves))),
                forces=self.forces.block,
            )
        )
        self.curve_table = self.desk.curves
        bodies = replaced(bench.bodies, work=system.work())
        self.hand: Any = hand_of(system, bodies, system.start, system.reference, 0.0)
        self.q, self.turns = arrays[0], arrays[3]
