"""Equilibrium with hard contacts: gaps must not become negative, and push where they are closed.

    J^T lambda - g^T p = Q,    z >= below,  p >= 0,  p (z - below) = 0                       p: the force of a contact

The set of closed contacts is found iteratively. The search stops where a gap would become negative: that contact is
closed, which adds an equation, and the search continues from there. If contacts pull in the equilibrium found, the one
that pulls most is opened.
"""

from __future__ import annotations

from collections.abc import Callable

from cardan.analysis.assembly.assemble import assembled
from cardan.analysis.assembly.initial_conditions import start_of
from cardan.analysis.equilibria.place import Gap, GapCloses, Place, Ways
from cardan.analysis.equilibria.statics import Statics
from cardan.analysis.steady.contacts import ROUNDS, impacts_of, pulls_most, undecided, with_contacts
from cardan.analysis.unsupported import warn_of_memory
from cardan.elements.contact.impact import Impact
from cardan.model.model import Model
from cardan.results.steady.equilibrium import Equilibrium
from cardan.system.initial_configuration import Start
from cardan.system.system import System


def rest_on_contacts(
    model: Model, time: float, start: Start | None, find: Callable[[Statics, Place, Ways], Equilibrium]
) -> Equilibrium:
    """The equilibrium of a model with impacts: `find` leads to equilibrium, or to where a gap closes."""
    impacts = impacts_of(model)
    closed: list[Impact] = []
    warn_of_memory(with_contacts(model, closed, time, start), "equilibrium()")
    for _ in range(ROUNDS * (1 + len(impacts))):
        system = with_contacts(model, closed, time, start)
        statics = Statics(system, time)
        ways = Ways(statics, gaps=gaps_of(system, [impact for impact in impacts if impact not in closed]))
        try:
            rest = find(statics, ways.start(*assembled(system, time)), ways)
        except GapCloses as met:
            closed.append(met.element)
            start = start_of(system, met.q, met.reference)
            continue
        pulling = pulls_most(rest, closed)
        if pulling is None:
            return rest
        closed.remove(pulling)
        start = rest.as_start(model)
    raise undecided(model, impacts, time)


def gaps_of(system: System, impacts: list[Impact]) -> tuple[Gap, ...]:
    """The gaps of these contacts, by the numbers of their measures."""
    place = {measure: k for k, measure in enumerate(system.measures)}
    return tuple(Gap(i, tuple((c, place[m]) for c, m in i.measure.parts()), i.below) for i in impacts)
