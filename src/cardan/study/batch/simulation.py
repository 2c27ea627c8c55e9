"""One compiled system for all simulations of a study: parameters are data, nothing is recompiled.

    job --> memory of runs of a few designs --> how numbers follow parameters --> many runs in one compiled loop

Models that switch or sample, and outputs that need the whole result, run one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.closing import bodies_of, vectors
from cardan.analysis.forward.advance import new_run
from cardan.analysis.forward.checks.start import PASSING, TOUCHING
from cardan.analysis.forward.events.mode_switching import watches
from cardan.analysis.forward.recording import fresh_record
from cardan.analysis.forward.simulate import output_times
from cardan.analysis.forward.state import Run, Settings
from cardan.analysis.stepping.saved_state import memory_of
from cardan.errors import CardanError
from cardan.methods import Bdf, method_of
from cardan.methods.historical import AdamsMethod
from cardan.model.force import StartRange
from cardan.model.model import Model
from cardan.numerics.compiled.block import Block, block, replaced, tables_of
from cardan.numerics.memory import MemoryImage
from cardan.results.columns import Columns
from cardan.results.compiled_reading import Part, parts_of, reading, with_geometry
from cardan.study.batch.simulation_kernels import Fit, Plan, SimulationWorkspace, run_simulations
from cardan.study.batch.tables import (
    MAX_POSITION_ROUNDING,
    TableBatch,
    declined,
    design_law,
    gathered,
    stated_turns,
    turn_choices,
    unknown_options,
)
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, probes
from cardan.system.compile import compile
from cardan.system.system import System

NATIVE = {"until", "output", "method", "rtol", "progress", "coordinates"}
SUSPICIONS = 200  # steps that seem stiff, after which the ordinary analysis may choose another method
# Tables that a run fills itself, and scales by which ranks are decided: those of the first design serve for all.
DERIVED = {
    "place", "mass", "flat", "reference", "turns", "column_scale", "rank_weights", "deepest", "limit", "states",
    "tableau", "solver", "events", "scratch",
}  # fmt: skip


class SimulationWorker(NamedTuple):
    """Where one thread works."""

    workspace: Any
    run: Run  # which owns the memory
    image: MemoryImage


class Stated(NamedTuple):
    """The start of a run as the model states it, and what must hold there and on the way."""

    start: np.ndarray
    speeds: np.ndarray
    turns: np.ndarray
    states: np.ndarray
    range: np.ndarray  # [ranges, 2]: limits of measures at the start
    sheet: np.ndarray  # [guards]: depth at which a body may have passed through a sheet


class SimulationBatch(TableBatch):
    """The tables of a job's model, and how its parameters change them."""

    law: Law

    def __init__(self, job: Job, parts: list[list[Part]], law: Law) -> None:
        self.parts, self.until = parts, float(job.options["until"])
        times = output_times(job.options["output"], 0.0, self.until)
        super().__init__(job, law, law.base, range(len(parts)), times)

    def compute(self, worker: SimulationWorker, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        run_simulations(worker.workspace, numbers, curves, status)

    def worker(self) -> SimulationWorker:
        """Tables and memory for one thread."""
        with self.job.stated(self.law.p0) as model:
            run = _run(self.job, model)
            stated, ranged = _stated(run.system), _ranged(run.system)
            tables = reading(run.system, self.parts, self.times.size)
        fresh_record(run, self.times, self.times.size + 2)
        system, machine = run.system, run.machine
        addresses = np.concatenate(
            [
                array.ctypes.data + 8 * np.arange(array.size, dtype=np.uint64)
                for array in _arrays(run, tables.geometry, stated)
            ]
        ).astype(np.uint64)
        image = MemoryImage([*memory_of(run), *_floats(tables.geometry)])
        method = run.settings.method
        fixed = method.fixed_step if run.scheme.rough and method.fixed_step is not None else 0.0
        scratch = replaced(vectors(system), size=machine.size)
        given = {"weights": machine.weights, "work": machine.work, "vectors": scratch}
        workspace = SimulationWorkspace(
            image=image.tables,
            place=addresses[self.law.varied],
            plan=Plan(
                begin=0.0,
                end=self.until,
                longest=method.longest_step,
                closed=CLOSED,
                first_step=0.3 * run.settings.rtol ** (1.0 / run.scheme.order),
                fixed_step=fixed,
                slack=TOUCHING * system.length,
                suspicions=SUSPICIONS,
            ),
            mechanism=run.operations,
            method=run.integrator,
            stepper=run.stepper,
            record=run.record,
            bodies=bodies_of(system, (~system.floating & ~system.on_velocities).astype(np.uint8), **given),
            floating=np.flatnonzero(system.floating).astype(np.uint32),
            active=machine.active,
            stated=block(stated),
            ranged=ranged,
            deepest=machine.deepest,
            q=system.start.copy(),
            reference=system.reference.copy(),
            mechanism_reference=machine.reference,
            size=machine.size,
            fit=_fit(system),
            v=np.zeros((self.times.size, run.sizes.speeds)),
            reading=with_geometry(tables, tables.geometry),
        )
        return SimulationWorker(block(workspace), run, image)


def simulation_batch_of(
    job: Job,
    low: np.ndarray,
    high: np.ndarray,
    first: np.ndarray | None = None,
    why: list[str] | None = None,
    *,
    pressing: bool = False,
) -> SimulationBatch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one, and `why`.

    `first` are the values at which the tables are made. With `pressing`, contacts that can only push are checked by the
    caller.
    """
    options = job.options
    if not isinstance(job.model, Model):
        return declined(why, "each sample has a model of its own")
    if not set(options) <= NATIVE or options.get("coordinates", "auto") == "joint":
        return declined(why, unknown_options(job.analysis, options, NATIVE))
    if options.get("output") is None or "until" not in options:
        return declined(why, "the compiled loop needs output= and until=")
    if "cartesian" not in method_of(options.get("method", "auto"), "the method of simulate()").coordinates:
        return declined(why, "the method works in joint coordinates only")
    designs = probes(low, high, first)
    tables: list[np.ndarray | None] = []
    lengths: list[float] = []
    found: tuple[Run, list[list[Part]], bytes, bytes] | None = None
    try:
        for design in designs:
            with job.stated(design) as model:
                run = _run(job, model)
                parts = _parts(job, run.system)
                if parts is None:
                    return declined(why, "an output needs the whole result")
                if not _plain(run, pressing):
                    return declined(why, "the model switches, samples or rolls, or has functions that are interpreted")
                geometry = reading(run.system, parts, 1).geometry
                numbers = gathered(_arrays(run, geometry, _stated(run.system)))
                form, choices = _form(run, geometry), turn_choices(run.system)
            found = found or (run, parts, form, choices)
            if choices != found[3]:
                return declined(why, "parameters change the turn on which an offset is that is known up to full turns")
            tables.append(numbers if form == found[2] else None)
            lengths.append(run.system.length)
    except CardanError as error:
        return declined(why, f"a design within the ranges fails: {error}")
    assert found is not None
    run, parts, *_ = found
    stated = _stated(run.system)
    arrays = _arrays(run, reading(run.system, parts, 1).geometry, stated._replace(start=run.system.start))
    law = design_law(designs, tables, lengths, run.system, arrays, stated.turns)
    if law is None:
        return declined(why, "parameters change more of the model than numbers that follow from them by simple laws")
    return SimulationBatch(job, parts, law)


def _run(job: Job, model: Model) -> Run:
    """A run that stands where the model is stated, before it is closed."""
    options = job.options
    system = compile(model, forces=True)
    settings = Settings(method_of(options.get("method", "auto"), "the method of simulate()"), options.get("rtol", 1e-8))
    return new_run(system, (system.start, system.stated_speeds(), system.reference, 0.0), settings)


def _plain(run: Run, pressing: bool) -> bool:
    """Whether the compiled loop can serve a model: nothing switches or samples; functions are compiled."""
    system, model = run.system, run.system.model
    return (
        not watches(model)
        and (pressing or not any(element.presses() for element in model.constraints))
        and not any(element.reserve() for element in model)
        and not system.samplers
        and all(begin.measure in system.measures for begin in _begins(system))
        and not any(body.follows for body in system.bodies)
        and not isinstance(run.settings.method, Bdf | AdamsMethod)
        and all(function.compiled for function in system.functions())
        and system.rounding <= MAX_POSITION_ROUNDING
    )


def _fit(system: System) -> Any:
    """How velocities at the start are made consistent: those of a body are stated together, as are the angular ones."""
    width, turning = system.width, [*system.space.angular].index(True)
    span = np.zeros((system.coordinates, 2), np.uint32)
    for k in range(len(system.bodies)):
        first = width * (k + 1)
        span[width * k : width * k + turning] = first, first + turning
        span[width * k + turning : width * (k + 1)] = first + turning, first + width
    return block(Fit(np.ones(system.row_count, np.uint8), span, system.weights.copy()))


def _begins(system: System) -> list[StartRange]:
    """What `reject_penetration` checks at the start of a run: gaps of contacts, and other measures in ranges."""
    return [begin for force in dict.fromkeys(system.forces) for begin in force.begins() if not begin.allowed]


def _ranged(system: System) -> np.ndarray:
    """The numbers of the measures whose ranges are those of `_stated`."""
    measures: list[Any] = [guard.gap for _, guard in system.guards() if not guard.allowed]
    measures += [begin.measure for begin in _begins(system)]
    return np.array([system.measures.index(measure) for measure in measures], np.uint32)


def _parts(job: Job, system: System) -> list[list[Part]] | None:
    """The parts of all outputs; None if one needs the whole result."""
    columns = Columns(system, forces=True)
    found = [parts_of(system, output.source, columns) for output in job.outputs]
    return None if any(parts is None for parts in found) else [parts for parts in found if parts is not None]


def _stated(system: System) -> Stated:
    """The stated start of a run, and what must hold there and on the way."""
    guards = [guard for _, guard in system.guards()]
    ranges = [(0.0, np.inf) for guard in guards if not guard.allowed]
    ranges += [(begin.low, begin.high) for begin in _begins(system)]
    return Stated(
        start=system.start.copy(),
        speeds=system.stated_speeds(),
        turns=stated_turns(system),
        states=system.states.start.copy(),
        range=np.array(ranges, float).reshape(-1, 2),
        sheet=np.array([PASSING * guard.through for guard in guards], float),
    )


def _arrays(run: Run, geometry: Any, stated: Stated) -> list[np.ndarray]:
    """All arrays with numbers that parameters may change, in a fixed order."""
    return [*stated, *_floats(run.machine), *_floats(run.memory), *_floats(geometry)]


def _floats(tables: Any, seen: set[int] | None = None) -> Iterator[np.ndarray]:
    """All arrays of real numbers in a tree of tables that are not derived from others, each once."""
    seen = set() if seen is None else seen
    plain = tables_of(tables)
    for name, value in zip(plain._fields, plain, strict=True):
        if name in DERIVED:
            continue
        if isinstance(value, np.ndarray):
            if value.dtype == np.float64 and value.size and value.ctypes.data not in seen:
                seen.add(value.ctypes.data)
                yield value
        elif isinstance(value, Block | tuple):
            yield from _floats(value, seen)


def _form(run: Run, geometry: Any) -> bytes:
    """What must not change with parameters: sizes, whole numbers, and the functions of users."""
    return _structure(run.machine) + _structure(geometry)


def _structure(tables: Any) -> bytes:
    plain = tables_of(tables)
    found = b""
    for name, value in zip(plain._fields, plain, strict=True):
        if isinstance(value, np.ndarray):
            found += f"{name}{value.shape}{value.dtype}".encode()
            found += value.tobytes() if value.dtype.kind in "iu" else b""
        elif isinstance(value, Block | tuple):
            found += _structure(value)
    return found
