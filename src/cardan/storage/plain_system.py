"""The system behind a result, so that reading finds the same one again.

A system is compiled from its model. An analysis may have added to it: what events watch, contacts that are closed. A
file keeps numbers in the order of the *plain* system, that of the model, its reserves and nothing else, which reading
compiles again; columns of what was watched beside are left out.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.layout import laid_out
from cardan.system.compile import compile
from cardan.system.system import System


class Plain:
    """The plain system of a computed one, and where its columns are in that."""

    def __init__(self, computed: System, forces: bool) -> None:
        model = computed.model
        reserve = _reserve(model)
        known = {id(element) for element in (*model.constraints, *reserve.values())}
        self.computed, self.forces = computed, forces
        self.closed = [key for key, element in reserve.items() if any(element is e for e in computed.elements)]
        self.without = [e.name for e in model.constraints if all(e is not other for other in computed.elements)]
        self.rows = np.array([r for r, k in enumerate(computed.owner) if id(computed.elements[k]) in known], int)
        self.system = compile(
            model,
            [reserve[key] for key in self.closed],
            forces=forces,
            without=[model[name] for name in self.without],  # type: ignore[misc]
        )

    @cached_property
    def winding(self) -> list[int]:
        """Columns of turns."""
        place = {self.computed.measures[k]: column for column, k in enumerate(self.computed.winding)}
        return [place[self.system.measures[k]] for k in self.system.winding]

    @cached_property
    def states(self) -> list[int]:
        """Columns of states."""
        mine, theirs = self.system.states, self.computed.states
        place = {(id(owner), name): k for k, (owner, name) in enumerate(zip(theirs.owner, theirs.name, strict=True))}
        return [place[id(owner), name] for owner, name in zip(mine.owner, mine.name, strict=True)]

    @cached_property
    def outputs(self) -> list[int]:
        """Columns of signals."""
        place: dict[tuple[int, int], int] = {}
        for device in self.computed.devices:
            place |= {(id(device), k): len(place) + k for k in range(len(device.outputs))}
        return [place[id(device), k] for device in self.system.devices for k in range(len(device.outputs))]

    @cached_property
    def markers(self) -> list[int]:
        """Lines of the table that says where markers sit in their bodies."""
        mine, theirs = (laid_out(s.space.kinds, s.number, s.measures).place for s in (self.system, self.computed))
        return [theirs[marker] for marker in mine]

    def facts(self) -> dict[str, Any]:
        """All that `again` needs beside the model."""
        place = {measure: k for k, measure in enumerate(self.computed.measures)}
        return {
            "forces": self.forces,
            "closed": self.closed,
            "without": self.without,
            "start": self.computed.start,
            "offset": self.computed.rows.offset[self.rows],
            "reference": self.computed.reference[[place[measure] for measure in self.system.measures]],
        }


def again(model: Any, facts: dict[str, Any]) -> System:
    """The plain system of a model, with the numbers that an analysis gave it."""
    reserve = _reserve(model)
    system = compile(
        model,
        [reserve[name, k] for name, k in facts["closed"]],
        forces=facts["forces"],
        without=[model[name] for name in facts["without"]],
    )
    pairs = ((system.start, "start"), (system.rows.offset, "offset"), (system.reference, "reference"))
    for table, name in pairs:
        if table.shape != facts[name].shape:
            raise ModelError(
                f"the result does not fit model '{model.name}': it has {facts[name].size} numbers of its {name}, the "
                f"model {table.size}; give load_result() the model that it was computed with"
            )
        table[:] = facts[name]
    return system


def _reserve(model: Any) -> dict[tuple[str, int], Any]:
    """What elements keep in reserve, such as the constraint of a closed contact."""
    return {(element.name, k): part for element in model for k, part in enumerate(element.reserve())}
