"""The columns of a result: names, units and how each is read. Tables, plots, files, pages and studies all use them.

    time   crank.x  crank.vx  ...   A.angle  A.angle.rate  ...   motor   ...   A.violation   A.fx   ...   iterations

    run.columns                      every name; listing computes nothing
    run.columns["crank.ax"].unit     "m/s2"
    run["crank.ax"]                  the values; only what this column needs is computed
    run.columns.read(run)            all values, with shared computations done once

A body or `Point` E has E.x, E.y, E.vx, E.vy, E.ax, E.ay (in space also z). A body also has its orientation: in the
plane E.angle, E.angular_velocity and E.angular_acceleration; in space E.e0 ... E.e3, E.wx ... and E.alphax ... A
coordinate of a joint A gives A.angle, A.angle.rate and A.angle.acceleration; a driver gives the measure that it
drives: motor, motor.rate, motor.acceleration, a `Gauge` its own. A.violation is the constraint violation, contact.gap
the gap of a contact. Results with forces also have A.fx, A.fy, A.torque, motor.force, motor.power, spring.force,
spring.power, the outputs and states of control blocks (pid.u, pid.i) and the states of forces (motor.current).

All values are in SI units and radians, angles with all turns counted. Vectors are in global axes, joint forces in the
axes of marker a, which may turn: `run.columns["A.fx"].axes` names them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.elements.constraints.two_marker_joint import TwoMarkerJoint
from cardan.elements.contact.contact import Contact
from cardan.elements.control.source import Source
from cardan.elements.gauge import Gauge
from cardan.elements.point import Point
from cardan.model.device import Output
from cardan.model.element import Constraint
from cardan.model.flexible.modal_coordinate import modal_measure
from cardan.model.force import Force
from cardan.model.measure import Measure, Readable
from cardan.model.space import Quantity
from cardan.results.loads import law_measure, law_unit, named_laws
from cardan.results.reaction import forces_of, poses_of, reactions_of
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

# of a point: prefix of the column, name of the vector, unit
VECTORS = (("", "position", "m"), ("v", "velocity", "m/s"), ("a", "acceleration", "m/s2"))
COMPONENTS = {  # columns of quantities that have no column of their own
    "position": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "acceleration": ("ax", "ay", "az"),
    "force": ("fx", "fy", "fz"),
    "torque": ("force", "tx", "ty", "tz"),
    "rotation": ("angle",),
}
LEVELS = {"": "value", ".rate": "rate", ".acceleration": "acceleration"}
DIMENSIONS = {
    "s": "time",
    "m": "length",
    "m/s": "velocity",
    "m/s2": "acceleration",
    "rad": "angle",
    "rad/s": "angular velocity",
    "rad/s2": "angular acceleration",
    "N": "force",
    "N m": "torque",
    "W": "power",
    "J": "energy",
}

Reader = Callable[["Trajectory", Sequence[Any]], list[np.ndarray]]


class Column(NamedTuple):
    """One column: `read(run)` returns its values. `reader` reads any number of columns of its kind by their `key`.

    `variable` and `labels` place the column in a labeled data set, for example position, body="crank", axis="x".
    """

    name: str
    unit: str
    reader: Reader
    key: Any
    variable: str = ""
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def dimension(self) -> str:
        """The physical dimension, such as "length" or "force"; "" where the column has none, or several."""
        return DIMENSIONS.get(self.unit, "")

    @property
    def axes(self) -> str:
        """The axes of a joint force, those of marker a, if they are not global; "" for other columns."""
        element, k = self.key if self.reader is _reactions else (None, 0)
        if not isinstance(element, TwoMarkerJoint) or self.name.endswith(".torque"):
            return ""
        marker = element.a
        turned = not marker.is_aligned
        if marker.body.name == "ground" and not turned:
            return ""
        return f"axes of marker a on '{marker.body.name}'" if turned else f"axes of '{marker.body.name}'"

    def shown(self, run: Trajectory, values: np.ndarray | None = None) -> tuple[np.ndarray, str]:
        """The values in the units in which the model shows results, and the unit."""
        return run.model.display.values(self.read(run) if values is None else values, self.unit)

    @property
    def measure(self) -> tuple[Readable, int] | None:
        """The measure behind the column and the order of its time derivative, 0 to 2; None for other columns."""
        if self.reader is _measures:
            return self.key[0], self.key[1]
        if self.body is not None:
            body, quantity, k = self.body
            for order, (_, name, _) in enumerate(VECTORS):
                if quantity.name == name:
                    return Measure("coordinate", None, body.at(), "xyz"[k]), order
        return None

    @property
    def body(self) -> tuple[Any, Quantity, int] | None:
        """The body, the quantity and its component, for the column of a body."""
        return self.key if self.reader is _bodies else None

    @property
    def reaction(self) -> tuple[Constraint, int] | None:
        """The joint and the component of its reaction, forces first; None for other columns."""
        return self.key if self.reader is _reactions else None

    @property
    def law(self) -> int | None:
        """The number of the law whose force the column is; None for other columns."""
        return self.key if self.reader is _strengths else None

    @property
    def signal(self) -> tuple[Any, str] | None:
        """The element and the name of its output or state, for the column of a signal."""
        return self.key if self.reader is _outputs else None

    @property
    def constraint_force(self) -> Constraint | None:
        """The driver, hold or coupler whose force along its measure the column is; None for other columns."""
        return self.key[0] if self.reader is _series and self.key[1] == "force" else None

    def read(self, run: Trajectory) -> np.ndarray:
        return self.reader(run, [self.key])[0]


class Columns(Mapping[str, Column]):
    """The columns of all results of a system, in the order of tables; with `forces`, those of forces too."""

    def __init__(self, system: System, forces: bool) -> None:
        self.forces = forces
        self._system = system
        self._columns = {column.name: column for column in _listed(system, forces)}

    def __reduce__(self) -> Any:
        """A copy lists the columns of the copied system: their readers are functions, which cannot be pickled."""
        return Columns, (self._system, self.forces)

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self]

    def __repr__(self) -> str:
        return f"<{len(self)} columns: {', '.join([*self][:6])}{', ...' if len(self) > 6 else ''}>"

    def read(self, run: Trajectory, names: Iterable[str] | None = None) -> dict[str, np.ndarray]:
        """The values of some columns, or of all; those of one kind are read in one pass."""
        chosen = [self[name] for name in (self if names is None else names)]
        groups: dict[Reader, list[Column]] = {}
        for column in chosen:
            groups.setdefault(column.reader, []).append(column)
        found: dict[str, np.ndarray] = {}
        for reader, group in groups.items():
            values = reader(run, [column.key for column in group])
            found |= {column.name: values[k] for k, column in enumerate(group)}
        return {column.name: found[column.name] for column in chosen}

    def units(self) -> dict[str, str]:
        """The unit of every column."""
        return {name: column.unit for name, column in self.items()}

    def of(self, element: str) -> list[str]:
        """The columns of one element."""
        return [name for name in self if name == element or name.startswith(f"{element}.")]

    def suggestion(self, name: str, others: Iterable[str] = ()) -> str:
        """The columns, or the other name, most like an unknown name, in quotation marks; "" if there are none."""
        owner, _, quantity = name.rpartition(".")
        meant = [f"{owner}.{column}" for column in COMPONENTS.get(quantity, ()) if f"{owner}.{column}" in self]
        near = meant or get_close_matches(name, [*self, *others], 1)
        return " or ".join(f"'{column}'" for column in near)


def coordinates_of(system: System) -> dict[str, Readable]:
    """The coordinates of joints ("A.angle") and the measures of drivers ("motor"), by column name."""
    found: dict[str, Readable] = {}
    for element in system.elements:
        if isinstance(element, Driver):
            found[element.name] = element.measure
        else:
            found |= {f"{element.name}.{name}": measure for name, measure in element.coordinates().items()}
    return found


def free_coordinates(system: System) -> list[str]:
    """The columns of the joint coordinates that are not driven."""
    driven = {element.measure for element in system.elements if isinstance(element, Driver)}
    return [name for name, measure in coordinates_of(system).items() if measure not in driven]


def law_powers(run: Trajectory, laws: Sequence[int]) -> list[np.ndarray]:
    """The power that each law puts into the mechanism, -f z', in one pass."""
    strengths = forces_of(run).strengths
    tables = run.sample([law_measure(run.system, k) for k in laws])
    return [-strengths[:, k] * table[:, 1] for k, table in zip(laws, tables, strict=True)]


