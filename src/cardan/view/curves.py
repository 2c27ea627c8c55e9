"""The curves of a plot: names, units and values.

    "slider.ax"          a column of the table, such as "tire.Fz" or "pid.u"
    slider, "slider"     a body or a point: its x and y, in space also z
    hinge, "A", motor    the coordinates of a joint, the measure of a driver
    hinge.angle, x(p)    a measure, or a combination of measures
    spring, tire, pid    all columns of a force or a block
    tire.device, signal  the outputs of a device, a signal such as pid["error"]

Elements of one model are found by name in the results of another, to plot several runs together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.elements.gauge import Gauge
from cardan.elements.point import Point
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.device import Device, Output, Signal
from cardan.model.element import Constraint, Element
from cardan.model.force import Force
from cardan.model.marker import Marker
from cardan.model.measure import Combination, Measure, Readable
from cardan.results.columns import Columns, rate_unit

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

Plottable: TypeAlias = str | Readable | Element | Marker | Device | Signal  # see above

QUANTITIES = ("value", "rate", "acceleration", "violation")
_VECTOR = ("position", "velocity", "acceleration")
_WORDS = ("", "rate of ", "acceleration of ")


def listed(show: Any) -> list[Any]:
    """The things to show as a list, empty for None."""
    if show is None:
        return []
    return list(show) if isinstance(show, list | tuple | np.ndarray) else [show]


class UnknownNameError(ModelError):
    """A result has no element or column of that name."""


@dataclass(frozen=True)
class PlottedCurve:
    """Values at the output times of a run."""

    name: str
    unit: str
    values: np.ndarray
    axes: str = ""  # of a joint force

    @property
    def title(self) -> str:
        """The name, with the axes of a joint force."""
        return f"{self.name}, {self.axes}" if self.axes else self.name

    @property
    def label(self) -> str:
        return f"{self.title} [{self.unit}]" if self.unit else self.title


def curves(run: Any, item: Any, quantity: str = "value") -> list[PlottedCurve]:
    """The curves that `item` stands for in a result, in the units in which its model shows them."""
    found = []
    for curve in _curves(run, item, quantity):
        values, unit = run.model.display.values(curve.values, curve.unit)
        found.append(replace(curve, unit=unit, values=values))
    return found


def _curves(run: Trajectory, item: Any, quantity: str) -> list[PlottedCurve]:
    if quantity not in QUANTITIES:
        raise ModelError(f"a plot shows one of {', '.join(map(repr, QUANTITIES))}, not {quantity!r}")
    if isinstance(item, str) and item not in run.model:
        return [_column(run, item)]
    item = run.model[item] if isinstance(item, str) else counterpart(run, item)
    if quantity == "violation":
        if not isinstance(item, Constraint):
            raise ModelError(f"only joints and drivers have a violation, not {item!r}")
        return [PlottedCurve(f"violation of {item.name}", "", run[item].violation)]
    level = QUANTITIES.index(quantity)
    if isinstance(item, Readable):
        return [_measured(run, item, str(item), level)]
    if isinstance(item, Driver | Gauge):
        return [_measured(run, item.measure, item.name, level)]
    if isinstance(item, Constraint):
        found = item.coordinates()
        if not found:
            raise ModelError(f"{item.title} offers no coordinate to plot; quantity='violation' shows its gap")
        return [_measured(run, measure, f"{item.name}.{name}", level) for name, measure in found.items()]
    if isinstance(item, Force):
        return _columns_of(run, item)
    if isinstance(item, Device):
        return [PlottedCurve(name, "", run[item][name]) for name in item.outputs]
    if isinstance(item, Signal):
        return [PlottedCurve(_signal_name(item), "", run[item].value)]
    return _components(run, item, level)


def counterpart(run: Trajectory, item: Any) -> Any:
    """The element of the same name in the model of `run`, for elements of another model."""
    model = run.model
    if isinstance(item, Combination):
        return Combination(tuple((c, counterpart(run, m)) for c, m in item.terms))
    if isinstance(item, Measure):
        return replace(item, a=counterpart(run, item.a), b=counterpart(run, item.b))
    if isinstance(item, type(model.ground.at())):
        return replace(item, body=counterpart(run, item.body))
    if isinstance(item, Element) and item not in model:
        return model[item.name]
    return item


def require_known(model: Any, columns: Columns, name: str) -> None:
    """Reject a name that is neither an element nor a column."""
    if name not in model and name not in columns:
        near = columns.suggestion(name, (element.name for element in model))
        hint = f"; did you mean {near}?" if near else ""
        raise UnknownNameError(f"model '{model.name}' has nothing called {name!r} to plot{hint}")


def _column(run: Trajectory, name: str) -> PlottedCurve:
    require_known(run.model, run.columns, name)
    column = run.columns[name]
    return PlottedCurve(name, column.unit, column.read(run), column.axes)


def _columns_of(run: Trajectory, force: Force) -> list[PlottedCurve]:
    """The columns of a force."""
    if not run.has_forces:
        raise ModelError(f"{run.analysis} of '{run.model.name}' computes no forces: {force.title} cannot be plotted")
    table = run.columns.read(run, run.columns.of(force.name))
    return [PlottedCurve(name, run.columns[name].unit, values) for name, values in table.items()]


def _signal_name(signal: Signal) -> str:
    """An output by its name in its device; other signals by their kind."""
    if isinstance(signal, Output):
        return f"{signal.device.name or 'device'}.{signal.device.outputs[signal.place]}"
    return getattr(signal, "name", "") or type(signal).__name__.lower()


def _measured(run: Trajectory, measure: Readable, name: str, level: int) -> PlottedCurve:
    series = run[measure]
    values = (series.value, series.rate, series.acceleration)[level] if level else series.value
    return PlottedCurve(_WORDS[level] + name, rate_unit(measure.unit, level), values)


def _components(run: Trajectory, item: Any, level: int) -> list[PlottedCurve]:
    """x and y, in space also z, of a body, a point or a marker."""
    name = item.name if isinstance(item, Element) else str(item)
    if not isinstance(item, Point | Marker | run.model.body_type):
        raise ModelError(
            "a plot shows bodies, points, joints, drivers, forces, measures, signals or columns by name, not "
            f"{check.describe(item)}"
        )
    values = getattr(run[item], _VECTOR[level])
    prefix, unit = ("", "v", "a")[level], ("m", "m/s", "m/s2")[level]
    return [
        PlottedCurve(f"{name}.{prefix}{axis}", unit, values[:, k]) for k, axis in enumerate("xyz"[: values.shape[1]])
    ]
