"""Trajectories and simulations in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from cardan import errors
from cardan.analysis.forward.advance import moved_on
from cardan.analysis.loads.cartesian import loads_of
from cardan.analysis.slow.sequence import static_loads
from cardan.netcdf import Fixed
from cardan.results.engagement_history import Shift
from cardan.results.simulation import Checkpoint, EventRecord, Simulation, Stats
from cardan.results.snapshot import Snapshot
from cardan.results.steady.quasi_static import QuasiStatic, Snap
from cardan.results.trajectory import Trajectory
from cardan.storage.content import Content
from cardan.storage.plain_system import Plain
from cardan.storage.states import Recorded, States, labels, loads_from, recorded, recorded_loads, states_from

RENAMED_STATS = {"loose": "unclosed"}  # names in older files
COUNTS = {"iterations": "Newton iterations", "steps": "steps taken to reach the output time"}


class StoredEvent:
    """An event of a run read from a file: its names, and its element or itself."""

    def __init__(self, title: str, name: str, element: Any) -> None:
        self.title, self.name = title, name
        self.element = self if element is None else element


def stats_from(facts: Mapping[str, Any]) -> Stats:
    """The statistics of a run, also from a file with older names."""
    return Stats(**{RENAMED_STATS.get(name, name): value for name, value in facts.items()})


def content(run: Trajectory, loads: bool = True) -> Content:
    """The content of a trajectory; with `loads` also forces, which are computed if necessary."""
    known = run.loads if loads else None
    plain = plain_of(run, known is not None)
    along = motion_records(run, plain)
    facts: dict[str, Any] = {"system": plain.facts(), **_facts(run, plain)}
    if known is not None:
        along |= recorded_loads(known, plain)
        facts["touched"] = known.touched[plain.rows]
    fixed = labels(plain.system)
    if isinstance(run, Simulation):
        facts |= _simulation_facts(run, plain)
        fixed["work_of"] = work_labels(plain)
    elif isinstance(run, QuasiStatic):
        facts |= {name: list(getattr(run, name)) for name in ("stable", "reasons", "snaps")}
        facts["lowest_stiffness"] = run.lowest_stiffness
    kinds = {Simulation: "simulation", QuasiStatic: "quasi-static"}
    kind = next((name for kind, name in kinds.items() if isinstance(run, kind)), "trajectory")
    return Content(kind, "time", along, fixed, facts, run.model)


def plain_of(run: Trajectory, forces: bool = False) -> Plain:
    """The plain system of a run."""
    return Plain(run.system, forces or isinstance(run, Simulation) or bool(run.system.laws))


def motion_records(run: Trajectory, plain: Plain) -> dict[str, Recorded]:
    """The variables along the time of a trajectory."""
    along = recorded(States(run.times, run.q, run.v, run.a, run.turns, run.states), plain)
    along |= {name: Recorded((), getattr(run, name), {"long_name": what}) for name, what in COUNTS.items()}
    if isinstance(run, Simulation):
        work = run.work[:, : len(plain.system.laws) + 2]
        along["integrated_work"] = Recorded(("work_of",), work, {"units": "J", "long_name": "work since the start"})
    return along


def work_labels(plain: Plain) -> Fixed:
    """The names of the work terms that a run integrates."""
    laws = labels(plain.system).get("law")
    return Fixed(("work_of",), [*(laws.values if laws else ()), "dissipated", "driven"])


def trajectory(read: Content) -> Trajectory:
    """The trajectory in a file."""
    facts, system = read.facts, read.system
    states = states_from(system, read.values)
    counts = (read.values[name].astype(int) for name in COUNTS)
    motion = (system, *states[:4], *counts, tuple(facts["set_aside"]), facts["analysis"], states.turns)
    run = Trajectory(*motion)
    run.states, run.moves = states.states, facts["moves"]
    _complete(run, read)
    return run


def quasi_static(read: Content) -> QuasiStatic:
    """The sequence of equilibria in a file."""
    facts, system = read.facts, read.system
    states = states_from(system, read.values)
    counts = (read.values[name].astype(int) for name in COUNTS)
    run = QuasiStatic(system, *states[:4], *counts, tuple(facts["set_aside"]), facts["analysis"], states.turns)
    run.states, run.moves, run.find_loads = states.states, facts["moves"], static_loads
    run.stable, run.reasons = tuple(facts["stable"]), tuple(facts["reasons"])
    run.lowest_stiffness = np.array(facts["lowest_stiffness"], float)
    run.snaps = [Snap(*snap) for snap in facts["snaps"]]
    _complete(run, read)
    return run


def simulation(read: Content) -> Simulation:
    """The simulation in a file."""
    facts, system = read.facts, read.system
    states = states_from(system, read.values)
    work = np.concatenate([read.values["integrated_work"], states.states], axis=1)
    run = Simulation(
        system,
        *states[:4],
        work,
        states.turns,
        read.values["steps"].astype(int),
        tuple(facts["set_aside"]),
        stats_from(facts["account"]),
        loads_of,
        moved_on,
    )
    run.analysis = facts["analysis"]
    run.iterations = read.values["iterations"].astype(int)
    run.events = _event_records(facts["events"], run)
    if facts["checkpoint"] is not None:
        run.checkpoint = Checkpoint(**facts["checkpoint"])
    _complete(run, read)
    return run


def _complete(run: Trajectory, read: Content) -> None:
    """Set the attributes of all trajectories."""
    facts = read.facts
    run.show = tuple(facts.get("show", ()))
    run.shifts = [Shift(*shift) for shift in facts["shifts"]]
    if run.shifts:
        last = run.shifts[-1]  # as at the end of the run
        run.system.geometry.local[:], run.system.rows.offset[:] = last.local, last.offset
    if "touched" in facts:
        run.loads = loads_from(run.system, read.values, facts["touched"])
        run.loads.shifts = run.shifts
    if facts["stopped"] is not None:
        run.stopped = stored_error(facts["stopped"], run)
    elif not read.complete:
        at = float(run.times[-1]) if len(run) else None
        run.stopped = errors.SimulationError("the run was interrupted before its end was written", time=at, partial=run)


def _facts(run: Trajectory, plain: Plain) -> dict[str, Any]:
    place = {int(row): k for k, row in enumerate(plain.rows)}
    return {
        "analysis": run.analysis,
        "moves": run.moves,
        "set_aside": [place[row] for row in run.set_aside if row in place],
        "stopped": None if run.stopped is None else error_facts(run.stopped),
        "shifts": [shift_facts(shift, plain) for shift in run.shifts],
        "show": list(run.show),
    }


def _simulation_facts(run: Simulation, plain: Plain) -> dict[str, Any]:
    kept = run.checkpoint
    return {
        "account": asdict(run.stats),
        "events": _events(run, plain),
        "checkpoint": None if kept is None else {name: getattr(kept, name) for name in _CHECKPOINT},
    }


_CHECKPOINT = ("model", "method", "time", "numbers")


def shift_facts(shift: Shift, plain: Plain) -> list[Any]:
    """The joints engaged from a time on, as facts of a file."""
    rows = plain.rows
    tables = shift.engaged[rows], shift.active[rows], shift.local[plain.markers], shift.offset[rows]
    return [float(shift.time), int(shift.first), *tables]


def _events(run: Simulation, plain: Plain) -> dict[str, Any]:
    """The events, each once, and their times."""
    events = [*{id(happening.event): happening.event for happening in run.events}.values()]
    place = {id(event): k for k, event in enumerate(events)}
    elements = [getattr(getattr(event, "element", None), "name", None) for event in events]
    return {
        "events": [[event.title, event.name, name] for event, name in zip(events, elements, strict=True)],
        "happened": [
            [place[id(h.event)], h.time, snapshot_facts(h.snapshot, plain), snapshot_facts(h.after, plain)]
            for h in run.events
        ],
    }


def _event_records(facts: Mapping[str, Any], run: Simulation) -> list[EventRecord]:
    named = ((title, name, None if of is None else run.model[of]) for title, name, of in facts["events"])
    events = [StoredEvent(*words) for words in named]
    return [
        EventRecord(events[k], time, _snapshot(run, before), _snapshot(run, after))
        for k, time, before, after in facts["happened"]
    ]


def snapshot_facts(snapshot: Snapshot, plain: Plain) -> dict[str, Any]:
    """A snapshot as facts of a file."""
    columns = {"turns": snapshot.turns[plain.winding], "states": snapshot.states[plain.states]}
    return {"time": snapshot.time, "q": snapshot.q, "v": snapshot.v, "a": snapshot.a, **columns}


def _snapshot(run: Simulation, facts: Mapping[str, Any]) -> Snapshot:
    return Snapshot(run.system, *(facts[name] for name in ("time", "q", "v", "a", "turns", "states")))


def error_facts(error: errors.CardanError | errors.Interrupted) -> dict[str, Any]:
    """The message of an error, without its partial result."""
    return {"kind": type(error).__name__, "text": str(error), "time": error.time, "elements": [*error.elements]}


def stored_error(facts: Mapping[str, Any], partial: object) -> errors.CardanError | errors.Interrupted:
    """The error that ended a run, read from its file."""
    kinds = {kind.__name__: kind for kind in (errors.Interrupted, errors.LockUp, errors.AssemblyError)}
    kind = kinds.get(facts["kind"], errors.SimulationError)
    found: errors.CardanError | errors.Interrupted = kind(
        facts["text"], time=facts["time"], elements=tuple(facts["elements"]), partial=partial
    )
    return found
