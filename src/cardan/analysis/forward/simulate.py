"""simulate(model, until): the motion caused by forces.

    M a + J^T lambda = Q - h,      Phi(q, t) = 0,      J v = nu                                  (Haug 7.2.1 to 7.2.3)

The motion is integrated from the given positions and velocities, made consistent with all joints, or from `start`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.initial_conditions import consistent_velocities, start_of
from cardan.analysis.coordinates import coordinates_of, require_joints
from cardan.analysis.forward.advance import advance, new_run
from cardan.analysis.forward.checkpoint import fitting, restore
from cardan.analysis.forward.checks.start import reject_penetration, warn_of_lost_digits
from cardan.analysis.forward.events.change import require_joint
from cardan.analysis.forward.events.event import Event
from cardan.analysis.forward.events.mode_switching import ModeEvent, watches
from cardan.analysis.forward.joint import FOUND, ORIGIN, TURNS, reject_in_tree, same_tree
from cardan.analysis.forward.state import Run, Settings
from cardan.analysis.forward.stepping import carry_states, start_afresh
from cardan.analysis.progress import ProgressOption
from cardan.errors import ModelError
from cardan.integrators.scheme import SCHEMES
from cardan.methods import SHORTHANDS, Auto, Bdf, Method, method_of
from cardan.methods.historical import AdamsMethod
from cardan.methods.shorthand import renamed_options
from cardan.model import check
from cardan.model.element import Constraint
from cardan.model.force import Law
from cardan.model.model import Model
from cardan.numerics.linalg.rank import SQUARE
from cardan.results.simulation import Checkpoint, Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium
from cardan.system.compile import compile
from cardan.system.initial_configuration import Start
from cardan.system.system import System

AUTOMATIC = ("dop853", "radau", "sampled")  # schemes of method "auto"
FLOOR = 1e-13  # smaller tolerances are below rounding
OF_EACH_RUN = ("model", "until", "output", "method", "rtol", "progress")  # options not repeated in a second run


@renamed_options
def simulate(
    model: Model,
    until: float,
    *,
    output: float | ArrayLike | None = None,
    method: Method | str = "auto",
    rtol: float = 1e-8,
    atol: float | None = None,
    rank_tolerance: float = SQUARE,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    events: Sequence[Event] = (),
    released: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
    progress: ProgressOption = None,
) -> Simulation:
    """Move the mechanism under its forces from t = 0, or from the time of `start`, to the time `until`.

    `output` is the interval between output times, or a list of them; by default every step is one. `method` is one of
    `cardan.methods` with its options, such as `Radau()` or `GeneralizedAlpha(step=1e-3)`, or its shorthand "radau".
    `rtol` is the relative tolerance of each step; `atol`, for positions, is rtol times the model's length by default.

    `events` stop the run or change it, see `Event`; joints in `released` are open until an event engages them. `start`
    is a snapshot (of `assemble`, `equilibrium`, `initial_conditions` or another run) or the checkpoint of a run to
    continue: pass the same method and tolerances. A run from an equilibrium starts with zero velocities; if drivers
    prescribe a speed, it starts with the velocities given for the bodies, made consistent: give the spin of wheels.

    `coordinates="joint"` integrates joint coordinates of a spanning tree, see `joint_space`: fast for trees and few
    loops, with the same results. Joints in `tree` are part of the tree; those that are released or switched are not.
    Constraints closer than `rank_tolerance` to depending on others, as the square of a sine, are set aside for a step.
    `progress` is True, False, None (on terminals only) or a function that receives a snapshot now and then.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    >>> run = simulate(model, 2.0, output=0.5)
    >>> run[bob].position.round(6)[1].tolist(), bool(run.energy.drift < 1e-8)
    ([0.391049, -0.92037], True)
    """
    options = {name: value for name, value in locals().items() if name not in OF_EACH_RUN}
    check.instance(model, Model, "the model of simulate()")
    method = _method_of(method, start, "simulate")
    begin, until = _span(start, until)
    run = prepared_run(
        model,
        "simulate",
        method=method,
        rtol=rtol,
        atol=atol,
        rank_tolerance=rank_tolerance,
        coordinates=coordinates,
        tree=tree,
        events=events,
        released=released,
        start=start,
    )
    found = advance(run, until, output_times(output, begin, until), progress)
    found.options = options | {"method": method}
    return found


def prepared_run(
    model: Model,
    analysis: str,
    *,
    method: Method | str = "auto",
    rtol: float = 1e-8,
    atol: float | None = None,
    rank_tolerance: float = SQUARE,
    coordinates: str = "auto",
    tree: Sequence[Constraint] = (),
    events: Sequence[Event] = (),
    released: Sequence[Constraint] = (),
    start: Snapshot | Checkpoint | None = None,
    read: Sequence[Law] = (),
    adapt: Callable[[System, float], System] = lambda system, time: system,
) -> Run:
    """A run at its start, with the checked arguments of an analysis; `simulate` describes them.

    The measures of the laws in `read` are also evaluated; `adapt(system, time)` may replace tables of the system.
    """
    check.instance(model, Model, f"the model of {analysis}()")
    chosen = _method_of(method, start, analysis)
    by = coordinates_of(coordinates, tree, analysis, always="cartesian" not in chosen.coordinates)
    settings = Settings(
        method=chosen,
        rtol=_tolerance(rtol, "rtol"),
        atol=None if atol is None else check.positive(atol, "atol"),
        rank_tolerance=_part(rank_tolerance, "rank_tolerance"),
        tree=by.tree,
    )
    _check_switching(model, events, released, analysis)
    watched: tuple[Event | ModeEvent, ...] = (*events, *watches(model))
    system, state = first_state(model, watched, start, tuple(released), read)
    system = adapt(system, state[3])
    joint, settings, loose = _formulation(by.joint, settings, start, released, coordinates, system)
    scheme = start.method if isinstance(start, Checkpoint) and start.method in SCHEMES else ""
    run = new_run(system, state, settings, watched, scheme, tuple(loose), joint)
    _take_over(run, start)
    return run


def _method_of(stated: Method | str, start: Any, analysis: str) -> Method:
    """The method, which must be that of the checkpoint to continue; "auto" selects it."""
    method = method_of(stated, f"the method of {analysis}()")
    if not isinstance(start, Checkpoint) or start.method not in SCHEMES:
        return method
    if not isinstance(method, Auto):
        if method.name in SCHEMES and method.name != start.method:
            raise ModelError(
                f"the checkpoint continues by '{start.method}', not by '{method.name}': omit the method, or start "
                "from a snapshot, such as run.at(t)"
            )
        return method
    return method if start.method in AUTOMATIC else method_of(start.method, "the method of the checkpoint,")


def _span(start: Snapshot | Checkpoint | None, until: float) -> tuple[float, float]:
    """The start and end time of a run."""
    begin = time_of(start)
    until = check.number(until, "the end of simulate()")
    if not until > begin:
        raise ModelError(f"simulate() must end after it begins, at t = {begin:g} s, got until = {until:g}")
    return begin, until


def time_of(start: Snapshot | Checkpoint | None) -> float:
    """The time to start from."""
    if start is None:
        return 0.0
    check.instance(start, (Snapshot, Checkpoint), "start", hint="assemble() gives one")
    return start.time


def _take_over(run: Run, start: Snapshot | Checkpoint | None) -> None:
    """Continue with the states of a snapshot, or with all data of a checkpoint."""
    if not isinstance(start, Checkpoint):
        start_afresh(run.system)
    if isinstance(start, Snapshot):
        carry_states(run, start)
    if isinstance(start, Checkpoint):
        if isinstance(run.settings.method, Bdf):
            raise ModelError("'bdf' cannot continue from a checkpoint: start it from a snapshot, such as run.at(t)")
        restore(run, start)


def _formulation(
    joint: bool, settings: Settings, start: Any, released: Any, coordinates: str, system: System
) -> tuple[bool, Settings, Sequence[Constraint]]:
    """Whether a run is in joint coordinates, and which joints are not part of its tree."""
    warn_of_lost_digits(system, settings.rtol, settings.atol)
    if not joint and not (isinstance(start, Checkpoint) and ORIGIN in start.numbers):
        return False, settings, released
    if coordinates == "cartesian" and "cartesian" not in settings.method.coordinates:
        raise ModelError(f"method '{settings.method.name}' integrates joint coordinates: omit coordinates='cartesian'")
    if isinstance(start, Checkpoint) and (coordinates == "cartesian" or ORIGIN not in start.numbers):
        mine = "joint" if ORIGIN in start.numbers else "cartesian"
        raise ModelError(
            f"the checkpoint is of a run with coordinates='{mine}': pass the same, or start from a snapshot"
        )
    if "joint" not in settings.method.coordinates:
        other = "'auto'" if isinstance(settings.method, AdamsMethod) else "'radau' for stiff forces"
        able = [repr(method.name) for method in SHORTHANDS.values() if "joint" in method.coordinates]
        raise ModelError(
            f"method '{settings.method.name}' integrates Cartesian coordinates: with coordinates='joint' use {other}, "
            f"or one of {', '.join(able)}, 'symplectic'"
        )
    reject_in_tree(settings.tree, released, "it is released")
    return True, *(same_tree(settings, start, system) if isinstance(start, Checkpoint) else (settings, released))


def _check_switching(model: Model, events: Any, released: Any, analysis: str) -> None:
    """Events and joints that are open at the start."""
    if isinstance(events, Event) or not isinstance(events, Sequence):
        raise ModelError(f"events must be a list, got {check.describe(events)}: put it in brackets")
    for event in events:
        check.instance(event, Event, f"an event of {analysis}()")
    require_joints(released, "released", "a joint released")
    for joint in released:
        if require_joint(joint, "a joint released") not in model:
            raise ModelError(f"{joint.title} is to be released, but is not part of model '{model.name}'")


def first_state(
    model: Model,
    events: tuple[Event | ModeEvent, ...],
    start: Snapshot | Checkpoint | None,
    released: tuple[Constraint, ...],
    read: Sequence[Law] = (),
) -> tuple[System, tuple[np.ndarray, np.ndarray, np.ndarray, float]]:
    """The system, and positions, velocities, turns of angles and the time to start from."""
    reserve = [constraint for element in model for constraint in element.reserve()]
    time = time_of(start)
    moving = isinstance(start, Snapshot) and is_moving(model, start)
    if isinstance(start, Checkpoint) or moving or not (released or reserve):
        system = _compiled(model, events, start, reserve, None, read)
        if isinstance(start, Checkpoint):
            if ORIGIN not in start.numbers:
                return system, (system.start, system.speeds(), system.reference, time)
            known = {ORIGIN: system.start, TURNS: system.reference, FOUND: np.array([time])}
            q, turns, found = (np.array(fitting(start, name, array), float) for name, array in known.items())
            return system, (q, system.speeds(), turns, float(found[0]))
        if isinstance(start, Snapshot) and moving:
            return system, (system.start, start.v, system.reference, time)
        q, reference = assembled(system, time) if start is None else (system.start, system.reference)
        if not isinstance(start, Equilibrium):  # bodies in equilibrium contact are pressed together
            reject_penetration(system, q, reference, time)
        v = consistent_velocities(system, q, system.stated_speeds(), time, reference)
        return system, (q, v, reference, time)
    # Joints that are open at the start are not closed.
    positions = start.as_start(model) if isinstance(start, Snapshot) else None
    closed = compile(model, time=time, start=positions, without=released)
    q, reference = assembled(closed, time) if start is None else (closed.start, closed.reference)
    v = consistent_velocities(closed, q, closed.stated_speeds(), time, reference)
    system = _compiled(model, events, start, reserve, start_of(closed, q, reference), read)
    if not isinstance(start, Equilibrium):
        reject_penetration(system, q, system.reference, time)
    return system, (q, v, system.reference, time)


def is_moving(model: Model, start: Snapshot) -> bool:
    """Whether a run begins with the velocities of a snapshot, not with those stated for the bodies."""
    return start.moves and not (isinstance(start, Equilibrium) and _drivers_move(model, start.time))


def _drivers_move(model: Model, time: float) -> bool:
    """Whether drivers prescribe a speed at a time: the mechanism cannot stay in equilibrium then."""
    motions = [e.motion for c in model.constraints for e in c.equations() if c.drives and e.motion is not None]
    return any(float(motion.derivatives(time)[1]) != 0.0 for motion in motions)


def _compiled(
    model: Model,
    events: tuple[Event | ModeEvent, ...],
    start: Snapshot | Checkpoint | None,
    reserve: Sequence[Constraint],
    positions: Start | None,
    read: Sequence[Law] = (),
) -> System:
    """The system with the measures of all events and of laws to `read`, and with reserve constraints."""
    known = {id(body) for body in (model.ground, *model.bodies)}
    for event in events:
        for marker in (marker for measure in event.law.measures() for marker in measure.markers()):
            if id(marker.body) not in known:
                raise ModelError(f"{event.title} reads a body that is not part of model '{model.name}'")
    if isinstance(start, Snapshot) and positions is None:
        positions = start.as_start(model)
    time = 0.0 if start is None else start.time
    laws = [*(event.law for event in events), *read]
    return compile(model, reserve, forces=True, watched=laws, time=time, start=positions)


def output_times(output: Any, begin: float, until: float) -> np.ndarray:
    """The output times; None for every step."""
    if output is None:
        return np.zeros(0)
    if isinstance(output, Real) and not isinstance(output, bool):
        interval = check.positive(output, "output")
        if interval > until - begin:
            raise ModelError(f"output = {interval:g} s is longer than the run of {until - begin:g} s")
        if (until - begin) / interval > 1e8:
            raise ModelError(f"output = {interval:g} s makes more than 1e8 output times up to t = {until:g} s")
        count = int(np.floor((until - begin) / interval * (1.0 + 1e-12)))
        times = begin + interval * np.arange(count + 1)
        if abs(times[-1] - until) > 1e-12 * (until - begin):
            return np.append(times, until)
        times[-1] = until
        return times
    times = check.times(output, "output")
    if times[0] < begin or times[-1] > until:
        raise ModelError(
            f"output requests times from {times[0]:g} to {times[-1]:g} s, but the run goes from {begin:g} to "
            f"{until:g} s"
        )
    return times


def _part(value: Any, name: str) -> float:
    part = check.positive(value, name)
    if part >= 1.0:
        raise ModelError(f"{name} must lie between 0 and 1, as the square of a sine, got {part:g}")
    return part


def _tolerance(value: Any, name: str) -> float:
    tolerance = check.positive(value, name)
    if not FLOOR <= tolerance < 0.1:
        raise ModelError(f"{name} must lie between {FLOOR:g} and 0.1, got {tolerance:g}")
    return tolerance
