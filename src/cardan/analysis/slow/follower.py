"""Follow an equilibrium by the loop of `march`, and jump where it ends.

If steps become too short, the equilibrium ends at a fold or loses its stability at a bifurcation: the mechanism is
displaced along its softest direction, and the search of `equilibrium` starts there.
"""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from cardan.analysis.assembly.closing import bodies_of
from cardan.analysis.equilibria.imbalance import NO_MULTIPLIERS, Sizes, StaticPlace
from cardan.analysis.equilibria.newton import displaced
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.equilibria.verdict import verdict_of
from cardan.analysis.slow.march import (
    BEGIN,
    DECIDE,
    DECIDED,
    ENDED,
    FAILED,
    Follow,
    SlowClock,
    SlowRecord,
    SlowTables,
    march_equilibria,
)
from cardan.analysis.slow.tangent import (
    AT_SINGULARITY,
    NEUTRAL,
    NO,
    UNDECIDED,
    YES,
    Rates,
    Tangent,
    TangentMemory,
    TangentState,
)
from cardan.errors import CardanError, SimulationError
from cardan.numerics.compiled.block import allocated, block
from cardan.results.steady.quasi_static import Snap

VERDICTS = {YES: True, NO: False, UNDECIDED: None}
BEYOND = 1e-7  # relative to the whole time: how long after its end another equilibrium is searched
KICK = 1e-3  # displacement in rad or model lengths with which the search starts
SAME_PLACE = 1e-4  # displacement up to which two equilibria are the same
SLICE_SECONDS = 0.05  # s of computing between two updates of the progress bar and checks of the keyboard
FIRST_SLICE, MAX_SLICE = 2, 1_000_000  # steps of the first slice, and of the longest
STORED = 4_000_000  # numbers of stiffnesses stored at once


