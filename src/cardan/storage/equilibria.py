"""Snapshots, equilibria, steady and periodic motions in files: each equilibrium is a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.results.engagement_history import Shift
from cardan.results.loads import Loads
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibria, Equilibrium
from cardan.results.steady.load_path import LoadPath
from cardan.results.steady.periodic_motion import PeriodicMotion
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.storage import motion
from cardan.storage.content import Content
from cardan.storage.plain_system import Plain
from cardan.storage.states import Recorded, States, labels, loads_from, recorded, recorded_loads, states_from

if TYPE_CHECKING:
    from cardan.model.model import Model

STEADY = ("spin", "axis", "through", "travel", "residual", "iterations", "neutral")


def snapshot_content(snapshot: Snapshot) -> Content:
    """A snapshot."""
    found = _content("snapshot", [snapshot])
    plain = Plain(snapshot.system, True) if snapshot.shifts else None
    shifts = [motion.shift_facts(shift, plain) for shift in snapshot.shifts] if plain else []
    found.facts.update(moves=snapshot.moves, shifts=shifts)
    if snapshot.open:
        found.facts["not_assembled"] = snapshot.open
    return found


def rest_content(rest: Equilibrium) -> Content:
    return _rests("rest", [rest], {})


def equilibria_content(found: Equilibria) -> Content:
    return _rests("equilibria", [*found], {"starts": found.starts})


def path_content(path: LoadPath) -> Content:
    """Equilibria along the load, then those at its turning points."""
    found = _rests("load path", [*path.rests, *path.folds], {"points": len(path.rests)})
    factors = np.concatenate([path.factors, path.fold_factors])
    found.along["factor"] = Recorded((), factors, {"long_name": "factor of the load"})
    return found


def steady_content(steady: SteadyMotion) -> Content:
    found = _content("steady motion", [steady])
    found.facts["steady"] = {name: getattr(steady, name) for name in STEADY}
    for name in ("rates", "values"):
        found.facts[name] = [[_key(key, steady.model), value] for key, value in getattr(steady, name).items()]
    return found


def periodic_content(periodic: PeriodicMotion) -> Content:
    found = motion.content(periodic.run)
    names = ("period", "monodromy", "residual", "iterations", "autonomous")
    found.facts["periodic"] = {name: getattr(periodic, name) for name in names}
    return found._replace(kind="periodic motion")


def snapshot(read: Content) -> Snapshot:
    system, states, loads = _read(read)
    found = Snapshot(system, *_state(states, 0))
    found.moves, found.open = read.facts["moves"], read.facts.get("not_assembled", "")
    found.shifts = [Shift(*shift) for shift in read.facts["shifts"]]
    found.loads = loads[0] if loads else None
    return found


def rest(read: Content) -> Equilibrium:
    return _read_rests(read)[0]


def equilibria(read: Content) -> Equilibria:
    return Equilibria(_read_rests(read), read.facts["starts"])


def path(read: Content) -> LoadPath:
    rests, factors, count = _read_rests(read), read.values["factor"], read.facts["points"]
    folds = [(float(factor), rest) for factor, rest in zip(factors[count:], rests[count:], strict=True)]
    return LoadPath(factors[:count], rests[:count], folds)


def steady(read: Content) -> SteadyMotion:
    system, states, loads = _read(read)
    time, *state = _state(states, 0)
    facts = {name: tuple(v) if isinstance(v, list) else v for name, v in read.facts["steady"].items()}
    named = {name: {_found(read.model, key): value for key, value in read.facts[name]} for name in ("rates", "values")}
    return SteadyMotion(system, time, tuple(state), loads[0], **facts, **named)  # type: ignore[arg-type]


def periodic(read: Content) -> PeriodicMotion:
    return PeriodicMotion(motion.simulation(read), **read.facts["periodic"])


def _content(kind: str, found: Sequence[Snapshot]) -> Content:
    """Snapshots of one system as records."""
    first = found[0]
    forces = first.loads is not None or first.find_loads is not None
    plain = Plain(first.system, forces or bool(first.system.laws))
    names = ("time", "q", "v", "a", "turns", "states")
    states = States(*(np.array([getattr(one, name) for one in found], float) for name in names))
    along = recorded(states, plain)
    facts: dict[str, Any] = {"system": plain.facts()}
    known = [one.as_trajectory().loads for one in found]
    loads = [one for one in known if one is not None]
    if loads:
        tables = ([getattr(one, name) for one in loads] for name in ("multipliers", "strengths", "signals"))
        multipliers, strengths, signals = (np.concatenate(table) for table in tables)
        along |= recorded_loads(Loads(first.system, multipliers, strengths, loads[0].touched, signals), plain)
        facts["touched"] = np.array([one.touched[plain.rows] for one in loads], int)
    return Content(kind, "point", along, labels(plain.system), facts, first.model)


def _rests(kind: str, found: Sequence[Equilibrium], facts: dict[str, Any]) -> Content:
    content = _content(kind, found)
    content.facts["rests"] = [
        {name: getattr(one, name) for name in ("method", "energy", "stable", "stiffnesses", "imbalance")}
        for one in found
    ]
    return content._replace(facts=content.facts | facts)


def _read_rests(read: Content) -> list[Equilibrium]:
    system, states, loads = _read(read)
    rests = []
    for k, facts in enumerate(read.facts["rests"]):
        time, q, _, _, turns, values = _state(states, k)
        rests.append(Equilibrium(system, time, q, turns, values, loads[k], **facts))
    return rests


def _read(read: Content) -> tuple[Any, States, list[Loads]]:
    system = read.system
    values = read.values
    touched = read.facts.get("touched", [])
    loads = [
        loads_from(system, {name: table[k : k + 1] for name, table in values.items()}, row)
        for k, row in enumerate(touched)
    ]
    return system, states_from(system, values), loads


def _state(states: States, k: int) -> tuple[Any, ...]:
    return float(states.times[k]), *(table[k] for table in states[1:])


def _key(key: Any, model: Model) -> str:
    """An element by its name, a joint coordinate by both names, another measure by its text."""
    if getattr(key, "name", ""):
        return str(key.name)
    return next((name for name, measure in _coordinates(model).items() if measure == key), str(key))


def _found(model: Model, key: str) -> Any:
    """The element or coordinate of a name; other text is returned as it is."""
    return model[key] if key in model else _coordinates(model).get(key, key)


def _coordinates(model: Model) -> dict[str, Any]:
    return {f"{c.name}.{name}": measure for c in model.constraints for name, measure in c.coordinates().items()}