def rate_unit(unit: str, order: int) -> str:
    """The unit of a quantity (order 0), its rate (1) or its acceleration (2)."""
    return unit if order == 0 else f"{unit or 1}/{'s' if order == 1 else 's2'}"


# --- which columns there are ---


def _listed(system: System, forces: bool) -> Iterator[Column]:
    axes = "xyz"[: system.space.dimensions]
    yield Column("time", "s", _stored, "times")
    yield from _of_bodies(system, axes)
    yield from _of_modes(system)
    yield from _of_points(system, axes)
    for name, measure in coordinates_of(system).items():
        yield from _of_measure(name, measure, variable="coordinate", label=("coordinate", name))
    for gauge in (element for element in system.model if isinstance(element, Gauge)):
        known = any(measure.kind in Measure.TOUCHES for _, measure in gauge.measure.parts())
        yield from _of_measure(gauge.name, gauge.measure, orders=2 if known else 3)
    yield from _of_contacts(system)
    for element in system.listed:
        place = (("constraint", element.name),)
        yield Column(f"{element.name}.violation", _violation_unit(element), _violations, element, "violation", place)
    if forces:
        yield from _of_constraints(system, axes)
        yield from _of_laws(system)
        for source, name in _signals(system):
            column = f"{source.name}.{name}"
            unit = source.signal_units.get(name, "")
            yield Column(column, unit, _outputs, (source, name), "signal_value", (("signal", column),))
    yield Column("iterations", "", _stored, "iterations")
    yield Column("steps", "", _stored, "steps")