class Follower:
    """The equilibria at output times: `done` of them are in `record`, with `lowest` stiffness and `reasons`."""

    def __init__(self, statics: Statics, ways: Ways, grid: np.ndarray, rank: int) -> None:
        self.statics, self.ways, self.grid, self.rank = statics, ways, grid, rank
        self.span = float(grid[-1] - grid[0]) or 1.0
        spacing = float(np.diff(grid).min()) if grid.size > 1 else 1.0
        self.clock = SlowClock(last=float(grid[-1]), span=self.span, spacing=spacing, length=np.inf, resting=-1)
        self.clock.time, self.clock.timed = statics.time, int(statics.timed)
        self.clock.usual, self.clock.closed, self.clock.settles = statics.usual, ways.tolerance, int(statics.workless)
        self.reasons = [""]
        self.done, self.budget = 0, FIRST_SLICE
        self._allocate()

    def _allocate(self) -> None:
        statics, system = self.statics, self.statics.system
        n, m = statics.size, system.row_count
        free = n - self.rank
        sizes = {"n": n, "m": m, "rank": self.rank, "free": free, "speeds": system.speeds().size}
        sizes |= {"stored": system.start.size, "measures": len(system.measures), "laws": len(system.laws)}
        sizes |= {"times": self.grid.size, "winding": system.winding.size, "energies": 0}
        bodies = bodies_of(system, statics.active, winding=system.winding, work=statics.work)
        tangents = [allocated(Tangent, sizes, state=TangentState()) for _ in range(2)]
        rates = [allocated(Rates, sizes) for _ in range(2)]
        places = [
            allocated(StaticPlace, sizes, q=system.start.copy(), reference=system.reference.copy(), sizes=Sizes())
            for _ in range(2)
        ]
        lines = Follow._make(statics.follow_lines())
        self.tables = allocated(
            SlowTables,
            sizes,
            clock=self.clock,
            follow=block(lines),
            statics=statics.loops,
            bodies=bodies,
            at=places[0],
            there=places[1],
            tangent=tangents[0],
            other=tangents[1],
            rates=rates[0],
            ahead=rates[1],
            memory=allocated(TangentMemory, sizes),
            unit=statics.unit,
            columns=system.columns.astype(np.uint32),
            known=statics.multipliers,
            moves=(statics.steps != 0.0).astype(float),
            steps=np.zeros_like(statics.steps),
            found=np.zeros_like(statics.steps),
            entry=np.column_stack(statics.pattern).astype(np.int64),
        )
        some = min(self.grid.size, max(1, STORED // max(free * free, 1)))
        given = {"winding": system.winding.astype(np.uint32), "first": np.zeros(1, np.int64)}
        self.record = allocated(SlowRecord, sizes, stiffness=np.zeros((some, free, free)), **given)
        self.lowest = np.full(self.grid.size, np.inf)

    def set_time(self, time: float) -> None:
        self.statics.go_to(time)
        self.ways.closing.time = self.statics.time

    def begin(self, place: Place, time: float) -> None:
        """Continue from an equilibrium."""
        there, clock = self.tables.there, self.clock
        there.q[:], there.reference[:] = place.q, place.reference
        clock.trial_time, clock.length = time, np.inf
        clock.steps, clock.iterations = 0, 0
        self.set_time(time)
        status, _ = march_equilibria(self.tables, self.record, self.grid, BEGIN, 0)
        if status == DECIDE:
            self._decide()
            status, _ = march_equilibria(self.tables, self.record, self.grid, DECIDED, 0)
        if status == FAILED:
            raise self._failure(int(clock.status))

    def follow(self) -> bool:
        """Continue for a while. Returns whether the equilibrium goes on; otherwise it ends where it is now."""
        begun = clock.perf_counter()
        status, done = march_equilibria(self.tables, self.record, self.grid, self.done, self.budget)
        self._read(done)
        if status == DECIDE:
            self._decide()
        elapsed = clock.perf_counter() - begun
        share = min(4.0, SLICE_SECONDS / max(elapsed, 1e-6))
        self.budget = int(np.clip(share * self.budget, FIRST_SLICE, MAX_SLICE))
        return bool(status != ENDED)

    def _read(self, done: int) -> None:
        """The lowest stiffnesses of new output times."""
        record = self.record
        first, some = int(record.first[0]), record.stiffness.shape[0]
        new = record.stiffness[self.done - first : done - first]
        if new.size:
            self.lowest[self.done : done] = np.linalg.eigvalsh(0.5 * (new + new.transpose(0, 2, 1)))[:, 0]
        self.done = done
        if done - first == some:
            record.first[0] = done

    def _decide(self) -> None:
        """The verdict on the trial, by exact derivatives if necessary."""
        there, clock, statics = self.tables.there, self.clock, self.statics
        self.set_time(float(clock.trial_time))
        q, reference = there.q.copy(), there.reference.copy()
        place = Place(q, reference, statics.at(q, reference))
        with statics.ordinary() as ordinary:
            verdict = verdict_of(ordinary, place, ordinary.rank(place.point))
        clock.verdict, clock.reason = UNDECIDED if verdict.stable is None else int(verdict.stable), 0
        if verdict.stable is None:
            clock.reason = self._number_of(verdict.reason)
        if verdict.neutral and clock.resting < 0:
            clock.resting, clock.resting_reason = self.tables.other.state.neutral, self._number_of(verdict.reason)

    def _number_of(self, reason: str) -> int:
        if reason not in self.reasons:
            self.reasons.append(reason)
        return self.reasons.index(reason)

    def _failure(self, status: int) -> CardanError:
        """The error for the first position or one after a jump."""
        statics, system, now = self.statics, self.statics.system, float(self.clock.trial_time)
        self.set_time(now)
        if status == NO_MULTIPLIERS:
            return SimulationError(f"the equations of '{system.model.name}' are singular", time=statics.time)
        if status == AT_SINGULARITY:
            row = int(self.tables.other.order[self.rank - 1])
            return SimulationError(
                f"'{system.model.name}' reaches a singular configuration at {statics.where(now)}, where "
                f"{system.row_name(row)} depends on the other equations",
                time=statics.time,
            )
        return statics.failure(status)

    def stability(self, count: int) -> tuple[tuple[bool | None, ...], tuple[str, ...]]:
        """Whether the first equilibria are stable, None if this is neutral or undecided, and the reasons."""
        stable, reasons = self.record.stable[:count].tolist(), self.record.reason[:count].tolist()
        return tuple(map(VERDICTS.get, stable)), tuple(map(self.reasons.__getitem__, reasons))

    @property
    def end(self) -> float:
        """Where the present equilibrium is, or ends."""
        return float(self.clock.now)

    def snap_start(self) -> tuple[float, Place]:
        """A time shortly after the equilibrium ends, and a displaced position at which to search for another one."""
        statics, time = self.statics, min(self.end + BEYOND * self.span, float(self.grid[-1]))
        self.set_time(time)
        kick = _softest(self.tables.tangent) * KICK
        if float(kick @ self.tables.rates.velocity) < 0.0:
            kick = -kick
        begin = self.ways.moved(self._place(), kick)
        if begin is None:
            raise SimulationError(
                f"the joints of '{statics.system.model.name}' cannot close after {statics.where(self.end)}: its "
                "drivers lock, or a force has no value there",
                time=statics.time,
            )
        return time, begin

    def snap_to(self, place: Place) -> Snap | None:
        """The jump from where the equilibrium ends to a position; None if they are the same."""
        statics = self.statics
        step = displaced(statics, self._place(), place)
        k = int(np.argmax(np.abs(step)))
        if abs(step[k]) <= SAME_PLACE and self.clock.was_stable != YES:
            return None
        unit = "rad" if statics.angular[k] else "m"
        return Snap(self.end, statics.name_of(k), float(abs(step[k]) * statics.unit[k]), unit)

    def _place(self) -> Place:
        """The present position, evaluated with the forces of the present time."""
        q, reference = self.tables.at.q.copy(), self.tables.at.reference.copy()
        return Place(q, reference, self.statics.at(q, reference))


def _softest(tangent: Any) -> np.ndarray:
    """The displacement of least stiffness, with a largest component of 1; zero if nothing is free."""
    if not tangent.reduced.size:
        return np.zeros(tangent.H.shape[0])
    if tangent.state.symmetric:
        sizes, left = np.linalg.eigh(tangent.reduced)
        lines = left.T
    else:
        _, sizes, lines = np.linalg.svd(tangent.reduced)
    stiff = np.where(np.abs(sizes) <= NEUTRAL, np.inf, sizes)
    line = tangent.free.T @ lines[int(np.argmin(stiff))]
    return np.asarray(line / max(float(np.abs(line).max()), 1e-300))
