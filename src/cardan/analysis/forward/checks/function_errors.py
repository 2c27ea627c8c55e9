"""Errors of user functions: the element, the time, the arguments, and the remedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardan.analysis.forward.state import Run, snapshot
from cardan.analysis.loads.cartesian import force_failure
from cardan.errors import CardanError, SimulationError
from cardan.model.device import upstream
from cardan.model.force import Law
from cardan.model.surfaces.surface_pair import NO_GAP

SOON, LOOKS = 1e-6, 10  # relative to the time left: how far ahead the motions of drivers are evaluated, and how often
RAISED = 2  # return value of a function that raises an exception


@np.errstate(all="ignore")  # functions are called again, in the interpreter
def broken(run: Run, now: float, partial: Any) -> CardanError:
    """The error that ends the run because of a force, an event or a constraint."""
    number = int(run.machine.failure.law)
    if number > len(run.system.laws):
        why = force_failure(run.system, number - 1, run.machine.forces)
        message = f"at t = {now:.6g} s {why.words.rstrip('.')}{around(run)}; {way_out(why.cause)}"
        return SimulationError(message, time=now, elements=why.elements, partial=partial, cause=why.cause)
    if number > 0:
        force = run.system.forces[number - 1]
        message, cause = _message_and_cause(run.system.laws[number - 1], run.machine.forces)
        message = (
            f"at t = {now:.6g} s {force.title} returned no finite force, or its function raised{around(run)}{message}"
        )
        message = f"{message}; {way_out(cause)}"
        return SimulationError(message, time=now, elements=(force.name,), partial=partial, cause=cause)
    if number < 0:
        return _event(run, -number - 1, now, partial)
    return _constraint(run, now, partial)


@np.errstate(all="ignore")
def lost_driver(run: Run, now: float, partial: Any) -> CardanError | None:
    """The error that names a driver whose motion ends shortly ahead, if there is one: its rates may end earlier.

    1 - sqrt(1 - t) never fails up to t = 1, but its rate grows without bound, and steps collapse.
    """
    system, end = run.system, float(run.stepper.clock.end)
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
                message = f"at t = {now:.6g} s {element.title} has no motion beyond: {str(error).rstrip('.')}"
                message, cause = f"{message}; {way_out(error.__cause__)}", error.__cause__
                return SimulationError(message, time=now, elements=(element.name,), partial=partial, cause=cause)
    return None


def way_out(cause: BaseException | None) -> str:
    """The remedy for a function that fails: correct it, or end the run before it has no value."""
    if cause is None or isinstance(cause, ArithmeticError | ValueError):
        return "make it finite there, or end the run before with an event"
    return "the exception above this one shows the line: correct it there"


def around(run: Run) -> str:
    """The position of the body with the greatest acceleration."""
    system, stored = run.system, run.system.space.stored
    body = system.bodies[0]
    pose = run.stepper.y[stored : 2 * stored]
    words = ", ".join(f"{n} {v:.4g}" for n, v in zip(system.space.names_of(body), pose, strict=False))
    return f" (body '{body.name}' is at {words})"


def _event(run: Run, number: int, now: float, partial: Any) -> CardanError:
    """Events are evaluated within a step: the time is between its ends."""
    begun = float(run.stepper.clock.step_start)
    if number >= len(run.events):
        return _device(run, number - len(run.events), now, partial)
    event = run.events[number]
    within = run.stepper.counters.steps > 0 and begun < now
    when = f"between t = {begun:.6g} and {now:.6g} s" if within else f"at t = {now:.6g} s"
    message, cause = _message_and_cause(event.law, run.machine.events)
    message = f"{when} {event.title} returned no finite value, or its function raised{message}"
    time, names = begun if within else now, (event.name,) if event.name else ()
    finite = cause is None or isinstance(cause, ArithmeticError | ValueError)
    advice = "make it finite on both sides of its value" if finite else way_out(cause)
    return SimulationError(f"{message}; {advice}", time=time, elements=names, partial=partial, cause=cause)


def _device(run: Run, number: int, now: float, partial: Any) -> CardanError:
    """A device that an event reads."""
    signals = [event.law.signal for event in run.events if event.law.signal is not None]
    device = list(upstream(signals))[number]
    circuit = run.machine.events.circuit
    count = len(device.inputs) + len(device.states) + len(device.parameters)
    code, given = device.code(device.parameters, device.name), circuit.arguments[:count].tolist()
    reason, cause = code.failure(given).rstrip("."), code.raised(given)
    message = f"at about t = {now:.6g} s {device.title}, which an event reads, failed: {reason}"
    return SimulationError(f"{message}; {way_out(cause)}", time=now, partial=partial, cause=cause)


def _constraint(run: Run, now: float, partial: Any) -> CardanError:
    """A constraint, or the motion of a driver: the latter is evaluated again at the time at which it failed."""
    row, system = int(run.machine.failure.row), run.system
    asked = float(system.rows.motions.scratch[0]) if row > 0 and system.equations[row - 1].motion else now
    error = system.failure(row, asked, partial, run.machine.work)
    cause = error.__cause__
    advice = "" if row <= -NO_GAP else f"; {way_out(cause)}"  # messages of surfaces contain the remedy
    message = f"{str(error).rstrip('.')}{advice}"
    return SimulationError(message, time=now, elements=error.elements, partial=partial, cause=cause)


def _message_and_cause(law: Law, tables: Any) -> tuple[str, BaseException | None]:
    """The failure of the function of a law at its last arguments, and its exception."""
    if law.function is not None:
        given = tables.scratch[0, : len(law.arguments) + law.timed].tolist()
        status, results = law.function.evaluate(given)
        if status != RAISED and np.isfinite(results[0, 0]):
            return "", None
        return f": {law.function.failure(given).rstrip('.')}", law.function.raised(given)
    if law.motion is None:
        return "", None
    try:
        law.motion(float(tables.motions.scratch[0]))
    except CardanError as error:
        return f": {str(error).rstrip('.')}", error.__cause__
    return "", None


def fastest(run: Run) -> tuple[str, str]:
    """The body with the greatest acceleration, relative to the size of the model, and how great it is."""
    system, a = run.system, np.nan_to_num(snapshot(run).a)
    sizes = np.sqrt(system.weights) / system.length
    bodies = slice(system.width, system.width * (1 + len(system.bodies)))
    place = int(np.argmax(np.abs(a[bodies] * sizes[: system.width * len(system.bodies)])))
    body, unit = system.bodies[place // system.width], "m/s2"
    if system.space.angular[place % system.width]:
        unit = "rad/s2"
    return body.name, f"{abs(float(a[system.width + place])):.3g} {unit}"
