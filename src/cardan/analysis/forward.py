"""One run of forward dynamics: the compiled loop, slice by slice, its events, and how it ends."""

from __future__ import annotations

import time as stopwatch
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.assemble import assembled
from cardan.analysis.event import DIRECTIONS, Event
from cardan.analysis.inverse_dynamics import loads_of
from cardan.analysis.kinematics import positions_of
from cardan.analysis.progress import Progress
from cardan.errors import CardanError, ModelError, SimulationError
from cardan.integrators.course import (
    AS_IS,
    END,
    EVENT,
    FAILED,
    FINISHED,
    FULL,
    HAPPENED,
    LAST,
    LONGEST,
    LOOSE,
    NEXT,
    REASON,
    REJECTED,
    SHORTEST,
    STEPS,
    WRITTEN,
    H,
    T,
    begin_course,
    course,
    drive,
    record,
    write_now,
)
from cardan.integrators.scheme import SCHEMES, Settings, Sizes
from cardan.model.model import Model
from cardan.numerics.block import opaque
from cardan.numerics.far import far_address
from cardan.results.simulation import Account, Checkpoint, Happening, Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile
from cardan.system.machine import ALPHA, ATOL, BETA, CLOSE, EVALUATIONS, FACTORIZATIONS, PROJECT_STAGES, RTOL, machine
from cardan.system.system import System

SLICE = 0.05  # s of computing between two looks at the clock, the progress bar and the keyboard
CLOSED = 1e-13  # how exactly joints close after each step; corrections converge so fast that more costs little
CAPACITY = 1024  # instants of a record, at first
CHATTER = 200  # events at nearly one instant


