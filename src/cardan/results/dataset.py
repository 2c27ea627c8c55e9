"""A result as a labelled data set.

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

Reactions, multipliers and forces are there where the analysis computes forces, energies where it follows them. All
numbers are in SI units and radians, vectors in global axes; reactions are in the axes that `reaction_frame` tells, on
the body that `reaction_body` tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.elements.constraints.driver import Driver
from cardan.results.reaction import usual_reactions
from cardan.results.table import (
    VECTORS,
    along,
    applied,
    applied_powers,
    axes,
    coordinates,
    law_unit,
    listed,
    points,
    sampled,
    signals,
)

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

# of an energy: name of the variable, name in `run.energy`, and what it is
_ENERGIES = (
    ("kinetic_energy", "kinetic", "kinetic energy"),
    ("potential_energy", "potential", "potential energy of weight and linear springs"),
    ("total_energy", "total", "kinetic and potential energy"),
    ("work", "work", "work done by loads, actuators and functions"),
    ("dissipated_energy", "dissipated", "energy taken by dampers"),
    ("driven_work", "driven", "work done by drivers"),
    ("energy_error", "error", "energy that does not add up since the first instant"),
)


class _Labelled:
    """The variables of a data set in the making, and the labels of their dimensions."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run
        self.data: dict[str, Any] = {}
        self.labels: dict[str, Any] = {"time": ("time", run.times, {"units": "s"}), "axis": [*axes(run)]}

    def add(self, name: str, dimensions: Iterable[str], values: np.ndarray, what: str = "", unit: str = "") -> None:
        about = {"long_name": what, "units": unit}
        self.data[name] = (("time", *dimensions), values, {key: word for key, word in about.items() if word})

    def label(self, dimension: str, names: Iterable[str], of: str = "") -> None:
        """Name the places along a dimension, or tell more of each."""
        words = np.array([*names], dtype=object)  # words as xarray keeps them in files
        self.labels[of or dimension] = (dimension, words) if of else words


