"""A result as a labeled data set.

    dimension     labels                         variables
    body          crank, rod                     position, velocity, acceleration, angle or orientation,
                                                 angular_velocity, angular_acceleration
    point         the user's points              point_position, point_velocity, point_acceleration
    coordinate    A.angle, guide.travel, motor   coordinate_value, coordinate_rate, coordinate_acceleration
    constraint    A, guide, motor                violation; reaction_force, reaction_torque
    driver        motor                          driver_force, driver_power
    equation      A.x, A.y, motor.angle          multiplier, indeterminate
    force         spring, load.fx, load.fy       force_strength, force_power
    signal        governor.u, motor.current      signal_value
    (time alone)                                 kinetic_energy, potential_energy, total_energy, work,
                                                 dissipated_energy, driven_work, energy_error

Reactions, multipliers and forces are present if the analysis computes forces, energies if it computes them. All
values are in SI units and radians, vectors in global axes. Reactions act on the body `reaction_body` and are given in
the axes of `reaction_frame`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.results.columns import Column, coordinates_of, law_powers
from cardan.results.loads import law_measure, law_unit, named_laws
from cardan.results.reaction import reactions_of

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

LONG_NAMES = {
    "violation": "constraint violation",
    "signal_value": "outputs and states of devices",
    "driver_force": "force along the measure of a driver",
    "driver_power": "power put in by a driver",
}
# of an energy: name of the variable, name in `run.energy`, description
ENERGIES = (
    ("kinetic_energy", "kinetic", "kinetic energy"),
    ("potential_energy", "potential", "potential energy of weight and linear springs"),
    ("total_energy", "total", "kinetic and potential energy"),
    ("work", "work", "work done by loads, actuators and user functions"),
    ("dissipated_energy", "dissipated", "energy dissipated by dampers"),
    ("driven_work", "driven", "work done by drivers"),
    ("energy_error", "error", "energy balance error since the start"),
)


def dataset(run: Trajectory) -> Any:
    """A labeled data set (needs xarray): `data.position.sel(body="crank", axis="x")`; its variables are listed above.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Model, Spring, Translational
    >>> model = Model("oscillator")
    >>> block = model.add(Body(mass=2.0, inertia=1.0, position=(0.3, 0.0)), name="block")
    >>> guide = model.add(Translational(model.ground.at(), block.at()), name="guide")
    >>> spring = model.add(Spring(guide.travel, 50.0, rest_length=0.0), name="spring")
    >>> data = simulate(model, 1.0, output=0.5).to_xarray()
    >>> data.force_strength.sel(force="spring", time=0.0).item()
    15.0
    >>> f"{data.total_energy[-1].item():.6f} {data.total_energy.units}"
    '2.250000 J'
    """
    try:
        import xarray
    except ImportError as error:
        raise ImportError("labeled data sets and netCDF need xarray: pip install 'cardan[data]'") from error
    return xarray.Dataset(*variables(run))


def variables(run: Trajectory) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """The variables, the labels of their dimensions, and the attributes of the data set."""
    labeled = _Labeled(run)
    _add_columns(run, labeled)
    if run.loads is not None:
        _add_reactions(run, labeled)
        _add_forces(run, labeled)
    if run.energy is not None:
        for name, share, what in ENERGIES:
            labeled.add(name, (), getattr(run.energy, share), what, "J")
    labeled.add("iterations", (), run.iterations, "Newton iterations")
    labeled.add("steps", (), run.steps, "steps taken to reach the output time")
    about = {"model": run.model.name, "analysis": run.analysis, "stopped": str(run.stopped or "")}
    return labeled.data, labeled.labels, about


class _Labeled:
    """The variables of a data set under construction, and the labels of their dimensions."""

    def __init__(self, run: Trajectory) -> None:
        self.data: dict[str, Any] = {}
        axes = [*"xyz"[: run.system.space.dimensions]]
        self.labels: dict[str, Any] = {"time": ("time", run.times, {"units": "s"}), "axis": axes}

    def add(self, name: str, dimensions: Iterable[str], values: np.ndarray, what: str = "", unit: str = "") -> None:
        about = {"long_name": what, "units": unit}
        self.data[name] = (("time", *dimensions), values, {key: word for key, word in about.items() if word})

    def label(self, dimension: str, names: Iterable[str], of: str = "") -> None:
        """Label a dimension, or add the coordinate `of` along it."""
        words = np.array([*names], dtype=object)  # as xarray stores strings in files
        self.labels[of or dimension] = (dimension, words) if of else words


def _add_columns(run: Trajectory, labeled: _Labeled) -> None:
    """The variables that consist of columns, one for each combination of their labels."""
    groups: dict[str, list[Column]] = {}
    for column in run.columns.values():
        if column.variable:
            groups.setdefault(column.variable, []).append(column)
    table = run.columns.read(run, [column.name for group in groups.values() for column in group])
    words: dict[str, dict[str, None]] = {}  # along each dimension, those of all variables: a point mass has no angle
    for dimension, name in (label for group in groups.values() for column in group for label in column.labels):
        words.setdefault(dimension, {})[name] = None
    numbers = {dimension: {name: number for number, name in enumerate(names)} for dimension, names in words.items()}
    for variable, group in groups.items():
        dimensions = [dimension for dimension, _ in group[0].labels]
        values = np.full((*(len(numbers[dimension]) for dimension in dimensions), run.times.size), np.nan)
        for column in group:
            values[tuple(numbers[dimension][label] for dimension, label in column.labels)] = table[column.name]
        units = {column.unit for column in group}
        unit = units.pop() if len(units) == 1 else ""
        labeled.add(variable, dimensions, np.moveaxis(values, -1, 0), LONG_NAMES.get(variable, ""), unit)
    for dimension in (each for each in words if each != "axis"):
        labeled.label(dimension, words[dimension])
    if "coordinate" in labeled.labels:
        labeled.label("coordinate", (measure.unit for measure in coordinates_of(run.system).values()), of="unit")
    if "driver" in labeled.labels:
        drivers = (element for element in run.system.elements if isinstance(element, Driver))
        labeled.label("driver", (law_unit(driver.measure.unit) for driver in drivers), of="driver_unit")


def _add_reactions(run: Trajectory, labeled: _Labeled) -> None:
    """The reactions of constraints, and the multipliers of M a + Phi_q^T lambda = Q."""
    system, loads = run.system, run.loads
    if not system.listed or loads is None:
        return
    reactions = [*reactions_of(run).values()]
    labeled.label("constraint", (reaction.body.name for reaction in reactions), of="reaction_body")
    labeled.label("constraint", (str(reaction.frame) for reaction in reactions), of="reaction_frame")
    force, torque = (np.stack([getattr(r, name) for r in reactions], axis=1) for name in ("force", "torque"))
    labeled.add("reaction_force", ("constraint", "axis"), force, "force of a constraint on its body", "N")
    dimensions = ("constraint", "axis")[: torque.ndim - 1]
    labeled.add("reaction_torque", dimensions, torque, "torque of a constraint on its body, about its marker", "N m")
    owners = [system.elements[owner] for owner in system.owner]
    rows = [r for r, owner in enumerate(owners) if owner.listed]
    labeled.label("equation", (f"{owners[r].name}.{system.equations[r].label}" for r in rows))
    labeled.add("multiplier", ("equation",), loads.multipliers[:, rows], "minus the force along an equation")
    what = {"long_name": "whether rigid bodies leave the multiplier open"}
    labeled.data["indeterminate"] = ("equation", loads.touched.astype(bool)[rows], what)


def _add_forces(run: Trajectory, labeled: _Labeled) -> None:
    laws, system = named_laws(run.system), run.system
    if not laws or run.loads is None:
        return
    numbers = [*laws.values()]
    labeled.label("force", laws)
    labeled.label("force", (law_unit(law_measure(system, k).unit) for k in numbers), of="force_unit")
    labeled.label("force", (system.forces[k].name for k in numbers), of="force_element")
    what = "strength of an applied force; tension of a spring is positive"
    labeled.add("force_strength", ("force",), run.loads.strengths[:, numbers], what)
    powers = np.stack(law_powers(run, numbers), axis=1)
    labeled.add("force_power", ("force",), powers, "power put in by an applied force", "W")
