"""rerun(result, model): repeat the analysis of a result, for its model or a changed one.

kinematics, inverse dynamics, simulation       the same output times, from nearly the same start
an assembled position, equilibrium, mobility   computed again
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.analysis.assembly.assemble import assemble, assembled
from cardan.analysis.assembly.initial_conditions import consistent_velocities
from cardan.analysis.assembly.mobility import Mobility, mobility
from cardan.analysis.driven.inverse_dynamics import inverse_dynamics
from cardan.analysis.driven.kinematics import kinematics
from cardan.analysis.equilibria.equilibrium import equilibrium
from cardan.analysis.forward.events.event import Event
from cardan.analysis.forward.simulate import simulate
from cardan.errors import CardanWarning, ModelError
from cardan.methods import HHT, GeneralizedAlpha, Method, Symplectic
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.results.trajectory import Trajectory
from cardan.system.compile import compile

FIXED: dict[str, Any] = {kind.name: kind for kind in (GeneralizedAlpha, HHT, Symplectic)}
DRIVEN = {"kinematics": kinematics, "inverse dynamics": inverse_dynamics}


def rerun(result: Any, model: Any = None, **options: Any) -> Any:
    """Compute a result again, for its own model or another one with the same bodies and joints.

    Further options are passed to the analysis.

    >>> from cardan import kinematics
    >>> from cardan.examples import load
    >>> from cardan.model.parameter import moved
    >>> run = kinematics(load("slider-crank").build(), [0.0, 0.1, 0.2, 0.31415926535])
    >>> other = rerun(run, moved(run.model, [(run.model["B"].a, (0.15, 0.0))]))
    >>> [round(float(each["slider"].position[0, 0] - each["slider"].position[-1, 0]), 6) for each in (run, other)]
    [0.4, 0.5]
    """
    model = result.model if model is None else model
    if isinstance(result, Simulation):
        return _simulated(result, model, options)
    if isinstance(result, Trajectory) and result.analysis in DRIVEN:
        return DRIVEN[result.analysis](model, result.times, start=_start_near(result, model), **options)
    if isinstance(result, Mobility):
        return mobility(model, **options)
    if isinstance(result, Equilibrium):
        return equilibrium(model, time=result.time, **options)
    if isinstance(result, Snapshot) and not isinstance(result, SteadyMotion):
        return assemble(model, time=result.time, **options)
    kind = result.analysis if isinstance(result, Trajectory) else type(result).__name__
    raise ModelError(f"rerun() does not support a result of {kind}: call its analysis with the other model")


def fixed_step_of(run: Simulation) -> float:
    """The step size of a run; 0.0 if controlled by the tolerance. Runs from files have their mean step size."""
    if "method" in run.options:
        return run.options["method"].fixed_step or 0.0
    return float(run.times[-1] - run.times[0]) / max(run.stats.steps, 1) if run.stats.method in FIXED else 0.0


def with_step(run: Simulation, step: float) -> Method:
    """The method of a run with fixed steps, with another step size."""
    method = run.options.get("method")
    return FIXED[run.stats.method](step=step) if method is None else replace(method, step=step)


def _simulated(run: Simulation, model: Any, options: dict[str, Any]) -> Simulation:
    """Repeat a simulation with its options; a run loaded from a file has its method and tolerances."""
    happened = list({id(h.event): h.event for h in run.events if isinstance(h.event, Event)}.values())
    given: dict[str, Any] = {"events": happened, "start": run.at(float(run.times[0])), **run.options}
    given |= {name: getattr(run.stats, name) for name in ("rtol", "atol", "rank_tolerance")}
    if "method" not in given:
        given["method"] = with_step(run, fixed_step_of(run)) if run.stats.method in FIXED else run.stats.method
    if model is not run.model:
        known = {id(element): model[element.name] for element in (run.model.ground, *run.model)}
        given |= {
            name: copy.deepcopy(given[name], dict(known)) for name in ("events", "released", "tree") if name in given
        }
        given["start"] = _start_near(run, model)
    given |= {"output": np.unique(run.times), "progress": False}
    return simulate(model, float(run.times[-1]), **(given | options))


def _start_near(run: Trajectory, model: Any) -> Snapshot:
    """The start of a run; for a changed model the closed position nearest to it, with consistent velocities."""
    first: Snapshot = run.at(float(run.times[0]))
    if model is run.model:
        return first
    system = compile(model, time=first.time, start=first.as_start(model))
    q, reference = assembled(system, first.time)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CardanWarning)  # velocities of the other model are inconsistent, as expected
        v = consistent_velocities(system, q, first.v, first.time, reference)
    states = first.states if first.states.shape == system.states.start.shape else None
    return Snapshot(system, first.time, q, v, turns=reference[system.winding], states=states)