def dataset(run: Trajectory) -> Any:
    """A labelled data set (needs xarray): `data.position.sel(body="crank", axis="x")`; its variables are listed above.

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
    return _xarray().Dataset(*variables(run))


def variables(run: Trajectory) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """The variables, the labels of their dimensions, and what is said about the whole."""
    labelled = _Labelled(run)
    _add_bodies(run, labelled)
    _add_points(run, labelled)
    _add_coordinates(run, labelled)
    _add_constraints(run, labelled)
    if run.loads is not None:
        _add_reactions(run, labelled)
        _add_drivers(run, labelled)
        _add_forces(run, labelled)
        _add_signals(run, labelled)
    if run.energy is not None:
        for name, share, what in _ENERGIES:
            labelled.add(name, (), getattr(run.energy, share), what, "J")
    labelled.add("iterations", (), run.iterations, "Newton's corrections")
    labelled.add("steps", (), run.steps, "steps taken to reach the instant")
    about = {"model": run.model.name, "analysis": run.analysis, "stopped": str(run.stopped or "")}
    return labelled.data, labelled.labels, about


def _add_bodies(run: Trajectory, labelled: _Labelled) -> None:
    bodies = run.system.bodies
    if not bodies:
        return
    labelled.label("body", _names(bodies))
    for quantity in listed(run):
        dimensions = ("body", quantity.axis) if quantity.axis else ("body",)
        labelled.add(quantity.name, dimensions, _stacked(run, bodies, quantity.name), unit=quantity.unit)
        if quantity.axis and quantity.axis != "axis":
            labelled.labels[quantity.axis] = [*quantity.columns]


def _add_signals(run: Trajectory, labelled: _Labelled) -> None:
    """Outputs and states of devices, controllers and tires."""
    if found := signals(run):
        labelled.label("signal", [f"{element.name}.{name}" for element, name in found])
        values = np.column_stack([run[element][name] for element, name in found])
        labelled.add("signal_value", ("signal",), values, "outputs and states of devices")


def _add_points(run: Trajectory, labelled: _Labelled) -> None:
    if not (named := points(run)):
        return
    labelled.label("point", _names(named))
    for _, name, unit in VECTORS:
        labelled.add(f"point_{name}", ("point", "axis"), _stacked(run, named, name), unit=unit)


def _add_coordinates(run: Trajectory, labelled: _Labelled) -> None:
    if not (measures := coordinates(run)):
        return
    values = np.stack([*sampled(run).values()], axis=1)
    labelled.label("coordinate", measures)
    labelled.label("coordinate", (measure.unit for measure in measures.values()), of="unit")
    for k, name in enumerate(("value", "rate", "acceleration")):
        labelled.add(f"coordinate_{name}", ("coordinate",), values[:, :, k])


def _add_constraints(run: Trajectory, labelled: _Labelled) -> None:
    if elements := run.system.elements:
        labelled.label("constraint", _names(elements))
        gaps = _stacked(run, elements, "violation")
        labelled.add("violation", ("constraint",), gaps, "how far a constraint is open")


def _add_reactions(run: Trajectory, labelled: _Labelled) -> None:
    """What constraints do to bodies, and the multipliers of M a + Phi_q^T lambda = Q behind it."""
    system, loads = run.system, run.loads
    if not system.elements or loads is None:
        return
    reactions = [*usual_reactions(run).values()]
    labelled.label("constraint", (reaction.body.name for reaction in reactions), of="reaction_body")
    labelled.label("constraint", (reaction.frame for reaction in reactions), of="reaction_frame")
    force, torque = (np.stack([getattr(r, name) for r in reactions], axis=1) for name in ("force", "torque"))
    labelled.add("reaction_force", ("constraint", "axis"), force, "force of a constraint on its body", "N")
    dimensions = ("constraint", "axis")[: torque.ndim - 1]
    labelled.add("reaction_torque", dimensions, torque, "torque of a constraint on its body, about its marker", "N m")
    owners = (system.elements[owner].name for owner in system.owner)
    equations = zip(owners, system.equations, strict=True)
    labelled.label("equation", (f"{owner}.{equation.label}" for owner, equation in equations))
    labelled.add("multiplier", ("equation",), loads.multipliers, "minus the force along an equation")
    what = {"long_name": "whether rigid bodies leave the multiplier open"}
    labelled.data["indeterminate"] = ("equation", loads.touched.astype(bool), what)


def _add_drivers(run: Trajectory, labelled: _Labelled) -> None:
    drivers = [element for element in run.system.elements if isinstance(element, Driver)]
    if not drivers:
        return
    rates = sampled(run)
    force = _stacked(run, drivers, "force")
    power = force * np.stack([rates[driver.name][:, 1] for driver in drivers], axis=1)
    labelled.label("driver", _names(drivers))
    labelled.label("driver", (law_unit(driver.measure.unit) for driver in drivers), of="driver_unit")
    labelled.add("driver_force", ("driver",), force, "force along the measure that a driver drives")
    labelled.add("driver_power", ("driver",), power, "power that a driver puts in", "W")


def _add_forces(run: Trajectory, labelled: _Labelled) -> None:
    laws, loads = applied(run), run.loads
    if not laws or loads is None:
        return
    places = [*laws.values()]
    labelled.label("force", laws)
    labelled.label("force", (law_unit(along(run, k).unit) for k in places), of="force_unit")
    labelled.label("force", (run.system.forces[k].name for k in places), of="force_element")
    what = "strength of an applied force; of a spring positive if it pulls"
    labelled.add("force_strength", ("force",), loads.strengths[:, places], what)
    labelled.add("force_power", ("force",), applied_powers(run)[:, places], "power that an applied force puts in", "W")


def _stacked(run: Trajectory, elements: Any, name: str) -> np.ndarray:
    """A quantity of several elements side by side, shape (instants, elements, ...)."""
    return np.stack([getattr(run[element], name) for element in elements], axis=1)


def _names(elements: Any) -> list[str]:
    return [element.name for element in elements]


def _xarray() -> Any:
    try:
        import xarray
    except ImportError as error:
        raise ImportError("labelled data sets and netCDF need xarray: pip install 'cardan[data]'") from error
    return xarray
