"""One run of forward dynamics: the compiled loop, slice by slice, its events, and how it ends."""

from __future__ import annotations

import time as stopwatch
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.analysis.event import DIRECTIONS, Event
from cardan.analysis.forward_failure import failure, refuse_broken_rows, refuse_weightless
from cardan.analysis.inverse_dynamics import loads_of
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
    ROUGH,
    RUNNING,
    SHORTEST,
    STEPS,
    STIFF,
    T_OLD,
    TAKEN,
    TINY,
    WRITTEN,
    H,
    T,
    begin_course,
    course,
    drive,
    look_at,
    record,
    write_now,
)
from cardan.integrators.dop853 import HIT
from cardan.integrators.scheme import SCHEMES, Setup
from cardan.model import check
from cardan.numerics.block import opaque
from cardan.numerics.far import far_address
from cardan.results.simulation import Account, Checkpoint, Happening, Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.machine import (
    ATOL,
    CLOSE,
    DEPENDENT,
    EVALUATIONS,
    FACTORIZATIONS,
    PROJECT_STAGES,
    RANK,
    RTOL,
    machine,
)
from cardan.system.system import System

SLICE = 0.05  # s of computing between two looks at the clock, the progress bar and the keyboard
CLOSED = 1e-13  # how exactly joints close after each step; corrections converge so fast that more costs little
CAPACITY = 1024  # instants of a record, at first
CHATTER = 200  # events at nearly one instant
LARGEST = 1_000_000  # steps in a slice
TRIAL, BETTER, AGAIN = 6, 1.5, 300  # steps to try another scheme, how much better it must be, steps to the next trial
PROOF = 40  # steps after which an explicit method that seems faster would have been stopped by stiffness
EXPLICIT = 26  # evaluations and factorizations of an explicit step


class Settings(NamedTuple):
    """How to integrate."""

    method: str
    rtol: float
    atol: float | None = None
    step: float | None = None
    rho: float | None = None
    alpha: float | None = None
    beta: float | None = None
    order: int | None = None
    fixed: bool = False
    rank_tolerance: float = DEPENDENT


class Sizes(NamedTuple):
    """How many numbers y has, and how many of them are positions and speeds."""

    y: int
    positions: int
    speeds: int


