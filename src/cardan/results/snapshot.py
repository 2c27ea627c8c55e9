"""A snapshot: the mechanism at one time, indexed like a trajectory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from cardan.elements.constraints.driver import Coupler, Driver, Hold
from cardan.elements.contact.impact import Impact
from cardan.elements.control.source import Source
from cardan.elements.point import Point
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.body import RigidBody
from cardan.model.device import Device, Signal
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.marker import Marker
from cardan.model.measure import Readable
from cardan.model.model import Model
from cardan.results.checked_array import CheckedArray
from cardan.results.engagement_history import Shift
from cardan.results.loads import Loads
from cardan.results.series import (
    BodySeries,
    ConstraintSeries,
    ForceSeries,
    MeasureSeries,
    PointSeries,
    Series,
    SignalSeries,
)
from cardan.results.trajectory import PlanarBody, Trajectory
from cardan.shortcuts import Drawable, InstantShortcuts, Pictured, Savable
from cardan.system.initial_configuration import Start
from cardan.system.system import System
from cardan.system.turns import values_of

if TYPE_CHECKING:
    from cardan.results.trajectory import NamedSeries

NOISE = 1e-15  # of the model's length: smaller values are printed as 0


class Displacement(NamedTuple):
    """How far a body was moved: the displacement of its origin, and its rotation."""

    distance: float  # m
    angle: float  # rad


class Instant(Trajectory):
    """A result with one output time; forces are computed when they are read."""

    known: Loads | None = None

    @property
    def has_forces(self) -> bool:
        return self.known is not None or self.find_loads is not None

    @cached_property
    def loads(self) -> Loads | None:  # type: ignore[override]
        return self.known if self.known is not None or self.find_loads is None else self.find_loads(self)


class Snapshot(Drawable, InstantShortcuts, Pictured, Savable):
    """Positions, and if known velocities and accelerations, at one time.

    `snapshot[body].position`, `snapshot[measure].value`, `snapshot[joint].violation` read it;
    `snapshot.draw()` shows it. If an assembly failed, `open` names the joints that are not closed: the snapshot is then
    the nearest position to closing, not a position of the mechanism.
    """

    def __init__(
        self,
        system: System,
        time: float,
        q: np.ndarray,
        v: np.ndarray | None = None,
        a: np.ndarray | None = None,
        turns: np.ndarray | None = None,
        states: np.ndarray | None = None,
    ) -> None:
        zero = system.speeds()
        self._widths = {"q": system.start.size, "turns": system.winding.size, "states": system.states.start.size}
        self.system = system
        self.time, self.moves = float(time), v is not None
        self.q, self.v, self.a = q, zero if v is None else v, zero if a is None else a
        self.turns = system.reference[system.winding] if turns is None else turns
        self.states = system.states.start if states is None else states  # of devices
        self.loads: Loads | None = None  # if the analysis computes forces,
        self.find_loads: Callable[[Trajectory], Loads] | None = None  # or computes them later,
        self.shifts: list[Shift] = []  # the joints engaged
        self.set_aside: tuple[int, ...] = ()
        self.open = ""
        self.displacements: dict[str, Displacement] = {}  # of each body from its stated position, by assemble()

    @property
    def misfits(self) -> dict[tuple[str, str], float]:
        """The mismatch of redundant equations, by element and label, with the others; offsets absorb it."""
        return {name: abs(gap) for name, gap in self.system.named_misfits.items()}

    q, v, a, turns, states = CheckedArray(), CheckedArray(), CheckedArray(), CheckedArray(), CheckedArray()

    def _shape(self, name: str) -> tuple[int, ...]:
        """The shape that an array must have."""
        return (self._widths.get(name, self.system.width + self.system.coordinates),)

    @property
    def model(self) -> Model:
        return self.system.model

    @overload
    def __getitem__(self, key: str) -> NamedSeries: ...
    @overload
    def __getitem__(self, key: Readable) -> MeasureSeries[float]: ...
    @overload
    def __getitem__(self, key: Device | Signal | Source) -> SignalSeries[float]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, key: Marker | Point) -> PointSeries[float]: ...
    @overload
    def __getitem__(self, key: Force) -> ForceSeries[float]: ...
    @overload
    def __getitem__(self, key: Driver | Hold | Coupler) -> ConstraintSeries[float, float]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, key: Constraint | Impact) -> ConstraintSeries[float, np.ndarray]: ...
    @overload
    def __getitem__(self, key: PlanarBody) -> BodySeries[float]: ...
    @overload
    def __getitem__(self, key: RigidBody) -> BodySeries[np.ndarray]: ...
    def __getitem__(self, key: Any) -> Any:
        """As in a trajectory, with numbers and vectors instead of arrays over time."""
        return self._read(key)

    def _read(self, key: Any) -> Any:
        found = self.as_trajectory()[key]
        return found.first() if isinstance(found, Series) else float(found[0])

    def _ipython_key_completions_(self) -> list[str]:
        return self.as_trajectory()._ipython_key_completions_()

    def as_trajectory(self) -> Trajectory:
        """The snapshot as a result with one output time."""
        states = self.q[None], self.v[None], self.a[None]
        run = Instant(self.system, np.array([self.time]), *states, analysis="a snapshot", turns=self.turns[None])
        run.moves, run.shifts, run.set_aside = self.moves, self.shifts, self.set_aside
        run.known, run.find_loads = self.loads, self.find_loads
        run.states = self.states[None]
        return run

    def instant(self, at: float | None = None) -> Trajectory:
        """The snapshot as a result with one output time; `at` may only be its own time."""
        if at is not None and check.number(at, "the time at which a snapshot is read") != self.time:
            raise ModelError(
                f"the snapshot of '{self.model.name}' is at t = {self.time:g} s; it cannot be read at t = {at:g} s"
            )
        return self.as_trajectory()

    def as_start(self, model: Model) -> Start:
        """The start of an analysis of `model`, which must have the same bodies."""
        if model.space is not self.system.space:
            raise ModelError(
                f"the start is a {self.system.space.name} snapshot of '{self.model.name}', and '{model.name}' is "
                f"{model.space.name}; assemble '{model.name}' for it"
            )
        own = [c.name for constraint in model.constraints for c in constraint.contact_coordinates()]
        own += [c.name for body in model.bodies for c in body.modal_coordinates]
        bodies = [body.name for body in model.bodies]
        if bodies != [body.name for body in self.system.bodies] or own != [
            c.name for c in self.system.contact_coordinates
        ]:
            raise ModelError(
                f"the start is a snapshot of another model, '{self.model.name}'; assemble '{model.name}' for it"
            )
        if model.space is not self.system.space:
            raise ModelError(
                f"the start is a snapshot of '{self.model.name}', which has {self.system.space.dimensions} dimensions, "
                f"but '{model.name}' has {model.space.dimensions}; assemble '{model.name}' for it"
            )
        self.require_arrays()
        rows = zip(self.system.equations, self.system.rows.offset.tolist(), strict=True)
        offsets = {equation: offset for equation, offset in rows if equation.period}
        return Start(self.q, values_of(self.system, self.turns), offsets, self.system.named_misfits)

    def require_arrays(self) -> None:
        """Check the arrays, which users may have changed: kernels rely on their sizes."""
        zero, system = self.system.speeds(), self.system
        known = {"q": system.start, "v": zero, "a": zero, "turns": system.winding, "states": system.states.start}
        for name, like in known.items():
            found = getattr(self, name)
            if not isinstance(found, np.ndarray) or found.dtype != float or found.shape != like.shape:
                said = f"shape {found.shape}" if isinstance(found, np.ndarray) else check.describe(found)
                raise ModelError(
                    f"{name} of the snapshot of '{self.model.name}' must be an array of {like.size} numbers, got {said}"
                )
            if not np.isfinite(found).all() or not found.flags.c_contiguous:
                raise ModelError(f"{name} of the snapshot of '{self.model.name}' must be contiguous and finite")

    @property
    def violation(self) -> float:
        """The largest violation of any equation."""
        return float(self.as_trajectory().violations().max(initial=0.0))

    def __repr__(self) -> str:
        first = f"'{self.model.name}' at t = {self.time:g} s, worst violation {self.violation:.1e}"
        first = f"NOT ASSEMBLED, the nearest position to closing: {first}" if self.open else first
        return "\n".join([first, *(f"  {place}" for place in self.places())])

    def places(self) -> list[str]:
        """A line for each body: its name and position."""
        lines = []
        noise = NOISE * max(self.system.length, 1.0)
        for body in self.system.bodies:
            k = self.system.number[id(body)]
            pose = self.q[self.system.space.stored * k : self.system.space.stored * (k + 1)]
            tidy = np.where(np.abs(pose) < noise, 0.0, pose)
            named = zip(self.system.space.names_of(body), tidy, strict=False)
            values = ", ".join(f"{name} {value:.6g}" for name, value in named)
            lines.append(f"{body.name}: {values}")
        return lines


def at_index(run: Trajectory, k: int) -> Instant:
    """One output time of a run, with its forces."""
    motion = run.times[k : k + 1], run.q[k : k + 1], run.v[k : k + 1], run.a[k : k + 1]
    found = Instant(run.system, *motion, set_aside=run.set_aside, analysis=run.analysis, turns=run.turns[k : k + 1])
    found.moves, found.states = run.moves, run.states[k : k + 1]
    found.shifts = [shift._replace(first=0) for shift in run.shifts if shift.first <= k][-1:]
    if run.loads is not None:
        rows = run.loads.multipliers[k : k + 1], run.loads.strengths[k : k + 1]
        found.known = Loads(run.system, *rows, run.loads.touched, run.loads.signals[k : k + 1])
        found.known.shifts = found.shifts
    return found


def some(run: Trajectory, chosen: np.ndarray) -> Trajectory:
    """A result with some of the output times of a run, by increasing number, with its forces."""
    motion = run.times[chosen], run.q[chosen], run.v[chosen], run.a[chosen]
    part = Trajectory(run.system, *motion, set_aside=run.set_aside, analysis=run.analysis, turns=run.turns[chosen])
    part.moves, part.states, part.find_loads = run.moves, run.states[chosen], run.find_loads
    # the last shift at each output time
    firsts = {int(np.searchsorted(chosen, shift.first)): shift for shift in run.shifts}
    part.shifts = [shift._replace(first=first) for first, shift in firsts.items()]
    if run.loads is not None:
        rows = run.loads.multipliers[chosen], run.loads.strengths[chosen]
        part.loads = Loads(run.system, *rows, run.loads.touched, run.loads.signals[chosen])
        part.loads.shifts = part.shifts
    return part
