"""The system of a result in a file.

A system is compiled from its model. An analysis may have added to it: measures of events, closed contacts. A file
stores numbers in the order of the *plain* system, which consists of the model and its closed contacts only; reading
compiles it again. Columns of other measures are omitted.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import ModelError
from cardan.model.layout import laid_out
from cardan.system.compile import compile
from cardan.system.system import System

if TYPE_CHECKING:
    from cardan.model.model import Model


class Plain:
    """The plain system of a computed one, and its columns in that."""

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
            without=[model[name] for name in self.without],
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
        """Rows of the table of marker positions."""
        mine, theirs = (laid_out(s.space.kinds, s.number, s.measures).place for s in (self.system, self.computed))
        return [theirs[marker] for marker in mine]

    def facts(self) -> dict[str, Any]:
        """The input of `recompiled` besides the model."""
        place = {measure: k for k, measure in enumerate(self.computed.measures)}
        return {
            "forces": self.forces,
            "closed": self.closed,
            "without": self.without,
            "start": self.computed.start,
            "offset": self.computed.rows.offset[self.rows],
            "reference": self.computed.reference[[place[measure] for measure in self.system.measures]],
        }


def recompiled(model: Any, facts: dict[str, Any]) -> System:
    """The plain system of a model, with the numbers of the analysis."""
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
                f"the result does not match model '{model.name}': its {name} has {facts[name].size} values, not "
                f"{table.size}; pass load_result() the model of the analysis"
            )
        table[:] = facts[name]
    return system


def _reserve(model: Model) -> dict[tuple[str, int], Any]:
    """Constraints that elements may engage, such as that of a closed contact."""
    return {(element.name, k): part for element in model for k, part in enumerate(element.reserve())}
