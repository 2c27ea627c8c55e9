"""The result of `simulate`: a trajectory with forces, energy, events and a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cardan.atomic_file import atomic_write
from cardan.deprecation import RenamedAttribute, renamed_names
from cardan.errors import ModelError
from cardan.model import check
from cardan.npz import read_arrays
from cardan.numerics.linalg.rank import SQUARE
from cardan.results.energy import Energy
from cardan.results.engagement_history import Shift
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory
from cardan.system.system import System

__getattr__ = renamed_names(__name__, {"Happening": "EventRecord"})

EQUAL_TIMES = 1e-15  # of a time: closer times are equal


class TitledEvent(Protocol):
    """What a record keeps of an `Event`."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...


@dataclass(frozen=True)
class EventRecord:
    """An occurrence of an event: its time, and the mechanism before and after its action."""

    event: TitledEvent
    time: float
    snapshot: Snapshot
    after: Snapshot

    def __repr__(self) -> str:
        return f"<{self.event.title} at t = {self.time:.9g} s>"


@dataclass(frozen=True, repr=False)
class Checkpoint:
    """The state from which a run continues with bit-identical results. `save` writes it to a file."""

    model: str
    method: str
    time: float  # of the last output
    numbers: dict[str, np.ndarray]  # the state of the integrator and the mechanism

    def __post_init__(self) -> None:
        for word, what in ((self.model, "model"), (self.method, "method")):
            check.text(word, f"the {what} of a checkpoint")
        check.number(self.time, "the time of a checkpoint")
        known = isinstance(self.numbers, dict) and all(isinstance(v, np.ndarray) for v in self.numbers.values())
        if not known:
            raise ModelError(f"the numbers of a checkpoint must be arrays by name, got {check.describe(self.numbers)}")

    def __repr__(self) -> str:
        return f"<checkpoint of '{self.model}' by {self.method} at t = {self.time:g} s>"

    def save(self, path: str | Path) -> None:
        """Write a .npz file; `Checkpoint.load` reads it."""
        words: dict[str, Any] = {"model": self.model, "method": self.method, "time": self.time}
        target = check.path(path, "where a checkpoint is written")
        if target.suffix != ".npz":
            target = target.with_name(f"{target.name}.npz")
        with atomic_write(target) as beside, beside.open("wb") as file:
            np.savez(file, **words, **self.numbers)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | Path) -> Checkpoint:
        try:
            numbers = read_arrays(path)
            return cls(str(numbers.pop("model")), str(numbers.pop("method")), float(numbers.pop("time")), numbers)
        except (ModelError, OSError, KeyError, ValueError, TypeError, MemoryError) as error:
            raise ModelError(f"'{path}' is not a checkpoint of a simulation: {error}") from None


@dataclass
class Stats:
    """Statistics of a run: `simulate(...).stats`."""

    method: str
    rtol: float
    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0  # Newton iterations: position corrections, or steps of implicit methods
    factorizations: int = 0
    seconds: float = 0.0  # CPU time of the compiled loop
    unclosed: int = 0  # steps whose constraints could not be closed to tolerance
    notes: list[str] = field(default_factory=list)  # changes of method, with the reasons
    atol: float | None = None
    rank_tolerance: float = SQUARE

    loose = RenamedAttribute("unclosed")


class Simulation(Trajectory):
    """A trajectory with `.loads`, computed when they are first read, `.energy` and its balance, `.events`, `.stats`
    of the integration, and a `.checkpoint` to continue from: `simulate(model, 20.0, start=run.checkpoint)`.
    """

    account, stated = RenamedAttribute("stats"), RenamedAttribute("options")

    def __init__(
        self,
        system: System,
        times: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        work: np.ndarray,
        turns: np.ndarray,
        steps: np.ndarray,
        set_aside: tuple[int, ...],
        stats: Stats,
        find_loads: Callable[[Trajectory], Loads],
        move_on: Callable[[Simulation, int, float], Snapshot],
        shifts: Sequence[Shift] = (),
    ) -> None:
        super().__init__(system, times, q, v, a, None, steps, set_aside, "dynamics", turns)
        self.states = work[:, len(system.laws) + 2 :]
        self.work, self.stats, self._find_loads, self._move_on = work, stats, find_loads, move_on
        self.shifts = [*shifts]
        self.events: list[EventRecord] = []
        self.options: dict[str, Any] = {}  # arguments of simulate() except the model, output times and tolerance
        self.checkpoint: Checkpoint | None = None

    @cached_property
    def loads(self) -> Loads:  # type: ignore[override]
        """Multipliers and applied forces, computed when they are first read."""
        return self._find_loads(self)

    @property
    def has_forces(self) -> bool:
        return True

    @cached_property
    def energy(self) -> Energy:  # type: ignore[override]
        return Energy(self, self.work)

    def at(self, time: float) -> Snapshot:
        """The mechanism at any time, integrated from the output time before with the tolerance of the run."""
        k, time = self._instant_before(time)
        near = min(self.times[k : k + 2].tolist(), key=lambda instant: abs(instant - time))
        found = super().at(near) if abs(time - near) <= EQUAL_TIMES * abs(near) else self._move_on(self, k, time)
        if found.find_loads is None:
            held = [shift for shift in self.shifts if shift.time <= time]
            found.shifts, found.set_aside = [shift._replace(first=0) for shift in held[-1:]], self.set_aside
            found.find_loads = self._find_loads
        return found

    def _heading(self) -> str:
        return f"{super()._heading()} by {self.stats.method}, rtol {self.stats.rtol:g}"

    def _effort(self) -> str:
        stats = self.stats
        return f"{stats.steps} steps, {stats.rejected} rejected, {stats.evaluations} evaluations"

    def _quality(self) -> str:
        return f"{super()._quality()}, energy drift {self.energy.drift:.1e}"

    def _remarks(self) -> list[str]:
        count = len(self.events)
        return [*self.stats.notes, *([f"{count} event{'s' if count > 1 else ''}"] if count else [])]
