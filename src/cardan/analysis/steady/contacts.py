"""Steady motion with hard contacts: gaps must not become negative, and push where they are closed.

z >= below,    p >= 0,    p (z - below) = 0                                              p: the force of a contact
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cardan.elements.contact.impact import Impact
from cardan.errors import SimulationError
from cardan.model.force import Law
from cardan.model.model import Model
from cardan.results.steady.equilibrium import Equilibrium
from cardan.results.steady.steady_motion import SteadyMotion
from cardan.system.compile import compile
from cardan.system.initial_configuration import Start
from cardan.system.system import System

CONTACT_CHANGES = 12  # closings and openings of each contact, before it is given up
PULLS = 1e-9  # of the largest force: what counts as pulling
MAX_GAP_PASSED = 1e-9  # model lengths: by so much a gap may be passed


def steady_on_contacts(
    model: Model, time: float, start: Start | None, watched: list[Law], find: Callable[[System], SteadyMotion]
) -> SteadyMotion:
    """A motion that lasts, with the contacts closed that press: those that it would pass are closed afterwards."""
    impacts = impacts_of(model)
    closed: list[Impact] = []
    for _ in range(1 + CONTACT_CHANGES * len(impacts)):
        motion = find(with_contacts(model, closed, time, start, *watched))
        gaps = {
            impact: float(motion[impact.measure].value) - impact.below for impact in impacts if impact not in closed
        }
        nearest = min(gaps, key=lambda impact: gaps[impact], default=None)
        pulling = pulls_most(motion, closed)
        if nearest is not None and gaps[nearest] < -MAX_GAP_PASSED * motion.system.length:
            closed.append(nearest)
        elif pulling is not None:
            closed.remove(pulling)
        else:
            return motion
        start = motion.as_start(model)
    raise undecided(model, impacts, time)


def impacts_of(model: Model) -> list[Impact]:
    """The hard contacts of a model."""
    return [element for element in model if isinstance(element, Impact)]


def undecided(model: Model, impacts: list[Impact], time: float) -> SimulationError:
    names = ", ".join(impact.title for impact in impacts[:3])
    return SimulationError(
        f"the contacts that support '{model.name}' were not found: {names} close and open repeatedly; start "
        "nearer to the equilibrium",
        time=time,
        elements=tuple(impact.name for impact in impacts),
    )


def with_contacts(model: Model, closed: list[Impact], time: float, start: Start | None, *watched: Law) -> System:
    """The system in which these contacts are closed, and the gaps of all others are measured."""
    rows = [impact.reserve()[0] for impact in closed]
    gaps = [Law(impact.measure.parts()) for impact in impacts_of(model)]
    return compile(model, rows, forces=True, watched=[*gaps, *watched], time=time, start=start)


def pulls_most(result: Equilibrium | SteadyMotion, closed: list[Impact]) -> Impact | None:
    """The closed contact that pulls most, if any does; of what rigid bodies leave open the least is taken."""
    assert result.loads is not None
    pushes = {i: -float(result.loads.multipliers[0, result.system.rows_of(i.closed)[0]]) for i in closed}
    worst = min(pushes, key=lambda impact: pushes[impact], default=None)
    allowed = PULLS * float(np.abs(result.loads.multipliers).max(initial=0.0))
    return worst if worst is not None and pushes[worst] < -allowed else None
