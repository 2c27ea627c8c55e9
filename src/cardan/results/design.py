"""The result of an optimization."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.model.parameter import Parameter, changed

if TYPE_CHECKING:
    from cardan.model.model import Model

VIOLATED = 1e-6  # a constraint with a smaller value is violated


class Trial(NamedTuple):
    """A design that was evaluated: its parameter values, and its objective or the reason of its failure."""

    values: tuple[float, ...]
    objective: float
    reason: str = ""


class Design:
    """The best design found. `values` and `stated` are the new and original parameters by name, `objective` and
    `objective_stated` the objectives, `gained` their difference. `trials` are all evaluated designs, `failures` those
    without an objective, with reasons. `feasible` is True if all constraints hold; `unstable` describes an unstable
    equilibrium of the design.

    The model is unchanged; `with design.applied() as model:` sets these values for a block of analyses.
    """

    def __init__(
        self,
        model: Model,
        parameters: Sequence[Parameter],
        best: Trial,
        trials: Sequence[Trial],
        limits: Sequence[tuple[float, float]],
        constraints: dict[str, float],
        message: str,
        converged: bool,
    ) -> None:
        self.model, self._parameters, self.trials = model, tuple(parameters), tuple(trials)
        self.values = {p.name: float(v) for p, v in zip(parameters, best.values, strict=True)}
        self.stated = {p.name: p.value for p in parameters}
        self.objective, self.objective_stated = best.objective, trials[0].objective
        self.limits = {p.name: pair for p, pair in zip(parameters, limits, strict=True)}
        self.constraints, self.message, self.converged = constraints, message, converged
        self.unstable = ""  # how the equilibrium is unstable; "" if it is stable

    @property
    def gained(self) -> float:
        """The reduction of the objective."""
        return self.objective_stated - self.objective

    @property
    def feasible(self) -> bool:
        """Whether all constraints hold."""
        return all(value >= -VIOLATED for value in self.constraints.values())

    @property
    def failures(self) -> tuple[Trial, ...]:
        return tuple(trial for trial in self.trials if trial.reason)

    def applied(self) -> AbstractContextManager[Any]:
        """The model with these values, within a `with` block."""
        return changed(self.model, {p: self.values[p.name] for p in self._parameters})

    def __repr__(self) -> str:
        share = f" ({100.0 * self.gained / abs(self.objective_stated):.3g} %)" if self.objective_stated else ""
        lines = [
            f"design of '{self.model.name}': objective {self.objective_stated:.6g} -> {self.objective:.6g}, gained "
            f"{self.gained:.6g}{share} in {len(self.trials)} trials, {len(self.failures)} of them failed"
        ]
        for name, value in self.values.items():
            low, high = self.limits[name]
            near = 1e-6 * (high - low)
            bound = ", at its lower limit" if value - low <= near else ""
            bound = ", at its upper limit" if high - value <= near else bound
            lines.append(f"  {name}: {self.stated[name]:.6g} -> {value:.6g}{bound}")
        for name, value in self.constraints.items():
            lines.append(f"  {name}: {value:.6g}" + ("" if value >= -VIOLATED else ", violated"))
        if not self.feasible:
            lines.append("  no evaluated design satisfies all constraints: this one is the closest")
        if self.unstable:
            lines.append(f"  its equilibrium is {self.unstable}; stable=True rejects such designs")
        reasons = dict.fromkeys(trial.reason for trial in self.failures)
        lines += [f"  failed: {reason}" for reason in [*reasons][:3]]
        if not self.converged:
            lines.append(f"  not converged: {self.message}")
        return "\n".join(lines)
