"""The equilibria of a mechanism along a growing load."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np

from cardan.model.model import Model
from cardan.results.loads import Loads
from cardan.results.steady.equilibrium import Equilibrium, equilibrium_table
from cardan.results.trajectory import Indexed, Trajectory
from cardan.shortcuts import Savable
from cardan.table import Table


class LoadPath(Indexed, Savable):
    """Equilibria, one for each of `factors`; `path[thing]` reads a quantity at all of them, `path.rests[k]` is one.

    `folds` are the equilibria at the turning points of the factor, `fold_factors` their factors.
    """

    def __init__(
        self, factors: np.ndarray, rests: Sequence[Equilibrium], folds: Sequence[tuple[float, Equilibrium]]
    ) -> None:
        self.factors, self.rests = factors, tuple(rests)
        self.fold_factors = np.array([factor for factor, _ in folds])
        self.folds = tuple(rest for _, rest in folds)

    @property
    def model(self) -> Model:
        return self.rests[0].model

    @property
    def stable(self) -> tuple[bool | None, ...]:
        """The stability of each equilibrium; None if it is neutral."""
        return tuple(rest.stable for rest in self.rests)

    def table(self) -> Table:
        """The columns of all equilibria, one row each; the load factor and the energy first."""
        found = equilibrium_table(self.rests)
        return Table({"factor": self.factors} | found, found.units)

    def __len__(self) -> int:
        return len(self.rests)

    def _read(self, key: Any) -> Any:
        return self._run[key]

    @cached_property
    def _run(self) -> Trajectory:
        """The equilibria as a trajectory."""
        first = self.rests[0]
        q, v, a, turns = (np.array([getattr(rest, name) for rest in self.rests]) for name in ("q", "v", "a", "turns"))
        times = np.full(len(self), first.time)
        run = Trajectory(first.system, times, q, v, a, analysis="equilibrium path", turns=turns)
        loads = [rest.loads for rest in self.rests if rest.loads is not None]
        multipliers, strengths = (np.concatenate([getattr(x, n) for x in loads]) for n in ("multipliers", "strengths"))
        run.loads = Loads(first.system, multipliers, strengths, np.any([x.touched for x in loads], axis=0))
        return run

    def as_motion(self) -> Trajectory:
        """The path as a motion of one second, for animations."""
        run = copy(self._run)
        run.times = np.linspace(0.0, 1.0, len(self))
        return run

    def __repr__(self) -> str:
        turns = ", ".join(f"{factor:.6g}" for factor in self.fold_factors)
        return (
            f"equilibrium path of '{self.model.name}': {len(self)} points, factors {self.factors[0]:g} to "
            f"{self.factors[-1]:g}; {sum(s is True for s in self.stable)} of them stable; "
            + (f"folds at factors {turns}" if turns else "no folds")
        )
