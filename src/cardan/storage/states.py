"""The arrays of a motion as named variables with units, and back.

    position  velocity  acceleration             (time, body, axis)          m, m/s, m/s2
    angle     angular_velocity   ...             (time, body)                in the plane
    orientation  angular_velocity_b  ...         (time, body, ...)           in space, rates in body-fixed axes
    own_position ...                             (time, own)                 coordinates of contacts
    turn  device_state  law_work                 (time, ...)                 other state of a run
    multiplier  law_strength  device_output      (time, ...)                 if forces are known

They are the arrays q, v, a, ... of a `Trajectory` with other names and shapes; nothing is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from cardan.netcdf import Fixed
from cardan.results.loads import Loads
from cardan.storage.plain_system import Plain
from cardan.system.system import System

TURNED = {"angle": "rad", "orientation": "", "angular_velocity": "rad/s", "angular_acceleration": "rad/s2"}
MOVED = (("position", "m"), ("velocity", "m/s"), ("acceleration", "m/s2"))
OWN = (("own_position", "q"), ("own_velocity", "v"), ("own_acceleration", "a"))


class Recorded(NamedTuple):
    """A variable along the records: its further dimensions, its values, and its attributes."""

    dims: tuple[str, ...]
    values: np.ndarray
    about: Mapping[str, str]


class States(NamedTuple):
    """The arrays of a motion, as in a `Trajectory`."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    turns: np.ndarray
    states: np.ndarray


def recorded(states: States, plain: Plain) -> dict[str, Recorded]:
    """The variables of a motion."""
    system, found = plain.system, {"time": Recorded((), states.times, {"units": "s"})}
    for (name, unit), part in zip(MOVED, _bodies(system, states), strict=True):
        found[name] = Recorded(("body", "axis"), part[..., : system.space.dimensions], _about(unit))
        turned = turned_names(system)[name]
        axis = _turned_axis(system, turned)
        values = part[..., system.space.dimensions :]
        unit = TURNED[turned.removesuffix("_b")]
        about = _about(unit, "in body-fixed axes" if turned.endswith("_b") else "")
        found[turned] = Recorded(("body", *axis), values if axis else values[..., 0], about)
    for name, letter in OWN if system.contact_coordinates else ():
        table = getattr(states, letter)
        found[name] = Recorded(("own",), table[:, table.shape[1] - len(system.contact_coordinates) :], {})
    if columns := plain.winding:
        found["turn"] = Recorded(("winding",), states.turns[:, columns], _about("rad", "angles with all turns counted"))
    if columns := plain.states:
        found["device_state"] = Recorded(("state",), states.states[:, columns], {})
    return found


def labels(system: System) -> dict[str, Fixed]:
    """The labels of each dimension."""
    axes = ["x", "y", "z"][: system.space.dimensions]
    found = {"body": [body.name for body in system.bodies], "axis": axes}
    if system.space.stored - system.space.dimensions > 1:
        found["parameter"] = [*system.space.stored_names[system.space.dimensions :]]
    found["own"] = [own.name for own in system.contact_coordinates]
    found["winding"] = [str(system.measures[k]) for k in system.winding]
    found["state"] = [system.state_name(k) for k in range(len(system.states.name))]
    found["equation"] = [
        f"{system.elements[owner].name}.{equation.label}"
        for owner, equation in zip(system.owner, system.equations, strict=True)
    ]
    found["law"] = [_law_name(system, k) for k in range(len(system.laws))]
    found["output"] = [f"{device.title} {name}" for device in system.devices for name in device.outputs]
    return {name: Fixed((name,), words) for name, words in found.items() if words}


def recorded_loads(loads: Loads, plain: Plain) -> dict[str, Recorded]:
    """Multipliers and strengths of the plain system."""
    found: dict[str, Recorded] = {}
    if plain.rows.size:
        about = {"long_name": "minus the force along an equation"}
        found["multiplier"] = Recorded(("equation",), loads.multipliers[:, plain.rows], about)
    if loads.strengths.shape[1]:
        found["law_strength"] = Recorded(("law",), loads.strengths, {"long_name": "strength of an applied force"})
    if loads.signals.shape[1] and (columns := plain.outputs):
        found["device_output"] = Recorded(("output",), loads.signals[:, columns], {})
    return found


def states_from(system: System, found: Mapping[str, np.ndarray]) -> States:
    """The arrays of a motion from the variables of a file."""
    times, names, space, count = found["time"], turned_names(system), system.space, len(system.bodies)
    firsts = (system.start[: space.stored], np.zeros(space.width), np.zeros(space.width))
    tables = []
    for (name, _), (own, _), first in zip(MOVED, OWN, firsts, strict=True):
        size, last = first.size, first.size * (count + 1)
        table = np.empty((times.size, last + len(system.contact_coordinates)))
        table[:, :size] = first  # the ground
        bodies = table[:, size:last].reshape(times.size, count, size)  # a view
        bodies[..., : space.dimensions] = found[name]
        bodies[..., space.dimensions :] = found[names[name]].reshape(times.size, count, -1)
        if system.contact_coordinates:
            table[:, last:] = found[own]
        tables.append(table)
    q, v, a = tables
    nothing = np.zeros((times.size, 0))
    return States(times, q, v, a, found.get("turn", nothing), found.get("device_state", nothing))


def loads_from(system: System, found: Mapping[str, np.ndarray], touched: np.ndarray) -> Loads:
    """Multipliers and strengths from the variables of a file."""
    nothing = np.zeros((found["time"].size, 0))
    multipliers, strengths, signals = (found.get(n, nothing) for n in ("multiplier", "law_strength", "device_output"))
    return Loads(system, multipliers, strengths, touched.astype(bool), signals)


def turned_names(system: System) -> dict[str, str]:
    """The name of the orientation that goes with position, velocity and acceleration."""
    if system.space.stored - system.space.dimensions == 1:
        return {"position": "angle", "velocity": "angular_velocity", "acceleration": "angular_acceleration"}
    return {"position": "orientation", "velocity": "angular_velocity_b", "acceleration": "angular_acceleration_b"}


def _turned_axis(system: System, name: str) -> tuple[str, ...]:
    if system.space.stored - system.space.dimensions == 1:
        return ()
    return ("parameter",) if name == "orientation" else ("axis",)


def _bodies(system: System, states: States) -> list[np.ndarray]:
    """q, v and a with a row for each moving body."""
    space, count = system.space, len(system.bodies)
    sizes = (space.stored, space.width, space.width)
    tables = zip((states.q, states.v, states.a), sizes, strict=True)
    return [table[:, size : size * (count + 1)].reshape(-1, count, size) for table, size in tables]


def _law_name(system: System, k: int) -> str:
    name, label = system.forces[k].name, system.laws[k].label
    return f"{name}.{label}" if label else name


def _about(unit: str, what: str = "") -> dict[str, Any]:
    return {key: word for key, word in (("long_name", what), ("units", unit)) if word}
