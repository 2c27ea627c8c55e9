"""The equilibria of a mechanism along a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from cardan.model.parameter import Parameter, changed
from cardan.model.space import advance
from cardan.numerics.differences import difference_step, differentiated
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium, stacked_tables
from cardan.results.steady.quasi_static import WORDS, Snap, snaps_in_words
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile
from cardan.system.system import System
from cardan.table import Table

if TYPE_CHECKING:
    from cardan.model.device import Device, Signal
    from cardan.model.element import Element
    from cardan.model.marker import Marker
    from cardan.model.measure import Readable
    from cardan.model.model import Model
    from cardan.results.trajectory import NamedSeries


class ParameterSnap(NamedTuple):
    """At `value` of a parameter an equilibrium ended or became unstable, and the mechanism moved to another one.

    `distance` is the largest displacement of a coordinate, `coordinate` its name, `unit` "m" or "rad".
    """

    value: float
    parameter: str
    coordinate: str
    distance: float
    unit: str

    def __str__(self) -> str:
        motion = Snap(self.value, self.coordinate, self.distance, self.unit).motion
        return f"{self.parameter} = {self.value:.9g} ({motion})"


class PathPoint(NamedTuple):
    """An equilibrium of the path, with its derivative by the parameter."""

    value: float
    q: np.ndarray
    turns: np.ndarray
    slope: np.ndarray  # dq/dp, numbered as v
    stable: bool | None
    reason: str
    lowest: float


class ParameterPath:
    """Equilibria, one for each of `values` of a parameter.

    `path["ridge.y"]` is a column, `path[spring].force` a quantity of an element, marker or measure at all values, and
    `path.slope("ridge.y")` its derivative by the parameter along the sequence. `path.rests[k]` is the k-th equilibrium,
    of a model with that value. `stable`, `reasons` and `lowest_stiffness` are those of `QuasiStatic`, and `snaps` the
    values at which the mechanism jumped.
    """

    def __init__(
        self,
        base: System,
        parameter: Parameter,
        time: float,
        points: Sequence[PathPoint],
        snaps: Sequence[ParameterSnap],
        *,
        find_loads: Callable[[Trajectory], Loads],
        find_rest: Callable[[System, float, np.ndarray, np.ndarray], Equilibrium],
    ) -> None:
        self._base, self._parameter, self.time, self._points = base, parameter, time, tuple(points)
        self.snaps = list(snaps)
        self._find_loads, self._find_rest = find_loads, find_rest
        self.values = np.array([point.value for point in points])
        self.stopped: Exception | None = None

    @property
    def model(self) -> Model:
        """The model, with its own value of the parameter."""
        return self._base.model

    @property
    def parameter(self) -> str:
        """The name of the parameter."""
        return self._parameter.name

    @property
    def stable(self) -> tuple[bool | None, ...]:
        """The stability of each equilibrium; None if it is neutral or undecided."""
        return tuple(point.stable for point in self._points)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the stability is None."""
        return tuple(point.reason for point in self._points)

    @property
    def lowest_stiffness(self) -> np.ndarray:
        """The lowest curvature of the energy along the free motions, in N/m; infinite without free motions."""
        return np.array([point.lowest for point in self._points])

    @property
    def rests(self) -> Sequence[Equilibrium]:
        """The equilibria, each with a model of its own."""
        return [self._rest(point) for point in self._points]

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, key: str) -> NamedSeries: ...
    @overload
    def __getitem__(self, key: Element | Marker | Readable | Signal | Device) -> Readings: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key not in self.model:
            return self.read(lambda snapshot: snapshot[key])
        return Readings(self, key)

    def read(self, quantity: Callable[[Snapshot], Any]) -> np.ndarray:
        """What a function of a snapshot returns at all values."""
        return np.array([self._read(point, 0.0, quantity) for point in self._points])

    def slope(self, quantity: str | Callable[[Snapshot], Any]) -> np.ndarray:
        """The derivative of a column, or of a function of a snapshot, by the parameter at all values.

        >>> import math
        >>> from cardan import quasi_static
        >>> from cardan.planar import Body, Model, Spring, Translational
        >>> model = Model("scale", gravity=(0, -9.81))
        >>> pan = model.add(Body(mass=2.0), name="pan")
        >>> guide = model.add(Translational.between(model.ground, pan, at=(0, 0), angle=math.pi / 2), name="guide")
        >>> spring = model.add(Spring(guide.travel, 500.0, rest_length=0.0), name="spring")
        >>> path = quasi_static(model, [500.0, 1000.0], parameter="spring.stiffness")
        >>> [float(x.round(12)) for x in path.slope("pan.y")]  # d(-m g / k) / dk = m g / k^2
        [7.848e-05, 1.962e-05]
        """
        read = (lambda snapshot: snapshot[quantity]) if isinstance(quantity, str) else quantity
        return np.array([self._slope(point, read) for point in self._points])

    def table(self) -> Table:
        """The columns of all equilibria, one row each; the parameter first."""
        tables = [self._read(point, 0.0, lambda snapshot: snapshot.as_trajectory().table()) for point in self._points]
        return stacked_tables({self.parameter: self.values}, {}, tables)

    def _slope(self, point: PathPoint, read: Callable[[Snapshot], Any]) -> np.ndarray:
        length, width = self._base.length, self._base.width
        speed = np.abs(point.slope[width:] * np.sqrt(self._base.weights)).max(initial=0.0)
        with changed(self.model, {self._parameter: point.value}, check=False):
            step = difference_step(self._parameter.size(length), length, float(speed))
        return differentiated(lambda s: np.asarray(self._read(point, s, read), float), step)

    def _read(self, point: PathPoint, shift: float, read: Callable[[Snapshot], Any]) -> Any:
        """A quantity at a point, or beside it along its tangent."""
        with changed(self.model, {self._parameter: point.value + shift}, check=False) as model:
            system, q = self._system(model, point), point.q.copy()
            if shift:
                advance(system.geometry, q, shift * point.slope)
            snapshot = Snapshot(system, self.time, q, turns=point.turns)
            snapshot.find_loads = self._find_loads
            return read(snapshot)

    def _rest(self, point: PathPoint) -> Equilibrium:
        """The equilibrium at a point."""
        with changed(self.model, {self._parameter: point.value}):
            model = deepcopy(self.model)
        return self._find_rest(self._system(model, point), self.time, point.q, point.turns)

    def _system(self, model: Model, point: PathPoint) -> System:
        return restated(self._base, model, self.time, point.q, point.turns)

    def __repr__(self) -> str:
        counts = {word: self.stable.count(value) for word, value in WORDS}
        states = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        first = f"equilibria of '{self.model.name}' along {self.parameter}: {len(self)}"
        if len(self):
            first += f", from {self.values[0]:g} to {self.values[-1]:g}; {states}"
        return "\n".join([first, f"  {snaps_in_words(self.snaps)}"] if self.snaps else [first])


class Readings:
    """The quantities of an element, marker or measure at all values: `path[spring].force`."""

    def __init__(self, path: ParameterPath, key: Any) -> None:
        self._path, self._key = path, key

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._path.read(lambda snapshot: getattr(snapshot[self._key], name))


def restated(base: System, model: Model, time: float, q: np.ndarray, turns: np.ndarray) -> System:
    """The system of a model with other numbers, at a position; constants of the assembled position stay."""
    at = Snapshot(base, time, q, turns=turns)
    system = compile(model, forces=True, time=time, like=base, start=at.as_start(base.model)._replace(q=q.copy()))
    system.rows.offset[base.floating] = base.rows.offset[base.floating]
    return system
