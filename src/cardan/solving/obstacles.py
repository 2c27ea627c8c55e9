"""Why a page cannot repeat an analysis: the element, and what of it needs Python."""

from __future__ import annotations

from typing import Any

from cardan.analysis.forward.events.mode_switching import watches
from cardan.methods import Bdf
from cardan.methods.historical import AdamsMethod
from cardan.methods.method import Method
from cardan.model.model import Model
from cardan.results.simulation import Simulation
from cardan.results.trajectory import Trajectory


def obstacle(run: Trajectory) -> str:
    """What keeps a page from repeating a result; "" if nothing is known to."""
    return _of_simulation(run) if isinstance(run, Simulation) else _of_motion(run)


def _of_simulation(run: Simulation) -> str:
    model, method, options = run.model, run.options.get("method"), run.options
    if options.get("events"):
        return f"its {options['events'][0].title} calls Python: omit events="
    if options.get("released"):
        return f"{options['released'][0].title} is released until an event engages it"
    if options.get("start") is not None:
        return "it starts elsewhere than the model states: omit start="
    if options.get("coordinates") == "joint" or (isinstance(method, Method) and "cartesian" not in method.coordinates):
        return "pages integrate Cartesian coordinates: omit coordinates= and method="
    if isinstance(method, Bdf | AdamsMethod):
        return f"method '{method.name}' needs Python: use Dop853() or Radau()"
    if options.get("atol") is not None:
        return "pages use the default absolute tolerance: omit atol="
    return _switching(model) or _sampling(run) or _turning(run)


def _switching(model: Model) -> str:
    for element in model:
        if element.reserve():
            return f"{element.title} switches between sliding and sticking, or closing and opening, by events"
    return "" if not watches(model) else f"elements of '{model.name}' switch by events"


def _sampling(run: Trajectory) -> str:
    owners: tuple[Any, ...] = run.system.sampler_owners
    return f"{owners[0].title} calls a Python function at its sampling times" if owners else ""


def _of_motion(run: Trajectory) -> str:
    system = run.system
    rolling = [element for element in system.elements if system.on_velocities[system.rows_of(element)].any()]
    if rolling:
        return f"{rolling[0].title} constrains velocities, which kinematics in a page does not solve: use simulate()"
    return _turning(run)


def _turning(run: Trajectory) -> str:
    """Offsets that are known up to full turns jump while a parameter changes."""
    system = run.system
    for body in system.bodies:
        if body.follows:
            return f"the position of {body.title} follows from forces"
    for element in system.elements:
        if any(system.equations[row].period for row in system.rows_of(element)):
            return f"{element.title} is known up to full turns"
    return ""
