"""One run of forward dynamics: the compiled loop, slice by slice, its events, and how it ends."""

from __future__ import annotations

import time as stopwatch
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from cardan.analysis.assembly.misfit import judge_set_aside
from cardan.analysis.driven.inverse_dynamics import warn_of_pulling
from cardan.analysis.forward.checkpoint import copied, fingerprint_of, saved
from cardan.analysis.forward.checks.energy import judge_energy
from cardan.analysis.forward.checks.penetration import warn_of_passing
from cardan.analysis.forward.checks.shared_loads import warn_of_shared_loads
from cardan.analysis.forward.checks.start import check_start, evidence_of
from cardan.analysis.forward.engagement import engage, gradients_of, note_shift, shift_at
from cardan.analysis.forward.event import DIRECTIONS, Event
from cardan.analysis.forward.event_handling import handle_event
from cardan.analysis.forward.failure import refuse_weightless, why
from cardan.analysis.forward.mode_switching import Switchboard, Watch
from cardan.analysis.forward.recording import Piece, enlarge, fresh_record, instants, part_of, result_of
from cardan.analysis.forward.sampling import skip_missed_samples
from cardan.analysis.forward.sampling_switch import Cutting, look_at_steps
from cardan.analysis.forward.settings import Settings, Sizes
from cardan.analysis.forward.stalling import look_for_crawling
from cardan.analysis.forward.stiffness_switch import Choice, begin_trial, go_on_trying, take_back
from cardan.analysis.progress import Progress, ProgressOption
from cardan.errors import CardanError, Interrupted, SimulationError
from cardan.integrators.dense_output import inside
from cardan.integrators.scheme import SCHEMES, Scheme, Setup, method_table
from cardan.integrators.stepper import (
    EVENT,
    FAILED,
    FINISHED,
    FULL,
    LAST,
    RUNNING,
    STIFF,
    stepper_state,
)
from cardan.integrators.stepping import begin_run, run_steps, sample_now, write_now
from cardan.methods import Auto
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.results.engagement_history import Shift
from cardan.results.recording import follow
from cardan.results.simulation import Checkpoint, Happening, Simulation, Stats
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.cartesian.mechanism_tables import (
    mechanism_tables,
)
from cardan.system.mechanism import cartesian_mechanism
from cardan.system.system import System

SLICE = 0.05  # s of computing between two looks at the clock, the progress bar and the keyboard
CLOSED = 2e-14  # how exactly joints close after each step; corrections converge so fast that more costs little
NEARLY = 1e-8  # the square of this is nothing
CAPACITY = 1024  # instants of a record, at first
LARGEST = 1_000_000  # steps in a slice


