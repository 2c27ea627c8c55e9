"""One compiled system for all samples of a study of equilibria, or of linearizations about them.

job --> tables of a few designs --> how numbers follow parameters --> many searches in one compiled loop, per thread

Models whose forces have no potential energy, that contain beams or devices with states, or that touch and switch, run
one by one, as do outputs of a linearization that need the whole result.
"""

from __future__ import annotations

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
from cardan.errors import CardanError
from cardan.model.model import Model
from cardan.results.columns import Columns
from cardan.results.compiled_reading import Part, measure_geometry, measures_of, reading
from cardan.results.linear.eigenvalue_outputs import EIGENVALUE_OUTPUTS, eigenvalue_output
from cardan.results.steady.equilibrium import Equilibrium
from cardan.study.batch.kernels import DONE, FALLBACK
from cardan.study.batch.linear_samples import linear_workspace, run_linearizations
from cardan.study.batch.loads import LoadTables, load_parts, load_tables
from cardan.study.batch.static_search import run_statics
from cardan.study.batch.static_tables import PotentialTables, StaticPlan, potential_tables, static_workspace
from cardan.study.batch.tables import (
    MAX_POSITION_ROUNDING,
    TableBatch,
    declined,
    design_law,
    gathered,
    stated_turns,
    unknown_options,
)
from cardan.study.job import EQUILIBRIUM, Job
from cardan.system.cartesian.numbers import Law, floats, probes, structure
from cardan.system.compile import compile
from cardan.system.system import System

LINEAR = "linearize"
NATIVE = {
    "equilibrium": {"method", "time", "tolerance", "progress", "coordinates"},
    LINEAR: {"at", "time", "coordinates"},
}


class Design(NamedTuple):
    """The tables of one design."""

    system: System
    energy_tables: PotentialTables
    geometry: Any  # of the measures that outputs read
    turns: np.ndarray
    loads: LoadTables

    def arrays(self) -> list[np.ndarray]:
        """All arrays with numbers that parameters may change, in the order in which a workspace takes them."""
        system, loads = self.system, self.loads
        size = system.speeds()
        size[system.width :] = np.sqrt(system.weights) / system.length  # as `vectors` has it
        stated = [*floats(system.geometry), *floats(system.rows), system.weights, system.start, self.turns]
        stated += [*floats(self.geometry), system.unit, size, *floats(loads.forces), loads.matter, loads.gravity]
        return [*stated, *floats(self.energy_tables.geometry), self.energy_tables.law]

    def form(self) -> bytes:
        """What must not change with parameters."""
        tables = self.system.geometry, self.system.rows, self.geometry, self.loads.forces
        return b"".join(map(structure, (*tables, self.energy_tables.geometry))) + self.energy_tables.curved.tobytes()


