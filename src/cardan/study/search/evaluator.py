"""Outputs as a function of parameters within ranges: what searches, fits and fronts ask for, many designs at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import ModelError
from cardan.model import check
from cardan.model.model import Model
from cardan.model.parameter import parameters_of
from cardan.study.batch.chunk import Chunk
from cardan.study.job import Job, first_that_works
from cardan.study.outputs import outputs_of
from cardan.study.runner import Runner
from cardan.study.sampling import Plan

SEARCH_TRIES = 64


@dataclass(frozen=True)
class Box(Plan):
    """All designs within ranges."""

    low: np.ndarray
    high: np.ndarray
    kind = "box"

    @property
    def count(self) -> int:
        return SEARCH_TRIES

    def values(self, first: int, last: int) -> np.ndarray:
        spread = np.random.default_rng(0).random((last, self.low.size))[first:]
        return self.low + (self.high - self.low) * spread

    def stated(self) -> Any:
        return self.low.tolist(), self.high.tolist()

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.low, self.high


class Evaluator:
    """Computes outputs of designs, and counts them."""

    def __init__(self, model: Model, parameters: Any, analysis: str, outputs: Any, options: Mapping, what: str) -> None:
        check.instance(parameters, Mapping, f"the parameters of {what}", hint="{'spring.stiffness': (low, high)}")
        if not parameters:
            raise ModelError(f"{what} is given no parameters; list some, such as 'spring.stiffness'")
        limits = []
        for key, pair in parameters.items():
            low, high = check.vector(pair, 2, f"the limits of '{key}'")
            if not low < high:
                raise ModelError(f"the limits of '{key}' must rise, got {low:g} to {high:g}")
            limits.append((low, high))
        self.low, self.high = (np.array(side) for side in zip(*limits, strict=True))
        self.job = Job(model, tuple(parameters), analysis, outputs_of(outputs), options).checked()
        self.box = Box(tuple(parameters), self.low, self.high)
        self.names = self.box.names
        _, probe = first_that_works(self.job, lambda k: self.box.values(k, k + 1)[0], SEARCH_TRIES)
        self.shapes = [value.shape for value in probe]
        self.runner = Runner(self.job, self.box, self.shapes)
        self.count = 0

    def __call__(self, designs: np.ndarray) -> Chunk:
        """The outputs of designs, one line each."""
        self.count += len(designs)
        return self.runner.of(np.clip(designs, self.low, self.high))

    def stated(self) -> np.ndarray:
        """The design that the model states, brought within the limits; their middle where a function builds it."""
        if not isinstance(self.job.model, Model):
            return 0.5 * (self.low + self.high)
        found = parameters_of(self.job.model, list(self.job.keys), "study")
        return np.clip([one.value for one in found], self.low, self.high)

    def named(self, design: np.ndarray) -> dict[str, float]:
        return dict(zip(self.names, map(float, design), strict=True))
