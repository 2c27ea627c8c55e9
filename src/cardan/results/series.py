"""One thing over time: what indexing a result returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.driver import Driver
from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.results.probe import sample
from cardan.results.table import offered

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory


class Series:
    """A view of one thing in a result; `first()` gives the same names for the first instant alone."""

    _single = False

    def __init__(self, run: Trajectory, key: Any) -> None:
        self.run, self.key = run, key

    @property
    def times(self) -> np.ndarray:
        return self.run.times

    def first(self) -> Series:
        single = type(self)(self.run, self.key)
        single._single = True
        return single

    def __repr__(self) -> str:
        words = (n for n in dir(type(self)) if not n.startswith("_") and isinstance(getattr(type(self), n), property))
        offered = ", ".join(f".{word}" for word in words)
        return f"<{getattr(self.key, 'name', None) or self.key} in '{self.run.model.name}': {offered}>"

    def _give(self, values: np.ndarray) -> Any:
        if not self._single:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]


class BodySeries(Series):
    """A body: `.position .velocity .acceleration .angle .angular_velocity .angular_acceleration`, in global axes."""

    def _columns(self, table: np.ndarray, per_body: int, first: int, count: int) -> np.ndarray:
        start = per_body * self.run.system.body_number(self.key) + first
        return table[:, start : start + count]

    def _turning(self, table: np.ndarray) -> np.ndarray:
        """The column of the one angle that a body of the plane has."""
        space = self.run.system.space
        return self._columns(table, space.width, space.angular.index(True), 1)[:, 0]

    @property
    def position(self) -> Any:
        space = self.run.system.space
        return self._give(self._columns(self.run.q, space.stored, 0, space.dimensions))

    @property
    def velocity(self) -> Any:
        space = self.run.system.space
        return self._give(self._columns(self.run.v, space.width, 0, space.dimensions))

    @property
    def acceleration(self) -> Any:
        space = self.run.system.space
        return self._give(self._columns(self.run.a, space.width, 0, space.dimensions))

    @property
    def angle(self) -> Any:
        """The angle of the body, all turns counted."""
        return self._give(self._turning(self.run.q))

    @property
    def angular_velocity(self) -> Any:
        return self._give(self._turning(self.run.v))

    @property
    def angular_acceleration(self) -> Any:
        return self._give(self._turning(self.run.a))


class PointSeries(Series):
    """A point of a body: `.position .velocity .acceleration`."""

    def _sampled(self, level: int) -> Any:
        run = self.run
        axes = "xyz"[: run.system.space.dimensions]
        measures = [Measure("coordinate", None, self.key, axis) for axis in axes]
        found = sample(run.system, measures, run.q, run.v, run.a, run.turns)
        return self._give(np.stack([values[:, level] for values in found], axis=1))

    @property
    def position(self) -> Any:
        return self._sampled(0)

    @property
    def velocity(self) -> Any:
        return self._sampled(1)

    @property
    def acceleration(self) -> Any:
        return self._sampled(2)


class MeasureSeries(Series):
    """A measure or a combination of measures: `.value .rate .acceleration`; it is also an array of its values."""

    def _sampled(self, level: int) -> Any:
        run = self.run
        return self._give(sample(run.system, [self.key], run.q, run.v, run.a, run.turns)[0][:, level])

    @property
    def value(self) -> Any:
        return self._sampled(0)

    @property
    def rate(self) -> Any:
        return self._sampled(1)

    @property
    def acceleration(self) -> Any:
        return self._sampled(2)

    @property
    def unit(self) -> str:
        return self.key.unit

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value, dtype=dtype)


class ElementSeries(Series):
    """A constraint: `.violation` is how far it is open; its coordinates are read by name, for example `.angle`."""

    @property
    def violation(self) -> Any:
        rows = [r for r, k in enumerate(self.run.system.owner) if self.run.system.elements[k] is self.key]
        return self._give(np.sqrt(np.sum(self.run.violations()[:, rows] ** 2, axis=1)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        measure = _measure_of(self.key, name)
        series = MeasureSeries(self.run, measure)
        return series.first() if self._single else series


def _measure_of(element: Constraint, name: str) -> Readable:
    measure = getattr(element, name, None)
    if not isinstance(measure, Readable):
        words = ", ".join([*offered(element), *(["measure"] if isinstance(element, Driver) else [])]) or "none"
        raise ModelError(f"{element.title} has no coordinate called '{name}'; it offers: {words}")
    return measure
