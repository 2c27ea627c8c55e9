"""One compiled system for all samples of a study of kinematics or inverse dynamics: parameters are data, nothing is
compiled anew.

job --> tables of a few designs --> how numbers follow parameters --> many samples in one compiled loop, per thread
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.closing import Tolerances, vectors
from cardan.analysis.driven.cartesian_march import fresh_record, fresh_state, settle_borders
from cardan.analysis.driven.failure import stuck
from cardan.analysis.driven.kinematics import started
from cardan.analysis.driven.march import fresh_trial
from cardan.analysis.driven.singular import locate
from cardan.analysis.loads.cartesian import loads_of
from cardan.errors import CardanError, CardanWarning
from cardan.model import check
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.numerics.compiled.block import block
from cardan.results.columns import Columns
from cardan.results.compiled_reading import Part, measure_geometry, measures_of, parts_of, reading, with_geometry
from cardan.results.trajectory import Trajectory
from cardan.study.batch.kernels import HELD, OTHER, PLAIN, Bench, run_samples
from cardan.study.batch.loads import (
    LoadTables,
    load_bench,
    load_floats,
    load_form,
    load_parts,
    load_tables,
    loads_on,
    run_loaded_samples,
    steady_forces,
)
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, floats, law_of, probes, rehoused, sizes_of, structure
from cardan.system.compile import compile
from cardan.system.system import System

LOADED = "inverse_dynamics"  # the analysis with forces
NATIVE = {
    "kinematics": {"times", "progress", "tolerance", "step_tolerance", "iterations"},
    LOADED: {"times", "progress"},
}
QUARTER = 0.5 * np.pi
FAR = 1e-12  # rounding of positions, relative to the size, above which a mechanism stands too far from the origin


class Desk(NamedTuple):
    """Where one thread works: its tables and memory, and the system that they belong to."""

    bench: Any
    system: System
    loaded: Any = None  # the bench of forces,
    states: np.ndarray | None = None  # and the states of devices


class Batch:
    """The tables of a job's model, and how its parameters change them."""

    def __init__(self, job: Job, system: System, active: np.ndarray, tables: tuple[Any, ...], law: Law | None) -> None:
        self.job, self.system, self.active, self.law = job, system, active, law
        self.read, self.reading, self.base = tables
        self.called = [k for k in range(len(job.outputs)) if k not in self.read]  # outputs that need the result
        self.times = check.times(job.options["times"])
        self.loaded = job.analysis == LOADED
        self.form = _form(system, self.reading.geometry, self.loaded)
        self.closing, self.floating = (~system.floating).astype(np.uint8), np.flatnonzero(system.floating)
        fields = Tolerances._field_defaults
        stated = [job.options.get(f"{n}_tolerance", job.options.get(n, fields[n])) for n in Tolerances._fields]
        self.tolerances = Tolerances(float(stated[0]), float(stated[1]), int(stated[2]))
        self.lock = threading.Lock()  # the model is changed while tables are made of it
        self.varied = np.arange(self.base.size) if law is None else law.varied

    def run(self, desk: Desk, values: np.ndarray, outputs: Sequence[np.ndarray]) -> tuple[np.ndarray, dict[int, str]]:
        """Analyze samples and fill in their outputs.

        Returns which of them are left to the ordinary analysis, and why others have no result.
        """
        numbers, left, systems = self._numbers(values)
        curves = np.full((len(values), self.times.size, len(self.read)), np.nan)
        status = np.zeros(len(values), np.int64)
        if not self.called:
            self._compute(desk, numbers, curves, status)
        for s in np.flatnonzero(~left).tolist() if self.called else ():
            one = slice(s, s + 1)
            self._compute(desk, numbers[one], curves[one], status[one])
            if status[s] == PLAIN and not self._call(desk, systems[s], values[s], [found[s, ...] for found in outputs]):
                status[s] = OTHER
        for column, k in enumerate(self.read):
            outputs[k][:] = self.job.outputs[k].reduced(curves[:, :, column], 1)
        held = np.flatnonzero(~left & (status == HELD)).tolist()
        return left | (status == OTHER), {s: self._why(desk, numbers[s : s + 1]) for s in held}

    def _compute(self, desk: Desk, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        """Run the compiled loop."""
        if desk.loaded is not None:
            run_loaded_samples(desk.loaded, desk.states, self.tolerances, CLOSED, numbers, curves, status)
        else:
            run_samples(desk.bench, self.tolerances, CLOSED, numbers, curves, status)

    def _why(self, desk: Desk, numbers: np.ndarray) -> str:
        """Why a sample is stuck: its state is made again, and looked at as the ordinary analysis does."""
        bench, times, status = desk.bench, self.times, np.zeros(1, np.int64)
        run_samples(bench, self.tolerances, CLOSED, numbers, np.zeros((1, times.size, len(self.read))), status)
        turning = [*desk.system.space.angular].index(True)
        system = replace(desk.system, length=float(np.sqrt(desk.system.weights[turning])))  # as `metric` has it
        tables = (system.geometry, system.rows, system.solver, system.weights, self.active, self.tolerances)
        settle_borders(tables, bench.state, bench.work, bench.vectors)
        now = float(bench.state.clock.now)
        done = int(np.searchsorted(times, now, "right"))
        way, span = (times[:done], lambda k: (bench.record, k)), float(times[-1] - times[0]) or 1.0
        motion = (bench.record.q[:done], bench.record.v[:done], bench.record.a[:done])
        found = locate(system, self.active, bench.state, way, span)
        return str(stuck(system, found, now, Trajectory(system, times[:done], *motion)))

    def _call(self, desk: Desk, system: System | None, values: np.ndarray, outputs: Sequence[np.ndarray]) -> bool:
        """Read outputs of the sample on the desk that need its result; what fails is left to the ordinary analysis."""
        record, aside = desk.bench.record, tuple(np.flatnonzero(self.active == 0).tolist())
        if system is not None:
            system.rows.offset[self.floating] = desk.bench.rows.offset[self.floating]
        q, v, a, counts, steps, turns = (
            table.copy() for table in (record.q, record.v, record.a, record.iterations, record.steps, record.turns)
        )
        run = Trajectory(system or desk.system, self.times, q, v, a, counts, steps, aside, turns=turns)
        if desk.loaded is not None:
            run.analysis, run.loads, run.find_loads = "inverse dynamics", loads_on(run.system, desk.loaded), loads_of
        with ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore", CardanWarning)
            if system is None:  # all samples share one model
                stack.enter_context(self.lock)
                stack.enter_context(self.job.stated(values))
            try:
                for k in self.called:
                    found = self.job.outputs[k].read(run)
                    if found.shape != outputs[k].shape:
                        return False
                    outputs[k][...] = found
            except Exception:  # whatever a user's function raises
                return False
        return True

    def desk(self) -> Desk:
        """Tables and memory for one thread."""
        flat = self.base.copy()
        house = _views(flat, self._arrays())
        system = replace(
            self.system,
            geometry=rehoused(self.system.geometry, house),
            rows=rehoused(self.system.rows, house),
            weights=next(house),
            start=next(house),
            reference=next(house),
        )
        geometry = rehoused(self.reading.geometry, house)
        size, unit, factor, soft_unit = (next(house) for _ in range(4))
        work, soft, scratch = system.work(self.active), system.work(), vectors(system)
        state = fresh_state(system, system.start, float(self.times[0]), 1.0)
        bench = Bench(
            flat=flat,
            place=self.varied.astype(np.uint32),
            geometry=system.geometry,
            rows=system.rows,
            solver=system.solver,
            weights=system.weights,
            active=self.active,
            closing=self.closing,
            floating=self.floating.astype(np.uint32),
            times=self.times,
            start=system.start,
            reference=system.reference,
            turns=system.reference.copy(),
            winding=system.winding,
            q=system.start.copy(),
            state=state,
            trial=fresh_trial(state),
            record=fresh_record(system, self.times.size),
            soft=block(_tuple(soft)._replace(unit=soft_unit)),
            work=block(_tuple(work)._replace(unit=unit, factor=factor)),
            vectors=block(_tuple(scratch)._replace(size=size)),
            reading=with_geometry(self.reading, geometry),
        )
        made = block(bench)
        if not self.loaded:
            return Desk(made, system)
        tables = LoadTables(rehoused(load_tables(self.system).forces, house), next(house), next(house), next(house))
        return Desk(made, system, load_bench(system, made, tables, unit, factor), tables.states)

    def _arrays(self) -> list[np.ndarray]:
        return _arrays(self.system, self.reading.geometry, self.active, self.loaded)

    def _numbers(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[System | None]]:
        """The numbers that vary, which samples have none, and the systems of models that were built for a sample."""
        left = np.zeros(len(values), bool)
        systems: list[System | None] = [None] * len(values)
        if self.law is not None:
            return self.law.numbers(values), left, systems
        numbers = np.tile(self.base, (len(values), 1))
        shared = isinstance(self.job.model, Model)
        for s, sample in enumerate(values):
            with self.lock if shared else nullcontext():
                found = _tables(self.job, sample, self.active, self.form, float(self.times[0]), forces=self.loaded)
            left[s] = found is None
            if found is not None:
                numbers[s], _, made = found
                systems[s] = None if shared else made
        return numbers, left, systems


def batch_of(
    job: Job, low: np.ndarray, high: np.ndarray, first: np.ndarray | None = None, forces: bool = False
) -> Batch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one.

    `first` are the values at which the tables are made; with `forces` they include the measures along which forces act.
    A function that builds models may behave arbitrarily between the designs examined: tables are compiled for each
    model that it builds.
    """
    if job.analysis not in NATIVE or not set(job.options) <= NATIVE[job.analysis]:
        return None
    built, loaded = not isinstance(job.model, Model), job.analysis == LOADED
    if built and (loaded or any(isinstance(output.source, Readable) for output in job.outputs)):
        return None  # a measure, or forces, of another model
    forces = forces or loaded
    times = check.times(job.options.get("times", ()))
    designs = probes(low, high, first)
    try:
        with job.stated(designs[0]) as model:
            system = compile(model, time=float(times[0]), forces=forces)
            if not _plain(system) or (loaded and not steady_forces(system)):
                return None
            parts, read = _read(system, job)
            tables = reading(system, parts, times.size)
            kept = _compiled(model, float(times[0]), forces)  # positions are found with its twin
            begun = started(system, float(times[0]))
            begun.require_regular()
            active = begun.active
    except CardanError:
        return None
    if loaded and system.misfits:
        return None  # rows that absorb a misfit have other tables for forces
    base = _gathered(kept, tables.geometry, active, loaded)
    form = _form(kept, tables.geometry, loaded)
    law = None if built else _law(job, designs, (active, form, float(times[0])), kept, forces)
    return Batch(job, kept, active, (read, tables, base), law)


def _read(system: System, job: Job) -> tuple[list[list[Part]], list[int]]:
    """The parts of outputs that the compiled loop reads, and which these are."""
    loaded = job.analysis == LOADED
    columns, find = Columns(system, forces=loaded), load_parts if loaded else parts_of
    listed = [find(system, output.source, columns) for output in job.outputs]
    found = {k: parts for k, parts in enumerate(listed) if parts is not None}
    return [*found.values()], [*found]


def _plain(system: System) -> bool:
    """Whether the compiled loop can serve a model: no equations on velocities, functions all compiled."""
    functions = [e.function for e in system.equations if e.function is not None]
    functions += [t.function for e in system.equations if e.motion for t in e.motion.terms() if t.function is not None]
    return not system.on_velocities.any() and all(f.compiled for f in functions) and system.rounding <= FAR


def _law(job: Job, designs: np.ndarray, form: tuple[Any, ...], system: System, forces: bool = False) -> Law | None:
    """How all numbers follow the parameters; None if tables must be made for each sample."""
    active, shape, time = form
    tables: list[np.ndarray | None] = []
    lengths: list[float] = []
    for design in designs:
        found = _tables(job, design, active, shape, time, refuse=True, forces=forces)
        if found is None:
            return None
        tables.append(found[0])
        lengths.append(found[1])
    if any(equation.period for equation in system.equations):
        return None  # such offsets jump
    sections = _sections(system)
    law = law_of(designs, tables, lengths, sizes_of(system, sections["local"], sections["start"]))
    if law is None or np.isin(np.arange(*sections["reference"].indices(2**62)), law.varied).any():
        return None  # turns jump
    contacts_vary = bool(system.contact_coordinates) and bool(law.powers)
    return None if contacts_vary else law


def _tables(
    job: Job,
    values: Any,
    active: np.ndarray,
    form: bytes,
    time: float,
    refuse: bool = False,
    forces: bool = False,
) -> tuple[Any, float, System] | None:
    """Numbers, size and system of one design. None if the model rejects it, or, unless `refuse`, has another
    structure."""
    loaded = job.analysis == LOADED
    try:
        with job.stated(values) as model:
            system = _compiled(model, time, forces)
            geometry = measure_geometry(system, measures_of(system, _read(system, job)[0]))
            same = _form(system, geometry, loaded) == form and system.rounding <= FAR
            numbers = _gathered(system, geometry, active, loaded) if same else None
    except CardanError:
        return None
    return (numbers, system.length, system) if same or refuse else None


def _compiled(model: Model, time: float, forces: bool = False) -> System:
    """The tables of a model; offsets that float are none of its numbers."""
    system = compile(model, time=time, forces=forces)
    system.rows.offset[system.floating] = 0.0
    return system


def _form(system: System, geometry: Any, loaded: bool) -> bytes:
    found = structure(system.geometry) + structure(system.rows) + structure(geometry)
    return found + load_form(load_tables(system)) if loaded else found


def _arrays(system: System, geometry: Any, active: np.ndarray, loaded: bool) -> list[np.ndarray]:
    """All arrays with numbers that parameters may change, in the order in which a bench takes them."""
    unit, factor = system.length / np.sqrt(system.weights), system.square(active)[3]
    size = system.speeds()
    size[system.width :] = np.sqrt(system.weights) / system.length  # as `vectors` has it
    turns = np.zeros(system.reference.size)  # of other measures the reference is never read
    # Only the turn matters: values in steps of a quarter turn say it, and do not vary with every dimension.
    turns[system.winding] = QUARTER * np.round(system.reference[system.winding] / QUARTER)
    return [
        *floats(system.geometry),
        *floats(system.rows),
        system.weights,
        system.start,
        turns,
        *floats(geometry),
        size,
        unit,
        factor,
        unit,
        *(load_floats(load_tables(system)) if loaded else ()),
    ]


def _gathered(system: System, geometry: Any, active: np.ndarray, loaded: bool) -> np.ndarray:
    return np.concatenate([array.ravel() for array in _arrays(system, geometry, active, loaded)])


def _sections(system: System) -> dict[str, slice]:
    """Where some arrays stand among all numbers."""
    found: dict[str, slice] = {}
    place = 0
    for array in floats(system.geometry):
        if array is system.geometry.local:
            found["local"] = slice(place, place + array.size)
        place += array.size
    place += sum(array.size for array in floats(system.rows)) + system.weights.size
    for name, array in (("start", system.start), ("reference", system.reference)):
        found[name] = slice(place, place + array.size)
        place += array.size
    return found


def _views(flat: np.ndarray, like: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Parts of one flat array in the shapes of others."""
    place = 0
    for array in like:
        yield flat[place : place + array.size].reshape(array.shape)
        place += array.size


def _tuple(tables: Any) -> Any:
    return getattr(tables, "tables", tables)
