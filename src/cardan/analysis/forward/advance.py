"""Start a run of forward dynamics, and advance it: the compiled loop, in slices, and its events.

run = new_run(system, state, settings, events)
result = advance(run, until, output_times, progress)
"""

from __future__ import annotations

import time as stopwatch
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from cardan.analysis.assembly.misfit import check_redundant_rows
from cardan.analysis.forward.auto import allowed_steps, choose_scheme, state_before
from cardan.analysis.forward.bdf import advance_by_ida, require_bdf
from cardan.analysis.forward.cartesian import CartesianFormulation
from cardan.analysis.forward.checkpoint import fingerprint_of, saved
from cardan.analysis.forward.checks.energy import check_energy
from cardan.analysis.forward.checks.shared_loads import warn_of_shared_loads
from cardan.analysis.forward.checks.start import check_start, warn_of_passing
from cardan.analysis.forward.events.change import engage, note_shift, shift_at
from cardan.analysis.forward.events.handling import handle_event
from cardan.analysis.forward.events.mode_switching import ModeSwitches
from cardan.analysis.forward.joint import joint_formulation, suitable
from cardan.analysis.forward.recording import enlarge, fresh_record, part_of, result_of, stopped, written_times
from cardan.analysis.forward.stalling import check_pace
from cardan.analysis.forward.state import Formulation, Pace, Run, SampledSteps, Settings, Trials, settings_of, snapshot
from cardan.analysis.forward.stepping import (
    first_step,
    fresh_stepper,
    make_consistent,
    raise_failure,
    skip_missed_samples,
    use_scheme,
)
from cardan.analysis.loads.cartesian import warn_of_pulling
from cardan.analysis.progress import Progress, ProgressOption, follow
from cardan.analysis.unsupported import warn_of_limits
from cardan.errors import Interrupted
from cardan.integrators.scheme import SCHEMES
from cardan.integrators.stepper import EVENT, FINISHED, FULL, LAST
from cardan.integrators.stepping import run_steps, sample_now, write_now
from cardan.methods import Auto, Bdf
from cardan.model.element import Constraint
from cardan.postprocess.linear_range import warn_of_linear_range
from cardan.results.simulation import Simulation, Stats
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.system import System

SLICE = 0.05  # s of computing between two updates of the progress bar and checks of the keyboard
CLOSED = 2e-14  # tolerance of joints after each step; corrections converge so fast that a small one costs little
CAPACITY = 1024  # initial capacity of a record, in output times
LARGEST = 1_000_000  # steps in a slice

State = tuple[np.ndarray, np.ndarray, np.ndarray, float]  # positions, velocities, turns of angles, time


def new_run(
    system: System,
    state: State,
    settings: Settings,
    events: Sequence[Any] = (),
    scheme: str = "",
    released: Collection[Constraint] = (),
    joint: bool = False,
) -> Run:
    """A run that starts from a state; with `joint`, in joint coordinates."""
    name, laws = scheme or settings.method.scheme, [event.law for event in events]
    formulation: Formulation
    if joint:
        formulation = tree = joint_formulation(system, state, settings, events, tuple(released))
        settings = suitable(settings, tree)
    else:
        formulation = CartesianFormulation(system, *state[:3], laws, SCHEMES[name].partitioned)
    if isinstance(settings.method, Bdf):
        require_bdf(system, events)
    tolerances = formulation.machine.settings
    tolerances.closure = max(CLOSED, system.rounding)
    tolerances.atol = settings.rtol if settings.atol is None else settings.atol / system.length
    tolerances.rtol, tolerances.rank_tolerance = settings.rtol, settings.rank_tolerance
    time = state[3]
    run = Run(
        system,
        settings,
        tuple(events),
        tuple(released),
        formulation,
        fresh_stepper(system, formulation, events, time, formulation.start),
        Stats(
            settings.method.name,
            settings.rtol,
            notes=list(formulation.notes),
            atol=settings.atol,
            rank_tolerance=settings.rank_tolerance,
        ),
        SCHEMES[name],
        moved_on,
        trials=Trials(marked=time),
        pace=Pace(0, time, processor_time=time),
        stated_markers=(system.geometry.local.copy(), system.rows.offset.copy()),
    )
    periods = run.stepper.sample[:, 1]
    if periods.size and isinstance(settings.method, Auto):
        run.sampled_steps = SampledSteps(float(periods.min()))
    use_scheme(run, name)
    run.fingerprint = fingerprint_of(run)
    for k, element in enumerate(system.elements):
        if element.switched or element in released:
            engage(run, np.flatnonzero(system.owner == k), False)
    run.switching = ModeSwitches(run)
    return run


