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
from cardan.analysis.slow.follower import Follower, Stop
from cardan.errors import Interrupted, ModelError, SimulationError
from cardan.results.loads import Loads
from cardan.results.steady.quasi_static import Snap
from cardan.results.trajectory import Trajectory

MOST_SEARCHES = 100  # searches for another equilibrium in one run


class Sequence:
    """The equilibria found so far; `partial(sequence, count)` is the result at the first `count` values."""

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
    ) -> None:
        self.statics, self.ways, self.stated, self.grid, self.stops, self.bar = statics, ways, stated, grid, stops, bar
        self.partial = partial
        span = float(grid[-1] - grid[0])
        spacing = float(np.diff(grid).min(initial=np.inf))
        self.follower = Follower(statics, ways, span or 1.0, spacing if grid.size > 1 else 1.0, float(grid[-1]))
        self.found: list[Stop] = []
        self.snaps: list[Snap] = []
        self.searches = 0
        self.set_aside: tuple[int, ...] = ()

    def go(self, method: str) -> None:
        """Find all; an interruption keeps what was found."""
        try:
            self._go(method)
        except KeyboardInterrupt:
            if not self.found:
                raise
            raise self._interrupted() from None

    def _go(self, method: str) -> None:
        follower = self.follower
        stop = follower.stop(self._searched(self.stated, method), float(self.grid[0]))
        follower.was_stable = stop.stable
        self.found.append(stop)
        for k, time in enumerate(self.grid[1:].tolist()):
            self.bar.show(k)
            following = follower.follow(stop, time)
            while following is None:
                following = follower.follow(self._jumped(follower.end), time)
            stop = following
            self.found.append(stop)

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

    def _jumped(self, end: Stop) -> Stop:
        """The equilibrium after a jump."""
        follower, name, where = self.follower, self.statics.system.model.name, self.statics.where(end.time)
        self.searches += 1
        if self.searches > MOST_SEARCHES:
            raise self._ended(
                f"the equilibrium of '{name}' cannot be followed beyond {where}: it ended "
                f"{MOST_SEARCHES} times before; forces jump, or loads change too fast for the output times",
                end.time,
            )
        try:
            time, begin = follower.snap_start(end)
            there = self._searched(begin, "auto")
        except SimulationError as error:
            raise self._ended(
                f"the equilibrium of '{name}' ends at {self.statics.where(end.time)}, and no other was found: {error}",
                end.time,
            ) from error
        snap = follower.snap_between(end, there)
        if snap is not None and self.stops:
            raise self._ended(f"the equilibrium of '{name}' ends: it would jump at {self.described(snap)}", end.time)
        if snap is not None:
            self.snaps.append(snap)
        if time <= end.time:
            raise self._ended(
                f"the equilibrium of '{name}' cannot be followed beyond {self.statics.where(end.time)}", end.time
            )
        follower.length = np.inf
        stop = follower.stop(there, time)
        follower.was_stable = stop.stable
        return stop

    def described(self, snap: Snap) -> str:
        """A jump in messages."""
        return f"{self.statics.where(snap.time)} ({snap.motion})"

    def _interrupted(self) -> Interrupted:
        partial, where = self.partial(self, len(self.found)), float(self.grid[len(self.found) - 1])
        stop = Interrupted(
            f"interrupted at {self.statics.where(where)}: .partial is the result so far", time=where, partial=partial
        )
        partial.stopped = stop
        return stop

    def _ended(self, words: str, time: float) -> SimulationError:
        partial = self.partial(self, len(self.found))
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
