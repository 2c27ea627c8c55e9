"""Periodic motions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cardan.model.model import Model
from cardan.results.simulation import Simulation
from cardan.results.snapshot import Snapshot
from cardan.results.trajectory import Indexed
from cardan.shortcuts import Savable

WORDS = {True: "stable", False: "unstable", None: "neutral"}


class PeriodicMotion(Indexed, Savable):
    """A motion that repeats after `period`.

    `run` is the motion over one period, a result of `simulate`; `start` its first output time, from which `simulate`
    continues. `multipliers` are the Floquet multipliers, the factors by which small disturbances grow in a period, the
    largest first; they are the eigenvalues of `monodromy`. `stable` is True if all disturbances decay, False if one
    grows, None if one does neither; for a free motion the multiplier 1, a shift in time, does not count. `residual` is
    the distance between start and end, relative to the model's length and the period.
    """

    def __init__(
        self, run: Simulation, period: float, monodromy: np.ndarray, residual: float, iterations: int, autonomous: bool
    ) -> None:
        self.run, self.period, self.monodromy = run, period, monodromy
        self.residual, self.iterations, self.autonomous = residual, iterations, autonomous

    @property
    def model(self) -> Model:
        return self.run.model

    @property
    def start(self) -> Snapshot:
        """The first output time."""
        return self.run.at(float(self.run.times[0]))

    def _read(self, key: Any) -> Any:
        return self.run[key]

    @cached_property
    def multipliers(self) -> np.ndarray:
        found = np.linalg.eigvals(self.monodromy)
        return np.asarray(found[np.argsort(-np.abs(found), kind="stable")], complex)

    @property
    def stable(self) -> bool | None:
        """Whether disturbances decay."""
        found = self.multipliers
        if self.autonomous:
            found = np.delete(found, np.argmin(np.abs(found - 1.0)))
        largest = float(np.abs(found).max(initial=0.0))
        margin = 1e-4  # larger than the error of double multipliers from finite differences
        return True if largest < 1.0 - margin else False if largest > 1.0 + margin else None

    def __repr__(self) -> str:
        largest = ", ".join(f"{m:.6g}" if abs(m.imag) > 1e-9 else f"{m.real:.6g}" for m in self.multipliers[:4])
        kind = "free" if self.autonomous else "driven"
        return (
            f"{kind} periodic motion of '{self.model.name}', period {self.period:.9g} s, {WORDS[self.stable]}: "
            f"multipliers {largest}{', ...' if self.multipliers.size > 4 else ''}; {self.residual:.1e} from closing, "
            f"{self.iterations} Newton iterations"
        )