class ForwardRun:
    """A mechanism in motion: a system with its forces, from positions q and velocities v at a time on."""

    record: Any  # what is written down, see `fresh_record`

    def __init__(
        self,
        system: System,
        state: tuple[np.ndarray, np.ndarray, np.ndarray, float],
        settings: Settings,
        events: tuple[Event | Watch, ...] = (),
        scheme: str = "",
        released: Collection[Constraint] = (),
    ) -> None:
        q, v, reference, time = state
        self.system, self.events, self.settings, self.released = system, events, settings, tuple(released)
        self.pieces: list[Piece] = []  # what was written while y had other numbers
        self.stats = Stats(settings.method.name, settings.rtol)
        name = scheme or settings.method.scheme
        self.machine = self.tables(q, reference, time, SCHEMES[name].partitioned)
        self.machine.settings.closure = max(CLOSED, system.rounding)
        self.machine.settings.atol = settings.rtol if settings.atol is None else settings.atol / system.length
        self.machine.settings.rtol = settings.rtol
        self.machine.settings.rank_tolerance = settings.rank_tolerance
        self.stepper = self.fresh_stepper(time, self.lay_out(q, v))
        self.shifts: list[Shift] = []  # which joints were engaged, if not always all of them
        self.stated_local, self.stated_offset = system.geometry.local.copy(), system.rows.offset.copy()
        self.happened: list[Happening] = []
        self.choice = Choice(marked=time)  # between two schemes, if the method is "auto"
        periods = self.stepper.sample[:, 1]
        self.cutting = Cutting(float(periods.min())) if periods.size and isinstance(settings.method, Auto) else None
        self.begun = self.resumed = False  # whether there is a record, and whether it goes on from a checkpoint
        self.last_look, self.warned = (0, time), False  # at how many steps led how far, and whether it was little
        self.last_minute = (stopwatch.process_time(), time)  # the same of processor time
        self.since = -np.inf  # instants before are none of this run's
        self.checkpoint: Checkpoint | None = None
        self.use(name)
        self.mark = fingerprint_of(self)
        for k, element in enumerate(system.elements):
            if element.switched or element in released:
                engage(self, np.flatnonzero(system.owner == k), False)
        self.board = Switchboard(self)

    def fresh_stepper(self, time: float, y: np.ndarray) -> Any:
        """A stepper that begins at y."""
        directions = [DIRECTIONS[event.direction] for event in self.events]
        circuit, before = self.machine.forces.circuit, y.size - self.system.states.start.size
        tables = self.machine.limit, self.machine.turns, directions, circuit.sample, before + circuit.sampled
        within = inside(self.machine, y.size, self.sizes.speeds)
        return stepper_state(time, y, self.sizes.positions, self.sizes.speeds, *tables, within)

    @property
    def laws(self) -> list[Law]:
        """Those of events."""
        return [event.law for event in self.events]

    def tables(self, q: np.ndarray, reference: np.ndarray, time: float, partitioned: bool) -> Any:
        """The mechanism, at a position and a time, as a block of tables, with the laws of events."""
        found = mechanism_tables(self.system, self.laws, partitioned=partitioned)
        found.reference[:] = reference
        return found

    def lay_out(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """What integrators see of the mechanism, and y at the start."""
        self.mechanism, self.size = self.machine, self.machine.size
        rest = np.concatenate([np.zeros(len(self.system.laws) + 2), self.system.states.start])
        self.sizes = Sizes(q.size + v.size + rest.size, q.size, v.size)
        return np.concatenate([q, v, rest])

    def in_bodies(self, y: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, velocities and accelerations of all bodies, from lines of y and of accelerations."""
        nq, nv = self.sizes.positions, self.sizes.speeds
        return y[:, :nq].copy(), y[:, nq : nq + nv].copy(), a.copy()

    def origin(self) -> dict[str, np.ndarray]:
        """What a checkpoint must keep, beside the state, of where the run began."""
        return {}

    def gradients(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the Jacobian by the speeds, where the mechanism was evaluated last."""
        return gradients_of(self, rows)

    def set_velocities(self, v: np.ndarray) -> None:
        """Let bodies have other velocities, as nearly as the joints allow."""
        self.stepper.y[self.sizes.positions : self.sizes.positions + self.sizes.speeds] = v

    def loosen(self, joints: Sequence[Constraint]) -> None:
        """Let joints be such that they can be engaged and released."""

    def seat(self) -> None:
        """Take over where markers of the system sit, and what its rows hold, after they were changed."""

    def operations_of(self, scheme: Scheme) -> Any:
        """The operations of the mechanism, as the scheme needs them."""
        return cartesian_mechanism(self.mechanism, partitioned=scheme.book)

    def use(self, name: str) -> None:
        """Go on with the scheme of that name."""
        self.scheme = SCHEMES[name]
        self.forget()
        self.machine.settings.project_stages = float(self.scheme.projects_stages)
        self.machine.settings.one_correction = min(self.scheme.near * self.settings.rtol, NEARLY)
        flags = self.stepper.flags
        flags.speeds_unprojected, flags.outputs_unprojected = int(self.scheme.rough), int(self.scheme.drifts)
        flags.explicit = int(self.scheme.explicit)
        self.operations = self.operations_of(self.scheme)
        self.integrator = method_table(self.scheme, self.operations, self.stepper, self.memory)

    def forget(self) -> None:
        """Give the integrator a memory without past."""
        settings, tables = self.settings, (self.system, self.machine, self.mechanism)
        self.memory = self.scheme.memory(
            Setup(
                *tables,
                y=self.stepper.y,
                speeds=self.sizes.speeds,
                method=settings.method,
                rtol=settings.rtol,
                tolerance=float(self.machine.settings.atol),
                watch=isinstance(settings.method, Auto),
            )
        )

    def go(self, until: float, wanted: np.ndarray, progress: ProgressOption) -> Simulation:
        """Run to the end, or to an event that stops."""
        clock, span = self.stepper.clock, until - float(self.stepper.clock.now)
        clock.end, clock.shortest = until, 1e-14 * max(span, abs(until))
        clock.longest = self.settings.method.longest_step
        capacity = wanted.size + 2 if wanted.size else CAPACITY
        fresh_record(self, wanted, capacity)
        self.stepper.counters.next_output = self.stepper.counters.written = 0
        self.begun, self.last_minute = True, (stopwatch.process_time(), float(clock.now))
        if not self.resumed:
            self.begin(span)
        note_shift(self)
        if wanted.size and wanted[0] <= clock.now:
            self.stepper.counters.next_output = 1
        if not wanted.size or wanted[0] == clock.now:
            write_now(self.stepper, self.record)
        with Progress("dynamics", 1000, progress) as bar:
            try:
                for now in self._slices():
                    bar.show(int(1000 * (1.0 - (until - now) / span)))
                    follow(self, instants(self), self.part)
                    bar.look(self.snapshot)
            except KeyboardInterrupt:
                raise self._interrupted() from None
            except MemoryError:
                reached = f"t = {float(self.stepper.clock.now):.6g} s, after {instants(self)} instants"
                full = f"memory is full at {reached}; .partial has them: ask for fewer, output=..."
                raise self.stopped(full) from None
        found = self.result()
        warn_of_passing(self.system, self.machine.deepest)
        judge_set_aside(found, () if self.scheme.drifts else found.set_aside)
        warn_of_shared_loads(found)
        if self.machine.matter.any():  # driven motions of what rolls are integrated without masses
            judge_energy(found, self.scheme, self.settings)
        if len(found) and any(element.presses() for element in self.system.elements):
            warn_of_pulling(found, found.loads)
        return found

    def at_once(self) -> Simulation:
        """The start alone."""
        self.begun = True
        fresh_record(self, np.zeros(0), 1)
        self.begin(1.0)
        write_now(self.stepper, self.record)
        return self.result()

    def begin(self, span: float) -> None:
        skip_missed_samples(self)
        status = begin_run(self.operations, self.stepper) or sample_now(self.operations, self.stepper)
        if status:
            self.stepper.outcome.failure = status
            raise self.failure()
        self.check_masses()
        check_start(self)
        if not self.board.empty:
            self.board.settle(self)
        self.stepper.clock.step = self.first_step(span)

    check_masses, evidence = refuse_weightless, evidence_of

    def first_step(self, span: float) -> float:
        """A step in which the motion, as it begins, changes by little."""
        first, size = self.sizes.positions, self.size
        v, a = (part[first : first + size.size] for part in (self.stepper.y, self.stepper.dy))
        pace = max(float((np.abs(v) * size).max(initial=0.0)), float(np.sqrt((np.abs(a) * size).max(initial=0.0))))
        if self.scheme.rough and self.settings.method.fixed_step is not None:
            return self.settings.method.fixed_step
        step = 0.3 * self.settings.rtol ** (1.0 / self.scheme.order) / pace if pace > 0.0 else np.inf
        return min(step, 0.01 * span)

    def _slices(self) -> Iterator[float]:
        """Run slice by slice; yields the time reached after each."""
        budget, to_the_end = 16, False
        while True:
            steps = self._allowed(budget)
            before = copied(self) if self.choice.trying else []
            begun, busy = stopwatch.perf_counter(), stopwatch.process_time()
            status = run_steps(self.operations, self.integrator, self.stepper, self.record, steps, to_the_end)
            elapsed = stopwatch.perf_counter() - begun
            self.stats.seconds += stopwatch.process_time() - busy
            yield float(self.stepper.clock.now)
            look_for_crawling(self)
            if status == RUNNING:
                look_at_steps(self)
            if steps == budget:
                budget = int(max(1, min(4 * budget, budget * SLICE / max(elapsed, 1e-6), LARGEST)))
            if status == FINISHED:
                self.checkpoint = self.checkpoint or saved(self, float(self.stepper.clock.end))
                return
            if status == EVENT and not handle_event(self):
                return
            if status == FULL:
                enlarge(self)
            elif status == LAST:
                self.checkpoint, to_the_end = saved(self, float(self.stepper.clock.end)), True
            elif status == FAILED and not self.choice.trying:
                raise self.failure()
            elif status == FAILED:
                take_back(self, before)
            elif self.choice.trying:
                go_on_trying(self, status)
            elif self._tries_again and self.stepper.counters.steps >= self.choice.next_trial:
                begin_trial(self)
            elif isinstance(self.settings.method, Auto) and status == STIFF:
                begin_trial(self)

    def _allowed(self, budget: int) -> int:
        """Steps of the next slice: to the next trial or look at most, so that these do not depend on the clock."""
        if self.choice.trying:
            return 1
        taken = int(self.stepper.counters.steps)
        if self.cutting is not None:
            budget = min(budget, int(self.cutting.next_look) - taken)
        if self._tries_again:
            budget = min(budget, int(self.choice.next_trial) - taken)
        return max(budget, 1)

    @property
    def _tries_again(self) -> bool:
        """Whether stiffness may have passed, for all that the scheme in use can tell."""
        return isinstance(self.settings.method, Auto) and self.scheme.name == "radau"

    def one_step(self) -> int:
        """One step of the loop, unless it ends there."""
        return int(run_steps(self.operations, self.integrator, self.stepper, self.record, 1, False))

    def snapshot(self) -> Snapshot:
        """The mechanism as it is now."""
        y, dy = self.stepper.y, self.stepper.dy
        nq, nv, now = self.sizes.positions, self.sizes.speeds, float(self.stepper.clock.now)
        q, v, a = (part[0] for part in self.in_bodies(y[None], dy[None, nq : nq + nv]))
        states = y[y.size - self.system.states.start.size :].copy()
        return Snapshot(self.system, now, q, v, a, self.all_turns(y[None], self.stepper.turns_end[None])[0], states)

    def all_turns(self, y: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """The angles of the system at lines of y, of which those that are followed are known."""
        return turns.copy()

    def result(self) -> Simulation:
        """What was computed so far."""
        return result_of(self, moved_on)

    def part(self, first: int) -> Simulation:
        """What was computed from an instant on."""
        return part_of(self, first, moved_on)

    def _interrupted(self) -> Interrupted:
        self.checkpoint = saved(self, now := float(self.stepper.clock.now))
        message = f"interrupted at t = {now:.6g} s; .partial has what was computed, and .partial.checkpoint goes on"
        partial = self.result()
        partial.stopped = Interrupted(message, time=now, partial=partial)
        return partial.stopped

    def stopped(self, message: str, elements: tuple[str, ...] = ()) -> SimulationError:
        partial = self.result()
        error = SimulationError(message, time=float(self.stepper.clock.now), elements=elements, partial=partial)
        partial.stopped = error
        return error

    def failure(self) -> CardanError:
        """The error behind a step that failed."""
        return why(self)


def moved_on(run: Simulation, k: int, time: float) -> Snapshot:
    """The mechanism some time after instant k of a run, integrated from there with the tolerance of the run."""
    from_event = [h.after for h in run.events if run.times[k] <= h.time <= time]
    start = from_event[-1] if from_event else Trajectory.at(run, float(run.times[k]))
    if start.time == time:
        return start
    reference = run.system.reference.copy()
    reference[run.system.winding] = start.turns
    state = start.q, start.v, reference, start.time
    further = ForwardRun(run.system, state, Settings(Auto(), run.stats.rtol))
    held = shift_at(run, start.time if from_event else k)
    if held is not None:
        held.apply(run.system)
        further.machine.engaged[:], further.machine.active[:] = held.engaged, held.active
    further.stepper.y[further.sizes.y - start.states.size :] = start.states
    found = further.go(time, np.array([time]), False).at(time)
    if held is not None:
        run.shifts[-1].apply(run.system)
    return found