class ForwardRun:
    """A mechanism in motion."""

    def __init__(
        self, model: Model, events: tuple[Event, ...], settings: Settings, start: Snapshot | Checkpoint | None
    ) -> None:
        self.events, self.settings = events, settings
        self.system = _compiled(model, events, start)
        self.account = Account(settings.method, settings.rtol)
        name = _scheme_name(settings, start)
        laws = [event.law for event in events]
        self.machine = machine(self.system, laws, partitioned=SCHEMES[name].partitioned)
        self.machine.setting[CLOSE] = max(CLOSED, self.system.rounding)
        self.machine.setting[ATOL] = settings.rtol if settings.atol is None else settings.atol / self.system.length
        self.machine.setting[RTOL] = settings.rtol
        y, time = self._first(start)
        self.sizes = Sizes(y.size, self.system.start.size, self.system.speeds().size)
        directions = [DIRECTIONS[event.direction] for event in events]
        tables = self.machine.limit, self.machine.turns, directions
        self.course = course(time, y, self.sizes.positions, self.sizes.speeds, *tables)
        self.opaque = opaque(self.machine)
        self.happened: list[Happening] = []
        self.checkpoint: Checkpoint | None = None
        self.use(name)
        self.resumed = isinstance(start, Checkpoint)
        if isinstance(start, Checkpoint):
            self.restore(start)

    def _first(self, start: Snapshot | Checkpoint | None) -> tuple[np.ndarray, float]:
        """y to start from, and when."""
        system = self.system
        work = np.zeros(len(system.laws) + 2)
        if isinstance(start, Checkpoint):
            return np.concatenate([system.start, system.speeds(), work]), start.time
        time = 0.0 if start is None else start.time
        v = system.stated_speeds() if start is None else start.v
        q, reference = (system.start, None) if start is not None else assembled(system, time)
        if reference is not None:
            self.machine.reference[:] = reference
        return np.concatenate([q, v, work]), time

    def use(self, name: str) -> None:
        """Go on with the scheme of that name."""
        self.scheme = SCHEMES[name]
        self.memory = self.scheme.memory(self.sizes, self.settings)
        for kind in (PROJECT_STAGES, ALPHA, BETA):
            self.machine.setting[kind] = 0.0
        self.scheme.prepare(self.machine, self.settings)
        self.course.count[AS_IS] = self.scheme.drifts
        y = self.course.y
        self.act = np.uint64(far_address(self.scheme.act, self.machine, 0, 0.0, y, y))
        tables = (self.opaque, self.act, self.course)
        self.step = np.uint64(far_address(self.scheme.step, *tables, self.memory))
        self.interpolate = np.uint64(far_address(self.scheme.interpolate, *tables, self.memory, 0.0, y))

    def go(self, until: float, wanted: np.ndarray, progress: bool | None) -> Simulation:
        """Run to the end, or to an event that stops."""
        clock, span = self.course.clock, until - float(self.course.clock[T])
        clock[END], clock[SHORTEST] = until, 1e-14 * max(span, abs(until))
        clock[LONGEST] = np.inf if self.settings.step is None else self.settings.step
        capacity = wanted.size + 2 if wanted.size else CAPACITY
        self.record = record(wanted, capacity, self.sizes.y, self.sizes.speeds, self.machine.turns.size)
        self.course.count[NEXT] = self.course.count[WRITTEN] = 0
        if not self.resumed:
            self._begin(span)
        if wanted.size and wanted[0] <= clock[T]:
            self.course.count[NEXT] = 1
        if not wanted.size or wanted[0] == clock[T]:
            write_now(self.course, self.record)
        with Progress("dynamics", 1000, progress) as bar:
            for now in self._slices():
                bar.show(int(1000 * (1.0 - (until - now) / span)))
        return self.result()

    def _begin(self, span: float) -> None:
        status = begin_course(self.act, self.opaque, self.course)
        if status:
            self.course.count[REASON] = status
            raise self._failure()
        self.course.clock[H] = self._first_step(span)

    def _first_step(self, span: float) -> float:
        """A step in which the motion, as it begins, changes by little."""
        first, size = self.sizes.positions, self.machine.size
        v, a = (part[first : first + size.size] for part in (self.course.y, self.course.dy))
        pace = max(float(np.max(np.abs(v) * size)), float(np.sqrt(np.max(np.abs(a) * size))))
        step = 0.3 * self.settings.rtol ** (1.0 / self.scheme.order) / pace if pace > 0.0 else np.inf
        return min(step, 0.01 * span)

    def _slices(self) -> Iterator[float]:
        """Run slice by slice; yields the time reached after each."""
        budget, to_the_end = 16, False
        while True:
            begun = stopwatch.perf_counter()
            try:
                status = drive(
                    self.step, self.interpolate, self.act, self.opaque, self.course, opaque(self.memory), self.record,
                    budget, to_the_end,
                )  # fmt: skip
                elapsed = stopwatch.perf_counter() - begun
                self.account.seconds += elapsed
                yield float(self.course.clock[T])
            except KeyboardInterrupt:
                raise self._interrupted() from None
            budget = int(max(1, min(4 * budget, budget * SLICE / max(elapsed, 1e-6))))
            if status == FINISHED or (status == EVENT and not self._handle_event()):
                return
            if status == FULL:
                self._enlarge()
            elif status == LAST:
                self.checkpoint, to_the_end = self._saved(), True
            elif status == FAILED:
                raise self._failure()

    def _handle_event(self) -> bool:
        """Tell the user's action that its event has taken place. Returns whether the run goes on."""
        event = self.events[int(self.course.count[HAPPENED])]
        now = float(self.course.clock[T])
        snapshot = self.snapshot()
        self.happened.append(Happening(event, now, snapshot))
        if event.action is None:
            return False
        self._refuse_chatter(event, now)
        try:
            answer = event.action(snapshot)
        except Exception as error:
            raise self._stopped(f"at t = {now:.9g} s the action of {event.title} raised {error!r}") from error
        if answer is None:
            return True
        if isinstance(answer, str) and answer == "stop":
            return False
        self._change(event, answer)
        return True

    def _change(self, event: Event, answer: Any) -> None:
        """Give bodies the velocities that an action returned."""
        if not isinstance(answer, dict):
            raise ModelError(
                f"the action of {event.title} must return None, 'stop' or a dictionary of bodies, got {answer!r}"
            )
        system, first = self.system, self.sizes.positions
        for body, changes in answer.items():
            place = first + system.width * system.body_number(body)
            poses = self.course.y[system.space.stored * system.body_number(body) :][: system.space.stored]
            twist = self.course.y[place : place + system.width]
            twist[:] = system.space.changed_twist(poses, twist, changes, f"the action of {event.title}")
        status = begin_course(self.act, self.opaque, self.course)
        if status:
            self.course.count[REASON] = status
            raise self._failure()
        self.memory = self.scheme.memory(self.sizes, self.settings)

    def _refuse_chatter(self, event: Event, now: float) -> None:
        recent = [h.time for h in self.happened[-CHATTER:] if h.event is event]
        span = float(self.course.clock[END]) - recent[0]
        if len(recent) == CHATTER and now - recent[0] < 1e-6 * span:
            raise self._stopped(
                f"{event.title} chatters: it took place {CHATTER} times from t = {recent[0]:.9g} to {now:.9g} s; let "
                "its action stop the run, or change more than it does",
            )

    def snapshot(self) -> Snapshot:
        """The mechanism as it is now."""
        y, dy = self.course.y, self.course.dy
        nq, nv = self.sizes.positions, self.sizes.speeds
        now = float(self.course.clock[T])
        q, v, a = y[:nq].copy(), y[nq : nq + nv].copy(), dy[nq : nq + nv].copy()
        return Snapshot(self.system, now, q, v, a, self.course.turns_end.copy())

    def result(self) -> Simulation:
        """What was computed so far."""
        count, found = self.course.count, self.record
        n, nq, nv = int(count[WRITTEN]), self.sizes.positions, self.sizes.speeds
        y = found.y[:n]
        account = replace(self.account, notes=[*self.account.notes, *self.scheme.notes(self.memory)])
        account.steps, account.rejected, account.loose = int(count[STEPS]), int(count[REJECTED]), int(count[LOOSE])
        account.evaluations = int(self.machine.count[EVALUATIONS])
        account.factorizations = int(self.machine.count[FACTORIZATIONS])
        parts = (y[:, :nq].copy(), y[:, nq : nq + nv].copy(), found.a[:n].copy(), y[:, nq + nv :].copy())
        steps = np.diff(found.steps[:n], prepend=0)
        set_aside = tuple(np.flatnonzero(self.machine.active == 0).tolist())
        run = Simulation(
            self.system, found.times[:n].copy(), *parts, found.turns[:n].copy(), steps, set_aside, account, loads_of
        )
        run.events, run.checkpoint = self.happened, self.checkpoint
        return run

    def _enlarge(self) -> None:
        old = self.record
        capacity = 2 * old.times.size
        tables = self.sizes.y, self.sizes.speeds, self.machine.turns.size
        self.record = record(old.wanted, capacity, *tables)
        for name in ("times", "y", "a", "turns", "steps"):
            getattr(self.record, name)[: old.times.size] = getattr(old, name)

    def _saved(self) -> Checkpoint:
        """The state of everything, to go on from later."""
        numbers = {f"{owner}.{name}": array.copy() for owner, name, array in self._arrays()}
        return Checkpoint(self.system.model.name, self.scheme.name, float(self.course.clock[END]), numbers)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back to a state that was saved."""
        if checkpoint.model != self.system.model.name or checkpoint.method not in SCHEMES:
            raise ModelError(
                f"the checkpoint is of model '{checkpoint.model}' by {checkpoint.method}, not of "
                f"'{self.system.model.name}'"
            )
        for owner, name, array in self._arrays():
            saved = checkpoint.numbers.get(f"{owner}.{name}")
            if saved is None or saved.shape != array.shape:
                raise ModelError(f"the checkpoint of '{checkpoint.model}' is of another version of the model")
            array[...] = saved

    def _arrays(self) -> Iterator[tuple[str, str, np.ndarray]]:
        for owner, tables, names in (
            ("course", self.course, None),
            ("memory", self.memory, None),
            ("machine", self.machine, ("reference", "active", "dropped", "count")),
            ("rows", self.system.rows, ("offset",)),
            ("partition", self.machine.partition, ("held", "diagonal")),
        ):
            inner = getattr(tables, "tables", tables)
            for name, value in zip(inner._fields, inner, strict=True):
                if isinstance(value, np.ndarray) and (names is None or name in names):
                    yield owner, name, value

    def _interrupted(self) -> SimulationError:
        now = float(self.course.clock[T])
        self.checkpoint = self._saved()
        return self._stopped(f"interrupted at t = {now:.6g} s; what was computed is kept, and .checkpoint goes on")

    def _stopped(self, message: str, elements: tuple[str, ...] = ()) -> SimulationError:
        partial = self.result()
        error = SimulationError(message, time=float(self.course.clock[T]), elements=elements, partial=partial)
        partial.stopped = error
        return error

    def _failure(self) -> CardanError:
        """The error behind a step that failed."""
        from cardan.analysis.forward_failure import failure

        return failure(self)


def _scheme_name(settings: Settings, start: Snapshot | Checkpoint | None) -> str:
    """The method to begin with: that of a checkpoint, or the one asked for."""
    if isinstance(start, Checkpoint) and start.method in SCHEMES:
        if settings.method in SCHEMES and settings.method != start.method:
            raise ModelError(
                f"the checkpoint goes on by '{start.method}', not by '{settings.method}': leave the method out, or "
                "start from a snapshot, such as run[-1]"
            )
        return start.method
    return settings.method if settings.method in SCHEMES else "dop853"


def _compiled(model: Model, events: tuple[Event, ...], start: Snapshot | Checkpoint | None) -> System:
    watched = [measure for event in events for measure in event.law.measures()]
    positions = positions_of(start, model) if isinstance(start, Snapshot) else None
    time = 0.0 if start is None else start.time
    return compile(model, forces=True, watched=watched, time=time, start=positions)