def _of_bodies(system: System, axes: str) -> Iterator[Column]:
    for body in system.bodies:
        for quantity in system.space.quantities_of(body):
            for k, column in enumerate(quantity.columns if quantity.listed else ()):
                axis = ((quantity.axis, axes[k] if quantity.axis == "axis" else column),) if quantity.axis else ()
                place = (("body", body.name), *axis)
                key = body, quantity, k
                yield Column(f"{body.name}.{column}", quantity.unit, _bodies, key, quantity.name, place)


def _of_modes(system: System) -> Iterator[Column]:
    for body in system.bodies:
        for coordinate in body.modal_coordinates:
            yield from _of_measure(coordinate.name, modal_measure(coordinate))
        if body.modal_coordinates:
            yield Column(f"{body.name}.strain_energy", "J", _strain_energies, body)


def _of_points(system: System, axes: str) -> Iterator[Column]:
    for point in (element for element in system.model if isinstance(element, Point)):
        for order, (prefix, vector, unit) in enumerate(VECTORS):
            for axis in axes:
                key = Measure("coordinate", None, point.marker, axis), order
                place = (("point", point.name), ("axis", axis))
                yield Column(f"{point.name}.{prefix}{axis}", unit, _measures, key, f"point_{vector}", place)


def _of_measure(name: str, measure: Readable, orders: int = 3, variable: str = "", label: Any = ()) -> Iterator[Column]:
    for order, (suffix, word) in enumerate([*LEVELS.items()][:orders]):
        unit, place = rate_unit(measure.unit, order), (label,) if variable else ()
        yield Column(name + suffix, unit, _measures, (measure, order), f"{variable}_{word}" if variable else "", place)


def _of_contacts(system: System) -> Iterator[Column]:
    """Gaps and their rates; the second derivative of a gap between surfaces is not computed."""
    for element in system.model:
        if isinstance(element, Contact):
            yield from _of_measure(f"{element.name}.gap", element.gap, orders=2)


