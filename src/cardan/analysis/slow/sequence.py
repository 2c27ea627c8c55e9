"""A sequence of equilibria along time or a parameter: from one value to the next, with jumps where one ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.analysis.equilibria.equilibrium import BALANCED, SEARCHES, found_equilibrium, found_place
from cardan.analysis.equilibria.place import Place, Ways
from cardan.analysis.equilibria.potential import Potential
from cardan.analysis.equilibria.states import has_devices
from cardan.analysis.equilibria.statics import DENSE, Statics
from cardan.analysis.loads.cartesian import loads_of
from cardan.analysis.progress import Progress
from cardan.analysis.slow.follower import Follower
from cardan.errors import Interrupted, ModelError, SimulationError
from cardan.numerics.linalg.rank_report import RankReport
from cardan.results.loads import Loads
from cardan.results.steady.quasi_static import Snap
from cardan.results.trajectory import Trajectory

MOST_SEARCHES = 100  # searches for another equilibrium in one run


class Sequence:
    """The equilibria at output times, found by `follower`; `partial(sequence, count)` is the result at the first."""

    def __init__(
        self,
        statics: Statics,
        ways: Ways,
        stated: Place,
        grid: np.ndarray,
        bar: Progress,
        *,
        stops: bool,
        partial: Callable[[Any, int], Any],
        report: RankReport,
    ) -> None:
        assert report.null_space is not None
        self.statics, self.ways, self.stated, self.grid, self.stops, self.bar = statics, ways, stated, grid, stops, bar
        self.partial = partial
        self.follower = Follower(statics, ways, grid, statics.size - report.null_space.shape[1])
        self.snaps: list[Snap] = []
        self.searches = 0
        self.set_aside = tuple(redundancy.row for redundancy in report.redundant)

    def go(self, method: str) -> None:
        """Find all; an interruption keeps what was found."""
        try:
            self._go(method)
        except KeyboardInterrupt:
            if not self.follower.done:
                raise
            raise self._interrupted() from None

    def _go(self, method: str) -> None:
        follower = self.follower
        follower.begin(self._searched(self.stated, method), float(self.grid[0]))
        while follower.done < self.grid.size:
            if not follower.follow():
                self._jump()
            self.bar.show(follower.done)

    def _searched(self, place: Place, method: str) -> Place:
        """The equilibrium near a position at the present time."""
        with self.statics.ordinary() as statics:
            ways = self.ways if statics is self.statics else Ways(statics, self.ways.tolerance)
            if ways is not self.ways:
                place = ways.start(place.q, place.reference.copy())
            found = self._found(statics, place, ways, method)
        return Place(found.q, found.reference, self.statics.at(found.q, found.reference))

    def _found(self, statics: Statics, place: Place, ways: Ways, method: str) -> Place:
        """The position of an equilibrium, without the verdict on it where the choice of the search does not need it."""
        if method == "auto":
            try:
                Potential(statics, place.reference)
                method = "energy"
            except ModelError:
                found = found_equilibrium(statics, place, ways, method, SEARCHES, BALANCED, self.bar)
                reference = place.reference.copy()
                reference[statics.system.winding] = found.turns
                return Place(found.q, reference, place.point)
        return found_place(statics, place, ways, SEARCHES[method], BALANCED, self.bar)

    def _jump(self) -> None:
        """Continue from the equilibrium after a jump."""
        follower, name, end = self.follower, self.statics.system.model.name, self.follower.end
        where = self.statics.where(end)
        self.searches += 1
        if self.searches > MOST_SEARCHES:
            raise self._ended(
                f"the equilibrium of '{name}' cannot be followed beyond {where}: it ended "
                f"{MOST_SEARCHES} times before; forces jump, or loads change too fast for the output times",
                end,
            )
        try:
            time, begin = follower.snap_start()
            there = self._searched(begin, "auto")
        except SimulationError as error:
            raise self._ended(
                f"the equilibrium of '{name}' ends at {where}, and no other was found: {error}", end
            ) from error
        snap = follower.snap_to(there)
        if snap is not None and self.stops:
            raise self._ended(f"the equilibrium of '{name}' ends: it would jump at {self.described(snap)}", end)
        if snap is not None:
            self.snaps.append(snap)
        if time <= end:
            raise self._ended(f"the equilibrium of '{name}' cannot be followed beyond {where}", end)
        follower.begin(there, time)

    def described(self, snap: Snap) -> str:
        """A jump in messages."""
        return f"{self.statics.where(snap.time)} ({snap.motion})"

    def _interrupted(self) -> Interrupted:
        done = self.follower.done
        partial, where = self.partial(self, done), float(self.grid[done - 1])
        stop = Interrupted(
            f"interrupted at {self.statics.where(where)}: .partial is the result so far", time=where, partial=partial
        )
        partial.stopped = stop
        return stop

    def _ended(self, words: str, time: float) -> SimulationError:
        partial = self.partial(self, self.follower.done)
        error = SimulationError(words, time=time, partial=partial)
        partial.stopped = error
        return error


def reject_unsupported(statics: Statics) -> None:
    """Reject what cannot be followed."""
    system = statics.system
    name = system.model.name
    if has_devices(statics) or system.samplers:
        raise ModelError(
            f"quasi_static() does not support states of devices and sampled controllers, which '{name}' has: use "
            "equilibrium() at each time"
        )
    if system.on_velocities.any():
        row = int(np.flatnonzero(system.on_velocities)[0])
        raise ModelError(
            f"quasi_static() does not support velocity constraints, such as {system.row_name(row)} of '{name}': the "
            "position depends on the path; use simulate()"
        )
    if statics.size > DENSE:
        raise ModelError(
            f"quasi_static() supports up to {DENSE} coordinates, and '{name}' has {statics.size}: use equilibrium() "
            "at each time"
        )


def static_loads(run: Trajectory) -> Loads:
    """The forces of a sequence of positions without inertia, with all rates zero."""
    still = np.zeros_like(run.v)
    resting = Trajectory(run.system, run.times, run.q, still, still, set_aside=run.set_aside, turns=run.turns)
    resting.bifurcations = run.bifurcations
    return loads_of(resting)
