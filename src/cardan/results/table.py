"""A result as a table of named columns.

    time   crank.x  crank.y  crank.angle  crank.vx  ...   A.angle  A.angle.rate  ...   motor   ...   A.violation

All numbers are in SI units and radians, vectors in global axes, angles with all turns counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.elements.control.source import Source
from cardan.elements.point import Point
from cardan.model.device import Output
from cardan.model.element import Constraint
from cardan.model.force import Force
from cardan.model.measure import Combination, Readable
from cardan.model.quantity import Quantity
from cardan.results.probe import sample
from cardan.results.reaction import forces_of, usual_reactions

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

# of a point: name of the vector in a column, name of the series, and its unit
VECTORS = (("", "position", "m"), ("v", "velocity", "m/s"), ("a", "acceleration", "m/s2"))
_LEVELS = ("", ".rate", ".acceleration")


def columns(run: Trajectory) -> dict[str, np.ndarray]:
    """Every quantity of a result as a named column, time first.

    A body or `Point` E gives E.x, E.y, E.vx, E.vy, E.ax, E.ay (in space also z), a body also how it is turned: in the
    plane E.angle, E.angular_velocity and E.angular_acceleration, in space E.e0 ... E.e3, E.wx ... and E.alphax ... A
    coordinate that a joint A offers gives A.angle, A.angle.rate and A.angle.acceleration, a driver the measure that it
    drives: motor, motor.rate, motor.acceleration. A.violation says how far a joint is open. Where forces
    are computed, there are also A.fx, A.fy, A.torque, motor.force, motor.power and spring.force, outputs and states of
    blocks, pid.u, pid.i, and states of forces, motor.current.
    """
    table: dict[str, np.ndarray] = {"time": run.times}
    for body in run.system.bodies:
        for quantity in listed(run):
            values = getattr(run[body], quantity.name).reshape(run.times.size, -1)
            table |= {f"{body.name}.{column}": values[:, k] for k, column in enumerate(quantity.columns)}
    for point in points(run):
        for prefix, name, _ in VECTORS:
            vector = getattr(run[point], name)
            table |= {f"{point.name}.{prefix}{axis}": vector[:, k] for k, axis in enumerate(axes(run))}
    for name, values in sampled(run).items():
        table |= {name + level: values[:, k] for k, level in enumerate(_LEVELS)}
    table |= {f"{element.name}.violation": run[element].violation for element in run.system.elements}
    table |= {name: find() for name, (find, _) in _forces(run).items()}
    table |= {f"{element.name}.{name}": run[element][name] for element, name in signals(run)}
    return table | {"iterations": run.iterations, "steps": run.steps}


def column(run: Trajectory, name: str) -> np.ndarray | None:
    """One column by its name, made without the others where it can be; None if there is none."""
    owner, _, last = name.rpartition(".")
    for body in (body for body in run.system.bodies if body.name == owner):
        for quantity in (quantity for quantity in listed(run) if last in quantity.columns):
            values = getattr(run[body], quantity.name).reshape(run.times.size, -1)
            return np.asarray(values[:, quantity.columns.index(last)])
    for point in (point for point in points(run) if point.name == owner):
        for prefix, series, _ in (vector for vector in VECTORS if last[:-1] == vector[0] and last[-1:] in axes(run)):
            return np.asarray(getattr(run[point], series)[:, axes(run).index(last[len(prefix) :])])
    known = coordinates(run)
    for level, suffix in enumerate(_LEVELS):
        measure = known.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
        if measure is not None:
            return sample(run.system, [measure], run.times, run.q, run.v, run.a, run.turns)[0][:, level]
    for element, part in signals(run):  # which come last in a table, and so stand above forces of the same name
        if f"{element.name}.{part}" == name:
            return np.asarray(run[element][part])
    forces = _forces(run)
    return forces[name][0]() if name in forces else columns(run).get(name)


def units(run: Trajectory) -> dict[str, str]:
    """The unit of every column."""
    table = {"time": "s"}
    for body in run.system.bodies:
        table |= {f"{body.name}.{column}": quantity.unit for quantity in listed(run) for column in quantity.columns}
    for point in points(run):
        table |= {f"{point.name}.{prefix}{axis}": unit for prefix, _, unit in VECTORS for axis in axes(run)}
    for name, measure in coordinates(run).items():
        table |= {name + level: rate_unit(measure.unit, k) for k, level in enumerate(_LEVELS)}
    table |= {f"{element.name}.violation": _violation_unit(element) for element in run.system.elements}
    table |= {name: unit for name, (_, unit) in _forces(run).items()}
    table |= {f"{element.name}.{name}": element.signal_units.get(name, "") for element, name in signals(run)}
    return table | {"iterations": "", "steps": ""}


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


def law_unit(unit: str) -> str:
    """The unit of a force along a measure of this unit; "" for what has none, or several."""
    return {"m": "N", "rad": "N m"}.get(unit, "")


def points(run: Trajectory) -> list[Point]:
    """The points that a user has named."""
    return [element for element in run.model if isinstance(element, Point)]


def listed(run: Trajectory) -> list[Quantity]:
    """What tables show of a body."""
    return [quantity for quantity in run.system.space.quantities if quantity.listed]


def axes(run: Trajectory) -> str:
    """The axes of vectors."""
    return "xyz"[: run.system.space.dimensions]


def sampled(run: Trajectory) -> dict[str, np.ndarray]:
    """Value, rate and acceleration of all coordinates, in one pass."""
    measures = coordinates(run)
    tables = sample(run.system, [*measures.values()], run.times, run.q, run.v, run.a, run.turns) if measures else []
    return dict(zip(measures, tables, strict=True))


def applied(run: Trajectory) -> dict[str, int]:
    """The laws of all forces by name: 'spring' where an element has one, 'load.fx', 'load.fy' or the labels of its laws
    where it has several."""
    laws: dict[Force, list[int]] = {}
    for k, element in enumerate(run.system.forces):
        laws.setdefault(element, []).append(k)
    found: dict[str, int] = {}
    for element, places in laws.items():
        if len(places) == 1:
            found[element.name] = places[0]
            continue
        if labels := [label for k in places if (label := run.system.laws[k].label)]:
            found |= {f"{element.name}.{label}": k for label, k in zip(labels, places, strict=True)}
            continue
        letter = "t" if along(run, places[0]).unit == "rad" else "f"
        found |= {f"{element.name}.{letter}{axis}": k for axis, k in zip("xyz", places, strict=False)}
    return found


def along(run: Trajectory, law: int) -> Combination:
    """What a law acts along."""
    return Combination(run.system.laws[law].terms)


def applied_powers(run: Trajectory) -> np.ndarray:
    """What each law puts into the mechanism, -f z', shape (instants, laws), in one pass."""
    strengths = forces_of(run).strengths
    measures = [along(run, k) for k in range(strengths.shape[1])]
    if not measures:
        return np.zeros_like(strengths)
    tables = sample(run.system, measures, run.times, run.q, run.v, run.a, run.turns)
    powers: np.ndarray = -strengths * np.stack([table[:, 1] for table in tables], axis=1)
    return powers


