"""One compiled system for all simulations of a study: parameters are data, nothing is recompiled.

    job --> memory of runs of a few designs --> how numbers follow parameters --> many runs in one compiled loop

Models that sample, and outputs that need the whole result, run one by one. Those that switch do so, too, unless the
caller asks for machine code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.assembly.assemble import CLOSED
from cardan.analysis.assembly.closing import bodies_of, vectors
from cardan.analysis.forward.advance import new_run
from cardan.analysis.forward.checks.start import PASSING, TOUCHING
from cardan.analysis.forward.events.mode_switching import watches
from cardan.analysis.forward.recording import fresh_record
from cardan.analysis.forward.simulate import is_moving, output_times, time_of
from cardan.analysis.forward.state import Run, Settings
from cardan.analysis.forward.stepping import carried
from cardan.analysis.stepping.event_kernels import event_tables, handle_event, settle_start
from cardan.analysis.stepping.saved_state import memory_of
from cardan.errors import CardanError
from cardan.methods import Bdf, method_of
from cardan.methods.historical import AdamsMethod
from cardan.model.force import StartRange
from cardan.model.model import Model
from cardan.numerics.compiled.block import Block, block, replaced, tables_of
from cardan.numerics.compiled.indirect import pointer_to
from cardan.numerics.compiled.record import Record
from cardan.numerics.memory import MemoryImage
from cardan.results.columns import Columns
from cardan.results.compiled_reading import Part, parts_of, reading, with_geometry
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium
from cardan.study.batch.simulation_kernels import Fit, Plan, SimulationWorkspace, run_simulations
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
)
from cardan.study.job import Job
from cardan.system.cartesian.numbers import Law, probes
from cardan.system.compile import compile
from cardan.system.system import System

NATIVE = {"until", "output", "method", "rtol", "atol", "rank_tolerance", "progress", "coordinates"}
SUSPICIONS = 200  # steps that seem stiff, after which the ordinary analysis may choose another method
# Tables that a run fills itself, and scales by which ranks are decided: those of the model as stated serve for all.
DERIVED = {
    "place", "mass", "flat", "reference", "turns", "column_scale", "rank_weights", "deepest", "limit", "states",
    "tableau", "solver", "scratch",
}  # fmt: skip


SIZED = ("atol", "position_tolerance")  # numbers in records that follow the size of the model


class SimulationWorker(NamedTuple):
    """Where one thread works."""

    workspace: Any
    run: Run  # which owns the memory
    image: MemoryImage


class Stated(NamedTuple):
    """The start of a run as the model states it, and what must hold there and on the way."""

    start: np.ndarray  # q
    poses: np.ndarray  # of bodies as the model states them, which determine its size
    speeds: np.ndarray
    turns: np.ndarray
    states: np.ndarray
    range: np.ndarray  # [ranges, 2]: limits of measures at the start
    sheet: np.ndarray  # [guards]: depth at which a body may have passed through a sheet


class SimulationBatch(TableBatch):
    """The tables of a job's model, and how its parameters change them."""

    law: Law

    def __init__(self, job: Job, parts: list[list[Part]], law: Law, start: Snapshot | None) -> None:
        self.parts, self.until, self.start = parts, float(job.options["until"]), start
        times = output_times(job.options["output"], time_of(start), self.until)
        super().__init__(job, law, law.base, range(len(parts)), times)

    def compute(self, worker: SimulationWorker, numbers: np.ndarray, curves: np.ndarray, status: np.ndarray) -> None:
        run_simulations(worker.workspace, numbers, curves, status)

    def worker(self) -> SimulationWorker:
        """Tables and memory for one thread."""
        usual = self._scales()
        with self.job.stated(self.law.p0) as model:
            run = _run(self.job, model, self.start)
            stated, ranged = _stated(run, self.start), _ranged(run.system, self.start)
            tables = reading(run.system, self.parts, self.times.size)
        if usual is not None:
            run.machine.settings.least_energy = usual.settings.least_energy
            run.machine.column_scale[:], run.machine.rank_weights[:] = usual.column_scale, usual.rank_weights
        fresh_record(run, self.times, self.times.size + 2)
        system, machine, handling = run.system, run.machine, event_tables(run)
        switching = (run.operations, run.stepper, handling)
        addresses = np.concatenate(
            [
                array.ctypes.data + 8 * np.arange(array.size, dtype=np.uint64)
                for array in _arrays(run, tables.geometry, stated)
            ]
        ).astype(np.uint64)
        image = MemoryImage([*memory_of(run), *_floats(tables.geometry), *_memory_of_events(handling)])
        method = run.settings.method
        fixed = method.fixed_step if run.scheme.rough and method.fixed_step is not None else 0.0
        scratch = replaced(vectors(system), size=machine.size)
        closing = (~system.floating & ~system.on_velocities & _lasting(system)).astype(np.uint8)
        given = {"weights": machine.weights, "work": machine.work, "vectors": scratch}
        workspace = SimulationWorkspace(
            image=image.tables,
            place=addresses[self.law.varied],
            plan=Plan(
                begin=run.now,
                end=self.until,
                longest=method.longest_step,
                closed=CLOSED,
                first_step=0.3 * run.settings.rtol ** (1.0 / run.scheme.order),
                fixed_step=fixed,
                slack=TOUCHING * system.length,
                suspicions=SUSPICIONS,
                settle=pointer_to(settle_start, *switching) if run.events else 0,
                handle=pointer_to(handle_event, *switching) if run.events else 0,
            ),
            mechanism=run.operations,
            method=run.integrator,
            stepper=run.stepper,
            record=run.record,
            bodies=bodies_of(system, closing, **given),
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
            handling=handling,
            v=np.zeros((self.times.size, run.sizes.speeds)),
            reading=with_geometry(tables, tables.geometry),
        )
        return SimulationWorker(block(workspace), run, image)

    def _scales(self) -> Any:
        """Tables with the scales of errors and ranks of the model as stated: beside it, they may be far from usual."""
        with contextlib.suppress(CardanError):
            return _run(self.job, self.job.model, self.start).machine
        return None


