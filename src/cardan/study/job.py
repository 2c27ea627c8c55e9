"""One sample after the other, by the ordinary analyses: a job states what is computed, and computes it anywhere.

A job is data: it can be sent to another process and gives the same numbers there. A sample that fails is a row with
its reason.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cardan import analysis as analyses
from cardan.errors import CardanError, CardanWarning, ModelError, SimulationError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import Parameter, changed, parameters_of
from cardan.study.outputs import StudyOutput

ANALYSES = ("assemble", "equilibrium", "inverse_dynamics", "kinematics", "linearize", "simulate", "steady_motion")
EQUILIBRIUM = "equilibrium"  # at= of a study of linearizations: where each sample is in equilibrium


@dataclass(frozen=True)
class Job:
    """A model, or a function that builds one, with what is changed in it, computed of it and read from it."""

    model: Any
    keys: tuple[Any, ...]
    analysis: Any  # a name, or a function of the model
    outputs: tuple[StudyOutput, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def checked(self) -> Job:
        """The job, if it makes sense."""
        if not isinstance(self.model, Model):
            if not callable(self.model):
                raise ModelError(
                    f"study() needs a model, or a function that builds one, got {check.describe(self.model)}"
                )
            stated = inspect.signature(self.model).parameters
            known, any_name = [*stated], any(one.kind is one.VAR_KEYWORD for one in stated.values())
            for key in self.keys:
                if isinstance(key, str) and "." not in key and key not in known and not any_name:
                    raise ModelError(
                        f"{getattr(self.model, '__name__', 'the function')}() has no argument '{key}'; it has: "
                        f"{', '.join(known) or 'none'}"
                    )
        if not callable(self.analysis):
            check.choice(self.analysis, ANALYSES, "the analysis of study(), unless it is a function of the model,")
        if isinstance(self.model, Model):
            parameters_of(self.model, list(self.keys), "study()")
        return self

    @contextmanager
    def stated(self, values: Any = None) -> Iterator[Model]:
        """The model with the values of a sample, while the block runs; as it stands without any."""
        table = {} if values is None else dict(zip(self.keys, map(float, values), strict=True))
        if isinstance(self.model, Model):
            model = self.model
        else:
            model = self.model(**{key: value for key, value in table.items() if self._builds(key)})
            check.instance(model, Model, "what the function of study() builds")
            table = {key: value for key, value in table.items() if not self._builds(key)}
        if not table:
            yield model
            return
        found = self.parameters if model is self.model else parameters_of(model, list(table), "study()")
        with changed(model, dict(zip(found, table.values(), strict=True))):
            yield model

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters of a job on a model."""
        return parameters_of(self.model, list(self.keys), "study()")

    def result(self, values: Any = None) -> Any:
        """The result of the analysis of one sample, and its outputs: (result, arrays)."""
        with warnings.catch_warnings(), self.stated(values) as model:
            warnings.simplefilter("ignore", CardanWarning)
            result = self.compute(model)
            return result, [output.read(result) for output in self.outputs]

    def compute(self, model: Model) -> Any:
        """The analysis of a model."""
        if callable(self.analysis):
            return self.analysis(model)
        options = dict(self.options)
        if self.analysis in ("kinematics", "inverse_dynamics"):
            if "times" not in options:
                raise ModelError(f"a study of {self.analysis}() needs output times: times=[...]")
            options.setdefault("progress", False)
            return getattr(analyses, self.analysis)(model, options.pop("times"), **options)
        if self.analysis == "linearize" and isinstance(options.get("at"), str):
            check.choice(options["at"], (EQUILIBRIUM,), "at= of a study of linearizations")
            options["at"] = analyses.equilibrium(model, time=options.get("time", 0.0), progress=False)
        if self.analysis == "simulate":
            if "until" not in options:
                raise ModelError("a study of simulate() needs to know for how long: until=...")
            options.setdefault("progress", False)
        return getattr(analyses, self.analysis)(model, **options)

    def sample(self, values: Any) -> tuple[list[np.ndarray] | None, str]:
        """What is read of one sample, or None and the reason why there is nothing."""
        try:
            return self.result(values)[1], ""
        except CardanError as error:
            return None, str(error)
        except Exception as error:  # a user's function may raise anything; the other samples go on
            return None, f"{type(error).__name__}: {error}"

    def _builds(self, key: object) -> bool:
        return isinstance(key, str) and "." not in key


def first_that_works(job: Job, plan_values: Callable[[int], Any], count: int) -> tuple[Any, list[np.ndarray]]:
    """Result and outputs of the stated model, or of the first sample that succeeds: they define the shapes of all."""
    error: Exception | None = None
    built = not isinstance(job.model, Model)
    try:
        result, found = job.result()
        return result, list(found)
    except CardanError as rejected:
        error = rejected
    except TypeError as rejected:  # a function that builds a model may need all its arguments
        error = None if built else ModelError(str(rejected))
    for k in range(count):
        try:
            result, found = job.result(plan_values(k))
        except Exception as rejected:  # whatever a user's function raises; the next one may work
            error = error or SimulationError(f"none of the first {count} samples has a result: {rejected}")
            continue
        return result, list(found)
    assert error is not None
    raise error