def _forces(run: Trajectory) -> dict[str, tuple[Callable[[], np.ndarray], str]]:
    """Forces, each as a function that finds it, with their units, where the analysis computes any: A.fx, A.torque,
    motor.force, motor.power ..."""
    found: dict[str, tuple[Callable[[], np.ndarray], str]] = {}
    if run.loads is None:
        return found
    reactions, powers = cache(lambda: usual_reactions(run)), cache(lambda: applied_powers(run))
    for element in run.system.elements:
        measure, name = getattr(element, "measure", None), element.name
        if isinstance(measure, Readable):
            found[f"{name}.force"] = (partial(_series, run, element, "force"), law_unit(measure.unit))
            found[f"{name}.power"] = (partial(_series, run, element, "power"), "W")
            continue
        numbers = cache(partial(_numbers, reactions, element))
        turning = ["torque"] if len(axes(run)) == 2 else [f"t{axis}" for axis in axes(run)]
        for k, part in enumerate([*(f"f{axis}" for axis in axes(run)), *turning]):
            found[f"{name}.{part}"] = (partial(_column_of, numbers, k), "N" if k < len(axes(run)) else "N m")
    for name, k in applied(run).items():
        acting, label = run.system.forces[k], run.system.laws[k].label or "force"
        unit = acting.signal_units.get(label) or law_unit(along(run, k).unit)
        strength = partial(_column_of, lambda: forces_of(run).strengths, k)
        if name == acting.name:
            found |= {f"{name}.force": (strength, unit), f"{name}.power": (partial(_column_of, powers, k), "W")}
        else:
            found[name] = (strength, unit)
    return found


def _series(run: Trajectory, element: Any, word: str) -> np.ndarray:
    return np.asarray(getattr(run[element], word))


def _numbers(reactions: Callable[[], dict[Any, Any]], element: Any) -> np.ndarray:
    """Force and torque of a joint beside each other."""
    reaction = reactions()[element]
    force = reaction.force
    return np.concatenate([force, reaction.torque.reshape(len(force), -1)], axis=1)


def _column_of(table: Callable[[], np.ndarray], k: int) -> np.ndarray:
    return table()[:, k]


def signals(run: Trajectory) -> list[tuple[Force, str]]:
    """Elements that give signals, or have states, with the names of these."""
    found: list[tuple[Force, str]] = []
    for element in run.model.forces if run.loads is not None else ():
        if isinstance(element, Source):
            found += [(element, name) for name in element.names()]
        devices = [law.signal.device for law in element.laws() if isinstance(law.signal, Output)]
        own = devices[0] if devices and devices[0] is getattr(element, "device", None) else None
        if own is not None:
            acting = {law.signal.place for law in element.laws() if isinstance(law.signal, Output)}
            found += [(element, name) for k, name in enumerate(own.outputs) if k not in acting]
            found += [(element, state.name) for state in own.states]
    return found


def _violation_unit(element: Constraint) -> str:
    kinds = {equation.unit for equation in element.equations()}
    return kinds.pop() if len(kinds) == 1 else ""
