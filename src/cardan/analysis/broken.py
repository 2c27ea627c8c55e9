"""Functions of the user's that raised, or gave no number: whose they are, when, at what, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.analysis.inverse_dynamics import force_failure
from cardan.errors import CardanError, SimulationError
from cardan.integrators.course import END, STEPS, T_OLD
from cardan.model.device import upstream
from cardan.model.force import Law
from cardan.model.touch import LOST
from cardan.system.machine import LAW, ROW

if TYPE_CHECKING:
    from cardan.analysis.forward import ForwardRun

SOON, LOOKS = 1e-6, 10  # of what is left: how far ahead the motions of drivers are asked for, and how often
RAISED = 2  # what a function that raises an exception returns
WAY_OUT = "make it finite there, or let an event end the run before"


@np.errstate(all="ignore")  # functions are asked once more, in the interpreter
def broken(run: ForwardRun, now: float, partial: Any) -> CardanError:
    """The error that ends the run because of a force, an event or a constraint."""
    number = int(run.machine.count[LAW])
    if number > len(run.system.laws):
        words, names = force_failure(run.system, number - 1, run.machine.forces.circuit)
        message = f"at t = {now:.6g} s {words.rstrip('.')}{around(run)}; {WAY_OUT}"
        return SimulationError(message, time=now, elements=names, partial=partial)
    if number > 0:
        force = run.system.forces[number - 1]
        told = _told(run.system.laws[number - 1], run.machine.forces)
        message = f"at t = {now:.6g} s {force.title} gave no finite force, or its function raised{around(run)}{told}"
        return SimulationError(f"{message}; {WAY_OUT}", time=now, elements=(force.name,), partial=partial)
    if number < 0:
        return _event(run, -number - 1, now, partial)
    return _constraint(run, now, partial)


@np.errstate(all="ignore")
def lost_driver(run: ForwardRun, now: float, partial: Any) -> CardanError | None:
    """The error that names a driver whose motion ends close ahead, if there is one: its rates may end before.

    1 - sqrt(1 - t) never fails up to t = 1, but its rate grows without bound, and steps collapse.
    """
    system, end = run.system, float(run.course.clock[END])
    ahead = now + np.geomspace(1e-15, SOON, LOOKS) * max(abs(now), end - now)
    for row in np.flatnonzero(system.driving).tolist():
        motion = system.equations[row].motion
        if motion is None:
            continue
        for time in ahead.tolist():
            try:
                motion(time)
            except CardanError as error:
                element = system.elements[system.owner[row]]
                message = f"at t = {now:.6g} s {element.title} has no motion any more: {str(error).rstrip('.')}"
                return SimulationError(f"{message}; {WAY_OUT}", time=now, elements=(element.name,), partial=partial)
    return None


def around(run: ForwardRun) -> str:
    """Where the mechanism is, in a few words."""
    system, stored = run.system, run.system.space.stored
    body = system.bodies[0]
    pose = run.course.y[stored : 2 * stored]
    words = ", ".join(f"{n} {v:.4g}" for n, v in zip(system.space.stored_names, pose, strict=True))
    return f" (body '{body.name}' is at {words})"


def _event(run: ForwardRun, number: int, now: float, partial: Any) -> CardanError:
    """Events are looked at within a step: the instant lies between its ends."""
    begun = float(run.course.clock[T_OLD])
    if number >= len(run.events):
        return _device(run, number - len(run.events), now, partial)
    event = run.events[number]
    within = run.course.count[STEPS] > 0 and begun < now
    when = f"between t = {begun:.6g} and {now:.6g} s" if within else f"at t = {now:.6g} s"
    told = _told(event.law, run.machine.events)
    message = f"{when} {event.title} gave no finite value, or its function raised{told}"
    time, names = begun if within else now, (event.name,) if event.name else ()
    way_out = "make it finite on both sides of its value"
    return SimulationError(f"{message}; {way_out}", time=time, elements=names, partial=partial)


def _device(run: ForwardRun, number: int, now: float, partial: Any) -> CardanError:
    """A device that an event looks at."""
    signals = [event.law.signal for event in run.events if event.law.signal is not None]
    device = list(upstream(signals))[number]
    circuit = run.machine.events.circuit
    count = len(device.inputs) + len(device.states) + len(device.parameters)
    reason = device.code(device.parameters, device.name).failure(circuit.arguments[:count].tolist())
    message = f"at about t = {now:.6g} s {device.title}, which an event looks at, cannot go on: {reason.rstrip('.')}"
    return SimulationError(f"{message}; {WAY_OUT}", time=now, partial=partial)


def _constraint(run: ForwardRun, now: float, partial: Any) -> CardanError:
    """A constraint, or the motion of a driver: the latter is asked again at the time at which it failed."""
    row, system = int(run.machine.count[ROW]), run.system
    asked = float(system.rows.motions.scratch[0]) if row > 0 and system.equations[row - 1].motion else now
    error = system.failure(row, asked, partial, run.machine.work)
    way_out = "" if row <= -LOST else f"; {WAY_OUT}"  # surfaces say themselves what to do
    return SimulationError(f"{str(error).rstrip('.')}{way_out}", time=now, elements=error.elements, partial=partial)


def _told(law: Law, tables: Any) -> str:
    """What the function of a law says to what it was given last."""
    if law.function is not None:
        given = tables.scratch[0, : len(law.arguments) + law.timed].tolist()
        status, results = law.function.evaluate(given)
        fails = status == RAISED or not np.isfinite(results[0, 0])
        return f": {law.function.failure(given).rstrip('.')}" if fails else ""
    if law.motion is None:
        return ""
    try:
        law.motion(float(tables.motions.scratch[0]))
    except CardanError as error:
        return f": {str(error).rstrip('.')}"
    return ""