def simulation_batch_of(
    job: Job,
    low: np.ndarray,
    high: np.ndarray,
    first: np.ndarray | None = None,
    why: list[str] | None = None,
    *,
    pressing: bool = False,
    switching: bool = False,
    start: Snapshot | None = None,
) -> SimulationBatch | None:
    """The batch of a job whose parameters stay within their ranges; None if samples must run one by one, and `why`.

    `first` are the values at which the tables are made. With `pressing`, contacts that can only push are checked by the
    caller; with `switching`, impacts and friction switch in machine code. Runs begin at `start`, or as the model
    states.
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
                run = _run(job, model, start)
                parts = _parts(job, run.system)
                if parts is None:
                    return declined(why, "an output needs the whole result")
                if not _plain(run, pressing, switching):
                    return declined(why, "the model switches, samples or rolls, or has functions that are interpreted")
                geometry = reading(run.system, parts, 1).geometry
                numbers = gathered(_arrays(run, geometry, _stated(run, start)))
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
    stated = _stated(run, start)
    arrays = _arrays(run, reading(run.system, parts, 1).geometry, stated)
    law = design_law(designs, tables, lengths, run.system, arrays, stated.turns, stated.poses)
    if law is None:
        return declined(why, "parameters change more of the model than numbers that follow from them by simple laws")
    return SimulationBatch(job, parts, law, start)


def _run(job: Job, model: Model, start: Snapshot | None) -> Run:
    """A run that stands where the model is stated, or at `start`, before it is closed."""
    options = {name: job.options[name] for name in ("rtol", "atol", "rank_tolerance") if name in job.options}
    method = method_of(job.options.get("method", "auto"), "the method of simulate()")
    events, reserve = watches(model), [constraint for element in model for constraint in element.reserve()]
    laws, time = [event.law for event in events], time_of(start)
    place = None if start is None else start.as_start(model)
    system = compile(model, reserve, forces=True, watched=laws, time=time, start=place)
    v = start.v if start is not None and is_moving(model, start) else system.stated_speeds()
    settings = Settings(method, **({"rtol": 1e-8} | options))
    return new_run(system, (system.start, v, system.reference, time), settings, events)


def _lasting(system: System) -> np.ndarray:
    """The rows of elements that do not switch."""
    return np.array([not system.elements[k].switched for k in system.owner], bool)


def _memory_of_events(handling: Any) -> list[np.ndarray]:
    """What the handling of events changes."""
    tables = tables_of(handling)
    switches = tables_of(tables.switches)
    arrays = tables.event_time, tables.event_energy, tables.event_count, switches.occurred, switches.kept
    return [array for array in arrays if array.size]


def _plain(run: Run, pressing: bool, switching: bool) -> bool:
    """Whether the compiled loop can serve a model: nothing switches or samples; functions are compiled."""
    system, model = run.system, run.system.model
    return (
        (switching or not watches(model))
        and (pressing or not any(element.presses() for element in model.constraints))
        and (switching or not any(element.reserve() for element in model))
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
    return block(Fit(_lasting(system).astype(np.uint8), span, system.weights.copy()))


def _begins(system: System) -> list[StartRange]:
    """What `reject_penetration` checks at the start of a run: gaps of contacts, and other measures in ranges."""
    return [begin for force in dict.fromkeys(system.forces) for begin in force.begins() if not begin.allowed]


def _ranged(system: System, start: Snapshot | None) -> np.ndarray:
    """The numbers of the measures whose ranges are those of `_stated`."""
    if _unchecked(system, start):
        return np.zeros(0, np.uint32)
    measures: list[Any] = [guard.gap for _, guard in system.guards() if not guard.allowed]
    measures += [begin.measure for begin in _begins(system)]
    return np.array([system.measures.index(measure) for measure in measures], np.uint32)


def _parts(job: Job, system: System) -> list[list[Part]] | None:
    """The parts of all outputs; None if one needs the whole result."""
    columns = Columns(system, forces=True)
    found = [parts_of(system, output.source, columns) for output in job.outputs]
    return None if any(parts is None for parts in found) else [parts for parts in found if parts is not None]


def _unchecked(system: System, start: Snapshot | None) -> bool:
    """Whether bodies may overlap at the start, as where they are pressed together."""
    return start is not None and (isinstance(start, Equilibrium) or is_moving(system.model, start))


def _stated(run: Run, start: Snapshot | None) -> Stated:
    """The stated start of a run, and what must hold there and on the way."""
    system, formulation = run.system, run.formulation
    guards = [guard for _, guard in system.guards()]
    ranges = [] if _unchecked(system, start) else [(0.0, np.inf) for guard in guards if not guard.allowed]
    ranges += [] if _unchecked(system, start) else [(begin.low, begin.high) for begin in _begins(system)]
    first = run.sizes.positions
    return Stated(
        start=system.start.copy(),
        poses=stated_poses(system),
        speeds=formulation.start[first : first + run.sizes.speeds].copy(),
        turns=stated_turns(system),
        states=system.states.start.copy() if start is None else carried(system, start),
        range=np.array(ranges, float).reshape(-1, 2),
        sheet=np.array([PASSING * guard.through for guard in guards], float),
    )


def _arrays(run: Run, geometry: Any, stated: Stated) -> list[np.ndarray]:
    """All arrays with numbers that parameters may change, in a fixed order."""
    switches = run.switching.tables
    return [*stated, *_floats(run.machine), *_floats(run.memory), *_floats(switches), *_floats(geometry)]


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
        elif isinstance(value, Record):
            yield from (number.reshape(1) for field, number in value.fields() if field in SIZED)
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
