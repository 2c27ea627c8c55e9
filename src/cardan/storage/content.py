"""The content of a result file, independent of its format."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cardan.netcdf import Along, Fixed, Layout
from cardan.storage.plain_system import recompiled
from cardan.system.system import System


class Content(NamedTuple):
    """The parts of a result: variables along its records, other variables, and facts stored as JSON."""

    kind: str
    dimension: str  # of the records
    along: dict[str, Any]  # of `Recorded`
    fixed: dict[str, Fixed]
    facts: dict[str, Any]
    model: Any  # None if the result has no model
    complete: bool = True  # whether the analysis was completed
    systems: dict[str, Any] | None = None  # the common system of the parts of a file

    @property
    def system(self) -> System:
        """The system of the result, compiled once for all parts of a file."""
        known = {} if self.systems is None else self.systems
        if "system" not in known:
            known["system"] = recompiled(self.model, self.facts["system"])
        found: System = known["system"]
        return found

    @property
    def values(self) -> dict[str, np.ndarray]:
        """The values of the variables along the records."""
        return {name: variable.values for name, variable in self.along.items()}

    @property
    def records(self) -> int:
        """The number of records."""
        return next((len(variable.values) for variable in self.along.values()), 0)

    def layout(self, attributes: dict[str, str]) -> Layout:
        """The layout of the file."""
        along = {
            name: Along(variable.dims, variable.values.shape[1:], variable.about)
            for name, variable in self.along.items()
        }
        used = {dim for variable in along.values() for dim in variable.dims}
        used |= {dim for name, variable in self.fixed.items() for dim in variable.dims if name != dim}
        fixed = {name: v for name, v in self.fixed.items() if v.dims != (name,) or name in used}
        return Layout(self.dimension, attributes, fixed, along)
