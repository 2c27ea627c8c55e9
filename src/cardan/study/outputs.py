"""The outputs of a study: columns and measures of each result, as numbers or curves, and user functions.

"slider.x"                    a column of the result: a curve over time, or a number for a snapshot
"slider.ax:peak"              the same, reduced: max, min, mean, peak (largest magnitude), rms, range, first, last
hinge.angle                   a measure
lambda run: run.energy.drift  any function of the result that returns a number or an array
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.measure import Readable
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Trajectory

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "peak": lambda values, axis: np.max(np.abs(values), axis=axis),
    "rms": lambda values, axis: np.sqrt(np.mean(np.square(values), axis=axis)),
    "range": np.ptp,
    "first": lambda values, axis: np.take(values, 0, axis=axis),
    "last": lambda values, axis: np.take(values, -1, axis=axis),
}


OutputSource = str | Readable | Callable[[Any], Any]  # a column, a measure, or a function of the result
Outputs = OutputSource | Sequence[OutputSource] | Mapping[str, OutputSource]


class StudyOutput(NamedTuple):
    """One output: its name, its source, and the reduction of a curve to a number."""

    name: str
    source: Any  # a column's name, a measure, or a function of the result
    reduction: str = ""

    def read(self, result: object) -> np.ndarray:
        """The number or curve of one result."""
        found = self._found(result)
        try:
            if found is None:
                raise TypeError
            return self.reduced(np.asarray(found, float), 0)
        except (TypeError, ValueError):
            raise ModelError(
                f"output '{self.name}' must be a number or an array of numbers, got {check.describe(found)}"
            ) from None

    def unit(self, result: object) -> str:
        """The unit of its values, if it is known."""
        if isinstance(self.source, Readable):
            return self.source.unit
        if not isinstance(self.source, str):
            return ""
        run = result.as_trajectory() if isinstance(result, Snapshot) else result
        if not isinstance(run, Trajectory):
            return _linear_unit(self.source)
        return run.columns[self.source].unit if self.source in run.columns else ""

    def reduced(self, values: np.ndarray, axis: int) -> np.ndarray:
        """Curves along `axis`, reduced to numbers if requested."""
        if not self.reduction or values.ndim <= axis:
            return values
        return np.asarray(REDUCTIONS[self.reduction](values, axis=axis))

    def _found(self, result: Any) -> Any:
        if isinstance(self.source, Readable):
            return result[self.source].value
        if not isinstance(self.source, str):
            return self.source(result)
        if isinstance(result, Trajectory):
            return _column(result, self.source)
        if isinstance(result, Snapshot):
            return _column(result.as_trajectory(), self.source)[0]
        return _of_linearization(result, self.source)


def outputs_of(stated: Outputs) -> tuple[StudyOutput, ...]:
    """The checked outputs of a study: one, a list, or a dictionary by name."""
    if isinstance(stated, str | Readable) or callable(stated):
        stated = [stated]
    if isinstance(stated, Mapping):
        listed = [(check.instance(name, str, "the name of an output"), source) for name, source in stated.items()]
    elif isinstance(stated, Sequence):
        listed = [("", source) for source in stated]
    else:
        raise ModelError(f"the outputs of study() must be a list or a dictionary, got {check.describe(stated)}")
    if not listed:
        raise ModelError("study() needs outputs, such as 'slider.x' or a function of the result")
    found = [_output(name, source) for name, source in listed]
    for k, one in enumerate(found):
        if any(one.name == other.name for other in found[:k]):
            raise ModelError(f"two outputs of study() are called '{one.name}'; name them in a dictionary")
    return tuple(found)


def _output(name: str, source: Any) -> StudyOutput:
    reduction = ""
    if isinstance(source, tuple) and len(source) == 2:
        source, reduction = source
        check.choice(reduction, tuple(REDUCTIONS), "the reduction of an output")
    elif isinstance(source, str) and ":" in source:
        text, reduction = (part.strip() for part in source.rsplit(":", 1))
        name = name or source
        source = text
        check.choice(reduction, tuple(REDUCTIONS), f"the reduction of output '{text}'")
    if isinstance(source, str):
        return StudyOutput(name or (f"{source}:{reduction}" if reduction else source), source, reduction)
    if isinstance(source, Readable):
        return StudyOutput(name or (f"{source}:{reduction}" if reduction else str(source)), source, reduction)
    check.function(source, 1, f"output '{name}'" if name else "an output of study()")
    plain = getattr(source, "__name__", "output")
    return StudyOutput(name or ("output" if plain == "<lambda>" else plain), source, reduction)


def _of_linearization(result: object, name: str) -> np.ndarray:
    """A quantity of a linearization by name."""
    from cardan.results.linear.eigenvalue_outputs import EIGENVALUE_OUTPUTS, eigenvalue_output
    from cardan.results.linear.linearization import Linearization  # slow to import

    if not isinstance(result, Linearization):
        raise ModelError(
            f"output '{name}' is a column, which a {type(result).__name__} does not have; pass a function of the result"
        )
    check.choice(name, tuple(EIGENVALUE_OUTPUTS), "an output of linearize(), unless it is a function,")
    return eigenvalue_output(name, np.linalg.eigvals(result.A))


def _linear_unit(name: str) -> str:
    """The unit of a quantity of a linearization."""
    from cardan.results.linear.eigenvalue_outputs import EIGENVALUE_OUTPUTS

    return EIGENVALUE_OUTPUTS.get(name, "")


def _column(run: Trajectory, name: str) -> np.ndarray:
    if name not in run.columns:
        near = run.columns.suggestion(name)
        hint = f"did you mean {near}?" if near else "result.columns lists all"
        raise ModelError(f"the result of '{run.model.name}' has no column '{name}'; {hint}")
    return run.columns[name].read(run)
