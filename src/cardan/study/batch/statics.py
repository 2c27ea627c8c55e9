"""One compiled system for all samples of a study of equilibria, or of linearizations about them.

job --> tables of a few designs --> how numbers follow parameters --> many searches in one compiled loop, per thread

Models whose forces have no potential energy, that contain beams or devices with states, or that touch and switch, run
one by one, as do outputs of a linearization that need the whole result.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED, assembled
from cardan.analysis.equilibria.equilibrium import BALANCED, at_rest
from cardan.analysis.equilibria.place import Place
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.states import has_devices
from cardan.analysis.equilibria.statics import SMALL, Statics
from cardan.analysis.equilibria.stiffness import needs_exact
from cardan.analysis.steady.contacts import impacts_of
from cardan.errors import CardanError, CardanWarning
from cardan.model.model import Model
from cardan.results.columns import Columns
from cardan.results.compiled_reading import Part, measure_geometry, measures_of, reading
from cardan.results.linear.eigenvalue_outputs import EIGENVALUE_OUTPUTS, eigenvalue_output
from cardan.study.batch.kernels import OTHER, PLAIN
from cardan.study.batch.linear_samples import run_linearizations
from cardan.study.batch.loads import load_parts, load_tables, steady_forces
from cardan.study.batch.static_bench import Beside, beside_of, linear_bench, static_bench
from cardan.study.batch.static_search import run_statics
from cardan.study.job import EQUILIBRIUM, Job
from cardan.system.cartesian.numbers import Law, floats, law_of, probes, sizes_of, structure
from cardan.system.compile import compile
from cardan.system.system import System

LINEAR = "linearize"
NATIVE = {
    "equilibrium": {"method", "time", "tolerance", "progress", "coordinates"},
    LINEAR: {"at", "time", "coordinates"},
}
QUARTER = 0.5 * np.pi
FAR = 1e-12  # rounding of positions, relative to the size, above which a mechanism stands too far from the origin


class Design(NamedTuple):
    """The tables of one design."""

    system: System
    beside: Beside
    geometry: Any  # of the measures that outputs read
    turns: np.ndarray

    def arrays(self) -> list[np.ndarray]:
        """All arrays with numbers that parameters may change, in the order in which a bench takes them."""
        system, loads = self.system, load_tables(self.system)
        size = system.speeds()
        size[system.width :] = np.sqrt(system.weights) / system.length  # as `vectors` has it
        return [
            *floats(system.geometry),
            *floats(system.rows),
            system.weights,
            system.start,
            self.turns,
            *floats(self.geometry),
            system.length / np.sqrt(system.weights),
            size,
            *floats(loads.forces),
            loads.matter,
            loads.gravity,
            *floats(self.beside.geometry),
            self.beside.law,
        ]

    def numbers(self) -> np.ndarray:
        return np.concatenate([array.ravel() for array in self.arrays()])

    def form(self) -> bytes:
        """What must not change with parameters."""
        tables = self.system.geometry, self.system.rows, self.geometry, load_tables(self.system).forces
        return b"".join(map(structure, (*tables, self.beside.geometry))) + self.beside.curved.tobytes()

    def sections(self) -> dict[str, slice]:
        """Where some arrays stand among all numbers."""
        known = {"local": self.system.geometry.local, "start": self.system.start, "turns": self.turns}
        found: dict[str, slice] = {}
        place = 0
        for array in self.arrays():
            found |= {name: slice(place, place + array.size) for name, one in known.items() if array is one}
            place += array.size
        return found


class StaticBatch:
    """The tables of a job's model, and how its parameters change them."""

    def __init__(self, job: Job, design: Design, parts: dict[int, list[Part]], law: Law | None, rank: int) -> None:
        self.job, self.design, self.law, self.rank = job, design, law, rank
        self.parts = parts
        self.linear = job.analysis == LINEAR
        self.called = [k for k in range(len(job.outputs)) if k not in parts and not self.linear]
        self.times = np.array([float(job.options.get("time", 0.0))])
        self.base, self.shape = design.numbers(), design.form()
        self.varied = np.arange(self.base.size) if law is None else law.varied
        self.lock = threading.Lock()  # the model is changed while tables are made of it

    def run(self, desk: Any, values: np.ndarray, outputs: Sequence[np.ndarray]) -> tuple[np.ndarray, dict[int, str]]:
        """Analyze samples and fill in their outputs. Returns which of them are left to the ordinary analysis."""
        numbers, left = self._numbers(values)
        status = np.zeros(len(values), np.int64)
        if self.linear:
            self._linearize(desk, numbers, outputs, status)
            return left | (status == OTHER), {}
        curves = np.full((len(values), 1, len(self.parts)), np.nan)
        if not self.called:
            run_statics(desk, numbers, curves, status)
        for s in np.flatnonzero(~left).tolist() if self.called else ():
            one = slice(s, s + 1)
            run_statics(desk, numbers[one], curves[one], status[one])
            if status[s] == PLAIN and not self._call(desk, values[s], [found[s, ...] for found in outputs]):
                status[s] = OTHER
        for column, k in enumerate(self.parts):
            outputs[k][:] = curves[:, 0, column]
        return left | (status == OTHER), {}

    def desk(self) -> Any:
        """Tables and memory for one thread."""
        options = self.job.options
        search = not self.linear or options.get("at") == EQUILIBRIUM
        system = self.design.system
        plan = (self.times[0], max(CLOSED, system.rounding), float(options.get("tolerance", BALANCED)), float(search))
        tables = reading(system, [*self.parts.values()], 1)
        bench = static_bench(self.design, self.varied, np.array(plan), self.rank, tables)
        return linear_bench(system, bench) if self.linear else bench

    def _linearize(self, desk: Any, numbers: np.ndarray, outputs: Sequence[np.ndarray], status: np.ndarray) -> None:
        """Eigenvalues of all samples, and what outputs read of them."""
        size = 2 * (self.design.system.coordinates - self.rank)
        found = np.zeros((numbers.shape[0], size, size))
        run_linearizations(desk, numbers, found, status)
        eigenvalues = np.linalg.eigvals(found)
        for s in np.flatnonzero(status == PLAIN).tolist():
            for output, target in zip(self.job.outputs, outputs, strict=True):
                value = output.reduced(eigenvalue_output(output.source, eigenvalues[s]), 0)
                if value.shape != target[s].shape:
                    status[s] = OTHER  # which reports the shape
                    break
                target[s] = value

    def _call(self, desk: Any, values: np.ndarray, outputs: Sequence[np.ndarray]) -> bool:
        """Read outputs that need the whole equilibrium; what fails is left to the ordinary analysis."""
        with self.lock, warnings.catch_warnings(), self.job.stated(values) as model:
            warnings.simplefilter("ignore", CardanWarning)
            try:
                system = compile(model, forces=True, time=float(self.times[0]))
                _, stated = assembled(system, float(self.times[0]))
                statics = Statics(system, float(self.times[0]))
                reference = desk.here.reference.copy()
                place = Place(desk.here.q.copy(), reference, statics.at(desk.here.q.copy(), reference))
                found = at_rest(statics, place, "energy", stated)
                for k in self.called:
                    value = self.job.outputs[k].read(found)
                    if value.shape != outputs[k].shape:
                        return False
                    outputs[k][...] = value
            except Exception:  # whatever a user's function raises
                return False
        return True

    def _numbers(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers that vary, and which samples have none."""
        left = np.zeros(len(values), bool)
        if self.law is not None:
            return self.law.numbers(values), left
        numbers = np.tile(self.base, (len(values), 1))
        for s, sample in enumerate(values):
            with self.lock:
                found = _numbers_of(self.job, sample, self.shape)
            left[s] = found is None
            if found is not None:
                numbers[s] = found[0]
        return numbers, left


def static_batch_of(job: Job, low: np.ndarray, high: np.ndarray, first: np.ndarray | None = None) -> StaticBatch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one.

    `first` are the values at which the tables are made.
    """
    if not isinstance(job.model, Model) or not _known(job):
        return None
    designs = probes(low, high, first)
    try:
        with job.stated(designs[0]) as model:
            design = _design(job, model)
            if design is None:
                return None
            parts = _parts(job, design.system)
            if parts is None:
                return None
            rank = _rank(design.system, job)
    except CardanError:
        return None
    if rank < design.system.row_count and any(_of_rows(job, k, design.system) for k in parts):
        parts = {k: found for k, found in parts.items() if not _of_rows(job, k, design.system)}
    form = design.form()
    found = [_numbers_of(job, values, form) for values in designs]
    law = None
    if all(one is not None for one in found[: 1 + low.size]) and not any(e.period for e in design.system.equations):
        sections = design.sections()
        sizes = sizes_of(design.system, sections["local"], sections["start"])
        tables = [None if one is None else one[0] for one in found]
        law = law_of(designs, tables, [1.0 if one is None else one[1] for one in found], sizes)
        if law is not None and np.isin(np.arange(*sections["turns"].indices(2**62)), law.varied).any():
            law = None  # turns jump
    return StaticBatch(job, design, parts, law, rank)


def _known(job: Job) -> bool:
    """Whether the compiled loop has all options."""
    options = job.options
    if not set(options) <= NATIVE[job.analysis] or options.get("coordinates", "auto") == "joint":
        return False
    if job.analysis == LINEAR:
        return options.get("at") in (None, EQUILIBRIUM) and all(o.source in EIGENVALUE_OUTPUTS for o in job.outputs)
    return options.get("method", "auto") in ("auto", "energy")


def _design(job: Job, model: Model) -> Design | None:
    """The tables of the model as it is stated now; None if the compiled loop cannot serve it."""
    time, linear = float(job.options.get("time", 0.0)), job.analysis == LINEAR
    if impacts_of(model):
        return None
    system = compile(model, forces=True, time=time)
    system.rows.offset[system.floating] = 0.0  # what they are is found in each sample
    smooth = all(m.kind in system.space.usual for m in system.measures) and not system.rows.function.size
    smooth &= all(w.curve is w.rate_curve is w.function is w.signal is None for w in system.laws)
    functions = [e.function for e in system.equations if e.function is not None]
    functions += [t.function for e in system.equations if e.motion for t in e.motion.terms() if t.function is not None]
    search = not linear or job.options.get("at") == EQUILIBRIUM
    if (
        system.contact_coordinates
        or system.misfits
        or system.on_velocities.any()
        or not 0 < system.coordinates <= SMALL
        or not steady_forces(system)
        or not all(function.compiled for function in functions)
        or system.rounding > FAR
        or (linear and not smooth)
        or (not search and system.stated_speeds().any())
    ):
        return None
    statics = Statics(system, time)
    if has_devices(statics) or statics.workless or needs_exact(statics):
        return None
    beside = beside_of(Potential(statics, system.reference.copy()) if search else None, statics)
    turns = np.zeros(system.reference.size)
    turns[system.winding] = QUARTER * np.round(system.reference[system.winding] / QUARTER)
    geometry = measure_geometry(system, measures_of(system, [*(_parts(job, system) or {}).values()]))
    return Design(system, beside, geometry, turns)


def _numbers_of(job: Job, values: Any, form: bytes) -> tuple[np.ndarray, float] | None:
    """Numbers and size of one design; None if the model rejects it, or has another structure."""
    try:
        with job.stated(values) as model:
            design = _design(job, model)
            if design is None or design.form() != form:
                return None
            return design.numbers(), design.system.length
    except CardanError:
        return None


def _parts(job: Job, system: System) -> dict[int, list[Part]] | None:
    """The parts of outputs that the compiled loop reads; no column is missing."""
    if job.analysis == LINEAR:
        return {}
    columns = Columns(system, forces=True)
    listed = {k: load_parts(system, output.source, columns) for k, output in enumerate(job.outputs)}
    return {k: parts for k, parts in listed.items() if parts is not None}


def _of_rows(job: Job, k: int, system: System) -> bool:
    """Whether an output is a multiplier, which redundant rows share."""
    source = job.outputs[k].source
    columns = Columns(system, forces=True)
    column = columns[source] if isinstance(source, str) and source in columns else None
    return column is not None and (column.constraint_force is not None or column.reaction is not None)


def _rank(system: System, job: Job) -> int:
    """The rank of the rows where the mechanism is closed."""
    time = float(job.options.get("time", 0.0))
    other = replace(system, rows=system.rows)
    q, reference = assembled(other, time)
    statics = Statics(other, time)
    found = statics.rank(statics.at(q, reference)).rank
    system.rows.offset[system.floating] = 0.0
    return int(found)
