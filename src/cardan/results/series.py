"""One thing over time: what indexing a result returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.driver import Driver
from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.measure import Measure, Readable
from cardan.results.probe import sample

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
        offered = ", ".join(f".{word}" for word in self._words())
        return f"<{getattr(self.key, 'name', None) or self.key} in '{self.run.model.name}': {offered}>"

    def _words(self) -> list[str]:
        """What can be read."""
        kind = type(self)
        return [n for n in dir(kind) if not n.startswith("_") and isinstance(getattr(kind, n), property)]

    def _give(self, values: np.ndarray) -> Any:
        if not self._single:
            return values
        return float(values[0]) if values.ndim == 1 else values[0]


class BodySeries(Series):
    """A body: `.position .velocity .acceleration` in global axes, and how it is turned, as its space states it.

    In the plane `.angle .angular_velocity .angular_acceleration`; in space `.orientation` (Euler parameters),
    `.matrix`, `.angular_velocity` and `.angular_acceleration` in global axes, the same with `_b` in the body's own.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        space = self.run.system.space
        for quantity in space.quantities:
            if quantity.name == name:
                return self._give(quantity.read(*self._parts()))
        words = ", ".join(f".{quantity.name}" for quantity in space.quantities)
        raise ModelError(f"{self.key.title} has no '{name}' in a result; it has: {words}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._words()]

    def _parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The body's columns of q, v and a."""
        run, space, k = self.run, self.run.system.space, self.run.system.body_number(self.key)
        poses, speeds = slice(space.stored * k, space.stored * (k + 1)), slice(space.width * k, space.width * (k + 1))
        return run.q[:, poses], run.v[:, speeds], run.a[:, speeds]

    def _words(self) -> list[str]:
        return [quantity.name for quantity in self.run.system.space.quantities]


class PointSeries(Series):
    """A point of a body: `.position .velocity .acceleration`."""

    def _sampled(self, level: int) -> Any:
        run = self.run
        axes = "xyz"[: run.system.space.dimensions]
        measures = [Measure("coordinate", None, self.key, axis) for axis in axes]
        found = sample(run.system, measures, run.times, run.q, run.v, run.a, run.turns)
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
        return self._give(sample(run.system, [self.key], run.times, run.q, run.v, run.a, run.turns)[0][:, level])

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
        words = ", ".join([*element.coordinates(), *(["measure"] if isinstance(element, Driver) else [])]) or "none"
        raise ModelError(f"{element.title} has no coordinate called '{name}'; it offers: {words}")
    return measure