class ForwardRun:
    """A mechanism in motion: a system with its forces, from positions q and velocities v at a time on."""

    def __init__(
        self,
        system: System,
        state: tuple[np.ndarray, np.ndarray, np.ndarray, float],
        settings: Settings,
        events: tuple[Event, ...] = (),
        scheme: str = "",
    ) -> None:
        q, v, reference, time = state
        self.system, self.events, self.settings = system, events, settings
        self.account = Account(settings.method, settings.rtol)
        name = scheme or (settings.method if settings.method in SCHEMES else "dop853")
        laws = [event.law for event in events]
        self.machine = machine(system, laws, partitioned=SCHEMES[name].partitioned)
        self.machine.reference[:] = reference
        self.machine.setting[CLOSE] = max(CLOSED, system.rounding)
        self.machine.setting[ATOL] = settings.rtol if settings.atol is None else settings.atol / system.length
        self.machine.setting[RTOL] = settings.rtol
        self.machine.setting[RANK] = settings.rank_tolerance
        y = np.concatenate([q, v, np.zeros(len(system.laws) + 2)])
        self.sizes = Sizes(y.size, q.size, v.size)
        directions = [DIRECTIONS[event.direction] for event in events]
        tables = self.machine.limit, self.machine.turns, directions
        self.course = course(time, y, self.sizes.positions, self.sizes.speeds, *tables)
        self.opaque = opaque(self.machine)
        self.happened: list[Happening] = []
        self.work_before = 0
        self.begun = self.resumed = False  # whether there is a record, and whether it goes on from a checkpoint
        self.checkpoint: Checkpoint | None = None
        self.use(name)

    def use(self, name: str) -> None:
        """Go on with the scheme of that name."""
        self.scheme = SCHEMES[name]
        self._forget()
        self.machine.setting[PROJECT_STAGES] = float(self.scheme.projects_stages)
        self.course.count[ROUGH], self.course.count[AS_IS] = int(self.scheme.rough), int(self.scheme.drifts)
        y = self.course.y
        self.act = np.uint64(far_address(self.scheme.act, self.machine, 0, 0.0, y, y))
        tables = (self.opaque, self.act, self.course)
        self.step = np.uint64(far_address(self.scheme.step, *tables, self.memory))
        self.interpolate = np.uint64(far_address(self.scheme.interpolate, *tables, self.memory, 0.0, y))

    def _forget(self) -> None:
        """Give the integrator a memory without past."""
        settings = self.settings
        self.memory = self.scheme.memory(
            Setup(
                system=self.system,
                machine=self.machine,
                y=self.course.y,
                speeds=self.sizes.speeds,
                fixed=settings.step is not None,
                rtol=settings.rtol,
                tolerance=float(self.machine.setting[ATOL]),
                watch=settings.method == "auto",
                rho=settings.rho,
                alpha=settings.alpha,
                beta=settings.beta,
                order=settings.order,
                same_steps=settings.fixed,
            )
        )

    def go(self, until: float, wanted: np.ndarray, progress: bool | None) -> Simulation:
        """Run to the end, or to an event that stops."""
        clock, span = self.course.clock, until - float(self.course.clock[T])
        clock[END], clock[SHORTEST] = until, 1e-14 * max(span, abs(until))
        clock[LONGEST] = np.inf if self.settings.step is None else self.settings.step
        capacity = wanted.size + 2 if wanted.size else CAPACITY
        self.record = record(wanted, capacity, self.sizes.y, self.sizes.speeds, self.machine.turns.size)
        self.course.count[NEXT] = self.course.count[WRITTEN] = 0
        self.begun = True
        if not self.resumed:
            self._begin(span)
        if wanted.size and wanted[0] <= clock[T]:
            self.course.count[NEXT] = 1
        if not wanted.size or wanted[0] == clock[T]:
            write_now(self.course, self.record)
        with Progress("dynamics", 1000, progress) as bar:
            try:
                for now in self._slices():
                    bar.show(int(1000 * (1.0 - (until - now) / span)))
            except KeyboardInterrupt:
                raise self._interrupted() from None
        found = self.result()
        if not self.scheme.drifts:
            refuse_broken_rows(found)
        return found

    def at_once(self) -> Simulation:
        """The start alone."""
        self.record = record(np.zeros(0), 1, self.sizes.y, self.sizes.speeds, self.machine.turns.size)
        self.begun = True
        self._begin(1.0)
        write_now(self.course, self.record)
        return self.result()

    def _begin(self, span: float) -> None:
        status = begin_course(self.act, self.opaque, self.course)
        if status:
            self.course.count[REASON] = status
            raise self._failure()
        refuse_weightless(self)
        self.course.clock[H] = self._first_step(span)

    def _first_step(self, span: float) -> float:
        """A step in which the motion, as it begins, changes by little."""
        first, size = self.sizes.positions, self.machine.size
        v, a = (part[first : first + size.size] for part in (self.course.y, self.course.dy))
        pace = max(float(np.max(np.abs(v) * size)), float(np.sqrt(np.max(np.abs(a) * size))))
        if self.scheme.rough and self.settings.step is not None:
            return self.settings.step
        step = 0.3 * self.settings.rtol ** (1.0 / self.scheme.order) / pace if pace > 0.0 else np.inf
        return min(step, 0.01 * span)

    def _slices(self) -> Iterator[float]:
        """Run slice by slice; yields the time reached after each."""
        budget, to_the_end, looked = 16, False, 0
        while True:
            begun = stopwatch.perf_counter()
            status = drive(
                self.step, self.interpolate, self.act, self.opaque, self.course, opaque(self.memory), self.record,
                budget, to_the_end,
            )  # fmt: skip
            elapsed = stopwatch.perf_counter() - begun
            self.account.seconds += elapsed
            yield float(self.course.clock[T])
            budget = int(max(1, min(4 * budget, budget * SLICE / max(elapsed, 1e-6), LARGEST)))
            if self.settings.method == "auto" and self.scheme.name == "radau":
                looked, budget = looked + 1, min(budget, AGAIN)
            if status == FINISHED or (status == EVENT and not self._handle_event()):
                return
            if status == FULL:
                self._enlarge()
            elif status == LAST:
                self.checkpoint, to_the_end = self._saved(), True
            elif status == FAILED:
                raise self._failure()
            elif status == STIFF or looked * budget > AGAIN:
                looked = 0
                self._choose()

    def _choose(self) -> None:
        """Try the other of two schemes for some steps, and keep it if it gets on faster."""
        before, now = self.scheme.name, float(self.course.clock[T])
        other = "radau" if before == "dop853" else "dop853"
        pace, step = self._pace(), float(self.course.clock[H])
        self.use(other)
        self.course.clock[H] = 0.5 * step
        for _ in range(TRIAL if other == "radau" else PROOF):
            if self._one_step() != RUNNING:
                break
        if self._pace() > BETTER * pace and self.course.count[REASON] == 0:
            words = "stiff forces" if other == "radau" else "forces that are stiff no more"
            self.account.notes.append(f"at t = {now:.6g} s changed from {before} to {other} because of {words}")
            return
        self.use(before)
        self.course.clock[H] = step
        if before == "dop853":
            self.memory.note[HIT] = -AGAIN  # do not ask again for a while

    def _one_step(self) -> int:
        """One step of the loop, unless it ends there."""
        tables = self.course, opaque(self.memory), self.record
        room = self.record.times.size - int(self.course.count[WRITTEN])
        if room < 2 or self.course.clock[T] + self.course.clock[H] > self.course.clock[END] or self.events:
            return LAST
        self.work_before = int(self.machine.count[EVALUATIONS] + self.machine.count[FACTORIZATIONS])
        return int(drive(self.step, self.interpolate, self.act, self.opaque, *tables, 1, False))

    def _pace(self) -> float:
        """How far the last step led for its work."""
        work = int(self.machine.count[EVALUATIONS] + self.machine.count[FACTORIZATIONS])
        spent = work - self.work_before if self.scheme.name == "radau" else EXPLICIT
        return float(self.course.clock[TAKEN]) / max(spent, 1)

    def let_go(self) -> None:
        """Begin a motion that is watched step by step, without a record of its instants."""
        self.course.clock[END], self.course.clock[SHORTEST] = np.inf, 0.0
        self.record = record(np.full(1, np.inf), 3, self.sizes.y, self.sizes.speeds, self.machine.turns.size)
        self.begun = True
        self._begin(1e6)

    def until_slower(self, energy: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        """Move on until the kinetic energy has passed a maximum, then stop all bodies."""
        nq, nv, before = self.sizes.positions, self.sizes.speeds, 0.0
        while True:
            if self._one_step() not in (RUNNING, STIFF):
                raise self._failure()
            y = self.course.y
            now = float(energy(y[None, :nq], y[None, nq : nq + nv])[0])
            if now <= before:
                break
            before = now
        self._go_back(lambda look: float(energy(look[None, :nq], look[None, nq : nq + nv])[0]))
        y[nq : nq + nv] = 0.0
        step = float(self.course.clock[H])
        self._begin(1e6)
        self._forget()
        self.course.clock[H] = min(step, float(self.course.clock[H]))

    def _go_back(self, value: Callable[[np.ndarray], float]) -> None:
        """Go back to the instant within the last step at which a value of y was greatest."""
        clock, tables = self.course.clock, (self.interpolate, self.act, self.opaque, self.course, opaque(self.memory))
        low, high = float(clock[T_OLD]), float(clock[T])

        def at(time: float) -> float:
            look_at(*tables, time)
            return value(self.course.look)

        for _ in range(3):
            times = np.linspace(low, high, 9)
            best = int(np.argmax([at(time) for time in times]))
            low, high = times[max(best - 1, 0)], times[min(best + 1, 8)]
        at(0.5 * (low + high))
        self.course.y[:] = self.course.look
        clock[T] = 0.5 * (low + high)

    def hardest(self) -> float:
        """The greatest acceleration, in model lengths or rad."""
        first, size = self.sizes.positions, self.machine.size
        return float(np.max(np.abs(self.course.dy[first : first + size.size]) * size))

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
        if isinstance(answer, str) and answer == "stop":
            return False
        if answer is not None:
            self._change(event, answer)
            self._arm(event, int(self.course.count[HAPPENED]))
        return True

    def _arm(self, event: Event, k: int) -> None:
        """After a change an event can take place again: it lies on the side from which it comes."""
        g = self.course.g
        side = -DIRECTIONS[event.direction] or g[0, len(self.events) + k]
        if np.isfinite(side) and side != 0.0:
            g[0, k] = np.copysign(TINY, side)

    def _change(self, event: Event, answer: Any) -> None:
        """Give bodies the velocities that an action returned."""
        if not isinstance(answer, dict):
            raise ModelError(
                f"the action of {event.title} must return None, 'stop' or a dictionary of bodies, got {answer!r}"
            )
        system, first = self.system, self.sizes.positions
        for body, changes in answer.items():
            check.instance(body, system.model.body_type, f"a key of what the action of {event.title} returned")
            place = first + system.width * system.body_number(body)
            poses = self.course.y[system.space.stored * system.body_number(body) :][: system.space.stored]
            twist = self.course.y[place : place + system.width]
            twist[:] = system.space.changed_twist(poses, twist, changes, f"the action of {event.title}")
        status = begin_course(self.act, self.opaque, self.course)
        if status:
            self.course.count[REASON] = status
            raise self._failure()
        self._forget()
        self.course.clock[H] = self._first_step(float(self.course.clock[END] - self.course.clock[T]))

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
        self.use(checkpoint.method)
        self.resumed = True
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
        return failure(self)