def _of_constraints(system: System, axes: str) -> Iterator[Column]:
    torques = ["torque"] if len(axes) == 2 else [f"t{axis}" for axis in axes]
    for element in system.listed:
        measure, name = getattr(element, "measure", None), element.name
        if isinstance(measure, Readable):
            place = ("driver", name)
            variable = "driver_" if isinstance(element, Driver) else ""
            for part, unit in (("force", law_unit(measure.unit)), ("power", "W")):
                labels = (place,) if variable else ()
                yield Column(f"{name}.{part}", unit, _series, (element, part), variable and variable + part, labels)
            continue
        for k, part in enumerate([*(f"f{axis}" for axis in axes), *torques]):
            yield Column(f"{name}.{part}", "N" if k < len(axes) else "N m", _reactions, (element, k))


def _of_laws(system: System) -> Iterator[Column]:
    for name, k in named_laws(system).items():
        element, label = system.forces[k], system.laws[k].label or "force"
        unit = element.signal_units.get(label) or law_unit(law_measure(system, k).unit)
        if name == element.name:
            yield Column(f"{name}.force", unit, _strengths, k)
            yield Column(f"{name}.power", "W", law_powers, k)
        else:
            yield Column(name, unit, _strengths, k)


def _signals(system: System) -> Iterator[tuple[Force, str]]:
    """Elements with outputs or states, and the names of these; outputs that are forces are listed among forces."""
    for element in system.model.forces:
        if isinstance(element, Source):
            yield from ((element, name) for name in element.names())
        signals = [law.signal for law in element.laws() if isinstance(law.signal, Output)]
        if signals and signals[0].device is getattr(element, "device", None):
            device, forces = signals[0].device, {signal.place for signal in signals}
            yield from ((element, name) for k, name in enumerate(device.outputs) if k not in forces)
            yield from ((element, state.name) for state in device.states)


def _violation_unit(element: Constraint) -> str:
    units = {equation.unit for equation in element.equations()}
    return units.pop() if len(units) == 1 else ""


# --- how they are read: each function takes the keys of any number of columns of its kind ---


def _stored(run: Trajectory, names: Sequence[str]) -> list[np.ndarray]:
    return [getattr(run, name) for name in names]


def _bodies(run: Trajectory, keys: Sequence[Any]) -> list[np.ndarray]:
    tables: dict[tuple[int, str], np.ndarray] = {}
    for body, quantity, _ in keys:
        place = id(body), quantity.name
        if place not in tables:
            tables[place] = quantity.read(*run[body].arrays).reshape(run.times.size, -1)
    return [tables[id(body), quantity.name][:, k] for body, quantity, k in keys]


def _strain_energies(run: Trajectory, bodies: Sequence[Any]) -> list[np.ndarray]:
    found = []
    for body in bodies:
        eta = poses_of(run, body)[:, run.system.space.stored :]
        found.append(0.5 * np.einsum("tk,kl,tl->t", eta, body.part.stiffness, eta))
    return found


def _measures(run: Trajectory, keys: Sequence[tuple[Readable, int]]) -> list[np.ndarray]:
    measures = [*dict.fromkeys(measure for measure, _ in keys)]
    tables = dict(zip(measures, run.sample(measures), strict=True))
    return [tables[measure][:, order] for measure, order in keys]


def _violations(run: Trajectory, elements: Sequence[Constraint]) -> list[np.ndarray]:
    return [run[element].violation for element in elements]


def _reactions(run: Trajectory, keys: Sequence[tuple[Constraint, int]]) -> list[np.ndarray]:
    reactions = reactions_of(run, [*dict.fromkeys(element for element, _ in keys)])
    tables = {
        element: np.column_stack([reaction.force, reaction.torque.reshape(run.times.size, -1)])
        for element, reaction in reactions.items()
    }
    return [tables[element][:, k] for element, k in keys]


def _series(run: Trajectory, keys: Sequence[tuple[Any, str]]) -> list[np.ndarray]:
    return [np.asarray(getattr(run[element], name)) for element, name in keys]


def _outputs(run: Trajectory, keys: Sequence[tuple[Any, str]]) -> list[np.ndarray]:
    return [np.asarray(run[element][name]) for element, name in keys]


def _strengths(run: Trajectory, laws: Sequence[int]) -> list[np.ndarray]:
    strengths = forces_of(run).strengths
    return [strengths[:, k] for k in laws]