class StaticBatch(TableBatch):
    """The tables of a job's model, and how its parameters change them."""

    def __init__(self, job: Job, design: Design, parts: dict[int, list[Part]], law: Law | None, rank: int) -> None:
        time = np.array([float(job.options.get("time", 0.0))])
        super().__init__(job, law, gathered(design.arrays()), parts, time)
        self.design, self.rank, self.parts, self.form = design, rank, parts, design.form()
        self.linear = job.analysis == LINEAR

    def run(self, worker: Any, values: np.ndarray, outputs: Sequence[np.ndarray]) -> tuple[np.ndarray, dict[int, str]]:
        if not self.linear:
            return super().run(worker, values, outputs)
        numbers, left, _ = self._numbers(values)
        status = np.zeros(len(values), np.int64)
        self._linearize(worker, numbers, outputs, status)
        return left | (status == FALLBACK), {}

    def worker(self) -> Any:
        options, system = self.job.options, self.design.system
        plan = StaticPlan(
            time=float(self.times[0]),
            closed=max(CLOSED, system.rounding),
            tolerance=float(options.get("tolerance", BALANCED)),
            searches=int(not self.linear or options.get("at") == EQUILIBRIUM),
        )
        tables = reading(system, [*self.parts.values()], 1)
        workspace = static_workspace(self.design, self.varied, plan, self.rank, tables)
        return linear_workspace(system, workspace) if self.linear else workspace

    def compute(self, worker: Any, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        run_statics(worker, numbers, curves, status)

    def shown(self, k: int, curves: np.ndarray) -> np.ndarray:
        return curves[:, 0]

    def stated(self, values: np.ndarray) -> tuple[np.ndarray, float, System] | None:
        return _numbers_of(self.job, values, self.form)

    def result(self, worker: Any, system: System | None, model: Model | None) -> Equilibrium:
        assert model is not None
        time = float(self.times[0])
        system = compile(model, forces=True, time=time)
        _, stated = assembled(system, time)
        statics, reference = Statics(system, time), worker.here.reference.copy()
        place = Place(worker.here.q.copy(), reference, statics.at(worker.here.q.copy(), reference))
        return at_rest(statics, place, "energy", stated)

    def _linearize(self, worker: Any, numbers: np.ndarray, outputs: Sequence[np.ndarray], status: np.ndarray) -> None:
        """Eigenvalues of all samples, and what outputs read of them."""
        size = 2 * (self.design.system.coordinates - self.rank)
        found = np.zeros((numbers.shape[0], size, size))
        run_linearizations(worker, numbers, found, status)
        eigenvalues = np.linalg.eigvals(found)
        for s in np.flatnonzero(status == DONE).tolist():
            for output, target in zip(self.job.outputs, outputs, strict=True):
                value = output.reduced(eigenvalue_output(output.source, eigenvalues[s]), 0)
                if value.shape != target[s].shape:
                    status[s] = FALLBACK  # which reports the shape
                    break
                target[s] = value


def static_batch_of(
    job: Job, low: np.ndarray, high: np.ndarray, first: np.ndarray | None = None, why: list[str] | None = None
) -> StaticBatch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one, and `why`.

    `first` are the values at which the tables are made.
    """
    if not isinstance(job.model, Model):
        return declined(why, "each sample has a model of its own")
    if not _known(job):
        return declined(why, unknown_options(job.analysis, job.options, NATIVE[job.analysis]))
    designs = probes(low, high, first)
    try:
        with job.stated(designs[0]) as model:
            design = _design(job, model)
            if design is None:
                return declined(
                    why,
                    "the model has contacts, impacts, devices, velocity constraints, interpreted functions, or "
                    "too many coordinates",
                )
            parts = _parts(job, design.system)
            if parts is None:
                return declined(why, "an output needs the whole result")
            rank = _rank(design.system, job)
    except CardanError as error:
        return declined(why, f"a design within the ranges fails: {error}")
    if rank < design.system.row_count and any(_of_rows(job, k, design.system) for k in parts):
        parts = {k: found for k, found in parts.items() if not _of_rows(job, k, design.system)}
    form = design.form()
    found = [_numbers_of(job, values, form) for values in designs]
    law = None
    if all(one is not None for one in found[: 1 + low.size]) and not any(e.period for e in design.system.equations):
        tables = [None if one is None else one[0] for one in found]
        lengths = [1.0 if one is None else one[1] for one in found]
        law = design_law(designs, tables, lengths, design.system, design.arrays(), design.turns, design.system.start)
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
    search = not linear or job.options.get("at") == EQUILIBRIUM
    if (
        system.contact_coordinates
        or system.misfits
        or system.on_velocities.any()
        or not 0 < system.coordinates <= SMALL
        or system.samplers
        or not all(function.compiled for function in system.functions())
        or system.rounding > MAX_POSITION_ROUNDING
        or (linear and not smooth)
        or (not search and system.stated_speeds().any())
    ):
        return None
    statics = Statics(system, time)
    if has_devices(statics) or statics.workless or needs_exact(statics):
        return None
    energy_tables = potential_tables(Potential(statics, system.reference.copy()) if search else None, statics)
    geometry = measure_geometry(system, measures_of(system, [*(_parts(job, system) or {}).values()]))
    return Design(system, energy_tables, geometry, stated_turns(system), load_tables(system))


def _numbers_of(job: Job, values: Any, form: bytes) -> tuple[np.ndarray, float, System] | None:
    """Numbers, size and system of one design; None if the model rejects it, or has another structure."""
    try:
        with job.stated(values) as model:
            design = _design(job, model)
            if design is None or design.form() != form:
                return None
            return gathered(design.arrays()), design.system.length, design.system
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
