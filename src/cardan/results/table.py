"""A result as a table: named columns, a labelled data set, files.

    time   crank.x  crank.y  crank.angle  crank.vx  ...   A.angle  A.angle.rate  ...   motor   ...   A.violation

All numbers are in SI units and radians, vectors in global axes, angles with all turns counted.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.driver import Driver
from cardan.elements.point import Point
from cardan.elements.torque import Torque
from cardan.errors import ModelError
from cardan.model.element import Constraint
from cardan.model.measure import Readable
from cardan.model.quantity import Quantity
from cardan.results.probe import sample

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

# of a point: name of the vector in a column, name of the series, and its unit
_VECTORS = (("", "position", "m"), ("v", "velocity", "m/s"), ("a", "acceleration", "m/s2"))
_LEVELS = ("", ".rate", ".acceleration")


def columns(run: Trajectory) -> dict[str, np.ndarray]:
    """Every quantity of a result as a named column, time first.

    A body or `Point` E gives E.x, E.y, E.vx, E.vy, E.ax, E.ay (in space also z), a body also how it is turned: in the
    plane E.angle, E.angular_velocity and E.angular_acceleration, in space E.e0 ... E.e3, E.wx ... and E.alphax ... A
    coordinate that a joint A offers gives A.angle, A.angle.rate and A.angle.acceleration, a driver the measure that it
    drives: motor, motor.rate, motor.acceleration. A.violation says how far a joint is open. Where forces
    are computed, there are also A.fx, A.fy, A.torque, motor.force, motor.power and spring.force.
    """
    table: dict[str, np.ndarray] = {"time": run.times}
    for body in run.system.bodies:
        for quantity in _listed(run):
            values = getattr(run[body], quantity.name).reshape(run.times.size, -1)
            table |= {f"{body.name}.{column}": values[:, k] for k, column in enumerate(quantity.columns)}
    for point in _points(run):
        for prefix, name, _ in _VECTORS:
            vector = getattr(run[point], name)
            table |= {f"{point.name}.{prefix}{axis}": vector[:, k] for k, axis in enumerate(_axes(run))}
    for name, values in _sampled(run).items():
        table |= {name + level: values[:, k] for k, level in enumerate(_LEVELS)}
    table |= {f"{element.name}.violation": run[element].violation for element in run.system.elements}
    table |= {name: values for name, (values, _) in _forces(run).items()}
    return table | {"iterations": run.iterations, "steps": run.steps}


def units(run: Trajectory) -> dict[str, str]:
    """The unit of every column."""
    table = {"time": "s"}
    for body in run.system.bodies:
        table |= {f"{body.name}.{column}": quantity.unit for quantity in _listed(run) for column in quantity.columns}
    for point in _points(run):
        table |= {f"{point.name}.{prefix}{axis}": unit for prefix, _, unit in _VECTORS for axis in _axes(run)}
    for name, measure in coordinates(run).items():
        table |= {name + level: rate_unit(measure.unit, k) for k, level in enumerate(_LEVELS)}
    table |= {f"{element.name}.violation": _violation_unit(element) for element in run.system.elements}
    table |= {name: unit for name, (_, unit) in _forces(run).items()}
    return table | {"iterations": "", "steps": ""}


def dataset(run: Trajectory) -> Any:
    """A labelled data set: `data.position.sel(body="crank", axis="x")`, `data.violation.sel(constraint="A")`.

    Bodies have position, velocity, acceleration, angle (in space orientation), angular_velocity and
    angular_acceleration; named points
    point_position, point_velocity and point_acceleration; joint coordinates and drivers coordinate_value,
    coordinate_rate and coordinate_acceleration.
    """
    xarray = _xarray()
    data: dict[str, Any] = {}
    labels: dict[str, Any] = {"time": ("time", run.times, {"units": "s"}), "axis": list(_axes(run))}
    _label_bodies(run, data, labels)
    _label_points(run, data, labels)
    _label_coordinates(run, data, labels)
    if run.system.elements:
        labels["constraint"] = _names(run.system.elements)
        gaps = _stacked(run, run.system.elements, "violation")
        data["violation"] = (("time", "constraint"), gaps, {"long_name": "how far a constraint is open"})
    data["iterations"] = ("time", run.iterations, {"long_name": "Newton's corrections"})
    data["steps"] = ("time", run.steps, {"long_name": "steps taken to reach the instant"})
    about = {"model": run.model.name, "analysis": run.analysis, "stopped": str(run.stopped or "")}
    return xarray.Dataset(data, coords=labels, attrs=about)


def save(run: Trajectory, path: Any) -> None:
    """Write the table: `.csv` for columns, `.nc` for netCDF (needs xarray)."""
    target = Path(path)
    if target.suffix == ".csv":
        _write_csv(columns(run), target)
    elif target.suffix == ".nc":
        dataset(run).to_netcdf(target, engine=_netcdf_engine())
    else:
        raise ModelError(f"cannot tell the format of '{target.name}': a table ends in .csv or, for netCDF, in .nc")


def coordinates(run: Trajectory) -> dict[str, Readable]:
    """The coordinates that joints offer ('A.angle') and the measures that drivers drive ('motor')."""
    found: dict[str, Readable] = {}
    for element in run.system.elements:
        if isinstance(element, Driver):
            found[element.name] = element.measure
        else:
            found |= {f"{element.name}.{name}": measure for name, measure in element.coordinates().items()}
    return found


def rate_unit(unit: str, level: int) -> str:
    """The unit of a quantity (level 0), its rate (1) or its acceleration (2)."""
    return unit if level == 0 else f"{unit or 1}/{'s' if level == 1 else 's2'}"


def _forces(run: Trajectory) -> dict[str, tuple[np.ndarray, str]]:
    """Forces with their units, where the analysis computes any: A.fx, A.torque, motor.force, motor.power ..."""
    found: dict[str, tuple[np.ndarray, str]] = {}
    if run.loads is None:
        return found
    for element in (*run.system.elements, *dict.fromkeys(run.system.forces)):
        series = run[element]
        force = np.asarray(series.force)
        if force.ndim == 1:
            along = getattr(element, "measure", None)
            angular = isinstance(element, Torque) or (isinstance(along, Readable) and along.unit == "rad")
            found[f"{element.name}.force"] = (force, "N m" if angular else "N")
            found[f"{element.name}.power"] = (series.power, "W")
            continue
        letter, unit = ("t", "N m") if isinstance(element, Torque) else ("f", "N")
        found |= {
            f"{element.name}.{letter}{axis}": (force[:, k], unit) for k, axis in enumerate("xyz"[: force.shape[1]])
        }
        if isinstance(element, Constraint):
            torque = series.torque.reshape(run.times.size, -1)
            names = ["torque"] if torque.shape[1] == 1 else ["tx", "ty", "tz"]
            found |= {f"{element.name}.{name}": (torque[:, k], "N m") for k, name in enumerate(names)}
    return found


def _points(run: Trajectory) -> list[Point]:
    return [element for element in run.model if isinstance(element, Point)]


def _listed(run: Trajectory) -> list[Quantity]:
    """What tables show of a body."""
    return [quantity for quantity in run.system.space.quantities if quantity.listed]


def _axes(run: Trajectory) -> str:
    return "xyz"[: run.system.space.dimensions]


def _sampled(run: Trajectory) -> dict[str, np.ndarray]:
    """Value, rate and acceleration of all coordinates, in one pass."""
    measures = coordinates(run)
    tables = sample(run.system, [*measures.values()], run.times, run.q, run.v, run.a, run.turns) if measures else []
    return dict(zip(measures, tables, strict=True))


def _label_bodies(run: Trajectory, data: dict[str, Any], labels: dict[str, Any]) -> None:
    if not run.system.bodies:
        return
    labels["body"] = _names(run.system.bodies)
    for quantity in _listed(run):
        dimensions = ("time", "body", quantity.axis) if quantity.axis else ("time", "body")
        data[quantity.name] = (dimensions, _stacked(run, run.system.bodies, quantity.name), {"units": quantity.unit})
        if quantity.axis and quantity.axis != "axis":
            labels[quantity.axis] = list(quantity.columns)


def _label_points(run: Trajectory, data: dict[str, Any], labels: dict[str, Any]) -> None:
    if not (points := _points(run)):
        return
    labels["point"] = _names(points)
    for _, name, unit in _VECTORS:
        data[f"point_{name}"] = (("time", "point", "axis"), _stacked(run, points, name), {"units": unit})


def _label_coordinates(run: Trajectory, data: dict[str, Any], labels: dict[str, Any]) -> None:
    if not (measures := coordinates(run)):
        return
    sampled = np.stack([*_sampled(run).values()], axis=1)
    labels["coordinate"] = _objects(measures)
    labels["unit"] = ("coordinate", _objects(m.unit for m in measures.values()))
    for k, name in enumerate(("value", "rate", "acceleration")):
        data[f"coordinate_{name}"] = (("time", "coordinate"), sampled[:, :, k])


def _stacked(run: Trajectory, elements: Any, name: str) -> np.ndarray:
    """A quantity of several elements side by side, shape (instants, elements, ...)."""
    return np.stack([getattr(run[element], name) for element in elements], axis=1)


def _names(elements: Any) -> np.ndarray:
    return _objects(element.name for element in elements)


def _objects(words: Iterable[str]) -> np.ndarray:
    """Words as xarray keeps them in files."""
    return np.array([*words], dtype=object)


def _violation_unit(element: Constraint) -> str:
    kinds = {equation.unit for equation in element.equations()}
    return kinds.pop() if len(kinds) == 1 else ""


def _write_csv(table: dict[str, np.ndarray], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("labelled data sets and netCDF need xarray: pip install 'cardan[data]'") from error
    return xarray


def _netcdf_engine() -> str:
    from importlib.util import find_spec

    for engine, modules in (("h5netcdf", ("h5netcdf", "h5py")), ("netcdf4", ("netCDF4",))):
        if all(find_spec(module) for module in modules):
            return engine
    raise ImportError("netCDF files need h5netcdf and h5py: pip install 'cardan[data]'")