def advance(run: Run, until: float, wanted: np.ndarray, progress: ProgressOption) -> Simulation:
    """Advance a run to the end, or to an event that stops it."""
    clock, counters = run.stepper.clock, run.stepper.counters
    span = until - run.now
    clock.end, clock.shortest = until, 1e-14 * max(span, abs(until))
    clock.longest = run.settings.method.longest_step
    fresh_record(run, wanted, wanted.size + 2 if wanted.size else CAPACITY)
    counters.next_output = counters.written = 0
    run.begun, run.pace.processor, run.pace.processor_time = True, stopwatch.process_time(), run.now
    if not run.resumed:
        begin(run, span)
    note_shift(run)
    if wanted.size and wanted[0] <= run.now:
        run.stepper.counters.next_output = 1
    if not wanted.size or wanted[0] == run.now:
        write_now(run.stepper, run.record)
    slices = advance_by_ida(run, SLICE) if isinstance(run.settings.method, Bdf) else advance_in_slices(run)
    with Progress("dynamics", 1000, progress) as bar:
        try:
            for now in slices:
                bar.show(int(1000 * (1.0 - (until - now) / span)))
                follow(run, written_times(run), lambda first: part_of(run, first))
                bar.look(lambda: snapshot(run))
        except KeyboardInterrupt:
            raise _interrupted(run) from None
        except MemoryError:
            reached = f"t = {run.now:.6g} s, after {written_times(run)} output times"
            raise stopped(run, f"memory is full at {reached}; .partial has them: request fewer, output=...") from None
    return _checked(run, result_of(run))


def start_only(run: Run) -> Simulation:
    """A result with only the start."""
    run.begun = True
    fresh_record(run, np.zeros(0), 1)
    begin(run, 1.0)
    write_now(run.stepper, run.record)
    return result_of(run)


def begin(run: Run, span: float) -> None:
    """Make the initial state consistent, check it and choose the first step."""
    skip_missed_samples(run)
    make_consistent(run)
    raise_failure(run, sample_now(run.operations, run.stepper))
    run.formulation.check_masses(run)
    check_start(run)
    if not run.switching.empty:
        run.switching.settle(run)
    run.stepper.clock.step = first_step(run, span)


def take_steps(run: Run, steps: int, to_the_end: bool = False) -> int:
    """Run the compiled loop for some steps. Returns the reason for its end."""
    return int(run_steps(run.operations, run.integrator, run.stepper, run.record, steps, to_the_end))


def _checked(run: Run, found: Simulation) -> Simulation:
    """The result, after warnings about possible errors."""
    warn_of_passing(run.system, run.machine.deepest)
    check_redundant_rows(found, () if run.scheme.drifts else {*found.set_aside, *run.system.misfits})
    warn_of_shared_loads(found)
    if run.machine.matter.any():  # driven rolling motions are integrated without masses
        check_energy(found, run.scheme, run.settings)
    if len(found) and any(element.presses() for element in run.system.elements):
        warn_of_pulling(found, found.loads)
    warn_of_linear_range(found)
    warn_of_limits(found)
    return found


def advance_in_slices(run: Run, status: int | None = None, to_the_end: bool = False) -> Iterator[float]:
    """Advance slice by slice; yields the time reached after each.

    `status` is that of steps already taken, which is handled first. The last step ends at the end of the run; unless
    `to_the_end`, a checkpoint is saved before it.
    """
    budget, given = 16, status
    while True:
        steps = allowed_steps(run, budget)
        before = state_before(run)
        begun, busy = stopwatch.perf_counter(), stopwatch.process_time()
        status, given = take_steps(run, steps, to_the_end) if given is None else given, None
        elapsed = stopwatch.perf_counter() - begun
        run.stats.seconds += stopwatch.process_time() - busy
        yield run.now
        check_pace(run)
        if steps == budget:
            budget = int(max(1, min(4 * budget, budget * SLICE / max(elapsed, 1e-6), LARGEST)))
        if status == FINISHED:
            if not to_the_end:
                run.checkpoint = run.checkpoint or saved(run, float(run.stepper.clock.end))
            return
        if status == EVENT and not handle_event(run):
            return
        if status == FULL:
            enlarge(run)
        elif status == LAST:
            run.checkpoint, to_the_end = saved(run, float(run.stepper.clock.end)), True
        elif not choose_scheme(run, status, before):
            raise run.formulation.failure(run)


def _interrupted(run: Run) -> Interrupted:
    run.checkpoint = saved(run, run.now)
    message = f"interrupted at t = {run.now:.6g} s; .partial has the results so far, and .partial.checkpoint continues"
    partial = result_of(run)
    partial.stopped = Interrupted(message, time=run.now, partial=partial)
    return partial.stopped


def moved_on(run: Simulation, k: int, time: float) -> Snapshot:
    """The mechanism at a time after output time k of a result, integrated from there with the same tolerance."""
    from_event = [h.after for h in run.events if run.times[k] <= h.time <= time]
    start = from_event[-1] if from_event else Trajectory.at(run, float(run.times[k]))
    if start.time == time:
        return start
    held = shift_at(run, start.time if from_event else k)
    system = run.system if held is None else held.applied(run.system)
    reference = system.turned(start.turns)
    further = new_run(system, (start.q, start.v, reference, start.time), settings_of(run, Auto()))
    if held is not None:
        further.machine.engaged[:], further.machine.active[:] = held.engaged, held.active
    further.stepper.y[further.sizes.y - start.states.size :] = start.states
    return advance(further, time, np.array([time]), False).at(time)
