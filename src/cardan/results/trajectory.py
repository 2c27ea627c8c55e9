"""A trajectory: the motion that an analysis computed, at its output times.

    run[body].position        run[joint].violation        run[measure].value        run["E"].velocity
    run.at(t)                 run.to_xarray()             run.save("run.csv")       repr(run): a summary

Derived quantities are computed from the stored arrays when they are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from cardan.counts import counted
from cardan.deprecation import RenamedAttribute
from cardan.elements.contact.impact import Impact
from cardan.elements.control.source import Source
from cardan.elements.gauge import Gauge
from cardan.elements.point import Point
from cardan.errors import CardanError, Interrupted, ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Signal
from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.results.checked_array import CheckedArray
from cardan.results.columns import Columns
from cardan.results.engagement_history import Shift, pieces
from cardan.results.loads import Loads
from cardan.results.measure_series import measure_series
from cardan.results.motion_kernels import residuals_along
from cardan.results.series import BodySeries, ConstraintSeries, ForceSeries, MeasureSeries, PointSeries, SignalSeries
from cardan.results.special_points import Bifurcation, Jump, bifurcations_in_words, jumps_in_words
from cardan.shortcuts import MotionShortcuts
from cardan.system.system import System
from cardan.table import Table

if TYPE_CHECKING:
    from cardan.results.energy import Energy
    from cardan.results.reaction import Frame, Reaction
    from cardan.results.snapshot import Snapshot


class PlanarBody(Protocol):
    """A body whose orientation is one angle."""

    @property
    def angle(self) -> float: ...

    @property
    def angular_velocity(self) -> float: ...


if TYPE_CHECKING:

    class NamedSeries(np.ndarray):
        """What a name returns: a column, which is an array, or the series of an element with its quantities."""

        def __getattr__(self, name: str) -> NamedSeries: ...
        def __getitem__(self, key: Any) -> NamedSeries: ...
        def __float__(self) -> float: ...
        def on(self, body: RigidBody | str) -> Reaction: ...
        def in_frame(self, frame: Frame) -> Reaction: ...
        def at(self, point: Marker) -> Reaction: ...


class Indexed(ABC):
    """A result that is indexed by elements, markers, measures, signals and names; each series has a row per time."""

    @overload
    def __getitem__(self, key: str) -> NamedSeries: ...
    @overload
    def __getitem__(self, key: Readable | Gauge) -> MeasureSeries[np.ndarray]: ...
    @overload
    def __getitem__(self, key: Device | Signal | Source) -> SignalSeries[np.ndarray]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, key: Marker | Point) -> PointSeries[np.ndarray]: ...
    @overload
    def __getitem__(self, key: Force) -> ForceSeries[np.ndarray]: ...
    @overload
    def __getitem__(self, key: Constraint | Impact) -> ConstraintSeries[np.ndarray, np.ndarray]: ...
    @overload
    def __getitem__(self, key: RigidBody) -> BodySeries[np.ndarray]: ...
    def __getitem__(self, key: Any) -> Any:
        """The series of an element, marker, measure or signal. By name: the values of a column, `run["rod.ax"]`, or
        the series of an element, `run["rod"]`."""
        return self._read(key)

    @abstractmethod
    def _read(self, key: Any) -> Any:
        """The series, or the values of a column."""


class Trajectory(Indexed, MotionShortcuts):
    """Positions, velocities and accelerations at the output times `times`.

    `iterations` and `steps` are the numbers of Newton iterations and of steps taken to reach each output time;
    `stopped` is the error that ended the analysis early, or None.
    """

    def __init__(
        self,
        system: System,
        times: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        iterations: np.ndarray | None = None,
        steps: np.ndarray | None = None,
        set_aside: tuple[int, ...] = (),
        analysis: str = "kinematics",
        turns: np.ndarray | None = None,
    ) -> None:
        winding = system.winding.size
        self._widths = {"q": system.start.size, "turns": winding, "states": system.states.start.size}
        self.system, self.times, self.q, self.v, self.a = system, times, q, v, a
        self.iterations = np.zeros(times.size, int) if iterations is None else iterations
        self.steps = np.zeros(times.size, int) if steps is None else steps
        self.set_aside = set_aside
        self.turns = np.full((times.size, winding), np.nan) if turns is None else turns
        self.states = np.tile(system.states.start, (times.size, 1))  # of devices
        self.analysis = analysis
        self.stopped: CardanError | Interrupted | None = None
        self.moves = True  # whether velocities are known
        self.shifts: list[Shift] = []  # which joints are engaged; empty: all of them, always
        self.jumps: list[Jump] = []  # times at which accelerations may jump, in a driven motion
        self.bifurcations: list[Bifurcation] = []  # bifurcations that the motion passed

    forks = RenamedAttribute("bifurcations")
    q, v, a, turns, states = CheckedArray(), CheckedArray(), CheckedArray(), CheckedArray(), CheckedArray()

    def _shape(self, name: str) -> tuple[int, ...]:
        """The shape that an array must have."""
        return self.times.size, self._widths.get(name, self.system.width + self.system.coordinates)

    loads: Loads | None = None  # if the analysis computes forces
    find_loads: Callable[[Trajectory], Loads] | None = None  # computes forces between output times
    energy: Energy | None = None  # if the analysis computes it
    _columns: Columns | None = None
    show: tuple[str, ...] = ()  # columns that pages plot first, from the model file

    @property
    def has_forces(self) -> bool:
        """Whether forces are known, or are computed when they are read."""
        return self.loads is not None

    @property
    def model(self) -> Model:
        return self.system.model

    def __len__(self) -> int:
        return self.times.size

    def _read(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.model:
                return self._column(key)
            key = self.model[key]
        if isinstance(key, Gauge):
            key = key.measure
        if isinstance(key, Readable):
            return MeasureSeries(self, key)
        if isinstance(key, Device | Signal | Source):
            return SignalSeries(self, key)
        if isinstance(key, Point):
            return PointSeries(self, key.marker)
        if isinstance(key, Force):
            return ForceSeries(self, key)
        if isinstance(key, Element) and not isinstance(key, Constraint) and key.reserve():
            key = key.reserve()[0]
        if isinstance(key, Constraint):
            if key not in self.system.elements:
                raise ModelError(f"{key.title} is not part of this analysis")
            return ConstraintSeries(self, key)
        if isinstance(key, self.model.body_type):
            return BodySeries(self, key)
        if isinstance(key, Marker):
            return PointSeries(self, key)
        raise ModelError(f"a result is read by body, joint, point, marker, measure, signal or name, not by {key!r}")

    def _column(self, name: str) -> np.ndarray:
        """The values of a column by its name."""
        if name not in self.columns:
            near = self.columns.suggestion(name, (element.name for element in self.model))
            hint = f"; did you mean {near}?" if near else "; run.columns lists the columns"
            raise ModelError(f"'{self.model.name}' has no element or column called {name!r}{hint}")
        return self.columns[name].read(self)

    def _ipython_key_completions_(self) -> list[str]:
        return [*(element.name for element in self.model), *self.columns]

    def at(self, time: float) -> Snapshot:
        """The mechanism at any time, by quintic interpolation of q, v and a between output times."""
        from cardan.results.snapshot import Snapshot

        k, time = self._instant_before(time)
        if self.times[k] == time:
            found = Snapshot(self.system, time, self.q[k], self.v[k], self.a[k], self.turns[k], self.states[k])
            found.find_loads = self.find_loads
            return found
        k1 = k + 1
        q, v, a = self.system.space.between(
            (time - self.times[k]) / (self.times[k1] - self.times[k]),
            self.times[k1] - self.times[k],
            (self.q[k], self.v[k], self.a[k]),
            (self.q[k1], self.v[k1], self.a[k1]),
        )
        if not np.isfinite(q).all():
            raise ModelError(
                f"between t = {self.times[k]:g} s and {self.times[k1]:g} s a body rotates too far to interpolate at "
                f"t = {time:g} s: compute more output times"
            )
        turns = self.turns[k] if 2.0 * time < self.times[k] + self.times[k1] else self.turns[k1]
        found = Snapshot(self.system, time, q, v, a, turns, self.states[k])
        found.find_loads = self.find_loads
        return found

    def instant(self, at: float | None = None) -> Trajectory:
        """The result at one time, with its forces if it has any."""
        from cardan.results.snapshot import at_index

        if at is None and len(self) != 1:
            raise ModelError(f"'{self.model.name}' has {len(self)} output times: pass at=")
        k, time = self._instant_before(float(self.times[0]) if at is None else at)
        return at_index(self, k) if self.times[k] == time else self.at(time).as_trajectory()

    def _instant_before(self, time: float) -> tuple[int, float]:
        """The last output time up to a time, which must lie within the result."""
        time = check.number(time, "the time at which a result is read")
        if len(self) == 0:
            raise ModelError(f"the result is empty: it cannot be read at t = {time:g} s")
        if not self.times[0] <= time <= self.times[-1]:
            raise ModelError(f"t = {time:g} s lies outside the result, {self.times[0]:g} s to {self.times[-1]:g} s")
        return int(np.searchsorted(self.times, time, "right")) - 1, time

    def between(self, parts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Times, q, v and a at every output time and at parts - 1 times between each two, interpolated as by `at`.

        Only intervals of a single step are refined: over longer ones interpolation is not accurate.
        """
        if len(self) == 1:
            return self.times, self.q, self.v, self.a
        h = np.diff(self.times)[:, None]
        start, end = ((self.q[s], self.v[s], self.a[s]) for s in (slice(None, -1), slice(1, None)))
        looks = [self.system.space.between(k / parts, h, start, end) for k in range(parts)]
        times = (self.times[:-1, None] + h * np.arange(parts) / parts).ravel()
        tables = (np.stack(level, axis=1).reshape(times.size, -1) for level in zip(*looks, strict=True))
        ends = (self.q[-1:], self.v[-1:], self.a[-1:])
        inside = np.repeat(self.steps[1:] <= 1, parts)
        inside[::parts] = True
        q, v, a = (np.concatenate([table[inside], end]) for table, end in zip(tables, ends, strict=True))
        return np.append(times[inside], self.times[-1]), q, v, a

    def until(self, count: int) -> Trajectory:
        """The motion at the first `count` output times."""
        count = 0 if isinstance(count, int) and count == 0 else check.count(count, "the number of output times kept")
        motion = self.times[:count], self.q[:count], self.v[:count], self.a[:count]
        counts = self.iterations[:count], self.steps[:count]
        part = Trajectory(self.system, *motion, *counts, self.set_aside, self.analysis, self.turns[:count])
        part.jumps = [jump for jump in self.jumps if count and jump.time <= self.times[count - 1]]
        part.bifurcations = [
            bifurcation for bifurcation in self.bifurcations if count and bifurcation.time <= self.times[count - 1]
        ]
        return part

    def violations(self) -> np.ndarray:
        """The size of the residual of every equation, (output times, equations); J v - nu for velocity equations."""
        return np.abs(self._residuals)

    @property
    def violation(self) -> np.ndarray:
        """The largest violation of any equation at every output time."""
        return np.asarray(self.violations().max(axis=1, initial=0.0))

    @cached_property
    def _residuals(self) -> np.ndarray:
        residuals = np.zeros((self.times.size, self.system.row_count))
        work, reference = self.system.work(), self.system.reference.copy()
        moves = self.moves and bool(self.system.on_velocities.any())
        for part, system, engaged, _ in pieces(self):
            motion = (self.times[part], self.q[part], self.v[part], moves, self.turns[part], system.winding)
            residuals_along(system.geometry, system.complete_rows, *motion, reference, work, residuals[part])
            residuals[part][:, engaged == 0] = 0.0
        return residuals

    @property
    def columns(self) -> Columns:
        """The names, units and readers of all columns; see `cardan.results.columns`."""
        if self._columns is None or self._columns.forces != self.has_forces:
            self._columns = Columns(self.system, self.has_forces)
        return self._columns

    def table(self) -> Table:
        """All columns by name, time first; see `cardan.results.columns`. `run.table().to_pandas()` is a data frame."""
        return Table(self.columns.read(self), self.columns.units())

    def sample(self, measures: Sequence[Readable]) -> list[np.ndarray]:
        """For each measure an array (output times, 3) of its value, rate and acceleration."""
        return measure_series(self.system, measures, self.times, self.q, self.v, self.a, self.turns) if measures else []

    def __repr__(self) -> str:
        span = (
            f"{self.times[0]:g} s to {self.times[-1]:g} s, {counted(self.times.size, 'output time')}"
            if len(self)
            else "empty"
        )
        parts = [f"{self._heading()}: {span}", self._effort(), self._quality()]
        if self.set_aside:
            parts.append(f"set aside as redundant: {', '.join(self.system.row_name(r) for r in self.set_aside)}")
        if self.bifurcations:
            parts.append(bifurcations_in_words(self.bifurcations))
        if self.jumps:
            parts.append(jumps_in_words(self.jumps))
        parts += self._remarks()
        return "; ".join([*parts, f"stopped early: {self.stopped}"] if self.stopped else parts)

    def _heading(self) -> str:
        return f"{self.analysis} of '{self.model.name}'"

    def _effort(self) -> str:
        return f"{counted(int(self.steps.sum()), 'step')}, {counted(int(self.iterations.sum()), 'Newton iteration')}"

    def _quality(self) -> str:
        return f"worst constraint violation {self.violations().max(initial=0.0):.1e}"

    def _remarks(self) -> list[str]:
        return []
