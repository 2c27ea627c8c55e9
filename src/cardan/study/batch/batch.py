"""One compiled system for all samples of a study of kinematics or inverse dynamics: parameters are data, nothing is
compiled anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.closing import Bodies, Tolerances, vectors
from cardan.analysis.driven.cartesian_march import fresh_record, fresh_state, settle_borders
from cardan.analysis.driven.failure import stuck
from cardan.analysis.driven.kinematics import started
from cardan.analysis.driven.march import fresh_trial
from cardan.analysis.driven.singular import locate
from cardan.analysis.loads.cartesian import loads_of
from cardan.errors import CardanError
from cardan.model import check
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.numerics.compiled.block import block, replaced
from cardan.results.columns import Columns
from cardan.results.compiled_reading import (
    Part,
    Reading,
    measure_geometry,
    measures_of,
    parts_of,
    reading,
    with_geometry,
)
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.study.batch.kernels import Workspace, run_samples
from cardan.study.batch.loads import LoadTables, load_parts, load_tables, load_workspace, loads_on, run_loaded_samples
from cardan.study.batch.tables import (
    MAX_POSITION_ROUNDING,
    TableBatch,
    declined,
    design_law,
    gathered,
    stated_poses,
    stated_turns,
    turn_choices,
    unknown_options,
    views,
)
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, floats, probes, structure, with_storage
from cardan.system.compile import compile
from cardan.system.system import System

LOADED = "inverse_dynamics"  # the analysis with forces
NATIVE = {
    "kinematics": {"times", "progress", "tolerance", "step_tolerance", "iterations"},
    LOADED: {"times", "progress"},
}


class Worker(NamedTuple):
    """Where one thread works: its tables and memory, and the system that they belong to."""

    workspace: Any
    system: System
    loaded: Any = None  # the workspace of forces,
    states: np.ndarray | None = None  # and the states of devices


class Design(NamedTuple):
    """The tables of one design."""

    system: System
    geometry: Any  # of the measures that outputs read
    active: np.ndarray  # uint8: rows that move the mechanism
    poses: np.ndarray  # of bodies as the model states them, which determine its size
    turns: np.ndarray
    loads: LoadTables | None  # of inverse dynamics

    def arrays(self) -> list[np.ndarray]:
        """All arrays with numbers that parameters may change, in the order in which a workspace takes them."""
        system, loads = self.system, self.loads
        stated = [*floats(system.geometry), *floats(system.rows), system.weights, system.start, self.turns]
        size, factor = system.speeds(), system.square(self.active)[3]
        size[system.width :] = np.sqrt(system.weights) / system.length  # as `vectors` has it
        stated += [*floats(self.geometry), size, system.unit, factor, system.unit]
        return [*stated, *([] if loads is None else loads.arrays()), self.poses]

    def form(self) -> bytes:
        """What must not change with parameters."""
        forces = b"" if self.loads is None else structure(self.loads.forces)
        return structure(self.system.geometry) + structure(self.system.rows) + structure(self.geometry) + forces


class Batch(TableBatch):
    """The tables of a job's model, and how its parameters change them."""

    def __init__(
        self, job: Job, design: Design, read: Sequence[int], tables: Reading, law: Law | None, start: Snapshot | None
    ) -> None:
        super().__init__(job, law, gathered(design.arrays()), read, check.times(job.options["times"]))
        self.design, self.reading, self.form, self.start = design, tables, design.form(), start
        self.system, self.active = design.system, design.active
        fields = Tolerances._field_defaults
        stated = [job.options.get(f"{n}_tolerance", job.options.get(n, fields[n])) for n in Tolerances._fields]
        self.tolerances = Tolerances(float(stated[0]), float(stated[1]), int(stated[2]))

    def compute(self, worker: Worker, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        if worker.loaded is not None:
            run_loaded_samples(worker.loaded, worker.states, self.tolerances, CLOSED, numbers, curves, status)
        else:
            run_samples(worker.workspace, self.tolerances, CLOSED, numbers, curves, status)

    def why(self, worker: Worker, numbers: np.ndarray) -> str:
        """Why a sample is stuck: its state is made again, and looked at as the ordinary analysis does."""
        workspace, times, status = worker.workspace, self.times, np.zeros(1, np.int64)
        run_samples(workspace, self.tolerances, CLOSED, numbers, np.zeros((1, times.size, len(self.read))), status)
        turning = [*worker.system.space.angular].index(True)
        system = replace(worker.system, length=float(np.sqrt(worker.system.weights[turning])))  # as `metric` has it
        settle_borders(workspace.bodies, workspace.state)
        now = float(workspace.state.clock.now)
        done = int(np.searchsorted(times, now, "right"))
        way, span = (times[:done], lambda k: (workspace.record, k)), float(times[-1] - times[0]) or 1.0
        motion = (workspace.record.q[:done], workspace.record.v[:done], workspace.record.a[:done])
        found = locate(system, self.active, workspace.state, way, span)
        return str(stuck(system, found, now, Trajectory(system, times[:done], *motion)))

    def result(self, worker: Worker, system: System | None, model: Model | None) -> Trajectory:
        record, aside = worker.workspace.record, tuple(np.flatnonzero(self.active == 0).tolist())
        if system is not None:
            floating = np.flatnonzero(self.system.floating)
            system.rows.offset[floating] = worker.workspace.bodies.rows.offset[floating]
        q, v, a, counts, steps, turns = (
            table.copy() for table in (record.q, record.v, record.a, record.iterations, record.steps, record.turns)
        )
        run = Trajectory(system or worker.system, self.times, q, v, a, counts, steps, aside, turns=turns)
        if worker.loaded is not None:
            run.analysis, run.loads, run.find_loads = "inverse dynamics", loads_on(run.system, worker.loaded), loads_of
        return run

    def stated(self, values: np.ndarray) -> tuple[np.ndarray, float, System] | None:
        forces = self.job.analysis == LOADED
        found = _design_at(self.job, values, self.active, float(self.times[0]), forces, self.start)
        if found is None or found.form() != self.form or found.system.rounding > MAX_POSITION_ROUNDING:
            return None
        return gathered(found.arrays()), found.system.length, found.system

    def worker(self) -> Worker:
        """Tables and memory for one thread."""
        flat, stated = self.base.copy(), self.system
        storage = views(flat, self.design.arrays())
        system = replace(
            stated,
            geometry=with_storage(stated.geometry, storage),
            rows=with_storage(stated.rows, storage),
            weights=next(storage),
            start=next(storage),
            reference=next(storage),
        )
        geometry = with_storage(self.reading.geometry, storage)
        size, unit, factor, soft_unit = (next(storage) for _ in range(4))
        mechanism = system.geometry, system.rows, system.solver, system.weights, system.winding
        scratch = replaced(vectors(system), size=size)
        work = replaced(system.work(self.active), unit=unit, factor=factor)
        soft = block(
            Bodies(*mechanism, (~stated.floating).astype(np.uint8), replaced(system.work(), unit=soft_unit), scratch)
        )
        state = fresh_state(system, system.start, float(self.times[0]), 1.0)
        workspace = block(
            Workspace(
                flat=flat,
                place=self.varied.astype(np.uint32),
                soft=soft,
                bodies=block(Bodies(*mechanism, self.active, work, scratch)),
                floating=np.flatnonzero(stated.floating).astype(np.uint32),
                times=self.times,
                start=system.start,
                reference=system.reference,
                turns=system.reference.copy(),
                q=system.start.copy(),
                state=state,
                trial=fresh_trial(state),
                record=fresh_record(system, self.times.size),
                reading=with_geometry(self.reading, geometry),
            )
        )
        if self.design.loads is None:
            return Worker(workspace, system)
        tables = LoadTables(
            with_storage(self.design.loads.forces, storage), next(storage), next(storage), next(storage)
        )
        return Worker(workspace, system, load_workspace(system, workspace, tables, unit, factor), tables.states)


def batch_of(
    job: Job,
    low: np.ndarray,
    high: np.ndarray,
    first: np.ndarray | None = None,
    forces: bool = False,
    why: list[str] | None = None,
    start: Snapshot | None = None,
) -> Batch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one, and `why`.

    `first` are the values at which the tables are made; with `forces` they include the measures along which forces act.
    Mechanisms are closed from the positions of `start`, or from those that the model states.
    A function that builds models may behave arbitrarily between the designs examined: tables are compiled for each
    model that it builds.
    """
    if job.analysis not in NATIVE or not set(job.options) <= NATIVE[job.analysis]:
        return declined(why, unknown_options(job.analysis, job.options, NATIVE.get(job.analysis)))
    built, loaded = not isinstance(job.model, Model), job.analysis == LOADED
    if built and (loaded or any(isinstance(output.source, Readable) for output in job.outputs)):
        return declined(why, "each sample has a model of its own, and outputs are measures or forces of one")
    forces = forces or loaded
    times = check.times(job.options.get("times", ()))
    designs = probes(low, high, first)
    try:
        with job.stated(designs[0]) as model:
            system = _compiled(model, float(times[0]), forces, start)
            if not _plain(system) or (loaded and system.samplers):
                return declined(
                    why, "the model has velocity constraints, functions that are interpreted, or forces with a memory"
                )
            begun = started(system, float(times[0]))
            begun.require_regular()
            if loaded and system.misfits:  # rows that absorb a misfit have other tables for forces
                return declined(why, "redundant joints absorb a misfit of their data")
            design = _design(job, model, begun.active, float(times[0]), forces, start)  # without the offsets found
            parts, read = _read(system, job)
            tables = reading(system, parts, times.size)._replace(geometry=design.geometry)
    except CardanError as error:
        return declined(why, f"a design within the ranges fails: {error}")
    law = None if built else _law(job, designs, design, float(times[0]), forces, start)
    return Batch(job, design, read, tables, law, start)


def _compiled(model: Model, time: float, forces: bool, start: Snapshot | None) -> System:
    return compile(model, time=time, forces=forces, start=None if start is None else start.as_start(model))


def _read(system: System, job: Job) -> tuple[list[list[Part]], list[int]]:
    """The parts of outputs that the compiled loop reads, and which these are."""
    loaded = job.analysis == LOADED
    columns, find = Columns(system, forces=loaded), load_parts if loaded else parts_of
    listed = [find(system, output.source, columns) for output in job.outputs]
    found = {k: parts for k, parts in enumerate(listed) if parts is not None}
    return [*found.values()], [*found]


def _plain(system: System) -> bool:
    """Whether the compiled loop can serve a model: no equations on velocities, functions all compiled."""
    compiled = all(function.compiled for function in system.functions())
    return not system.on_velocities.any() and compiled and system.rounding <= MAX_POSITION_ROUNDING


def _law(job: Job, designs: np.ndarray, first: Design, time: float, forces: bool, start: Snapshot | None) -> Law | None:
    """How all numbers follow the parameters; None if tables must be made for each sample."""
    tables: list[np.ndarray | None] = []
    lengths: list[float] = []
    form, choices = first.form(), turn_choices(first.system)
    for values in designs:
        found = _design_at(job, values, first.active, time, forces, start)
        if found is None or turn_choices(found.system) != choices:
            return None
        tables.append(
            gathered(found.arrays())
            if found.form() == form and found.system.rounding <= MAX_POSITION_ROUNDING
            else None
        )
        lengths.append(found.system.length)
    system = first.system
    law = design_law(designs, tables, lengths, system, first.arrays(), first.turns, first.poses)
    contacts_vary = law is not None and bool(system.contact_coordinates) and bool(law.powers)
    return None if contacts_vary else law


def _design_at(
    job: Job, values: Any, active: np.ndarray, time: float, forces: bool, start: Snapshot | None
) -> Design | None:
    """The tables of one design; None if the model rejects it."""
    try:
        with job.stated(values) as model:
            return _design(job, model, active, time, forces, start)
    except CardanError:
        return None


def _design(job: Job, model: Model, active: np.ndarray, time: float, forces: bool, start: Snapshot | None) -> Design:
    """The tables of a model; offsets that float are none of its numbers."""
    system = _compiled(model, time, forces, start)
    system.rows.offset[system.floating] = 0.0
    geometry = measure_geometry(system, measures_of(system, _read(system, job)[0]))
    loads = load_tables(system) if job.analysis == LOADED else None
    return Design(system, geometry, active, stated_poses(system), stated_turns(system), loads)
