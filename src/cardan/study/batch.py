"""One compiled system for all samples of a kinematic study: parameters are data, nothing is compiled anew.

job --> tables of a few designs --> how numbers follow parameters --> many samples in one compiled loop, per thread
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.assemble import CLOSED
from cardan.analysis.closing import Tolerances, vectors
from cardan.analysis.kinematics import checked_times, started
from cardan.analysis.march import fresh_record, fresh_state, fresh_trial
from cardan.errors import CardanError
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.numerics.block import block
from cardan.study.job import Job
from cardan.study.kernels import OTHER, Bench, run_samples
from cardan.study.numbers import Law, floats, law_of, probes, rehoused, sizes_of, structure
from cardan.study.reading import Part, measure_geometry, measures_of, parts_of, reading, with_geometry
from cardan.system.compile import compile
from cardan.system.system import System

NATIVE = {"times", "progress", "equation_tolerance", "step_tolerance", "iterations"}
FAR = 1e-12  # rounding of positions, relative to the size, above which a mechanism stands too far from the origin


class Batch:
    """The tables of a job's model, and how its parameters change them."""

    def __init__(self, job: Job, system: System, active: np.ndarray, tables: tuple[Any, ...], law: Law | None) -> None:
        self.job, self.system, self.active, self.law = job, system, active, law
        self.parts, self.measures, self.reading, self.base = tables
        self.times = checked_times(job.options["times"])
        self.form = _form(system, self.reading.geometry)
        self.closing = np.ones(system.row_count, np.uint8)
        fields = Tolerances._field_defaults
        stated = [job.options.get(f"{n}_tolerance", job.options.get(n, fields[n])) for n in Tolerances._fields]
        self.tolerances = Tolerances(float(stated[0]), float(stated[1]), int(stated[2]))
        self.lock = threading.Lock()  # the model is changed while tables are made of it
        self.varied = np.arange(self.base.size) if law is None else law.varied

    def run(self, bench: Any, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The curves [samples, instants, outputs] of samples, and which of them are left to the ordinary analysis."""
        numbers, left = self._numbers(values)
        curves = np.full((len(values), self.times.size, len(self.parts)), np.nan)
        status = np.zeros(len(values), np.int64)
        run_samples(bench, self.tolerances, CLOSED, numbers, curves, status)
        return curves, (status == OTHER) | left

    def bench(self) -> Any:
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
        size, unit, factor, soft_unit = house
        work, soft, scratch = system.work(self.active), system.work(), vectors(system)
        state = fresh_state(system, system.start, float(self.times[0]), 1.0)
        return block(
            Bench(
                flat=flat,
                place=self.varied.astype(np.uint32),
                geometry=system.geometry,
                rows=system.rows,
                solver=system.solver,
                weights=system.weights,
                active=self.active,
                closing=self.closing,
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
        )

    def _arrays(self) -> list[np.ndarray]:
        return _arrays(self.system, self.reading.geometry, self.active)

    def _numbers(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers that vary, and which samples have none: by their laws, or by making tables of each."""
        left = np.zeros(len(values), bool)
        if self.law is not None:
            return self.law.numbers(values), left
        numbers = np.tile(self.base, (len(values), 1))
        with self.lock:
            for s, sample in enumerate(values):
                found = _tables(self.job, sample, self.parts, self.measures, self.active, self.form, self.times[0])
                left[s] = found is None
                if found is not None:
                    numbers[s] = found[0]
        return numbers, left


def batch_of(job: Job, low: np.ndarray, high: np.ndarray) -> Batch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one."""
    if job.analysis != "kinematics" or not isinstance(job.model, Model) or not set(job.options) <= NATIVE:
        return None
    times = checked_times(job.options.get("times", ()))
    designs = probes(low, high)
    try:
        with job.stated(designs[0]) as model:
            system = compile(model, time=float(times[0]))
            parts = parts_of(system, job.outputs)
            if parts is None or not _plain(system):
                return None
            measures = measures_of(system, parts)
            tables = reading(system, parts, measures, times.size)
            kept = compile(model, time=float(times[0]))  # positions are found with its twin
            _, active, _, _ = started(system, float(times[0]))
    except CardanError:
        return None
    base = _gathered(kept, tables.geometry, active)
    form = _form(kept, tables.geometry)
    law = _law(job, designs, (parts, measures, active, form, float(times[0])), kept)
    return Batch(job, kept, active, (parts, measures, tables, base), law)


def _plain(system: System) -> bool:
    """Whether the compiled loop can serve a model: no offsets that float, no rolling, functions all compiled."""
    functions = [e.function for e in system.equations if e.function is not None]
    functions += [t.function for e in system.equations if e.motion for t in e.motion.terms() if t.function is not None]
    odd = system.on_velocities.any() or system.floating.any()
    return not odd and all(f.compiled for f in functions) and system.rounding <= FAR


def _law(job: Job, designs: np.ndarray, form: tuple[Any, ...], system: System) -> Law | None:
    """How all numbers follow the parameters; None if tables must be made for each sample."""
    parts, measures, active, shape, time = form
    tables: list[np.ndarray | None] = []
    lengths: list[float] = []
    for design in designs:
        found = _tables(job, design, parts, measures, active, shape, time, refuse=True)
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
    contacts_vary = bool(system.own) and bool(law.powers)
    return None if contacts_vary else law


def _tables(
    job: Job,
    values: Any,
    parts: list[list[Part]],
    measures: tuple[Measure, ...],
    active: np.ndarray,
    form: bytes,
    time: float,
    refuse: bool = False,
) -> Any:
    """Numbers and size of one design. None if the model refuses it, or, unless `refuse`, has another structure."""
    try:
        with job.stated(values) as model:
            system = compile(model, time=time)
            geometry = measure_geometry(system, measures_of(system, parts))
    except CardanError:
        return None
    if _form(system, geometry) != form or system.rounding > FAR:
        return (None, system.length) if refuse else None
    return _gathered(system, geometry, active), system.length


def _form(system: System, geometry: Any) -> bytes:
    return structure(system.geometry) + structure(system.rows) + structure(geometry)


def _arrays(system: System, geometry: Any, active: np.ndarray) -> list[np.ndarray]:
    """All arrays with numbers that parameters may change, in the order in which a bench takes them."""
    work = system.work(active)
    turns = np.zeros(system.reference.size)  # of other measures the reference is never read
    turns[system.winding] = system.reference[system.winding]
    return [
        *floats(system.geometry),
        *floats(system.rows),
        system.weights,
        system.start,
        turns,
        *floats(geometry),
        vectors(system).size,
        work.unit,
        work.factor,
        work.unit,
    ]


def _gathered(system: System, geometry: Any, active: np.ndarray) -> np.ndarray:
    return np.concatenate([array.ravel() for array in _arrays(system, geometry, active)])


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
