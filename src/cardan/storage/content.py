"""What a file holds, between a result and its bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.storage.netcdf import Along, Fixed, Layout
from cardan.storage.plain_system import again
from cardan.system.system import System


class Content(NamedTuple):
    """A result taken apart: variables along its records, others, and facts that JSON can tell."""

    kind: str
    dimension: str  # of the records
    along: dict[str, Any]  # of `Recorded`; not yet read where a file is being opened
    fixed: dict[str, Fixed]
    facts: dict[str, Any]
    model: Any  # None where a result has none
    complete: bool = True  # whether the analysis came to its end
    systems: dict[str, Any] | None = None  # where parts of a file find their common system

    @property
    def system(self) -> System:
        """The system that a file tells of, compiled once for all its parts."""
        known = {} if self.systems is None else self.systems
        if "system" not in known:
            known["system"] = again(self.model, self.facts["system"])
        found: System = known["system"]
        return found

    @property
    def values(self) -> dict[str, np.ndarray]:
        """The numbers of the variables along the records."""
        return {name: variable.values for name, variable in self.along.items()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return next((len(variable.values) for variable in self.along.values()), 0)

    def layout(self, attributes: dict[str, str]) -> Layout:
        """The file that holds it."""
        along = {
            name: Along(variable.dims, variable.values.shape[1:], variable.about)
            for name, variable in self.along.items()
        }
        used = {dim for variable in along.values() for dim in variable.dims}
        used |= {dim for name, variable in self.fixed.items() for dim in variable.dims if name != dim}
        fixed = {name: v for name, v in self.fixed.items() if v.dims != (name,) or name in used}
        return Layout(self.dimension, attributes, fixed, along)
