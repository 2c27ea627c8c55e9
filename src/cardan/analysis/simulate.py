"""simulate(model, until): the motion that forces cause.

    M a + J^T lambda = Q - h,      Phi(q, t) = 0,      J v = nu                                  (Haug 7.2.1 to 7.2.3)

The motion is integrated from the stated positions and velocities, made consistent with all joints, or from `start`.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from cardan.analysis.assemble import assembled
from cardan.analysis.event import Event
from cardan.analysis.forward import ForwardRun, Settings
from cardan.analysis.initial import consistent_velocities
from cardan.analysis.kinematics import checked_times
from cardan.errors import ModelError
from cardan.model import check
from cardan.model.measure import Measure
from cardan.model.model import Model
from cardan.results.simulation import Checkpoint, Simulation
from cardan.results.snapshot import Snapshot
from cardan.system.compile import compile
from cardan.system.machine import DEPENDENT
from cardan.system.system import System

METHODS = ("auto", "dop853", "radau", "generalized-alpha", "hht")
FLOOR = 1e-13  # tolerances below it ask for digits that do not exist


def simulate(
    model: Model,
    until: float,
    *,
    output: Any = None,
    method: str = "auto",
    rtol: float = 1e-8,
    atol: float | None = None,
    step: float | None = None,
    rho: float | None = None,
    alpha: float | None = None,
    rank_tolerance: float = DEPENDENT,
    coordinates: str = "auto",
    events: Sequence[Event] = (),
    start: Snapshot | Checkpoint | None = None,
    progress: bool | None = None,
) -> Simulation:
    """Move the mechanism under its forces from t = 0, or from the time of `start`, to the time `until`.

    `output` is the interval between instants of the result, or a list of instants; without it every step is one.
    `rtol` is the relative tolerance of each step; `atol`, of positions, is rtol times the model's length unless stated.
    `step` is the fixed step of "generalized-alpha" and "hht", and the longest step of the others. `rho` is the factor
    by which generalized-alpha damps the highest frequencies in a step, `alpha` the parameter of hht, from -1/3 to 0.
    Rows closer than `rank_tolerance` to depending on others, as the square of a sine, are set aside for a step.
    `events` end the run or change it, see `Event`. `start` is a snapshot (of `assemble`, `equilibrium`,
    `initial_conditions` or another run), or the checkpoint of a run that shall go on.

    >>> from cardan import simulate
    >>> from cardan.planar import Body, Model, Revolute
    >>> model = Model("pendulum", gravity=(0, -9.81))
    >>> bob = model.add(Body(mass=1.0, position=(1.0, 0.0)), name="bob")
    >>> pin = model.add(Revolute(model.ground.at(), bob.at(-1.0, 0.0)), name="pin")
    >>> run = simulate(model, 2.0, output=0.5)
    >>> run[bob].position.round(6)[1].tolist(), bool(run.energy.drift < 1e-8)
    ([0.391049, -0.92037], True)
    """
    check.instance(model, Model, "the model of simulate()")
    check.choice(method, METHODS, "the method of simulate()")
    check.choice(coordinates, ("auto", "cartesian"), "coordinates")
    if start is not None:
        check.instance(start, (Snapshot, Checkpoint), "start", hint="assemble() gives one")
    begin = 0.0 if start is None else start.time
    until = check.number(until, "the end of simulate()")
    if not until > begin:
        raise ModelError(f"simulate() must end after it begins, at t = {begin:g} s, got until = {until:g}")
    settings = Settings(
        method=method,
        rtol=_tolerance(rtol, "rtol"),
        atol=None if atol is None else check.positive(atol, "atol"),
        step=None if step is None else check.positive(step, "step"),
        rho=rho,
        alpha=alpha,
        rank_tolerance=check.positive(rank_tolerance, "rank_tolerance"),
    )
    if isinstance(events, Event) or not isinstance(events, Sequence):
        raise ModelError(f"events must be a list, got {check.shown(events)}: put it in brackets")
    for event in events:
        check.instance(event, Event, "an event of simulate()")
    system = _compiled(model, tuple(events), start)
    if isinstance(start, Checkpoint):
        state = system.start, system.speeds(), system.reference, begin
    elif isinstance(start, Snapshot):
        state = system.start, start.v, system.reference, begin
    else:
        q, reference = assembled(system, begin)
        v = consistent_velocities(system, q, system.stated_speeds(), begin, reference)
        state = q, v, reference, begin
    run = ForwardRun(system, state, settings, tuple(events))
    if isinstance(start, Checkpoint):
        run.restore(start)
    return run.go(until, output_times(output, begin, until), progress)


def _compiled(model: Model, events: tuple[Event, ...], start: Snapshot | Checkpoint | None) -> System:
    """The system with the measures of all events."""
    known = {id(body) for body in (model.ground, *model.bodies)}
    watched: list[Measure] = []
    for event in events:
        watched += event.law.measures()
        for marker in (marker for measure in event.law.measures() for marker in measure.markers()):
            if id(marker.body) not in known:
                raise ModelError(f"{event.title} looks at a body that is not part of model '{model.name}'")
    positions = start.as_start(model) if isinstance(start, Snapshot) else None
    time = 0.0 if start is None else start.time
    return compile(model, forces=True, watched=watched, time=time, start=positions)


def output_times(output: Any, begin: float, until: float) -> np.ndarray:
    """The instants asked for; none means every step."""
    if output is None:
        return np.zeros(0)
    if isinstance(output, Real) and not isinstance(output, bool):
        interval = check.positive(output, "output")
        if interval > until - begin:
            raise ModelError(f"output = {interval:g} s is longer than the run of {until - begin:g} s")
        if (until - begin) / interval > 1e8:
            raise ModelError(f"output = {interval:g} s makes more than 1e8 instants up to t = {until:g} s")
        count = int(np.floor((until - begin) / interval * (1.0 + 1e-12)))
        times = begin + interval * np.arange(count + 1)
        if abs(times[-1] - until) > 1e-12 * (until - begin):
            return np.append(times, until)
        times[-1] = until
        return times
    times = checked_times(output, "output")
    if times[0] < begin or times[-1] > until:
        raise ModelError(
            f"output asks for instants from {times[0]:g} to {times[-1]:g} s, but the run goes from {begin:g} to "
            f"{until:g} s"
        )
    return times


def _tolerance(value: Any, name: str) -> float:
    tolerance = check.positive(value, name)
    if not FLOOR <= tolerance < 0.1:
        raise ModelError(f"{name} must lie between {FLOOR:g} and 0.1, got {tolerance:g}")
    return tolerance
